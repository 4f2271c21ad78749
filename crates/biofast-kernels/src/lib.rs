//! SIMD kernels over sequences and qualities: base counts, GC, Phred sums, validity, newlines, per-position columns.
//!
//! Every function takes any bytes, needs no alignment and is safe. The instruction set is chosen at run time, once:
//! AVX-512 or AVX2 on x86-64, NEON on AArch64, portable code elsewhere, all with the same results bit for bit.
//! `BIOFAST_SIMD` overrides the choice; see [`check_override`].
//!
//! Qualities are ASCII Phred+33. Bytes outside 33..=126 aren't valid qualities: the quality kernels clamp them to
//! that range, and [`find_invalid_quality`] finds them. BAM's packed bases and its qualities without an offset, which
//! are called raw here, have kernels of their own ([`count_packed_bases`], [`summarize_raw_qualities`]) and are converted
//! by [`unpack_bases`] and [`copy_qualities`].
//!
//! ```
//! use biofast_kernels::{count_bases, mean_phred};
//!
//! assert_eq!(count_bases(b"ACGTN").gc(), 2);
//! assert!((mean_phred(b"5555").unwrap() - 20.0).abs() < 1e-6);
//! ```

mod bases;
mod columns;
mod dispatch;
mod newlines;
mod packed;
mod quality;
mod records;
mod scalar;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(test)]
mod tests;

pub use bases::{BaseCounts, GcCounts, ReadSummary};
pub use columns::{BaseColumns, COLUMN_BLOCK, QualityColumns};
pub use dispatch::{Isa, OverrideError, active, available, check_override};
#[doc(hidden)]
pub use dispatch::{Kernels, kernels_for};
pub use packed::{
    copy_qualities, copy_qualities_reversed, count_packed_bases, count_packed_gc, is_missing,
    summarize_raw_qualities, unpack_bases, unpack_bases_reverse_complement,
};
pub use quality::{ERROR_SCALE, PHRED_VALUES, QualitySummary};

use dispatch::kernels;

/// Counts the base letters, upper and lower case together.
#[inline]
pub fn count_bases(bases: &[u8]) -> BaseCounts {
    (kernels().count_bases)(bases)
}

/// Counts `G`, `C`, `g` and `c`.
#[inline]
pub fn count_gc(bases: &[u8]) -> u64 {
    (kernels().count_gc)(bases)
}

/// Counts G and C beside all of A, C, G and T, ignoring case: what the GC content of a read needs, in less time than
/// [`count_bases`].
///
/// ```
/// let counts = biofast_kernels::count_gc_acgt(b"ACgTNN-");
/// assert_eq!((counts.gc, counts.acgt), (2, 4));
/// ```
#[inline]
pub fn count_gc_acgt(bases: &[u8]) -> GcCounts {
    (kernels().count_gc_acgt)(bases)
}

/// [`count_gc_acgt`] and [`sum_error_probability`] of many reads in one call, which saves the set-up of each.
///
/// As many entries are written as the shortest of the three slices has.
#[inline]
pub fn summarize_reads(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
    (kernels().summarize_reads)(bases, qualities, out);
}

/// Counts `N` and `n`.
#[inline]
pub fn count_n(bases: &[u8]) -> u64 {
    (kernels().count_n)(bases)
}

/// Sum of the Phred values: all that the mean of a read needs, in less time than [`summarize_qualities`].
///
/// ```
/// assert_eq!(biofast_kernels::sum_qualities(b"!5I"), 0 + 20 + 40);
/// ```
#[inline]
pub fn sum_qualities(qualities: &[u8]) -> u64 {
    (kernels().sum_qualities)(qualities)
}

/// Sum, minimum, maximum and the numbers of bases from Q20 and Q30 up, in one pass.
#[inline]
pub fn summarize_qualities(qualities: &[u8]) -> QualitySummary {
    (kernels().summarize_qualities)(qualities)
}

