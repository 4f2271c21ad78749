//! Plain Rust, for any CPU; the choice on AArch64, whose base instructions are enough.
#![allow(unsafe_code)]

use crate::copy::copy_32;
use crate::fast::{Isa, Track, joint_loop};
use crate::fault::Fault;
use crate::group::{Block, Work};
use crate::lane::Lane;
use crate::tables::Tables;

pub(crate) fn inflate<'b>(
    work: &mut Work,
    blocks: &mut dyn Iterator<Item = Block<'b>>,
) -> Result<(), Fault> {
    work.inflate::<Portable>(blocks)
}

pub(crate) struct Portable;

impl Isa for Portable {
    const REPEATS: bool = false;

    // SAFETY: callers keep to what the trait demands of them.
    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: u64) {
        // SAFETY: as this function.
        unsafe { copy_32(to, distance) };
    }

    #[inline(always)]
    fn low(bits: u64, n: u64) -> u64 {
        bits & !(u64::MAX << (n & 63))
    }

    #[inline(never)]
    fn run(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize {
        match lanes.len() {
            1 => joint_loop!(Self, lanes, tables, [(0, t0, a0)]),
            2 => joint_loop!(Self, lanes, tables, [(0, t0, a0), (1, t1, a1)]),
            3 => {
                joint_loop!(Self, lanes, tables, [(0, t0, a0), (1, t1, a1), (2, t2, a2)])
            }
            _ => joint_loop!(
                Self,
                lanes,
                tables,
                [(0, t0, a0), (1, t1, a1), (2, t2, a2), (3, t3, a3)]
            ),
        }
    }
}
