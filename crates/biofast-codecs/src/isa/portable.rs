//! No vectors: 32 states are as many single ones.

use biofast_kernels::Isa;

use crate::isa::turns::{Turns, WIDE};
use crate::lanes::Tile;

/// Decodes no turns of order 0.
pub(crate) fn order0(_: Isa, _: Turns<'_>, _: &mut [[u8; WIDE]]) -> usize {
    0
}

/// Decodes no turns of order 1.
pub(crate) fn order1(
    _: Isa,
    _: Turns<'_>,
    _: &mut [u8; WIDE],
    _: &mut Tile<WIDE>,
    _: usize,
) -> usize {
    0
}
