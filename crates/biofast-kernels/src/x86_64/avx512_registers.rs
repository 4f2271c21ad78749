//! Bytes in the registers of AVX-512: loads and tables.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load(block: &[u8; 64]) -> __m512i {
    // SAFETY: the block has 64 bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

/// A table of 16 bytes in all quarters, so that a lookup in 64 entries needs only the lower nibble.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load_small_table(table: &[u8; 16]) -> __m512i {
    // SAFETY: the table has 16 bytes; the load needs no alignment.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

/// The first 64 bytes or fewer; the lanes beyond are zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load_or_zero(bytes: &[u8]) -> __m512i {
    // SAFETY: masked-out lanes aren't accessed, and the mask covers at most the length of the slice.
    unsafe { _mm512_maskz_loadu_epi8(lanes(bytes.len()), bytes.as_ptr().cast()) }
}

/// The two halves of a table of 128 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load_table(table: &[u8; 128]) -> [__m512i; 2] {
    let (halves, _) = table.as_chunks::<64>();
    [load(&halves[0]), load(&halves[1])]
}

/// The lanes of the first `len` bytes, all when there are 64 or more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn lanes(len: usize) -> __mmask64 {
    _bzhi_u64(u64::MAX, len.min(64) as u32)
}
