//! The line index from bit masks of line feeds, for instruction sets that can't compress a vector.

use std::array;

/// Bytes indexed before their offsets are appended.
const CHUNK: usize = 1024;
/// Offsets written at a time, whatever their number: most blocks have 0 to 2, which a branch can't foresee.
const AT_ONCE: usize = 4;

/// Appends `base` + the offset of each line feed; `mask` sets a bit for each of a block.
#[inline(always)]
pub(crate) fn index_with(
    bytes: &[u8],
    base: u32,
    out: &mut Vec<u32>,
    mask: impl Fn(&[u8; 64]) -> u64,
) {
    let mut found = [0; CHUNK + AT_ONCE];
    for (i, chunk) in bytes.chunks(CHUNK).enumerate() {
        let base = base + (i * CHUNK) as u32;
        let mut len = 0;
        let (blocks, tail) = chunk.as_chunks::<64>();
        for (block, base) in blocks.iter().zip((0..).map(|i| base.wrapping_add(64 * i))) {
            len = push_offsets(mask(block), base, &mut found, len);
        }
        if !tail.is_empty() {
            let block = array::from_fn(|i| tail.get(i).copied().unwrap_or(0));
            let base = base + 64 * blocks.len() as u32;
            len = push_offsets(mask(&block), base, &mut found, len);
        }
        out.extend_from_slice(&found[..len]);
    }
}

/// Writes the offsets of the bits of `mask` from `len` on; returns the new length.
#[inline(always)]
fn push_offsets(mut mask: u64, base: u32, found: &mut [u32; CHUNK + AT_ONCE], len: usize) -> usize {
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
