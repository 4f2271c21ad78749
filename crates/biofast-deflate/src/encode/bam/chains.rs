//! The search of fields with more effort: every place is remembered, several of the same four bytes are compared, and a
//! copy waits for a better one that begins a byte later.

use crate::encode::simd::Simd;
use crate::encode::symbols::{MAX_DISTANCE, MAX_LENGTH};
use crate::encode::text::{MAX_TEXT, Text, common, thirty_two};
use crate::encode::tokens::Tokens;

use super::fields::{COPY, FieldMatch, Like, Region, SHORTEST, SLOTS, WIDTH, slot};
use super::records::four;

/// Places of the same four bytes that are compared.
const DEPTH: usize = 6;

/// All places by the four bytes there.
pub(super) struct Chains {
    /// The last place of each hash; 0 is none.
    last: Box<[u16; SLOTS]>,
    /// The place of the same hash before each.
    before: Box<[u16; MAX_TEXT]>,
}

impl Chains {
    pub(super) fn new() -> Self {
        Self { last: Box::new([0; SLOTS]), before: Box::new([0; MAX_TEXT]) }
    }

    pub(super) fn clear(&mut self) {
        self.last.fill(0);
    }

    /// Remembers the place `at`, and returns the last one of the same hash before it.
    #[inline(always)]
    fn insert(&mut self, text: &Text, at: usize) -> u16 {
        let last = &mut self.last[slot(four(text, at))];
        let before = *last;
        *last = at as u16;
        self.before[at % MAX_TEXT] = before;
        before
    }

    /// The best copy at `at`, which is remembered; of those that begin at the distances `near` or where the same four bytes
    /// are.
    #[inline(always)]
    fn best<S: Simd>(
        &mut self,
        text: &Text,
        (at, end): (usize, usize),
        near: [usize; 2],
        literal: u32,
    ) -> (u32, FieldMatch) {
        let mut place = usize::from(self.insert(text, at));
        let here = thirty_two(text, at);
        let mut best = (0, FieldMatch { length: 0, distance: 1 });
        let most = (end - at).min(MAX_LENGTH);
        let mut compare = |distance: usize| {
            let mut found = FieldMatch::at::<S>(text, here, at, distance);
            if distance > at {
                return false;
            }
            if found.length == WIDTH as u32 && most > WIDTH {
                let more = common::<S>(text, at + WIDTH, at + WIDTH - distance, most - WIDTH);
                found.length += more as u32;
            }
            found.length = found.length.min(most as u32);
            let worth = found.length * literal + (distance as u32).leading_zeros();
            if worth > best.0 && found.length >= SHORTEST {
                best = (worth, found);
            }
            found.length as usize == most
        };
        if compare(near[0]) || near[1] != near[0] && compare(near[1]) {
            return best;
        }
        for _ in 0..DEPTH {
            if place == 0 || at - place > MAX_DISTANCE || compare(at - place) {
                break;
            }
            place = usize::from(self.before[place]);
        }
        best
    }

    /// Adds a region.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, tokens: &mut Tokens, text: &Text, region: &Region) {
        let &Region { start, end, ref anchors, literal, .. } = region;
        let price = COPY + 31;
        // No byte is before the first.
        let (mut at, mut done) = (start.max(1), start);
        let (mut like, mut last) = (Like::new(anchors), 1);
        let mut waiting: Option<FieldMatch> = None;
        let mut worth = price;
        while at + 4 <= end {
            let near = [like.at(at), last];
            let (found_worth, found) = self.best::<S>(text, (at, end), near, literal);
            if found_worth > worth {
                // What is better begins here, or a byte later.
                (worth, waiting) = (found_worth, Some(found));
                at += 1;
                continue;
            }
            let Some(FieldMatch { length, distance }) = waiting.take() else {
                at += 1;
                continue;
            };
            worth = price;
            let (from, to) = (at - 1, at - 1 + length as usize);
            tokens.literals(text, done, from);
            tokens.copy(length as usize, distance);
            last = distance;
            for place in at + 1..to.min(end.saturating_sub(3)) {
                self.insert(text, place);
            }
            at = to;
            done = to;
        }
        if let Some(FieldMatch { length, distance }) = waiting {
            tokens.literals(text, done, at - 1);
            tokens.copy(length as usize, distance);
            done = at - 1 + length as usize;
        }
        tokens.literals(text, done, end.max(done));
    }
}
