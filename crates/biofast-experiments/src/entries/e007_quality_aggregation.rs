//! 007: sum, minimum, maximum and the numbers of Q20 and Q30 bases, plain code against the library's SIMD
//! kernels and threads.

use std::iter::Sum;

use anyhow::Result;
use biofast_kernels::QualitySummary;

use super::isa::{for_avx2, for_avx512};
use super::kernel::{self, Input};
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Task};
use crate::core::inputs::Lab;

pub(super) struct QualityAggregation;

impl Entry for QualityAggregation {
    fn id(&self) -> &'static str {
        "007"
    }

    fn applies(&self, cell: &Cell) -> bool {
        kernel::applies(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let summarize: fn(&[u8]) -> QualitySummary = match cell.get("method") {
            "match" => summarize_branches,
            "table" => summarize_histogram,
            "blocked" => summarize_blocked,
            "blocked-avx2" => summarize_blocked_avx2,
            "blocked-avx512" => summarize_blocked_avx512,
            isa => kernel::named(isa)?.summarize_qualities,
        };
        let kernel = move |part: &[u8]| Merged(summarize(part));
        kernel::sum_task(cell, lab, Input::Qualities, kernel, |Merged(s)| {
            format!("{}/{}/{}/{}/{}", s.sum, s.min, s.max, s.q20, s.q30)
        })
    }
}

struct Merged(QualitySummary);

impl Sum for Merged {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = QualitySummary::default();
        all.for_each(|Merged(s)| sum.merge(&s));
        Merged(sum)
    }
}

/// The byte of Phred 0; the others follow.
const ZERO: u8 = 33;
const Q20: u8 = ZERO + 20;
const Q30: u8 = ZERO + 30;
const LAST: u8 = ZERO + 93;

/// A branch for every threshold of every byte.
pub(super) fn summarize_branches(qualities: &[u8]) -> QualitySummary {
    let mut s = QualitySummary::default();
    for &byte in qualities {
        let phred = byte.clamp(ZERO, LAST) - ZERO;
        s.sum += u64::from(phred);
        if phred < s.min {
            s.min = phred;
        }
        if phred > s.max {
            s.max = phred;
        }
        if phred >= 20 {
            s.q20 += 1;
            if phred >= 30 {
                s.q30 += 1;
            }
        }
    }
    s
}

/// A histogram of bytes, in four tables so that increments of the same value don't wait for each other.
fn summarize_histogram(qualities: &[u8]) -> QualitySummary {
    let mut s = QualitySummary::default();
    // No count can wrap within a chunk.
    for chunk in qualities.chunks(u32::MAX as usize) {
        let mut tables = [[0u32; 256]; 4];
        let (quads, rest) = chunk.as_chunks::<4>();
        for quad in quads {
            for (table, &byte) in tables.iter_mut().zip(quad) {
                table[usize::from(byte)] += 1;
            }
        }
        for &byte in rest {
            tables[0][usize::from(byte)] += 1;
        }
        for byte in 0..=u8::MAX {
            let count: u64 = tables.iter().map(|table| u64::from(table[usize::from(byte)])).sum();
            if count > 0 {
                let phred = byte.clamp(ZERO, LAST) - ZERO;
                s.sum += count * u64::from(phred);
                s.min = s.min.min(phred);
                s.max = s.max.max(phred);
                s.q20 += if phred >= 20 { count } else { 0 };
                s.q30 += if phred >= 30 { count } else { 0 };
            }
        }
    }
    s
}

/// Plain Rust that compilers turn into vector code: byte counters and a 16-bit sum for at most 255 bytes, which
/// can't wrap (255 × 93 < 65,536).
#[inline(always)]
fn summarize_plain(qualities: &[u8]) -> QualitySummary {
    let mut s = QualitySummary::default();
    for block in qualities.chunks(255) {
        let (mut sum, mut min, mut max, mut q20, mut q30) = (0u16, LAST, ZERO, 0u8, 0u8);
        for &byte in block {
            let byte = byte.clamp(ZERO, LAST);
            sum += u16::from(byte - ZERO);
            min = min.min(byte);
            max = max.max(byte);
            q20 += u8::from(byte >= Q20);
            q30 += u8::from(byte >= Q30);
        }
        s.merge(&QualitySummary {
            sum: u64::from(sum),
            min: min - ZERO,
            max: max - ZERO,
            q20: u64::from(q20),
            q30: u64::from(q30),
        });
    }
    s
}

fn summarize_blocked(qualities: &[u8]) -> QualitySummary {
    summarize_plain(qualities)
}

for_avx2! {
    fn summarize_blocked_avx2(qualities: &[u8]) -> QualitySummary = summarize_plain
}

for_avx512! {
    fn summarize_blocked_avx512(qualities: &[u8]) -> QualitySummary = summarize_plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_agree_with_the_library() {
        let mut inputs = kernel::tests::inputs();
        // Where 16-bit sums wrap, and where a sum of raw bytes would.
        for len in [900, 1638, 1639, 14_400] {
            inputs.push(vec![b'I'; len]);
            inputs.push(vec![b'~'; len]);
        }
        for input in inputs {
            let expected = biofast_kernels::summarize_qualities(&input);
            for method in [summarize_branches, summarize_histogram, summarize_blocked, summarize_blocked_avx2, summarize_blocked_avx512] {
                assert_eq!(method(&input), expected, "{} bytes", input.len());
            }
        }
    }

    #[test]
    fn the_offset_is_subtracted() {
        assert_eq!(summarize_blocked(&[b'I'; 14_400]).sum, 14_400 * 40);
    }
}
