//! Turns of 32 states: each decodes a symbol.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // only vectors take turns

use crate::nx16::Slots;

/// States.
pub(crate) const WIDE: usize = 32;
/// Bytes that a turn takes at most.
pub(crate) const TURN: usize = 2 * WIDE;

/// 32 states, the symbols they decoded last, and where the next words are.
pub(crate) struct Turns<'a> {
    pub(crate) slots: &'a Slots,
    pub(crate) states: &'a mut [u32; WIDE],
    pub(crate) words: &'a [u8],
    pub(crate) at: &'a mut usize,
}
