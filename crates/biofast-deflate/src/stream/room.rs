//! Where a stream's text goes.

use crate::copy::WIDE;

/// Where output goes: bytes, or symbols of `W` bytes where a function has a `W`. Places are in bytes.
pub(crate) struct Room<'a> {
    pub(super) buffer: &'a mut [u8],
    /// The next byte of output.
    pub(super) at: usize,
    /// The first byte that a match may reach: from here to `at` is the output so far, or its last 32,768 symbols.
    pub(super) floor: usize,
}

impl Room<'_> {
    /// Whether there is not enough room for any match; nothing is decoded then.
    pub(super) fn is_full<const W: usize>(&self) -> bool {
        self.buffer.len() < self.at + W * OUTPUT_MARGIN
    }
}

/// How far back matches reach.
pub(crate) const WINDOW: usize = 32 << 10;

/// Steps between two looks at the margins.
pub(super) const STEPS: usize = 2;

/// Symbols of output that the loop wants room for before it starts its steps: three literals and a match each, and what is
/// written behind it.
pub(super) const OUTPUT_MARGIN: usize = STEPS * (3 + 258) + WIDE;
