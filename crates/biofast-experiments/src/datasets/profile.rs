//! Quality profiles: what a read's Phred scores look like, as integer tables built once per process.
//! `short.rs` and `long.rs` draw reads from them.
//!
//! A short read has a latent level (how well its cluster amplified). Level and cycle choose a distribution
//! of scores (a two-sided geometric around a mean that decays along the read); a score is often kept from
//! one cycle to the next, which gives the runs that real files have; reads may end in a tail of `#`.

use serde::{Deserialize, Serialize};

/// How qualities and lengths are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// 150 bases, about 40 distinct scores (Q2–Q41), decay along the read, `#` tails.
    Hiseq,
    /// 150 bases, the four scores 2, 12, 23 and 37.
    Novaseq,
    /// 1–100 kb, Q3–Q30, lognormal lengths.
    Nanopore,
}

impl Profile {
    /// The name used in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Hiseq => "hiseq",
            Profile::Novaseq => "novaseq",
            Profile::Nanopore => "nanopore",
        }
    }
}

/// Phred 2, the score of a base the sequencer gave up on.
pub(crate) const Q_BAD: u8 = 2;
/// Length of every short read.
pub(crate) const SHORT_LEN: usize = 150;

const LEVELS: usize = 8;
const CYCLES_PER_BUCKET: usize = 10;
const BUCKETS: usize = SHORT_LEN / CYCLES_PER_BUCKET;
const SLOTS: usize = 1024;

/// Probability of a wrong base at each score, in 1/2^32: 10^(-Q/10), at most 1/4 (Q2 is a flag, not an estimate).
pub(crate) const ERROR_RATE: [u32; 42] = {
    /// Of the scores 0 to 9; those of ten more are a tenth.
    const FIRST: [u64; 10] = [
        4_294_967_296, 3_411_613_790, 2_709_941_160, 2_152_582_778, 1_709_857_278, 1_358_187_913,
        1_078_847_007, 856_958_639, 680_706_443, 540_704_347,
    ];
    let mut rates = [1 << 30; 42];
    let mut q = 7;
    while q < 42 {
        let tenths = 10u64.pow(q as u32 / 10);
        rates[q] = ((FIRST[q % 10] + tenths / 2) / tenths) as u32;
        q += 1;
    }
    rates
};

/// Lengths of long reads at the quantiles 0/64, 1/64 … 64/64: lognormal, median 6 kb, sigma 0.9, cut to 1–100 kb.
pub(crate) const LONG_LENGTHS: [u64; 65] = [
    1000, 1000, 1122, 1327, 1508, 1674, 1832, 1983, 2130, 2275, 2417, 2559, 2700, 2841, 2983, 3125,
    3269, 3415, 3562, 3712, 3864, 4019, 4177, 4338, 4504, 4673, 4846, 5024, 5207, 5396, 5591, 5792,
    6000, 6215, 6438, 6670, 6912, 7164, 7427, 7703, 7992, 8296, 8617, 8956, 9315, 9697, 10104,
    10540, 11009, 11516, 12067, 12669, 13332, 14067, 14890, 15823, 16895, 18149, 19647, 21494,
    23866, 27115, 32079, 41689, 100_000,
];

/// The tables of a short-read profile.
pub(crate) struct ShortTables {
    /// `SLOTS` scores for each level and bucket of cycles; a uniform slot number draws one.
    slots: Vec<u8>,
    /// Latent score to printed score.
    binned: [u8; 64],
}

/// Which of 64 equally likely numbers falls on which level (0 is best).
const LEVEL_SHARES: [u8; LEVELS] = [20, 15, 10, 7, 5, 3, 2, 2];
/// In 1/256, the probability that a read of this level ends in a tail of `#`.
pub(crate) const TAIL_CHANCE: [u64; LEVELS] = [2, 4, 8, 16, 32, 64, 110, 160];
/// In 1/256, the probability that a score is that of the cycle before.
const KEEP_CHANCE: u64 = 184;

