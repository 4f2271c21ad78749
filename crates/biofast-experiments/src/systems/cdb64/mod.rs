//! CDB64: Bernstein's constant database with 64-bit offsets. 256 hash tables, found by 4,096 bytes at the front;
//! records follow, then the tables. Files are those of the Python package pure-cdb. Used by entry 040.
//!
//! Two cases that other implementations get wrong are handled: a key whose hash is 0 (a slot is empty if its
//! *position* is 0), and a file whose writer was killed (the front is written last; without it, the file is an error
//! and not an empty database).

mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use read::{MapStore, PreadStore, Reader, Store};
pub(crate) use write::Writer;

/// Hash tables.
const TABLES: usize = 256;
/// Bytes of two numbers: a slot, a table's place, the lengths of key and value.
const PAIR: usize = 16;
/// Bytes before the first record.
const HEADER: usize = TABLES * PAIR;

/// Bernstein's hash.
pub(crate) fn hash(key: &[u8]) -> u32 {
    key.iter().fold(5381, |h: u32, &byte| h.wrapping_mul(33) ^ u32::from(byte))
}

/// Two little-endian numbers.
fn pair(bytes: &[u8]) -> (u64, u64) {
    let number = |part: &[u8]| part.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
    (number(&bytes[..8]), number(&bytes[8..PAIR]))
}

fn pair_bytes(a: u64, b: u64) -> [u8; PAIR] {
    let mut bytes = [0; PAIR];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    bytes
}
