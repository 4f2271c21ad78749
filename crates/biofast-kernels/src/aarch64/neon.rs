//! NEON: 16 bytes a step; tails are assembled in general registers, or the last vector overlaps.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::detected;
use super::neon_columns::{add_columns_neon, count_base_columns_neon, count_quality_columns_neon};
use super::neon_packed::{
    copy_qualities_neon, copy_qualities_reversed_neon, count_packed_bases_neon,
    count_packed_gc_neon, unpack_bases_neon, unpack_bases_reverse_complement_neon,
};
use crate::bases::{self, ACGT_BY_LOW_BITS, ACGTN_BY_LOW_BITS, FIELD_BY_LOW_BITS};
use crate::columns::{ClassTable, Counts};
use crate::newlines::{index_with, push_bits};
use crate::quality::{self, ERROR_PLANES, ERROR_PROBABILITY, PHRED_VALUES, to_phreds};
use crate::records::{count_plain_with, is_text};
use crate::{BaseCounts, GcCounts, Isa, Kernels, QualitySummary, ReadSummary, scalar};

pub(super) static KERNELS: Kernels = Kernels {
    isa: Isa::Neon,
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
    count_base_columns,
    count_quality_columns,
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
    count_bases => count_bases_neon, (bytes: &[u8]) -> BaseCounts;
    count_gc => count_gc_neon, (bytes: &[u8]) -> u64;
    count_gc_acgt => count_gc_acgt_neon, (bytes: &[u8]) -> GcCounts;
    count_n => count_n_neon, (bytes: &[u8]) -> u64;
    sum_qualities => sum_qualities_neon, (bytes: &[u8]) -> u64;
    summarize_qualities => summarize_qualities_neon, (bytes: &[u8]) -> QualitySummary;
    count_at_least => count_at_least_neon, (bytes: &[u8], phred: u8) -> u64;
    sum_error_probability => sum_error_probability_neon, (bytes: &[u8]) -> u64;
    find_invalid_base => find_invalid_base_neon, (bytes: &[u8]) -> Option<usize>;
    find_invalid_quality => find_invalid_quality_neon, (bytes: &[u8]) -> Option<usize>;
    count_plain_records => count_plain_records_neon,
        (bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize;
    summarize_reads => summarize_reads_neon,
        (bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]);
    count_newlines => count_newlines_neon, (bytes: &[u8]) -> u64;
    index_newlines => index_newlines_neon, (bytes: &[u8], base: u32, out: &mut Vec<u32>);
    count_base_columns => count_base_columns_neon,
        (rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]) -> u64;
    count_quality_columns => count_quality_columns_neon,
        (rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]) -> u64;
    add_columns => add_columns_neon,
        (counts: &[Counts], values: &[u8], sums: &mut [[u16; 64]]);
    unpack_bases => unpack_bases_neon, (packed: &[u8], len: usize, out: &mut Vec<u8>);
    unpack_bases_reverse_complement => unpack_bases_reverse_complement_neon,
        (packed: &[u8], len: usize, out: &mut Vec<u8>);
    count_packed_bases => count_packed_bases_neon, (packed: &[u8], len: usize) -> BaseCounts;
    count_packed_gc => count_packed_gc_neon, (packed: &[u8], len: usize) -> GcCounts;
    copy_qualities => copy_qualities_neon, (raw: &[u8], out: &mut Vec<u8>);
    copy_qualities_reversed => copy_qualities_reversed_neon, (raw: &[u8], out: &mut Vec<u8>);
    summarize_raw_qualities => summarize_raw_qualities_neon, (raw: &[u8]) -> QualitySummary;
}

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load(block: &[u8; 16]) -> uint8x16_t {
    // SAFETY: the block has 16 bytes; the load needs no alignment.
    unsafe { vld1q_u8(block.as_ptr()) }
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

/// Whether a lane isn't zero.
#[inline]
#[target_feature(enable = "neon")]
fn any(lanes: uint8x16_t) -> bool {
    vmaxvq_u8(lanes) != 0
}

/// Counts the lanes that each of `N` comparisons sets to 0xff; none may set zero lanes. `U` vectors
/// a step, each with counters of its own, so that a subtraction doesn't wait for the one before.
#[inline]
#[target_feature(enable = "neon")]
fn count_matches<const N: usize, const U: usize>(
    bytes: &[u8],
    matches: impl Fn(uint8x16_t) -> [uint8x16_t; N],
) -> [u64; N] {
    let zero = vdupq_n_u8(0);
    let mut sums = [0; N];
    let mut counters = [[zero; N]; U];
    let (blocks, tail) = bytes.as_chunks();
    // A byte counts up to 255 vectors: 254 here and the tail.
    for blocks in blocks.chunks(254 * U) {
        for counts in &mut counters {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += u64::from(vaddlvq_u8(*count));
                *count = zero;
            }
        }
        let mut add = |blocks: &[[u8; 16]]| {
            for (counts, block) in counters.iter_mut().zip(blocks) {
                for (count, lanes) in counts.iter_mut().zip(matches(load(block))) {
                    *count = vsubq_u8(*count, lanes);
                }
            }
        };
        let (groups, rest) = blocks.as_chunks::<U>();
        for group in groups {
            add(group);
        }
        add(rest);
    }
    if !tail.is_empty() {
        for (count, lanes) in counters[0].iter_mut().zip(matches(load_or_zero(tail))) {
            *count = vsubq_u8(*count, lanes);
        }
    }
    for counts in counters {
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += u64::from(vaddlvq_u8(count));
        }
    }
    sums
}

