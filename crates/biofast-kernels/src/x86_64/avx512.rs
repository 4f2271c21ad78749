//! AVX-512 with VBMI, VBMI2, BITALG and GFNI: 64 bytes a step; masked loads take the tails.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx512_columns::{add_columns_avx512, count_columns_avx512};
use super::avx512_packed::{
    copy_qualities_avx512, copy_qualities_reversed_avx512, count_packed_bases_avx512,
    count_packed_gc_avx512, unpack_bases_avx512, unpack_bases_reverse_complement_avx512,
};
use super::detected;
use crate::bases::{ACGT_BITS, ACGT_BY_LOW_BITS};
use crate::columns::{ClassTable, Counts};
use crate::newlines::{index_with, push_bits};
use crate::quality::{self, ERROR_PLANES, PHRED_VALUES, to_phreds};
use crate::records::{count_plain_with, has_control};
use crate::{BaseCounts, GcCounts, Isa, Kernels, QualitySummary, ReadSummary, scalar};

pub(super) static KERNELS: Kernels = Kernels {
    isa: Isa::Avx512,
    count_bases,
    count_gc,
    count_gc_acgt,
    count_n,
    sum_qualities,
    summarize_qualities,
    count_at_least,
    sum_error_probability,
    find_invalid_base,
    find_invalid_quality,
    count_plain_records,
    summarize_reads,
    count_newlines,
    index_newlines,
    count_base_columns: count_columns,
    count_quality_columns: count_columns,
    add_columns,
    unpack_bases,
    unpack_bases_reverse_complement,
    count_packed_bases,
    count_packed_gc,
    copy_qualities,
    copy_qualities_reversed,
    summarize_raw_qualities,
};

detected! {
    count_bases => count_bases_avx512, (bytes: &[u8]) -> BaseCounts;
    count_gc => count_gc_avx512, (bytes: &[u8]) -> u64;
    count_gc_acgt => count_gc_acgt_avx512, (bytes: &[u8]) -> GcCounts;
    count_n => count_n_avx512, (bytes: &[u8]) -> u64;
    sum_qualities => sum_qualities_avx512, (bytes: &[u8]) -> u64;
    summarize_qualities => summarize_qualities_avx512, (bytes: &[u8]) -> QualitySummary;
    count_at_least => count_at_least_avx512, (bytes: &[u8], phred: u8) -> u64;
    sum_error_probability => sum_error_probability_avx512, (bytes: &[u8]) -> u64;
    find_invalid_base => find_invalid_base_avx512, (bytes: &[u8]) -> Option<usize>;
    find_invalid_quality => find_invalid_quality_avx512, (bytes: &[u8]) -> Option<usize>;
    count_plain_records => count_plain_records_avx512,
        (bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize;
    summarize_reads => summarize_reads_avx512,
        (bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]);
    count_newlines => count_newlines_avx512, (bytes: &[u8]) -> u64;
    index_newlines => index_newlines_avx512, (bytes: &[u8], base: u32, out: &mut Vec<u32>);
    count_columns => count_columns_avx512,
        (rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]) -> u64;
    add_columns => add_columns_avx512,
        (counts: &[Counts], values: &[u8], sums: &mut [[u16; 64]]);
    unpack_bases => unpack_bases_avx512, (packed: &[u8], len: usize, out: &mut Vec<u8>);
    unpack_bases_reverse_complement => unpack_bases_reverse_complement_avx512,
        (packed: &[u8], len: usize, out: &mut Vec<u8>);
    count_packed_bases => count_packed_bases_avx512, (packed: &[u8], len: usize) -> BaseCounts;
    count_packed_gc => count_packed_gc_avx512, (packed: &[u8], len: usize) -> GcCounts;
    copy_qualities => copy_qualities_avx512, (raw: &[u8], out: &mut Vec<u8>);
    copy_qualities_reversed => copy_qualities_reversed_avx512, (raw: &[u8], out: &mut Vec<u8>);
    summarize_raw_qualities => summarize_raw_qualities_avx512, (raw: &[u8]) -> QualitySummary;
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load(block: &[u8; 64]) -> __m512i {
    // SAFETY: the block has 64 bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

/// The lanes of the first `len` bytes, all when there are 64 or more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn lanes(len: usize) -> __mmask64 {
    _bzhi_u64(u64::MAX, len.min(64) as u32)
}

