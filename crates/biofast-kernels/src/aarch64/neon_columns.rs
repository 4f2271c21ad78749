//! Column counts with NEON: each byte becomes a plane number and a bit of that plane; full adders add the bits up.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::neon::{Table, load, load_or_zero};
use crate::columns::{BATCH, COLUMN_BLOCK, ClassTable, Counts, MAX_PLANES, stripe};
use crate::scalar;

/// Rows per round of the adder.
const GROUP: usize = 16;
/// Positions per vector.
const WIDTH: usize = 16;

/// Bit-sliced counters: bit b of `slices[j]` is bit j of the count of class b.
type Slices = [uint8x16_t; 8];

/// Plane + 1, or 0, and the bit of the class in its plane.
#[derive(Clone, Copy)]
struct Class {
    plane: uint8x16_t,
    bit: uint8x16_t,
}

/// The letter with each lower nibble; 0xff is no letter.
const LETTERS: [u8; 16] = {
    let mut table = [0xff; 16];
    let mut i = 0;
    while i < 5 {
        table[(b"ACGTN"[i] & 15) as usize] = b"ACGTN"[i];
        i += 1;
    }
    table
};

/// The bit of the letter with each lower nibble.
const LETTER_BITS: [u8; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 5 {
        table[(b"ACGTN"[i] & 15) as usize] = 1 << i;
        i += 1;
    }
    table
};

/// See the scalar kernel. The classes are A, C, G, T, N and other.
#[target_feature(enable = "neon")]
pub(super) fn count_base_columns_neon(
    rows: &[&[u8]],
    start: usize,
    _classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let letters = load(&LETTERS);
    let bits = load(&LETTER_BITS);
    let plane = vdupq_n_u8(1);
    count_stripe::<1>(rows, start, 1, counts, |bytes| {
        let folded = vandq_u8(bytes, vdupq_n_u8(!0x20));
        let nibble = vandq_u8(bytes, vdupq_n_u8(15));
        let is_letter = vceqq_u8(vqtbl1q_u8(letters, nibble), folded);
        let other = vandq_u8(vtstq_u8(bytes, bytes), vdupq_n_u8(1 << 5));
        let bit = vbslq_u8(is_letter, vqtbl1q_u8(bits, nibble), other);
        Class { plane, bit }
    })
}

/// See the scalar kernel.
#[target_feature(enable = "neon")]
pub(super) fn count_quality_columns_neon(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let codes = Table::new(&classes.codes);
    let class = |bytes| {
        let code = codes.look_up(vminq_u8(bytes, vdupq_n_u8(127)));
        let bit = vandq_u8(code, vdupq_n_u8(7));
        Class {
            plane: vshrq_n_u8::<3>(code),
            bit: vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8(bit)),
        }
    };
    match classes.planes().len() {
        planes @ 0..=6 => count_stripe::<6>(rows, start, planes, counts, class),
        planes => count_stripe::<MAX_PLANES>(rows, start, planes, counts, class),
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn count_stripe<const PLANES: usize>(
    rows: &[&[u8]],
    start: usize,
    planes: usize,
    counts: &mut [Counts],
    class: impl Fn(uint8x16_t) -> Class,
) -> u64 {
    debug_assert!(rows.len() <= BATCH && planes <= PLANES);
    let zero = vdupq_n_u8(0);
    let (counts, _) = counts.as_chunks_mut::<8>();
    let counts = &mut counts[..planes];
    let mut left_out = 0;
    for first in (0..COLUMN_BLOCK).step_by(WIDTH) {
        let mut slices = [[zero; 8]; PLANES];
        for group in rows.chunks(GROUP) {
            let mut vectors = [Class { plane: zero, bit: zero }; GROUP];
            for (vector, row) in vectors.iter_mut().zip(group) {
                let row = stripe(row, start + first);
                left_out += row.len().min(WIDTH) as u64;
                *vector = class(match row.first_chunk() {
                    Some(row) => load(row),
                    None => load_or_zero(row),
                });
            }
            for (plane, slices) in slices[..planes].iter_mut().enumerate() {
                add_group(&vectors, plane, slices);
            }
        }
        for (slices, counts) in slices[..planes].iter().zip(&mut *counts) {
            for (class, count) in transpose(*slices).into_iter().zip(counts) {
                left_out -= u64::from(vaddlvq_u8(class));
                let count: &mut [u8] = &mut count[first..first + WIDTH];
                // SAFETY: the slice has 16 bytes.
                unsafe { vst1q_u8(count.as_mut_ptr(), class) };
            }
        }
    }
    left_out
}

/// Adds the classes of sixteen vectors that are in `plane` to its counters.
#[inline]
#[target_feature(enable = "neon")]
fn add_group(vectors: &[Class; GROUP], plane: usize, slices: &mut Slices) {
    let plane = vdupq_n_u8(plane as u8 + 1);
    let bits = |i: usize| vandq_u8(vectors[i].bit, vceqq_u8(vectors[i].plane, plane));
    let [mut ones, mut twos, fours, eights, ..] = *slices;
    // Bits i to i + 3; carries a bit of value four.
    let mut add_four = |i: usize| {
        let (a, sum) = add_bits(ones, bits(i), bits(i + 1));
        let (b, sum) = add_bits(sum, bits(i + 2), bits(i + 3));
        ones = sum;
        let (carry, sum) = add_bits(twos, a, b);
        twos = sum;
        carry
    };
    let (eights_a, sum) = add_bits(fours, add_four(0), add_four(4));
    let (eights_b, fours) = add_bits(sum, add_four(8), add_four(12));
    let (mut carry, eights) = add_bits(eights, eights_a, eights_b);
    (slices[0], slices[1], slices[2], slices[3]) = (ones, twos, fours, eights);
    for slice in &mut slices[4..] {
        let sum = veorq_u8(*slice, carry);
        carry = vandq_u8(*slice, carry);
        *slice = sum;
    }
}

/// A full adder of bits: (carry, sum).
#[inline]
#[target_feature(enable = "neon")]
fn add_bits(a: uint8x16_t, b: uint8x16_t, c: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
    let half = veorq_u8(b, c);
    (vbslq_u8(half, a, b), veorq_u8(half, a))
}

/// Turns bit-sliced counters into one vector of byte counts a class: an 8 × 8 transpose of bits in each byte lane.
#[inline]
#[target_feature(enable = "neon")]
fn transpose(mut rows: Slices) -> Slices {
    swap::<4>(&mut rows, 0x0f);
    swap::<2>(&mut rows, 0x33);
    swap::<1>(&mut rows, 0x55);
    rows
}

/// Swaps the upper bits of each row with the lower bits (`mask`) of the row `DISTANCE` below.
#[inline]
#[target_feature(enable = "neon")]
fn swap<const DISTANCE: i32>(rows: &mut Slices, mask: u8) {
    let distance = DISTANCE as usize;
    for i in (0..8).filter(|i| i & distance == 0) {
        let (upper, lower) = (rows[i], rows[i + distance]);
        let differ = veorq_u8(vshrq_n_u8::<DISTANCE>(upper), lower);
        let change = vandq_u8(differ, vdupq_n_u8(mask));
        rows[i] = veorq_u8(upper, vshlq_n_u8::<DISTANCE>(change));
        rows[i + distance] = veorq_u8(lower, change);
    }
}

/// [`scalar::add_columns`], which the compiler vectorizes for the baseline.
#[target_feature(enable = "neon")]
pub(super) fn add_columns_neon(counts: &[Counts], values: &[u8], sums: &mut [[u16; COLUMN_BLOCK]]) {
    scalar::add_columns(counts, values, sums);
}
