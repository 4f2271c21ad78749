//! 007: sum, minimum, maximum and the numbers of Q20 and Q30 bases, plain code against the library's SIMD
//! kernels and threads.

use biofast_kernels::QualitySummary;

use super::isa::for_each_isa;
use super::kernel::{self, Input};
use super::prelude::*;

pub(super) struct QualityAggregation;

impl Entry for QualityAggregation {
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
        let text =
            |s: &QualitySummary| format!("{}/{}/{}/{}/{}", s.sum, s.min, s.max, s.q20, s.q30);
        let merge = |sum: &mut QualitySummary, s: QualitySummary| sum.merge(&s);
        kernel::sum_task(cell, lab, Input::Qualities, summarize, merge, text)
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

for_each_isa! {
    summarize_plain(qualities: &[u8]) -> QualitySummary
    => summarize_blocked, summarize_blocked_avx2, summarize_blocked_avx512
}
