//! BAM's packed bases and raw qualities with NEON: 16 packed bytes are 32 bases.

#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::mem::MaybeUninit;

use super::neon_registers::load;
use crate::packed::blocks::{append, map_blocks, map_blocks_reversed, unpaired_complement};
use crate::packed::layout::{COMPLEMENTS, LETTERS, MOST, occupied};
use crate::quality;

#[inline]
#[target_feature(enable = "neon")]
fn store(out: &mut [MaybeUninit<u8>; 16], bytes: uint8x16_t) {
    // SAFETY: the block has 16 bytes; the store needs no alignment.
    unsafe { vst1q_u8(out.as_mut_ptr().cast(), bytes) }
}

/// Stores the lanes of two vectors alternating.
#[inline]
#[target_feature(enable = "neon")]
fn store_pairs(out: &mut [MaybeUninit<u8>; 32], even: uint8x16_t, odd: uint8x16_t) {
    // SAFETY: the block has 32 bytes; the store needs no alignment.
    unsafe { vst2q_u8(out.as_mut_ptr().cast(), uint8x16x2_t(even, odd)) }
}

/// The lanes in reversed order.
#[inline]
#[target_feature(enable = "neon")]
fn reverse(bytes: uint8x16_t) -> uint8x16_t {
    let halves = vrev64q_u8(bytes);
    vextq_u8::<8>(halves, halves)
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn unpack_bases_neon(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    let letters = load(&LETTERS);
    append(out, len, 2 * packed.len(), |room| {
        map_blocks(packed, room, |block, out| {
            let block = load(block);
            let upper = vqtbl1q_u8(letters, vshrq_n_u8::<4>(block));
            let lower = vqtbl1q_u8(letters, vandq_u8(block, vdupq_n_u8(15)));
            store_pairs(out, upper, lower);
        });
    });
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn unpack_bases_reverse_complement_neon(packed: &[u8], len: usize, out: &mut Vec<u8>) {
    let packed = occupied(packed, len);
    let letters = load(&COMPLEMENTS);
    append(out, len, len, |room| {
        let (packed, room) = unpaired_complement(packed, room);
        map_blocks_reversed(packed, room, |block, out| {
            let block = reverse(load(block));
            let upper = vqtbl1q_u8(letters, vshrq_n_u8::<4>(block));
            let lower = vqtbl1q_u8(letters, vandq_u8(block, vdupq_n_u8(15)));
            store_pairs(out, lower, upper);
        });
    });
}

#[inline]
#[target_feature(enable = "neon")]
fn to_ascii(block: uint8x16_t) -> uint8x16_t {
    vaddq_u8(vminq_u8(block, vdupq_n_u8(MOST)), vdupq_n_u8(quality::FIRST))
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn copy_qualities_neon(raw: &[u8], out: &mut Vec<u8>) {
    append(out, raw.len(), raw.len(), |room| {
        map_blocks(raw, room, |block, out| store(out, to_ascii(load(block))));
    });
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn copy_qualities_reversed_neon(raw: &[u8], out: &mut Vec<u8>) {
    append(out, raw.len(), raw.len(), |room| {
        map_blocks_reversed(raw, room, |block, out| store(out, reverse(to_ascii(load(block)))));
    });
}
