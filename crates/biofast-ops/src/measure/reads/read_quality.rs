//! The mean quality of a read as a whole number, decided in integers.

use std::sync::LazyLock;

use biofast_kernels::{PHRED_VALUES, mean_error_probability, sum_error_probability};

/// A mean with a given number of leading zeros lies within a factor of 2, 3.01 in Phred: so many
/// Phred values above the lowest possible one are tried.
const TRIED: usize = 4;

struct Thresholds {
    /// The kernel's integer error probability of each Phred value, falling; then zeros, which
    /// no sum is below but 0.
    probability: [u64; PHRED_VALUES + TRIED],
    /// For each number of leading zeros of a 32-bit mean, the lowest possible result.
    start: [u8; 33],
}

static THRESHOLDS: LazyLock<Thresholds> = LazyLock::new(|| {
    let mut probability = [0; PHRED_VALUES + TRIED];
    for (phred, p) in (b'!'..=b'~').zip(&mut probability) {
        *p = sum_error_probability(&[phred]);
    }
    let mut start = [0; 33];
    for (zeros, start) in start.iter_mut().enumerate() {
        // Means with so many leading zeros are below this.
        let bound = 1u64 << (32 - zeros);
        *start = probability[..PHRED_VALUES].iter().rposition(|&p| bound <= p).unwrap_or(0) as u8;
    }
    Thresholds { probability, start }
});

/// −10·log10 of the mean error probability of a read of `len` bases, rounded down; `sum` is the
/// kernel's sum of probabilities. A read whose bases all have Phred q has exactly q, but for 91,
/// which the kernel's resolution can't tell from 92: what is above [`EXACT_FROM`] is to be found without it.
#[inline]
pub(crate) fn mean_phred_floor(sum: u64, len: u64) -> u8 {
    let thresholds = &*THRESHOLDS;
    // A start that is too low costs nothing, one beyond the result would be wrong: the mean is
    // taken a little too high. (A float division is faster than one of 64-bit integers, and to a float
    // these convert faster with a sign, which both are too small for.)
    let mean = (sum as i64 as f32 / len as i64 as f32 * 1.000_001) as u32;
    let start = usize::from(thresholds.start[mean.leading_zeros() as usize]);
    // Without branches: neighbouring reads have different qualities.
    let above = &thresholds.probability[start + 1..][..TRIED];
    let passed: usize = above.iter().map(|&p| usize::from(sum <= p * len)).sum();
    (start + passed).min(PHRED_VALUES - 1) as u8
}

/// From this quality on the kernel's resolution tells: [`exact_mean_phred_floor`] is the mean.
pub(crate) const EXACT_FROM: u8 = 60;

/// The same of the qualities themselves.
#[cold]
pub(crate) fn exact_mean_phred_floor(qualities: &[u8]) -> u8 {
    let Some(mean) = mean_error_probability(qualities) else { return 0 };
    // A read whose bases all have one quality has it, however the sum was rounded.
    let phred = -10.0 * mean.log10() + 1e-9;
    phred.clamp(0.0, (PHRED_VALUES - 1) as f64) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_kernels::ERROR_SCALE;
    use proptest::prelude::*;

    fn of(qualities: &[u8]) -> u8 {
        mean_phred_floor(sum_error_probability(qualities), qualities.len() as u64)
    }

    #[test]
    fn equal_qualities_give_that_quality() {
        for phred in (0..PHRED_VALUES as u8).filter(|&phred| phred != 91) {
            for len in [1, 3, 150, 14_400] {
                assert_eq!(of(&vec![phred + 33; len]), phred);
            }
        }
    }

    #[test]
    fn high_qualities_are_exact() {
        for phred in EXACT_FROM..PHRED_VALUES as u8 {
            for len in [1, 2, 3, 150, 14_400] {
                assert_eq!(exact_mean_phred_floor(&vec![phred + 33; len]), phred);
            }
        }
        assert_eq!(exact_mean_phred_floor(b"yz"), 88);
    }

    /// The definition, without the short cut.
    fn slowly(sum: u64, len: u64) -> u8 {
        let passed = |phred: &u8| u128::from(sum) <= u128::from(p(*phred)) * u128::from(len);
        (0..PHRED_VALUES as u8).rev().find(passed).unwrap_or(0)
    }

    fn p(phred: u8) -> u64 {
        sum_error_probability(&[phred + 33])
    }

    #[test]
    fn the_short_cut_is_exact_at_every_threshold() {
        for phred in 0..PHRED_VALUES as u8 {
            for len in [1, 2, 3, 149, 150, 151, 10_007, 4_000_037, (1 << 31) - 1] {
                for sum in [p(phred) * len - 1, p(phred) * len, p(phred) * len + 1] {
                    let sum = sum.min(p(0) * len);
                    assert_eq!(mean_phred_floor(sum, len), slowly(sum, len), "{sum} / {len}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn lies_between_neighbouring_qualities(
            qualities in prop::collection::vec(33u8..=126, 1..300),
        ) {
            // Of a quality, in the kernel's units. A base and a threshold are each rounded by half a unit at most.
            let exact = |phred: u8| 10f64.powf(f64::from(phred) / -10.0) * ERROR_SCALE;
            let rounding = 1.001;
            let errors = qualities.iter().map(|&byte| exact(byte - 33)).sum::<f64>();
            let mean = errors / qualities.len() as f64;
            let found = of(&qualities);
            prop_assert!(mean <= exact(found) + rounding, "{found} for {mean}");
            let highest = usize::from(found) == PHRED_VALUES - 1;
            prop_assert!(highest || exact(found + 1) - rounding < mean, "{found} for {mean}");
        }
    }
}
