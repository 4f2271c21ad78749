//! AVX-512 with VBMI, VBMI2, BITALG and GFNI: 64 bytes a step; masked loads take the tails.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512_columns::count_columns_avx512;
use super::avx512_packed::{
    copy_qualities_avx512, copy_qualities_reversed_avx512, unpack_bases_avx512,
    unpack_bases_reverse_complement_avx512,
};
use super::avx512_registers::{lanes, load, load_or_zero, load_small_table, load_table};
use crate::bases::vector::{count_each_base, count_gc_acgt_of, count_n};
use crate::bases::{self, ACGT_BITS};
use crate::columns::{ClassTable, Counts};
use crate::quality::{self, ERROR_PLANES, PHRED_VALUES, to_phreds};
use crate::records::vector::index_plain_with;
use crate::records::{count_plain_with, has_control};
use crate::table::{compile, with_kernels};
use crate::vector::{Check, Matches, Simd, Vector, by_intrinsics};
use crate::{
    BaseCounts, GcCounts, Isa, MinimizerBuffers, MinimizerScheme, QualitySummary, ReadSummary,
};

with_kernels!(
    compile Isa::Avx512, Avx512,
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi1,bmi2,popcnt"
);

/// AVX-512 with the extensions that Ice Lake brought.
pub(super) struct Avx512;

impl Simd for Avx512 {
    type Vector = __m512i;
    type BaseCheck = TableCheck;

    by_intrinsics! {
        fn base_check() -> TableCheck = base_check;
        fn newline_bits(block: &[u8; 64]) -> u64 = newline_bits_avx512;
        fn count_bases(bytes: &[u8]) -> BaseCounts = count_bases_avx512;
        fn count_gc_acgt(bytes: &[u8]) -> GcCounts = count_gc_acgt_avx512;
        fn sum_qualities(bytes: &[u8]) -> u64 = sum_qualities_avx512;
        fn sum_error_probability(bytes: &[u8]) -> u64 = sum_error_probability_avx512;
        fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize =
            count_plain_records_avx512;
        fn index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize =
            index_plain_records_avx512;
        fn count_base_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64 = count_columns_avx512;
        fn count_quality_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64 = count_columns_avx512;
        fn unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>) = unpack_bases_avx512;
        fn unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>) =
            unpack_bases_reverse_complement_avx512;
        fn copy_qualities(raw: &[u8], out: &mut Vec<u8>) = copy_qualities_avx512;
        fn copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>) = copy_qualities_reversed_avx512;
    }

    #[inline(always)]
    fn summarize<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
        // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
        unsafe { summarize_avx512::<FIRST>(bytes) }
    }
}

impl Vector for __m512i {
    type Block = [u8; 64];
    type Mask = __mmask64;
    type Sums = __m512i;

    #[inline(always)]
    fn blocks(bytes: &[u8]) -> (&[[u8; 64]], &[u8]) {
        bytes.as_chunks()
    }

