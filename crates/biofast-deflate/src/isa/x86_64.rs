//! x86-64 with BMI2 (bit fields and shifts in one instruction) and AVX2 (32-byte copies).
#![allow(unsafe_code)]

use std::arch::x86_64::_bzhi_u64;

use biofast_kernels::Isa as Level;

use super::Inflate;
use crate::fast::{Isa, Track, joint_loop};
use crate::fault::Fault;
use crate::group::{Block, Work};
use crate::lane::Lane;
use crate::tables::Tables;

/// The decoder for AVX2 or AVX-512, which the CPU must have.
pub(crate) fn inflate(level: Level) -> Inflate {
    match level {
        Level::Avx512 => |work, blocks| {
            // SAFETY: this pointer is handed out for a CPU with AVX-512 only, which `biofast_kernels` grants together
            // with AVX2, BMI1, BMI2, LZCNT and POPCNT.
            unsafe { inflate_avx2(work, blocks) }
        },
        _ => |work, blocks| {
            // SAFETY: this pointer is handed out for a CPU with AVX2 only, by which `biofast_kernels` means BMI1,
            // BMI2, LZCNT and POPCNT, too.
            unsafe { inflate_avx2(work, blocks) }
        },
    }
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn inflate_avx2<'b>(
    work: &mut Work,
    blocks: &mut dyn Iterator<Item = Block<'b>>,
) -> Result<(), Fault> {
    work.inflate::<Avx2>(blocks)
}

/// Used only inside [`inflate_avx2`], so on a CPU with its target features.
struct Avx2;

impl Isa for Avx2 {
    #[inline(always)]
    fn low(bits: u64, n: u32) -> u64 {
        // SAFETY: the CPU has BMI2, see the type.
        unsafe { _bzhi_u64(bits, n) }
    }

    #[inline(always)]
    fn run(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
        // SAFETY: the CPU has the target features, see the type.
        unsafe {
            match lanes.len() {
                1 => run1(lanes, tables),
                2 => run2(lanes, tables),
                3 => run3(lanes, tables),
                _ => run4(lanes, tables),
            }
        }
    }
}

macro_rules! run {
    ($name:ident, $lanes:tt) => {
        /// # Safety
        /// The CPU must have the target features.
        #[inline(never)] // so that each loop has all registers
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $name(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
            joint_loop!(Avx2, lanes, tables, $lanes)
        }
    };
}

run!(run1, [(0, t0, b0, a0)]);
run!(run2, [(0, t0, b0, a0), (1, t1, b1, a1)]);
run!(run3, [(0, t0, b0, a0), (1, t1, b1, a1), (2, t2, b2, a2)]);
run!(run4, [(0, t0, b0, a0), (1, t1, b1, a1), (2, t2, b2, a2), (3, t3, b3, a3)]);
