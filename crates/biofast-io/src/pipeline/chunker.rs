//! Cuts an input into chunks: groups of BGZF blocks, ranges of text, or decoded bytes of a stream.
//! [`Chunker::pull`] is the serial part (kept short), [`ChunkBuffer::prepare`] the parallel one.

use std::ops::Range;
use std::sync::Arc;

use super::chunk::Chunk;
use crate::container::bgzf::{self, Block, GroupFault, Inflater, Parsed};
use crate::container::foreign;
use crate::container::gzip;
use crate::container::trial::DecoderTrial;
use crate::error::{Error, ErrorKind, Location};
use crate::input::{
    CancellationToken, Container, Map, Notes, Options, Places, SerialPart, Source, StoredBytes,
    Warning, Witness,
};

/// Takes chunks from the front of an input.
pub(crate) struct Chunker {
    input: Box<StoredBytes>,
    mode: Mode,
    name: Arc<str>,
    witness: Witness,
    container: Container,
    /// Whether nothing has been taken.
    at_start: bool,
    /// Which decoder inflates its blocks.
    trial: Arc<DecoderTrial>,
    /// Set when the last chunk has been taken.
    ended: bool,
    /// Whether the BGZF block taken last was the end-of-file block.
    eof_block_seen: bool,
    /// Where the blocks of a part are in its file.
    places: Option<Places>,
}

enum Mode {
    Plain,
    Bgzf,
    Gzip(gzip::GzipDecoder),
    Foreign(foreign::ForeignDecoder),
}

/// The buffers a worker has for one chunk, used again for the next one: its bytes as stored and decompressed.
pub(crate) struct ChunkBuffer {
    /// Compressed blocks, unless they lie in the map.
    raw: Vec<u8>,
    raw_in_map: Option<Range<usize>>,
    blocks: Vec<Block>,
    /// Of all workers of the input: what inflates them.
    trial: Option<Arc<DecoderTrial>>,
    /// The container of an input whose start this is; otherwise plain.
    outer: Container,
    /// What has been inflated but for its references to what is before it.
    part: Option<gzip::Unresolved>,
    /// The decompressed bytes.
    pub(crate) chunk: Chunk,
    /// What is wrong right after these bytes.
    pub(crate) fault: Option<Error>,
    /// Whether the data end after these bytes.
    pub(crate) last: bool,
    /// What to warn about, once these bytes have turned out to be good.
    pub(crate) warning: Option<Warning>,
    name: Arc<str>,
    places: Option<Places>,
    witness: Witness,
    map: Option<Arc<Map>>,
    /// A part of the map that nobody needs any more, to let go of.
    behind: Option<(Arc<Map>, Range<usize>)>,
}

impl Chunker {
    pub(crate) fn new(source: Source, options: &Options) -> Result<Chunker, Error> {
        let places = source.places.clone();
        let mut input = StoredBytes::new(source, options)?;
        let name = Arc::clone(&input.name);
        let witness = input.witness();
        // Enough for a gzip header with any extra field; a pipe gives what it has first.
        let mut want = 18;
        let container = loop {
            let start = input.fill(want)?;
            match bgzf::parse_header(start) {
                Parsed::NeedMore(more) if start.len() >= want && more > want => want = more,
                _ => break Container::sniff(start),
            }
        };
        if let Some(notes) = &options.notes {
            notes.opened(container, input.is_mapped());
        }
        let mode = match container {
            Container::Plain => Mode::Plain,
            Container::Bgzf => Mode::Bgzf,
            Container::Gzip => Mode::Gzip(match input.points() {
                Some(points) => gzip::GzipDecoder::new().noting(Arc::clone(points)),
                None => gzip::GzipDecoder::new(),
            }),
            Container::Zstd | Container::Bzip2 | Container::Xz => {
                Mode::Foreign(foreign::ForeignDecoder::new(container, &input)?)
            }
        };
        let input = Box::new(input);
        Ok(Chunker {
            input,
            mode,
            name,
            witness,
            container,
            at_start: true,
            trial: Arc::default(),
            ended: false,
            eof_block_seen: false,
            places,
        })
    }

