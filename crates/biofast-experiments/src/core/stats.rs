//! Medians and paired ratios with exact intervals. Called by the reports of the benchmark and the experiments; every
//! repetition counts, none is dropped as an outlier.

/// The least coverage of an interval, where there are repetitions enough for it.
pub(crate) const COVERAGE: f64 = 0.95;

/// A median with its interval, which covers the true median with the probability [`coverage`].
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
    middle(&sorted(values))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[half]),
        _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
    }
}

/// The probability that the values from the `rank`th smallest to the `rank`th largest of `n` enclose the true median:
/// that neither fewer than `rank` of them lie below it nor fewer than `rank` above, each side with probability ½.
fn coverage_from(n: usize, rank: usize) -> f64 {
    let (mut ways, mut below) = (1.0, 0.0);
    for k in 0..rank {
        below += ways;
        ways *= (n - k) as f64 / (k + 1) as f64;
    }
    1.0 - 2.0 * below / 2f64.powi(n as i32)
}

/// Which of the `n` values, counted from either end, bounds the interval of the median: the innermost that leaves
/// [`COVERAGE`]; the outermost where none does, which is so with fewer than six.
fn rank(n: usize) -> usize {
    (1..=n / 2).take_while(|rank| coverage_from(n, *rank) >= COVERAGE).last().unwrap_or(1)
}

/// The probability that the interval of the median of `n` repetitions holds the true median.
pub(crate) fn coverage(n: usize) -> f64 {
    if n < 2 { 0.0 } else { coverage_from(n, rank(n)) }
}

/// The median of `values` and the order statistics around it; `None` for no values. Nothing is assumed of how values
/// are distributed, only that repetitions are independent.
pub(crate) fn median_interval(values: &[f64]) -> Option<Interval> {
    let sorted = sorted(values);
    let median = middle(&sorted)?;
    let rank = rank(sorted.len());
    Some(Interval { median, low: sorted[rank - 1], high: sorted[sorted.len() - rank] })
}

/// The median of `a[i] / b[i]`, where pair `i` was measured in the same repetition, with its interval. `None` unless
/// there are pairs.
pub(crate) fn paired_ratio(a: &[f64], b: &[f64]) -> Option<Interval> {
    let ratios: Vec<f64> = a.iter().zip(b).filter(|(_, b)| **b > 0.0).map(|(a, b)| a / b).collect();
    median_interval(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn coverage_is_that_of_the_binomial_distribution() {
        // By hand: 1 − 2·(1)/2^5, 1 − 2·(1)/2^7, 1 − 2·(1+9)/2^9, 1 − 2·(1+11)/2^11, 1 − 2·(1+15+105+455)/2^15.
        let by_hand = [
            (3, 1, 0.75),
            (5, 1, 0.9375),
            (7, 1, 0.984_375),
            (9, 2, 0.960_937_5),
            (11, 2, 0.988_281_25),
            (15, 4, 0.964_843_75),
            (21, 6, 0.973_396),
        ];
        for (n, from_end, covered) in by_hand {
            assert_eq!(rank(n), from_end, "n = {n}");
            assert!((coverage(n) - covered).abs() < 1e-6, "n = {n}: {}", coverage(n));
        }
        // Long series don't overflow.
        assert!((COVERAGE..0.96).contains(&coverage(501)), "{}", coverage(501));
    }

    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        // Skewed values with the median 1.
        let mut rng = Rng::new(5, 0, 0);
        for n in [5, 7, 9, 15] {
            let trials = 4000;
            let covered = (0..trials).filter(|_| {
                let values: Vec<f64> =
                    (0..n).map(|_| (rng.below(1_000_001) as f64 / 500_000.0).powi(3)).collect();
                let e = median_interval(&values).expect("values");
                e.low <= 1.0 && 1.0 <= e.high
            });
            let share = covered.count() as f64 / f64::from(trials);
            assert!((share - coverage(n)).abs() < 0.015, "n = {n}: {share} of {}", coverage(n));
        }
    }

    #[test]
    fn ends_are_values_that_were_measured() {
        let values = [5.0, 1.0, 9.0, 3.0, 7.0, 2.0, 8.0, 4.0, 6.0];
        let e = median_interval(&values).expect("values");
        assert_eq!((e.low, e.median, e.high), (2.0, 5.0, 8.0));
        assert_eq!(median_interval(&[]), None);
        let ratio = paired_ratio(&[2.0, 9.0, 12.0], &[1.0, 3.0, 0.0]).expect("two pairs");
        assert_eq!((ratio.low, ratio.median, ratio.high), (2.0, 2.5, 3.0));
    }
}
