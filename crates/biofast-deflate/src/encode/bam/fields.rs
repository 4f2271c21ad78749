//! What is neither bases nor qualities: the tags of a record, then head, name and CIGAR of the next. These are searched
//! as one region, so that copies run over the record's end.

use crate::encode::simd::Simd;
use crate::encode::symbols::{MAX_DISTANCE, MAX_LENGTH};
use crate::encode::text::{Text, common, thirty_two};
use crate::encode::tokens::Tokens;

use super::records::four;

/// Slots of the table of places.
pub(super) const SLOTS: usize = 8192;
/// The shortest copy.
pub(super) const SHORTEST: u32 = 3;
/// Bytes that are compared at once.
pub(super) const WIDTH: usize = 32;
/// Bits that a copy costs besides those of its distance, and how many more where literals are cheap.
pub(super) const COPY: u32 = 8;
const COPY_CHEAP: u32 = 3;
/// Literals of so many bits or less are cheap.
const CHEAP: u32 = 6;

/// Where a field begins, and how far back the same field of an earlier record does; 0 if there is none.
#[derive(Clone, Copy)]
pub(super) struct Anchor {
    pub(super) at: usize,
    pub(super) distance: usize,
}

impl Anchor {
    /// Behind every text.
    pub(super) const NONE: Self = Self { at: usize::MAX, distance: 0 };
}

/// How far back the field around a place lies in an earlier record.
pub(super) struct Like<'a> {
    anchors: &'a [Anchor; 5],
    next: usize,
    distance: usize,
}

impl<'a> Like<'a> {
    #[inline(always)]
    pub(super) fn new(anchors: &'a [Anchor; 5]) -> Self {
        Self { anchors, next: 0, distance: 1 }
    }

    /// The distance at `at`, which isn't before the last place asked for.
    #[inline(always)]
    pub(super) fn at(&mut self, at: usize) -> usize {
        while self.anchors[self.next % 5].at <= at {
            let distance = self.anchors[self.next % 5].distance;
            if (1..=MAX_DISTANCE).contains(&distance) {
                self.distance = distance;
            }
            self.next += 1;
        }
        self.distance
    }
}

/// A stretch to be searched.
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) end: usize,
    /// In the order of their places; behind them [`Anchor::NONE`].
    pub(super) anchors: [Anchor; 5],
    /// Where the name in it lies.
    pub(super) name: (usize, usize),
    /// Bits that a literal costs.
    pub(super) literal: u32,
}

/// A candidate, and how many of 32 bytes are the same there.
#[derive(Clone, Copy)]
pub(super) struct FieldMatch {
    pub(super) length: u32,
    pub(super) distance: usize,
}

impl FieldMatch {
    /// What is outside of the text compares as zeros; so its distance is to be checked before it is taken.
    #[inline(always)]
    pub(super) fn at<S: Simd>(text: &Text, here: &[u8; WIDTH], at: usize, distance: usize) -> Self {
        let there = thirty_two(text, at.wrapping_sub(distance));
        Self { length: S::equal_half(here, there).trailing_ones(), distance }
    }

    /// Eight bits a byte, less those of the distance.
    #[inline(always)]
    fn worth(self) -> u32 {
        8 * self.length + (self.distance as u32).leading_zeros()
    }

    /// The better one.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.worth() > self.worth() { other } else { self }
    }
}

/// Where four bytes are remembered.
#[inline(always)]
pub(super) fn slot(four: u32) -> usize {
    (four.wrapping_mul(0x9e37_79b1) >> 19) as usize
}

/// How far back `place` is, or 1 if that is too far.
#[inline(always)]
fn near(at: usize, place: u32) -> usize {
    let distance = at.wrapping_sub(place as usize);
    if distance <= MAX_DISTANCE { distance } else { 1 }
}

/// The last two places of the same four bytes: the newer one in the low half.
pub(super) struct Places {
    table: Box<[u32; SLOTS]>,
}

impl Places {
    pub(super) fn new() -> Self {
        Self { table: Box::new([0; SLOTS]) }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
    }

    /// Adds a region. At each byte not yet copied four candidates are compared: the field of an earlier record, the last
    /// distance, and the last two places with the same four bytes.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, tokens: &mut Tokens, text: &Text, region: &Region) {
        let &Region { start, end, ref anchors, name, literal } = region;
        let cheap = literal <= CHEAP;
        // What a literal saves counts as so many bits more than the distance takes, of which there are 31 - its leading
        // zeros.
        let price = COPY + 31 + if cheap { COPY_CHEAP } else { 0 };
        // No byte is before the first.
        let (mut at, mut done) = (start.max(1), start);
        let (mut like, mut last) = (Like::new(anchors), 1);
        while at + 4 <= end {
            let like = like.at(at);
            let here = thirty_two(text, at);
            let slot = &mut self.table[slot(four(text, at))];
            let places = *slot;
            *slot = places << 16 | at as u32;
            let mut best = FieldMatch::at::<S>(text, here, at, like);
            if best.length < WIDTH as u32 {
                best = best.or(FieldMatch::at::<S>(text, here, at, last));
                best = best.or(FieldMatch::at::<S>(text, here, at, near(at, places & 0xffff)));
                best = best.or(FieldMatch::at::<S>(text, here, at, near(at, places >> 16)));
            }
            let FieldMatch { length, distance } = best;
            let saves = length * literal + (distance as u32).leading_zeros() >= price;
            if length < SHORTEST || !saves || distance > at {
                at += 1;
                // The digits of a name that are cheap are left at once.
                if cheap && at > name.0 && at + 1 < name.1 {
                    at = (name.1 - 1).min(end);
                }
                continue;
            }
            let mut length = length as usize;
            if length == WIDTH {
                let most = end.saturating_sub(at + WIDTH).min(MAX_LENGTH - WIDTH);
                length += common::<S>(text, at + WIDTH, at + WIDTH - distance, most);
            }
            let length = length.min(end - at);
            tokens.literals(text, done, at);
            tokens.copy(length, distance);
            last = distance;
            at += length;
            done = at;
        }
        tokens.literals(text, done, end.max(done));
    }
}
