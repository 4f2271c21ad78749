//! x86-64 with BMI2 (bit fields and shifts in one instruction) and AVX2 or AVX-512 (wide copies).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use biofast_kernels::Isa as Level;

use crate::copy::WIDE;
use crate::entry::{Row, rows};
use crate::fast::{FastLoop, Step, Track, joint_loop, joint_step, opaque};
use crate::fault::Fault;
use crate::instructions::Isa;
use crate::lane::Lane;
use crate::stream::decoder::{Advance, Decoder, Pause};
use crate::stream::room::Room;
use crate::tables::{ANCHOR, Tables};
use crate::workspace::{Inflate, InflateWorkspace, Job};

/// The decoder for AVX2 or AVX-512, which the CPU must have.
pub(crate) fn inflate<const MAPPED: bool>(level: Level) -> Inflate {
    match level {
        // SAFETY: this pointer is handed out for a CPU with AVX-512 only, which `biofast_kernels` grants together with
        // AVX2, BMI1, BMI2, LZCNT and POPCNT.
        Level::Avx512 => |work, blocks| unsafe { avx512::inflate::<MAPPED>(work, blocks) },
        // SAFETY: this pointer is handed out for a CPU with AVX2 only, by which `biofast_kernels` means BMI1, BMI2,
        // LZCNT and POPCNT, too.
        _ => |work, blocks| unsafe { avx2::inflate::<MAPPED>(work, blocks) },
    }
}

/// The streaming decoder for AVX2 or AVX-512, which the CPU must have.
pub(crate) fn advance<const W: usize>(level: Level) -> Advance {
    match level {
        Level::Avx512 => |decoder, input, room| {
            // SAFETY: as in `inflate`.
            unsafe { avx512::advance::<W>(decoder, input, room) }
        },
        // SAFETY: as in `inflate`.
        _ => |decoder, input, room| unsafe { avx2::advance::<W>(decoder, input, room) },
    }
}

/// Used only in functions with its target features.
struct Avx2;

/// Used only in functions with its target features.
struct Avx512;

/// `PATTERNS[d]`: which bytes a match of distance d repeats, as offsets from its start.
static PATTERNS: [Pattern; WIDE] = {
    let mut rows = [Pattern([0; WIDE]); WIDE];
    let mut distance = 1;
    while distance < rows.len() {
        let mut i = 0;
        while i < WIDE {
            rows[distance].0[i] = (i % distance) as u8;
            i += 1;
        }
        distance += 1;
    }
    rows
};

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Pattern([u8; WIDE]);

/// `PERIODS[d]`: the most bytes of a register of 32 (16 in the second row, up to d = 15) that are whole repeats of d
/// bytes.
static PERIODS: [[u8; WIDE]; 2] = {
    let mut rows = [[0; WIDE]; 2];
    let mut distance = 1;
    while distance < WIDE {
        rows[0][distance] = (WIDE - WIDE % distance) as u8;
        rows[1][distance] = (16 - 16 % distance) as u8;
        distance += 1;
    }
    rows
};

/// [`Isa::split`] without any other instruction. The intrinsics would have the compiler mask the anchor, which it can't know
/// to end in eight bits that are 3.
///
/// # Safety
/// The CPU must have BMI2.
#[inline(always)]
unsafe fn split(bit: u64, anchor: *const u8) -> (u64, u64) {
    let anchor = anchor.addr();
    let (byte, odd): (u64, u64);
    // SAFETY: both only work on registers.
    unsafe {
        std::arch::asm!(
            "shrx {}, {}, {}", out(reg) byte, in(reg) bit, in(reg) anchor,
            options(pure, nomem, nostack, preserves_flags),
        );
        std::arch::asm!(
            "bzhi {}, {}, {}", out(reg) odd, in(reg) bit, in(reg) anchor,
            options(pure, nomem, nostack),
        );
    }
    (byte, odd)
}

