//! Barcodes that belong to no sample.

use std::collections::HashMap;

use super::matcher::Matcher;

/// How often the barcodes of no sample were read, among the first [`LOOKED_AT`](super::LOOKED_AT) reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    counts: HashMap<Box<[u8]>, u64>,
}

impl Unknown {
    pub(super) fn add(&mut self, barcode: &[u8]) {
        match self.counts.get_mut(barcode) {
            Some(count) => *count += 1,
            None => drop(self.counts.insert(barcode.into(), 1)),
        }
    }

    pub(super) fn merge(&mut self, other: Unknown) {
        for (barcode, count) in other.counts {
            *self.counts.entry(barcode).or_default() += count;
        }
    }

    /// The most frequent ones.
    pub fn top(&self, number: usize) -> Vec<(String, u64)> {
        let mut all: Vec<(&[u8], u64)> =
            self.counts.iter().map(|(barcode, count)| (&**barcode, *count)).collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        all.truncate(number);
        all.into_iter()
            .map(|(barcode, count)| (String::from_utf8_lossy(barcode).into_owned(), count))
            .collect()
    }

    /// How many reads had such a barcode.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How many of them would belong to a sample if the `parts` of their barcodes, one of which is so many bases long each, that have a bit
    /// in `which` were turned to the other strand.
    pub(super) fn turned(&self, matcher: &Matcher, parts: &[usize], which: u32) -> u64 {
        let counts = self.counts.iter();
        counts
            .filter(|(barcode, _)| matcher.find(&Matcher::turned(barcode, parts, which)).is_some())
            .map(|(_, count)| count)
            .sum()
    }
}