impl ShortTables {
    /// Builds the tables of `profile` (integer arithmetic only).
    pub(crate) fn new(profile: Profile) -> Self {
        let mut slots = vec![0u8; LEVELS * BUCKETS * SLOTS];
        for (i, table) in slots.chunks_exact_mut(SLOTS).enumerate() {
            fill_slots(i / BUCKETS, i % BUCKETS, table);
        }
        let mut binned = [0u8; 64];
        for (q, to) in binned.iter_mut().enumerate() {
            *to = match (profile, q) {
                (Profile::Novaseq, 0..=2) => 2,
                (Profile::Novaseq, 3..=17) => 12,
                (Profile::Novaseq, 18..=29) => 23,
                (Profile::Novaseq, _) => 37,
                _ => q as u8,
            };
        }
        ShortTables { slots, binned }
    }

    /// The level that one of 64 equally likely numbers stands for.
    pub(crate) fn level(&self, number: u64) -> usize {
        let mut left = (number & 63) as u8;
        for (level, &share) in LEVEL_SHARES.iter().enumerate() {
            if left < share {
                return level;
            }
            left -= share;
        }
        LEVELS - 1
    }

    /// The scores that a read of `level` draws from at `cycle`; those of the last cycle stand for later ones.
    #[inline]
    fn slots(&self, level: usize, cycle: usize) -> &[u8; SLOTS] {
        let bucket = (cycle / CYCLES_PER_BUCKET).min(BUCKETS - 1);
        let at = (level * BUCKETS + bucket) * SLOTS;
        self.slots[at..].first_chunk().expect("a table holds SLOTS scores")
    }

    /// The latent score of a cycle: that of the cycle before, or one of this cycle's table.
    #[inline]
    pub(crate) fn next_score(&self, level: usize, cycle: usize, before: u8, r: u64) -> u8 {
        let drawn = self.slots(level, cycle)[(r >> 32 & SLOT_MASK) as usize];
        if cycle > 0 && r >> 42 & 255 < KEEP_CHANCE { before } else { drawn }
    }

    #[inline]
    pub(crate) fn printed(&self, latent: u8) -> u8 {
        self.binned[usize::from(latent & 63)]
    }
}

/// Number of bits in a slot number.
const SLOT_MASK: u64 = SLOTS as u64 - 1;

/// Spreads `SLOTS` slots over the scores 2–41 in proportion to a two-sided geometric around the mean.
fn fill_slots(level: usize, bucket: usize, table: &mut [u8]) {
    let (level, bucket) = (level as u64, bucket as u64);
    // The mean, in 1/16 of a Phred unit: falls with the level, and with the square of the cycle; the first
    // cycles are a little lower, as the base caller knows less about them.
    let decay = bucket * bucket * (1 + 2 * level) * 16 / (14 * 14);
    let start = if bucket == 0 { 48 } else { 0 };
    let mean = 16 * 41 - level * 20 - decay - start;
    // Ratio of neighbouring weights, in 1/256, below and above the mean.
    let below = 56 + level * 20 + bucket * 3;
    let above = 36 + level * 20 + bucket * 3;
    let mut weights = [0u64; 42];
    for (q, weight) in weights.iter_mut().enumerate().skip(usize::from(Q_BAD)) {
        let (distance, ratio) = match (q as u64 * 16).checked_sub(mean) {
            Some(d) => (d / 16, above),
            None => ((mean - q as u64 * 16) / 16, below),
        };
        let mut w = 1u64 << 24;
        for _ in 0..distance {
            w = w * ratio / 256;
        }
        *weight = w + (1 << 14);
    }
    let total: u64 = weights.iter().sum();
    let (mut cumulative, mut at) = (0u64, 0usize);
    for (q, weight) in weights.iter().enumerate() {
        cumulative += weight;
        let end = (cumulative * SLOTS as u64 / total) as usize;
        table[at..end].fill(q as u8);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_shares_make_64() {
        assert_eq!(LEVEL_SHARES.iter().map(|&s| u32::from(s)).sum::<u32>(), 64);
    }
}
