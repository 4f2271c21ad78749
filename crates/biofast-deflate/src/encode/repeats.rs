//! Sequences that repeat each other within a block: amplicons, probes, adapters, duplicates, runs of one base. Looking for
//! them costs as much time as all else, so it is done as long as it finds much; whether there are any is seen in samples.

use super::simd::{MER_SLOTS, Simd, slot_and_tag};
use super::symbols::{MAX_DISTANCE, MAX_LENGTH};
use super::text::{Text, common, sixty_four};
use super::tokens::Tokens;

/// The shortest copy: 14 bases take as many bits as a far copy.
const SHORTEST: usize = 14;
/// Bases in a 12-mer.
const MER: usize = 12;
/// The longest line that is searched.
const LINE: usize = 1024;
/// Bases after which the search is judged; more if samples began it, as its table has to fill first.
const TRIAL: usize = 1200;
const SAMPLED_TRIAL: usize = 8 * TRIAL;
/// It goes on if copies cover one base in so many.
const WORTH: usize = 10;

/// Slots of the table of sampled 12-mers.
const SAMPLED: usize = 512;
/// Lines after which a sample is judged.
const LINES: u32 = 32;
/// A search begins if one 12-mer in so many came again, or one line in so many has a run or a short period.
const AGAIN: u32 = 7;
const PERIODIC: u32 = 6;

/// Finds copies in lines of bases.
pub(super) struct Repeats {
    /// The last place of each 12-mer that began at a fourth base of its line, below its tag: exact.
    table: Box<[u32; MER_SLOTS]>,
    packed: Box<[u8; LINE / 4 + 64]>,
    /// Whether lines are searched.
    on: bool,
    /// Bases searched since the last judgement, and those of them in copies.
    searched: usize,
    covered: usize,
    /// How many bases there are to be.
    trial: usize,
    /// The last sampled 12-mer of each slot.
    sampled: Box<[u32; SAMPLED]>,
    /// How many there were, and how many came again.
    seen: u32,
    again: u32,
    lines: u32,
    periodic: u32,
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self {
            table: Box::new([0; MER_SLOTS]),
            packed: Box::new([0; LINE / 4 + 64]),
            on: false,
            searched: 0,
            covered: 0,
            trial: TRIAL,
            sampled: Box::new([0; SAMPLED]),
            seen: 0,
            again: 0,
            lines: 0,
            periodic: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
        self.on = true;
        (self.searched, self.covered, self.trial) = (0, 0, TRIAL);
        self.sampled.fill(0);
        (self.seen, self.again, self.lines, self.periodic) = (0, 0, 0, 0);
    }

    /// Adds the bases `text[start..end]`.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        start: usize,
        end: usize,
    ) {
        if !self.on || end - start > LINE {
            let first = tokens.quads_used;
            tokens.bases::<S>(text, start, end);
            return self.sample::<S>(tokens.quads_from(first), tokens.quads_used - first);
        }
        self.covered += self.search::<S>(tokens, text, start, end);
        self.searched += end - start;
        if self.searched >= self.trial {
            self.on = self.covered * WORTH >= self.searched;
            (self.searched, self.covered, self.trial) = (0, 0, TRIAL);
        }
    }

    /// Looks at a line that was added without a search, `n` groups of `packed`: whether one would find much. Tags, probes
    /// and amplicons are at the same place in each read, so three places are looked at.
    #[inline(always)]
    fn sample<S: Simd>(&mut self, packed: &[u8], n: usize) {
        let next = packed.get(1..).and_then(<[u8]>::first_chunk);
        let (Some(groups), Some(next)) = (packed.first_chunk(), next) else { return };
        for at in [2, n / 2 + 1, n.wrapping_sub(4)] {
            if at.saturating_add(3) <= n
                && let Some(&[a, b, c]) = packed.get(at..).and_then(<[u8]>::first_chunk)
            {
                let mer = u32::from_be_bytes([1, a, b, c]);
                let slot =
                    &mut self.sampled[(mer.wrapping_mul(0x9e37_79b1) >> 23) as usize % SAMPLED];
                self.seen += 1;
                self.again += u32::from(*slot == mer);
                *slot = mer;
            }
        }
        let inside = (1u64 << n.saturating_sub(1).min(63)) - 1;
        let same = S::equal(groups, next) & inside;
        self.periodic += u32::from(same & same >> 1 & same >> 2 != 0);
        self.lines += 1;
        if self.lines >= LINES {
            let again = self.again > 0 && self.again * AGAIN >= self.seen;
            if again || self.periodic * PERIODIC >= self.lines {
                self.on = true;
                (self.searched, self.covered, self.trial) = (0, 0, SAMPLED_TRIAL);
            }
            (self.seen, self.again, self.lines, self.periodic) = (0, 0, 0, 0);
        }
    }

    /// Adds bases with copies, and says how many of them are in copies.
    #[inline(always)]
    fn search<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        start: usize,
        end: usize,
    ) -> usize {
        let n = end - start;
        // Of other letters two bits tell as much as they do of bases: what is found is compared.
        for at in (0..n).step_by(64) {
            let (packed, _) = S::pack(sixty_four(text, start + at));
            if let Some(to) = self.packed.get_mut(at / 4..).and_then(<[u8]>::first_chunk_mut) {
                *to = packed;
            }
        }
        let (mut done, mut covered) = (start, 0);
        let mut first = 0;
        while first + 16 <= n {
            let eight = self.packed.get(first / 4..).and_then(<[u8]>::first_chunk);
            // Sixteen of them: 12-mers at the first, the next ones and the fifth are looked at.
            let bases = eight.map_or(0, |eight| u64::from_be_bytes(*eight) >> 32) as u32;
            let place = start + first;
            first += 8;
            // Four neighbouring 12-mers: one of them began at a fourth base if the sequence came before.
            let hit = S::mers_seen(&self.table, bases);
            let i = hit.trailing_zeros();
            let mut earlier = 0;
            if hit != 0 {
                let (slot, _) = slot_and_tag(bases >> (8 - 2 * i));
                earlier = (self.table[slot] & 0xffff) as usize;
            }
            for (mer, place) in [(bases >> 8, place), (bases, place + 4)] {
                let (slot, tag) = slot_and_tag(mer);
                self.table[slot] = tag << 16 | place as u32;
            }
            if hit == 0 || place < done {
                continue;
            }
            let place = place + i as usize;
            if earlier == 0 || earlier >= place || place - earlier > MAX_DISTANCE || place > end {
                continue;
            }
            let ahead = common::<S>(text, place, earlier, (end - place).min(MAX_LENGTH - 32));
            // Not across what is done, nor before the text.
            let most = (place - done).min(earlier).min(32);
            let back = (1..=most).take_while(|i| text[place - i] == text[earlier - i]).count();
            if ahead >= MER && ahead + back >= SHORTEST {
                if place - back > done {
                    tokens.bases::<S>(text, done, place - back);
                }
                tokens.copy(ahead + back, place - earlier);
                done = place + ahead;
                covered += ahead + back;
            }
        }
        if done < end {
            tokens.bases::<S>(text, done, end);
        }
        covered
    }
}