/// Counts the qualities of at least `phred` (not the byte: 33 is not included).
///
/// ```
/// assert_eq!(biofast_kernels::count_at_least(b"!5I", 20), 2);
/// ```
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

/// Mean error probability, between 0 and 1; `None` for an empty slice. Precision: see [`sum_error_probability`].
pub fn mean_error_probability(qualities: &[u8]) -> Option<f64> {
    let sum = sum_error_probability(qualities) as f64;
    (!qualities.is_empty()).then(|| sum / ERROR_SCALE / qualities.len() as f64)
}

/// The Phred value of the mean error probability, −10·log10([`mean_error_probability`]); `None` for an empty slice.
///
/// Not the mean of the Phred values, which overstates the quality of a read.
pub fn mean_phred(qualities: &[u8]) -> Option<f64> {
    // A probability of 1 has the logarithm 0; adding 0 turns −0 into 0.
    mean_error_probability(qualities).map(|mean| -10.0 * mean.log10() + 0.0)
}

/// Adds the histogram of the Phred values: entry q counts the qualities of Phred q.
///
/// For what lies beyond the positions that [`QualityColumns`] is used for.
pub fn count_qualities(qualities: &[u8], histogram: &mut [u64; PHRED_VALUES]) {
    quality::count_qualities(qualities, histogram);
}

/// Index of the first byte that isn't an ASCII letter, a digit (colour space), `-`, `.` or `*`.
///
/// ```
/// assert_eq!(biofast_kernels::find_invalid_base(b"ACGTN-"), None);
/// assert_eq!(biofast_kernels::find_invalid_base(b"ACG T"), Some(3));
/// ```
#[inline]
pub fn find_invalid_base(bases: &[u8]) -> Option<usize> {
    (kernels().find_invalid_base)(bases)
}

/// Index of the first byte outside 33..=126.
#[inline]
pub fn find_invalid_quality(qualities: &[u8]) -> Option<usize> {
    (kernels().find_invalid_quality)(qualities)
}

/// Counts line feeds.
#[inline]
pub fn count_newlines(bytes: &[u8]) -> u64 {
    (kernels().count_newlines)(bytes)
}

/// Counts the plain records of FASTQ at the front of those that start at byte `start` of `bytes` and whose four lines end
/// at `newlines`. A record is plain if its first line starts with `@` and [`find_control`] finds nothing in it, the third is
/// `+` alone, the second has only what [`find_invalid_base`] accepts and the fourth as many qualities, all valid, and no line
/// ends with a carriage return.
///
/// ```
/// let text = b"@a\nACGT\n+\nIIII\n@b\nAC\n+b\nII\n";
/// assert_eq!(biofast_kernels::count_plain_records(text, 0, &[[2, 7, 9, 14], [17, 20, 23, 26]]), 1);
/// ```
///
/// # Panics
/// If the newlines are not in ascending order or not inside of `bytes`.
#[inline]
pub fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    (kernels().count_plain_records)(bytes, start, newlines)
}

/// Where the first control character of a header line is: a byte below 32 other than a tab, or 127.
///
/// ```
/// assert_eq!(biofast_kernels::find_control(b"@r\t1"), None);
/// assert_eq!(biofast_kernels::find_control(b"@r\01"), Some(2));
/// ```
#[inline]
pub fn find_control(header: &[u8]) -> Option<usize> {
    records::find_control(header)
}

/// Appends `base` + the offset of each line feed, in ascending order.
///
/// # Panics
/// If `base` + `bytes.len()` doesn't fit `u32`.
///
/// ```
/// let mut newlines = Vec::new();
/// biofast_kernels::index_newlines(b"@r\nAC\n", 100, &mut newlines);
/// assert_eq!(newlines, [102, 105]);
/// ```
#[inline]
pub fn index_newlines(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
    assert!(bytes.len() <= (u32::MAX - base) as usize, "offsets of line feeds don't fit 32 bits");
    (kernels().index_newlines)(bytes, base, out);
}
