//! Blocks of the input whose data changed in a few bytes, changed as they are stored: faster than compressing them again.

use biofast_deflate::{Block, Change, Inflater, Splicer, StreamMap};

use super::encode::Encoded;
use crate::container::bgzf::EOF_BLOCK;

/// The header of a block that can be copied, which is that of the end-of-file block but for its length; and the footer.
const HEADER: usize = 18;
const FOOTER: usize = 8;

/// The most bytes of a stream in a block.
const LONGEST_STREAM: usize = (1 << 16) - HEADER - FOOTER;

/// Changes blocks. It holds about 350 kB, and 250 kB for each block of a group: keep it.
pub(super) struct BlockSplicer {
    inflater: Inflater,
    splicer: Splicer,
    /// The data of the blocks of a group.
    texts: Vec<Vec<u8>>,
    maps: Vec<StreamMap>,
    changes: Vec<Change>,
}

impl BlockSplicer {
    pub(super) fn new() -> BlockSplicer {
        BlockSplicer {
            inflater: Inflater::new(),
            splicer: Splicer::new(),
            texts: Vec::new(),
            maps: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Makes the blocks of a group ready to be changed, together, as that is faster. `false` if that can't be done.
    pub(super) fn load(&mut self, blocks: &[&[u8]]) -> bool {
        if self.texts.len() < blocks.len() {
            self.texts.resize_with(blocks.len(), Vec::new);
            self.maps.resize_with(blocks.len(), StreamMap::new);
        }
        let mut jobs = Vec::with_capacity(blocks.len());
        for ((block, text), map) in blocks.iter().zip(&mut self.texts).zip(&mut self.maps) {
            let Some((input, [_, len])) = parts(block) else { return false };
            text.resize(len as usize, 0);
            jobs.push((Block { input, output: text }, map));
        }
        self.inflater.inflate_mapped(jobs).is_ok()
    }

    /// Appends the block of this index in the group, with other data of the same length. `false` if it has to be compressed again.
    pub(super) fn splice(
        &mut self,
        index: usize,
        block: &[u8],
        data: &[u8],
        out: &mut Encoded,
    ) -> bool {
        let (Some(text), Some(map)) = (self.texts.get_mut(index), self.maps.get(index)) else {
            return false;
        };
        let Some((stream, [crc, _])) = parts(block).filter(|_| text.len() == data.len()) else {
            return false;
        };
        find_changes(text, data, &mut self.changes);
        let start = out.bytes.len();
        out.bytes.extend_from_slice(&EOF_BLOCK[..HEADER]);
        let spliced = self
            .splicer
            .splice(stream, map, text, crc, &self.changes, LONGEST_STREAM, &mut out.bytes);
        let Some(crc) = spliced.ok().filter(|done| done.declined.is_none()).map(|done| done.crc)
        else {
            out.bytes.truncate(start);
            return false;
        };
        out.bytes.extend(crc.to_le_bytes());
        out.bytes.extend((data.len() as u32).to_le_bytes());
        // No longer than the longest block.
        let size = (out.bytes.len() - start - 1) as u16;
        out.bytes[start + 16..start + HEADER].copy_from_slice(&size.to_le_bytes());
        out.note_block(start, data.len());
        true
    }
}

/// The stream of a block that can be copied, and the checksum and the length of its data.
fn parts(block: &[u8]) -> Option<(&[u8], [u32; 2])> {
    let stream = block.get(HEADER..block.len().checked_sub(FOOTER)?)?;
    let (crc, len) = block.last_chunk::<FOOTER>()?.split_first_chunk::<4>()?;
    let len = len.first_chunk::<4>()?;
    let [crc, len] = [*crc, *len].map(u32::from_le_bytes);
    (len <= 1 << 16).then_some((stream, [crc, len]))
}

/// The bytes in which `new` differs.
fn find_changes(old: &[u8], new: &[u8], out: &mut Vec<Change>) {
    const STEP: usize = 64;
    out.clear();
    for (start, (old, new)) in (0..).step_by(STEP).zip(old.chunks(STEP).zip(new.chunks(STEP))) {
        if old != new {
            let bytes = old.iter().zip(new).enumerate();
            let changed = bytes.filter(|(_, (old, new))| old != new);
            // A block has at most 2^16 bytes.
            out.extend(changed.map(|(at, (_, &byte))| Change { at: (start + at) as u16, byte }));
        }
    }
}
