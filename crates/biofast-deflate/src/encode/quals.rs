//! Lines of qualities: literals, runs of one score, and copies of earlier stretches where they are cheaper.

use super::costs::{Costs, threes};
use super::runs::Runs;
use super::simd::Simd;
use super::symbols::{MAX_DISTANCE, MAX_LENGTH};
use super::tokens::{MAX_TEXT, Text, Tokens, common, word};

/// Slots of the table of earlier stretches.
const SLOTS: usize = 8192;
/// Bytes that two stretches must have in common to be found.
const HASHED: usize = 8;
/// The same for stretches without runs: with five the stream of scores in dense runs has 0.5 % less, but takes 16 % longer.
const PLAIN: u32 = 7;
/// Scores behind a run that an earlier one must have, too, to be found by it.
const BEHIND: usize = 4;
/// Every so many misses in a row the search takes larger steps, up to four bytes.
const PATIENCE: u32 = 16;

/// Earlier stretches of qualities.
pub(super) struct Stretches {
    /// The last place of each hash.
    table: Box<[u16; SLOTS]>,
    /// The same for stretches without runs, with more bits of the hash above.
    plain: Box<[u32; SLOTS]>,
    /// What all scores of a line before each one cost as literals and runs.
    sums: Vec<u32>,
}

const HASH: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline(always)]
fn slot(stretch: u64) -> usize {
    (stretch.wrapping_mul(HASH) >> 51) as usize
}

impl Stretches {
    pub(super) fn new() -> Self {
        Self {
            table: Box::new([0; SLOTS]),
            plain: Box::new([0; SLOTS]),
            sums: vec![0; MAX_TEXT + 1],
        }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
        self.plain.fill(0);
    }

