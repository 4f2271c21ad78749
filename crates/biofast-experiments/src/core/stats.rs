//! Medians and paired ratios with a seeded bootstrap interval. Called by the reports of the benchmark and the
//! experiments; every repetition counts, none is dropped as an outlier.

use crate::rng::Rng;

const PURPOSE_BOOTSTRAP: u64 = 0x626f_6f74;
const RESAMPLES: usize = 10_000;

/// A median, or another statistic, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Interval {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    pub(crate) fn significant(self) -> Self {
        let Interval { median, low, high } = self;
        let [median, low, high] = [median, low, high].map(significant);
        Interval { median, low, high }
    }
}

/// Six significant digits: more than any clock here is worth, and the same wherever it is computed.
pub(crate) fn significant(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[half]),
        _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
    }
}

/// The median of `values` with a percentile bootstrap; `None` for no values.
pub(crate) fn median_interval(values: &[f64], seed: u64) -> Option<Interval> {
    paired_ratio(values, &vec![1.0; values.len()], seed)
}

/// The median of `a[i] / b[i]`, where pair `i` was measured in the same repetition, with a percentile
/// bootstrap over the pairs. `None` unless there are pairs.
pub(crate) fn paired_ratio(a: &[f64], b: &[f64], seed: u64) -> Option<Interval> {
    let ratios: Vec<f64> = a.iter().zip(b).filter(|(_, b)| **b > 0.0).map(|(a, b)| a / b).collect();
    let value = median(&ratios)?;
    let mut rng = Rng::new(seed, PURPOSE_BOOTSTRAP, 0);
    let mut sample = vec![0.0; ratios.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            for slot in &mut sample {
                *slot = ratios[rng.below(ratios.len() as u64) as usize];
            }
            median(&sample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at =
        |per_mille: usize| medians.get(medians.len() * per_mille / 1000).copied().unwrap_or(value);
    Some(Interval { median: value, low: at(25), high: at(975) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_covers_the_truth_about_as_often_as_it_says() {
        // Ratios spread evenly around 1: the interval of most samples must hold the true median.
        let mut rng = Rng::new(5, 0, 0);
        let mut covered = 0;
        for trial in 0..100 {
            let a: Vec<f64> = (0..15).map(|_| 0.9 + rng.below(2001) as f64 / 10_000.0).collect();
            let estimate = paired_ratio(&a, &[1.0; 15], trial).expect("pairs");
            assert!(estimate.low <= estimate.median && estimate.median <= estimate.high);
            covered += u32::from(estimate.low <= 1.0 && 1.0 <= estimate.high);
        }
        assert!((88..=100).contains(&covered), "{covered} of 100 intervals hold the true ratio");
    }
}
