//! What the decoder needs of an instruction set.
#![allow(unsafe_code)]

use crate::entry::Row;

/// What the instruction sets do differently.
pub(crate) trait Isa {
    /// The lowest `n` bits, `n` below 64.
    fn low(bits: u64, n: u64) -> u64;

    /// How matches are copied, by [class](crate::entry::Class) of distance.
    const ROWS: [Row; 4];

    /// The byte that a bit lies in, and which of its bits it is. `anchor` is the address of some tables plus
    /// [`ANCHOR`](crate::tables::ANCHOR).
    #[inline(always)]
    fn split(bit: u64, anchor: *const u8) -> (u64, u64) {
        let _ = anchor;
        (bit >> 3, bit & 7)
    }

    /// Copies [`WIDE`](crate::copy::WIDE) bytes as they are.
    ///
    /// # Safety
    /// Both lie in one buffer, the source before the target.
    unsafe fn copy(to: *mut u8, from: *const u8);

    /// Copies [`WIDE`](crate::copy::WIDE) bytes by the pattern of the row. What is right of them is a match that is no longer than the row
    /// allows.
    ///
    /// # Safety
    /// As for [`copy`](Self::copy); `row` points to one of [`ROWS`](Self::ROWS).
    #[inline(always)]
    unsafe fn copy_by(to: *mut u8, from: *const u8, row: *const Row) {
        let _ = row;
        // SAFETY: as this function.
        unsafe { Self::copy(to, from) };
    }

    /// Writes the `distance` bytes before `to` again and again, `length` bytes of them, and up to 31 bytes more.
    ///
    /// # Safety
    /// `distance` is 1 to 31, that many bytes lie before `to` in its buffer, and `length` + 31 behind it.
    unsafe fn repeat(to: *mut u8, distance: usize, length: usize);
}
