//! BAM's packed bases and raw qualities with AVX-512: 32 packed bytes are 64 bases. Conversions of less than one block
//! are left to AVX2, which every CPU that gets these kernels has.

#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2;
use super::avx512_registers::{load, load_small_table};
use crate::packed::blocks::{append, map_blocks, map_blocks_reversed, unpaired_complement};
use crate::packed::layout::{COMPLEMENTS, LETTERS, MOST, occupied};
use crate::quality;

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_half(block: &[u8; 32]) -> __m256i {
    // SAFETY: the block has 32 bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn store(out: &mut [MaybeUninit<u8>; 64], bytes: __m512i) {
    // SAFETY: the block has 64 bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), bytes) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn unpack_bases_avx512(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    if packed.len() < 32 {
        return (avx2::KERNELS.unpack_bases)(packed, len, out);
    }
    let letters = load_small_table(&LETTERS);
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

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn unpack_bases_reverse_complement_avx512(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    if packed.len() < 32 {
        return (avx2::KERNELS.unpack_bases_reverse_complement)(packed, len, out);
    }
    let letters = load_small_table(&COMPLEMENTS);
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

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn to_ascii(block: __m512i) -> __m512i {
    let phred = _mm512_min_epu8(block, _mm512_set1_epi8(MOST as i8));
    _mm512_add_epi8(phred, _mm512_set1_epi8(quality::FIRST as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn copy_qualities_avx512(raw: &[u8], out: &mut Vec<u8>) {
    if raw.len() < 64 {
        return (avx2::KERNELS.copy_qualities)(raw, out);
    }
    append(out, raw.len(), raw.len(), |room| {
        map_blocks(raw, room, |block, out| store(out, to_ascii(load(block))));
    });
}

#[inline]
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
