//! Phred qualities: their clamping, summary and error probabilities.
//!
//! A quality byte is ASCII Phred+33. Every kernel first clamps a byte to 33..=126, so that all instruction sets
//! agree on any input; [`crate::find_invalid_quality`] tells whether clamping changed anything.

use std::sync::LazyLock;

use crate::dispatch::kernels;

/// Number of Phred values a quality byte can hold: 0..=93.
pub const PHRED_VALUES: usize = 94;

/// The integer that stands for an error probability of 1 in [`crate::sum_error_probability`]: 2^32 − 1.
pub const ERROR_SCALE: f64 = 4_294_967_295.0;

/// The byte of Phred 0.
pub(crate) const FIRST: u8 = b'!';
/// The byte of Phred 93.
pub(crate) const LAST: u8 = b'~';

/// The Phred value of a quality byte, after clamping the byte to 33..=126.
#[inline(always)]
pub(crate) const fn phred(byte: u8) -> u8 {
    if byte < FIRST {
        0
    } else if byte > LAST {
        LAST - FIRST
    } else {
        byte - FIRST
    }
}

/// The result of [`crate::summarize_qualities`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QualitySummary {
    /// Sum of the Phred values.
    pub sum: u64,
    /// Smallest Phred value; 93 when there is none, so that `min > max` marks an empty slice.
    pub min: u8,
    /// Largest Phred value; 0 when there is none.
    pub max: u8,
    /// Number of bases with Phred 20 or more.
    pub q20: u64,
    /// Number of bases with Phred 30 or more.
    pub q30: u64,
}

impl Default for QualitySummary {
    /// The summary of no bases.
    fn default() -> Self {
        Self { sum: 0, min: LAST - FIRST, max: 0, q20: 0, q30: 0 }
    }
}

impl QualitySummary {
    /// The summary of Phred values.
    pub(crate) fn of_phreds(phreds: impl IntoIterator<Item = u8>) -> Self {
        let mut summary = Self::default();
        for phred in phreds {
            summary.sum += u64::from(phred);
            summary.min = summary.min.min(phred);
            summary.max = summary.max.max(phred);
            summary.q20 += u64::from(phred >= 20);
            summary.q30 += u64::from(phred >= 30);
        }
        summary
    }

    /// Adds the bases of `other`, as if both slices had been summarized together.
    pub fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.q20 += other.q20;
        self.q30 += other.q30;
    }
}

/// A summary of `len` bytes as one of Phred values, where `FIRST` is the byte of Phred 0.
pub(crate) fn to_phreds<const FIRST: u8>(summary: QualitySummary, len: usize) -> QualitySummary {
    if len == 0 {
        return QualitySummary::default();
    }
    QualitySummary {
        sum: summary.sum - u64::from(FIRST) * len as u64,
        min: summary.min - FIRST,
        max: summary.max - FIRST,
        ..summary
    }
}

/// The scaled error probability of each Phred value q: round(10^(−q/10) · (2^32 − 1)).
///
/// Integer arithmetic from decimal roots, so no platform's `pow` has a say.
pub(crate) static ERROR_PROBABILITY: [u32; PHRED_VALUES] = {
    // 10^(−k/10) · 10^25, rounded.
    const ROOTS: [u128; 10] = [
        10_000_000_000_000_000_000_000_000,
        7_943_282_347_242_815_020_659_183,
        6_309_573_444_801_932_494_343_601,
        5_011_872_336_272_722_850_015_542,
        3_981_071_705_534_972_507_702_523,
        3_162_277_660_168_379_331_998_894,
        2_511_886_431_509_580_111_085_032,
        1_995_262_314_968_879_601_352_455,
        1_584_893_192_461_113_485_202_101,
        1_258_925_411_794_167_210_423_954,
    ];
    let mut table = [0; PHRED_VALUES];
    let mut q = 0;
    while q < PHRED_VALUES {
        let denominator = 10u128.pow(25 + (q / 10) as u32);
        let numerator = ROOTS[q % 10] * u32::MAX as u128;
        table[q] = ((numerator + denominator / 2) / denominator) as u32;
        q += 1;
    }
    table
};

/// Byte plane `p` of [`ERROR_PROBABILITY`], indexed by the quality byte after `min(byte, 127)`.
pub(crate) static ERROR_PLANES: [[u8; 128]; 4] = {
    let mut planes = [[0; 128]; 4];
    let mut byte = 0;
    while byte < 128 {
        let bytes = ERROR_PROBABILITY[phred(byte as u8) as usize].to_le_bytes();
        let mut plane = 0;
        while plane < 4 {
            planes[plane][byte] = bytes[plane];
            plane += 1;
        }
        byte += 1;
    }
    planes
};

