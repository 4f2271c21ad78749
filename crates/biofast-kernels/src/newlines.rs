//! The line index of vector instruction sets: which finds the line feeds of 64 bytes, this does the rest.

use std::array;

/// Bytes indexed before their offsets are appended. Going through a small buffer keeps the stores in the first-level
/// cache; writing to a long index directly waits for memory.
const CHUNK: usize = 4096;
/// Entries that may be written beyond the last offset.
const SPARE: usize = 64;
/// Offsets written at a time, whatever their number: most blocks have 0 to 2, which a branch can't foresee.
const AT_ONCE: usize = 2;

/// The offsets of a chunk.
pub(crate) type Found = [u32; CHUNK + SPARE];

/// Appends `base` + the offset of each line feed. `push(block, base, found, len)` writes those of a block from
/// `found[len]` on and returns the new length.
#[inline(always)]
pub(crate) fn index_with(
    bytes: &[u8],
    base: u32,
    out: &mut Vec<u32>,
    push: impl Fn(&[u8; 64], u32, &mut Found, usize) -> usize,
) {
    let mut found = [0; CHUNK + SPARE];
    let mut base = base;
    for chunk in bytes.chunks(CHUNK) {
        let mut len = 0;
        let (blocks, tail) = chunk.as_chunks::<64>();
        for block in blocks {
            len = push(block, base, &mut found, len);
            base += 64;
        }
        if !tail.is_empty() {
            let block = array::from_fn(|i| tail.get(i).copied().unwrap_or(0));
            len = push(&block, base, &mut found, len);
        }
        out.extend_from_slice(&found[..len]);
    }
}

/// Writes `base` + the index of each bit of `mask` from `len` on; returns the new length.
#[inline(always)]
pub(crate) fn push_bits(mut mask: u64, base: u32, found: &mut Found, len: usize) -> usize {
    let end = len + mask.count_ones() as usize;
    let mut next = len;
    loop {
        for entry in &mut found[next..next + AT_ONCE] {
            *entry = base.wrapping_add(mask.trailing_zeros());
            mask &= mask.wrapping_sub(1);
        }
        next += AT_ONCE;
        if mask == 0 {
            return end;
        }
    }
}
