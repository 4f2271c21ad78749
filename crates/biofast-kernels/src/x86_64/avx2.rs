//! AVX2: 32 bytes a step; tails are assembled in a register, or the last vector overlaps.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2_columns::{count_base_columns_avx2, count_quality_columns_avx2};
use super::avx2_packed::{
    copy_qualities_avx2, copy_qualities_reversed_avx2, unpack_bases_avx2,
    unpack_bases_reverse_complement_avx2,
};
use super::avx2_reads::summarize_reads_avx2;
use super::avx2_registers::{load, load_or_zero, load_table, look_up_any, reduce_add, to_phred};
use crate::bases::vector::{NibbleCheck, count_each_base};
use crate::bases::{self, ACGTN_BY_LOW_BITS, FIELD_BY_LOW_BITS};
use crate::columns::{ClassTable, Counts};
use crate::quality::{self, ERROR_PROBABILITY, PHRED_VALUES, to_phreds};
use crate::records::vector::index_plain_with;
use crate::records::{count_plain_with, has_control};
use crate::table::{compile, with_kernels};
use crate::vector::{Matches, Simd, Vector, by_intrinsics, count_in_bytes};
use crate::{
    BaseCounts, GcCounts, Isa, MinimizerBuffers, MinimizerScheme, QualitySummary, ReadSummary,
};

with_kernels!(compile Isa::Avx2, Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");

/// AVX2 with what all CPUs that have it have, too.
pub(super) struct Avx2;

impl Simd for Avx2 {
    type Vector = __m256i;
    type BaseCheck = NibbleCheck<__m256i>;

    #[inline(always)]
    fn base_check() -> Self::BaseCheck {
        NibbleCheck::new()
    }

    by_intrinsics! {
        fn newline_bits(block: &[u8; 64]) -> u64 = newline_bits_avx2;
        fn count_bases(bytes: &[u8]) -> BaseCounts = count_bases_avx2;
        fn sum_qualities(bytes: &[u8]) -> u64 = sum_qualities_avx2;
        fn sum_error_probability(bytes: &[u8]) -> u64 = sum_error_probability_avx2;
        fn summarize_reads(
            bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]
        ) = summarize_reads_avx2;
        fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize =
            count_plain_records_avx2;
        fn index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize =
            index_plain_records_avx2;
        fn count_base_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64 = count_base_columns_avx2;
        fn count_quality_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64 = count_quality_columns_avx2;
        fn unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>) = unpack_bases_avx2;
        fn unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>) =
            unpack_bases_reverse_complement_avx2;
        fn copy_qualities(raw: &[u8], out: &mut Vec<u8>) = copy_qualities_avx2;
        fn copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>) = copy_qualities_reversed_avx2;
    }

    #[inline(always)]
    fn summarize<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
        // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
        unsafe { summarize_avx2::<FIRST>(bytes) }
    }
}

impl Vector for __m256i {
    type Block = [u8; 32];
    type Mask = __m256i;
    type Sums = __m256i;

    #[inline(always)]
    fn blocks(bytes: &[u8]) -> (&[[u8; 32]], &[u8]) {
        bytes.as_chunks()
    }

    #[inline(always)]
    fn load_rest(bytes: &[u8], fill: u8) -> __m256i {
        match bytes.last_chunk() {
            Some(last) => Self::load(last),
            // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
            None => unsafe { load_or_fill(bytes, fill) },
        }
    }

