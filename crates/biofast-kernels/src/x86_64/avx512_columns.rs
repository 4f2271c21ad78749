//! Column counts with AVX-512: a `vpermi2b` looks up the bits of eight classes, `vpternlogd` adds them up.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512_registers::{load_or_zero, load_table};
use crate::columns::vector::{Bits, GROUP, Slices, add_group, transpose};
use crate::columns::{BATCH, COLUMN_BLOCK, ClassTable, Counts, MAX_PLANES, stripe};
use crate::vector::by_intrinsics;

/// The classes are those of the table, whatever they are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn count_columns_avx512(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    // The counters of few planes are cleared faster, and those of one stay in registers.
    match classes.planes() {
        [plane] => count_planes::<1>(rows, start, std::slice::from_ref(plane), counts),
        planes if planes.len() <= 6 => count_planes::<6>(rows, start, planes, counts),
        planes => count_planes::<MAX_PLANES>(rows, start, planes, counts),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_planes<const PLANES: usize>(
    rows: &[&[u8]],
    start: usize,
    planes: &[[u8; 128]],
    counts: &mut [Counts],
) -> u64 {
    debug_assert!(rows.len() <= BATCH && planes.len() <= PLANES);
    let mut slices: [Slices<__m512i>; PLANES] = [[_mm512_setzero_si512(); 8]; PLANES];
    let mut bytes = 0;
    let mut next = |row| {
        let row = stripe(row, start);
        bytes += row.len();
        row
    };
    // Where all rows end in the first half of the stripe, two share a vector.
    let paired = rows.iter().all(|row| row.len() <= start + COLUMN_BLOCK / 2);
    if paired {
        let (groups, rest) = rows.as_chunks::<{ 2 * GROUP }>();
        for group in groups {
            let vectors =
                std::array::from_fn(|i| load_pair(next(group[2 * i]), next(group[2 * i + 1])));
            add_planes(&vectors, planes, &mut slices);
        }
        if !rest.is_empty() {
            let mut vectors = [_mm512_setzero_si512(); GROUP];
            for (vector, pair) in vectors.iter_mut().zip(rest.chunks(2)) {
                let high = pair.get(1).map_or(&pair[0][..0], |row| next(row));
                *vector = load_pair(next(pair[0]), high);
            }
            add_planes(&vectors, planes, &mut slices);
        }
    } else {
        let (groups, rest) = rows.as_chunks::<GROUP>();
        for group in groups {
            let vectors = std::array::from_fn(|i| load_row(next(group[i])));
            add_planes(&vectors, planes, &mut slices);
        }
        if !rest.is_empty() {
            let mut vectors = [_mm512_setzero_si512(); GROUP];
            for (vector, row) in vectors.iter_mut().zip(rest) {
                *vector = load_row(next(row));
            }
            add_planes(&vectors, planes, &mut slices);
        }
    }
    let (counts, _) = counts.as_chunks_mut::<8>();
    let mut counted = _mm512_setzero_si512();
    for (slices, counts) in slices[..planes.len()].iter().zip(counts) {
        for (class, count) in transpose(*slices).into_iter().zip(counts) {
            let sum = _mm512_sad_epu8(class, _mm512_setzero_si512());
            counted = _mm512_add_epi64(counted, sum);
            let class = if paired { add_halves(class) } else { class };
            // SAFETY: the counts of a class are 64 bytes.
            unsafe { _mm512_storeu_si512(count.as_mut_ptr().cast(), class) };
        }
    }
    bytes as u64 - _mm512_reduce_add_epi64(counted) as u64
}

/// A row of at most 64 bytes as indices into the tables of planes; NUL, which has no class, beyond its end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_row(row: &[u8]) -> __m512i {
    _mm512_min_epu8(load_or_zero(row), _mm512_set1_epi8(127))
}

/// [`load_row`] of two rows of at most 32 bytes, one in each half.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_pair(low: &[u8], high: &[u8]) -> __m512i {
    let [low, high] = [low, high].map(|row| {
        let lanes = _bzhi_u32(u32::MAX, row.len().min(32) as u32);
        // SAFETY: masked-out lanes aren't accessed, and the mask covers at most the length of the slice.
        unsafe { _mm256_maskz_loadu_epi8(lanes, row.as_ptr().cast()) }
    });
    let pair = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    _mm512_min_epu8(pair, _mm512_set1_epi8(127))
}

/// Adds the high half to the low half, where the counts of the rows in the high half belong.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_halves(counts: __m512i) -> __m512i {
    let high = _mm512_extracti64x4_epi64::<1>(counts);
    _mm512_zextsi256_si512(_mm256_add_epi8(_mm512_castsi512_si256(counts), high))
}

/// Adds the classes of sixteen vectors to the counters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_planes<const PLANES: usize>(
    vectors: &[__m512i; GROUP],
    planes: &[[u8; 128]],
    slices: &mut [Slices<__m512i>; PLANES],
) {
    for (plane, slices) in planes.iter().zip(slices) {
        let [low, high] = load_table(plane);
        add_group(PlaneBits { vectors, low, high }, slices);
    }
}

/// The bits of the classes of a plane, looked up in its table.
#[derive(Clone, Copy)]
struct PlaneBits<'a> {
    vectors: &'a [__m512i; GROUP],
    low: __m512i,
    high: __m512i,
}

impl Bits<__m512i> for PlaneBits<'_> {
    by_intrinsics! {
        fn of(self: Self, vector: usize) -> __m512i = bits;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn bits(plane: PlaneBits<'_>, vector: usize) -> __m512i {
    _mm512_permutex2var_epi8(plane.low, plane.vectors[vector], plane.high)
}
