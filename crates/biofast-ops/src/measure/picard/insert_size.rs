//! `CollectInsertSizeMetrics`: insert sizes by orientation, of the record of a pair that isn't the first read.

use biofast_bam::{Record, flag};
use serde::{Deserialize, Serialize};

use super::histogram::Bins;
use super::orientation::{self, ORIENTATIONS};
use crate::measure::reads::Lengths;

/// Orientations of fewer pairs than this share are left out.
const LEAST_SHARE: f64 = 0.05_f32 as f64;

/// Sizes beyond the median and so many median deviations count neither for the mean nor are they shown.
const DEVIATIONS: f64 = 10.0;

/// The shares of pairs for which Picard says in how wide a range around the median they lie.
pub(crate) const SHARES: [f64; 11] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/// Pairs by orientation and insert size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsertSizes([Lengths; ORIENTATIONS]);

/// What is said of an orientation.
#[derive(Clone, Debug)]
pub struct InsertSizeRow {
    /// `Orientation` as a number.
    pub orientation: usize,
    pub all: Bins,
    /// Without those far above the median.
    pub trimmed: Bins,
    /// The width that each of the `SHARES` takes.
    pub widths: [u64; SHARES.len()],
}

impl InsertSizes {
    /// Counts a record that is neither secondary nor supplementary.
    #[inline]
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        const NONE: u16 = flag::UNMAPPED | flag::MATE_UNMAPPED | flag::READ1 | flag::DUPLICATE;
        let (flags, size) = (record.flags(), record.template_len());
        if flags & (NONE | flag::PAIRED) == flag::PAIRED && size != 0 {
            self.0[orientation::of(record) as usize].add(u64::from(size.unsigned_abs()), 1);
        }
    }

    pub(crate) fn merge(&mut self, other: &InsertSizes) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// What is said of the orientations that have enough pairs; none if there are no pairs.
    pub fn rows(&self) -> Vec<InsertSizeRow> {
        let bins: Vec<Bins> = self.0.iter().map(Bins::from).collect();
        let total: f64 = bins.iter().map(Bins::count).sum();
        let all = bins.into_iter().enumerate();
        let enough = all.filter(|(_, bins)| total > 0.0 && bins.count() >= total * LEAST_SHARE);
        enough
            .map(|(orientation, all)| {
                let width = all.median() + DEVIATIONS * all.median_absolute_deviation();
                InsertSizeRow {
                    orientation,
                    trimmed: all.up_to(width.trunc()),
                    widths: widths(&all),
                    all,
                }
            })
            .collect()
    }
}

/// How wide a range around the median holds each of the [`SHARES`].
fn widths(all: &Bins) -> [u64; SHARES.len()] {
    let (median, count) = (all.median().trunc(), all.count());
    let mut distances: Vec<(f64, f64)> =
        all.iter().map(|(size, count)| ((size - median).abs(), count)).collect();
    distances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut widths, mut covered, mut next) = ([0; SHARES.len()], 0.0, 0);
    let mut distances = distances.into_iter().peekable();
    while let Some((distance, count_there)) = distances.next() {
        covered += count_there;
        if distances.peek().is_some_and(|(further, _)| *further == distance) {
            continue;
        }
        while next < SHARES.len() && covered / count >= SHARES[next] {
            widths[next] = 2 * distance as u64 + 1;
            next += 1;
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The widths as they are defined: ever wider ranges around the median.
    fn plain(sizes: &[u64], median: f64) -> [u64; SHARES.len()] {
        SHARES.map(|share| {
            let within = |k: u64| {
                let near = |size: &&u64| (**size as f64 - median.trunc()).abs() <= k as f64;
                sizes.iter().filter(near).count() as f64 / sizes.len() as f64
            };
            let k = (0..).find(|&k| within(k) >= share).unwrap_or(0);
            2 * k + 1
        })
    }

    #[test]
    fn widths_are_those_of_ever_wider_ranges() {
        let mut random = biofast_testkit::random::Random(3);
        for _ in 0..100 {
            let mut lengths = Lengths::default();
            let sizes: Vec<u64> =
                (0..1 + random.below(60)).map(|_| 1 + random.below_u64(90)).collect();
            sizes.iter().for_each(|&size| lengths.add(size, 1));
            let bins = Bins::from(&lengths);
            assert_eq!(widths(&bins), plain(&sizes, bins.median()), "{sizes:?}");
        }
    }
}