    by_intrinsics! {
        fn splat(byte: u8) -> __m512i = splat;
        fn load(block: &[u8; 64]) -> __m512i = load;
        fn load_or_zero(bytes: &[u8]) -> __m512i = load_or_zero;
        fn load_rest(bytes: &[u8], fill: u8) -> __m512i = load_rest;
        fn store(self: __m512i, to: &mut [u8; 64]) = store;
        fn table(entries: &[u8; 16]) -> __m512i = load_small_table;
        fn look_up(table: __m512i, nibbles: __m512i) -> __m512i = _mm512_shuffle_epi8;
        fn look_up_lower(table: __m512i, bytes: __m512i) -> __m512i = _mm512_shuffle_epi8;
        fn upper_nibbles(self: __m512i) -> __m512i = upper_nibbles;
        fn and(self: __m512i, other: __m512i) -> __m512i = _mm512_and_si512;
        fn or(self: __m512i, other: __m512i) -> __m512i = _mm512_or_si512;
        fn xor(self: __m512i, other: __m512i) -> __m512i = _mm512_xor_si512;
        fn add(self: __m512i, other: __m512i) -> __m512i = _mm512_add_epi8;
        fn subtract(self: __m512i, other: __m512i) -> __m512i = _mm512_sub_epi8;
        fn max(self: __m512i, other: __m512i) -> __m512i = _mm512_max_epu8;
        fn equal(self: __m512i, other: __m512i) -> __mmask64 = _mm512_cmpeq_epi8_mask;
        fn at_least(self: __m512i, other: __m512i) -> __mmask64 = _mm512_cmpge_epu8_mask;
        fn any(self: __m512i) -> bool = any;
        fn any_at_least(self: __m512i, other: __m512i) -> bool = any_at_least;
        fn no_sums() -> __m512i = _mm512_setzero_si512;
        fn add_bytes(sums: __m512i, bytes: __m512i) -> __m512i = add_bytes;
        fn total(sums: __m512i) -> u64 = total;
        fn add_bits(a: __m512i, b: __m512i, c: __m512i) -> (__m512i, __m512i) = add_bits;
    }

    #[inline(always)]
    fn swap_bits<const DISTANCE: i32>(
        upper: __m512i,
        lower: __m512i,
        mask: u8,
    ) -> (__m512i, __m512i) {
        // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
        unsafe {
            match DISTANCE {
                4 => swap_bits::<4>(upper, lower, mask),
                2 => swap_bits::<2>(upper, lower, mask),
                _ => swap_bits::<1>(upper, lower, mask),
            }
        }
    }

