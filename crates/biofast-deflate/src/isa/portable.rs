//! Plain Rust, for any CPU; the choice on AArch64, whose base instructions are enough.
#![allow(unsafe_code)]

use crate::copy::{copy_32, repeat};
use crate::entry::{Row, rows};
#[cfg(target_arch = "x86_64")]
use crate::fast::opaque;
use crate::fast::{FastLoop, Step, Track, joint_loop, joint_step};
use crate::fault::Fault;
use crate::instructions::Isa;
use crate::lane::Lane;
use crate::stream::decoder::{Decoder, Pause};
use crate::stream::room::Room;
use crate::tables::{ANCHOR, Tables};
use crate::workspace::{InflateWorkspace, Job};

pub(crate) fn inflate<'b, const MAPPED: bool>(
    work: &mut InflateWorkspace,
    blocks: &mut dyn Iterator<Item = Job<'b>>,
) -> Result<(), Fault> {
    work.inflate::<Portable, MAPPED>(blocks)
}

pub(crate) fn advance<const W: usize>(
    decoder: &mut Decoder,
    input: &[u8],
    room: &mut Room<'_>,
) -> (usize, Pause) {
    decoder.advance::<Portable, W>(input, room)
}

pub(crate) struct Portable;

impl Isa for Portable {
    const ROWS: [Row; 4] = rows(1);

    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8) {
        // SAFETY: as this function.
        unsafe { copy_32(to, from) };
    }

    // SAFETY: callers keep to what the trait demands of them.
    #[inline(always)]
    unsafe fn repeat(to: *mut u8, distance: usize, length: usize) {
        // SAFETY: as this function.
        unsafe { repeat(to, distance, length) };
    }

    #[inline(always)]
    fn low(bits: u64, n: u64) -> u64 {
        bits & !(u64::MAX << (n & 63))
    }
}

impl FastLoop for Portable {
    #[inline(always)]
    fn run<const MAPPED: bool>(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
        match lanes.len() {
            1 => run1::<MAPPED>(lanes, tables),
            2 => run2::<MAPPED>(lanes, tables),
            3 => run3::<MAPPED>(lanes, tables),
            _ => run4::<MAPPED>(lanes, tables),
        }
    }
}

macro_rules! run {
    ($name:ident, $lanes:tt) => {
        #[inline(never)] // so that each loop has all registers
        fn $name<const MAPPED: bool>(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
            joint_loop!(Portable, MAPPED, lanes, tables, $lanes)
        }
    };
}

run!(run1, [(0, t0, a0)]);
run!(run2, [(0, t0, a0), (1, t1, a1)]);
run!(run3, [(0, t0, a0), (1, t1, a1), (2, t2, a2)]);
run!(run4, [(0, t0, a0), (1, t1, a1), (2, t2, a2), (3, t3, a3)]);
