//! NEON: 16 bytes a step; tails are assembled in general registers, or the last vector overlaps.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::detected;
use super::neon_columns::{add_columns_neon, count_base_columns_neon, count_quality_columns_neon};
use super::neon_packed::{
    copy_qualities_neon, copy_qualities_reversed_neon, count_packed_bases_neon,
    count_packed_gc_neon, unpack_bases_neon, unpack_bases_reverse_complement_neon,
};
use crate::bases::ACGT_BY_LOW_BITS;
use crate::columns::{ClassTable, Counts};
use crate::newlines::{index_with, push_bits};
use crate::quality::{self, ERROR_PLANES, ERROR_PROBABILITY, PHRED_VALUES};
use crate::{BaseCounts, GcCounts, Isa, Kernels, QualitySummary, ReadSummary, scalar};

pub(super) static KERNELS: Kernels = Kernels {
    isa: Isa::Neon,
    count_bases,
    count_gc,
    count_gc_acgt,
    count_n,
    summarize_qualities,
    count_at_least,
    sum_error_probability,
    find_invalid_base,
    find_invalid_quality,
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
    summarize_qualities => summarize_qualities_neon, (bytes: &[u8]) -> QualitySummary;
    count_at_least => count_at_least_neon, (bytes: &[u8], phred: u8) -> u64;
    sum_error_probability => sum_error_probability_neon, (bytes: &[u8]) -> u64;
    find_invalid_base => find_invalid_base_neon, (bytes: &[u8]) -> Option<usize>;
    find_invalid_quality => find_invalid_quality_neon, (bytes: &[u8]) -> Option<usize>;
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
    let letters = b"ACGTN".map(|letter| vdupq_n_u8(letter));
    let upper = vdupq_n_u8(!0x20);
    let counts = count_matches::<5, 1>(bytes, |block| {
        let block = vandq_u8(block, upper);
        letters.map(|letter| vceqq_u8(block, letter))
    });
    BaseCounts::from_acgtn(counts, bytes.len() as u64)
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
    let zero = vdupq_n_u8(0);
    let [q20, q30] = [20, 30].map(|phred| vdupq_n_u8(phred));
    let mut summary = QualitySummary::default();
    let (mut min, mut max) = (vdupq_n_u8(summary.min), zero);
    // 16-bit sums of two bytes a vector and byte counts, of at most 255 vectors.
    let mut sums = vdupq_n_u16(0);
    let mut above = [zero; 2];
    let mut vectors = 0;
    let mut add = |phred, beyond| {
        if vectors == 255 {
            vectors = 0;
            flush(&mut summary, &mut sums, &mut above);
        }
        vectors += 1;
        sums = vpadalq_u8(sums, phred);
        min = vminq_u8(min, vorrq_u8(phred, beyond));
        max = vmaxq_u8(max, phred);
        above[0] = vsubq_u8(above[0], vcgeq_u8(phred, q20));
        above[1] = vsubq_u8(above[1], vcgeq_u8(phred, q30));
    };
    let (blocks, tail) = bytes.as_chunks();
    for block in blocks {
        add(to_phred::<FIRST>(load(block)), zero);
    }
    if !tail.is_empty() {
        add(to_phred::<FIRST>(load_or_zero(tail)), lanes_beyond(tail.len()));
    }
    flush(&mut summary, &mut sums, &mut above);
    summary.min = vminvq_u8(min);
    summary.max = vmaxvq_u8(max);
    summary
}

/// Moves the sums of vectors into the summary.
#[inline]
#[target_feature(enable = "neon")]
fn flush(summary: &mut QualitySummary, sums: &mut uint16x8_t, above: &mut [uint8x16_t; 2]) {
    summary.sum += u64::from(vaddlvq_u16(*sums));
    summary.q20 += u64::from(vaddlvq_u8(above[0]));
    summary.q30 += u64::from(vaddlvq_u8(above[1]));
    *sums = vdupq_n_u16(0);
    *above = [vdupq_n_u8(0); 2];
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
