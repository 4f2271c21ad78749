//! The reference: every kernel written as its definition. The instruction sets must agree with it bit for bit.

use crate::columns::{COLUMN_BLOCK, ClassTable, Counts, stripe};
use crate::packed::scalar as packed;
use crate::quality::{self, ERROR_PROBABILITY, phred};
use crate::records;
use crate::{BaseCounts, GcCounts, Isa, Kernels, QualitySummary, ReadSummary};

pub(crate) static KERNELS: Kernels = Kernels {
    isa: Isa::Scalar,
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
    unpack_bases: packed::unpack_bases,
    unpack_bases_reverse_complement: packed::unpack_bases_reverse_complement,
    count_packed_bases: packed::count_packed_bases,
    count_packed_gc: packed::count_packed_gc,
    copy_qualities: packed::copy_qualities,
    copy_qualities_reversed: packed::copy_qualities_reversed,
    summarize_raw_qualities: packed::summarize_raw_qualities,
};

fn count_bases(bytes: &[u8]) -> BaseCounts {
    let of_letter = |letter| count(bytes, |byte| byte.to_ascii_uppercase() == letter);
    BaseCounts::from_acgtn(b"ACGTN".map(of_letter), bytes.len() as u64)
}

fn count_gc(bytes: &[u8]) -> u64 {
    count(bytes, |byte| matches!(byte, b'G' | b'C' | b'g' | b'c'))
}

fn count_gc_acgt(bytes: &[u8]) -> GcCounts {
    let acgt = count(bytes, |byte| b"ACGT".contains(&byte.to_ascii_uppercase()));
    GcCounts { gc: count_gc(bytes), acgt }
}

fn count_n(bytes: &[u8]) -> u64 {
    count(bytes, |byte| matches!(byte, b'N' | b'n'))
}

fn summarize_reads(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
    for ((bases, qualities), out) in bases.iter().zip(qualities).zip(out) {
        let counts = count_gc_acgt(bases);
        *out = ReadSummary { counts, error_sum: sum_error_probability(qualities) };
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    count(bytes, |byte| byte == b'\n')
}

fn count_at_least(qualities: &[u8], threshold: u8) -> u64 {
    count(qualities, |byte| phred(byte) >= threshold)
}

fn count(bytes: &[u8], matches: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().map(|&byte| u64::from(matches(byte))).sum()
}

fn sum_qualities(qualities: &[u8]) -> u64 {
    qualities.iter().map(|&byte| u64::from(phred(byte))).sum()
}

fn summarize_qualities(qualities: &[u8]) -> QualitySummary {
    QualitySummary::of_phreds(qualities.iter().map(|&byte| phred(byte)))
}

fn sum_error_probability(qualities: &[u8]) -> u64 {
    let probability = |&byte| u64::from(ERROR_PROBABILITY[usize::from(phred(byte))]);
    qualities.iter().map(probability).sum()
}

/// Also where the vector versions look for the index, once they know that there's an invalid byte.
pub(crate) fn find_invalid_base(bytes: &[u8]) -> Option<usize> {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'*');
    bytes.iter().position(|&byte| !valid(byte))
}

/// See [`find_invalid_base`].
pub(crate) fn find_invalid_quality(bytes: &[u8]) -> Option<usize> {
    let valid = quality::FIRST..=quality::LAST;
    bytes.iter().position(|byte| !valid.contains(byte))
}

fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize {
    records::count_plain_with(bytes, start, newlines, |header, bases, qualities| {
        records::is_text(header)
            && find_invalid_base(bases).is_none()
            && find_invalid_quality(qualities).is_none()
    })
}

fn index_newlines(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
    let newlines = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    out.extend(newlines.map(|(offset, _)| base + offset as u32));
}

/// Counts, per position of the stripe at `start`, the classes of the bytes of `rows`, at most 240 reads. Returns how
/// many bytes had no class. NULs may have none.
fn count_columns(rows: &[&[u8]], start: usize, classes: &ClassTable, counts: &mut [Counts]) -> u64 {
    let mut left_out = 0;
    counts.fill([0; COLUMN_BLOCK]);
    for row in rows {
        for (position, &byte) in stripe(row, start).iter().enumerate() {
            match classes.class(byte) {
                Some(class) => counts[class][position] += 1,
                None => left_out += 1,
            }
        }
    }
    left_out
}

/// Adds the counts of class `i` to `sums[values[i]]`. Inlined into each instruction set, whose compiler vectorizes it.
#[inline(always)]
pub(crate) fn add_columns(counts: &[Counts], values: &[u8], sums: &mut [[u16; COLUMN_BLOCK]]) {
    for (counts, &value) in counts.iter().zip(values) {
        for (sum, &count) in sums[usize::from(value)].iter_mut().zip(counts) {
            *sum += u16::from(count);
        }
    }
}
