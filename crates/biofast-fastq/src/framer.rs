//! Where FASTQ records begin and end, exactly and in parallel.
//!
//! Workers list the newlines of their chunks without knowing what came before; where a record
//! seems to start, they check records on the way. In turn, the lines are taken four at a time from
//! the state the chunk before left, so a `@` at the start of a quality line is never mistaken for a
//! header, and what was checked counts only if a record does start there. Every record is checked
//! before the turn ends: when a record is wrong, no later one has been used anywhere.
//!
//! A record that isn't four plain lines hands the rest of the input to [`crate::wrapped`], the slower
//! exact parser. If that can't read the record either, the four-line error is reported.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use biofast_io::bgzf::VirtualOffset;
use biofast_io::pipeline::{self, End};
use biofast_io::{Carry, Chunk, Followed, Location, Notes, Options, Origin, Source, Warning};
use biofast_kernels as kernels;

use crate::checks::Readable;
use crate::error::{Error, ErrorKind, LINE_SHOWN, cut, expected_at};
use crate::fasta::{self, ChunkPosition, Joining, Line, Stop};
use crate::record::{Batch, MAX_RECORD_LEN, Span};
use crate::wrapped::{Blank, Parsed, Progress};

/// An arena that grew beyond this for a long record is not kept.
const LARGE_ARENA: usize = 8 << 20;

/// Lines of a chunk behind which the first record is looked for.
const LINES_TRIED: usize = 4;

/// Places for the newlines of an unfinished record in front of a chunk's own.
const CARRIED_LINES: usize = 3;

/// The framing state that passes from chunk to chunk.
///
/// For who drives the [pipeline](biofast_io::pipeline) without a [`Fold`](crate::Fold):
///
/// ```
/// use biofast_fastq::{Framer, Record};
/// use biofast_io::{Options, Source, pipeline};
/// use std::ops::ControlFlow;
///
/// let (source, options) =
///     (Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]), Options::default());
/// let framer = Framer::new(source.name(), &options);
/// let mut names = Vec::new();
/// pipeline::fold_ordered(
///     source,
///     &options,
///     framer,
///     || (),
///     |(), chunk, frame, some: &mut Vec<Vec<u8>>| {
///         some.extend(frame.batch(chunk).iter().map(|read: Record<'_>| read.name().to_vec()));
///     },
///     |(), ()| (),
///     |some| {
///         names.append(some);
///         ControlFlow::Continue(())
///     },
/// )?;
/// assert_eq!(names, [b"a", b"b"]);
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
pub struct Framer<S = Source> {
    input: Arc<str>,
    carry: Carry,
    /// Newlines in the carried bytes, from their start.
    carried_newlines: Vec<u32>,
    /// Records before the carried bytes.
    records: u64,
    /// Lines before the carried bytes.
    lines: u64,
    /// Decompressed bytes before the carried ones.
    offset: u64,
    /// Where the carried bytes start in the file, if that is BGZF.
    place: Option<VirtualOffset>,
    /// Where the input starts.
    origin: Origin,
    mode: Mode,
    blank: BlankLines,
    /// Who hears of the records.
    followed: Followed,
    checks: PhantomData<fn() -> S>,
}

/// The blank lines of an input. Those behind the last record mean nothing.
#[derive(Default)]
struct BlankLines {
    /// Whether they are errors.
    strict: bool,
    /// Where they are told.
    notes: Option<Arc<Notes>>,
    /// Those before a record or inside of one, and where the first is.
    found: u64,
    first: Location,
    /// Those since the last record, and where the first is.
    waiting: u64,
    waiting_first: Location,
    /// Whether the last record had no bases, so that a blank line may be its qualities.
    after_empty: bool,
}

impl BlankLines {
    fn wait(&mut self, at: impl FnOnce() -> Location) {
        if std::mem::take(&mut self.after_empty) {
            return;
        }
        if self.waiting == 0 {
            self.waiting_first = at();
        }
        self.waiting += 1;
    }

