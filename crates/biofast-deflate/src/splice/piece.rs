//! A few bytes of text, written anew in place of a literal or a match.

use std::ops::Range;

use super::codes::{Bits, SpliceCodes};
use crate::encode::bits::{BitWriter, Out};
use crate::encode::symbols::MAX_DISTANCE;

/// The shortest match.
const SHORTEST: usize = 3;

/// Up to this length, literals may take fewer bits than a match.
const DOUBTFUL: usize = 6;

/// Where the last changes were: their surroundings often come again.
#[derive(Clone, Copy, Default)]
pub(super) struct Recent {
    at: [usize; 8],
    count: usize,
}

impl Recent {
    pub(super) fn push(&mut self, at: usize) {
        self.at[self.count % self.at.len()] = at;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.at.iter().copied().take(self.count)
    }
}

/// See above.
pub(super) struct Piece<'a> {
    /// The changed text.
    pub(super) text: &'a [u8],
    pub(super) range: Range<usize>,
    /// The old match's distance.
    pub(super) distance: Option<usize>,
    /// Which bytes it can't be used for, in order.
    pub(super) wrong: &'a [usize],
    pub(super) recent: Recent,
}

impl Piece<'_> {
    /// Writes it. False, after a part of it, if something has no code.
    pub(super) fn put(&self, codes: &SpliceCodes, bits: &mut BitWriter, out: &mut Out) -> bool {
        let Range { start: mut at, end } = self.range;
        let mut wrong = self.wrong.iter().copied().peekable();
        while at < end {
            while wrong.next_if(|&wrong| wrong < at).is_some() {}
            let until = wrong.peek().map_or(end, |&wrong| wrong.min(end));
            let again = self.distance.and_then(|distance| longest(codes, until - at, distance));
            if let Some((length, (code, n))) = again {
                let literals = self.literals(codes, at, length);
                if length > DOUBTFUL || literals.is_none_or(|literals| literals > n) {
                    bits.put_flushed(code, n, out);
                    at += length;
                    continue;
                }
            }
            if let Some((code, n)) = codes.literal(self.text[at]) {
                bits.put_flushed(code, n, out);
                at += 1;
            } else if let Some((length, (code, n))) = self.borrow(codes, at, until) {
                bits.put_flushed(code, n, out);
                at += length;
            } else {
                return false;
            }
        }
        true
    }

    /// How many bits so many literals have, if all have codes.
    fn literals(&self, codes: &SpliceCodes, at: usize, length: usize) -> Option<u32> {
        let bytes = self.text.get(at..at + length.min(DOUBTFUL))?;
        bytes.iter().map(|&byte| codes.literal(byte).map(|(_, n)| n)).sum()
    }

    /// A match from around a recent change, as that at `wrong` may look.
    fn borrow(&self, codes: &SpliceCodes, at: usize, wrong: usize) -> Option<(usize, Bits)> {
        let before = if wrong < self.range.end { wrong - at } else { 0 };
        let sources = self.recent.iter().filter_map(|change| change.checked_sub(before));
        let mut best = None;
        for source in sources.filter(|&source| source < at && at - source <= MAX_DISTANCE) {
            let bytes = self.text[at..self.range.end].iter().zip(&self.text[source..]);
            let same = bytes.take_while(|(a, b)| a == b).count();
            let found = longest(codes, same, at - source);
            best = match (best, found) {
                (Some((length, _)), Some((longer, _))) if longer <= length => best,
                (_, Some(_)) => found,
                (_, None) => best,
            };
        }
        best
    }
}

/// The longest match up to `length` that has codes.
fn longest(codes: &SpliceCodes, length: usize, distance: usize) -> Option<(usize, Bits)> {
    if length < SHORTEST {
        return None;
    }
    let (far, far_bits) = codes.distance(distance)?;
    (SHORTEST..=length).rev().find_map(|length| {
        let (code, n) = codes.length(length)?;
        Some((length, (code | far << n, n + far_bits)))
    })
}