/// Sum of the Phred values: all that a read's mean needs, and faster than [`summarize_qualities`].
#[inline]
pub fn sum_qualities(qualities: &[u8]) -> u64 {
    (kernels().sum_qualities)(qualities)
}

/// Sum, minimum, maximum and the numbers of bases from Q20 and Q30 up, in one pass.
///
/// ```
/// let summary = biofast_kernels::summarize_qualities(b"#5II");
/// assert_eq!((summary.sum, summary.min, summary.q30), (2 + 20 + 40 + 40, 2, 2));
/// ```
#[inline]
pub fn summarize_qualities(qualities: &[u8]) -> QualitySummary {
    (kernels().summarize_qualities)(qualities)
}

/// Counts the qualities of at least `phred`, a Phred value without the offset of 33.
#[inline]
pub fn count_at_least(qualities: &[u8], phred: u8) -> u64 {
    (kernels().count_at_least)(qualities, phred)
}

/// Sum of the error probabilities 10^(−q/10), as integers: each is round(10^(−q/10) · [`ERROR_SCALE`]).
///
/// The rounding error is at most 0.5/2^32 a base. The sum is exact, so its order doesn't matter, and fits for slices
/// of up to 2^32 qualities.
///
/// ```
/// use biofast_kernels::{ERROR_SCALE, sum_error_probability};
///
/// let expected_errors = sum_error_probability(b"55??") as f64 / ERROR_SCALE;
/// assert!((expected_errors - 2.0 * (0.01 + 0.001)).abs() < 1e-9);
/// ```
#[inline]
pub fn sum_error_probability(qualities: &[u8]) -> u64 {
    (kernels().sum_error_probability)(qualities)
}

/// Mean error probability, between 0 and 1; `None` for an empty slice. Precision: see [`sum_error_probability`]; below 10^−6
/// that of an `f64`.
///
/// ```
/// // Phred 10 and 20: one base in 10, and one in 100, is wrong.
/// let mean = biofast_kernels::mean_error_probability(b"+5").expect("not empty");
/// assert!((mean - (0.1 + 0.01) / 2.0).abs() < 1e-6);
/// assert_eq!(biofast_kernels::mean_error_probability(b""), None);
/// ```
pub fn mean_error_probability(qualities: &[u8]) -> Option<f64> {
    let len = qualities.len() as f64;
    let sum = sum_error_probability(qualities) as f64 / ERROR_SCALE;
    let mean = || match sum / len {
        // The integers of such qualities have few digits.
        mean if mean < 2e-6 => exact_sum(qualities) / len,
        mean => mean,
    };
    (!qualities.is_empty()).then(mean)
}

/// The sum of error probabilities without the integers' rounding.
fn exact_sum(qualities: &[u8]) -> f64 {
    static PROBABILITIES: LazyLock<[f64; 256]> = LazyLock::new(|| {
        std::array::from_fn(|byte| {
            let phred = byte.clamp(33, 126) as f64 - 33.0;
            10f64.powf(phred / -10.0)
        })
    });
    let probabilities = &*PROBABILITIES;
    qualities.iter().map(|&byte| probabilities[usize::from(byte)]).sum()
}

/// The Phred value of the mean error probability, −10·log10([`mean_error_probability`]); `None` for an empty slice.
///
/// Not the mean of the Phred values, which overstates the quality of a read.
///
/// ```
/// // Phred 10 and 20: far from 15.
/// let mean = biofast_kernels::mean_phred(b"+5").expect("not empty");
/// assert!((mean - 12.6).abs() < 0.01);
/// ```
pub fn mean_phred(qualities: &[u8]) -> Option<f64> {
    // A probability of 1 has the logarithm 0; adding 0 turns −0 into 0.
    mean_error_probability(qualities).map(|mean| -10.0 * mean.log10() + 0.0)
}

/// Adds the histogram of the Phred values: entry q counts the qualities of Phred q.
///
/// For what lies beyond the positions that [`QualityColumns`](crate::QualityColumns) is used for.
///
/// ```
/// use biofast_kernels::{PHRED_VALUES, count_qualities};
///
/// let mut histogram = [0; PHRED_VALUES];
/// count_qualities(b"II#", &mut histogram);
/// count_qualities(b"I", &mut histogram);
/// assert_eq!((histogram[40], histogram[2]), (3, 1));
/// ```
#[inline]
pub fn count_qualities(qualities: &[u8], histogram: &mut [u64; PHRED_VALUES]) {
    count_qualities_of(std::iter::once(qualities), histogram);
}

