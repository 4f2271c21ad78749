//! How many reads or pairs are copies of others.

use std::collections::HashMap;

use biofast_fastq::Record;

/// So many different sequences are counted.
const MOST: usize = 1 << 18;

/// Counts reads or pairs whose bases all occurred before. Counts are exact up to 262,144 different sequences. Beyond
/// that, a sample of half as many to as many sequences is counted, chosen by a hash of their bases.
///
/// Counts depend neither on the order of reads nor on how they are split among workers.
#[derive(Clone, Debug, Default)]
pub struct FastpDuplicates {
    /// How often each of the sequences counted came, by their hashes.
    counts: HashMap<u64, u64, Identity>,
    /// Hashes are counted whose last bits, so many, are 0.
    bits: u32,
}

/// A hash is its own hash.
#[derive(Clone, Copy, Debug, Default)]
struct Identity;

impl std::hash::BuildHasher for Identity {
    type Hasher = Hash;

    fn build_hasher(&self) -> Hash {
        Hash(0)
    }
}

struct Hash(u64);

impl std::hash::Hasher for Hash {
    fn finish(&self) -> u64 {
        // The map goes by the first and the last bits, and the last ones are all 0.
        self.0.rotate_right(24)
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Of bases and of their number, in eights.
fn hash(seed: u64, bases: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word.wrapping_mul(FACTOR)) * u128::from(FACTOR | 1 << 40);
        product as u64 ^ (product >> 64) as u64
    };
    let (words, rest) = bases.as_chunks::<8>();
    let mut state = mix(seed, bases.len() as u64 + 1);
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = mix(state, u64::from_le_bytes(last));
    let state = (state ^ state >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (state ^ state >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ state >> 29
}

impl FastpDuplicates {
    /// Adds a read or a pair, as it came in.
    pub fn add(&mut self, first: &Record<'_>, second: Option<&Record<'_>>) {
        let of_first = hash(0x51ed_270b_a1f3_8e9d, first.sequence());
        let hash = second.map_or(of_first, |second| hash(of_first, second.sequence()));
        self.count(hash, 1);
    }

    fn count(&mut self, hash: u64, times: u64) {
        if hash & ((1 << self.bits) - 1) == 0 {
            *self.counts.entry(hash).or_default() += times;
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        while self.counts.len() > MOST {
            self.bits += 1;
            let wanted = (1u64 << self.bits) - 1;
            self.counts.retain(|hash, _| hash & wanted == 0);
        }
    }

    /// Adds what another part counted.
    pub fn merge(&mut self, other: &FastpDuplicates) {
        if self.bits < other.bits {
            self.bits = other.bits;
            let wanted = (1u64 << self.bits) - 1;
            self.counts.retain(|hash, _| hash & wanted == 0);
        }
        for (&hash, &times) in &other.counts {
            self.count(hash, times);
        }
    }

    /// The share of reads (or pairs) that are copies of others, the first one of each kind not counted.
    pub fn rate(&self) -> f64 {
        let all: u64 = self.counts.values().sum();
        if all == 0 { 0.0 } else { (all - self.counts.len() as u64) as f64 / all as f64 }
    }

    /// Whether all sequences were counted.
    pub fn is_exact(&self) -> bool {
        self.bits == 0
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

    use super::*;

    #[test]
    fn samples_are_the_same_however_reads_are_shared_and_near_the_truth() {
        let mut random = Random(7);
        let n = 600_000;
        let reads: Vec<[u8; 16]> = (0..n)
            .map(|_| {
                (random.below(400_000) as u128)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c)
                    .to_le_bytes()
            })
            .collect();
        let different = reads.iter().collect::<std::collections::HashSet<_>>().len();
        let mut rates = Vec::new();
        for workers in [1, 3] {
            let mut parts = vec![FastpDuplicates::default(); workers];
            for (i, read) in reads.iter().enumerate() {
                parts[i * 7 % workers].add(&Record::new(b"r", read, &[b'I'; 16]), None);
            }
            let mut all = FastpDuplicates::default();
            parts.iter().rev().for_each(|part| all.merge(part));
            assert!(
                !all.is_exact() && all.counts.len() <= MOST && all.counts.len() > MOST / 2 - 5000
            );
            rates.push(all.rate());
        }
        assert!(rates.windows(2).all(|two| two[0].to_bits() == two[1].to_bits()), "{rates:?}");
        let truth = (n - different) as f64 / n as f64;
        assert!((rates[0] - truth).abs() < 0.01, "{rates:?} {truth}");
    }
}
