//! How likely a heterozygous site would be called at the depths and base qualities of a file: Picard's theoretical
//! sensitivity, which is drawn at random, with the random numbers of Java from a fixed seed, so that the same counts give
//! the same figure.

use biofast_kernels::Wheel;

/// How many sums of qualities are drawn.
const SAMPLES: usize = 10_000;

/// By how much the evidence for a variant must outweigh that against it, as the logarithm to base 10.
const LOG_ODDS: f64 = 3.0;

/// Depths above this one aren't looked at.
const DEEPEST: usize = 1000;

/// The theoretical sensitivity for heterozygous sites, and its Phred score, of positions by depth and bases by quality.
pub fn heterozygous(depths: &[u64], qualities: &[u64]) -> (f64, i32) {
    let share = |counts: &[u64]| -> Vec<f64> {
        let total = counts.iter().sum::<u64>() as f64;
        counts.iter().map(|&count| count as f64 / total).collect()
    };
    let count = depths.len().min(DEEPEST + 1);
    // Without bases nothing is called, and there is nothing to draw from.
    let found = match qualities.iter().sum::<u64>() {
        0 if depths.iter().sum::<u64>() > 0 => 0.0,
        0 => f64::NAN,
        _ => called(&share(depths)[..count], &share(qualities)),
    };
    (found, phred(1.0 - found))
}

/// The share of sites that are called.
fn called(depths: &[f64], qualities: &[f64]) -> f64 {
    let count = depths.len();
    let mut wheel = Wheel::new(qualities);
    let best = qualities.iter().rposition(|share| *share > 0.0).unwrap_or(0);
    // Of each number of bases how often its qualities have which sum.
    let mut sums: Vec<Vec<u32>> = (0..count).map(|bases| vec![0; bases * best + 1]).collect();
    for _ in 0..SAMPLES {
        let mut sum = 0;
        for of_number in &mut sums {
            of_number[sum] += 1;
            sum += wheel.draw();
        }
    }
    let thresholds: Vec<f64> =
        (0..count).map(|depth| 10.0 * (depth as f64 * 2f64.log10() + LOG_ODDS)).collect();
    // By the number of bases with the variant: the share of the drawn sums that reach the threshold of each depth.
    let reached: Vec<Vec<f64>> =
        sums.iter().map(|sums| shares_reached(sums, &thresholds)).collect();
    let mut found = 0.0;
    let mut before: Vec<f64> = Vec::new();
    for (depth, &share) in depths.iter().enumerate() {
        // How likely which number of the bases has the variant: a binomial distribution, made of the one before.
        let mut row = vec![0.5f64.powi(depth as i32)];
        for number in 1..depth {
            row.push((depth as f64 * 0.5 / number as f64) * before[number - 1]);
        }
        if depth > 0 {
            row.push(row[0]);
        }
        for (chance, reached) in row.iter().zip(&reached) {
            found += share * chance * reached[depth];
        }
        before = row;
    }
    found
}

/// The share of sums that are at least as large as each threshold; thresholds ascend.
fn shares_reached(sums: &[u32], thresholds: &[f64]) -> Vec<f64> {
    let (mut at, mut left) = (0, SAMPLES as u32);
    let mut shares = Vec::with_capacity(thresholds.len());
    for &threshold in thresholds {
        while at < sums.len() && threshold > at as f64 {
            left -= sums[at];
            at += 1;
        }
        shares.push(f64::from(left) / SAMPLES as f64);
    }
    shares
}

/// As Java rounds it: of nothing 0, of more than fits −1.
fn phred(error: f64) -> i32 {
    ((-10.0 * error.log10() + 0.5).floor() as i64) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_called_where_depth_and_quality_allow_it() {
        let qualities =
            |quality: usize| (0..127).map(|q| u64::from(q == quality)).collect::<Vec<_>>();
        let depths = |depth: usize| (0..=250).map(|d| u64::from(d == depth)).collect::<Vec<_>>();
        assert_eq!(heterozygous(&depths(0), &qualities(30)).0, 0.0);
        let (few, many) =
            (heterozygous(&depths(4), &qualities(30)), heterozygous(&depths(30), &qualities(30)));
        assert!(few.0 < 0.9 && many.0 > 0.999, "{few:?} {many:?}");
        assert!(few.1 < many.1);
        assert_eq!(heterozygous(&depths(0), &[0; 127]), (0.0, 0));
        assert!(heterozygous(&[0; 251], &[0; 127]).0.is_nan());
    }
}