/// Like [`count_qualities`] for several slices, such as the part of each read at certain positions. Many short slices
/// take little longer than a long one.
pub fn count_qualities_of<'a>(
    slices: impl Iterator<Item = &'a [u8]> + Clone,
    histogram: &mut [u64; PHRED_VALUES],
) {
    // Below this, clearing and adding up the tables costs more than the stalls they avoid.
    const SHORT: usize = 1024;
    // An entry of a table counts at most one of eight bytes.
    const LONG: usize = u32::MAX as usize;
    let len = slices.clone().map(<[u8]>::len).fold(0, usize::saturating_add);
    if len < SHORT {
        for &byte in slices.flatten() {
            histogram[phred(byte) as usize] += 1;
        }
    } else if len <= LONG {
        let mut tables = Tables::new();
        slices.for_each(|slice| tables.add(slice));
        tables.add_to(histogram);
    } else {
        for chunk in slices.flat_map(|slice| slice.chunks(LONG)) {
            let mut tables = Tables::new();
            tables.add(chunk);
            tables.add_to(histogram);
        }
    }
}

/// Counts of bytes. Neighbouring bases often share a value; eight tables keep their increments from waiting for each other.
struct Tables([[u32; 256]; 8]);

impl Tables {
    #[inline]
    fn new() -> Tables {
        Tables([[0; 256]; 8])
    }

    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            // One load and shifts: the ports of loads and stores are what is short.
            let word = u64::from_le_bytes(*word);
            for (i, table) in self.0.iter_mut().enumerate() {
                table[usize::from((word >> (8 * i)) as u8)] += 1;
            }
        }
        for (table, &byte) in self.0.iter_mut().zip(rest) {
            table[usize::from(byte)] += 1;
        }
    }

    fn add_to(&self, histogram: &mut [u64; PHRED_VALUES]) {
        let mut sums = [0u32; 256];
        for table in &self.0 {
            sums.iter_mut().zip(table).for_each(|(sum, &n)| *sum += n);
        }
        let (below, rest) = sums.split_at(usize::from(FIRST));
        let (valid, above) = rest.split_at(PHRED_VALUES);
        histogram.iter_mut().zip(valid).for_each(|(count, &n)| *count += u64::from(n));
        histogram[0] += below.iter().map(|&n| u64::from(n)).sum::<u64>();
        histogram[PHRED_VALUES - 1] += above.iter().map(|&n| u64::from(n)).sum::<u64>();
    }
}

/// The index of the first byte outside 33..=126.
#[inline]
pub fn find_invalid_quality(qualities: &[u8]) -> Option<usize> {
    (kernels().find_invalid_quality)(qualities)
}

/// Replaces each base whose quality is below `phred`, a Phred value without the offset of 33, by `N`; returns how many bases weren't
/// `N` before. Bases beyond the last quality stay.
///
/// ```
/// let mut bases = *b"ACNT";
/// assert_eq!(biofast_kernels::mask_below(&mut bases, b"I##5", 20), 1);
/// assert_eq!(&bases, b"ANNT");
/// ```
#[inline]
pub fn mask_below(bases: &mut [u8], qualities: &[u8], phred: u8) -> u64 {
    (kernels().mask_below)(bases, qualities, phred)
}

pub(crate) mod reference {
    //! The kernels as their definitions.

    use super::*;
    use crate::bases::reference::count;

    pub(crate) fn sum_qualities(qualities: &[u8]) -> u64 {
        qualities.iter().map(|&byte| u64::from(phred(byte))).sum()
    }

    pub(crate) fn summarize_qualities(qualities: &[u8]) -> QualitySummary {
        QualitySummary::of_phreds(qualities.iter().map(|&byte| phred(byte)))
    }

    pub(crate) fn count_at_least(qualities: &[u8], threshold: u8) -> u64 {
        count(qualities, |byte| phred(byte) >= threshold)
    }

    pub(crate) fn sum_error_probability(qualities: &[u8]) -> u64 {
        let probability = |&byte| u64::from(ERROR_PROBABILITY[usize::from(phred(byte))]);
        qualities.iter().map(probability).sum()
    }

    /// Also tells the index to the vector versions, once they know that there is an invalid byte.
    pub(crate) fn find_invalid_quality(bytes: &[u8]) -> Option<usize> {
        let valid = FIRST..=LAST;
        bytes.iter().position(|byte| !valid.contains(byte))
    }

