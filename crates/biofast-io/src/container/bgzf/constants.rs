//! Constants of the format.

/// The empty block that ends a BGZF file.
pub const EOF_BLOCK: [u8; 28] = [
    0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, 0x06, 0, 0x42, 0x43, 0x02, 0, 0x1b, 0, 0x03, 0, 0,
    0, 0, 0, 0, 0, 0, 0,
];

/// The most bytes a block may inflate to.
pub const MAX_INFLATED: usize = 65_536;
