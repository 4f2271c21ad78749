//! The exact distribution of read lengths, and the figures taken from it.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::measure::reads::measured::{MeasuredRead, SectionSchema, Statistic};
use crate::measure::reads::numbers::InvalidReport;
use crate::measure::reads::summary::Summary;

/// Lengths below this are counted in an array, longer ones in a map: short reads have few
/// different lengths, long ones are few.
const DENSE: usize = 1024;

/// The number of reads of each length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    dense: Box<[u64; DENSE]>,
    sparse: BTreeMap<u64, u64>,
}

impl Default for Lengths {
    fn default() -> Self {
        Lengths { dense: Box::new([0; DENSE]), sparse: BTreeMap::new() }
    }
}

impl Lengths {
    /// Counts `reads` reads of length `len`.
    #[inline]
    pub fn add(&mut self, len: u64, reads: u64) {
        match self.dense.get_mut(len as usize) {
            Some(count) => *count += reads,
            None => *self.sparse.entry(len).or_default() += reads,
        }
    }

    /// Adds another distribution.
    pub fn merge(&mut self, other: &Lengths) {
        for (len, reads) in other.iter() {
            self.add(len, reads);
        }
    }

    /// Lengths that occur and how many reads have them, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        let dense = self.dense.iter().enumerate().map(|(len, &n)| (len as u64, n));
        dense.filter(|&(_, n)| n > 0).chain(self.sparse.iter().map(|(&len, &n)| (len, n)))
    }

    /// Number of reads.
    pub fn reads(&self) -> u64 {
        self.iter().map(|(_, n)| n).sum()
    }

    /// Sum of lengths.
    pub fn sum(&self) -> u64 {
        self.iter().map(|(len, n)| len * n).sum()
    }

    /// The shortest length, 0 if there are no reads.
    pub fn min(&self) -> u64 {
        self.iter().next().map_or(0, |(len, _)| len)
    }

    /// The longest length, 0 if there are no reads.
    pub fn max(&self) -> u64 {
        self.iter().next_back().map_or(0, |(len, _)| len)
    }

    /// Quartiles as Tukey's hinges: the medians of the lower half, of all, and of the upper
    /// half, each half including the median when the number of reads is odd (as seqkit).
    /// Zeros if there are no reads.
    pub fn quartiles(&self) -> [f64; 3] {
        let n = self.reads();
        let half = n.div_ceil(2);
        [self.median_of(0, half), self.median_of(0, n), self.median_of(n - half, half)]
    }

    /// The median of the `count` reads from `first` on, in order of length.
    fn median_of(&self, first: u64, count: u64) -> f64 {
        if count == 0 {
            return 0.0;
        }
        let low = self.at_rank(first + (count - 1) / 2);
        let high = self.at_rank(first + count / 2);
        // Lengths are far below 2^53.
        (low + high) as f64 / 2.0
    }

    /// The length of read `rank` (from 0) in order of length.
    fn at_rank(&self, rank: u64) -> u64 {
        let mut seen = 0;
        for (len, n) in self.iter() {
            seen += n;
            if rank < seen {
                return len;
            }
        }
        0
    }

    /// Nx and Lx: reads of length Nx and longer hold at least `percent` percent of all bases,
    /// and Lx reads, taken from the longest on, are needed for that. `(0, 0)` without bases.
    pub fn nx(&self, percent: u64) -> (u64, u64) {
        let needed = u128::from(self.sum()) * u128::from(percent);
        let mut bases = 0u128;
        let mut reads = 0;
        for (len, n) in self.iter().rev().filter(|&(len, _)| len > 0) {
            let left = needed.saturating_sub(bases * 100).div_ceil(100);
            let with_all = bases + u128::from(len) * u128::from(n);
            if with_all * 100 >= needed {
                let some = left.div_ceil(u128::from(len)).max(1);
                return (len, reads + some as u64);
            }
            bases = with_all;
            reads += n;
        }
        (0, 0)
    }
}

