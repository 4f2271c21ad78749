//! x86-64 with BMI2 (shifts by any register) and LZCNT, and loops over 32 states with AVX2 and AVX-512.
#![allow(unsafe_code)]

use biofast_kernels::Isa;

use crate::isa::job::Job;
use crate::isa::turns::{Turns, WIDE};
use crate::lanes::Tile;

mod avx2;
mod avx512;

/// Does a job on a CPU with AVX2.
pub(super) fn run<J: Job>(job: J) -> J::Output {
    // SAFETY: called for a CPU with AVX2 only, by which `biofast_kernels` means BMI1, BMI2, LZCNT and POPCNT, too.
    unsafe { run_bmi2(job) }
}

/// Without AVX2, with which compilers put the states of a few lanes into vectors, and lose by it.
///
/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_bmi2<J: Job>(job: J) -> J::Output {
    job.run()
}

/// Decodes turns of order 0 into `out` as far as vectors do. Returns how many.
pub(crate) fn order0(isa: Isa, turns: Turns<'_>, out: &mut [[u8; WIDE]]) -> usize {
    match isa {
        Isa::Avx2 => avx2::order0(turns, out),
        Isa::Avx512 => avx512::order0(turns, out),
        _ => 0,
    }
}

/// Decodes turns of order 1 into the first `count` columns of a tile, of which each state has a row, as far as vectors do. Returns
/// how many.
pub(crate) fn order1(
    isa: Isa,
    turns: Turns<'_>,
    last: &mut [u8; WIDE],
    tile: &mut Tile<WIDE>,
    count: usize,
) -> usize {
    match isa {
        Isa::Avx2 => avx2::order1(turns, last, tile, count),
        Isa::Avx512 => avx512::order1(turns, last, tile, count),
        _ => 0,
    }
}
