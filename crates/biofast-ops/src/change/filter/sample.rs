//! Random subsets that depend on a seed and on nothing else: a read is taken or not by its number
//! in the input, so mates are taken together, in one run or in two, at any number of threads.

use std::io;
use std::path::Path;

use biofast_fastq::{Inputs, Readable};
use biofast_io::Options;

use super::rows::UnitRows;
use crate::Error;

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
    /// Needs no memory but a table, and about 10 ns a number.
    pub fn count(count: u64, total: u64, seed: u64) -> Option<SampleFilter> {
        if count >= total {
            return Some(SampleFilter { seed, highest: u64::MAX });
        }
        if count == 0 {
            return None;
        }
        let numbers = |visit: &mut dyn FnMut(u64, u64)| {
            (0..total).for_each(|index| visit(key(seed, index), 1));
            Ok(())
        };
        // Nothing is read that could fail.
        let highest = highest_key(numbers, count).unwrap_or(u64::MAX);
        Some(SampleFilter { seed, highest })
    }

    /// Takes reads or pairs in random order until they have `bases` bases, so that one less would have fewer; all if there aren't so
    /// many, and `None` for no bases. Reads all inputs, up to `limit` reads or pairs, and keeps 8 bytes of each in a temporary file
    /// in `folder`.
    ///
    /// ```
    /// use biofast_fastq::Inputs;
    /// use biofast_io::{Options, Source};
    /// use biofast_ops::filter::sample::SampleFilter;
    ///
    /// let reads = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nACGT\n+\nIIII\n"[..]);
    /// let (reads, folder) = (Inputs::Single(reads), std::env::temp_dir());
    /// let (sample, of) = SampleFilter::bases(4, reads, (&Options::default(), None), 7, &folder)?;
    /// let taken = (0..2).filter(|&read| sample.is_some_and(|sample| sample.takes(read))).count();
    /// assert_eq!((taken, of.units, of.bases, of.taken), (1, 2, 8, 4));
    /// # Ok::<(), biofast_ops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the inputs, or the failure of the temporary file.
    pub fn bases<S: Readable>(
        bases: u64,
        inputs: Inputs<S>,
        reading: (&Options, Option<u64>),
        seed: u64,
        folder: &Path,
    ) -> Result<(Option<SampleFilter>, SampledBases), Error> {
        let (mut rows, mut of) = UnitRows::gather(
            inputs,
            reading,
            folder,
            SampledBases::default,
            |of, unit| {
                let reads = [Some(unit.first), unit.second];
                let bases = reads.iter().flatten().map(|read| read.sequence().len() as u64).sum();
                of.units += 1;
                of.bases += bases;
                u64::to_le_bytes(bases)
            },
            |of, other| {
                of.units += other.units;
                of.bases += other.bases;
            },
        )?;
        if bases == 0 {
            return Ok((None, of));
        }
        if bases >= of.bases {
            of.taken = of.bases;
            return Ok((Some(SampleFilter { seed, highest: u64::MAX }), of));
        }
        let mut each = |visit: &mut dyn FnMut(u64, u64)| -> io::Result<()> {
            let mut index = 0;
            rows.each(&mut |row| {
                visit(key(seed, index), u64::from_le_bytes(*row));
                index += 1;
            })
        };
        let highest = highest_key(&mut each, bases).map_err(Error::ScratchFile)?;
        each(&mut |key, bases| of.taken += if key <= highest { bases } else { 0 })
            .map_err(Error::ScratchFile)?;
        Ok((Some(SampleFilter { seed, highest }), of))
    }

    /// Whether number `index` is taken.
    #[inline]
    pub fn takes(&self, index: u64) -> bool {
        key(self.seed, index) <= self.highest
    }
}

/// The lowest key up to which keys have this weight together, which all have at least. It is found by its digits: `each` goes through the
/// keys and their weights once for each of four.
fn highest_key(
    mut each: impl FnMut(&mut dyn FnMut(u64, u64)) -> io::Result<()>,
    weight: u64,
) -> io::Result<u64> {
    let (mut prefix, mut missing) = (0u64, weight);
    for digit in (0..4u32).rev() {
        let shift = 16 * digit;
        let mut table = vec![0u64; 1 << 16];
        each(&mut |key, weight| {
            // The digits above this one must be those found so far.
            if digit == 3 || key >> (shift + 16) == prefix {
                table[(key >> shift) as usize & 0xffff] += weight;
            }
        })?;
        let mut found = 0;
        for (value, &weight) in (0u64..).zip(&table) {
            if missing <= weight {
                found = value;
                break;
            }
            missing -= weight;
        }
        prefix = prefix << 16 | found;
    }
    Ok(prefix)
}

/// What a sample of bases was taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampledBases {
    /// Reads or pairs.
    pub units: u64,
    /// Their bases.
    pub bases: u64,
    /// Those of the reads that are taken.
    pub taken: u64,
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

        #[test]
        fn bases_are_those_of_reads_in_the_order_of_keys(
            lens in prop::collection::vec(0usize..9, 0..40), bases in 1u64..200, seed in any::<u64>(),
        ) {
            let text: String =
                lens.iter().map(|&n| format!("@r\n{}\n+\n{}\n", "A".repeat(n), "I".repeat(n))).collect();
            let source = biofast_io::Source::from_reader("x", std::io::Cursor::new(text.into_bytes()));
            let (options, folder) = (Options::default(), std::env::temp_dir());
            let inputs = Inputs::Single(source);
            let found = SampleFilter::bases(bases, inputs, (&options, None), seed, &folder);
            let (sample, of) = found.expect("reads");
            let mut order: Vec<usize> = (0..lens.len()).collect();
            order.sort_by_key(|&index| key(seed, index as u64));
            let mut expected = vec![false; lens.len()];
            let mut taken = 0;
            let total: u64 = lens.iter().map(|&n| n as u64).sum();
            for index in order {
                expected[index] = taken < bases || total <= bases;
                taken += if expected[index] { lens[index] as u64 } else { 0 };
            }
            let takes = |index: usize| sample.is_some_and(|sample| sample.takes(index as u64));
            let found: Vec<bool> = (0..lens.len()).map(takes).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(of, SampledBases { units: lens.len() as u64, bases: total, taken });
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
