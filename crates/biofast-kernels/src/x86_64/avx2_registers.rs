//! Bytes in AVX2's registers: loads, tables and sums.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::quality::{ERROR_PROBABILITY, PHRED_VALUES};

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn load(block: &[u8; 32]) -> __m256i {
    // SAFETY: the block has 32 bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
}

/// Fewer than 32 bytes, zero beyond: whole words by a masked load, the rest of a word from general registers.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn load_or_zero(bytes: &[u8]) -> __m256i {
    let len = bytes.len();
    assert!(len < 32);
    let words = _mm256_set1_epi32((len / 4) as i32);
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    // SAFETY: masked-out words aren't accessed, and the mask covers the words that lie in the slice.
    let whole =
        unsafe { _mm256_maskload_epi32(bytes.as_ptr().cast(), _mm256_cmpgt_epi32(words, lanes)) };
    let rest = match bytes {
        _ if len.is_multiple_of(4) => return whole,
        [.., a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]) >> (8 * (4 - len % 4)),
        [a] => u32::from(*a),
        [a, b] => u32::from_le_bytes([*a, *b, 0, 0]),
        [a, b, c, ..] => u32::from_le_bytes([*a, *b, *c, 0]),
        [] => 0,
    };
    let rest = _mm256_and_si256(_mm256_set1_epi32(rest as i32), _mm256_cmpeq_epi32(words, lanes));
    _mm256_or_si256(whole, rest)
}

/// A table of 16 bytes in both halves.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn load_table(table: &[u8; 16]) -> __m256i {
    // SAFETY: the table has 16 bytes; the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

/// The sum of four 64-bit lanes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn reduce_add(sums: __m256i) -> u64 {
    let low = _mm256_castsi256_si128(sums);
    let pair = _mm_add_epi64(low, _mm256_extracti128_si256::<1>(sums));
    _mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair))) as u64
}

/// Phred values, where `FIRST` is the byte of Phred 0; those of zero lanes are zero.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn to_phred<const FIRST: u8>(block: __m256i) -> __m256i {
    let first = _mm256_set1_epi8(FIRST as i8);
    let most = _mm256_set1_epi8((PHRED_VALUES - 1) as i8);
    _mm256_min_epu8(_mm256_subs_epu8(block, first), most)
}

/// The bytes of the probabilities of any Phred values.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn look_up_any(phred: __m256i) -> [__m256i; 4] {
    let mut planes = [_mm256_setzero_si256(); 4];
    let mut look_up = |slices: std::ops::Range<usize>| {
        for slice in slices {
            // Bit 7 set, and so 0 looked up, unless the upper nibble is the slice's.
            let nibble = _mm256_set1_epi8((16 * slice) as i8);
            let index = _mm256_adds_epu8(_mm256_xor_si256(phred, nibble), _mm256_set1_epi8(0x70));
            let tables = &ERROR_TABLES[slice][..ERROR_PLANES[slice]];
            for (plane, table) in planes.iter_mut().zip(tables) {
                let bytes = _mm256_shuffle_epi8(load_table(table), index);
                *plane = _mm256_or_si256(*plane, bytes);
            }
        }
    };
    look_up(0..3);
    // Seldom more than Phred 47.
    let high = _mm256_cmpgt_epi8(phred, _mm256_set1_epi8(47));
    if _mm256_movemask_epi8(high) != 0 {
        look_up(3..6);
    }
    planes
}

/// [`ERROR_PROBABILITY`] as lookups: `[q / 16][byte of the probability][q % 16]`.
pub(super) static ERROR_TABLES: [[[u8; 16]; 4]; 6] = {
    let mut tables = [[[0; 16]; 4]; 6];
    let mut q = 0;
    while q < PHRED_VALUES {
        let bytes = ERROR_PROBABILITY[q].to_le_bytes();
        let mut plane = 0;
        while plane < 4 {
            tables[q / 16][plane][q % 16] = bytes[plane];
            plane += 1;
        }
        q += 1;
    }
    tables
};

/// How many planes of each slice aren't all zero: probabilities of high values are small.
pub(super) const ERROR_PLANES: [usize; 6] = {
    let mut planes = [0; 6];
    let mut slice = 0;
    while slice < 6 {
        // The largest probability of a slice is its first.
        let bits = u32::BITS - ERROR_PROBABILITY[16 * slice].leading_zeros();
        planes[slice] = bits.div_ceil(8) as usize;
        slice += 1;
    }
    planes
};