    /// A record comes, with so many blank lines inside.
    fn record(
        &mut self,
        inside: Blank,
        is_empty: bool,
        at: impl FnOnce() -> Location,
    ) -> Result<(), Error> {
        self.after_empty = is_empty;
        let before = std::mem::take(&mut self.waiting);
        if before + inside.lines == 0 {
            return Ok(());
        }
        let first = if before > 0 { self.waiting_first.clone() } else { at() };
        if self.strict {
            return Err(Error::new(ErrorKind::BlankLine, first));
        }
        if self.found == 0 {
            self.first = first;
        }
        self.found += before + inside.lines;
        Ok(())
    }

    /// Tells what was found, once.
    fn tell(&mut self) {
        let count = std::mem::take(&mut self.found);
        if let Some(notes) = self.notes.as_ref().filter(|_| count > 0) {
            let Location { record, line, .. } = self.first;
            let (record, line) = (record.unwrap_or(0), line.unwrap_or(0));
            notes.warn(Warning::BlankLines { count, record, line });
        }
    }
}

#[derive(Default)]
enum Mode {
    #[default]
    FourLine,
    /// What comes is FASTQ or FASTA; so far there were line ends, if anything.
    Unknown,
    /// FASTA.
    Fasta(Box<Joining>),
    /// From here on records may be wrapped. Until the first one has been read, `doubt` holds
    /// the error that holds if it can't be.
    Wrapped { doubt: Option<Error>, progress: Progress },
}

/// The records found in one chunk.
#[derive(Default)]
pub struct Frame {
    /// [`CARRIED_LINES`] places for carried newlines, then the chunk's own.
    newlines: Vec<u32>,
    /// Of the chunk's own newlines so many come before records that are plain, if one starts there …
    lines_before: usize,
    /// … and so many they are.
    plain: usize,
    spans: Vec<Span>,
    /// Records put together from several lines, when there are any; then all of the chunk's
    /// records are here.
    arena: Vec<u8>,
    in_arena: bool,
    /// Then so many records in front lie there as they do in the chunk.
    unmoved: usize,
    first_record: u64,
    /// Decompressed bytes before the chunk's.
    offset: u64,
    /// Where the chunk's first byte is in the file, if that is BGZF.
    place: Option<VirtualOffset>,
}

impl Frame {
    /// Where record `index` starts: its offset in the decompressed data, and its virtual offset if they are in BGZF. `None`
    /// of records that were put together from more than four lines.
    #[doc(hidden)]
    pub fn start_of(&self, chunk: &Chunk, index: usize) -> Option<(u64, Option<VirtualOffset>)> {
        let start = self.start_in_chunk(index)?;
        let place = match start {
            0 => self.place.or_else(|| chunk.virtual_offset(0)),
            _ => chunk.virtual_offset(start),
        };
        Some((self.offset + start as u64, place))
    }

    fn start_in_chunk(&self, index: usize) -> Option<usize> {
        let is_in_place = !self.in_arena || index < self.unmoved;
        Some(self.spans.get(index).filter(|_| is_in_place)?.definition as usize - 1)
    }

    /// The records, whose bytes are in `chunk` or here.
    pub fn batch<'a>(&'a self, chunk: &'a Chunk) -> Batch<'a> {
        Batch {
            bytes: if self.in_arena { &self.arena } else { chunk.bytes() },
            spans: &self.spans,
            first: self.first_record,
        }
    }
}

impl Framer {
    /// A framer at the start of the input called `input`, to be read with these options.
    pub fn new(input: &str, options: &Options) -> Framer {
        Framer::of(input, options)
    }
}

/// A source and the framer that makes its checks.
pub(crate) fn framed<S: Readable>(source: S, options: &Options) -> (Source, Framer<S>) {
    let source = source.into_source();
    let framer = Framer::of(source.name(), options);
    (source, framer)
}

