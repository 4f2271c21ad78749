//! Bytes in NEON's registers: loads and tables.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn load(block: &[u8; 16]) -> uint8x16_t {
    // SAFETY: the block has 16 bytes; the load needs no alignment.
    unsafe { vld1q_u8(block.as_ptr()) }
}

/// Lookup of bytes up to 127 in a table of 128, as two tables of 64.
#[derive(Clone, Copy)]
pub(super) struct Table([uint8x16x4_t; 2]);

impl Table {
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn new(table: &[u8; 128]) -> Self {
        let (halves, _) = table.as_chunks::<64>();
        // SAFETY: each half has 64 bytes.
        Self([0, 1].map(|half| unsafe { vld1q_u8_x4(halves[half].as_ptr()) }))
    }

    /// Zero for bytes above 127.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(super) fn look_up(&self, bytes: uint8x16_t) -> uint8x16_t {
        // Indices out of range yield zero in the first lookup, and the first result in the second.
        let low = vqtbl4q_u8(self.0[0], bytes);
        vqtbx4q_u8(low, self.0[1], vsubq_u8(bytes, vdupq_n_u8(64)))
    }
}
