//! The decompressed bytes of a chunk, and the unfinished record handed to the next one.

use std::ops::Range;
use std::sync::Arc;

use biofast_deflate::StreamMap;

use crate::container::bgzf::{Block, VirtualOffset};
use crate::input::Map;

/// Decompressed bytes of one chunk: a worker's own buffer, or a range of the map.
pub struct Chunk {
    buffer: Vec<u8>,
    /// Where the bytes are, if not in the buffer.
    map: Option<Arc<Map>>,
    start: usize,
    end: usize,
    /// Bytes of `bytes()` that were carried over from the chunks before.
    joined: usize,
    /// Which parts of blocks these are.
    joined_parts: Vec<BlockPart>,
    origin: BlockOrigins,
    /// The blocks as stored, where a transform may copy them.
    stored: Stored,
}

/// The stored bytes of a chunk's blocks.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) bytes: Vec<u8>,
    /// Where they are, if not there.
    pub(super) map: Option<(Arc<Map>, Range<usize>)>,
    /// What each block's stream is like, where that was noted. There may be more, of other blocks.
    pub(super) streams: Vec<StreamMap>,
    /// How many blocks have one.
    pub(super) mapped: usize,
}

impl Stored {
    fn bytes(&self) -> &[u8] {
        match &self.map {
            Some((map, range)) => &map.bytes()[range.clone()],
            None => &self.bytes,
        }
    }
}

/// Some of the data of a BGZF block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPart {
    /// The offset of the block in the file, which tells it from others.
    pub(crate) file_offset: u64,
    /// Where the part starts in the block's data.
    pub(crate) from: usize,
    /// The length of the part.
    pub(crate) len: usize,
    /// The length of all of the block's data.
    pub(crate) of: usize,
}

/// The BGZF blocks a chunk was inflated from; none if it came from something else.
#[derive(Default)]
struct BlockOrigins {
    /// Each block's offset in the file, and where its data start in the chunk's own bytes.
    blocks: Vec<(u64, usize)>,
    /// Where each block starts among those taken with it, and its length.
    places: Vec<(usize, usize)>,
    /// The file offset right behind the last block.
    after: u64,
    /// The data of all blocks.
    len: usize,
}

/// A BGZF block whose data are in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockData {
    /// The offset of the block in the file.
    pub file_offset: u64,
    /// The length of its data.
    pub len: usize,
}

/// Room before a chunk's bytes, where the unfinished record of the chunk before is put.
const HEADROOM: usize = 16 << 10;

/// The bytes of an unfinished record at the end of a chunk, on their way to the next chunk.
#[derive(Default)]
pub struct Carry {
    bytes: Vec<u8>,
    /// Length where the bytes lie in the map right before the next chunk.
    mapped: usize,
    /// Which parts of blocks the bytes are, if they come from BGZF.
    parts: Vec<BlockPart>,
}

impl Carry {
    /// How many bytes are carried.
    pub fn len(&self) -> usize {
        self.bytes.len() + self.mapped
    }

    /// Whether nothing is carried.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Chunk {
    pub(crate) fn new() -> Chunk {
        Chunk {
            buffer: Vec::new(),
            map: None,
            start: 0,
            end: 0,
            joined: 0,
            joined_parts: Vec::new(),
            origin: BlockOrigins::default(),
            stored: Stored::default(),
        }
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        if let Some(map) = &self.map {
            return &map.bytes()[self.start..self.end];
        }
        &self.buffer[self.start..self.end]
    }

    /// The virtual offset of byte `at` of the chunk, which may also be its end; `None` if the
    /// bytes don't come from BGZF blocks or `at` lies in what was carried over from the chunk
    /// before. The end of a block's data counts as the start of what follows, as in htslib.
    pub fn virtual_offset(&self, at: usize) -> Option<VirtualOffset> {
        let own = at.checked_sub(self.joined)?;
        let BlockOrigins { blocks, after, len, .. } = &self.origin;
        if blocks.is_empty() || own > *len {
            return None;
        }
        let index = blocks.partition_point(|(_, start)| *start < own);
        Some(match blocks.get(index) {
            Some((file_offset, start)) if *start == own => VirtualOffset::new(*file_offset, 0),
            None if own == *len => VirtualOffset::new(*after, 0),
            _ => {
                let (file_offset, start) = blocks[index.checked_sub(1)?];
                VirtualOffset::new(file_offset, u16::try_from(own - start).ok()?)
            }
        })
    }