impl<S: Readable> Framer<S> {
    /// The same with the checks of `S`.
    pub fn of(input: &str, options: &Options) -> Framer<S> {
        Framer {
            input: input.into(),
            carry: Carry::default(),
            carried_newlines: Vec::with_capacity(CARRIED_LINES),
            records: 0,
            lines: 0,
            offset: 0,
            place: Some(VirtualOffset::default()),
            origin: Origin::default(),
            mode: if S::FASTA { Mode::Unknown } else { Mode::FourLine },
            blank: BlankLines {
                strict: options.strict,
                notes: options.notes.clone(),
                ..BlankLines::default()
            },
            followed: Followed::default(),
            checks: PhantomData,
        }
    }

    /// A location in the record after `records` more, `line` lines and `byte` bytes further on.
    fn at(&self, records: usize, line: u64, byte: usize) -> Location {
        Location {
            name: Some(Arc::clone(&self.input)),
            record: Some(self.records + records as u64 + 1),
            line: Some(self.lines + line + 1),
            offset: Some(self.offset + byte as u64),
            block: None,
        }
    }

    /// Frames whole four-line records, of which those in `checked` are known to be plain; returns
    /// where they end, and the error of the record there if it isn't one.
    fn four_lines(
        &self,
        bytes: &[u8],
        newlines: &[u32],
        checked: Range<usize>,
        end: End,
        spans: &mut Vec<Span>,
    ) -> (usize, Option<Error>) {
        let (quads, rest) = newlines.as_chunks::<4>();
        // Nearly always all of them.
        let mut plain = count_plain::<S>(bytes, 0, &quads[..checked.start]);
        if plain == checked.start {
            plain = checked.end;
            let start = quads[..plain].last().map_or(0, |quad| quad[3] as usize + 1);
            plain += count_plain::<S>(bytes, start, &quads[plain..]);
        }
        let mut start = 0;
        spans.extend(quads[..plain].iter().map(|&[header_end, bases_end, plus_end, end]| {
            let definition = start + 1;
            start = end + 1;
            Span {
                definition,
                definition_len: header_end - definition,
                sequence: header_end + 1,
                qualities: plus_end + 1,
                len: bases_end - header_end - 1,
            }
        }));
        let mut start = start as usize;
        for quad in &quads[plain..] {
            match check_four_lines::<S>(bytes, start, quad.map(|n| n as usize)) {
                Ok(span) => spans.push(span),
                Err((kind, line, byte)) => {
                    let line = 4 * spans.len() as u64 + line;
                    return (start, Some(Error::new(kind, self.at(spans.len(), line, byte))));
                }
            }
            start = quad[3] as usize + 1;
        }
        let tail = &bytes[start..];
        if tail.is_empty() {
            return (start, None);
        }
        let line = 4 * spans.len() as u64;
        let fault = |(kind, n, byte)| Some(Error::new(kind, self.at(spans.len(), line + n, byte)));
        if tail[0] != b'@' {
            // Nothing but a header may come next. Seen now, garbage is not gathered for long;
            // but the whole line is waited for, so that the message doesn't depend on chunks.
            let seen = tail.iter().take(LINE_SHOWN).position(|&b| b == b'\n');
            if seen.is_none() && tail.len() < LINE_SHOWN && end == End::More {
                return (start, None);
            }
            let found = &tail[..seen.unwrap_or(tail.len())];
            let found = found.strip_suffix(b"\r").unwrap_or(found);
            return (start, fault((expected_at(found), 0, start)));
        }
        if end != End::Data {
            return (start, None);
        }
        if let &[n0, n1, n2] = rest {
            // The final newline is missing; everything else may be there.
            let quad = [n0 as usize, n1 as usize, n2 as usize, bytes.len()];
            match check_four_lines::<S>(bytes, start, quad) {
                Ok(span) => {
                    spans.push(span);
                    return (bytes.len(), None);
                }
                Err((ErrorKind::LengthsDiffer { sequence, qualities, .. }, ..))
                    if qualities < sequence => {}
                Err(error) => return (start, fault(error)),
            }
        }
        let kind = ErrorKind::Truncated { expected: expected_after(rest.len()) };
        (start, fault((kind, rest.len() as u64, bytes.len())))
    }

