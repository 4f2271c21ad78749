//! In which order the vector versions walk through a read that they convert, and where to.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::layout::COMPLEMENTS;

/// Room that a vector version fills.
pub(crate) type Room = [MaybeUninit<u8>];

/// Appends `len` bytes, of the `room` that `fill` initializes: with one of the functions below.
#[inline(always)]
pub(crate) fn append(out: &mut Vec<u8>, len: usize, room: usize, fill: impl FnOnce(&mut Room)) {
    assert!(len <= room);
    out.reserve(room);
    fill(&mut out.spare_capacity_mut()[..room]);
    // SAFETY: the capacity was reserved, and `fill`, which is one of the instruction sets', writes each byte of its slice.
    unsafe { out.set_len(out.len() + len) };
}

/// Fills all of `out`, which is `OUT / IN` times as long as `input`, a block at a time. The last block overlaps the
/// one before it unless there is none.
#[inline(always)]
pub(crate) fn map_blocks<const IN: usize, const OUT: usize>(
    input: &[u8],
    out: &mut Room,
    map: impl Fn(&[u8; IN], &mut [MaybeUninit<u8>; OUT]),
) {
    assert_eq!(out.len(), OUT / IN * input.len());
    let (blocks, tail) = input.as_chunks();
    for (block, out) in blocks.iter().zip(out.as_chunks_mut().0) {
        map(block, out);
    }
    if tail.is_empty() {
    } else if let (Some(block), Some(out)) = (input.last_chunk(), out.last_chunk_mut()) {
        map(block, out);
    } else {
        let (mut block, mut mapped) = ([0; IN], [MaybeUninit::uninit(); OUT]);
        block[..tail.len()].copy_from_slice(tail);
        map(&block, &mut mapped);
        out.copy_from_slice(&mapped[..out.len()]);
    }
}

/// [`map_blocks`] from the end of `input` to its start; `map` reverses a block.
#[inline(always)]
pub(crate) fn map_blocks_reversed<const IN: usize, const OUT: usize>(
    input: &[u8],
    out: &mut Room,
    map: impl Fn(&[u8; IN], &mut [MaybeUninit<u8>; OUT]),
) {
    assert_eq!(out.len(), OUT / IN * input.len());
    let (head, blocks) = input.as_rchunks();
    for (block, out) in blocks.iter().rev().zip(out.as_chunks_mut().0) {
        map(block, out);
    }
    if head.is_empty() {
    } else if let (Some(block), Some(out)) = (input.first_chunk(), out.last_chunk_mut()) {
        map(block, out);
    } else {
        let (mut block, mut mapped) = ([0; IN], [MaybeUninit::uninit(); OUT]);
        block[IN - head.len()..].copy_from_slice(head);
        map(&block, &mut mapped);
        out.copy_from_slice(&mapped[..out.len()]);
    }
}

/// Writes the complement of the last base where it is alone in its byte, to the front of `out`. Returns the rest of both.
#[inline(always)]
pub(crate) fn unpaired_complement<'p, 'o>(
    packed: &'p [u8],
    out: &'o mut Room,
) -> (&'p [u8], &'o mut Room) {
    if out.len().is_multiple_of(2) {
        return (packed, out);
    }
    match (packed, out) {
        ([packed @ .., last], [first, out @ ..]) => {
            first.write(COMPLEMENTS[usize::from(last >> 4)]);
            (packed, out)
        }
        (packed, out) => (packed, out),
    }
}