    #[inline(always)]
    fn count_matches<const N: usize, const CHAINS: usize>(
        bytes: &[u8],
        matches: impl Matches<__m512i, N>,
    ) -> [u64; N] {
        let (blocks, tail) = Self::blocks(bytes);
        let mut counts = [0; N];
        for block in blocks {
            for (count, lanes) in counts.iter_mut().zip(matches.of(Self::load(block))) {
                *count += u64::from(lanes.count_ones());
            }
        }
        if !tail.is_empty() {
            for (count, lanes) in counts.iter_mut().zip(matches.of(Self::load_or_zero(tail))) {
                *count += u64::from(lanes.count_ones());
            }
        }
        counts
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn splat(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte as i8)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn store(bytes: __m512i, to: &mut [u8; 64]) {
    // SAFETY: the block has 64 bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn upper_nibbles(bytes: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), _mm512_set1_epi8(15))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn any(bytes: __m512i) -> bool {
    _mm512_test_epi8_mask(bytes, bytes) != 0
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn any_at_least(bytes: __m512i, least: __m512i) -> bool {
    _mm512_cmpge_epu8_mask(bytes, least) != 0
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_bytes(sums: __m512i, bytes: __m512i) -> __m512i {
    _mm512_add_epi64(sums, _mm512_sad_epu8(bytes, _mm512_setzero_si512()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn total(sums: __m512i) -> u64 {
    _mm512_reduce_add_epi64(sums) as u64
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_bits(a: __m512i, b: __m512i, c: __m512i) -> (__m512i, __m512i) {
    (_mm512_ternarylogic_epi64::<0xe8>(a, b, c), _mm512_ternarylogic_epi64::<0x96>(a, b, c))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn swap_bits<const DISTANCE: u32>(upper: __m512i, lower: __m512i, mask: u8) -> (__m512i, __m512i) {
    let shifted = _mm512_srli_epi16::<DISTANCE>(upper);
    // (shifted ^ lower) & mask
    let change = _mm512_ternarylogic_epi64::<0x28>(shifted, lower, splat(mask));
    let upper = _mm512_xor_si512(upper, _mm512_slli_epi16::<DISTANCE>(change));
    (upper, _mm512_xor_si512(lower, change))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn newline_bits_avx512(block: &[u8; 64]) -> u64 {
    _mm512_cmpeq_epi8_mask(load(block), _mm512_set1_epi8(b'\n' as i8))
}

/// The first 64 bytes or fewer; the lanes beyond come from `fill`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_or(fill: __m512i, bytes: &[u8]) -> __m512i {
    // SAFETY: masked-out lanes aren't accessed, and the mask covers at most the length of the slice.
    unsafe { _mm512_mask_loadu_epi8(fill, lanes(bytes.len()), bytes.as_ptr().cast()) }
}

/// The bytes beyond the whole blocks; the lanes beyond are `fill`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_rest(bytes: &[u8], fill: u8) -> __m512i {
    let (_, tail) = bytes.as_chunks::<64>();
    load_or(splat(fill), tail)
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi2,popcnt"
)]
fn count_bases_avx512(bytes: &[u8]) -> BaseCounts {
    let mut counts = [0; 5];
    let (groups, rest) = bytes.as_chunks();
    // As many as stay in the first-level cache, where some need a second look.
    for groups in groups.chunks(30) {
        match count_acgt(groups) {
            Some(acgt) => {
                for (count, of_groups) in counts.iter_mut().zip(acgt) {
                    *count += of_groups;
                }
                if acgt.iter().sum::<u64>() < groups.as_flattened().len() as u64 {
                    counts[4] += count_n::<Avx512>(groups.as_flattened());
                }
            }
            None => add(&mut counts, count_each_base::<__m512i>(groups.as_flattened())),
        }
    }
    add(&mut counts, count_each_base::<__m512i>(rest));
    BaseCounts::from_acgtn(counts, bytes.len() as u64)
}

fn add(counts: &mut [u64; 5], more: [u64; 5]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

fn sum(counts: GcCounts, more: GcCounts) -> GcCounts {
    GcCounts { gc: counts.gc + more.gc, acgt: counts.acgt + more.acgt }
}

/// A, C, G and T in groups of 16 vectors; `None` if a byte is outside 64..=127.
///
/// A lookup by the lowest six bits turns each byte into one bit a letter: of the lower four for one vector, of the
/// upper four for the next. Their union, transposed as 8 x 8 bits, has a byte for each letter, whose bits are counted.
/// Every step has two operands: those of three take the place of two on Zen 4.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi2,popcnt"
)]
fn count_acgt(groups: &[[u8; 1024]]) -> Option<[u64; 4]> {
    let zero = _mm512_setzero_si512();
    let tables = ACGT_BITS.each_ref().map(|table| load(table));
    let identity = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
    let mut lowest = _mm512_set1_epi8(i8::MAX);
    let mut sums = [zero; 4];
    // A byte counts up to 8 in each pair of vectors.
    for groups in groups.chunks(3) {
        let mut counts = zero;
        for pair in groups.as_flattened().as_chunks::<128>().0 {
            let (blocks, _) = pair.as_chunks();
            let blocks = [load(&blocks[0]), load(&blocks[1])];
            let mut letters = zero;
            for (block, table) in blocks.into_iter().zip(tables) {
                // Signed, so that bytes above 127 are the lowest.
                lowest = _mm512_min_epi8(lowest, block);
                letters = _mm512_or_si512(letters, _mm512_permutexvar_epi8(block, table));
            }
            let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(identity, letters);
            counts = _mm512_add_epi8(counts, _mm512_popcnt_epi8(transposed));
        }
        for (letter, sum) in sums.iter_mut().enumerate() {
            let of_letter = _mm512_and_si512(counts, _mm512_set1_epi32(0xff << (8 * letter)));
            *sum = _mm512_add_epi64(*sum, _mm512_sad_epu8(of_letter, zero));
        }
    }
    let outside = _mm512_cmplt_epi8_mask(lowest, _mm512_set1_epi8(64));
    (outside == 0).then(|| sums.map(|sum| _mm512_reduce_add_epi64(sum) as u64))
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi2,popcnt"
)]
fn count_gc_acgt_avx512(bytes: &[u8]) -> GcCounts {
    let mut counts = GcCounts::default();
    let (groups, rest) = bytes.as_chunks();
    // As many as stay in the first-level cache.
    for groups in groups.chunks(30) {
        match count_acgt(groups) {
            Some([a, c, g, t]) => {
                counts.gc += c + g;
                counts.acgt += a + c + g + t;
            }
            None => counts = sum(counts, count_gc_acgt_of::<__m512i>(groups.as_flattened())),
        }
    }
    sum(counts, count_gc_acgt_of::<__m512i>(rest))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn sum_qualities_avx512(bytes: &[u8]) -> u64 {
    let zero = _mm512_setzero_si512();
    let first = _mm512_set1_epi8(quality::FIRST as i8);
    let last = _mm512_set1_epi8(quality::LAST as i8);
    let mut sum = zero;
    // Lanes beyond the tail become Phred 0 like any byte below.
    let mut add = |block| {
        let clamped = _mm512_min_epu8(_mm512_max_epu8(block, first), last);
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(clamped, zero));
    };
    let (blocks, tail) = bytes.as_chunks();
    for block in blocks {
        add(load(block));
    }
    if !tail.is_empty() {
        add(load_or_zero(tail));
    }
    let vectors = bytes.len().div_ceil(64) as u64;
    _mm512_reduce_add_epi64(sum) as u64 - 64 * u64::from(quality::FIRST) * vectors
}

/// `FIRST` is the byte of Phred 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn summarize_avx512<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
    let most = FIRST + (PHRED_VALUES - 1) as u8;
    let summary = summarize_as::<FIRST>(bytes, |block| block);
    if bytes.is_empty() || (summary.min >= FIRST && summary.max <= most) {
        return to_phreds::<FIRST>(summary, bytes.len());
    }
    let (first, most) = (_mm512_set1_epi8(FIRST as i8), _mm512_set1_epi8(most as i8));
    let clamp = |block| _mm512_min_epu8(_mm512_max_epu8(block, first), most);
    to_phreds::<FIRST>(summarize_as::<FIRST>(bytes, clamp), bytes.len())
}

/// By byte: 1 from Phred 20 and 16 more from Phred 30 up, where `FIRST` is the byte of Phred 0.
struct Above<const FIRST: u8>;

impl<const FIRST: u8> Above<FIRST> {
    const TABLE: [u8; 128] = {
        let mut table = [0; 128];
        let mut byte = FIRST + 20;
        while byte < 128 {
            table[byte as usize] = if byte < FIRST + 30 { 0x01 } else { 0x11 };
            byte += 1;
        }
        table
    };
}

/// The summary of the bytes that `clamp` makes of those there are, as bytes. Wrong but for `min` and `max` if one is
/// above 127.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn summarize_as<const FIRST: u8>(
    bytes: &[u8],
    clamp: impl Fn(__m512i) -> __m512i,
) -> QualitySummary {
    let zero = _mm512_setzero_si512();
    let low = _mm512_set1_epi8(15);
    let [first_half, second_half] = load_table(&Above::<FIRST>::TABLE);
    let (mut sum, mut min, mut max) = (zero, _mm512_set1_epi8(-1), zero);
    let mut above = [0; 2];
    let (groups, rest) = bytes.as_chunks::<{ 14 * 64 }>();
    // A counter of four bits holds 14 vectors, one of eight 18 times as many.
    for groups in groups.chunks(18) {
        let mut counts = [zero; 2];
        for group in groups {
            let mut fields = zero;
            for pair in group.as_chunks::<128>().0 {
                let (blocks, _) = pair.as_chunks();
                let blocks = [clamp(load(&blocks[0])), clamp(load(&blocks[1]))];
                // Two qualities fit a byte.
                let pairs = _mm512_add_epi8(blocks[0], blocks[1]);
                sum = _mm512_add_epi64(sum, _mm512_sad_epu8(pairs, zero));
                for block in blocks {
                    min = _mm512_min_epu8(min, block);
                    max = _mm512_max_epu8(max, block);
                    let field = _mm512_permutex2var_epi8(first_half, block, second_half);
                    fields = _mm512_add_epi8(fields, field);
                }
            }
            counts[0] = _mm512_add_epi8(counts[0], _mm512_and_si512(fields, low));
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(fields), low);
            counts[1] = _mm512_add_epi8(counts[1], high);
        }
        for (above, count) in above.iter_mut().zip(counts) {
            *above += _mm512_reduce_add_epi64(_mm512_sad_epu8(count, zero)) as u64;
        }
    }
    let thresholds = [20, 30].map(|phred| _mm512_set1_epi8((FIRST + phred) as i8));
    let mut add = |lanes, block| {
        sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_maskz_mov_epi8(lanes, block), zero));
        min = _mm512_mask_min_epu8(min, lanes, min, block);
        max = _mm512_mask_max_epu8(max, lanes, max, block);
        for (above, threshold) in above.iter_mut().zip(thresholds) {
            let high = _mm512_mask_cmpge_epu8_mask(lanes, block, threshold);
            *above += u64::from(high.count_ones());
        }
    };
    let (blocks, tail) = rest.as_chunks();
    for block in blocks {
        add(u64::MAX, clamp(load(block)));
    }
    if !tail.is_empty() {
        add(lanes(tail.len()), clamp(load_or_zero(tail)));
    }
    // The largest is the complement of the smallest complement.
    let max = _mm512_xor_si512(max, _mm512_set1_epi8(-1));
    QualitySummary {
        sum: _mm512_reduce_add_epi64(sum) as u64,
        min: reduce_min(min),
        max: !reduce_min(max),
        q20: above[0],
        q30: above[1],
    }
}

