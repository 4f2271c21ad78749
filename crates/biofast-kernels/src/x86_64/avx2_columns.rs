//! Column counts with AVX2: each byte becomes a plane number and a bit of that plane; full adders add the bits up.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2::{load, load_or_zero, load_table, reduce_add};
use crate::columns::{BATCH, COLUMN_BLOCK, ClassTable, Counts, MAX_PLANES, stripe};
use crate::scalar;

/// Rows per round of the adder.
const GROUP: usize = 16;
/// Positions per vector.
const WIDTH: usize = 32;

/// Bit-sliced counters: bit b of `slices[j]` is bit j of the count of class b.
type Slices = [__m256i; 8];

/// 8 · (plane + 1), or 0, and the bit of the class in its plane.
#[derive(Clone, Copy)]
struct Class {
    plane: __m256i,
    bit: __m256i,
}

/// `1 << (class % 8)`, looked up by the class.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// See the scalar kernel. The classes are A, C, G, T, N and other.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_base_columns_avx2(
    rows: &[&[u8]],
    start: usize,
    _classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    // The lower nibble tells the letters apart; 0xff is no letter.
    let letters = load_table(&LETTERS);
    let bits = load_table(&LETTER_BITS);
    let upper = _mm256_set1_epi8(!0x20);
    let zero = _mm256_setzero_si256();
    let other = _mm256_set1_epi8(1 << 5);
    let plane = _mm256_set1_epi8(8);
    count_stripe::<1>(rows, start, 1, counts, |bytes| {
        let folded = _mm256_and_si256(bytes, upper);
        let is_letter = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(letters, folded), folded);
        let letter = _mm256_and_si256(_mm256_shuffle_epi8(bits, folded), is_letter);
        let not_other = _mm256_or_si256(is_letter, _mm256_cmpeq_epi8(bytes, zero));
        let bit = _mm256_or_si256(letter, _mm256_andnot_si256(not_other, other));
        Class { plane, bit }
    })
}

/// The letter with each lower nibble.
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

/// See the scalar kernel.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_quality_columns_avx2(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    // Sixteen codes by upper nibble, where there are any.
    let mut slices = [(_mm256_setzero_si256(), _mm256_setzero_si256()); 8];
    let mut used = 0;
    let (tables, _) = classes.codes.as_chunks::<16>();
    for (nibble, table) in tables.iter().enumerate() {
        if *table != [0; 16] {
            slices[used] = (_mm256_set1_epi8(16 * nibble as i8), load_table(table));
            used += 1;
        }
    }
    let slices = &slices[..used];
    let bits = load_table(&BITS);
    let class = |bytes| {
        let bytes = _mm256_min_epu8(bytes, _mm256_set1_epi8(127));
        let mut code = _mm256_setzero_si256();
        for &(nibble, table) in slices {
            // Bit 7 set, and so 0 looked up, unless the upper nibble is the slice's.
            let index = _mm256_adds_epu8(_mm256_xor_si256(bytes, nibble), _mm256_set1_epi8(0x70));
            code = _mm256_or_si256(code, _mm256_shuffle_epi8(table, index));
        }
        Class {
            plane: _mm256_and_si256(code, _mm256_set1_epi8(!7)),
            bit: _mm256_shuffle_epi8(bits, code),
        }
    };
    match classes.planes().len() {
        planes @ 0..=6 => count_stripe::<6>(rows, start, planes, counts, class),
        planes => count_stripe::<MAX_PLANES>(rows, start, planes, counts, class),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_stripe<const PLANES: usize>(
    rows: &[&[u8]],
    start: usize,
    planes: usize,
    counts: &mut [Counts],
    class: impl Fn(__m256i) -> Class,
) -> u64 {
    debug_assert!(rows.len() <= BATCH && planes <= PLANES);
    let zero = _mm256_setzero_si256();
    let (counts, _) = counts.as_chunks_mut::<8>();
    let counts = &mut counts[..planes];
    let mut bytes = 0;
    let mut counted = zero;
    for first in (0..COLUMN_BLOCK).step_by(WIDTH) {
        let mut slices = [[zero; 8]; PLANES];
        for group in rows.chunks(GROUP) {
            let mut vectors = [Class { plane: zero, bit: zero }; GROUP];
            for (vector, row) in vectors.iter_mut().zip(group) {
                let row = stripe(row, start + first);
                bytes += row.len().min(WIDTH);
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
                counted = _mm256_add_epi64(counted, _mm256_sad_epu8(class, zero));
                let count: &mut [u8] = &mut count[first..first + WIDTH];
                // SAFETY: the slice has 32 bytes.
                unsafe { _mm256_storeu_si256(count.as_mut_ptr().cast(), class) };
            }
        }
    }
    bytes as u64 - reduce_add(counted)
}

/// Adds the classes of sixteen vectors that are in `plane` to its counters.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_group(vectors: &[Class; GROUP], plane: usize, slices: &mut Slices) {
    let plane = _mm256_set1_epi8(8 * (plane as i8 + 1));
    let bits = |i: usize| {
        let in_plane = _mm256_cmpeq_epi8(vectors[i].plane, plane);
        _mm256_and_si256(vectors[i].bit, in_plane)
    };
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
        let sum = _mm256_xor_si256(*slice, carry);
        carry = _mm256_and_si256(*slice, carry);
        *slice = sum;
    }
}

/// A full adder of bits: (carry, sum).
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_bits(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    let half = _mm256_xor_si256(b, c);
    let carry = _mm256_or_si256(_mm256_and_si256(b, c), _mm256_and_si256(half, a));
    (carry, _mm256_xor_si256(half, a))
}

/// Turns bit-sliced counters into one vector of byte counts a class: an 8 × 8 transpose of bits in each byte lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn transpose(mut rows: Slices) -> Slices {
    swap::<4>(&mut rows, 0x0f);
    swap::<2>(&mut rows, 0x33);
    swap::<1>(&mut rows, 0x55);
    rows
}

/// Swaps the upper bits of each row with the lower bits (`mask`) of the row `DISTANCE` below.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn swap<const DISTANCE: i32>(rows: &mut Slices, mask: i8) {
    let mask = _mm256_set1_epi8(mask);
    let distance = DISTANCE as usize;
    for i in (0..8).filter(|i| i & distance == 0) {
        let (upper, lower) = (rows[i], rows[i + distance]);
        let differ = _mm256_xor_si256(_mm256_srli_epi16::<DISTANCE>(upper), lower);
        let change = _mm256_and_si256(differ, mask);
        rows[i] = _mm256_xor_si256(upper, _mm256_slli_epi16::<DISTANCE>(change));
        rows[i + distance] = _mm256_xor_si256(lower, change);
    }
}

/// [`scalar::add_columns`] compiled for AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn add_columns_avx2(counts: &[Counts], values: &[u8], sums: &mut [[u16; COLUMN_BLOCK]]) {
    scalar::add_columns(counts, values, sums);
}
