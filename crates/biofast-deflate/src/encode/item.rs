//! Literals and short runs as one number, and bases packed by fours.

use super::symbols::MAX_LENGTH;

/// A literal, or from [`RUN`] on a run of 3 to [`MAX_LENGTH`] bytes like the one before.
pub(super) type Item = u16;

/// The item of the shortest run.
pub(super) const RUN: usize = 256;

/// The shortest copy that DEFLATE has.
pub(super) const MIN_LENGTH: usize = 3;

/// How many different items there are.
pub(super) const ITEMS: usize = RUN + MAX_LENGTH - MIN_LENGTH + 1;

/// The bases of each packed group.
pub(super) static UNPACKED: [u32; 256] = {
    let mut groups = [0; 256];
    let mut i = 0;
    while i < 256 {
        groups[i] = u32::from_le_bytes([
            BASES[i >> 6 & 3],
            BASES[i >> 4 & 3],
            BASES[i >> 2 & 3],
            BASES[i & 3],
        ]);
        i += 1;
    }
    groups
};

/// Bases in the order of the two bits of their letters that tell them apart.
pub(super) const BASES: [u8; 4] = *b"ACTG";

/// Four bases in eight bits, the first one highest.
#[inline(always)]
pub(super) fn pack(bases: u32) -> u8 {
    ((bases >> 1 & 0x0303_0303).wrapping_mul(0x4010_0401) >> 24) as u8
}