macro_rules! run {
    ($name:ident, $isa:ty, $features:literal, $lanes:tt) => {
        /// # Safety
        /// The CPU must have the target features.
        #[inline(never)] // so that each loop has all registers
        #[target_feature(enable = $features)]
        unsafe fn $name<const MAPPED: bool>(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
            joint_loop!($isa, MAPPED, lanes, tables, $lanes)
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
            pub(super) unsafe fn inflate<'b, const MAPPED: bool>(
                work: &mut InflateWorkspace,
                blocks: &mut dyn Iterator<Item = Job<'b>>,
            ) -> Result<(), Fault> {
                work.inflate::<$isa, MAPPED>(blocks)
            }

            /// # Safety
            /// The CPU must have the target features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn advance<const W: usize>(
                decoder: &mut Decoder,
                input: &[u8],
                room: &mut Room<'_>,
            ) -> (usize, Pause) {
                decoder.advance::<$isa, W>(input, room)
            }

            impl Isa for $isa {
                $($consts)*

                #[inline(always)]
                fn split(bit: u64, anchor: *const u8) -> (u64, u64) {
                    // SAFETY: the CPU has BMI2, see the type.
                    unsafe { split(bit, anchor) }
                }

                #[inline(always)]
                fn low(bits: u64, n: u64) -> u64 {
                    // SAFETY: the CPU has BMI2, see the type.
                    unsafe { _bzhi_u64(bits, n as u32) }
                }
            }

            impl FastLoop for $isa {
                #[inline(always)]
                fn run<const MAPPED: bool>(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
                    // SAFETY: the CPU has the target features, see the type.
                    unsafe {
                        match lanes.len() {
                            1 => run1::<MAPPED>(lanes, tables),
                            2 => run2::<MAPPED>(lanes, tables),
                            3 => run3::<MAPPED>(lanes, tables),
                            _ => run4::<MAPPED>(lanes, tables),
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
    // Bytes are permuted within halves of a register only.
    const ROWS: [Row; 4] = rows(16);

    #[inline(always)]
    unsafe fn copy_by(to: *mut u8, from: *const u8, row: *const Row) {
        // SAFETY: as this function. The pattern is aligned.
        unsafe {
            let pattern = _mm256_load_si256(row.cast());
            let bytes = _mm256_shuffle_epi8(_mm256_loadu_si256(from.cast()), pattern);
            _mm256_storeu_si256(to.cast(), bytes);
        }
    }

    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8) {
        // SAFETY: as this function.
        unsafe { _mm256_storeu_si256(to.cast(), _mm256_loadu_si256(from.cast())) };
    }

    #[inline(always)]
    unsafe fn repeat(to: *mut u8, distance: usize, length: usize) {
        // SAFETY: as this function; the rows are those of `distance`. A store starts before `to + length` and has 16
        // bytes.
        unsafe {
            let from = to.wrapping_sub(distance);
            let mut done = 0;
            if distance < 16 {
                let pattern = _mm_load_si128(PATTERNS.as_ptr().add(distance).cast());
                let bytes = _mm_shuffle_epi8(_mm_loadu_si128(from.cast()), pattern);
                let period = usize::from(*PERIODS[1].as_ptr().add(distance));
                while done < length {
                    _mm_storeu_si128(to.add(done).cast(), bytes);
                    done += period;
                }
            } else {
                while done < length {
                    let bytes = _mm_loadu_si128(from.add(done).cast());
                    _mm_storeu_si128(to.add(done).cast(), bytes);
                    done += 16;
                }
            }
        }
    }
});

level!(avx512, Avx512, "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi", {
    const ROWS: [Row; 4] = rows(WIDE as i64);

    #[inline(always)]
    unsafe fn copy_by(to: *mut u8, from: *const u8, row: *const Row) {
        // SAFETY: as this function. The pattern is aligned.
        unsafe {
            let pattern = _mm256_load_si256(row.cast());
            let bytes = _mm256_permutexvar_epi8(pattern, _mm256_loadu_si256(from.cast()));
            _mm256_storeu_si256(to.cast(), bytes);
        }
    }

    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8) {
        // SAFETY: as this function.
        unsafe { _mm256_storeu_si256(to.cast(), _mm256_loadu_si256(from.cast())) };
    }

    #[inline(always)]
    unsafe fn repeat(to: *mut u8, distance: usize, length: usize) {
        // SAFETY: as this function; the rows are those of `distance`. A store starts before `to + length` and has 32
        // bytes.
        unsafe {
            let pattern = _mm256_load_si256(PATTERNS.as_ptr().add(distance).cast());
            let bytes = _mm256_loadu_si256(to.wrapping_sub(distance).cast());
            let bytes = _mm256_permutexvar_epi8(pattern, bytes);
            let period = usize::from(*PERIODS[0].as_ptr().add(distance));
            let mut done = 0;
            while done < length {
                _mm256_storeu_si256(to.add(done).cast(), bytes);
                done += period;
            }
        }
    }
});
