//! Parts of a BGZF file, or of anything else that can seek, as a BGZF stream of their own, for queries with an index.
//!
//! The blocks inside a part are copied as they are stored. Where a part starts or ends inside a block,
//! that block is inflated and checked, and its part goes out as a stored block. So whatever reads
//! the stream checks every checksum, inflates on all threads and needs no more memory than for a
//! whole file. Faults are found in the stream: [`Places`] says where in the file that is.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::bgzf::{self, Block, EOF_BLOCK, Inflater, MAX_INFLATED, Parsed, VirtualOffset};
use crate::error::{Error, ErrorKind, Location};
pub use crate::input::Places;
use crate::input::Source;

/// The most bytes a block can have.
const LONGEST_BLOCK: usize = 65_536;

/// Bytes read from the file at once: little, as a query may end anywhere.
const READ_SIZE: usize = 128 << 10;

/// A part of the data: from one virtual offset to another, which is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// Where it starts.
    pub start: VirtualOffset,
    /// Where it ends; [`VirtualOffset::MAX`] is the end of the file.
    pub end: VirtualOffset,
}

/// A spliced stream.
pub struct Spliced {
    /// The stream.
    pub source: Source,
    /// Where its blocks are in the file.
    pub places: Places,
    /// Whether the file ends with the end-of-file block. The stream does if the file does.
    pub has_eof_block: bool,
}

/// A source of the given segments of `file`, in the order given, under the label `name`.
///
/// A file without the end-of-file block is noticed as always: the stream then has none either.
///
/// # Errors
/// If the end of the file can't be read.
pub fn splice(
    file: impl Read + Seek + Send + 'static,
    name: &str,
    segments: Vec<Segment>,
) -> Result<Spliced, Error> {
    splice_ending(file, name, segments, false)
}

/// The same with the end-of-file block whatever the file has, where the segments are a part that ends before the file does: it says
/// nothing about the file's end.
pub(super) fn splice_part(
    file: impl Read + Seek + Send + 'static,
    name: &str,
    segments: Vec<Segment>,
) -> Result<Spliced, Error> {
    let ends_inside = segments.last().is_some_and(|last| last.end != VirtualOffset::MAX);
    splice_ending(file, name, segments, ends_inside)
}

fn splice_ending(
    mut file: impl Read + Seek + Send + 'static,
    name: &str,
    segments: Vec<Segment>,
    with_end: bool,
) -> Result<Spliced, Error> {
    let name: Arc<str> = name.into();
    let mut prepare = || -> io::Result<(u64, bool)> {
        let len = file.seek(SeekFrom::End(0))?;
        let mut end = [0; EOF_BLOCK.len()];
        let has_eof = len >= end.len() as u64 && {
            file.seek(SeekFrom::End(-(end.len() as i64)))?;
            file.read_exact(&mut end)?;
            end == EOF_BLOCK
        };
        Ok((len, has_eof))
    };
    let (len, has_eof) = prepare().map_err(|e| Error::io(e, &name))?;
    let places = Places::default();
    let splice = Splice {
        file,
        name: Arc::clone(&name),
        len,
        segments: segments.into_iter(),
        step: SpliceStep::NextSegment,
        has_eof: has_eof || with_end,
        ready: Vec::new(),
        taken: 0,
        copy: 0..0,
        emitted: 0,
        places: places.clone(),
        block: Vec::new(),
        inflated: Vec::new(),
        held: None,
        inflater: Inflater::new(),
    };
    Ok(Spliced { source: Source::from_reader(&name, splice), places, has_eof_block: has_eof })
}

struct Splice<R> {
    file: R,
    name: Arc<str>,
    len: u64,
    segments: std::vec::IntoIter<Segment>,
    step: SpliceStep,
    /// Whether the end-of-file block is still to be written.
    has_eof: bool,
    /// Bytes made here, and how many of them have been taken.
    ready: Vec<u8>,
    taken: usize,
    /// The range of the file that comes after them.
    copy: std::ops::Range<u64>,
    /// Bytes of the stream so far, `ready` and `copy` included.
    emitted: u64,
    places: Places,
    /// The stored bytes of the block looked at.
    block: Vec<u8>,
    /// The data of the block inflated last, and the offsets of that block and of the next one: where references are short, many parts
    /// follow each other in a block.
    inflated: Vec<u8>,
    held: Option<(u64, u64)>,
    inflater: Inflater,
}

enum SpliceStep {
    NextSegment,
    /// The last block of a segment, of which the first bytes belong to it.
    LastBlock(VirtualOffset),
    End,
}

