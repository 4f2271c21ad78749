//! What is found in each of many reads, with AVX2: a loop over all reads for each figure, so that its tables stay in registers.

use std::arch::x86_64::*;

use super::avx2_quick_columns::{LETTERS_OR_NUL, places_of};
use super::avx2_registers::{load, load_or_zero, load_table, look_up_any, reduce_add, to_phred};
use crate::bases::vector::count_gc_acgt_of;
use crate::places::Places;
use crate::quality::{ERROR_PROBABILITY, FIRST, LAST, phred};
use crate::{GcCounts, ReadSummary};

/// Fills as many entries as the shortest of the three slices has.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn summarize_reads_avx2(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
    let reads = bases.len().min(qualities.len()).min(out.len());
    let (bases, qualities, out) = (&bases[..reads], &qualities[..reads], &mut out[..reads]);
    count_gc_of_reads(bases, out);
    sum_errors_of_reads(qualities, out);
}

/// By the low four bits of A, C, G and T: 16, and 1 more for G and C.
const GC_AND_ACGT: [u8; 16] = {
    let mut table = [0; 16];
    table[(b'A' & 15) as usize] = 16;
    table[(b'C' & 15) as usize] = 17;
    table[(b'G' & 15) as usize] = 17;
    table[(b'T' & 15) as usize] = 16;
    table
};

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_gc_of_reads(bases: &[&[u8]], out: &mut [ReadSummary]) {
    let (zero, nibble) = (_mm256_setzero_si256(), _mm256_set1_epi8(15));
    let (letters, counts) = (load_table(&LETTERS_OR_NUL), load_table(&GC_AND_ACGT));
    for (bases, out) in bases.iter().zip(out) {
        let (mut blocks, tail) = bases.as_chunks::<32>();
        let mut odd = zero;
        let mut fields = zero;
        let mut look = |block| {
            let differ = _mm256_xor_si256(_mm256_shuffle_epi8(letters, block), block);
            odd = _mm256_or_si256(odd, differ);
            _mm256_shuffle_epi8(counts, block)
        };
        if !tail.is_empty() {
            let (block, there) = load_tail(bases, tail);
            fields = look(_mm256_and_si256(block, there));
        }
        // G and C in the lower half of each lane, all in the upper half: a read has less than 2^32 bases.
        let mut sums = zero;
        loop {
            // A nibble counts 15 vectors.
            let (now, later) = blocks.split_at(blocks.len().min(14));
            for block in now {
                fields = _mm256_add_epi8(fields, look(load(block)));
            }
            let gc = _mm256_sad_epu8(_mm256_and_si256(fields, nibble), zero);
            let acgt = _mm256_and_si256(_mm256_srli_epi16::<4>(fields), nibble);
            let acgt = _mm256_slli_epi64::<32>(_mm256_sad_epu8(acgt, zero));
            sums = _mm256_add_epi64(sums, _mm256_add_epi64(gc, acgt));
            if later.is_empty() {
                break;
            }
            (blocks, fields) = (later, zero);
        }
        // But for the case bit.
        let all_known = _mm256_testz_si256(odd, _mm256_set1_epi8(!0x20)) == 1;
        out.counts = if all_known && bases.len() < 1 << 31 {
            let sums = reduce_add(sums);
            GcCounts { gc: sums & 0xffff_ffff, acgt: sums >> 32 }
        } else {
            count_gc_acgt_of::<__m256i>(bases)
        };
    }
}

/// Zeros, then bits: from `len` on, a mask of the last `len` lanes.
static LAST_LANES: [u8; 64] = {
    let mut lanes = [0; 64];
    let mut i = 32;
    while i < 64 {
        lanes[i] = 0xff;
        i += 1;
    }
    lanes
};

/// A mask of the last `len` lanes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn last_lanes(len: usize) -> __m256i {
    match LAST_LANES[len.min(32)..].first_chunk() {
        Some(lanes) => load(lanes),
        None => _mm256_setzero_si256(),
    }
}

/// The tail of a read, which is less than a vector, anywhere in one; and a mask of the lanes that it is in.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_tail(read: &[u8], tail: &[u8]) -> (__m256i, __m256i) {
    match read.last_chunk() {
        Some(last) => (load(last), last_lanes(tail.len())),
        None => (load_or_zero(tail), not(last_lanes(32 - tail.len()))),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn not(bits: __m256i) -> __m256i {
    _mm256_xor_si256(bits, _mm256_set1_epi8(-1))
}

/// Few values, as in the reads so far, are looked up at once; many by the sixteen that are most frequent.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sum_errors_of_reads(qualities: &[&[u8]], out: &mut [ReadSummary]) {
    let mut seen = qualities.iter().take(2).fold(0, |seen, read| see_also(seen, read));
    let mut done = 0;
    for _ in 0..8 {
        let (reads, out) = (&qualities[done..], &mut out[done..]);
        let Some(read) = reads.first() else { return };
        seen = see_also(seen, read);
        let Some(places) = Places::of(seen) else { break };
        done += if places.is_lower_nibble() {
            sum_errors_of_few::<false>(reads, out, &places)
        } else {
            sum_errors_of_few::<true>(reads, out, &places)
        };
    }
    let (reads, out) = (&qualities[done..], &mut out[done..]);
    sum_errors_of_many(reads, out, frequent_window(reads));
}

