//! Virtual offsets: places in the decompressed data that can be jumped to.

use std::fmt;

/// A position in the data of a BGZF file (SAM specification, 4.1.1): the offset of a block in the file times 2^16, plus
/// an offset in the bytes that block inflates to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualOffset(u64);

impl VirtualOffset {
    /// Behind everything.
    pub const MAX: VirtualOffset = VirtualOffset(u64::MAX);

    /// The place `within` bytes into the data of the block at `compressed`.
    pub const fn new(compressed: u64, within: u16) -> Self {
        VirtualOffset(compressed << 16 | within as u64)
    }

    /// The offset of the block in the file.
    pub const fn compressed(self) -> u64 {
        self.0 >> 16
    }

    /// The offset in the block's inflated bytes.
    pub const fn within(self) -> u16 {
        self.0 as u16
    }
}

impl From<u64> for VirtualOffset {
    fn from(value: u64) -> Self {
        VirtualOffset(value)
    }
}

impl From<VirtualOffset> for u64 {
    fn from(offset: VirtualOffset) -> Self {
        offset.0
    }
}

impl fmt::Display for VirtualOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.compressed(), self.within())
    }
}