impl<R: Read + Seek> Read for Splice<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let ready = &self.ready[self.taken..];
            if !ready.is_empty() {
                let n = ready.len().min(out.len());
                out[..n].copy_from_slice(&ready[..n]);
                self.taken += n;
                return Ok(n);
            }
            if !self.copy.is_empty() {
                let left = self.copy.end - self.copy.start;
                let most = out.len().min(READ_SIZE);
                let room = usize::try_from(left).map_or(most, |n| n.min(most));
                self.file.seek(SeekFrom::Start(self.copy.start))?;
                let n = self.file.read(&mut out[..room])?;
                if n == 0 && room > 0 {
                    return Err(
                        Error::new(ErrorKind::Shrunk, Location::in_input(&self.name)).into()
                    );
                }
                self.copy.start += n as u64;
                return Ok(n);
            }
            self.ready.clear();
            self.taken = 0;
            match self.step {
                SpliceStep::NextSegment => match self.segments.next() {
                    Some(segment) => self.start_segment(segment)?,
                    None => {
                        if self.has_eof {
                            let at = self.len.saturating_sub(EOF_BLOCK.len() as u64);
                            self.mark(at);
                            self.ready.extend_from_slice(&EOF_BLOCK);
                            self.emitted += EOF_BLOCK.len() as u64;
                        }
                        self.step = SpliceStep::End;
                    }
                },
                SpliceStep::LastBlock(end) => {
                    self.step = SpliceStep::NextSegment;
                    self.trim(end.compressed(), 0, Some(end.within()))?;
                }
                SpliceStep::End => return Ok(0),
            }
        }
    }
}

impl<R: Read + Seek> Splice<R> {
    /// What comes next in the stream is at `in_file` in the file.
    fn mark(&self, in_file: u64) {
        self.places.add(self.emitted, in_file);
    }

    /// A fault in the block at the offset `at`, as a reader of the stream would report it.
    fn fault(&self, at: u64, kind: ErrorKind) -> io::Error {
        self.mark(at);
        let at = Location { block: Some(self.emitted), ..Location::in_input(&self.name) };
        Error::new(kind, at).into()
    }

    fn start_segment(&mut self, Segment { start, end }: Segment) -> io::Result<()> {
        if start >= end {
            return Ok(());
        }
        let to_end = end == VirtualOffset::MAX;
        if !to_end && start.compressed() == end.compressed() {
            self.trim(start.compressed(), start.within(), Some(end.within()))?;
            return Ok(());
        }
        let copy_from = if start.within() > 0 {
            self.trim(start.compressed(), start.within(), None)?
        } else {
            let at = start.compressed();
            if at < self.len {
                self.read_block(at)?;
            }
            at
        };
        let copy_to = if to_end { self.len } else { end.compressed() };
        if copy_from > copy_to || copy_to > self.len {
            let kind = ErrorKind::IndexMismatch("a part of the data ends outside of it");
            return Err(self.fault(copy_from, kind));
        }
        self.mark(copy_from);
        self.copy = copy_from..copy_to;
        self.emitted += copy_to - copy_from;
        if to_end {
            // The end-of-file block is copied with the rest, unless that is empty.
            self.has_eof &= copy_from == copy_to;
        } else if end.within() > 0 {
            self.step = SpliceStep::LastBlock(end);
        }
        Ok(())
    }

    /// Reads the block at `at` and returns it; its bytes are in `self.block`.
    fn read_block(&mut self, at: u64) -> io::Result<Block> {
        if at >= self.len {
            let kind = ErrorKind::IndexMismatch("it points past the end of the file");
            return Err(self.fault(at, kind));
        }
        self.file.seek(SeekFrom::Start(at))?;
        self.block.resize(LONGEST_BLOCK, 0);
        let mut len = 0;
        while len < LONGEST_BLOCK {
            match self.file.read(&mut self.block[len..]) {
                Ok(0) => break,
                Ok(n) => len += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        self.block.truncate(len);
        match bgzf::parse_header(&self.block) {
            Parsed::Block(header) if header.block_len <= self.block.len() => {
                Block::new(&self.block, 0, header, at)
                    .map_err(|why| self.fault(at, ErrorKind::BadBlock(why)))
            }
            Parsed::Block(_) | Parsed::NeedMore(_) => {
                Err(self.fault(at, ErrorKind::Truncated("a BGZF block")))
            }
            Parsed::Invalid(why) => Err(self.fault(at, ErrorKind::BadBlock(why))),
            Parsed::OtherGzip | Parsed::NotGzip => {
                let kind =
                    ErrorKind::IndexMismatch("it points to a position where no BGZF block starts");
                Err(self.fault(at, kind))
            }
        }
    }

    /// Puts the given part of the block at `at` into `ready`, as stored blocks; returns the
    /// offset of the block after it.
    fn trim(&mut self, at: u64, from: u16, to: Option<u16>) -> io::Result<u64> {
        let next = self.inflate(at)?;
        let to = to.map_or(self.inflated.len(), usize::from);
        let Some(part) = self.inflated.get(usize::from(from)..to) else {
            let kind = ErrorKind::IndexMismatch("it points past the end of a block's data");
            return Err(self.fault(at, kind));
        };
        self.mark(at);
        bgzf::store(part, &mut self.ready);
        self.emitted += self.ready.len() as u64;
        Ok(next)
    }

    /// Puts the data of the block at `at` into `inflated`, unless they are there; returns the offset of the block after it.
    fn inflate(&mut self, at: u64) -> io::Result<u64> {
        if let Some((held, next)) = self.held
            && held == at
        {
            return Ok(next);
        }
        self.held = None;
        let block = self.read_block(at)?;
        self.inflated.resize(MAX_INFLATED, 0);
        self.inflated.truncate(block.inflated_len);
        self.inflater
            .inflate(&self.block, &[block], &mut self.inflated)
            .map_err(|fault| self.fault(at, fault.error.into()))?;
        let next = at + block.header.block_len as u64;
        self.held = Some((at, next));
        Ok(next)
    }
}
