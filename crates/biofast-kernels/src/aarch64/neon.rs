//! NEON: 16 bytes a step; tails are assembled in general registers, or the last vector overlaps.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::neon_columns::{count_base_columns_neon, count_quality_columns_neon};
use super::neon_packed::{
    copy_qualities_neon, copy_qualities_reversed_neon, unpack_bases_neon,
    unpack_bases_reverse_complement_neon,
};
use super::neon_registers::{Table, load};
use crate::bases::vector::{NibbleCheck, count_each_base};
use crate::bases::{self, ACGTN_BY_LOW_BITS, FIELD_BY_LOW_BITS};
use crate::columns::{ClassTable, Counts};
use crate::quality::vector::QualityCheck;
use crate::quality::{self, ERROR_PLANES, ERROR_PROBABILITY, PHRED_VALUES, to_phreds};
use crate::records::vector::index_plain_with;
use crate::records::{count_plain_with, is_text};
use crate::table::{compile, with_kernels};
use crate::vector::{Matches, Simd, Vector, by_intrinsics, count_in_bytes, find_invalid};
use crate::{
    BaseCounts, GcCounts, Isa, MinimizerBuffers, MinimizerScheme, QualitySummary, ReadSummary,
};

with_kernels!(compile Isa::Neon, Neon, "neon");

/// NEON.
pub(super) struct Neon;

impl Simd for Neon {
    type Vector = uint8x16_t;
    type BaseCheck = NibbleCheck<uint8x16_t>;

    #[inline(always)]
    fn base_check() -> Self::BaseCheck {
        NibbleCheck::new()
    }

    #[inline(always)]
    fn find_invalid_base(bytes: &[u8]) -> Option<usize> {
        find_invalid::<uint8x16_t, _, 4>(bytes, Self::base_check())
    }

    #[inline(always)]
    fn find_invalid_quality(bytes: &[u8]) -> Option<usize> {
        find_invalid::<uint8x16_t, _, 4>(bytes, QualityCheck::new())
    }

    by_intrinsics! {
        fn newline_bits(block: &[u8; 64]) -> u64 = newline_bits_neon;
        fn count_bases(bytes: &[u8]) -> BaseCounts = count_bases_neon;
        fn sum_qualities(bytes: &[u8]) -> u64 = sum_qualities_neon;
        fn sum_error_probability(bytes: &[u8]) -> u64 = sum_error_probability_neon;
        fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize =
            count_plain_records_neon;
        fn index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize =
            index_plain_records_neon;
        fn count_base_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64 = count_base_columns_neon;
        fn count_quality_columns(
            rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]
        ) -> u64 = count_quality_columns_neon;
        fn unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>) = unpack_bases_neon;
        fn unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>) =
            unpack_bases_reverse_complement_neon;
        fn copy_qualities(raw: &[u8], out: &mut Vec<u8>) = copy_qualities_neon;
        fn copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>) = copy_qualities_reversed_neon;
    }

    #[inline(always)]
    fn summarize<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
        // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
        unsafe { summarize_neon::<FIRST>(bytes) }
    }
}

impl Vector for uint8x16_t {
    type Block = [u8; 16];
    type Mask = uint8x16_t;
    type Sums = uint64x2_t;

    #[inline(always)]
    fn blocks(bytes: &[u8]) -> (&[[u8; 16]], &[u8]) {
        bytes.as_chunks()
    }

    #[inline(always)]
    fn load_rest(bytes: &[u8], fill: u8) -> uint8x16_t {
        match bytes.last_chunk() {
            Some(last) => Self::load(last),
            // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
            None => unsafe { load_or_fill(bytes, fill) },
        }
    }

