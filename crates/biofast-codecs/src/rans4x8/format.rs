//! What encoder and decoder agree on.

/// Frequencies add up to 2^12 or, as encoders have always written them, to one less.
pub(super) const BITS: u32 = 12;
pub(super) const SLOTS: usize = 1 << BITS;
/// The lowest state. An encoder starts with it, and a decoder ends.
pub(super) const LOW: u32 = 1 << 23;
pub(super) const STATES: usize = 4;