    /// The quads of newlines whose records were found to be plain when the chunk was scanned, if
    /// records start where it seemed so then.
    fn checked(&self, frame: &Frame) -> Range<usize> {
        let lines = self.carried_newlines.len() + frame.lines_before;
        // A header line that began in the chunk before was not seen whole.
        let is_cut = frame.lines_before == 0 && !self.carry.is_empty();
        match lines % 4 {
            0 if frame.plain > 0 => lines / 4 + usize::from(is_cut)..lines / 4 + frame.plain,
            _ => 0..0,
        }
    }

    /// Passes over the blank lines before the first record. From a carriage return that ends no line on, all is kept: it is
    /// for the record's own rules to say what it is.
    fn pass_over(&mut self, chunk: &mut Chunk, frame: &Frame, end: End) -> Result<(), Error> {
        let bytes = chunk.bytes();
        let mut stop = 0;
        let mut lines = 0;
        for &newline in &frame.newlines[CARRIED_LINES..] {
            let newline = newline as usize;
            if end == End::More && !matches!(bytes[stop..newline], [] | [b'\r']) {
                break;
            }
            let here = self.at(0, lines, newline);
            self.blank.wait(|| here);
            stop = newline + 1;
            lines += 1;
        }
        if end != End::More {
            stop = bytes.len();
            self.blank.tell();
        }
        self.lines += lines;
        self.offset += stop as u64;
        if stop > 0 {
            self.place = chunk.virtual_offset(stop);
        }
        if end == End::More {
            chunk.cut(stop, &mut self.carry);
        }
        self.check_number(end)
    }

    /// An error if the input has ended with another number of records than it should have.
    fn check_number(&self, end: End) -> Result<(), Error> {
        let found = self.records - self.origin.records;
        match self.origin.expected {
            Some(expected) if end == End::Data && expected != found => {
                let kind = biofast_io::ErrorKind::OtherRecords { expected, found };
                Err(biofast_io::Error::new(kind, Location::in_input(&self.input)).into())
            }
            _ => Ok(()),
        }
    }

    /// Joins the lines of FASTA; nothing of the chunk is left.
    fn fasta(&mut self, bytes: &[u8], end: End, frame: &mut Frame) -> (usize, u64, Option<Error>) {
        let Mode::Fasta(mut joining) = std::mem::take(&mut self.mode) else {
            return (0, 0, None);
        };
        if (joining.len() + bytes.len()) as u64 > MAX_RECORD_LEN {
            return (0, 0, Some(Error::new(ErrorKind::RecordTooLong, self.at(0, 0, 0))));
        }
        frame.in_arena = true;
        let mut blank = std::mem::take(&mut self.blank);
        let newlines = &frame.newlines[CARRIED_LINES..];
        let parts = (&mut frame.arena, &mut frame.spans);
        let at = |place: ChunkPosition| Location {
            offset: Some(self.offset.saturating_add_signed(place.byte)),
            ..self.at(place.records, place.line, 0)
        };
        let told = |line: Line, place| match line {
            Line::Blank => {
                blank.wait(|| at(place));
                Ok(())
            }
            // A blank line may stand for no bases.
            Line::Header => blank.record(Blank::default(), true, || at(place)),
            Line::Bases => blank.record(Blank::default(), false, || at(place)),
        };
        let result = joining.read(bytes, newlines, end == End::Data, parts, told);
        let error = result.err().map(|stop| match stop {
            Stop::Fault(kind, place) => Error::new(kind, at(place)),
            Stop::Refused(error) => error,
        });
        let lines = newlines.len() as u64;
        self.blank = blank;
        self.mode = Mode::Fasta(joining);
        (bytes.len(), lines, error)
    }