/// The first 64 bytes or fewer; the lanes beyond come from `fill`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn load_or(fill: __m512i, bytes: &[u8]) -> __m512i {
    // SAFETY: masked-out lanes aren't accessed, and the mask covers at most the length of the slice.
    unsafe { _mm512_mask_loadu_epi8(fill, lanes(bytes.len()), bytes.as_ptr().cast()) }
}

/// The first 64 bytes or fewer; the lanes beyond are zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load_or_zero(bytes: &[u8]) -> __m512i {
    // SAFETY: masked-out lanes aren't accessed, and the mask covers at most the length of the slice.
    unsafe { _mm512_maskz_loadu_epi8(lanes(bytes.len()), bytes.as_ptr().cast()) }
}

/// The two halves of a table of 128 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) fn load_table(table: &[u8; 128]) -> [__m512i; 2] {
    let (halves, _) = table.as_chunks::<64>();
    [load(&halves[0]), load(&halves[1])]
}

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
                    counts[4] += count_n_avx512(groups.as_flattened());
                }
            }
            None => add_bases(&mut counts, groups.as_flattened()),
        }
    }
    add_bases(&mut counts, rest);
    BaseCounts::from_acgtn(counts, bytes.len() as u64)
}

/// Adds A, C, G, T and N of `bytes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_bases(counts: &mut [u64; 5], bytes: &[u8]) {
    let letters = b"ACGTN".map(|letter| _mm512_set1_epi8(letter as i8));
    let upper = _mm512_set1_epi8(!0x20);
    let mut add = |block| {
        let block = _mm512_and_si512(block, upper);
        for (count, letter) in counts.iter_mut().zip(letters) {
            *count += u64::from(_mm512_cmpeq_epi8_mask(block, letter).count_ones());
        }
    };
    let (blocks, tail) = bytes.as_chunks();
    for block in blocks {
        add(load(block));
    }
    if !tail.is_empty() {
        add(load_or_zero(tail));
    }
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

/// Counts the lanes of all blocks that `matches` selects; it must not select zero lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_matches(bytes: &[u8], matches: impl Fn(__m512i) -> __mmask64) -> u64 {
    let (blocks, tail) = bytes.as_chunks();
    let mut count = 0;
    for block in blocks {
        count += u64::from(matches(load(block)).count_ones());
    }
    if !tail.is_empty() {
        count += u64::from(matches(load_or_zero(tail)).count_ones());
    }
    count
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_gc_avx512(bytes: &[u8]) -> u64 {
    // C is 0x43 and G is 0x47; lower case adds 0x20.
    let folded = _mm512_set1_epi8(!0x24);
    let c = _mm512_set1_epi8(b'C' as i8);
    count_matches(bytes, |block| _mm512_cmpeq_epi8_mask(_mm512_and_si512(block, folded), c))
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
            None => add_gc_acgt(&mut counts, groups.as_flattened()),
        }
    }
    add_gc_acgt(&mut counts, rest);
    counts
}