/// The set of bytes seen with those of a read, or enough to know that they are many.
fn see_also(mut seen: u128, read: &[u8]) -> u128 {
    for part in read.chunks(64) {
        if seen.count_ones() > 15 {
            break;
        }
        for &byte in part {
            // 127, which has no place, stands for all above.
            seen |= 1 << byte.min(127);
        }
    }
    seen
}

/// Sums of the reads before the first that has others than the few values; returns how many.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sum_errors_of_few<const SHIFTED: bool>(
    qualities: &[&[u8]],
    out: &mut [ReadSummary],
    places: &Places,
) -> usize {
    let mut planes = [[0; 16]; 4];
    for (place, &byte) in places.bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
        let probability = ERROR_PROBABILITY[usize::from(phred(byte))].to_le_bytes();
        for (plane, byte) in planes.iter_mut().zip(probability) {
            plane[place] = byte;
        }
    }
    let zero = _mm256_setzero_si256();
    let mut tables = [zero; 4];
    for (table, plane) in tables.iter_mut().zip(&planes) {
        *table = load_table(plane);
    }
    // At places without a byte one that is nowhere.
    let mut bytes = places.bytes;
    for byte in bytes.iter_mut().filter(|byte| **byte == 0) {
        *byte = 0x80;
    }
    let (shifts, bytes) = (load_table(&places.shifts), load_table(&bytes));
    for (index, (read, out)) in qualities.iter().zip(out).enumerate() {
        let mut odd = zero;
        let mut sums = [zero; 4];
        let mut add = |block, there| {
            let place = if SHIFTED { places_of(shifts, block) } else { block };
            let differ = _mm256_xor_si256(_mm256_shuffle_epi8(bytes, place), block);
            let (differ, place) = match there {
                // Bit 7 set, and so 0 looked up.
                Some(there) => {
                    (_mm256_and_si256(differ, there), _mm256_or_si256(place, not(there)))
                }
                None => (differ, place),
            };
            odd = _mm256_or_si256(odd, differ);
            for (sum, plane) in sums.iter_mut().zip(look_up(tables, place)) {
                *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(plane, zero));
            }
        };
        let (blocks, tail) = read.as_chunks();
        for block in blocks {
            add(load(block), None);
        }
        if !tail.is_empty() {
            let (block, there) = load_tail(read, tail);
            add(block, Some(there));
        }
        if _mm256_testz_si256(odd, odd) == 0 {
            return index;
        }
        out.error_sum = reduce_planes(sums);
    }
    qualities.len()
}

/// The sum of four planes of bytes, the lowest first.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn reduce_planes([p0, p1, p2, p3]: [__m256i; 4]) -> u64 {
    let low = _mm256_add_epi64(p0, _mm256_slli_epi64::<8>(p1));
    let high = _mm256_add_epi64(p2, _mm256_slli_epi64::<8>(p3));
    reduce_add(_mm256_add_epi64(low, _mm256_slli_epi64::<16>(high)))
}

/// The first of the sixteen neighbouring qualities that the first reads have most of.
fn frequent_window(qualities: &[&[u8]]) -> u8 {
    let mut counts = [0u32; 128];
    for &byte in qualities.iter().take(8).flat_map(|read| read.iter().take(100)) {
        counts[usize::from(byte.min(127))] += 1;
    }
    let of = |first: &u8| counts[usize::from(*first)..].iter().take(16).sum::<u32>();
    (FIRST..=LAST - 15).max_by_key(of).unwrap_or(FIRST)
}

/// Sums where there are many values: a vector that has only those of the window takes one lookup a plane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sum_errors_of_many(qualities: &[&[u8]], out: &mut [ReadSummary], window: u8) {
    let mut planes = [[0; 16]; 4];
    for (place, byte) in (window..=LAST).take(16).enumerate() {
        let probability = ERROR_PROBABILITY[usize::from(phred(byte))].to_le_bytes();
        for (plane, byte) in planes.iter_mut().zip(probability) {
            plane[place] = byte;
        }
    }
    let zero = _mm256_setzero_si256();
    let mut tables = [zero; 4];
    for (table, plane) in tables.iter_mut().zip(&planes) {
        *table = load_table(plane);
    }
    let first = _mm256_set1_epi8(window as i8);
    let filler = u64::from(ERROR_PROBABILITY[usize::from(phred(window))]);
    for (read, out) in qualities.iter().zip(out) {
        let mut sums = [zero; 4];
        let mut add = |block| {
            // Bit 7 set unless the distance is below 16.
            let distance = _mm256_sub_epi8(block, first);
            let place = _mm256_adds_epu8(distance, _mm256_set1_epi8(0x70));
            let planes = if _mm256_movemask_epi8(place) == 0 {
                look_up(tables, place)
            } else {
                look_up_any(to_phred::<FIRST>(block))
            };
            for (sum, plane) in sums.iter_mut().zip(planes) {
                *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(plane, zero));
            }
        };
        let (blocks, tail) = read.as_chunks();
        for block in blocks {
            add(load(block));
        }
        let mut padding = 0;
        if !tail.is_empty() {
            // The first of the window stands for what isn't there.
            padding = (32 - tail.len() as u64) * filler;
            let (block, there) = load_tail(read, tail);
            add(_mm256_blendv_epi8(first, block, there));
        }
        // The padding can carry the sum of 2^32 bases over the edge before it's taken off again.
        out.error_sum = reduce_planes(sums).wrapping_sub(padding);
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn look_up(tables: [__m256i; 4], place: __m256i) -> [__m256i; 4] {
    let mut planes = tables;
    for plane in &mut planes {
        *plane = _mm256_shuffle_epi8(*plane, place);
    }
    planes
}
