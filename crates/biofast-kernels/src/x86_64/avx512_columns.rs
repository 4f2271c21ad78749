//! Column counts with AVX-512: a `vpermi2b` looks up the bits of eight classes, `vpternlogd` adds them up.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512::{load_or_zero, load_table};
use crate::columns::{BATCH, COLUMN_BLOCK, ClassTable, Counts, MAX_PLANES, stripe};
use crate::scalar;

/// Rows per round of the adder.
const GROUP: usize = 16;

/// Bit-sliced counters: bit b of `slices[j]` is bit j of the count of class b.
type Slices = [__m512i; 8];

/// See the scalar kernel.
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
    let mut slices = [[_mm512_setzero_si512(); 8]; PLANES];
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
            add_group(&vectors, planes, &mut slices);
        }
        if !rest.is_empty() {
            let mut vectors = [_mm512_setzero_si512(); GROUP];
            for (vector, pair) in vectors.iter_mut().zip(rest.chunks(2)) {
                let high = pair.get(1).map_or(&pair[0][..0], |row| next(row));
                *vector = load_pair(next(pair[0]), high);
            }
            add_group(&vectors, planes, &mut slices);
        }
    } else {
        let (groups, rest) = rows.as_chunks::<GROUP>();
        for group in groups {
            let vectors = std::array::from_fn(|i| load_row(next(group[i])));
            add_group(&vectors, planes, &mut slices);
        }
        if !rest.is_empty() {
            let mut vectors = [_mm512_setzero_si512(); GROUP];
            for (vector, row) in vectors.iter_mut().zip(rest) {
                *vector = load_row(next(row));
            }
            add_group(&vectors, planes, &mut slices);
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
fn add_group<const PLANES: usize>(
    vectors: &[__m512i; GROUP],
    planes: &[[u8; 128]],
    slices: &mut [Slices; PLANES],
) {
    for (plane, slices) in planes.iter().zip(slices) {
        let [low, high] = load_table(plane);
        let bits = |i: usize| _mm512_permutex2var_epi8(low, vectors[i], high);
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
            let sum = _mm512_xor_si512(*slice, carry);
            carry = _mm512_and_si512(*slice, carry);
            *slice = sum;
        }
    }
}

/// A full adder of bits: (carry, sum).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_bits(a: __m512i, b: __m512i, c: __m512i) -> (__m512i, __m512i) {
    (_mm512_ternarylogic_epi64::<0xe8>(a, b, c), _mm512_ternarylogic_epi64::<0x96>(a, b, c))
}

/// Turns bit-sliced counters into one vector of byte counts a class: an 8 × 8 transpose of bits in each byte lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn transpose(mut rows: Slices) -> Slices {
    swap::<4>(&mut rows, 0x0f);
    swap::<2>(&mut rows, 0x33);
    swap::<1>(&mut rows, 0x55);
    rows
}

/// Swaps the upper bits of each row with the lower bits (`mask`) of the row `DISTANCE` below.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn swap<const DISTANCE: u32>(rows: &mut Slices, mask: i8) {
    let mask = _mm512_set1_epi8(mask);
    let distance = DISTANCE as usize;
    for i in (0..8).filter(|i| i & distance == 0) {
        let (upper, lower) = (rows[i], rows[i + distance]);
        let shifted = _mm512_srli_epi16::<DISTANCE>(upper);
        // (shifted ^ lower) & mask
        let change = _mm512_ternarylogic_epi64::<0x28>(shifted, lower, mask);
        rows[i] = _mm512_xor_si512(upper, _mm512_slli_epi16::<DISTANCE>(change));
        rows[i + distance] = _mm512_xor_si512(lower, change);
    }
}

/// [`scalar::add_columns`] compiled for AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn add_columns_avx512(
    counts: &[Counts],
    values: &[u8],
    sums: &mut [[u16; COLUMN_BLOCK]],
) {
    scalar::add_columns(counts, values, sums);
}