    by_intrinsics! {
        fn splat(byte: u8) -> __m256i = splat;
        fn load(block: &[u8; 32]) -> __m256i = load;
        fn load_or_zero(bytes: &[u8]) -> __m256i = load_or_zero;
        fn store(self: __m256i, to: &mut [u8; 32]) = store;
        fn table(entries: &[u8; 16]) -> __m256i = load_table;
        fn look_up(table: __m256i, nibbles: __m256i) -> __m256i = _mm256_shuffle_epi8;
        fn look_up_lower(table: __m256i, bytes: __m256i) -> __m256i = _mm256_shuffle_epi8;
        fn upper_nibbles(self: __m256i) -> __m256i = upper_nibbles;
        fn and(self: __m256i, other: __m256i) -> __m256i = _mm256_and_si256;
        fn or(self: __m256i, other: __m256i) -> __m256i = _mm256_or_si256;
        fn xor(self: __m256i, other: __m256i) -> __m256i = _mm256_xor_si256;
        fn add(self: __m256i, other: __m256i) -> __m256i = _mm256_add_epi8;
        fn subtract(self: __m256i, other: __m256i) -> __m256i = _mm256_sub_epi8;
        fn max(self: __m256i, other: __m256i) -> __m256i = _mm256_max_epu8;
        fn equal(self: __m256i, other: __m256i) -> __m256i = _mm256_cmpeq_epi8;
        fn at_least(self: __m256i, other: __m256i) -> __m256i = at_least;
        fn any(self: __m256i) -> bool = any;
        fn any_at_least(self: __m256i, other: __m256i) -> bool = any_at_least;
        fn no_sums() -> __m256i = _mm256_setzero_si256;
        fn add_bytes(sums: __m256i, bytes: __m256i) -> __m256i = add_bytes;
        fn total(sums: __m256i) -> u64 = reduce_add;
        fn add_bits(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) = add_bits;
    }

    #[inline(always)]
    fn swap_bits<const DISTANCE: i32>(
        upper: __m256i,
        lower: __m256i,
        mask: u8,
    ) -> (__m256i, __m256i) {
        // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
        unsafe { swap_bits::<DISTANCE>(upper, lower, mask) }
    }