    pub(crate) fn mask_below(bases: &mut [u8], qualities: &[u8], threshold: u8) -> u64 {
        let mut masked = 0;
        for (base, &quality) in bases.iter_mut().zip(qualities) {
            if phred(quality) < threshold {
                masked += u64::from(*base != b'N');
                *base = b'N';
            }
        }
        masked
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector {
    //! The kernels over vectors.

    use super::*;
    use crate::vector::{Check, Matches, Simd, Vector};

    #[inline(always)]
    pub(crate) fn sum_qualities<S: Simd>(bytes: &[u8]) -> u64 {
        S::sum_qualities(bytes)
    }

    #[inline(always)]
    pub(crate) fn summarize_qualities<S: Simd>(bytes: &[u8]) -> QualitySummary {
        S::summarize::<FIRST>(bytes)
    }

    #[inline(always)]
    pub(crate) fn count_at_least<S: Simd>(bytes: &[u8], phred: u8) -> u64 {
        match usize::from(phred) {
            0 => bytes.len() as u64,
            PHRED_VALUES.. => 0,
            _ => {
                let [count] = S::Vector::count_matches::<1, 4>(
                    bytes,
                    AtLeast(S::Vector::splat(FIRST + phred)),
                );
                count
            }
        }
    }

    #[derive(Clone, Copy)]
    struct AtLeast<V>(V);

    impl<V: Vector> Matches<V, 1> for AtLeast<V> {
        #[inline(always)]
        fn of(self, block: V) -> [V::Mask; 1] {
            [block.at_least(self.0)]
        }
    }

    #[inline(always)]
    pub(crate) fn sum_error_probability<S: Simd>(bytes: &[u8]) -> u64 {
        S::sum_error_probability(bytes)
    }

    #[inline(always)]
    pub(crate) fn find_invalid_quality<S: Simd>(bytes: &[u8]) -> Option<usize> {
        S::find_invalid_quality(bytes)
    }

    /// Plain code over blocks, which compilers turn into vectors: it needs no more of an instruction set than comparisons.
    #[inline(always)]
    pub(crate) fn mask_below<S: Simd>(bases: &mut [u8], qualities: &[u8], phred: u8) -> u64 {
        // The least byte that isn't masked; bytes above `LAST` count as `LAST`.
        let least = match phred {
            0 => 0,
            phred => FIRST.saturating_add(phred),
        };
        let len = bases.len().min(qualities.len());
        let (base_blocks, bases) = bases[..len].as_chunks_mut::<32>();
        let (quality_blocks, qualities) = qualities[..len].as_chunks::<32>();
        let mut masked = 0;
        for (bases, qualities) in base_blocks.iter_mut().zip(quality_blocks) {
            masked += mask_block(bases, qualities, least);
        }
        for (base, quality) in bases.iter_mut().zip(qualities) {
            masked += mask_block(std::array::from_mut(base), std::array::from_ref(quality), least);
        }
        masked
    }

    #[inline(always)]
    fn mask_block<const N: usize>(bases: &mut [u8; N], qualities: &[u8; N], least: u8) -> u64 {
        let mut masked = 0u8;
        for i in 0..N {
            let is_low = qualities[i].min(LAST) < least;
            masked += u8::from(is_low & (bases[i] != b'N'));
            bases[i] = if is_low { b'N' } else { bases[i] };
        }
        u64::from(masked)
    }

    /// Bytes that aren't qualities: those whose distance from the first quality is too large.
    #[derive(Clone, Copy)]
    pub(crate) struct QualityCheck<V> {
        first: V,
        invalid: V,
    }

    impl<V: Vector> QualityCheck<V> {
        #[inline(always)]
        pub(crate) fn new() -> Self {
            Self { first: V::splat(FIRST), invalid: V::splat(LAST - FIRST + 1) }
        }
    }

    impl<V: Vector> Check<V> for QualityCheck<V> {
        const FILL: u8 = FIRST;

        #[inline(always)]
        fn fold(self, bad: V, block: V) -> V {
            bad.max(block.subtract(self.first))
        }

        #[inline(always)]
        fn is_bad(self, bad: V) -> bool {
            bad.any_at_least(self.invalid)
        }

        #[inline(always)]
        fn find(bytes: &[u8]) -> Option<usize> {
            reference::find_invalid_quality(bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bases_below_are_masked(
            read in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..100),
            beyond in 0usize..3,
            least in any::<u8>(),
        ) {
            let (bases, qualities): (Vec<u8>, Vec<u8>) = read.iter().copied().unzip();
            let qualities = &qualities[..bases.len().saturating_sub(beyond)];
            let is_low = |i: usize| qualities.get(i).is_some_and(|&q| q.clamp(33, 126) - 33 < least);
            let expected: Vec<u8> =
                bases.iter().enumerate().map(|(i, &base)| if is_low(i) { b'N' } else { base }).collect();
            let changed = bases.iter().zip(&expected).filter(|(a, b)| a != b).count();
            let mut masked = bases.clone();
            prop_assert_eq!(reference::mask_below(&mut masked, qualities, least), changed as u64);
            prop_assert_eq!(masked, expected);
        }
    }
}
