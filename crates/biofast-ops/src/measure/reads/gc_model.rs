//! The normal distribution that the GC of reads is compared with, as FastQC does it.

use super::statistic::Statistics;

/// A normal distribution around the mode of a distribution of percents, with its spread and as many reads.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    mode: f64,
    variance: f64,
    scale: f64,
}

impl Normal {
    /// That of reads by GC percent; none of reads that all have the same, or of none.
    pub fn of(reads: &[f64; 101]) -> Option<Normal> {
        let total: f64 = reads.iter().sum();
        let (mut peak, mut most) = (0, 0.0);
        for (percent, &n) in reads.iter().enumerate() {
            if n > most {
                (peak, most) = (percent, n);
            }
        }
        // The top is broad: its middle is the mean of all neighbours nearly as high as the peak, unless
        // they reach an end.
        let high = |percent: &usize| reads[*percent] > 0.9 * most;
        let first = (0..peak).rev().take_while(high).last().unwrap_or(peak);
        let last = (peak..=100).take_while(high).last().unwrap_or(peak);
        let mode = match first == 0 || last == 100 {
            true => peak as f64,
            false => (first + last) as f64 / 2.0,
        };
        let spread = |(percent, n): (usize, &f64)| (percent as f64 - mode).powi(2) * n;
        let variance = reads.iter().enumerate().map(spread).sum::<f64>() / (total - 1.0);
        if variance.is_nan() || variance <= 0.0 {
            return None;
        }
        let scale = total / (2.0 * std::f64::consts::PI * variance).sqrt();
        Some(Normal { mode, variance, scale })
    }

    /// The percent around which the reads lie.
    pub(crate) fn mode(&self) -> f64 {
        self.mode
    }

    /// Reads of this percent.
    pub fn at(&self, percent: usize) -> f64 {
        self.scale * (-(percent as f64 - self.mode).powi(2) / 2.0 / self.variance).exp()
    }

    /// How far the distribution is from this one, in percent of all reads.
    pub fn deviation(&self, reads: &[f64; 101]) -> f64 {
        let total: f64 = reads.iter().sum();
        let beyond: f64 = reads.iter().enumerate().map(|(i, n)| (self.at(i) - n).abs()).sum();
        100.0 * beyond / total
    }
}

/// Reads by GC percent without gaps between percents; they add up to the reads that have a GC. FastQC's shares aren't taken even
/// where they were gathered: they don't add up to reads, and pages and verdicts have one definition for every report.
pub fn without_gaps(reads: &Statistics) -> Option<[f64; 101]> {
    smoothed(&reads.composition.gc_histogram, &reads.length.histogram)
}

/// Reads shorter than this leave gaps between percents, or give some of them more GC counts than others.
const GAPS: u64 = 400;

/// A histogram of reads by GC in whole percents, without the comb that reads of these lengths make of it: the reads of each percent
/// and its neighbours, by how many of them there would be if every number of G and C were as frequent. Neighbours are as many
/// as it takes to reach from one percent that reads can have to the next.
fn smoothed(histogram: &[u64], lengths: &[(u64, u64)]) -> Option<[f64; 101]> {
    let histogram: &[u64; 101] = histogram.try_into().ok()?;
    let all: u64 = lengths.iter().filter(|(len, _)| *len > 0).map(|(_, n)| n).sum();
    let bases: u64 = lengths.iter().map(|(len, n)| len.saturating_mul(*n)).sum();
    let reads: u64 = histogram.iter().sum();
    let mean = bases.checked_div(all).filter(|mean| *mean > 0)?;
    let mut expected = [0.0; 101];
    for &(len, n) in lengths.iter().filter(|(len, _)| *len > 0) {
        if len >= GAPS {
            expected.iter_mut().for_each(|share| *share += n as f64 / 101.0);
            continue;
        }
        for gc in 0..=len {
            expected[((200 * gc + len) / (2 * len)) as usize] += n as f64 / (len + 1) as f64;
        }
    }
    let reach = 50u64.div_ceil(mean).clamp(1, 50) as usize;
    let mut smoothed: [f64; 101] = std::array::from_fn(|percent| {
        let near = percent.saturating_sub(reach)..=(percent + reach).min(100);
        let expected: f64 = expected[near.clone()].iter().sum();
        let found: u64 = histogram[near].iter().sum();
        if expected > 0.0 { found as f64 / expected } else { 0.0 }
    });
    let sum: f64 = smoothed.iter().sum();
    if sum <= 0.0 {
        return None;
    }
    smoothed.iter_mut().for_each(|n| *n *= reads as f64 / sum);
    Some(smoothed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_gc_stays_even_at_any_length() {
        for lengths in
            [vec![(50, 5100)], vec![(150, 15_100)], vec![(30, 3100), (75, 7600)], vec![(7, 800)]]
        {
            let mut histogram = [0; 101];
            for &(len, n) in &lengths {
                (0..=len).for_each(|gc| {
                    histogram[((200 * gc + len) / (2 * len)) as usize] += n / (len + 1);
                });
            }
            let even = smoothed(&histogram, &lengths).expect("reads");
            let mean = lengths.iter().map(|(_, n)| *n as f64).sum::<f64>() / 101.0;
            assert!(even.iter().all(|n| (n - mean).abs() < 1e-6 * mean), "{lengths:?} {even:?}");
        }
        assert!(smoothed(&[0; 101], &[(0, 5)]).is_none());
    }

    #[test]
    fn a_normal_distribution_is_its_own_model() {
        let reads: [f64; 101] =
            std::array::from_fn(|i| 1000.0 * (-(i as f64 - 45.0).powi(2) / 50.0).exp());
        let normal = Normal::of(&reads).expect("a spread");
        assert!((normal.at(45) - 1000.0).abs() < 2.0, "{normal:?}");
        assert!(normal.deviation(&reads) < 0.5);
        assert!(Normal::of(&[0.0; 101]).is_none());
    }
}
