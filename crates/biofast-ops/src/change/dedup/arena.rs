//! Bytes of many entries, one after the other, that never move.

use crate::varint::write_number;

/// Bytes of a chunk: an entry lies in one, and a longer one has its own.
const CHUNK_BITS: u32 = 20;
const CHUNK: usize = 1 << CHUNK_BITS;

/// The entries.
#[derive(Default)]
pub(super) struct Arena {
    chunks: Vec<Vec<u8>>,
    bytes: usize,
}

impl Arena {
    /// How many bytes there are.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where an entry of so many bytes will be. Positions have at most [`Slots::VALUE_BITS`](super::slots::Slots) bits as
    /// long as there are fewer than a million chunks.
    fn place(&mut self, len: usize) -> usize {
        let has_room =
            self.chunks.last().is_some_and(|chunk| chunk.capacity() - chunk.len() >= len);
        if !has_room {
            self.chunks.push(Vec::with_capacity(len.max(CHUNK)));
        }
        self.chunks.len() - 1
    }

    /// Appends an entry that consists of these parts, and returns its position.
    pub(super) fn push(&mut self, parts: &[&[u8]]) -> u64 {
        let len = parts.iter().map(|part| part.len()).sum();
        let chunk = self.place(len);
        self.bytes += len;
        let bytes = &mut self.chunks[chunk];
        let at = (chunk as u64) << CHUNK_BITS | bytes.len() as u64;
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        at
    }

    /// The entry at a position, and what follows it in its chunk.
    #[inline]
    pub(super) fn at(&self, position: u64) -> &[u8] {
        let (chunk, offset) = split(position);
        &self.chunks[chunk][offset..]
    }

    /// The same to be changed.
    #[inline]
    pub(super) fn at_mut(&mut self, position: u64) -> &mut [u8] {
        let (chunk, offset) = split(position);
        &mut self.chunks[chunk][offset..]
    }

    /// All entries in their order, with their positions; `len` says how long the one at the start of some bytes is.
    pub(super) fn entries<'a>(
        &'a self,
        len: impl Fn(&[u8]) -> usize + 'a,
    ) -> impl Iterator<Item = (u64, &'a [u8])> + 'a {
        let mut at = (0, 0);
        std::iter::from_fn(move || {
            while self.chunks.get(at.0)?.len() == at.1 {
                at = (at.0 + 1, 0);
            }
            let rest = &self.chunks[at.0][at.1..];
            let entry = &rest[..len(rest)];
            let position = (at.0 as u64) << CHUNK_BITS | at.1 as u64;
            at.1 += entry.len();
            Some((position, entry))
        })
    }
}

fn split(position: u64) -> (usize, usize) {
    ((position >> CHUNK_BITS) as usize, (position & (CHUNK as u64 - 1)) as usize)
}

/// Appends a number, seven bits a byte.
pub(super) fn push_number(out: &mut Vec<u8>, number: usize) {
    write_number(number as u64, out);
}

/// The number at the start of some bytes, and its length.
pub(super) fn number(bytes: &[u8]) -> (usize, usize) {
    let (mut number, mut len) = (0, 0);
    for &byte in bytes {
        number |= usize::from(byte & 0x7f) << (7 * len);
        len += 1;
        if byte < 0x80 {
            break;
        }
    }
    (number, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_any_length_are_found_where_they_were_put() {
        let mut arena = Arena::default();
        let lens = [0, 1, 700_000, 400_000, 3_000_000, 5, CHUNK, CHUNK - 4, 9];
        let mut positions = Vec::new();
        for (number, &len) in lens.iter().enumerate() {
            let head = (len as u32).to_le_bytes();
            positions.push(arena.push(&[&head, &vec![number as u8; len]]));
        }
        assert_eq!(arena.bytes(), lens.iter().map(|len| len + 4).sum::<usize>());
        let of = |rest: &[u8]| {
            rest.first_chunk().map_or(0, |head| u32::from_le_bytes(*head) as usize + 4)
        };
        let found: Vec<(u64, usize)> =
            arena.entries(of).map(|(at, entry)| (at, entry.len() - 4)).collect();
        assert_eq!(found, positions.iter().copied().zip(lens).collect::<Vec<_>>());
        for (number, (&at, len)) in positions.iter().zip(lens).enumerate() {
            assert!(arena.at(at)[4..4 + len].iter().all(|&byte| byte == number as u8));
        }
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for n in [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 31, usize::MAX >> 1] {
            let mut bytes = Vec::new();
            push_number(&mut bytes, n);
            let len = bytes.len();
            bytes.push(0xff);
            assert_eq!(number(&bytes), (n, len));
        }
    }
}