    pub(crate) fn container(&self) -> Container {
        self.container
    }

    /// Whether getting the bytes is serial work, so that it deserves a thread of its own.
    pub(crate) fn is_stream(&self) -> bool {
        match &self.mode {
            Mode::Plain => self.input.is_derived(),
            Mode::Bgzf => false,
            Mode::Gzip(_) | Mode::Foreign(_) => true,
        }
    }

    /// Lets all threads of a pipeline do what otherwise is serial work, if that pays. Before anything is taken.
    pub(crate) fn share(&mut self, threads: usize) -> bool {
        match &mut self.mode {
            Mode::Gzip(decoder) => decoder.share(&self.input, threads),
            _ => false,
        }
    }

    /// What threads with nothing to do can work at.
    pub(crate) fn tasks(&self) -> Option<Arc<gzip::TaskQueue>> {
        match &self.mode {
            Mode::Gzip(decoder) => decoder.tasks().cloned(),
            _ => None,
        }
    }

    /// What the next chunk has to wait for.
    pub(crate) fn pending(&self) -> Option<gzip::PendingTask> {
        match &self.mode {
            Mode::Gzip(decoder) if !self.ended => decoder.pending(),
            _ => None,
        }
    }

    /// Takes the next chunk; `false` when there is none. The last chunk, possibly empty, has
    /// `last` or `fault` set.
    pub(crate) fn pull(&mut self, buffer: &mut ChunkBuffer) -> bool {
        if self.ended {
            return false;
        }
        let notes = self.input.options().notes.clone();
        Notes::time(notes.as_deref(), SerialPart::Taking, || self.pull_next(buffer))
    }

    fn pull_next(&mut self, buffer: &mut ChunkBuffer) -> bool {
        buffer.reset(&self.name, &self.witness);
        buffer.places.clone_from(&self.places);
        if std::mem::take(&mut self.at_start) {
            buffer.outer = self.container;
        }
        let input = &mut *self.input;
        let is_cancelled = |token: &CancellationToken| token.is_cancelled();
        let result = match &mut self.mode {
            _ if input.options().cancellation.as_ref().is_some_and(is_cancelled) => {
                Err(Error::new(ErrorKind::Cancelled, Location::in_input(&self.name)))
            }
            Mode::Plain => pull_plain(input, buffer),
            Mode::Bgzf => {
                buffer.trial = Some(Arc::clone(&self.trial));
                let decoder = self.trial.preferred();
                if let Some(notes) = &input.options().notes {
                    notes.inflates_by(decoder);
                }
                pull_bgzf(input, buffer, decoder.lanes(), &mut self.eof_block_seen)
            }
            Mode::Gzip(decoder) => pull_gzip(decoder, input, buffer),
            Mode::Foreign(decoder) => {
                let room = buffer.chunk.room(input.options().chunk_size);
                let wanted = room.len();
                let result = decoder.read_full(input, room);
                buffer.take(result, wanted)
            }
        };
        match result {
            Ok(Next::More) => {}
            Ok(Next::Last) => buffer.last = true,
            Ok(Next::OtherThanBlocks) => {
                // What may follow BGZF is what may follow any gzip member.
                let at = input.position();
                if input.fill(2).is_ok_and(|start| start.starts_with(&[0x1f, 0x8b])) {
                    buffer.warning = Some(Warning::GzipAfterBlocks(at));
                }
                self.mode = Mode::Gzip(gzip::GzipDecoder::continued());
            }
            Err(error) => buffer.fault = Some(error),
        }
        if let Some(behind) = self.input.take_behind()
            && !matches!(self.mode, Mode::Plain)
        {
            buffer.behind = Some(behind);
        }
        self.ended = buffer.last || buffer.fault.is_some();
        if self.ended
            && let Err(error) = self.witness.check_intact()
        {
            // Whatever else was found was found in bytes that aren't the file's.
            buffer.fault = Some(error);
        }
        true
    }