    #[inline(always)]
    fn count_matches<const N: usize, const CHAINS: usize>(
        bytes: &[u8],
        matches: impl Matches<__m256i, N>,
    ) -> [u64; N] {
        // More chains gain nothing here.
        count_in_bytes::<__m256i, N, 1>(bytes, matches)
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn splat(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte as i8)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn store(bytes: __m256i, to: &mut [u8; 32]) {
    // SAFETY: the block has 32 bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), bytes) }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn upper_nibbles(bytes: __m256i) -> __m256i {
    _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn at_least(bytes: __m256i, least: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, least), bytes)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn any(bytes: __m256i) -> bool {
    _mm256_testz_si256(bytes, bytes) == 0
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn any_at_least(bytes: __m256i, least: __m256i) -> bool {
    _mm256_movemask_epi8(at_least(bytes, least)) != 0
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_bytes(sums: __m256i, bytes: __m256i) -> __m256i {
    _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256()))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_bits(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
    let half = _mm256_xor_si256(b, c);
    let carry = _mm256_or_si256(_mm256_and_si256(b, c), _mm256_and_si256(half, a));
    (carry, _mm256_xor_si256(half, a))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn swap_bits<const DISTANCE: i32>(upper: __m256i, lower: __m256i, mask: u8) -> (__m256i, __m256i) {
    let differ = _mm256_xor_si256(_mm256_srli_epi16::<DISTANCE>(upper), lower);
    let change = _mm256_and_si256(differ, splat(mask));
    let upper = _mm256_xor_si256(upper, _mm256_slli_epi16::<DISTANCE>(change));
    (upper, _mm256_xor_si256(lower, change))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn newline_bits_avx2(block: &[u8; 64]) -> u64 {
    let newline = _mm256_set1_epi8(b'\n' as i8);
    let (halves, _) = block.as_chunks();
    let [low, high] = [0, 1].map(|half| {
        let lanes = _mm256_cmpeq_epi8(load(&halves[half]), newline);
        u64::from(_mm256_movemask_epi8(lanes) as u32)
    });
    low | high << 32
}

/// 0xff in the lanes from `len` (at most 127) on.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn lanes_beyond(len: usize) -> __m256i {
    let iota: [u8; 32] = std::array::from_fn(|lane| lane as u8);
    _mm256_cmpgt_epi8(load(&iota), _mm256_set1_epi8(len as i8 - 1))
}

/// Fewer than 32 bytes, `fill` beyond.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_or_fill(bytes: &[u8], fill: u8) -> __m256i {
    let padding = _mm256_and_si256(lanes_beyond(bytes.len()), splat(fill));
    _mm256_or_si256(load_or_zero(bytes), padding)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_bases_avx2(bytes: &[u8]) -> BaseCounts {
    // Closures, as these may use the instructions of this function: handed over by name, it would be compiled without them.
    #[allow(clippy::redundant_closure)]
    bases::count_by_groups(
        bytes,
        |groups| count_fields(groups),
        |bytes| count_each_base::<__m256i>(bytes),
    )
}

/// A, C, G and T in at most 17 groups of 15 vectors; `None` if a byte is none of them nor N.
///
/// A lookup by the lowest four bits turns each byte into four counters of two bits, another tells the letter it must
/// be. Counters are split when they are full: after three vectors into four bits, after 15 into eight.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_fields(groups: &[[u8; 15 * 32]]) -> Option<[u64; 4]> {
    let zero = _mm256_setzero_si256();
    let [expected, fields] =
        [&ACGTN_BY_LOW_BITS, &FIELD_BY_LOW_BITS].map(|table| load_table(table));
    let [two_bits, four_bits] = [0x33, 0x0f].map(|mask| _mm256_set1_epi8(mask));
    let mut differences = zero;
    let mut bytes = [zero; 4];
    for group in groups {
        let mut nibbles = [zero; 2];
        for blocks in group.as_chunks::<96>().0 {
            let mut sum = zero;
            for block in blocks.as_chunks().0 {
                let block = load(block);
                let difference = _mm256_xor_si256(block, _mm256_shuffle_epi8(expected, block));
                differences = _mm256_or_si256(differences, difference);
                sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(fields, block));
            }
            let odd = _mm256_and_si256(_mm256_srli_epi16::<2>(sum), two_bits);
            nibbles[0] = _mm256_add_epi8(nibbles[0], _mm256_and_si256(sum, two_bits));
            nibbles[1] = _mm256_add_epi8(nibbles[1], odd);
        }
        let (low, high) = bytes.split_at_mut(2);
        for ((low, high), nibbles) in low.iter_mut().zip(high).zip(nibbles) {
            *low = _mm256_add_epi8(*low, _mm256_and_si256(nibbles, four_bits));
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(nibbles), four_bits);
            *high = _mm256_add_epi8(*high, upper);
        }
    }
    // But for the case bit.
    let all_known = _mm256_testz_si256(differences, _mm256_set1_epi8(!0x20)) == 1;
    all_known.then(|| bytes.map(|counts| reduce_add(_mm256_sad_epu8(counts, zero))))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sum_qualities_avx2(bytes: &[u8]) -> u64 {
    let zero = _mm256_setzero_si256();
    let [first, last] = [quality::FIRST, quality::LAST].map(|byte| _mm256_set1_epi8(byte as i8));
    // Faster than a saturating subtraction. Lanes beyond the tail become Phred 0 like any byte below.
    let clamp = |block| _mm256_min_epu8(_mm256_max_epu8(block, first), last);
    let mut sum = zero;
    let mut add = |bytes| sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, zero));
    let (pairs, rest) = bytes.as_chunks::<64>();
    for pair in pairs {
        let (blocks, _) = pair.as_chunks();
        // Two fit a byte.
        add(_mm256_add_epi8(clamp(load(&blocks[0])), clamp(load(&blocks[1]))));
    }
    let (blocks, tail) = rest.as_chunks();
    for block in blocks {
        add(clamp(load(block)));
    }
    if !tail.is_empty() {
        add(clamp(load_or_zero(tail)));
    }
    let vectors = bytes.len().div_ceil(32) as u64;
    reduce_add(sum) - 32 * u64::from(quality::FIRST) * vectors
}