    /// Adds a line with its runs, and with copies of stretches that have none.
    #[inline(always)]
    pub(super) fn add_runs<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (runs, costs): (&Runs, &Costs),
    ) {
        let mut at = start;
        while at < end {
            let mut window = runs.window(at);
            let mut n = end - at;
            if n > 64 {
                // A run that may go on behind the window waits for the next one.
                n = 64 - window.leading_ones() as usize;
                if n == 0 {
                    let length = runs.length(at).min(end - at);
                    tokens.run(length);
                    at += length;
                    continue;
                }
            }
            let mut keep = u64::MAX >> (64 - n);
            window &= keep;
            let threes = threes(window);
            let inside = threes | threes << 1 | threes << 2;
            let found = self.find_plain(text, (at, end), keep & !inside, (runs, costs));
            if let Some((place, ..)) = found {
                n = place - at;
                keep &= (1 << n) - 1;
            }
            let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk::<64>) else { return };
            tokens.add_items(|to| S::items(bytes, inside & keep, keep, costs.shortest(), to));
            at += n;
            if let Some((_, length, distance)) = found {
                tokens.copy(length, distance);
                at += length;
            }
        }
    }

    /// Where in the 64 bytes from `at` on the first stretch of literals is that came before and is cheaper as copy, how long
    /// it is, and how far back. `literals` has bits for those bytes that are in no run.
    #[inline(always)]
    fn find_plain(
        &mut self,
        text: &Text,
        (at, end): (usize, usize),
        literals: u64,
        (runs, costs): (&Runs, &Costs),
    ) -> Option<(usize, usize, usize)> {
        let fours = literals & literals >> 1;
        let fours = fours & fours >> 2;
        let mut starts = fours & fours >> (PLAIN - 4);
        while starts != 0 {
            let place = at + starts.trailing_zeros() as usize;
            starts &= starts - 1;
            let key = word(text, place) << (64 - 8 * PLAIN);
            let hash = key.wrapping_mul(HASH);
            // A tag beside the place saves looking at the text there.
            let tag = (hash >> 32) as u32 & 0xffff;
            let found = &mut self.plain[(hash >> 51) as usize % SLOTS];
            let before = *found;
            *found = tag << 16 | place as u32;
            let earlier = before as usize & 0xffff;
            if before >> 16 == tag
                && earlier > 0
                && earlier < place
                && place - earlier <= MAX_DISTANCE
                && word(text, earlier) << (64 - 8 * PLAIN) == key
            {
                let length = common(text, place, earlier, (end - place).min(MAX_LENGTH));
                let now = costs.stretch(text, runs, place, place + length);
                if now > costs.copy(length, place - earlier) {
                    return Some((place, length, place - earlier));
                }
            }
        }
        None
    }

    /// Adds a line with its runs, and with copies that begin where runs begin.
    #[inline(always)]
    pub(super) fn add_at_runs(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (runs, costs): (&Runs, &Costs),
    ) {
        let mut done = start;
        let mut at = start + 1;
        while at + 2 < end {
            let window = runs.window(at);
            let threes = threes(window);
            if threes == 0 {
                at += 62;
                continue;
            }
            let skip = threes.trailing_zeros() as usize;
            let mut n = (window >> skip).trailing_ones() as usize;
            at += skip;
            if at >= end {
                break;
            }
            if skip + n == 64 {
                n = runs.length(at);
            }
            n = n.min(end - at);
            let score = text[at];
            let first = at - 1;
            if first >= done && at + n + BEHIND <= end {
                let key = word(text, at + n) << 32 | (n as u64) << 8 | u64::from(score);
                let found = &mut self.table[slot(key) % SLOTS];
                let earlier = usize::from(*found);
                *found = first as u16;
                if earlier > 0 && earlier < first && first - earlier <= MAX_DISTANCE {
                    let length = common(text, first, earlier, (end - first).min(MAX_LENGTH));
                    if length >= n + BEHIND {
                        let now = costs.stretch(text, runs, first, first + length);
                        if now > costs.copy(length, first - earlier) {
                            tokens.literals(text, done, first);
                            tokens.copy(length, first - earlier);
                            done = first + length;
                            at = done;
                            continue;
                        }
                    }
                }
            }
            if n >= costs.shortest_run(score) {
                tokens.literals(text, done, at);
                tokens.run(n);
                done = at + n;
            }
            at += n + 1;
        }
        tokens.literals(text, done, end);
    }

    /// Adds a line with its runs and with copies from earlier lines that are cheaper than literals.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (runs, costs): (&Runs, &Costs),
    ) {
        let Some(sums) = self.sums.get_mut(..=end - start) else { return };
        let mut sum = 0;
        let mut place = start;
        while place < end {
            let run = if runs.window(place) & 7 == 7 && place > start {
                runs.length(place).min(end - place)
            } else {
                0
            };
            if run >= costs.shortest_run(text[place]) {
                sums[place - start] = sum;
                sum += costs.run(run.min(MAX_LENGTH));
                sums[place - start + 1..place - start + run].fill(sum);
                place += run;
            } else {
                sums[place - start] = sum;
                sum += costs.literal(text[place]);
                place += 1;
            }
        }
        sums[end - start] = sum;
        let cost = |at: usize, n: usize| sums[at - start + n] - sums[at - start];
        let mut done = start;
        let mut at = start;
        let mut misses = 0u32;
        while at + HASHED <= end {
            let stretch = word(text, at);
            let found = &mut self.table[slot(stretch) % SLOTS];
            let earlier = usize::from(*found);
            *found = at as u16;

            let mut best = (0, 0, 0); // saved, length, distance
            if at > start && runs.window(at) & 7 == 7 {
                let n = runs.length(at).min(end - at);
                if n >= costs.shortest_run(text[at]) {
                    best = (1, n, 1);
                }
            }
            if earlier > 0 && earlier < at && at - earlier <= MAX_DISTANCE {
                let n = common(text, at, earlier, (end - at).min(MAX_LENGTH));
                if n >= HASHED && n > best.1 {
                    let saved = cost(at, n).saturating_sub(costs.copy(n, at - earlier));
                    if saved > 0 {
                        best = (saved, n, at - earlier);
                    }
                }
            }
            let (saved, n, distance) = best;
            if saved == 0 {
                at += 1 + (misses / PATIENCE).min(3) as usize;
                misses += 1;
                continue;
            }
            misses = 0;
            tokens.literals(text, done, at);
            if distance == 1 {
                tokens.run(n);
            } else {
                tokens.copy(n, distance);
            }
            for inside in (at + 1..(at + n).min(end.saturating_sub(HASHED))).step_by(2) {
                self.table[slot(word(text, inside)) % SLOTS] = inside as u16;
            }
            at += n;
            done = at;
        }
        tokens.literals(text, done, end);
    }
}