    /// What can say later whether the file was cut under the map.
    pub(crate) fn witness(&self) -> Witness {
        self.witness.clone()
    }
}

/// What follows a chunk.
enum Next {
    More,
    Last,
    /// Bytes that don't start a BGZF block.
    OtherThanBlocks,
}

/// Mapped text is used where it lies, so it pays to take more of it at a time: up to so many chunks …
const MAPPED_CHUNKS: usize = 4;
/// … as long as each worker gets so many of them that all end at about the same time.
const MAPPED_SHARE: usize = 64;

/// How much mapped text is taken at a time.
fn mapped_len(map_len: usize, options: &Options) -> usize {
    let chunk_size = options.chunk_size;
    let most = chunk_size.saturating_mul(MAPPED_CHUNKS).min(Options::MAX_CHUNK_SIZE);
    let share = map_len / MAPPED_SHARE.saturating_mul(options.threads.max(1));
    share.clamp(chunk_size, most.max(chunk_size))
}

/// The system maps so many bytes around one that is touched.
const FAULT_AROUND: usize = 64 << 10;

fn pull_plain(input: &mut StoredBytes, buffer: &mut ChunkBuffer) -> Result<Next, Error> {
    let chunk_size = input.options().chunk_size;
    if let Some(map) = input.map() {
        let map = Arc::clone(map);
        let start = input.position() as usize;
        let len = mapped_len(map.bytes().len(), input.options());
        let end = map.bytes().len().min(start + len);
        buffer.chunk.set_mapped(&map, start..end);
        input.consume(end - start);
        return Ok(if end == map.bytes().len() { Next::Last } else { Next::More });
    }
    let room = buffer.chunk.room(chunk_size);
    let wanted = room.len();
    let result = input.read_full(room);
    buffer.take(result, wanted)
}

fn pull_gzip(
    decoder: &mut gzip::GzipDecoder,
    input: &mut StoredBytes,
    buffer: &mut ChunkBuffer,
) -> Result<Next, Error> {
    let chunk_size = input.options().chunk_size;
    loop {
        buffer.part = decoder.next_chunk(input, chunk_size);
        if buffer.part.is_some() {
            return Ok(Next::More);
        }
        let (n, fault) = decoder.read(input, buffer.chunk.room(chunk_size));
        buffer.chunk.filled(n);
        match fault {
            Some(error) => return Err(error),
            None if decoder.has_ended() => return Ok(Next::Last),
            None if n > 0 => return Ok(Next::More),
            None => {}
        }
    }
}

fn pull_bgzf(
    input: &mut StoredBytes,
    buffer: &mut ChunkBuffer,
    lanes: usize,
    eof_block_seen: &mut bool,
) -> Result<Next, Error> {
    let chunk_size = input.options().chunk_size;
    let mut taken = 0;
    let mut inflated = 0;
    let next = loop {
        let (block, is_eof) = match next_block(input, taken) {
            Ok(ChunkStep::Block(block, is_eof)) => (block, is_eof),
            Ok(ChunkStep::End) => break Ok(Next::Last),
            Ok(ChunkStep::NoBlock) => break Ok(Next::OtherThanBlocks),
            Err(error) => break Err(error),
        };
        let end = taken + block.header.block_len;
        // A file of empty blocks would otherwise be taken whole.
        if taken > 0 && (inflated + block.inflated_len > chunk_size || end > 2 * chunk_size) {
            break Ok(Next::More);
        }
        *eof_block_seen = is_eof;
        inflated += block.inflated_len;
        buffer.blocks.push(block);
        taken = end;
    };
    // A last block on its own takes nearly as long as one in each lane.
    if matches!(next, Ok(Next::More)) && buffer.blocks.len() > lanes {
        let whole = buffer.blocks.len() - buffer.blocks.len() % lanes;
        taken -= buffer.blocks.drain(whole..).map(|block| block.header.block_len).sum::<usize>();
    }
    buffer.keep_raw(input, taken)?;
    if matches!(next, Ok(Next::Last)) && !*eof_block_seen {
        if input.options().strict {
            let at = Location::in_input(&input.name);
            return Err(Error::new(ErrorKind::MissingEofBlock, at));
        }
        buffer.warning = Some(Warning::MissingEofBlock);
    }
    next
}

