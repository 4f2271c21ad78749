//! BAM's packed bases and raw qualities with NEON: 16 packed bytes are 32 bases.

#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::mem::MaybeUninit;

use super::neon::{load, load_or_zero};
use crate::packed::blocks::{Room, map_blocks, map_blocks_reversed, unpaired_complement};
use crate::packed::fields::{FIELD_VECTORS, Fields, count_bases_with, count_gc_with};
use crate::packed::{COMPLEMENTS, LETTERS, MOST, occupied};
use crate::{BaseCounts, GcCounts, quality};

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

/// Appends `len` bytes, of the `room` that `fill` initializes.
#[inline]
#[target_feature(enable = "neon")]
fn append(out: &mut Vec<u8>, len: usize, room: usize, fill: impl FnOnce(&mut Room)) {
    assert!(len <= room);
    out.reserve(room);
    fill(&mut out.spare_capacity_mut()[..room]);
    // SAFETY: the capacity was reserved, and `fill`, which is one of this file, writes each byte of its slice.
    unsafe { out.set_len(out.len() + len) };
}

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

/// Adds up the fields of all codes.
#[inline]
#[target_feature(enable = "neon")]
fn count_fields<const N: usize>(packed: &[u8], tables: &[Fields; N]) -> [[u64; 2]; N] {
    let zero = vdupq_n_u8(0);
    let nibbles = vdupq_n_u8(15);
    let tables = tables.each_ref().map(|table| load(table));
    let mut sums = [[vdupq_n_u64(0); 2]; N];
    let add = |fields: &mut [uint8x16_t; N], block| {
        let upper = vshrq_n_u8::<4>(block);
        let lower = vandq_u8(block, nibbles);
        for (field, table) in fields.iter_mut().zip(tables) {
            *field = vaddq_u8(*field, vqtbl1q_u8(table, upper));
            *field = vaddq_u8(*field, vqtbl1q_u8(table, lower));
        }
    };
    let widen = |sum, bytes| vpadalq_u32(sum, vpaddlq_u16(vpaddlq_u8(bytes)));
    let mut flush = |fields: [uint8x16_t; N]| {
        for ([low, high], field) in sums.iter_mut().zip(fields) {
            *low = widen(*low, vandq_u8(field, nibbles));
            *high = widen(*high, vshrq_n_u8::<4>(field));
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
    sums.map(|sums| sums.map(|sum| vaddvq_u64(sum)))
}

#[target_feature(enable = "neon")]
pub(super) fn count_packed_bases_neon(packed: &[u8], len: usize) -> BaseCounts {
    count_bases_with(packed, len, |packed, tables| count_fields(packed, tables))
}

#[target_feature(enable = "neon")]
pub(super) fn count_packed_gc_neon(packed: &[u8], len: usize) -> GcCounts {
    count_gc_with(packed, len, |packed, tables| count_fields(packed, tables))
}

#[inline]
#[target_feature(enable = "neon")]
fn to_ascii(block: uint8x16_t) -> uint8x16_t {
    vaddq_u8(vminq_u8(block, vdupq_n_u8(MOST)), vdupq_n_u8(quality::FIRST))
}

#[target_feature(enable = "neon")]
pub(super) fn copy_qualities_neon(raw: &[u8], out: &mut Vec<u8>) {
    append(out, raw.len(), raw.len(), |room| {
        map_blocks(raw, room, |block, out| store(out, to_ascii(load(block))));
    });
}

#[target_feature(enable = "neon")]
pub(super) fn copy_qualities_reversed_neon(raw: &[u8], out: &mut Vec<u8>) {
    append(out, raw.len(), raw.len(), |room| {
        map_blocks_reversed(raw, room, |block, out| store(out, reverse(to_ascii(load(block)))));
    });
}