    /// Reads records that may be wrapped from `start` on; returns where it stopped.
    fn wrapped(
        &mut self,
        bytes: &[u8],
        start: usize,
        end: End,
        frame: &mut Frame,
        lines_before: u64,
    ) -> (usize, u64, Option<Error>) {
        if frame.arena.capacity() > LARGE_ARENA {
            frame.arena = Vec::new();
        }
        frame.arena.clear();
        frame.arena.extend_from_slice(&bytes[..start]);
        (frame.in_arena, frame.unmoved) = (true, frame.spans.len());
        let (mut doubt, mut progress) = match std::mem::take(&mut self.mode) {
            Mode::Wrapped { doubt, progress } => (doubt, progress),
            _ => (None, Progress::default()),
        };
        let mut blank = std::mem::take(&mut self.blank);
        let mut at = start;
        let mut lines = lines_before;
        let error = loop {
            match progress.read(&bytes[at..], end == End::Data, &mut frame.arena) {
                Ok(Parsed::Record { span, next, lines: n, blank: inside }) => {
                    let first = || {
                        let (line, byte) = inside.first;
                        self.at(frame.spans.len(), lines + line, at + byte)
                    };
                    if let Err(error) = blank.record(inside, span.len == 0, first) {
                        break Some(error);
                    }
                    frame.spans.push(span);
                    at += next;
                    lines += n;
                }
                Ok(Parsed::Blank { next }) => {
                    blank.wait(|| self.at(frame.spans.len(), lines, at));
                    at += next;
                    lines += 1;
                }
                Ok(Parsed::NeedMore) => break None,
                Err(fault) => {
                    let here = self.at(frame.spans.len(), lines + fault.line, at + fault.byte);
                    break Some(doubt.take().unwrap_or_else(|| Error::new(fault.kind, here)));
                }
            }
            doubt = None;
            progress = Progress::default();
        };
        self.mode = Mode::Wrapped { doubt, progress };
        self.blank = blank;
        (at, lines, error)
    }
}

impl<S: Readable> pipeline::Framer for Framer<S> {
    type Frame = Frame;
    type Error = Error;

    fn begin(&mut self, origin: Origin) {
        self.origin = origin;
        (self.records, self.lines, self.offset) = (origin.records, origin.lines, origin.offset);
    }

    fn follow(&mut self, followed: Followed) {
        self.followed = followed;
    }

    fn scan(frame: &mut Frame, bytes: &[u8]) {
        frame.plain = 0;
        frame.newlines.clear();
        frame.newlines.resize(CARRIED_LINES, 0);
        let newlines = &mut frame.newlines;
        let mut start = 0;
        // A record starts at the front, or behind one of the first lines. Without letters to check, nothing is gained.
        for lines in 0..=LINES_TRIED {
            if !S::LETTERS {
                break;
            }
            let end = kernels::index_plain_records(bytes, start, newlines);
            if end > start {
                start = end;
                frame.lines_before = lines;
                frame.plain = (newlines.len() - CARRIED_LINES - lines) / 4;
                break;
            }
            let Some(line) = kernels::find_newline(&bytes[start..]) else { break };
            start += line + 1;
            newlines.push(start as u32 - 1);
        }
        kernels::index_newlines(&bytes[start..], start as u32, newlines);
    }

