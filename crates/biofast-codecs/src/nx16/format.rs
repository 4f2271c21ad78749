//! What encoder and decoder agree on.

/// Frequencies of order 0 add up to 2^12; those of order 1, to that or to 2^10.
pub(super) const BITS: u32 = 12;
pub(super) const FEW_BITS: u32 = 10;
/// The lowest state. An encoder starts with it, and a decoder ends.
pub(crate) const LOW: u32 = 1 << 15;
