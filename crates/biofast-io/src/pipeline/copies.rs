//! What of a text are data of the input's blocks, for outputs that copy blocks.

use std::ops::Range;
use std::sync::Arc;

use super::chunk::Chunk;
use crate::output::{BlockReuse, BlockSource, BlockSplicer, LEAST, Piece, can_be_copied};

/// Which bytes of an output's text are whole records of the input as they were, or as long, so that BGZF blocks made of such bytes
/// alone can be copied, or changed; see [`Output::copying`](crate::output::Output::copying).
#[doc(hidden)]
#[derive(Default)]
pub struct Copies {
    wanted: bool,
    /// Changes blocks as they are stored.
    splicer: Option<Box<BlockSplicer>>,
    /// Records that lie one behind the other in the text and in the chunk: where in the text, and where in the chunk.
    run: Option<(usize, Range<usize>)>,
    pub(super) pieces: Vec<Piece>,
    /// How many of them are of chunks before.
    closed: usize,
}

impl Copies {
    pub(super) fn new(reuse: BlockReuse) -> Copies {
        let splicer = (reuse == BlockReuse::Splice).then(|| Box::new(BlockSplicer::new()));
        Copies { wanted: reuse != BlockReuse::Never, splicer, ..Copies::default() }
    }

    /// Whether the output copies blocks at all.
    #[inline]
    pub fn wanted(&self) -> bool {
        self.wanted
    }

    /// The text has, from `at` on, the record that is `bytes` of the chunk, or one of the same length.
    #[inline]
    pub fn push(&mut self, at: usize, bytes: Range<usize>, chunk: &Chunk) {
        let is_short = bytes.len() < LEAST;
        if let Some((start, run)) = &mut self.run
            && is_short
            && run.end == bytes.start
            && *start + run.len() == at
        {
            run.end = bytes.end;
            return;
        }
        self.finish_run(chunk);
        match is_short {
            true => self.run = Some((at, bytes)),
            false => self.add(at, bytes, true, chunk),
        }
    }

    /// No more comes from this chunk. `text` is what was made of it, and of those before.
    pub fn close(&mut self, chunk: &Chunk, text: &[u8]) {
        self.finish_run(chunk);
        if let Some(splicer) = &mut self.splicer {
            for piece in self.pieces.iter_mut().skip(self.closed).filter(|piece| piece.is_whole()) {
                // Now, as the old data are still here, and so is the map of the stream.
                let Some((stored, old, map)) = chunk.mapped_block(piece.file_offset) else {
                    continue;
                };
                let new = text.get(piece.at..piece.at + piece.len);
                if let (Some(new), true) = (new, can_be_copied(stored)) {
                    piece.source = Some(splicer.reuse(stored, map, old, new));
                }
            }
        }
        self.closed = self.pieces.len();
        if let Some(last) = self.pieces.last_mut().filter(|last| last.source.is_none()) {
            // The rest of the block may be with the next chunk.
            keep(last, chunk);
        }
    }

    pub(super) fn clear(&mut self) {
        self.run = None;
        self.pieces.clear();
        self.closed = 0;
    }

    fn finish_run(&mut self, chunk: &Chunk) {
        if let Some((at, bytes)) = self.run.take() {
            self.add(at, bytes, false, chunk);
        }
    }

    fn add(&mut self, mut at: usize, bytes: Range<usize>, one_record: bool, chunk: &Chunk) {
        if chunk.block_parts(bytes.clone()).map(|part| part.len).sum::<usize>() != bytes.len() {
            return;
        }
        let end = at + bytes.len();
        for part in chunk.block_parts(bytes) {
            let piece = Piece {
                at,
                file_offset: part.file_offset,
                from: part.from,
                len: part.len,
                of: part.of,
                source: None,
            };
            at += part.len;
            // A block that a record goes on behind may have come with an earlier chunk than the record, or not: it is never
            // copied.
            if part.of < LEAST || (one_record && piece.is_whole() && at < end) {
                continue;
            }
            match self.pieces.last_mut().filter(|last| last.goes_on(&piece)) {
                Some(last) => last.len += piece.len,
                None => self.pieces.push(piece),
            }
            let spliced = self.splicer.is_some() && chunk.mapped_block(part.file_offset).is_some();
            if let Some(last) = self.pieces.last_mut().filter(|last| last.is_whole() && !spliced) {
                keep(last, chunk);
            }
        }
    }
}

/// Keeps the block of a piece that has its start.
fn keep(piece: &mut Piece, chunk: &Chunk) {
    if piece.from == 0 && piece.source.is_none() {
        let stored = chunk.stored_block(piece.file_offset).filter(|stored| can_be_copied(stored));
        piece.source = stored.map(|stored| BlockSource::Stored(Arc::from(stored)));
    }
}