    /// The BGZF blocks whose data are in this chunk. Nothing if the bytes come from something else.
    pub fn blocks(&self) -> impl Iterator<Item = BlockData> + '_ {
        let BlockOrigins { blocks, len, .. } = &self.origin;
        let ends = blocks.iter().skip(1).map(|(_, start)| *start).chain([*len]);
        blocks.iter().zip(ends).map(|((file_offset, start), end)| BlockData {
            file_offset: *file_offset,
            len: end - start,
        })
    }

    /// Which parts of blocks the bytes of `range` are, in their order. Nothing if they come from something else.
    pub(crate) fn block_parts(&self, range: Range<usize>) -> impl Iterator<Item = BlockPart> + '_ {
        let carried = self.joined_parts.iter().scan(0, |end, part| {
            *end += part.len;
            Some((*end - part.len, *part))
        });
        let own = self.blocks().scan(self.joined, |end, BlockData { file_offset, len }| {
            *end += len;
            Some((*end - len, BlockPart { file_offset, from: 0, len, of: len }))
        });
        carried.chain(own).filter_map(move |(start, part)| {
            let from = range.start.max(start);
            let to = range.end.min(start + part.len);
            let within = || BlockPart { from: part.from + from - start, len: to - from, ..part };
            (from < to).then(within)
        })
    }

    /// The bytes of a block whose end is in this chunk, or whose start is, as stored.
    pub(crate) fn stored_block(&self, file_offset: u64) -> Option<&[u8]> {
        self.stored_at(self.block_index(file_offset)?)
    }

    /// A block whose data are all in this chunk: as stored, its data, and the map of its stream, if it was made.
    pub(crate) fn mapped_block(&self, file_offset: u64) -> Option<(&[u8], &[u8], &StreamMap)> {
        let index = self.block_index(file_offset)?;
        let BlockOrigins { blocks, len, .. } = &self.origin;
        let start = blocks[index].1;
        let end = blocks.get(index + 1).map_or(*len, |next| next.1);
        let data = self.bytes().get(self.joined + start..self.joined + end)?;
        let map = self.stored.streams[..self.stored.mapped].get(index)?;
        Some((self.stored_at(index)?, data, map))
    }

    fn block_index(&self, file_offset: u64) -> Option<usize> {
        self.origin.blocks.binary_search_by_key(&file_offset, |(at, _)| *at).ok()
    }

    fn stored_at(&self, index: usize) -> Option<&[u8]> {
        let (start, len) = self.origin.places[index];
        self.stored.bytes().get(start..start + len)
    }

    /// What keeps the blocks as stored, to be exchanged.
    pub(super) fn stored_mut(&mut self) -> &mut Stored {
        &mut self.stored
    }

    /// The chunk's own bytes are the data of `blocks`.
    pub(crate) fn set_origin(&mut self, blocks: &[Block]) {
        let origin = &mut self.origin;
        origin.blocks.clear();
        origin.places.clear();
        origin.len = 0;
        self.joined = 0;
        self.joined_parts.clear();
        for block in blocks {
            origin.blocks.push((block.file_offset, origin.len));
            origin.places.push((block.start, block.header.block_len));
            origin.len += block.inflated_len;
            origin.after = block.file_offset + block.header.block_len as u64;
        }
    }

    /// Empties the chunk and returns room for `len` bytes; [`filled`](Self::filled) says how
    /// many were used.
    pub(crate) fn room(&mut self, len: usize) -> &mut [u8] {
        self.leave_map();
        let wanted = HEADROOM + len;
        if self.buffer.len() < wanted {
            // Nothing in it is needed; and what is new zeros, not written ones, costs no memory until data come.
            self.buffer = Vec::new();
            self.buffer = vec![0; wanted];
        } else if self.buffer.len() > 4 * wanted {
            // A giant record passed through this buffer; don't keep its memory.
            self.buffer.truncate(wanted);
            self.buffer.shrink_to_fit();
        }
        self.start = HEADROOM;
        self.end = HEADROOM;
        &mut self.buffer[HEADROOM..wanted]
    }

    /// `n` bytes of the [`room`](Self::room) hold data.
    pub(crate) fn filled(&mut self, n: usize) {
        self.end = self.start + n;
    }

    fn leave_map(&mut self) {
        self.map = None;
    }

    pub(crate) fn set_mapped(&mut self, map: &Arc<Map>, range: Range<usize>) {
        self.map = Some(Arc::clone(map));
        self.start = range.start;
        self.end = range.end;
    }

    /// Where in which map the bytes are, if they are in one.
    pub(crate) fn mapped(&self) -> Option<(Arc<Map>, Range<usize>)> {
        self.map.as_ref().map(|map| (Arc::clone(map), self.start..self.end))
    }

    /// Touches what a map would otherwise bring in page by page.
    pub(crate) fn populate(&self) {
        if let Some(map) = &self.map
            && map.advice().populate
        {
            map.populate(self.start..self.end);
        }
    }

    /// Puts the carried bytes in front. Costs a copy of the carry; when it is longer than the
    /// room kept for it, the chunk is appended to it instead, so that a record of any length
    /// is moved a bounded number of times.
    pub fn join(&mut self, carry: &mut Carry) {
        self.joined = carry.len();
        std::mem::swap(&mut self.joined_parts, &mut carry.parts);
        carry.parts.clear();
        self.start -= carry.mapped;
        carry.mapped = 0;
        let len = carry.bytes.len();
        if len == 0 {
            return;
        }
        if len <= self.start {
            self.buffer[self.start - len..self.start].copy_from_slice(&carry.bytes);
            self.start -= len;
            carry.bytes.clear();
        } else {
            let mut whole = std::mem::take(&mut carry.bytes);
            whole.extend_from_slice(self.bytes());
            self.leave_map();
            self.start = 0;
            self.end = whole.len();
            self.buffer = whole;
        }
    }

    /// Cuts the bytes from `at` on off this chunk and into `carry`, which must be empty.
    pub fn cut(&mut self, at: usize, carry: &mut Carry) {
        debug_assert!(carry.is_empty());
        carry.parts.clear();
        if !self.origin.blocks.is_empty() {
            carry.parts.extend(self.block_parts(at..self.bytes().len()));
        }
        let from = self.start + at;
        if self.map.is_some() {
            carry.mapped = self.end - from;
            self.end = from;
            return;
        }
        if at == 0 && self.start == 0 && self.end > HEADROOM {
            // Nothing of a long chunk was used: hand the buffer on instead of copying it.
            self.buffer.truncate(self.end);
            carry.bytes = std::mem::take(&mut self.buffer);
        } else {
            carry.bytes.extend_from_slice(&self.buffer[from..self.end]);
        }
        self.end = from;
    }
}
