//! BAM's sequence and qualities as a record stores them: two bases a byte, Phred values without an offset.
//!
//! `biofast-bam` hands out the slices that these functions take.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod blocks;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fields;
pub(crate) mod layout;

use crate::dispatch::kernels;
use crate::quality;
use crate::{BaseCounts, GcCounts, QualitySummary};
pub(crate) use layout::{COMPLEMENTS, LETTERS, MOST, occupied};

/// Appends `len` bases as letters.
///
/// `packed` is a sequence as BAM stores it: two bases a byte, the first in the upper half, coded by their index in
/// `=ACMGRSVTWYHKDBN`. Bytes beyond the last base are ignored.
///
/// # Panics
/// If `packed` has fewer than `len.div_ceil(2)` bytes.
///
/// ```
/// let mut bases = Vec::new();
/// biofast_kernels::unpack_bases(&[0x12, 0x4f, 0x80], 5, &mut bases);
/// assert_eq!(bases, b"ACGNT");
/// ```
#[inline]
pub fn unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    (kernels().unpack_bases)(packed, len, out);
}

/// Appends the reverse complement of `len` bases as letters: the read as it was sequenced, if it is aligned to the
/// reverse strand. Ambiguity codes are complemented, too; `=` stays.
///
/// # Panics
/// If `packed` has fewer than `len.div_ceil(2)` bytes.
#[inline]
pub fn unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    (kernels().unpack_bases_reverse_complement)(packed, len, out);
}

/// [`crate::count_bases`] of packed bases: see [`unpack_bases`].
///
/// # Panics
/// If `packed` has fewer than `len.div_ceil(2)` bytes.
#[inline]
pub fn count_packed_bases(packed: &[u8], len: usize) -> BaseCounts {
    (kernels().count_packed_bases)(packed, len)
}

/// [`crate::count_gc_acgt`] of packed bases, in less time than [`count_packed_bases`].
///
/// # Panics
/// If `packed` has fewer than `len.div_ceil(2)` bytes.
#[inline]
pub fn count_packed_gc(packed: &[u8], len: usize) -> GcCounts {
    (kernels().count_packed_gc)(packed, len)
}

/// Appends raw Phred values as ASCII Phred+33. Values above 93, the largest that has a character, become `~`.
///
/// So do missing qualities, which [`is_missing`] detects.
#[inline]
pub fn copy_qualities(raw: &[u8], out: &mut Vec<u8>) {
    (kernels().copy_qualities)(raw, out);
}

/// Like [`copy_qualities`], in reverse order, to go with [`unpack_bases_reverse_complement`].
#[inline]
pub fn copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>) {
    (kernels().copy_qualities_reversed)(raw, out);
}

/// [`crate::summarize_qualities`] of raw Phred values, where values above 93 count as 93.
///
/// Missing qualities aren't recognized here: see [`is_missing`].
#[inline]
pub fn summarize_raw_qualities(raw: &[u8]) -> QualitySummary {
    (kernels().summarize_raw_qualities)(raw)
}

/// Whether a BAM record has no qualities: whether the first byte is 255.
///
/// The SAM specification then fills all of them with 255, and otherwise allows values up to 93, so the first byte
/// decides. Some writers set only the first byte to 255 and the others to 0; samtools treats such qualities as missing,
/// and so does this function. An empty slice isn't missing: it belongs to a record without a sequence.
#[inline]
pub fn is_missing(raw: &[u8]) -> bool {
    raw.first() == Some(&u8::MAX)
}

pub(crate) mod reference {
    //! The kernels as their definitions.

    use super::*;

    fn codes(packed: &[u8], len: usize) -> impl DoubleEndedIterator<Item = u8> {
        let packed = occupied(packed, len);
        (0..len).map(|base| match base % 2 {
            0 => packed[base / 2] >> 4,
            _ => packed[base / 2] & 15,
        })
    }

    pub(crate) fn unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>) {
        out.extend(codes(packed, len).map(|code| LETTERS[usize::from(code)]));
    }

    pub(crate) fn unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>) {
        out.extend(codes(packed, len).rev().map(|code| COMPLEMENTS[usize::from(code)]));
    }

    pub(crate) fn count_packed_bases(packed: &[u8], len: usize) -> BaseCounts {
        let mut counts = [0; 16];
        for code in codes(packed, len) {
            counts[usize::from(code)] += 1;
        }
        BaseCounts::from_acgtn([1, 2, 4, 8, 15].map(|code| counts[code]), len as u64)
    }

    pub(crate) fn count_packed_gc(packed: &[u8], len: usize) -> GcCounts {
        let counts = count_packed_bases(packed, len);
        GcCounts { gc: counts.gc(), acgt: counts.acgt() }
    }

    fn to_ascii(phred: &u8) -> u8 {
        quality::FIRST + MOST.min(*phred)
    }

    pub(crate) fn copy_qualities(raw: &[u8], out: &mut Vec<u8>) {
        out.extend(raw.iter().map(to_ascii));
    }

    pub(crate) fn copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>) {
        out.extend(raw.iter().rev().map(to_ascii));
    }

    pub(crate) fn summarize_raw_qualities(raw: &[u8]) -> QualitySummary {
        QualitySummary::of_phreds(raw.iter().map(|&phred| phred.min(MOST)))
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector {
    //! The kernels over vectors.

    use super::fields::{count_bases_with, count_gc_with};
    use crate::vector::Simd;
    use crate::{BaseCounts, GcCounts, QualitySummary};

    #[inline(always)]
    pub(crate) fn unpack_bases<S: Simd>(packed: &[u8], len: usize, out: &mut Vec<u8>) {
        S::unpack_bases(packed, len, out);
    }

    #[inline(always)]
    pub(crate) fn unpack_bases_reverse_complement<S: Simd>(
        packed: &[u8],
        len: usize,
        out: &mut Vec<u8>,
    ) {
        S::unpack_bases_reverse_complement(packed, len, out);
    }

    #[inline(always)]
    pub(crate) fn count_packed_bases<S: Simd>(packed: &[u8], len: usize) -> BaseCounts {
        count_bases_with::<S::Vector>(packed, len)
    }

    #[inline(always)]
    pub(crate) fn count_packed_gc<S: Simd>(packed: &[u8], len: usize) -> GcCounts {
        count_gc_with::<S::Vector>(packed, len)
    }

    #[inline(always)]
    pub(crate) fn copy_qualities<S: Simd>(raw: &[u8], out: &mut Vec<u8>) {
        S::copy_qualities(raw, out);
    }

    #[inline(always)]
    pub(crate) fn copy_qualities_reversed<S: Simd>(raw: &[u8], out: &mut Vec<u8>) {
        S::copy_qualities_reversed(raw, out);
    }

    #[inline(always)]
    pub(crate) fn summarize_raw_qualities<S: Simd>(raw: &[u8]) -> QualitySummary {
        S::summarize::<0>(raw)
    }
}