    fn frame(&mut self, chunk: &mut Chunk, frame: &mut Frame, end: End) -> Result<(), Error> {
        frame.spans.clear();
        (frame.in_arena, frame.unmoved) = (false, 0);
        frame.first_record = self.records;
        (frame.offset, frame.place) = (self.offset, self.place);
        let mut carried = self.carry.len();
        if (carried + chunk.bytes().len()) as u64 > MAX_RECORD_LEN {
            return Err(Error::new(ErrorKind::RecordTooLong, self.at(0, 0, 0)));
        }
        let mut checked = self.checked(frame);
        chunk.join(&mut self.carry);
        let bytes = chunk.bytes();

        if let Mode::Unknown = self.mode {
            if carried > 0 {
                // Rare and short: what may be an odd line came before.
                frame.newlines.truncate(CARRIED_LINES);
                kernels::index_newlines(bytes, 0, &mut frame.newlines);
                (carried, checked) = (0, 0..0);
            }
            let Some(&first) = bytes.iter().find(|byte| !fasta::is_line_end(**byte)) else {
                return self.pass_over(chunk, frame, end);
            };
            self.mode = match first {
                b'>' => Mode::Fasta(Box::default()),
                _ if self.offset == self.origin.offset => Mode::FourLine,
                // Line ends before it are blank lines.
                _ => Mode::Wrapped { doubt: None, progress: Progress::default() },
            };
        }
        let (stop, lines, error) = match &self.mode {
            Mode::Fasta(_) => self.fasta(bytes, end, frame),
            Mode::Unknown | Mode::FourLine => {
                let first = CARRIED_LINES - self.carried_newlines.len();
                frame.newlines[first..CARRIED_LINES].copy_from_slice(&self.carried_newlines);
                for newline in &mut frame.newlines[CARRIED_LINES..] {
                    *newline += carried as u32;
                }
                let newlines = &frame.newlines[first..];
                let mut spans = std::mem::take(&mut frame.spans);
                let (stop, error) = self.four_lines(bytes, newlines, checked, end, &mut spans);
                let lines = 4 * spans.len() as u64;
                self.carried_newlines.clear();
                let rest = newlines.get(4 * spans.len()..).unwrap_or_default();
                if error.is_none() {
                    self.carried_newlines.extend(rest.iter().map(|n| n - stop as u32));
                }
                frame.spans = spans;
                match error {
                    None => (stop, lines, None),
                    Some(doubt) if may_be_wrapped(doubt.kind()) => {
                        self.mode =
                            Mode::Wrapped { doubt: Some(doubt), progress: Progress::default() };
                        self.wrapped(bytes, stop, end, frame, lines)
                    }
                    Some(error) => (stop, lines, Some(error)),
                }
            }
            Mode::Wrapped { .. } => self.wrapped(bytes, 0, end, frame, 0),
        };
        self.followed.framed(self.records, frame.spans.len(), &|index| {
            Some(frame.offset + frame.start_in_chunk(index)? as u64)
        });
        self.records += frame.spans.len() as u64;
        self.lines += lines;
        self.offset += stop as u64;
        if stop > 0 {
            self.place = chunk.virtual_offset(stop);
        }
        if error.is_some() || end != End::More {
            self.blank.tell();
        }
        match error {
            Some(error) if S::FASTA && self.records == self.origin.records => Err(neither(error)),
            Some(error) => Err(error),
            None => {
                if end == End::More {
                    chunk.cut(stop, &mut self.carry);
                }
                self.check_number(end)
            }
        }
    }

    fn locate(&self, error: biofast_io::Error) -> Error {
        let mut at = error.at().clone();
        if !matches!(error.kind(), biofast_io::ErrorKind::MissingEofBlock) {
            at.record.get_or_insert(self.records + 1);
        }
        at.offset.get_or_insert(self.offset);
        Error::new(ErrorKind::Io(error), at)
    }
}

impl<S: Readable> pipeline::CountRecords for Framer<S> {
    fn count(frame: &Frame) -> usize {
        frame.spans.len()
    }
}

/// A fault of a record: what, on which of its lines, at which byte.
type RecordFault = (ErrorKind, u64, usize);

