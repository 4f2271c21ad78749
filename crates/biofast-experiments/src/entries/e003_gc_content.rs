//! 003: GC content, plain code against the library's SIMD kernels and threads, at six scales.

use biofast_kernels::GcCounts;

use super::isa::for_each_isa;
use super::kernel::{self, Input};
use super::prelude::*;

pub(super) struct GcContent;

impl Entry for GcContent {
    fn applies(&self, cell: &Cell) -> bool {
        kernel::applies(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let count: fn(&[u8]) -> GcCounts = match cell.get("method") {
            "match" => count_match,
            "table" => count_table,
            "blocked" => count_blocked,
            "blocked-avx2" => count_blocked_avx2,
            "blocked-avx512" => count_blocked_avx512,
            isa => kernel::named(isa)?.count_gc_acgt,
        };
        let add = |sum: &mut GcCounts, c: GcCounts| {
            sum.gc += c.gc;
            sum.acgt += c.acgt;
        };
        let text = |c: &GcCounts| format!("{}/{}", c.gc, c.acgt);
        kernel::sum_task(cell, lab, Input::Bases, count, add, text)
    }
}

/// The baseline of the earlier measurement: a branch for every byte.
pub(super) fn count_match(bases: &[u8]) -> GcCounts {
    let mut counts = GcCounts::default();
    for &base in bases {
        match base {
            b'G' | b'g' | b'C' | b'c' => {
                counts.gc += 1;
                counts.acgt += 1;
            }
            b'A' | b'a' | b'T' | b't' => counts.acgt += 1,
            _ => {}
        }
    }
    counts
}

/// A table of what each byte adds: one to the low half for A, C, G and T, one to the high half for G and C.
fn count_table(bases: &[u8]) -> GcCounts {
    const ADDS: [u64; 256] = {
        let mut adds = [0; 256];
        let mut i = 0;
        while i < 8 {
            adds[b"AaTtGgCc"[i] as usize] = if i < 4 { 1 } else { 1 | 1 << 32 };
            i += 1;
        }
        adds
    };
    let mut counts = GcCounts::default();
    // Neither half can reach 2^32 within a chunk.
    for chunk in bases.chunks(1 << 30) {
        let sum: u64 = chunk.iter().map(|&base| ADDS[usize::from(base)]).sum();
        counts.gc += sum >> 32;
        counts.acgt += sum & u64::from(u32::MAX);
    }
    counts
}

/// Plain Rust that compilers turn into vector code: byte counters, added up before they can wrap at 256.
#[inline(always)]
fn count_plain(bases: &[u8]) -> GcCounts {
    let mut counts = GcCounts::default();
    for block in bases.chunks(255) {
        let (mut gc, mut at) = (0u8, 0u8);
        for &base in block {
            let upper = base & 0xdf;
            gc += u8::from(upper == b'G') | u8::from(upper == b'C');
            at += u8::from(upper == b'A') | u8::from(upper == b'T');
        }
        counts.gc += u64::from(gc);
        counts.acgt += u64::from(gc) + u64::from(at);
    }
    counts
}

for_each_isa! {
    count_plain(bases: &[u8]) -> GcCounts
    => count_blocked, count_blocked_avx2, count_blocked_avx512
}
