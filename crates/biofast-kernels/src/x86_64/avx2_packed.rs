//! BAM's packed bases and raw qualities with AVX2: 16 packed bytes are 32 bases.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2_registers::{load, load_table};
use crate::packed::blocks::{append, map_blocks, map_blocks_reversed, unpaired_complement};
use crate::packed::layout::{COMPLEMENTS, LETTERS, MOST, occupied};
use crate::quality;

/// The order that reverses 16 lanes.
const REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn load_half(block: &[u8; 16]) -> __m128i {
    // SAFETY: the block has 16 bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn store(out: &mut [MaybeUninit<u8>; 32], bytes: __m256i) {
    // SAFETY: the block has 32 bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) }
}

#[inline]
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

#[inline]
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

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn to_ascii(block: __m256i) -> __m256i {
    let phred = _mm256_min_epu8(block, _mm256_set1_epi8(MOST as i8));
    _mm256_add_epi8(phred, _mm256_set1_epi8(quality::FIRST as i8))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn copy_qualities_avx2(raw: &[u8], out: &mut Vec<u8>) {
    append(out, raw.len(), raw.len(), |room| {
        map_blocks(raw, room, |block, out| store(out, to_ascii(load(block))));
    });
}

#[inline]
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