/// Checks the record whose lines end at `quad` and start at `start`.
#[inline]
fn check_four_lines<S: Readable>(
    bytes: &[u8],
    start: usize,
    quad: [usize; 4],
) -> Result<Span, RecordFault> {
    let line = |from: usize, to: usize| {
        let line = &bytes[from..to];
        line.strip_suffix(b"\r").unwrap_or(line)
    };
    let header = line(start, quad[0]);
    let sequence = line(quad[0] + 1, quad[1]);
    let plus = line(quad[1] + 1, quad[2]);
    let qualities = line(quad[2] + 1, quad[3]);
    let [b'@', definition @ ..] = header else {
        return Err((expected_at(header), 0, start));
    };
    if let Some(at) = letters::<S>(header, kernels::find_control) {
        let kind = ErrorKind::ControlInHeader { found: header[at], column: at as u64 + 1 };
        return Err((kind, 0, start + at));
    }
    let [b'+', caption @ ..] = plus else {
        return Err((ErrorKind::ExpectedPlus { found: cut(plus) }, 2, quad[1] + 1));
    };
    if sequence.len() != qualities.len() {
        let kind = ErrorKind::LengthsDiffer {
            name: cut(definition),
            sequence: sequence.len() as u64,
            qualities: qualities.len() as u64,
        };
        return Err((kind, 3, quad[2] + 1));
    }
    if !caption.is_empty() && caption != definition {
        let kind = ErrorKind::CaptionDiffers { name: cut(definition), caption: cut(caption) };
        return Err((kind, 2, quad[1] + 1));
    }
    if let Some(at) = letters::<S>(sequence, kernels::find_invalid_base) {
        let kind = ErrorKind::InvalidBase { found: sequence[at], column: at as u64 + 1 };
        return Err((kind, 1, quad[0] + 1 + at));
    }
    if let Some(at) = letters::<S>(qualities, kernels::find_invalid_quality) {
        let kind = ErrorKind::InvalidQuality { found: qualities[at], column: at as u64 + 1 };
        return Err((kind, 3, quad[2] + 1 + at));
    }
    Ok(Span {
        definition: start as u32 + 1,
        definition_len: definition.len() as u32,
        sequence: quad[0] as u32 + 1,
        qualities: quad[2] as u32 + 1,
        len: sequence.len() as u32,
    })
}

/// What `find` finds in `text`, if it is checked.
#[inline]
fn letters<S: Readable>(text: &[u8], find: impl Fn(&[u8]) -> Option<usize>) -> Option<usize> {
    if S::LETTERS { find(text) } else { None }
}

/// How many records in front, from `start` on, are plain by the checks of `S`.
fn count_plain<S: Readable>(bytes: &[u8], start: usize, quads: &[[u32; 4]]) -> usize {
    match S::LETTERS {
        true => kernels::count_plain_records(bytes, start, quads),
        false => count_shaped_records(bytes, start, quads),
    }
}

/// How many records in front are four lines without carriage returns and captions, as `quads` says where these end;
/// their letters may be any.
fn count_shaped_records(bytes: &[u8], start: usize, quads: &[[u32; 4]]) -> usize {
    let mut start = start as u32;
    let mut is_shaped = |&[header_end, bases_end, plus_end, end]: &[u32; 4]| {
        let at = |place: u32| bytes.get(place as usize);
        let is_shaped = at(start) == Some(&b'@')
            && at(header_end - 1) != Some(&b'\r')
            && at(bases_end - 1) != Some(&b'\r')
            && plus_end - bases_end == 2
            && at(bases_end + 1) == Some(&b'+')
            && bases_end - header_end == end - plus_end;
        start = end + 1;
        is_shaped
    };
    quads.iter().position(|quad| !is_shaped(quad)).unwrap_or(quads.len())
}

/// The error of what is neither FASTQ nor FASTA.
fn neither(error: Error) -> Error {
    match error.kind() {
        ErrorKind::ExpectedAt { found } => {
            Error::new(ErrorKind::ExpectedHeader { found: found.clone() }, error.at().clone())
        }
        _ => error,
    }
}

/// Whether a record with this error could be a wrapped one, or follow blank lines.
fn may_be_wrapped(error: &ErrorKind) -> bool {
    match error {
        ErrorKind::ExpectedAt { found } => found.is_empty(),
        ErrorKind::ExpectedPlus { .. }
        | ErrorKind::LengthsDiffer { .. }
        | ErrorKind::Truncated { .. } => true,
        _ => false,
    }
}

/// What the line after `lines` complete lines of a record would be.
fn expected_after(lines: usize) -> &'static str {
    match lines {
        0 => "the rest of the header line",
        1 => "a sequence line",
        2 => "a separator line starting with '+'",
        _ => "a quality line as long as the sequence",
    }
}