/// Adds G and C, and all of A, C, G and T of `bytes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn add_gc_acgt(counts: &mut GcCounts, bytes: &[u8]) {
    let folded = _mm512_set1_epi8(!0x24);
    let c = _mm512_set1_epi8(b'C' as i8);
    let upper = _mm512_set1_epi8(!0x20);
    // SAFETY: the table has 16 bytes; the load needs no alignment.
    let letters = unsafe { _mm_loadu_si128(ACGT_BY_LOW_BITS.as_ptr().cast()) };
    let letters = _mm512_broadcast_i32x4(letters);
    let low_bits = _mm512_set1_epi8(15);
    let mut add = |block| {
        let gc = _mm512_cmpeq_epi8_mask(_mm512_and_si512(block, folded), c);
        let expected = _mm512_shuffle_epi8(letters, _mm512_and_si512(block, low_bits));
        let acgt = _mm512_cmpeq_epi8_mask(_mm512_and_si512(block, upper), expected);
        counts.gc += u64::from(gc.count_ones());
        counts.acgt += u64::from(acgt.count_ones());
    };
    let (blocks, tail) = bytes.as_chunks();
    for block in blocks {
        add(load(block));
    }
    if !tail.is_empty() {
        add(load_or_zero(tail));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_n_avx512(bytes: &[u8]) -> u64 {
    let upper = _mm512_set1_epi8(!0x20);
    let n = _mm512_set1_epi8(b'N' as i8);
    count_matches(bytes, |block| _mm512_cmpeq_epi8_mask(_mm512_and_si512(block, upper), n))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_newlines_avx512(bytes: &[u8]) -> u64 {
    let newline = _mm512_set1_epi8(b'\n' as i8);
    count_matches(bytes, |block| _mm512_cmpeq_epi8_mask(block, newline))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_at_least_avx512(bytes: &[u8], phred: u8) -> u64 {
    match usize::from(phred) {
        0 => bytes.len() as u64,
        PHRED_VALUES.. => 0,
        _ => {
            let threshold = _mm512_set1_epi8((quality::FIRST + phred) as i8);
            count_matches(bytes, |block| _mm512_cmpge_epu8_mask(block, threshold))
        }
    }
}

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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn summarize_qualities_avx512(bytes: &[u8]) -> QualitySummary {
    summarize::<{ quality::FIRST }>(bytes)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn summarize_raw_qualities_avx512(bytes: &[u8]) -> QualitySummary {
    summarize::<0>(bytes)
}

/// `FIRST` is the byte of Phred 0.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn summarize<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn count_plain_records_avx512(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    let zero = _mm512_setzero_si512();
    let [low, high] = load_table(&INVALID_BASES);
    let letter = _mm512_set1_epi8(b'A' as i8);
    let first = _mm512_set1_epi8(quality::FIRST as i8);
    let range = _mm512_set1_epi8((quality::LAST - quality::FIRST) as i8);
    let [space, one] = [b' ', 1].map(|byte| _mm512_set1_epi8(byte as i8));
    count_plain_with(bytes, start, newlines, |header, bases, qualities| {
        let (mut no_base, mut highest) = (zero, zero);
        // As in the two functions below, together as both have the same length.
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
                && find_invalid_base_avx512(bases).is_none()
                && find_invalid_quality_avx512(qualities).is_none()
    })
}

/// One call for many reads, so that constants are loaded once.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi2,popcnt"
)]
fn summarize_reads_avx512(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
    for ((bases, qualities), out) in bases.iter().zip(qualities).zip(out) {
        let counts = count_gc_acgt_avx512(bases);
        let error_sum = sum_error_probability_avx512(qualities);
        *out = ReadSummary { counts, error_sum };
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn find_invalid_base_avx512(bytes: &[u8]) -> Option<usize> {
    let [low, high] = load_table(&INVALID_BASES);
    find_invalid(
        bytes,
        _mm512_set1_epi8(b'A' as i8),
        // The lookup ignores bit 7 of the byte, so that is added: bytes above 127 are invalid.
        |bad, block| {
            let lookup = _mm512_permutex2var_epi8(low, block, high);
            _mm512_ternarylogic_epi64::<0xfe>(bad, lookup, block)
        },
        |bad| _mm512_movepi8_mask(bad) != 0,
        scalar::find_invalid_base,
    )
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn find_invalid_quality_avx512(bytes: &[u8]) -> Option<usize> {
    let first = _mm512_set1_epi8(quality::FIRST as i8);
    let range = _mm512_set1_epi8((quality::LAST - quality::FIRST) as i8);
    find_invalid(
        bytes,
        first,
        |bad, block| _mm512_max_epu8(bad, _mm512_sub_epi8(block, first)),
        |bad| _mm512_cmpgt_epu8_mask(bad, range) != 0,
        scalar::find_invalid_quality,
    )
}

/// Folds 64-byte blocks with `fold`, padded with the valid byte `fill`. Where `is_bad` says so of the fold of up to
/// 512 bytes, `find` tells the index.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn find_invalid(
    bytes: &[u8],
    fill: __m512i,
    fold: impl Fn(__m512i, __m512i) -> __m512i,
    is_bad: impl Fn(__m512i) -> bool,
    find: fn(&[u8]) -> Option<usize>,
) -> Option<usize> {
    let mut start = 0;
    loop {
        let piece = &bytes[start..bytes.len().min(start + 512)];
        let mut bad = _mm512_setzero_si512();
        let (blocks, tail) = piece.as_chunks();
        for block in blocks {
            bad = fold(bad, load(block));
        }
        if !tail.is_empty() {
            bad = fold(bad, load_or(fill, tail));
        }
        if is_bad(bad) {
            return find(piece).map(|index| start + index);
        }
        start += piece.len();
        if start == bytes.len() {
            return None;
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn index_newlines_avx512(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
    let newline = _mm512_set1_epi8(b'\n' as i8);
    index_with(bytes, base, out, |block, base, found, len| {
        let newlines = _mm512_cmpeq_epi8_mask(load(block), newline);
        push_bits(newlines, base, found, len)
    });
}