/// What is at some offset of the input.
enum ChunkStep {
    /// A block, and whether it is the end-of-file block, byte for byte.
    Block(Block, bool),
    NoBlock,
    End,
}

fn next_block(input: &mut StoredBytes, at: usize) -> Result<ChunkStep, Error> {
    let file_offset = input.position() + at as u64;
    let name = Arc::clone(&input.name);
    let fault =
        |kind| Error::new(kind, Location { block: Some(file_offset), ..Location::in_input(&name) });
    let mut want = 18;
    loop {
        let bytes = &input.fill(at + want)?[at..];
        if bytes.is_empty() {
            return Ok(ChunkStep::End);
        }
        match bgzf::parse_header(bytes) {
            Parsed::Block(header) => {
                let bytes = input.fill(at + header.block_len)?;
                if bytes.len() < at + header.block_len {
                    return Err(fault(ErrorKind::Truncated("a BGZF block")));
                }
                let is_eof = bytes[at..at + header.block_len] == bgzf::EOF_BLOCK;
                return Block::new(bytes, at, header, file_offset)
                    .map(|block| ChunkStep::Block(block, is_eof))
                    .map_err(|why| fault(ErrorKind::BadBlock(why)));
            }
            Parsed::NeedMore(more) if bytes.len() >= want && more > want => want = more,
            Parsed::NeedMore(_) => {
                return Err(fault(ErrorKind::Truncated("a BGZF block header")));
            }
            Parsed::OtherGzip | Parsed::NotGzip => return Ok(ChunkStep::NoBlock),
            Parsed::Invalid(why) => return Err(fault(ErrorKind::BadBlock(why))),
        }
    }
}

impl ChunkBuffer {
    pub(crate) fn new() -> ChunkBuffer {
        ChunkBuffer {
            raw: Vec::new(),
            raw_in_map: None,
            blocks: Vec::new(),
            trial: None,
            outer: Container::Plain,
            part: None,
            chunk: Chunk::new(),
            fault: None,
            last: false,
            warning: None,
            name: "".into(),
            places: None,
            witness: Witness::default(),
            map: None,
            behind: None,
        }
    }

    fn reset(&mut self, name: &Arc<str>, witness: &Witness) {
        self.name = Arc::clone(name);
        self.witness = witness.clone();
        self.raw_in_map = None;
        self.blocks.clear();
        self.part = None;
        // Text in a map is let go of by who has used it: others may be far ahead by then, and what was let go of before would
        // have come back to stay.
        self.behind = self.chunk.mapped().map(|(map, used)| {
            let start = used.start.saturating_sub(FAULT_AROUND);
            (map, start..used.end)
        });
        self.chunk.filled(0);
        self.fault = None;
        self.last = false;
        self.warning = None;
    }

    /// Books the result of filling the chunk: the bytes, and what ended them.
    fn take(&mut self, result: (usize, Option<Error>), wanted: usize) -> Result<Next, Error> {
        let (n, fault) = result;
        self.chunk.filled(n);
        match fault {
            Some(error) => Err(error),
            None if n < wanted => Ok(Next::Last),
            None => Ok(Next::More),
        }
    }

    /// Keeps the first `len` bytes of the input for [`prepare`](Self::prepare).
    fn keep_raw(&mut self, input: &mut StoredBytes, len: usize) -> Result<(), Error> {
        if let Some(map) = input.map() {
            self.map = Some(Arc::clone(map));
            let start = input.position() as usize;
            self.raw_in_map = Some(start..start + len);
            input.consume(len);
            return Ok(());
        }
        self.raw.clear();
        self.raw.extend_from_slice(&input.fill(len)?[..len]);
        input.consume(len);
        Ok(())
    }