#[target_feature(enable = "neon")]
fn count_bases_neon(bytes: &[u8]) -> BaseCounts {
    // Closures, as these may use the instructions of this function.
    bases::count_by_groups(bytes, |groups| count_fields(groups), |bytes| count_each_base(bytes))
}

/// A, C, G, T and N, of any bytes.
#[inline]
#[target_feature(enable = "neon")]
fn count_each_base(bytes: &[u8]) -> [u64; 5] {
    let letters = b"ACGTN".map(|letter| vdupq_n_u8(letter));
    let upper = vdupq_n_u8(!0x20);
    count_matches::<5, 1>(bytes, |block| {
        let block = vandq_u8(block, upper);
        letters.map(|letter| vceqq_u8(block, letter))
    })
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

/// Counts the bytes that equal `byte` when the bits of `ignored` are cleared.
#[inline]
#[target_feature(enable = "neon")]
fn count_byte(bytes: &[u8], byte: u8, ignored: u8) -> u64 {
    let byte = vdupq_n_u8(byte);
    let mask = vdupq_n_u8(!ignored);
    let [count] = count_matches::<1, 4>(bytes, |block| [vceqq_u8(vandq_u8(block, mask), byte)]);
    count
}

#[target_feature(enable = "neon")]
fn count_gc_neon(bytes: &[u8]) -> u64 {
    // C is 0x43 and G is 0x47; lower case adds 0x20.
    count_byte(bytes, b'C', 0x24)
}

#[inline]
#[target_feature(enable = "neon")]
fn count_gc_acgt_neon(bytes: &[u8]) -> GcCounts {
    let folded = vdupq_n_u8(!0x24);
    let c = vdupq_n_u8(b'C');
    let upper = vdupq_n_u8(!0x20);
    let letters = load(&ACGT_BY_LOW_BITS);
    let low_bits = vdupq_n_u8(15);
    let [gc, acgt] = count_matches::<2, 2>(bytes, |block| {
        let expected = vqtbl1q_u8(letters, vandq_u8(block, low_bits));
        [vceqq_u8(vandq_u8(block, folded), c), vceqq_u8(vandq_u8(block, upper), expected)]
    });
    GcCounts { gc, acgt }
}

#[target_feature(enable = "neon")]
fn count_n_neon(bytes: &[u8]) -> u64 {
    count_byte(bytes, b'N', 0x20)
}

#[target_feature(enable = "neon")]
fn count_newlines_neon(bytes: &[u8]) -> u64 {
    count_byte(bytes, b'\n', 0)
}

#[target_feature(enable = "neon")]
fn count_at_least_neon(bytes: &[u8], phred: u8) -> u64 {
    match usize::from(phred) {
        0 => bytes.len() as u64,
        PHRED_VALUES.. => 0,
        _ => {
            let threshold = vdupq_n_u8(quality::FIRST + phred);
            let [count] = count_matches::<1, 4>(bytes, |block| [vcgeq_u8(block, threshold)]);
            count
        }
    }
}

/// Phred values, where `FIRST` is the byte of Phred 0; those of zero lanes are zero.
#[inline]
#[target_feature(enable = "neon")]
fn to_phred<const FIRST: u8>(block: uint8x16_t) -> uint8x16_t {
    let phred = vqsubq_u8(block, vdupq_n_u8(FIRST));
    vminq_u8(phred, vdupq_n_u8((PHRED_VALUES - 1) as u8))
}

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

#[target_feature(enable = "neon")]
fn summarize_qualities_neon(bytes: &[u8]) -> QualitySummary {
    summarize::<{ quality::FIRST }>(bytes)
}

#[target_feature(enable = "neon")]
fn summarize_raw_qualities_neon(bytes: &[u8]) -> QualitySummary {
    summarize::<0>(bytes)
}

/// `FIRST` is the byte of Phred 0.
#[inline]
#[target_feature(enable = "neon")]
fn summarize<const FIRST: u8>(bytes: &[u8]) -> QualitySummary {
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
    let mut add = |sums: &mut Sums, lane: usize, block, beyond| {
        let (min, max) = &mut ranges[lane];
        *min = vminq_u8(*min, vorrq_u8(block, beyond));
        *max = vmaxq_u8(*max, vbicq_u8(block, beyond));
        for (above, threshold) in sums.above[lane].iter_mut().zip(thresholds) {
            *above = vsubq_u8(*above, vbicq_u8(vcgeq_u8(block, threshold), beyond));
        }
    };
    let (pairs, rest) = bytes.as_chunks::<32>();
    for pairs in pairs.chunks(Sums::PAIRS) {
        let mut sums = Sums::new();
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
    let mut sums = Sums::new();
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

/// Sums of at most [`Sums::PAIRS`] pairs of vectors.
struct Sums {
    /// Of all bytes, two a lane and vector.
    all: uint16x8_t,
    /// Bytes from Phred 20 and 30 up in the first and the second vectors.
    above: [[uint8x16_t; 2]; 2],
}

impl Sums {
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

/// Lookup of bytes up to 127 in a table of 128, as two tables of 64.
#[derive(Clone, Copy)]
pub(super) struct Table([uint8x16x4_t; 2]);

impl Table {
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn new(table: &[u8; 128]) -> Self {
        let (halves, _) = table.as_chunks::<64>();
        // SAFETY: each half has 64 bytes.
        Self([0, 1].map(|half| unsafe { vld1q_u8_x4(halves[half].as_ptr()) }))
    }

    /// Zero for bytes above 127.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn look_up(&self, bytes: uint8x16_t) -> uint8x16_t {
        // Indices out of range yield zero in the first lookup, and the first result in the second.
        let low = vqtbl4q_u8(self.0[0], bytes);
        vqtbx4q_u8(low, self.0[1], vsubq_u8(bytes, vdupq_n_u8(64)))
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

#[target_feature(enable = "neon")]
fn count_plain_records_neon(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    count_plain_with(bytes, start, newlines, |header, bases, qualities| {
        is_text(header)
            && find_invalid_base_neon(bases).is_none()
            && find_invalid_quality_neon(qualities).is_none()
    })
}

/// One call for many reads, so that constants are loaded once.
#[target_feature(enable = "neon")]
fn summarize_reads_neon(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
    for ((bases, qualities), out) in bases.iter().zip(qualities).zip(out) {
        let counts = count_gc_acgt_neon(bases);
        let error_sum = sum_error_probability_neon(qualities);
        *out = ReadSummary { counts, error_sum };
    }
}

#[target_feature(enable = "neon")]
fn find_invalid_base_neon(bytes: &[u8]) -> Option<usize> {
    // Upper nibble 2: bit 0, for * - . ; 3: bit 3, for digits; 4 and 6: bit 1, for A to O; 5 and 7: bit 2, for P to Z.
    // A byte is valid when its two nibbles share a bit.
    let upper = load(&[0, 0, 1, 8, 2, 4, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    let lower = load(&[12, 14, 14, 14, 14, 14, 14, 14, 14, 14, 7, 2, 2, 3, 3, 2]);
    find_invalid(
        bytes,
        b'A',
        |bad, block| {
            let high = vqtbl1q_u8(upper, vshrq_n_u8::<4>(block));
            let low = vqtbl1q_u8(lower, vandq_u8(block, vdupq_n_u8(15)));
            vorrq_u8(bad, vceqzq_u8(vandq_u8(high, low)))
        },
        |bad| any(bad),
        scalar::find_invalid_base,
    )
}

#[target_feature(enable = "neon")]
fn find_invalid_quality_neon(bytes: &[u8]) -> Option<usize> {
    find_invalid(
        bytes,
        quality::FIRST,
        |bad, block| vmaxq_u8(bad, vsubq_u8(block, vdupq_n_u8(quality::FIRST))),
        |bad| vmaxvq_u8(bad) > quality::LAST - quality::FIRST,
        scalar::find_invalid_quality,
    )
}

/// Folds 16-byte blocks with `fold`, padded with the valid byte `fill`. Where `is_bad` says so of the fold of up to
/// 512 bytes, `find` tells the index.
#[inline]
#[target_feature(enable = "neon")]
fn find_invalid(
    bytes: &[u8],
    fill: u8,
    fold: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t,
    is_bad: impl Fn(uint8x16_t) -> bool,
    find: fn(&[u8]) -> Option<usize>,
) -> Option<usize> {
    let mut start = 0;
    loop {
        let piece = &bytes[start..bytes.len().min(start + 512)];
        // Four chains, so that one block doesn't wait for the one before.
        let mut bad = [vdupq_n_u8(0); 4];
        let (blocks, tail) = piece.as_chunks();
        let (groups, rest) = blocks.as_chunks::<4>();
        for group in groups {
            bad = std::array::from_fn(|i| fold(bad[i], load(&group[i])));
        }
        for block in rest {
            bad[0] = fold(bad[0], load(block));
        }
        if !tail.is_empty() {
            let last = match piece.last_chunk() {
                Some(last) => load(last),
                None => {
                    let padding = vandq_u8(lanes_beyond(tail.len()), vdupq_n_u8(fill));
                    vorrq_u8(load_or_zero(tail), padding)
                }
            };
            bad[3] = fold(bad[3], last);
        }
        if bad.into_iter().any(&is_bad) {
            return find(piece).map(|index| start + index);
        }
        start += piece.len();
        if start == bytes.len() {
            return None;
        }
    }
}

#[target_feature(enable = "neon")]
fn index_newlines_neon(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
    let newline = vdupq_n_u8(b'\n');
    let bit = load(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    index_with(bytes, base, out, |block, base, found, len| {
        let (quarters, _) = block.as_chunks();
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|quarter| vandq_u8(vceqq_u8(load(&quarters[quarter]), newline), bit));
        // Three rounds of adding neighbours gather the bits of eight lanes in a byte.
        let pairs = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
        let mask = vpaddq_u8(pairs, pairs);
        let mask = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(mask));
        push_bits(mask, base, found, len)
    });
}
