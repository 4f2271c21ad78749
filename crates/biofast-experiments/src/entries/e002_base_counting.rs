//! 002: counting bases, plain code against the library's SIMD kernels and threads, at six scales.

use biofast_kernels::BaseCounts;

use super::isa::for_each_isa;
use super::kernel::{self, Input};
use super::prelude::*;

pub(super) struct BaseCounting;

impl Entry for BaseCounting {
    fn applies(&self, cell: &Cell) -> bool {
        kernel::applies(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let count: fn(&[u8]) -> BaseCounts = match cell.get("method") {
            "match" => count_match,
            "table" => count_table,
            "blocked" => count_blocked,
            "blocked-avx2" => count_blocked_avx2,
            "blocked-avx512" => count_blocked_avx512,
            isa => kernel::named(isa)?.count_bases,
        };
        let text = |c: &BaseCounts| format!("{}/{}/{}/{}/{}/{}", c.a, c.c, c.g, c.t, c.n, c.other);
        kernel::sum_task(cell, lab, Input::Bases, count, |sum, c| *sum += c, text)
    }
}

/// The baseline of the earlier measurement: a branch for every byte.
pub(super) fn count_match(bases: &[u8]) -> BaseCounts {
    let mut counts = BaseCounts::default();
    for &base in bases {
        match base {
            b'A' | b'a' => counts.a += 1,
            b'C' | b'c' => counts.c += 1,
            b'G' | b'g' => counts.g += 1,
            b'T' | b't' => counts.t += 1,
            b'N' | b'n' => counts.n += 1,
            _ => counts.other += 1,
        }
    }
    counts
}

/// A histogram of bytes, in four tables so that increments of the same base don't wait for each other.
fn count_table(bases: &[u8]) -> BaseCounts {
    /// A, C, G, T, N and the rest.
    const CLASS: [u8; 256] = {
        let mut class = [5; 256];
        let mut i = 0;
        while i < 5 {
            class[b"ACGTN"[i] as usize] = i as u8;
            class[b"acgtn"[i] as usize] = i as u8;
            i += 1;
        }
        class
    };
    let mut tables = [[0u64; 8]; 4];
    let (quads, rest) = bases.as_chunks::<4>();
    for quad in quads {
        for (table, &base) in tables.iter_mut().zip(quad) {
            table[usize::from(CLASS[usize::from(base)] & 7)] += 1;
        }
    }
    for &base in rest {
        tables[0][usize::from(CLASS[usize::from(base)] & 7)] += 1;
    }
    let sum = |class: usize| tables.iter().map(|table| table[class]).sum();
    BaseCounts { a: sum(0), c: sum(1), g: sum(2), t: sum(3), n: sum(4), other: sum(5) }
}

/// Plain Rust that compilers turn into vector code: byte counters, added up before they can wrap at 256.
#[inline(always)]
fn count_plain(bases: &[u8]) -> BaseCounts {
    let mut counts = BaseCounts::default();
    for block in bases.chunks(255) {
        let of = |letter: u8| {
            u64::from(block.iter().map(|&base| u8::from(base & 0xdf == letter)).sum::<u8>())
        };
        let [a, c, g, t, n] = b"ACGTN".map(of);
        counts += BaseCounts { a, c, g, t, n, other: block.len() as u64 - (a + c + g + t + n) };
    }
    counts
}

for_each_isa! {
    count_plain(bases: &[u8]) -> BaseCounts
    => count_blocked, count_blocked_avx2, count_blocked_avx512
}