    /// The part that needs no order: inflates the blocks, or brings mapped text in.
    pub(crate) fn prepare(&mut self, inflater: &mut Inflater) {
        self.inflate(inflater);
        let outer = std::mem::replace(&mut self.outer, Container::Plain);
        if outer != Container::Plain {
            let inner = Container::sniff(self.chunk.bytes());
            if inner != Container::Plain {
                self.chunk.filled(0);
                let kind = ErrorKind::Nested { outer: outer.name(), inner: inner.name() };
                self.fault = Some(Error::new(kind, Location::in_input(&self.name)));
            }
        }
    }

    fn inflate(&mut self, inflater: &mut Inflater) {
        if let Some((map, behind)) = self.behind.take() {
            map.release(behind);
        }
        self.chunk.set_origin(&self.blocks);
        if let Some(part) = self.part.take() {
            let len = part.len();
            part.resolve(&mut self.chunk.room(len)[..len]);
            self.chunk.filled(len);
            return;
        }
        if self.blocks.is_empty() {
            self.chunk.populate();
            return;
        }
        let total = self.blocks.iter().map(|b| b.inflated_len).sum();
        let group: &[u8] = match &self.raw_in_map {
            Some(range) => match &self.map {
                Some(map) => {
                    if map.advice().populate_blocks {
                        map.populate(range.clone());
                    }
                    &map.bytes()[range.clone()]
                }
                None => &[],
            },
            _ => &self.raw,
        };
        if let Some(trial) = &self.trial {
            inflater.share(trial);
        }
        let mut streams = std::mem::take(&mut self.chunk.stored_mut().streams);
        let room = &mut self.chunk.room(total)[..total];
        let inflated = match inflater.maps() {
            true => inflater.inflate_mapped(group, &self.blocks, room, &mut streams),
            false => inflater.inflate(group, &self.blocks, room),
        };
        let stored = self.chunk.stored_mut();
        stored.streams = streams;
        if inflater.maps() {
            // Those behind a fault have no data here.
            stored.mapped =
                inflated.as_ref().map_or_else(|fault| fault.index, |_| self.blocks.len());
        }
        match inflated {
            Ok(n) => self.chunk.filled(n),
            Err(GroupFault { index, good, error }) => {
                self.chunk.filled(good);
                let kind = ErrorKind::from(error);
                let block = Some(self.blocks[index].file_offset);
                let at = Location { block, ..Location::in_input(&self.name) };
                self.fault = Some(Error::new(kind, at));
                if let Err(shrunk) = self.check_intact() {
                    self.fault = Some(shrunk);
                }
            }
        }
    }

    /// What is wrong right after these bytes, at its place in the file.
    pub(crate) fn take_fault(&mut self) -> Option<Error> {
        let fault = self.fault.take()?;
        let (Some(places), Some(block)) = (&self.places, fault.at().block) else {
            return Some(fault);
        };
        let (kind, at) = fault.into_parts();
        Some(Error::new(kind, Location { block: places.in_file(block), ..at }))
    }

    /// Leaves the blocks as stored with the chunk.
    pub(crate) fn keep_stored(&mut self) {
        let stored = self.chunk.stored_mut();
        stored.map = self.map.clone().zip(self.raw_in_map.clone());
        if stored.map.is_none() {
            std::mem::swap(&mut self.raw, &mut stored.bytes);
        }
    }

    /// An error if the file was cut under the map these bytes come from.
    pub(crate) fn check_intact(&self) -> Result<(), Error> {
        self.witness.check_intact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_text_is_taken_in_larger_chunks_where_there_are_enough_for_all() {
        let len = |map_len, threads, chunk_size| {
            mapped_len(map_len, &Options { threads, chunk_size, ..Options::serial() })
        };
        assert_eq!(len(500 << 20, 2, 1 << 19), 4 << 19);
        assert_eq!(len(500 << 20, 8, 1 << 19), (500 << 20) / (8 * 64));
        assert_eq!(len(50 << 20, 16, 1 << 19), 1 << 19);
        assert_eq!(len(usize::MAX, 1, Options::MAX_CHUNK_SIZE), Options::MAX_CHUNK_SIZE);
        assert_eq!(len(usize::MAX, 0, 1), 4);
    }
}