/// `FIRST` is the byte of Phred 0.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn summarize_avx2<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
    let first = _mm256_set1_epi8(FIRST as i8);
    let most = FIRST + (PHRED_VALUES - 1) as u8;
    let summary = summarize_as::<FIRST>(bytes, |block| block);
    if bytes.is_empty() || (summary.min >= FIRST && summary.max <= most) {
        return to_phreds::<FIRST>(summary, bytes.len());
    }
    let most = _mm256_set1_epi8(most as i8);
    let clamp = |block| _mm256_min_epu8(_mm256_max_epu8(block, first), most);
    to_phreds::<FIRST>(summarize_as::<FIRST>(bytes, clamp), bytes.len())
}

/// The summary of the bytes that `clamp` makes of those there are, as bytes. Wrong but for `min` and `max` if one is
/// above 127.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn summarize_as<const FIRST: u8>(
    bytes: &[u8],
    clamp: impl Fn(__m256i) -> __m256i,
) -> QualitySummary {
    let zero = _mm256_setzero_si256();
    let (mut sum, mut min, mut max) = (zero, _mm256_set1_epi8(-1), zero);
    let mut above = [zero; 2];
    let below = [19, 29].map(|phred| _mm256_set1_epi8((FIRST + phred) as i8));
    let (pairs, rest) = bytes.as_chunks::<64>();
    // A byte counts up to 255 vectors.
    for pairs in pairs.chunks(127) {
        let mut counts = [zero; 2];
        for pair in pairs {
            let (blocks, _) = pair.as_chunks();
            let blocks = [clamp(load(&blocks[0])), clamp(load(&blocks[1]))];
            // Two qualities fit a byte.
            let pairs = _mm256_add_epi8(blocks[0], blocks[1]);
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(pairs, zero));
            for block in blocks {
                min = _mm256_min_epu8(min, block);
                max = _mm256_max_epu8(max, block);
                for (count, below) in counts.iter_mut().zip(below) {
                    *count = _mm256_sub_epi8(*count, _mm256_cmpgt_epi8(block, below));
                }
            }
        }
        for (above, count) in above.iter_mut().zip(counts) {
            *above = _mm256_add_epi64(*above, _mm256_sad_epu8(count, zero));
        }
    }
    let one = _mm256_set1_epi8(1);
    let mut add = |block, beyond| {
        sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_andnot_si256(beyond, block), zero));
        min = _mm256_min_epu8(min, _mm256_or_si256(block, beyond));
        max = _mm256_max_epu8(max, _mm256_andnot_si256(beyond, block));
        for (above, below) in above.iter_mut().zip(below) {
            let lanes = _mm256_andnot_si256(beyond, _mm256_cmpgt_epi8(block, below));
            let ones = _mm256_and_si256(lanes, one);
            *above = _mm256_add_epi64(*above, _mm256_sad_epu8(ones, zero));
        }
    };
    let (blocks, tail) = rest.as_chunks();
    for block in blocks {
        add(clamp(load(block)), zero);
    }
    if !tail.is_empty() {
        add(clamp(load_or_zero(tail)), lanes_beyond(tail.len()));
    }
    // The largest is the complement of the smallest complement.
    let max = _mm256_xor_si256(max, _mm256_set1_epi8(-1));
    QualitySummary {
        sum: reduce_add(sum),
        min: reduce_min(min),
        max: !reduce_min(max),
        q20: reduce_add(above[0]),
        q30: reduce_add(above[1]),
    }
}

