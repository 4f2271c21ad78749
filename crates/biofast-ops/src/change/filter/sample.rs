//! Random subsets that depend on a seed and on nothing else: a read is taken or not by its number
//! in the input, so mates are taken together, in one run or in two, at any number of threads.

/// Selects reads by their numbers: an exact count, or each with the same probability. The same seed selects the same
/// reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleFilter {
    seed: u64,
    /// Keys up to this are taken.
    highest: u64,
}

/// The key of a number: a bijection (the finaliser of splitmix64), so keys never tie.
#[inline]
fn key(seed: u64, index: u64) -> u64 {
    let mut x = index.wrapping_add(mix(seed ^ 0x9e37_79b9_7f4a_7c15));
    x = mix(x);
    mix(x ^ 0xd6e8_feb8_6659_fd93)
}

#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl SampleFilter {
    /// Takes each number with the given probability, independently; `None` unless it is above 0
    /// and at most 1.
    pub fn fraction(fraction: f64, seed: u64) -> Option<SampleFilter> {
        // 2^64; the product of a probability just below 1 saturates.
        let highest = (fraction * 18_446_744_073_709_551_616.0) as u64;
        (fraction > 0.0 && fraction <= 1.0).then_some(SampleFilter { seed, highest })
    }

    /// Takes exactly `count` of the numbers below `total`, all sets of that size being equally
    /// likely; all if there aren't more, and `None` for no numbers.
    ///
    /// Finds the `count`th smallest key by its digits, going through the numbers once for each
    /// of four digits: no memory but a table, and about 10 ns a number.
    pub fn count(count: u64, total: u64, seed: u64) -> Option<SampleFilter> {
        if count >= total {
            return Some(SampleFilter { seed, highest: u64::MAX });
        }
        if count == 0 {
            return None;
        }
        let (mut prefix, mut rank) = (0u64, count - 1);
        for digit in (0..4u32).rev() {
            let shift = 16 * digit;
            let mut table = vec![0u64; 1 << 16];
            for key in (0..total).map(|index| key(seed, index)) {
                // The digits above this one must be those found so far.
                if digit == 3 || key >> (shift + 16) == prefix {
                    table[(key >> shift) as usize & 0xffff] += 1;
                }
            }
            let mut found = 0;
            for (value, &n) in (0u64..).zip(&table) {
                if rank < n {
                    found = value;
                    break;
                }
                rank -= n;
            }
            prefix = prefix << 16 | found;
        }
        Some(SampleFilter { seed, highest: prefix })
    }

    /// Whether number `index` is taken.
    #[inline]
    pub fn takes(&self, index: u64) -> bool {
        key(self.seed, index) <= self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_exact(total in 1u64..3000, count in 1u64..3000, seed in any::<u64>()) {
            let sample = SampleFilter::count(count, total, seed).expect("some");
            let taken = (0..total).filter(|&i| sample.takes(i)).count() as u64;
            prop_assert_eq!(taken, count.min(total));
        }
    }

    #[test]
    fn fractions_are_about_right_everywhere() {
        for seed in 0..20 {
            let sample = SampleFilter::fraction(0.1, seed).expect("a fraction");
            for start in [0, 1_000_000, 1 << 40] {
                let taken = (start..start + 100_000).filter(|&i| sample.takes(i)).count();
                // 5 standard deviations of 95.
                assert!((9_525..=10_475).contains(&taken), "{taken}");
            }
        }
        assert!(SampleFilter::fraction(1.0, 1).is_some_and(|s| (0..10_000).all(|i| s.takes(i))));
        for wrong in [0.0, -0.1, 1.1, f64::NAN] {
            assert_eq!(SampleFilter::fraction(wrong, 1), None);
        }
    }

    #[test]
    fn every_number_is_as_likely_as_another() {
        let mut hits = [0u32; 20];
        for seed in 0..1000 {
            let sample = SampleFilter::count(5, 20, seed).expect("some");
            (0..20).filter(|&i| sample.takes(i)).for_each(|i| hits[i as usize] += 1);
        }
        // 250 expected, standard deviation 14.
        assert!(hits.iter().all(|hits| (180..=320).contains(hits)), "{hits:?}");
    }
}
