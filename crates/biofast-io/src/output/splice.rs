//! Blocks of the input whose data changed in a few bytes, changed as they are stored: faster than compressing them again.

use std::sync::Arc;

use biofast_deflate::{Block, Change, Inflater, Splicer, StreamMap};

use super::encode::Encoded;
use crate::container::bgzf::EOF_BLOCK;

/// The header of a block that can be copied, which is that of the end-of-file block but for its length; and the footer.
const HEADER: usize = 18;
const FOOTER: usize = 8;

/// The most bytes of a stream in a block.
const LONGEST_STREAM: usize = (1 << 16) - HEADER - FOOTER;

/// Where the bytes of a block of an output come from that has the data of one of the input.
#[derive(Clone)]
pub(crate) enum BlockSource {
    /// It is stored so in the input; whether its data have changed is to be found out.
    Stored(Arc<[u8]>),
    /// This is what is written.
    Ready(Arc<[u8]>),
    /// Its data have changed, and can't be changed as they are stored.
    Declined,
}

/// Changes blocks. It holds about 350 kB, and 250 kB for each block of a group: keep it.
pub(crate) struct BlockSplicer {
    inflater: Inflater,
    splicer: Splicer,
    /// The data of the blocks of a group.
    texts: Vec<Vec<u8>>,
    maps: Vec<StreamMap>,
    changes: Vec<Change>,
    spliced: Vec<u8>,
}

impl BlockSplicer {
    pub(crate) fn new() -> BlockSplicer {
        BlockSplicer {
            inflater: Inflater::new(),
            splicer: Splicer::new(),
            texts: Vec::new(),
            maps: Vec::new(),
            changes: Vec::new(),
            spliced: Vec::new(),
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
    pub(super) fn splice_loaded(
        &mut self,
        index: usize,
        block: &[u8],
        data: &[u8],
        out: &mut Encoded,
    ) -> bool {
        let (Some(text), Some(map)) = (self.texts.get_mut(index), self.maps.get(index)) else {
            return false;
        };
        find_changes(text, data, &mut self.changes);
        let start = out.bytes.len();
        let spliced = splice(&mut self.splicer, block, map, text, &self.changes, &mut out.bytes);
        if spliced.is_some() {
            out.note_block(start, data.len());
        }
        spliced.is_some()
    }

    /// What becomes of a block of these data when they are to be others of the same length. `map` is of its stream.
    pub(crate) fn reuse(
        &mut self,
        block: &[u8],
        map: &StreamMap,
        data: &[u8],
        new: &[u8],
    ) -> BlockSource {
        find_changes(data, new, &mut self.changes);
        if self.changes.is_empty() {
            return BlockSource::Ready(Arc::from(block));
        }
        if self.texts.is_empty() {
            self.texts.push(Vec::new());
        }
        let text = &mut self.texts[0];
        text.clear();
        text.extend_from_slice(data);
        self.spliced.clear();
        let spliced = splice(&mut self.splicer, block, map, text, &self.changes, &mut self.spliced);
        spliced.map_or(BlockSource::Declined, |()| BlockSource::Ready(Arc::from(&self.spliced[..])))
    }
}

/// Appends a block with `changes` in its data, which are `text`. `None` if it has to be compressed again.
fn splice(
    splicer: &mut Splicer,
    block: &[u8],
    map: &StreamMap,
    text: &mut [u8],
    changes: &[Change],
    out: &mut Vec<u8>,
) -> Option<()> {
    let (stream, [crc, len]) = parts(block)?;
    if len as usize != text.len() {
        return None;
    }
    let start = out.len();
    out.extend_from_slice(&EOF_BLOCK[..HEADER]);
    let spliced = splicer.splice(stream, map, text, crc, changes, LONGEST_STREAM, out);
    let Some(done) = spliced.ok().filter(|done| done.declined.is_none()) else {
        out.truncate(start);
        return None;
    };
    out.extend(done.crc.to_le_bytes());
    out.extend(len.to_le_bytes());
    // No longer than the longest block.
    let size = (out.len() - start - 1) as u16;
    out[start + 16..start + HEADER].copy_from_slice(&size.to_le_bytes());
    Some(())
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