/// The smallest lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn reduce_min(bytes: __m256i) -> u8 {
    let low = _mm256_castsi256_si128(bytes);
    let half = _mm_min_epu8(low, _mm256_extracti128_si256::<1>(bytes));
    let pairs = _mm_min_epu8(half, _mm_srli_epi16::<8>(half));
    _mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) as u8
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sum_error_probability_avx2(bytes: &[u8]) -> u64 {
    let zero = _mm256_setzero_si256();
    let mut sums = [zero; 4];
    let mut add = |phred| {
        for (sum, plane) in sums.iter_mut().zip(look_up_any(phred)) {
            *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(plane, zero));
        }
    };
    let (blocks, tail) = bytes.as_chunks();
    for block in blocks {
        add(to_phred::<{ quality::FIRST }>(load(block)));
    }
    let mut padding = 0;
    if !tail.is_empty() {
        add(to_phred::<{ quality::FIRST }>(load_or_zero(tail)));
        padding = (32 - tail.len() as u64) * u64::from(ERROR_PROBABILITY[0]);
    }
    let [p0, p1, p2, p3] = sums;
    let low = _mm256_add_epi64(p0, _mm256_slli_epi64::<8>(p1));
    let high = _mm256_add_epi64(p2, _mm256_slli_epi64::<8>(p3));
    // The padding can carry the sum of 2^32 bases over the edge before it's taken off again.
    let sum = reduce_add(_mm256_add_epi64(low, _mm256_slli_epi64::<16>(high)));
    sum.wrapping_sub(padding)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_plain_records_avx2(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    #[allow(clippy::redundant_closure)]
    // a function handed over by name would be compiled without the target features
    count_plain_with(bytes, start, newlines, |header, bases, qualities| {
        is_valid_record(header, bases, qualities)
    })
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn index_plain_records_avx2(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize {
    #[allow(clippy::redundant_closure)] // as above
    index_plain_with::<Avx2>(bytes, start, out, |header, bases, qualities| {
        is_valid_record(header, bases, qualities)
    })
}

/// Whether the lines of a record have nothing that isn't valid; bases and qualities are as many.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn is_valid_record(header: &[u8], bases: &[u8], qualities: &[u8]) -> bool {
    let letters = load_table(&ACGTN_BY_LOW_BITS);
    let zero = _mm256_setzero_si256();
    let first = _mm256_set1_epi8(quality::FIRST as i8);
    let [space, one] = [b' ', 1].map(|byte| _mm256_set1_epi8(byte as i8));
    let invalid = _mm256_set1_epi8((quality::LAST - quality::FIRST + 1) as i8);
    let (mut other, mut highest) = (zero, zero);
    // Bases other than A, C, G, T and N in both cases are looked at below; qualities as in `find_invalid_quality`.
    let mut look = |bases, qualities| {
        let differ = _mm256_xor_si256(_mm256_shuffle_epi8(letters, bases), bases);
        other = _mm256_or_si256(other, differ);
        highest = _mm256_max_epu8(highest, _mm256_sub_epi8(qualities, first));
    };
    // The last block overlaps the one before, or is it.
    match (bases.last_chunk(), qualities.last_chunk()) {
        (Some(last), Some(last_qualities)) => {
            for (bases, qualities) in bases.as_chunks().0.iter().zip(qualities.as_chunks().0) {
                look(load(bases), load(qualities));
            }
            look(load(last), load(last_qualities));
        }
        _ => look(load_or_fill(bases, b'A'), load_or_fill(qualities, quality::FIRST)),
    }
    // Printable ASCII becomes what qualities may be: a space and '!' 0, '~' the highest.
    let text = |block| _mm256_subs_epu8(_mm256_sub_epi8(block, space), one);
    match header.last_chunk() {
        Some(last) => {
            for block in header.as_chunks().0 {
                highest = _mm256_max_epu8(highest, text(load(block)));
            }
            highest = _mm256_max_epu8(highest, text(load(last)));
        }
        None => highest = _mm256_max_epu8(highest, text(load_or_fill(header, b' '))),
    }
    let beyond = _mm256_cmpeq_epi8(_mm256_max_epu8(highest, invalid), highest);
    let odd = _mm256_or_si256(_mm256_and_si256(other, _mm256_set1_epi8(!0x20)), beyond);
    // Other bases are odd, and a tab or UTF-8 in the header, but fine.
    _mm256_testz_si256(odd, odd) == 1
        || !has_control(header)
            && compiled::find_invalid_base(bases).is_none()
            && compiled::find_invalid_quality(qualities).is_none()
}
