//! x86-64 with BMI2 (bit fields and shifts in one instruction) and AVX2 or AVX-512 (wide copies).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use biofast_kernels::Isa as Level;

use super::Inflate;
use crate::copy::WIDE;
use crate::fast::{Isa, Track, joint_loop};
use crate::fault::Fault;
use crate::group::{Block, Work};
use crate::lane::Lane;
use crate::tables::Tables;

/// The decoder for AVX2 or AVX-512, which the CPU must have.
pub(crate) fn inflate(level: Level) -> Inflate {
    match level {
        // SAFETY: this pointer is handed out for a CPU with AVX-512 only, which `biofast_kernels` grants together with
        // AVX2, BMI1, BMI2, LZCNT and POPCNT.
        Level::Avx512 => |work, blocks| unsafe { avx512::inflate(work, blocks) },
        // SAFETY: this pointer is handed out for a CPU with AVX2 only, by which `biofast_kernels` means BMI1, BMI2,
        // LZCNT and POPCNT, too.
        _ => |work, blocks| unsafe { avx2::inflate(work, blocks) },
    }
}

/// Used only in functions with its target features.
struct Avx2;

/// Used only in functions with its target features.
struct Avx512;

/// `PATTERNS[d]`: which bytes a match of distance d copies, as offsets from its start. The last row is for all larger
/// distances.
static PATTERNS: Patterns = Patterns({
    let mut rows = [[0; WIDE]; WIDE + 1];
    let mut distance = 1;
    while distance < rows.len() {
        let mut i = 0;
        while i < WIDE {
            rows[distance][i] = (i % distance) as u8;
            i += 1;
        }
        distance += 1;
    }
    rows
});

#[repr(align(32))]
struct Patterns([[u8; WIDE]; WIDE + 1]);

macro_rules! run {
    ($name:ident, $isa:ty, $features:literal, $lanes:tt) => {
        /// # Safety
        /// The CPU must have the target features.
        #[inline(never)] // so that each loop has all registers
        #[target_feature(enable = $features)]
        unsafe fn $name(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
            joint_loop!($isa, lanes, tables, $lanes)
        }
    };
}

/// The functions of one level, in a module of that name.
macro_rules! level {
    ($module:ident, $isa:ident, $features:literal, {$($consts:tt)*}) => {
        mod $module {
            use super::*;

            /// # Safety
            /// The CPU must have the target features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn inflate<'b>(
                work: &mut Work,
                blocks: &mut dyn Iterator<Item = Block<'b>>,
            ) -> Result<(), Fault> {
                work.inflate::<$isa>(blocks)
            }

            impl Isa for $isa {
                $($consts)*

                #[inline(always)]
                fn low(bits: u64, n: u64) -> u64 {
                    // SAFETY: the CPU has BMI2, see the type.
                    unsafe { _bzhi_u64(bits, n as u32) }
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

            run!(run1, $isa, $features, [(0, t0, a0)]);
            run!(run2, $isa, $features, [(0, t0, a0), (1, t1, a1)]);
            run!(run3, $isa, $features, [(0, t0, a0), (1, t1, a1), (2, t2, a2)]);
            run!(run4, $isa, $features, [(0, t0, a0), (1, t1, a1), (2, t2, a2), (3, t3, a3)]);
        }
    };
}

level!(avx2, Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt", {
    const REPEATS: bool = false;

    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: u64) {
        // SAFETY: the source starts before the target in the same buffer.
        unsafe {
            let source = _mm256_loadu_si256(to.wrapping_sub(distance as usize).cast());
            _mm256_storeu_si256(to.cast(), source);
        }
    }
});

level!(avx512, Avx512, "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi", {
    const REPEATS: bool = true;

    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: u64) {
        // SAFETY: the row is one of the 33; the source starts before the target in the same buffer.
        unsafe {
            let row = distance.min(WIDE as u64) as usize;
            let pattern = _mm256_load_si256(PATTERNS.0.as_ptr().add(row).cast());
            let source = _mm256_loadu_si256(to.wrapping_sub(distance as usize).cast());
            _mm256_storeu_si256(to.cast(), _mm256_permutexvar_epi8(pattern, source));
        }
    }
});