/// The smallest lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn reduce_min(bytes: __m512i) -> u8 {
    let low = _mm512_castsi512_si256(bytes);
    let half = _mm256_min_epu8(low, _mm512_extracti64x4_epi64::<1>(bytes));
    let low = _mm256_castsi256_si128(half);
    let quarter = _mm_min_epu8(low, _mm256_extracti128_si256::<1>(half));
    let pairs = _mm_min_epu8(quarter, _mm_srli_epi16::<8>(quarter));
    _mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) as u8
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn sum_error_probability_avx512(bytes: &[u8]) -> u64 {
    let zero = _mm512_setzero_si512();
    let last = _mm512_set1_epi8(127);
    let tables = ERROR_PLANES.each_ref().map(|plane| load_table(plane));
    let mut sums = [zero; 4];
    let mut add = |lanes, block| {
        let index = _mm512_min_epu8(block, last);
        for (sum, [low, high]) in sums.iter_mut().zip(tables) {
            let values = _mm512_maskz_permutex2var_epi8(lanes, low, index, high);
            *sum = _mm512_add_epi64(*sum, _mm512_sad_epu8(values, zero));
        }
    };
    let (blocks, tail) = bytes.as_chunks();
    for block in blocks {
        add(u64::MAX, load(block));
    }
    if !tail.is_empty() {
        add(lanes(tail.len()), load_or_zero(tail));
    }
    let [p0, p1, p2, p3] = sums;
    let low = _mm512_add_epi64(p0, _mm512_slli_epi64::<8>(p1));
    let high = _mm512_add_epi64(p2, _mm512_slli_epi64::<8>(p3));
    _mm512_reduce_add_epi64(_mm512_add_epi64(low, _mm512_slli_epi64::<16>(high))) as u64
}

