//! How much text is compressed as one.

use crate::container::Level;

/// Text of a zstd frame: long enough for its ratio, short enough to be carried about.
pub(crate) const ZSTD_UNIT: usize = 512 << 10;

/// The level of bzip2, which has 1 to 9.
pub(super) fn bzip2_level(level: Level) -> u8 {
    match level {
        Level::Number(n) => n.clamp(1, 9),
        // No compression is made with these: the usual one.
        Level::Fast | Level::Balanced | Level::Small => 9,
    }
}

/// Text of a bzip2 stream: what one of its blocks of this level holds, so that the ratio is that of a single stream. A block is 19
/// bytes shorter than its name says, and repeats of exactly four bytes take one more.
pub(crate) fn bzip2_unit(level: Level) -> usize {
    usize::from(bzip2_level(level)) * 99_000
}
