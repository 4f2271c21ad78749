//! Pairs of known indexes that belong to no sample together: reads whose index hopped.

use super::matcher::{MatchRules, Matcher};
use super::sheet::Sample;

/// The first and second indexes of samples, and which pairs of them are samples.
///
/// ```
/// use biofast_ops::demux::{IndexPairs, MatchRules, Sample};
///
/// let samples = [Sample::new("a", "AACC+GGTT"), Sample::new("b", "TTGG+CATC")];
/// let pairs = IndexPairs::new(&samples, &[4, 4], MatchRules::default()).expect("dual indexes");
/// // One base of the second index was read wrongly.
/// assert_eq!(pairs.find(b"AACCCATG"), Some((0, 1)));
/// assert_eq!((pairs.sample(0, 1), pairs.sample(1, 1)), (None, Some(1)));
/// ```
#[derive(Debug)]
pub struct IndexPairs {
    indexes: [Vec<String>; 2],
    matchers: [Matcher; 2],
    /// Bases of the first index.
    len: usize,
    /// For each first index and each second one the sample.
    samples: Vec<Option<usize>>,
}

impl IndexPairs {
    /// Of these samples, whose barcodes have `parts` of so many bases. `None` unless these are two.
    ///
    /// An index is known if it is the only one with the fewest mismatches to what was read, and these are at most those allowed of a
    /// barcode.
    pub fn new(samples: &[Sample], parts: &[usize], rules: MatchRules) -> Option<IndexPairs> {
        let &[len, second] = parts else { return None };
        if len == 0 || second == 0 || samples.iter().any(|s| s.barcode.len() != len + second) {
            return None;
        }
        let mut indexes = [Vec::new(), Vec::new()];
        let mut number = |which: usize, index: &str| {
            let known: &mut Vec<String> = &mut indexes[which];
            known.iter().position(|other| other == index).unwrap_or_else(|| {
                known.push(index.to_owned());
                known.len() - 1
            })
        };
        let pairs: Vec<(usize, usize)> = samples
            .iter()
            .map(|sample| {
                let (first, second) = sample.barcode.split_at(len);
                (number(0, first), number(1, second))
            })
            .collect();
        let rules = rules.with_min_delta(1);
        let [firsts, seconds] = &indexes;
        let matchers = [Matcher::of_indexes(firsts, rules)?, Matcher::of_indexes(seconds, rules)?];
        let mut of_pairs = vec![None; firsts.len() * seconds.len()];
        for (sample, (first, second)) in pairs.into_iter().enumerate() {
            of_pairs[first * seconds.len() + second] = Some(sample);
        }
        Some(IndexPairs { indexes, matchers, len, samples: of_pairs })
    }

    /// The different first indexes in the order of samples.
    pub fn firsts(&self) -> &[String] {
        &self.indexes[0]
    }

    /// The different second indexes in the order of samples.
    pub fn seconds(&self) -> &[String] {
        &self.indexes[1]
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// The sample of two indexes, by their numbers.
    pub fn sample(&self, first: usize, second: usize) -> Option<usize> {
        self.samples[self.number(first, second)]
    }

    /// Which of the counts of pairs is that of two indexes.
    pub fn number(&self, first: usize, second: usize) -> usize {
        first * self.seconds().len() + second
    }

    /// The indexes of a barcode, if both are known.
    pub fn find(&self, barcode: &[u8]) -> Option<(usize, usize)> {
        let (first, second) = barcode.split_at_checked(self.len)?;
        Some((self.matchers[0].find(first)?, self.matchers[1].find(second)?))
    }
}