/// Bit 7 set: not a base letter.
static INVALID_BASES: [u8; 128] = {
    let mut table = [0x80; 128];
    let mut byte = 0;
    while byte < 128u8 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'*') {
            table[byte as usize] = 0;
        }
        byte += 1;
    }
    table
};

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi1,bmi2,popcnt"
)]
fn count_plain_records_avx512(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    #[allow(clippy::redundant_closure)]
    // a function handed over by name would be compiled without the target features
    count_plain_with(bytes, start, newlines, |header, bases, qualities| {
        is_valid_record(header, bases, qualities)
    })
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi1,bmi2,popcnt"
)]
fn index_plain_records_avx512(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize {
    #[allow(clippy::redundant_closure)] // as above
    index_plain_with::<Avx512>(bytes, start, out, |header, bases, qualities| {
        is_valid_record(header, bases, qualities)
    })
}

/// Whether the lines of a record have nothing that isn't valid; bases and qualities are as many.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi1,bmi2,popcnt"
)]
fn is_valid_record(header: &[u8], bases: &[u8], qualities: &[u8]) -> bool {
    let zero = _mm512_setzero_si512();
    let [low, high] = load_table(&INVALID_BASES);
    let letter = _mm512_set1_epi8(b'A' as i8);
    let first = _mm512_set1_epi8(quality::FIRST as i8);
    let range = _mm512_set1_epi8((quality::LAST - quality::FIRST) as i8);
    let [space, one] = [b' ', 1].map(|byte| _mm512_set1_epi8(byte as i8));
    let (mut no_base, mut highest) = (zero, zero);
    // What `find_invalid_base` and `find_invalid_quality` do, together as both have the same length.
    let mut look = |bases, qualities| {
        let lookup = _mm512_permutex2var_epi8(low, bases, high);
        no_base = _mm512_ternarylogic_epi64::<0xfe>(no_base, lookup, bases);
        highest = _mm512_max_epu8(highest, _mm512_sub_epi8(qualities, first));
    };
    let (base_blocks, base_tail) = bases.as_chunks();
    let (quality_blocks, quality_tail) = qualities.as_chunks();
    for (bases, qualities) in base_blocks.iter().zip(quality_blocks) {
        look(load(bases), load(qualities));
    }
    look(load_or(letter, base_tail), load_or(first, quality_tail));
    // Printable ASCII becomes what qualities may be: a space and '!' 0, '~' the highest.
    let text = |block| _mm512_subs_epu8(_mm512_sub_epi8(block, space), one);
    let (header_blocks, header_tail) = header.as_chunks();
    for block in header_blocks {
        highest = _mm512_max_epu8(highest, text(load(block)));
    }
    highest = _mm512_max_epu8(highest, text(load_or(space, header_tail)));
    // A tab or UTF-8 in the header is odd, but fine.
    _mm512_movepi8_mask(no_base) | _mm512_cmpgt_epu8_mask(highest, range) == 0
        || !has_control(header)
            && compiled::find_invalid_base(bases).is_none()
            && compiled::find_invalid_quality(qualities).is_none()
}

/// Bytes that aren't bases, by a lookup.
#[derive(Clone, Copy)]
pub(super) struct TableCheck {
    low: __m512i,
    high: __m512i,
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn base_check() -> TableCheck {
    let [low, high] = load_table(&INVALID_BASES);
    TableCheck { low, high }
}

impl Check<__m512i> for TableCheck {
    const FILL: u8 = b'A';

    by_intrinsics! {
        fn fold(self: Self, bad: __m512i, block: __m512i) -> __m512i = fold;
        fn is_bad(self: Self, bad: __m512i) -> bool = is_bad;
    }

    #[inline(always)]
    fn find(bytes: &[u8]) -> Option<usize> {
        bases::reference::find_invalid_base(bytes)
    }
}

/// The lookup ignores bit 7 of the byte, so that is added: bytes above 127 are invalid.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn fold(check: TableCheck, bad: __m512i, block: __m512i) -> __m512i {
    let lookup = _mm512_permutex2var_epi8(check.low, block, check.high);
    _mm512_ternarylogic_epi64::<0xfe>(bad, lookup, block)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn is_bad(_: TableCheck, bad: __m512i) -> bool {
    _mm512_movepi8_mask(bad) != 0
}
