//! BAM's packed bases and raw qualities with AVX-512: 32 packed bytes are 64 bases. Conversions of less than one block
//! are left to AVX2, which every CPU that gets these kernels has.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2;
use super::avx512::{load, load_or_zero};
use crate::packed::blocks::{Room, map_blocks, map_blocks_reversed, unpaired_complement};
use crate::packed::fields::{FIELD_VECTORS, Fields, count_bases_with, count_gc_with};
use crate::packed::{COMPLEMENTS, LETTERS, MOST, occupied};
use crate::{BaseCounts, GcCounts, quality};

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_half(block: &[u8; 32]) -> __m256i {
    // SAFETY: the block has 32 bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
}

/// A table of 16 bytes in all quarters, so that a lookup in 64 entries needs only the lower nibble.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_table(table: &[u8; 16]) -> __m512i {
    // SAFETY: the table has 16 bytes; the load needs no alignment.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn store(out: &mut [MaybeUninit<u8>; 64], bytes: __m512i) {
    // SAFETY: the block has 64 bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), bytes) }
}

/// Appends `len` bytes, of the `room` that `fill` initializes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn append(out: &mut Vec<u8>, len: usize, room: usize, fill: impl FnOnce(&mut Room)) {
    assert!(len <= room);
    out.reserve(room);
    fill(&mut out.spare_capacity_mut()[..room]);
    // SAFETY: the capacity was reserved, and `fill`, which is one of this file, writes each byte of its slice.
    unsafe { out.set_len(out.len() + len) };
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn unpack_bases_avx512(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    if packed.len() < 32 {
        return (avx2::KERNELS.unpack_bases)(packed, len, out);
    }
    let letters = load_table(&LETTERS);
    // The bit at which each code starts among the four bytes of a word, the upper half of a byte first.
    let shifts = _mm512_set1_epi64(0x181c_1014_080c_0004);
    append(out, len, 2 * packed.len(), |room| {
        map_blocks(packed, room, |block, out| {
            let words = _mm512_cvtepu32_epi64(load_half(block));
            let codes = _mm512_multishift_epi64_epi8(shifts, words);
            store(out, _mm512_permutexvar_epi8(codes, letters));
        });
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn unpack_bases_reverse_complement_avx512(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    if packed.len() < 32 {
        return (avx2::KERNELS.unpack_bases_reverse_complement)(packed, len, out);
    }
    let letters = load_table(&COMPLEMENTS);
    // The last word first, and in it the last code.
    let order = _mm512_setr_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    let shifts = _mm512_set1_epi64(0x0400_0c08_1410_1c18);
    append(out, len, len, |room| {
        let (packed, room) = unpaired_complement(packed, room);
        map_blocks_reversed(packed, room, |block, out| {
            let words = _mm512_castsi256_si512(load_half(block));
            let words = _mm512_permutexvar_epi32(order, words);
            let codes = _mm512_multishift_epi64_epi8(shifts, words);
            store(out, _mm512_permutexvar_epi8(codes, letters));
        });
    });
}

/// Adds up the fields of all codes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_fields<const N: usize>(packed: &[u8], tables: &[Fields; N]) -> [[u64; 2]; N] {
    let zero = _mm512_setzero_si512();
    let nibbles = _mm512_set1_epi8(15);
    let tables = tables.each_ref().map(|table| load_table(table));
    let mut sums = [[zero; 2]; N];
    let add = |fields: &mut [__m512i; N], block| {
        let upper = _mm512_and_si512(_mm512_srli_epi16::<4>(block), nibbles);
        let lower = _mm512_and_si512(block, nibbles);
        for (field, table) in fields.iter_mut().zip(tables) {
            *field = _mm512_add_epi8(*field, _mm512_shuffle_epi8(table, upper));
            *field = _mm512_add_epi8(*field, _mm512_shuffle_epi8(table, lower));
        }
    };
    let mut flush = |fields: [__m512i; N]| {
        for ([low, high], field) in sums.iter_mut().zip(fields) {
            let lower = _mm512_and_si512(field, nibbles);
            let upper = _mm512_and_si512(_mm512_srli_epi16::<4>(field), nibbles);
            *low = _mm512_add_epi64(*low, _mm512_sad_epu8(lower, zero));
            *high = _mm512_add_epi64(*high, _mm512_sad_epu8(upper, zero));
        }
    };
    let (blocks, tail) = packed.as_chunks();
    let (groups, blocks) = blocks.as_chunks::<FIELD_VECTORS>();
    for group in groups {
        let mut fields = [zero; N];
        for block in group {
            add(&mut fields, load(block));
        }
        flush(fields);
    }
    // At most six blocks and the tail.
    let mut fields = [zero; N];
    for block in blocks {
        add(&mut fields, load(block));
    }
    if !tail.is_empty() {
        add(&mut fields, load_or_zero(tail));
    }
    flush(fields);
    sums.map(|sums| sums.map(|sum| _mm512_reduce_add_epi64(sum) as u64))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn count_packed_bases_avx512(packed: &[u8], len: usize) -> BaseCounts {
    count_bases_with(packed, len, |packed, tables| count_fields(packed, tables))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn count_packed_gc_avx512(packed: &[u8], len: usize) -> GcCounts {
    count_gc_with(packed, len, |packed, tables| count_fields(packed, tables))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn to_ascii(block: __m512i) -> __m512i {
    let phred = _mm512_min_epu8(block, _mm512_set1_epi8(MOST as i8));
    _mm512_add_epi8(phred, _mm512_set1_epi8(quality::FIRST as i8))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn copy_qualities_avx512(raw: &[u8], out: &mut Vec<u8>) {
    if raw.len() < 64 {
        return (avx2::KERNELS.copy_qualities)(raw, out);
    }
    append(out, raw.len(), raw.len(), |room| {
        map_blocks(raw, room, |block, out| store(out, to_ascii(load(block))));
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn copy_qualities_reversed_avx512(raw: &[u8], out: &mut Vec<u8>) {
    if raw.len() < 64 {
        return (avx2::KERNELS.copy_qualities_reversed)(raw, out);
    }
    let reversed: [u8; 64] = std::array::from_fn(|lane| 63 - lane as u8);
    let reversed = load(&reversed);
    append(out, raw.len(), raw.len(), |room| {
        map_blocks_reversed(raw, room, |block, out| {
            store(out, _mm512_permutexvar_epi8(reversed, to_ascii(load(block))));
        });
    });
}
