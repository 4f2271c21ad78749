//! Column counts with NEON: each byte becomes a plane number and a bit of that plane.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::neon_registers::{Table, load};
use crate::columns::vector::{Class, Classify, count_stripe};
use crate::columns::{ClassTable, Counts, MAX_PLANES};
use crate::vector::by_intrinsics;

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

/// The classes are A, C, G, T, N and other.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn count_base_columns_neon(
    rows: &[&[u8]],
    start: usize,
    _classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let bases = Bases { letters: load(&LETTERS), bits: load(&LETTER_BITS) };
    count_stripe::<_, _, 16, 1>(rows, start, 1, counts, bases)
}

/// The classes of bases: the lower nibble tells the letters apart.
#[derive(Clone, Copy)]
struct Bases {
    letters: uint8x16_t,
    bits: uint8x16_t,
}

impl Classify<uint8x16_t> for Bases {
    by_intrinsics! {
        fn classes(self: Self, bytes: uint8x16_t) -> Class<uint8x16_t> = classes_of_bases;
        fn plane(self: Self, plane: usize) -> uint8x16_t = plane_of_bases;
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn classes_of_bases(of: Bases, bytes: uint8x16_t) -> Class<uint8x16_t> {
    let folded = vandq_u8(bytes, vdupq_n_u8(!0x20));
    let nibble = vandq_u8(bytes, vdupq_n_u8(15));
    let is_letter = vceqq_u8(vqtbl1q_u8(of.letters, nibble), folded);
    let other = vandq_u8(vtstq_u8(bytes, bytes), vdupq_n_u8(1 << 5));
    let bit = vbslq_u8(is_letter, vqtbl1q_u8(of.bits, nibble), other);
    Class { plane: plane_of_bases(of, 0), bit }
}

/// There is one.
#[inline]
#[target_feature(enable = "neon")]
fn plane_of_bases(_: Bases, _: usize) -> uint8x16_t {
    vdupq_n_u8(1)
}

/// The classes are Phred values.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn count_quality_columns_neon(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let qualities = Qualities(Table::new(&classes.codes));
    match classes.planes().len() {
        planes @ 0..=6 => count_stripe::<_, _, 16, 6>(rows, start, planes, counts, qualities),
        planes => count_stripe::<_, _, 16, MAX_PLANES>(rows, start, planes, counts, qualities),
    }
}

/// The classes of Phred values, by their codes.
#[derive(Clone, Copy)]
struct Qualities(Table);

impl Classify<uint8x16_t> for Qualities {
    by_intrinsics! {
        fn classes(self: Self, bytes: uint8x16_t) -> Class<uint8x16_t> = classes_of_qualities;
        fn plane(self: Self, plane: usize) -> uint8x16_t = plane_of_qualities;
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn classes_of_qualities(of: Qualities, bytes: uint8x16_t) -> Class<uint8x16_t> {
    let code = of.0.look_up(vminq_u8(bytes, vdupq_n_u8(127)));
    let bit = vandq_u8(code, vdupq_n_u8(7));
    Class { plane: vshrq_n_u8::<3>(code), bit: vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8(bit)) }
}

/// Plane + 1, as in codes.
#[inline]
#[target_feature(enable = "neon")]
fn plane_of_qualities(_: Qualities, plane: usize) -> uint8x16_t {
    vdupq_n_u8(plane as u8 + 1)
}
