//! The mean quality of a read as a whole number, decided in integers.

use std::sync::LazyLock;

use biofast_kernels::{PHRED_VALUES, sum_error_probability};

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
        // The largest mean with so many leading zeros.
        let mean = (1u64 << (32 - zeros)) - 1;
        *start = probability[..PHRED_VALUES].iter().rposition(|&p| mean <= p).unwrap_or(0) as u8;
    }
    Thresholds { probability, start }
});

/// −10·log10 of the mean error probability of a read, rounded down. `qualities` must not be
/// empty. A read whose bases all have Phred q has exactly q.
#[inline]
pub(crate) fn mean_phred_floor(qualities: &[u8]) -> u8 {
    let thresholds = &*THRESHOLDS;
    let len = qualities.len() as u64;
    let sum = sum_error_probability(qualities);
    // Rounded up, so that the start is never beyond the result.
    let mean = sum.div_ceil(len) as u32;
    let start = usize::from(thresholds.start[mean.leading_zeros() as usize]);
    // Without branches: neighbouring reads have different qualities.
    let above = &thresholds.probability[start + 1..][..TRIED];
    let passed: usize = above.iter().map(|&p| usize::from(sum <= p * len)).sum();
    (start + passed).min(PHRED_VALUES - 1) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_qualities_give_that_quality() {
        for phred in 0..PHRED_VALUES as u8 {
            for len in [1, 3, 150, 14_400] {
                assert_eq!(mean_phred_floor(&vec![phred + 33; len]), phred);
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_logarithms(qualities in prop::collection::vec(33u8..=126, 1..300)) {
            let errors = qualities.iter().map(|&q| 10f64.powf(f64::from(q - 33) / -10.0));
            let mean = -10.0 * (errors.sum::<f64>() / qualities.len() as f64).log10();
            let found = f64::from(mean_phred_floor(&qualities));
            // The kernel resolves 2^-33 a base: at the highest qualities that is 0.3.
            prop_assert!(found <= mean + 0.35 && mean < found + 1.35, "{found} for {mean}");
            if mean < 50.0 {
                prop_assert!(found <= mean + 1e-3 && mean < found + 1.001, "{found} for {mean}");
            }
        }
    }
}
