//! 008: counting N, plain code against the library's SIMD kernels and threads. All methods count `N` and `n`
//! and no other ambiguity code.

use super::isa::for_each_isa;
use super::kernel::{self, Input};
use super::prelude::*;

pub(super) struct NContent;

impl Entry for NContent {
    fn applies(&self, cell: &Cell) -> bool {
        kernel::applies(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let count: fn(&[u8]) -> u64 = match cell.get("method") {
            "match" => count_match,
            "table" => count_table,
            "blocked" => count_blocked,
            "blocked-avx2" => count_blocked_avx2,
            "blocked-avx512" => count_blocked_avx512,
            isa => kernel::named(isa)?.count_n,
        };
        kernel::sum_task(cell, lab, Input::Bases, count, |sum, n| *sum += n, u64::to_string)
    }
}

/// A branch for every byte, as in the earlier measurement.
fn count_match(bases: &[u8]) -> u64 {
    let mut count = 0;
    for &base in bases {
        match base {
            b'A' | b'a' | b'C' | b'c' | b'G' | b'g' | b'T' | b't' => {}
            b'N' | b'n' => count += 1,
            _ => {}
        }
    }
    count
}

/// A table of what each byte adds.
fn count_table(bases: &[u8]) -> u64 {
    const ADDS: [u8; 256] = {
        let mut adds = [0; 256];
        adds[b'N' as usize] = 1;
        adds[b'n' as usize] = 1;
        adds
    };
    bases.iter().map(|&base| u64::from(ADDS[usize::from(base)])).sum()
}

/// Plain Rust that compilers turn into vector code: a byte counter, added up before it can wrap at 256.
#[inline(always)]
fn count_plain(bases: &[u8]) -> u64 {
    let of_block = |block: &[u8]| block.iter().map(|&b| u8::from(b & 0xdf == b'N')).sum::<u8>();
    bases.chunks(255).map(|block| u64::from(of_block(block))).sum()
}

for_each_isa! {
    count_plain(bases: &[u8]) -> u64
    => count_blocked, count_blocked_avx2, count_blocked_avx512
}
