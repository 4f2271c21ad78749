//! What htsjdk's `Histogram` says of its bins, in the same arithmetic.

use crate::measure::reads::Lengths;

/// Values that occur, ascending, and how often.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins(Vec<(f64, f64)>);

impl From<&Lengths> for Bins {
    fn from(lengths: &Lengths) -> Bins {
        Bins(lengths.iter().map(|(value, count)| (value as f64, count as f64)).collect())
    }
}

impl From<&[u64]> for Bins {
    /// Of how often 0, 1 and so on occur.
    fn from(counts: &[u64]) -> Bins {
        Bins((0u64..).zip(counts).map(|(value, &count)| (value as f64, count as f64)).collect())
    }
}

impl Bins {
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.0.iter().copied()
    }

    pub fn count(&self) -> f64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The sum of all values.
    pub fn sum(&self) -> f64 {
        self.iter().map(|(value, count)| value * count).sum()
    }

    /// NaN of nothing.
    pub fn mean(&self) -> f64 {
        self.sum() / self.count()
    }

    /// Of a sample; NaN of a single one.
    pub fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        let total: f64 =
            self.iter().map(|(value, count)| count * (value - mean) * (value - mean)).sum();
        (total / (self.count() - 1.0)).sqrt()
    }

    /// 0 of nothing; between the middle ones where their number is even.
    pub fn median(&self) -> f64 {
        let count = self.count();
        if count == 0.0 {
            return 0.0;
        }
        let (low, high) = match count % 2.0 == 0.0 {
            true => (count / 2.0, count / 2.0 + 1.0),
            false => ((count / 2.0).ceil(), (count / 2.0).ceil()),
        };
        let at = |place: f64| {
            let mut total = 0.0;
            let reached = self.iter().find(|(_, count)| {
                total += count;
                total >= place
            });
            reached.map_or(0.0, |(value, _)| value)
        };
        (at(low) + at(high)) / 2.0
    }

    /// The lowest value that so large a share of all has at most; NaN of nothing.
    pub fn percentile(&self, share: f64) -> f64 {
        let (total, mut sum) = (self.count(), 0.0);
        let reached = self.iter().find(|(_, count)| {
            sum += count;
            sum / total >= share
        });
        reached.map_or(f64::NAN, |(value, _)| value)
    }

    /// The median of the distances to the median.
    pub fn median_absolute_deviation(&self) -> f64 {
        let median = self.median();
        let mut distances: Vec<(f64, f64)> =
            self.iter().map(|(value, count)| ((value - median).abs(), count)).collect();
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        Bins(distances).median()
    }

    /// The lowest of the values that occur most often.
    pub fn mode(&self) -> f64 {
        let mut mode = (0.0, f64::NEG_INFINITY);
        for (value, count) in self.iter() {
            if count > mode.1 {
                mode = (value, count);
            }
        }
        mode.0
    }

    pub fn min(&self) -> f64 {
        self.0.first().map_or(0.0, |(value, _)| *value)
    }

    pub fn max(&self) -> f64 {
        self.0.last().map_or(0.0, |(value, _)| *value)
    }

    /// Only values up to this one.
    pub(crate) fn up_to(&self, width: f64) -> Bins {
        Bins(self.iter().filter(|(value, _)| *value <= width).collect())
    }
}

/// 0 where there is nothing to divide by.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_sorted_values() {
        let mut random = biofast_testkit::random::Random(5);
        for _ in 0..200 {
            let mut values: Vec<f64> =
                (0..1 + random.below(30)).map(|_| random.below(12) as f64).collect();
            values.sort_by(f64::total_cmp);
            let mut bins: Vec<(f64, f64)> = Vec::new();
            for &value in &values {
                match bins.last_mut() {
                    Some((last, count)) if *last == value => *count += 1.0,
                    _ => bins.push((value, 1.0)),
                }
            }
            let bins = Bins(bins);
            let middle = |values: &[f64]| {
                let n = values.len();
                (values[(n - 1) / 2] + values[n / 2]) / 2.0
            };
            let mut distances: Vec<f64> =
                values.iter().map(|value| (value - middle(&values)).abs()).collect();
            distances.sort_by(f64::total_cmp);
            assert_eq!(bins.median(), middle(&values));
            assert_eq!(bins.median_absolute_deviation(), middle(&distances));
            assert_eq!((bins.min(), bins.max()), (values[0], values[values.len() - 1]));
            assert!((bins.mean() - values.iter().sum::<f64>() / values.len() as f64).abs() < 1e-9);
            let most = |value: f64| values.iter().filter(|other| **other == value).count();
            assert!(values.iter().all(|&value| most(value) <= most(bins.mode())));
        }
        assert!(Bins::default().mean().is_nan());
        assert_eq!(Bins::default().median(), 0.0);
    }
}