/// As pairs of a length and how many reads have it, ascending.
impl Serialize for Lengths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Lengths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lengths, D::Error> {
        /// No sum of lengths is larger: that of 65,536 distributions fits into 64 bits.
        const MOST: u128 = 1 << 48;
        let pairs = Vec::<(u64, u64)>::deserialize(deserializer)?;
        let (mut lengths, mut sum, mut reads) = (Lengths::default(), 0, 0);
        for (place, &(len, n)) in pairs.iter().enumerate() {
            sum += u128::from(len) * u128::from(n);
            reads += u128::from(n);
            let ascends = place == 0 || pairs[place - 1].0 < len;
            if !ascends || n == 0 || sum > MOST || reads > MOST {
                return Err(D::Error::custom("lengths that can't be"));
            }
            lengths.add(len, n);
        }
        Ok(lengths)
    }
}

/// Read lengths, as reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Length {
    /// Shortest read.
    pub min: u64,
    /// Mean, to a tenth.
    pub mean: f64,
    /// Longest read.
    pub max: u64,
    /// First quartile, median, third quartile.
    pub quartiles: [f64; 3],
    /// N50.
    pub n50: u64,
    /// L50: how many of the longest reads hold half the bases.
    pub l50: u64,
    /// N90.
    pub n90: u64,
    /// L90.
    pub l90: u64,
    /// `[length, reads]`, ascending.
    pub histogram: Vec<(u64, u64)>,
}

impl Statistic for Lengths {
    type Section = Length;
    const SCHEMA: SectionSchema = SectionSchema::one("length", include_str!("lengths.json"));

    #[inline]
    fn add(&mut self, read: &MeasuredRead<'_>) {
        Lengths::add(self, read.len(), 1);
    }

    fn merge(&mut self, other: &Lengths) {
        Lengths::merge(self, other);
    }

    fn section(&self, s: &Summary) -> Length {
        Length {
            min: s.min_len,
            mean: s.mean_len_tenths as f64 / 10.0,
            max: s.max_len,
            quartiles: s.quartiles,
            n50: s.n50.0,
            l50: s.n50.1,
            n90: s.n90.0,
            l90: s.n90.1,
            histogram: self.iter().collect(),
        }
    }

    fn read_back(section: &Length) -> Result<Lengths, InvalidReport> {
        let mut lengths = Lengths::default();
        for &(len, reads) in &section.histogram {
            lengths.add(len, reads);
        }
        Ok(lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(lengths: &[u64]) -> Lengths {
        let mut result = Lengths::default();
        lengths.iter().for_each(|&len| result.add(len, 1));
        result
    }

    #[test]
    fn quartiles_are_hinges_that_share_the_median() {
        assert_eq!(of(&[1, 2, 3, 4, 5]).quartiles(), [2.0, 3.0, 4.0]);
        assert_eq!(of(&[1, 2, 3, 4]).quartiles(), [1.5, 2.5, 3.5]);
        assert_eq!(of(&[1, 2, 3, 4, 5, 6, 7]).quartiles(), [2.5, 4.0, 5.5]);
        assert_eq!(of(&[150; 7]).quartiles(), [150.0; 3]);
        assert_eq!(of(&[]).quartiles(), [0.0; 3]);
    }

    #[test]
    fn half_the_reads_of_equal_length_hold_half_the_bases() {
        let mut lengths = Lengths::default();
        lengths.add(150, 1_599_990);
        assert_eq!(lengths.nx(50), (150, 799_995));
    }

    proptest! {
        #[test]
        fn nx_agrees_with_its_definition(mut lens in prop::collection::vec(0u64..3000, 0..60)) {
            let lengths = of(&lens);
            lens.sort_unstable_by(|a, b| b.cmp(a));
            let total: u64 = lens.iter().sum();
            for percent in [50, 90] {
                let mut sum = 0;
                let mut expected = (0, 0);
                for (i, &len) in lens.iter().enumerate() {
                    sum += len;
                    if total > 0 && sum * 100 >= total * percent {
                        expected = (len, i as u64 + 1);
                        break;
                    }
                }
                prop_assert_eq!(lengths.nx(percent), expected);
            }
        }
    }
}