    by_intrinsics! {
        fn splat(byte: u8) -> uint8x16_t = vdupq_n_u8;
        fn load(block: &[u8; 16]) -> uint8x16_t = load;
        fn load_or_zero(bytes: &[u8]) -> uint8x16_t = load_or_zero;
        fn store(self: uint8x16_t, to: &mut [u8; 16]) = store;
        fn table(entries: &[u8; 16]) -> uint8x16_t = load;
        fn look_up(table: uint8x16_t, nibbles: uint8x16_t) -> uint8x16_t = vqtbl1q_u8;
        fn look_up_lower(table: uint8x16_t, bytes: uint8x16_t) -> uint8x16_t = look_up_lower;
        fn upper_nibbles(self: uint8x16_t) -> uint8x16_t = vshrq_n_u8::<4>;
        fn and(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vandq_u8;
        fn or(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vorrq_u8;
        fn xor(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = veorq_u8;
        fn add(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vaddq_u8;
        fn subtract(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vsubq_u8;
        fn max(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vmaxq_u8;
        fn equal(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vceqq_u8;
        fn at_least(self: uint8x16_t, other: uint8x16_t) -> uint8x16_t = vcgeq_u8;
        fn any(self: uint8x16_t) -> bool = any;
        fn any_at_least(self: uint8x16_t, other: uint8x16_t) -> bool = any_at_least;
        fn no_sums() -> uint64x2_t = no_sums;
        fn add_bytes(sums: uint64x2_t, bytes: uint8x16_t) -> uint64x2_t = add_bytes;
        fn total(sums: uint64x2_t) -> u64 = vaddvq_u64;
        fn add_bits(a: uint8x16_t, b: uint8x16_t, c: uint8x16_t) -> (uint8x16_t, uint8x16_t) =
            add_bits;
    }

    #[inline(always)]
    fn swap_bits<const DISTANCE: i32>(
        upper: uint8x16_t,
        lower: uint8x16_t,
        mask: u8,
    ) -> (uint8x16_t, uint8x16_t) {
        // SAFETY: as for `by_intrinsics!`: it becomes part of functions that have the target features.
        unsafe { swap_bits::<DISTANCE>(upper, lower, mask) }
    }

    #[inline(always)]
    fn count_matches<const N: usize, const CHAINS: usize>(
        bytes: &[u8],
        matches: impl Matches<uint8x16_t, N>,
    ) -> [u64; N] {
        count_in_bytes::<uint8x16_t, N, CHAINS>(bytes, matches)
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(bytes: uint8x16_t, to: &mut [u8; 16]) {
    // SAFETY: the block has 16 bytes; the store needs no alignment.
    unsafe { vst1q_u8(to.as_mut_ptr(), bytes) }
}

#[inline]
#[target_feature(enable = "neon")]
fn look_up_lower(table: uint8x16_t, bytes: uint8x16_t) -> uint8x16_t {
    vqtbl1q_u8(table, vandq_u8(bytes, vdupq_n_u8(15)))
}

#[inline]
#[target_feature(enable = "neon")]
fn any_at_least(bytes: uint8x16_t, least: uint8x16_t) -> bool {
    any(vcgeq_u8(bytes, least))
}

#[inline]
#[target_feature(enable = "neon")]
fn no_sums() -> uint64x2_t {
    vdupq_n_u64(0)
}

#[inline]
#[target_feature(enable = "neon")]
fn add_bytes(sums: uint64x2_t, bytes: uint8x16_t) -> uint64x2_t {
    vpadalq_u32(sums, vpaddlq_u16(vpaddlq_u8(bytes)))
}

#[inline]
#[target_feature(enable = "neon")]
fn add_bits(a: uint8x16_t, b: uint8x16_t, c: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
    let half = veorq_u8(b, c);
    (vbslq_u8(half, a, b), veorq_u8(half, a))
}

#[inline]
#[target_feature(enable = "neon")]
fn swap_bits<const DISTANCE: i32>(
    upper: uint8x16_t,
    lower: uint8x16_t,
    mask: u8,
) -> (uint8x16_t, uint8x16_t) {
    let differ = veorq_u8(vshrq_n_u8::<DISTANCE>(upper), lower);
    let change = vandq_u8(differ, vdupq_n_u8(mask));
    (veorq_u8(upper, vshlq_n_u8::<DISTANCE>(change)), veorq_u8(lower, change))
}

#[inline]
#[target_feature(enable = "neon")]
fn newline_bits_neon(block: &[u8; 64]) -> u64 {
    let newline = vdupq_n_u8(b'\n');
    let bit = load(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    let (quarters, _) = block.as_chunks();
    let [a, b, c, d] =
        [0, 1, 2, 3].map(|quarter| vandq_u8(vceqq_u8(load(&quarters[quarter]), newline), bit));
    // Three rounds of adding neighbours gather the bits of eight lanes in a byte.
    let pairs = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    let mask = vpaddq_u8(pairs, pairs);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(mask))
}

/// Fewer than 16 bytes, zero beyond: two overlapping words, shifted into place.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load_or_zero(bytes: &[u8]) -> uint8x16_t {
    let len = bytes.len();
    assert!(len < 16);
    let (low, high) = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // Bytes 8 to len of the last eight; a shift by 64 is two of 32.
        let shift = 4 * (16 - len);
        let high = u64::from_le_bytes(*last) >> shift >> shift;
        (u64::from_le_bytes(*first), high)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last));
        (u64::from(u32::from_le_bytes(*first)) | last << (8 * (len - 4)), 0)
    } else {
        let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        (word, 0)
    };
    vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))
}

/// 0xff in the lanes from `len` (at most 16) on.
#[inline]
#[target_feature(enable = "neon")]
fn lanes_beyond(len: usize) -> uint8x16_t {
    let iota = load(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    vcgeq_u8(iota, vdupq_n_u8(len as u8))
}

/// Fewer than 16 bytes, `fill` beyond.
#[inline]
#[target_feature(enable = "neon")]
fn load_or_fill(bytes: &[u8], fill: u8) -> uint8x16_t {
    let padding = vandq_u8(lanes_beyond(bytes.len()), vdupq_n_u8(fill));
    vorrq_u8(load_or_zero(bytes), padding)
}

/// Whether a lane isn't zero.
#[inline]
#[target_feature(enable = "neon")]
fn any(lanes: uint8x16_t) -> bool {
    vmaxvq_u8(lanes) != 0
}

#[inline]
#[target_feature(enable = "neon")]
fn count_bases_neon(bytes: &[u8]) -> BaseCounts {
    // Closures, as these may use the instructions of this function: handed over by name, it would be compiled without them.
    #[allow(clippy::redundant_closure)]
    bases::count_by_groups(
        bytes,
        |groups| count_fields(groups),
        |bytes| count_each_base::<uint8x16_t>(bytes),
    )
}

/// A, C, G and T in at most 17 groups of 15 vectors; `None` if a byte is none of them nor N.
///
/// A lookup by the lowest four bits turns each byte into four counters of two bits, another tells the letter it must
/// be. Counters are split when they are full: after three vectors into four bits, after 15 into eight.
#[inline]
#[target_feature(enable = "neon")]
fn count_fields(groups: &[[u8; 15 * 16]]) -> Option<[u64; 4]> {
    let zero = vdupq_n_u8(0);
    let [expected, fields] = [&ACGTN_BY_LOW_BITS, &FIELD_BY_LOW_BITS].map(|table| load(table));
    let four_bits = vdupq_n_u8(15);
    let [even, odd] = [0x33, 0xcc].map(|mask| vdupq_n_u8(mask));
    // Of the first, second and third vector of three, so that one doesn't wait for the other.
    let mut differences = [zero; 3];
    let mut bytes = [zero; 4];
    for group in groups {
        let mut nibbles = [zero; 2];
        for blocks in group.as_chunks::<48>().0 {
            let mut sum = zero;
            for (block, differences) in blocks.as_chunks().0.iter().zip(&mut differences) {
                let block = load(block);
                let index = vandq_u8(block, four_bits);
                let difference = veorq_u8(block, vqtbl1q_u8(expected, index));
                *differences = vorrq_u8(*differences, difference);
                sum = vaddq_u8(sum, vqtbl1q_u8(fields, index));
            }
            nibbles[0] = vaddq_u8(nibbles[0], vandq_u8(sum, even));
            nibbles[1] = vsraq_n_u8::<2>(nibbles[1], vandq_u8(sum, odd));
        }
        let (low, high) = bytes.split_at_mut(2);
        for ((low, high), nibbles) in low.iter_mut().zip(high).zip(nibbles) {
            *low = vaddq_u8(*low, vandq_u8(nibbles, four_bits));
            *high = vsraq_n_u8::<4>(*high, nibbles);
        }
    }
    let [first, second, third] = differences;
    let differences = vorrq_u8(vorrq_u8(first, second), third);
    // But for the case bit.
    let unknown = any(vandq_u8(differences, vdupq_n_u8(!0x20)));
    (!unknown).then(|| bytes.map(|counts| u64::from(vaddlvq_u8(counts))))
}

/// Phred values, where `FIRST` is the byte of Phred 0; those of zero lanes are zero.
#[inline]
#[target_feature(enable = "neon")]
fn to_phred<const FIRST: u8>(block: uint8x16_t) -> uint8x16_t {
    let phred = vqsubq_u8(block, vdupq_n_u8(FIRST));
    vminq_u8(phred, vdupq_n_u8((PHRED_VALUES - 1) as u8))
}

#[inline]
#[target_feature(enable = "neon")]
fn sum_qualities_neon(bytes: &[u8]) -> u64 {
    let phred = |block: &[u8; 16]| to_phred::<{ quality::FIRST }>(load(block));
    let mut total = 0;
    let (groups, rest) = bytes.as_chunks::<64>();
    // A 16-bit lane sums four Phred values of each of 128 groups.
    for groups in groups.chunks(128) {
        let mut sums = [vdupq_n_u16(0); 2];
        for group in groups {
            let (pairs, _) = group.as_chunks::<32>();
            for (sum, pair) in sums.iter_mut().zip(pairs) {
                let (blocks, _) = pair.as_chunks();
                // Two fit a byte.
                *sum = vpadalq_u8(*sum, vaddq_u8(phred(&blocks[0]), phred(&blocks[1])));
            }
        }
        total += sums.into_iter().map(|sum| u64::from(vaddlvq_u16(sum))).sum::<u64>();
    }
    let mut sum = vdupq_n_u16(0);
    let (blocks, tail) = rest.as_chunks();
    for block in blocks {
        sum = vpadalq_u8(sum, phred(block));
    }
    if !tail.is_empty() {
        sum = vpadalq_u8(sum, to_phred::<{ quality::FIRST }>(load_or_zero(tail)));
    }
    total + u64::from(vaddlvq_u16(sum))
}

/// `FIRST` is the byte of Phred 0.
#[inline]
#[target_feature(enable = "neon")]
fn summarize_neon<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
    let most = FIRST + (PHRED_VALUES - 1) as u8;
    let summary = summarize_as::<FIRST>(bytes, |block| block);
    if bytes.is_empty() || (summary.min >= FIRST && summary.max <= most) {
        return to_phreds::<FIRST>(summary, bytes.len());
    }
    let (first, most) = (vdupq_n_u8(FIRST), vdupq_n_u8(most));
    let clamp = |block| vminq_u8(vmaxq_u8(block, first), most);
    to_phreds::<FIRST>(summarize_as::<FIRST>(bytes, clamp), bytes.len())
}

/// The summary of the bytes that `clamp` makes of those there are, as bytes. Wrong but for `min` and `max` if one is
/// above 127.
#[inline]
#[target_feature(enable = "neon")]
fn summarize_as<const FIRST: u8>(
    bytes: &[u8],
    clamp: impl Fn(uint8x16_t) -> uint8x16_t,
) -> QualitySummary {
    let zero = vdupq_n_u8(0);
    let thresholds = [20, 30].map(|phred| vdupq_n_u8(FIRST + phred));
    let mut summary = QualitySummary::default();
    // Of the first and the second vector of two, so that one doesn't wait for the other.
    let mut ranges = [(vdupq_n_u8(u8::MAX), zero); 2];
    let mut add = |sums: &mut PairSums, lane: usize, block, beyond| {
        let (min, max) = &mut ranges[lane];
        *min = vminq_u8(*min, vorrq_u8(block, beyond));
        *max = vmaxq_u8(*max, vbicq_u8(block, beyond));
        for (above, threshold) in sums.above[lane].iter_mut().zip(thresholds) {
            *above = vsubq_u8(*above, vbicq_u8(vcgeq_u8(block, threshold), beyond));
        }
    };
    let (pairs, rest) = bytes.as_chunks::<32>();
    for pairs in pairs.chunks(PairSums::PAIRS) {
        let mut sums = PairSums::new();
        for pair in pairs {
            let (blocks, _) = pair.as_chunks();
            let blocks = [clamp(load(&blocks[0])), clamp(load(&blocks[1]))];
            // Two qualities fit a byte.
            sums.all = vpadalq_u8(sums.all, vaddq_u8(blocks[0], blocks[1]));
            for (lane, block) in blocks.into_iter().enumerate() {
                add(&mut sums, lane, block, zero);
            }
        }
        sums.move_to(&mut summary);
    }
    let mut sums = PairSums::new();
    let mut add = |block, beyond| {
        sums.all = vpadalq_u8(sums.all, vbicq_u8(block, beyond));
        add(&mut sums, 0, block, beyond);
    };
    let (blocks, tail) = rest.as_chunks();
    for block in blocks {
        add(clamp(load(block)), zero);
    }
    if !tail.is_empty() {
        add(clamp(load_or_zero(tail)), lanes_beyond(tail.len()));
    }
    sums.move_to(&mut summary);
    let [(min, max), (other_min, other_max)] = ranges;
    summary.min = vminvq_u8(vminq_u8(min, other_min));
    summary.max = vmaxvq_u8(vmaxq_u8(max, other_max));
    summary
}

/// Sums of at most [`PairSums::PAIRS`] pairs of vectors.
struct PairSums {
    /// Of all bytes, two a lane and vector.
    all: uint16x8_t,
    /// Bytes from Phred 20 and 30 up in the first and the second vectors.
    above: [[uint8x16_t; 2]; 2],
}

impl PairSums {
    /// What 16 bits hold of four bytes each.
    const PAIRS: usize = 64;

    #[inline]
    #[target_feature(enable = "neon")]
    fn new() -> Self {
        Self { all: vdupq_n_u16(0), above: [[vdupq_n_u8(0); 2]; 2] }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn move_to(self, summary: &mut QualitySummary) {
        summary.sum += u64::from(vaddlvq_u16(self.all));
        for [q20, q30] in self.above {
            summary.q20 += u64::from(vaddlvq_u8(q20));
            summary.q30 += u64::from(vaddlvq_u8(q30));
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn sum_error_probability_neon(bytes: &[u8]) -> u64 {
    let tables = ERROR_PLANES.each_ref().map(|plane| Table::new(plane));
    let mut total = 0;
    let mut add_all = |blocks: &[[u8; 16]]| {
        // A 16-bit lane sums two bytes of each of 128 vectors.
        let mut sums = [vdupq_n_u16(0); 4];
        for block in blocks {
            let index = vminq_u8(load(block), vdupq_n_u8(127));
            for (sum, table) in sums.iter_mut().zip(&tables) {
                *sum = vpadalq_u8(*sum, table.look_up(index));
            }
        }
        for (plane, sum) in sums.into_iter().enumerate() {
            total += u64::from(vaddlvq_u16(sum)) << (8 * plane);
        }
    };
    let (blocks, tail) = bytes.as_chunks();
    for blocks in blocks.chunks(128) {
        add_all(blocks);
    }
    let probability = |&byte| u64::from(ERROR_PROBABILITY[usize::from(quality::phred(byte))]);
    total + tail.iter().map(probability).sum::<u64>()
}

#[inline]
#[target_feature(enable = "neon")]
fn count_plain_records_neon(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    count_plain_with(bytes, start, newlines, |header, bases, qualities| {
        is_valid_record(header, bases, qualities)
    })
}

#[inline]
#[target_feature(enable = "neon")]
fn index_plain_records_neon(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize {
    index_plain_with::<Neon>(bytes, start, out, |header, bases, qualities| {
        is_valid_record(header, bases, qualities)
    })
}

/// Whether the lines of a record have nothing that isn't valid; bases and qualities are as many.
#[inline]
#[target_feature(enable = "neon")]
fn is_valid_record(header: &[u8], bases: &[u8], qualities: &[u8]) -> bool {
    is_text(header)
        && compiled::find_invalid_base(bases).is_none()
        && compiled::find_invalid_quality(qualities).is_none()
}
