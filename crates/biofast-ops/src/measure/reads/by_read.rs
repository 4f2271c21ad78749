//! What FastQC counts of whole reads and [`Collector`](super::Collector) counts otherwise: gathered only
//! where its report is wanted.

use std::collections::BTreeMap;

use biofast_kernels::{PHRED_VALUES, count_gc, sum_qualities};

use super::numbers::InvalidReport;

/// 1 as an integer share: shares are added up exactly, in any order.
const ONE: u64 = 1_000_000_000;

/// Reads by arithmetic mean of their Phred values, and by GC percent.
///
/// A read has one of few GC percents: of 30 bases, 31. So that a histogram of 101 has no comb of gaps, a
/// read with `g` G and C counts in shares for all percents from `g - 0.5` to `g + 0.5` bases, as FastQC
/// does it, and as there reads are first cut to 100, 200, … or 1,000, 2,000, … bases.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct ByRead {
    /// Reads by arithmetic mean quality, rounded down.
    pub mean_quality: [u64; PHRED_VALUES],
    /// Shares of reads by GC percent, in units of 1/[`ONE`].
    gc: [u128; 101],
    /// For each length that occurred the share a read has in each percent.
    shares: BTreeMap<usize, Shares>,
}

type Shares = [u64; 101];

impl Default for ByRead {
    fn default() -> Self {
        ByRead { mean_quality: [0; PHRED_VALUES], gc: [0; 101], shares: BTreeMap::new() }
    }
}

impl ByRead {
    /// Adds reads with their qualities, which may be missing.
    pub(crate) fn add(&mut self, sequences: &[&[u8]], qualities: &[&[u8]]) {
        for (sequence, quality) in sequences.iter().zip(qualities) {
            if let Some(mean) = sum_qualities(quality).checked_div(quality.len() as u64) {
                self.mean_quality[mean as usize] += 1;
            }
            let sequence = cut(sequence);
            if !sequence.is_empty() {
                let shares =
                    self.shares.entry(sequence.len()).or_insert_with(|| shares(sequence.len()));
                for percent in percents(count_gc(sequence) as usize, sequence.len()) {
                    self.gc[percent] += u128::from(shares[percent]);
                }
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &ByRead) {
        let ByRead { mean_quality, gc, shares } = other;
        self.mean_quality.iter_mut().zip(mean_quality).for_each(|(a, b)| *a += b);
        self.gc.iter_mut().zip(gc).for_each(|(a, b)| *a += b);
        // The shares of a length are always the same.
        self.shares.extend(shares);
    }

    /// Shares of reads by GC percent, in billionths.
    pub(super) fn gc_billionths(&self) -> Vec<u64> {
        // 64 bits hold the shares of 18 billion reads in each percent.
        self.gc.iter().map(|&shares| u64::try_from(shares).unwrap_or(u64::MAX)).collect()
    }

    /// The counts, read back.
    pub(super) fn read_back(
        mean_quality: [u64; PHRED_VALUES],
        gc_billionths: &[u64],
    ) -> Result<ByRead, InvalidReport> {
        let gc = <[u64; 101]>::try_from(gc_billionths)
            .map_err(|_| InvalidReport::Inconsistent("GC of other than 101 percents"))?;
        Ok(ByRead { mean_quality, gc: gc.map(u128::from), shares: BTreeMap::new() })
    }

    /// Reads by GC percent.
    #[doc(hidden)]
    pub fn gc(&self) -> [f64; 101] {
        self.gc.map(|shares| shares as f64 / ONE as f64)
    }
}

/// The part of a read that counts.
fn cut(sequence: &[u8]) -> &[u8] {
    let len = sequence.len();
    let len = match len {
        0..=100 => len,
        101..=1000 => len - len % 100,
        _ => len - len % 1000,
    };
    &sequence[..len]
}

/// The percents that `gc` of `len` bases stand for.
fn percents(gc: usize, len: usize) -> std::ops::RangeInclusive<usize> {
    // In half bases, to stay with integers; halves are rounded up.
    let percent = |halves: usize| (100 * halves + len) / (2 * len);
    percent((2 * gc).saturating_sub(1))..=percent((2 * gc + 1).min(2 * len))
}

/// The share in each percent: one by the number of GC counts that stand for it.
fn shares(len: usize) -> Shares {
    let mut claims = [0u64; 101];
    for gc in 0..=len {
        percents(gc, len).for_each(|percent| claims[percent] += 1);
    }
    claims.map(|claims| (2 * ONE + claims) / (2 * claims.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gc_count_of_a_length_once_gives_one_in_each_percent() {
        for len in [100, 200, 1000, 3000] {
            let mut counts = ByRead::default();
            for gc in 0..=len {
                let read: Vec<u8> = (0..len).map(|i| if i < gc { b'G' } else { b'A' }).collect();
                counts.add(&[&read], &[&[]]);
            }
            for (percent, count) in counts.gc().into_iter().enumerate() {
                assert!((count - 1.0).abs() < 1e-6, "{len} {percent} {count}");
            }
        }
    }

    #[test]
    fn reads_are_cut_and_mean_qualities_rounded_down() {
        assert_eq!([99, 150, 999, 2500].map(|n| cut(&vec![b'A'; n]).len()), [99, 100, 900, 2000]);
        let mut counts = ByRead::default();
        counts.add(&[b"ACG", b""], &[b"IIH", b""]);
        assert_eq!(counts.mean_quality[39], 1);
        assert_eq!(counts.mean_quality.iter().sum::<u64>(), 1);
    }
}
