//! Lines of qualities: literals, runs of one score, and, with more effort, copies of earlier stretches.

use super::costs::Costs;
use super::simd::Simd;
use super::symbols::{MAX_DISTANCE, MAX_LENGTH};
use super::text::{Text, common, repeats, run, sixty_four, word};
use super::tokens::Tokens;

/// Slots of the table of earlier stretches.
const SLOTS: usize = 8192;
/// Bytes that two stretches must have in common to be found.
const HASHED: u32 = 8;
/// Sixteenths of a bit that a copy must save: each also makes the codes of others longer.
const MARGIN: u32 = 6 * 16;
const HASH: u64 = 0x9e37_79b9_7f4a_7c15;

/// Earlier stretches of qualities.
pub(super) struct Stretches {
    /// The last place of each hash, and more bits of the hash above.
    table: Box<[u32; SLOTS]>,
}

/// Adds the qualities `text[start..end]` as literals and runs.
#[inline(always)]
pub(super) fn add<S: Simd>(
    tokens: &mut Tokens,
    text: &Text,
    (start, end): (usize, usize),
    costs: &Costs,
) {
    let mut at = start;
    while at < end {
        let again = repeats::<S>(text, at);
        let n = match window(again, end - at) {
            0 => {
                let length = run(text, at, end);
                tokens.run(length);
                at += length;
                continue;
            }
            n => n,
        };
        add_window::<S>(tokens, text, at, (again, n), costs);
        at += n;
    }
}

/// How many of the next 64 bytes to take, given which `repeats` and how many are `left`: a run that may go on behind the
/// window waits for the next one. None if all is a run.
#[inline(always)]
fn window(repeats: u64, left: usize) -> usize {
    if left > 64 { 64 - repeats.leading_ones() as usize } else { left }
}

/// Those bytes of a window that are in runs of three or more like the one before.
#[inline(always)]
fn inside(repeats: u64) -> u64 {
    let threes = repeats & repeats >> 1 & repeats >> 2;
    threes | threes << 1 | threes << 2
}

/// Adds the first `n` bytes from `at` on.
#[inline(always)]
fn add_window<S: Simd>(
    tokens: &mut Tokens,
    text: &Text,
    at: usize,
    (again, n): (u64, usize),
    costs: &Costs,
) {
    if n == 0 {
        return;
    }
    let keep = u64::MAX >> (64 - n);
    let inside = inside(again & keep);
    if inside == 0 {
        return tokens.literals(text, at, at + n);
    }
    let Some(to) = tokens.room() else { return };
    let n = S::items(sixty_four(text, at), inside, keep, costs.shortest(), to);
    tokens.add_items(n);
}

impl Stretches {
    pub(super) fn new() -> Self {
        Self { table: Box::new([0; SLOTS]) }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
    }

    /// Adds a line with its runs, and with copies that begin where scores change (where they leave the most common one,
    /// if they are few) and are cheaper.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (costs, common_score): (&Costs, Option<u8>),
    ) {
        let mut at = start;
        while at < end {
            let again = repeats::<S>(text, at);
            let n = match window(again, end - at) {
                0 => {
                    let length = run(text, at, end);
                    tokens.run(length);
                    at += length;
                    continue;
                }
                n => n,
            };
            let keep = u64::MAX >> (64 - n);
            let mut changes = !again & keep;
            if let Some(score) = common_score {
                changes &= !S::equal(sixty_four(text, at), &[score; 64]);
            }
            let found = self.find::<S>(text, (at, end), (changes, again & keep), costs);
            let Some((place, length, distance)) = found else {
                add_window::<S>(tokens, text, at, (again, n), costs);
                at += n;
                continue;
            };
            add_window::<S>(tokens, text, at, (again, place - at), costs);
            tokens.copy(length, distance);
            at = place + length;
        }
    }

    /// Where in the 64 bytes from `at` on, at one of `places`, the first stretch begins that came before and is cheaper as
    /// copy; how long it is, and how far back.
    #[inline(always)]
    fn find<S: Simd>(
        &mut self,
        text: &Text,
        (at, end): (usize, usize),
        (mut places, again): (u64, u64),
        costs: &Costs,
    ) -> Option<(usize, usize, usize)> {
        while places != 0 {
            let i = places.trailing_zeros();
            let place = at + i as usize;
            places &= places - 1;
            let hash = (word(text, place) << (64 - 8 * HASHED)).wrapping_mul(HASH);
            // A tag beside the place saves looking at the text there.
            let tag = (hash >> 24) as u32 & 0xffff;
            let found = &mut self.table[(hash >> 51) as usize % SLOTS];
            let before = *found;
            *found = tag << 16 | place as u32;
            let earlier = before as usize & 0xffff;
            if before >> 16 == tag
                && earlier > 0
                && earlier < place
                && place - earlier <= MAX_DISTANCE
            {
                let length = common::<S>(text, place, earlier, (end - place).min(MAX_LENGTH));
                if length >= 4
                    && stretch(text, (place, length), (again, i), costs)
                        > costs.copy(length, place - earlier) + MARGIN
                {
                    return Some((place, length, place - earlier));
                }
            }
        }
        None
    }
}

/// What the `length` scores at `place` cost as literals and runs; `again` says from bit `i` on which repeat the one before.
#[inline(always)]
fn stretch(
    text: &Text,
    (place, length): (usize, usize),
    (again, i): (u64, u32),
    costs: &Costs,
) -> u32 {
    let (mut at, mut sum) = (0, 0);
    while at < length {
        let shift = i as usize + at;
        // Behind the window it is looked at anew.
        let n = match again.checked_shr(shift as u32) {
            Some(rest) if at > 0 => (rest.trailing_ones() as usize).min(length - at),
            None => run(text, place + at, place + length),
            _ => 0,
        };
        let score = text[place + at];
        if n >= usize::from(costs.shortest()[usize::from(score) % 128]) {
            sum += costs.run(n);
            at += n;
        } else {
            let n = n.max(1);
            sum += n as u32 * costs.of(score);
            at += n;
        }
    }
    sum
}
