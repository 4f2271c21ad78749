//! Column counts with AVX2: each byte becomes a plane number and a bit of that plane.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2_quick_columns::{
    LETTER_BITS, LETTERS, blocks_of, count_few, count_letters, count_many,
};
use super::avx2_registers::load_table;
use crate::columns::vector::{Class, Classify, count_block};
use crate::columns::{ClassTable, Counts, MAX_PLANES};
use crate::vector::by_intrinsics;

/// `1 << (class % 8)`, looked up by the class.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// The classes are A, C, G, T, N and other.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_base_columns_avx2(
    rows: &[&[u8]],
    start: usize,
    _classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let mut left_out = 0;
    for block in blocks_of(rows, start) {
        if !count_letters(rows, block, counts) {
            left_out += count_any_bases(rows, start, block.first, counts);
        }
    }
    left_out
}

/// Classes of any bytes in the half of a stripe that starts at `first`.
#[cold]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_any_bases(rows: &[&[u8]], start: usize, first: usize, counts: &mut [Counts]) -> u64 {
    let bases = Bases {
        letters: load_table(&LETTERS),
        bits: load_table(&LETTER_BITS),
        upper: _mm256_set1_epi8(!0x20),
        other: _mm256_set1_epi8(1 << 5),
    };
    count_block::<_, _, 32, 1>(rows, start, first, 1, counts, bases)
}

/// The classes of bases: the lower nibble tells the letters apart.
#[derive(Clone, Copy)]
struct Bases {
    letters: __m256i,
    bits: __m256i,
    upper: __m256i,
    other: __m256i,
}

impl Classify<__m256i> for Bases {
    by_intrinsics! {
        fn classes(self: Self, bytes: __m256i) -> Class<__m256i> = classes_of_bases;
        fn plane(self: Self, plane: usize) -> __m256i = plane_of_bases;
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn classes_of_bases(of: Bases, bytes: __m256i) -> Class<__m256i> {
    let folded = _mm256_and_si256(bytes, of.upper);
    let is_letter = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(of.letters, folded), folded);
    let letter = _mm256_and_si256(_mm256_shuffle_epi8(of.bits, folded), is_letter);
    let is_nul = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
    let not_other = _mm256_or_si256(is_letter, is_nul);
    let bit = _mm256_or_si256(letter, _mm256_andnot_si256(not_other, of.other));
    Class { plane: plane_of_bases(of, 0), bit }
}

/// There is one.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn plane_of_bases(_: Bases, _: usize) -> __m256i {
    _mm256_set1_epi8(8)
}

/// The classes are Phred values.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_quality_columns_avx2(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let mut left_out = 0;
    for block in blocks_of(rows, start) {
        let quick = match &classes.places {
            Some(places) if classes.planes().len() == 1 => {
                count_few::<1>(rows, block, places, classes, counts)
            }
            Some(places) => count_few::<2>(rows, block, places, classes, counts),
            None => count_many(rows, block, classes, counts),
        };
        if !quick {
            left_out += count_any_qualities(rows, start, block.first, classes, counts);
        }
    }
    left_out
}

/// Classes of any bytes in the half of a stripe that starts at `first`.
#[cold]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_any_qualities(
    rows: &[&[u8]],
    start: usize,
    first: usize,
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
    let of = Qualities { slices: &slices[..used], bits: load_table(&BITS) };
    let planes = classes.planes().len();
    count_block::<_, _, 32, MAX_PLANES>(rows, start, first, planes, counts, of)
}

/// The classes of Phred values: their codes by upper nibble.
#[derive(Clone, Copy)]
struct Qualities<'a> {
    slices: &'a [(__m256i, __m256i)],
    bits: __m256i,
}

impl Classify<__m256i> for Qualities<'_> {
    by_intrinsics! {
        fn classes(self: Self, bytes: __m256i) -> Class<__m256i> = classes_of_qualities;
        fn plane(self: Self, plane: usize) -> __m256i = plane_of_qualities;
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn classes_of_qualities(of: Qualities<'_>, bytes: __m256i) -> Class<__m256i> {
    let bytes = _mm256_min_epu8(bytes, _mm256_set1_epi8(127));
    let mut code = _mm256_setzero_si256();
    for &(nibble, table) in of.slices {
        // Bit 7 set, and so 0 looked up, unless the upper nibble is the slice's.
        let index = _mm256_adds_epu8(_mm256_xor_si256(bytes, nibble), _mm256_set1_epi8(0x70));
        code = _mm256_or_si256(code, _mm256_shuffle_epi8(table, index));
    }
    Class {
        plane: _mm256_and_si256(code, _mm256_set1_epi8(!7)),
        bit: _mm256_shuffle_epi8(of.bits, code),
    }
}

/// 8 · (plane + 1), as in codes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn plane_of_qualities(_: Qualities<'_>, plane: usize) -> __m256i {
    _mm256_set1_epi8(8 * (plane as i8 + 1))
}
