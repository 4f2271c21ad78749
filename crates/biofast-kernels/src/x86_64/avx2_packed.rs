//! BAM's packed bases and raw qualities with AVX2: 16 packed bytes are 32 bases.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2::{load, load_or_zero, load_table, reduce_add};
use crate::packed::blocks::{Room, map_blocks, map_blocks_reversed, unpaired_complement};
use crate::packed::fields::{FIELD_VECTORS, Fields, count_bases_with, count_gc_with};
use crate::packed::{COMPLEMENTS, LETTERS, MOST, occupied};
use crate::{BaseCounts, GcCounts, quality};

/// The order that reverses 16 lanes.
const REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_half(block: &[u8; 16]) -> __m128i {
    // SAFETY: the block has 16 bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn store(out: &mut [MaybeUninit<u8>; 32], bytes: __m256i) {
    // SAFETY: the block has 32 bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) }
}

/// Appends `len` bytes, of the `room` that `fill` initializes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn append(out: &mut Vec<u8>, len: usize, room: usize, fill: impl FnOnce(&mut Room)) {
    assert!(len <= room);
    out.reserve(room);
    fill(&mut out.spare_capacity_mut()[..room]);
    // SAFETY: the capacity was reserved, and `fill`, which is one of this file, writes each byte of its slice.
    unsafe { out.set_len(out.len() + len) };
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn unpack_bases_avx2(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    let letters = load_table(&LETTERS);
    let nibbles = _mm256_set1_epi8(15);
    append(out, len, 2 * packed.len(), |room| {
        map_blocks(packed, room, |block, out| {
            // The upper half of each byte to the even lane, the lower one to the odd lane.
            let pairs = _mm256_cvtepu8_epi16(load_half(block));
            let pairs =
                _mm256_or_si256(_mm256_srli_epi16::<4>(pairs), _mm256_slli_epi16::<8>(pairs));
            store(out, _mm256_shuffle_epi8(letters, _mm256_and_si256(pairs, nibbles)));
        });
    });
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn unpack_bases_reverse_complement_avx2(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    let letters = load_table(&COMPLEMENTS);
    let nibbles = _mm256_set1_epi8(15);
    let reversed = load_half(&REVERSED);
    append(out, len, len, |room| {
        let (packed, room) = unpaired_complement(packed, room);
        map_blocks_reversed(packed, room, |block, out| {
            // The lower half of each byte to the even lane, the upper one to the odd lane.
            let pairs = _mm256_cvtepu8_epi16(_mm_shuffle_epi8(load_half(block), reversed));
            let pairs = _mm256_or_si256(pairs, _mm256_slli_epi16::<4>(pairs));
            store(out, _mm256_shuffle_epi8(letters, _mm256_and_si256(pairs, nibbles)));
        });
    });
}

/// Adds up the fields of all codes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_fields<const N: usize>(packed: &[u8], tables: &[Fields; N]) -> [[u64; 2]; N] {
    let zero = _mm256_setzero_si256();
    let nibbles = _mm256_set1_epi8(15);
    let tables = tables.each_ref().map(|table| load_table(table));
    let mut sums = [[zero; 2]; N];
    let add = |fields: &mut [__m256i; N], block| {
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(block), nibbles);
        let lower = _mm256_and_si256(block, nibbles);
        for (field, table) in fields.iter_mut().zip(tables) {
            *field = _mm256_add_epi8(*field, _mm256_shuffle_epi8(table, upper));
            *field = _mm256_add_epi8(*field, _mm256_shuffle_epi8(table, lower));
        }
    };
    let mut flush = |fields: [__m256i; N]| {
        for ([low, high], field) in sums.iter_mut().zip(fields) {
            let lower = _mm256_and_si256(field, nibbles);
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(field), nibbles);
            *low = _mm256_add_epi64(*low, _mm256_sad_epu8(lower, zero));
            *high = _mm256_add_epi64(*high, _mm256_sad_epu8(upper, zero));
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
    sums.map(|sums| sums.map(|sum| reduce_add(sum)))
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_packed_bases_avx2(packed: &[u8], len: usize) -> BaseCounts {
    count_bases_with(packed, len, |packed, tables| count_fields(packed, tables))
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_packed_gc_avx2(packed: &[u8], len: usize) -> GcCounts {
    count_gc_with(packed, len, |packed, tables| count_fields(packed, tables))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn to_ascii(block: __m256i) -> __m256i {
    let phred = _mm256_min_epu8(block, _mm256_set1_epi8(MOST as i8));
    _mm256_add_epi8(phred, _mm256_set1_epi8(quality::FIRST as i8))
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn copy_qualities_avx2(raw: &[u8], out: &mut Vec<u8>) {
    append(out, raw.len(), raw.len(), |room| {
        map_blocks(raw, room, |block, out| store(out, to_ascii(load(block))));
    });
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn copy_qualities_reversed_avx2(raw: &[u8], out: &mut Vec<u8>) {
    let reversed = load_table(&REVERSED);
    append(out, raw.len(), raw.len(), |room| {
        map_blocks_reversed(raw, room, |block, out| {
            let halves = _mm256_shuffle_epi8(to_ascii(load(block)), reversed);
            store(out, _mm256_permute2x128_si256::<1>(halves, halves));
        });
    });
}
