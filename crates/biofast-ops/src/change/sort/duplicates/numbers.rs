//! Numbers in entries.

use crate::varint;
pub(super) use crate::varint::write_number;

/// The bytes of a number at the front of `bytes`, which are taken from them.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

/// The number at the front of `bytes`, which is taken from them.
pub(super) fn read_number(bytes: &mut &[u8]) -> u64 {
    varint::read_number(bytes).unwrap_or(0)
}
