//! Where BAM records begin and end: hops from block size to block size, in turn.
//!
//! Every length field of a record is checked here, in order, before anything is done with it.

use std::sync::{Arc, OnceLock};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::pipeline::{self, End};
use biofast_io::{Carry, Chunk, Location, Notes, Options, Origin, Shown, Warning};

use crate::error::{Error, ErrorKind};
use crate::fixed::FIXED_LEN;
use crate::format::DetectedData;
use crate::header::{Header, HeaderParser, MAX_REFERENCE, Parsed};
use crate::order::Order;
use crate::record::{Batch, Record, record_at};
use crate::{flag, framer};

/// The longest record in bytes: what a signed 32-bit block size can say.
pub const MAX_RECORD_LEN: u64 = (1 << 31) - 1;

/// The framing state that passes from chunk to chunk.
///
/// For who drives the [pipeline](biofast_io::pipeline) without a [`Fold`](crate::Fold):
///
/// ```
/// use biofast_bam::{Detail, Framer, Input, InputOptions};
/// use biofast_io::{Options, Source, pipeline};
/// use std::sync::Arc;
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let source = Input::open(Source::from_reader("example", &sam[..]), &opened)?.source;
/// let framer = Framer::new(source.name(), Arc::default(), &options);
/// let records = pipeline::fold(
///     source,
///     &options,
///     framer,
///     || 0,
///     |count, chunk, frame| *count += frame.batch(chunk).len(),
///     |count, other| *count += other,
/// )?;
/// assert_eq!(records, 2);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct Framer {
    input: Arc<str>,
    carry: Carry,
    /// Where the header goes once it has been read.
    header: Arc<OnceLock<Arc<Header>>>,
    parser: HeaderParser,
    /// The number of reference sequences, once known.
    references: Option<i32>,
    /// Where the input starts.
    origin: Origin,
    /// Records before the carried bytes.
    records: u64,
    /// Inflated bytes before the carried ones.
    offset: u64,
    /// Where the carried bytes start in the file, if that is BGZF.
    place: Option<VirtualOffset>,
    /// What is to be done with the header before the first record is framed.
    on_header: Option<OnHeader>,
    /// Where records must be sorted: what came before.
    order: Option<Order>,
    /// What becomes of faults.
    on_fault: Option<OnFault>,
    /// Whether a record must be in one chunk with the one before it.
    together: Option<BelongsTogether>,
    /// Where the carried records start that are known to be together, and where the last of them ends.
    carried: (Vec<u32>, usize),
    /// Whether what breaks a rule without losing anything is an error.
    pedantic: bool,
    /// Where it is told otherwise.
    notes: Option<Arc<Notes>>,
}

/// Whether a record belongs with the one before it.
pub(crate) type BelongsTogether = Box<dyn Fn(&Record<'_>, &Record<'_>) -> bool + Send>;
type OnFault = Box<dyn Fn(Error) -> Error + Send>;
type OnHeader = Box<dyn FnOnce(&Header) -> Result<(), Error> + Send>;

/// The header before there is one.
static EMPTY_HEADER: Header = Header::empty();

/// The records found in one chunk.
#[derive(Default)]
pub struct Frame {
    starts: Vec<u32>,
    first_record: u64,
    header: Option<Arc<Header>>,
    /// Where the first record starts in the file.
    pub(crate) place: Option<VirtualOffset>,
    /// Inflated bytes before the chunk's.
    offset: u64,
}

impl Frame {
    /// Where each record's block size starts.
    #[inline]
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The records, whose bytes are in `chunk`.
    pub fn batch<'a>(&'a self, chunk: &'a Chunk) -> Batch<'a> {
        Batch {
            chunk,
            place: self.place,
            offset: self.offset,
            bytes: chunk.bytes(),
            starts: &self.starts,
            picked: None,
            is_selected: false,
            first: self.first_record,
            header: self.header.as_deref().unwrap_or(&EMPTY_HEADER),
        }
    }
}

impl Framer {
    /// A framer at the start of the input called `input`; the header is left in `header`.
    pub fn new(input: &str, header: Arc<OnceLock<Arc<Header>>>, options: &Options) -> Framer {
        Framer {
            pedantic: options.pedantic,
            notes: options.notes.clone(),
            input: input.into(),
            carry: Carry::default(),
            header,
            parser: HeaderParser::default(),
            references: None,
            origin: Origin::default(),
            records: 0,
            offset: 0,
            place: Some(VirtualOffset::default()),
            on_header: None,
            order: None,
            on_fault: None,
            together: None,
            carried: (Vec::new(), 0),
        }
    }

    /// Where the header will be.
    pub(crate) fn header_slot(&self) -> Arc<OnceLock<Arc<Header>>> {
        Arc::clone(&self.header)
    }

    /// Calls `f` with the header when it has been read; an error of it is the input's first one.
    pub(crate) fn on_header(
        mut self,
        f: impl FnOnce(&Header) -> Result<(), Error> + Send + 'static,
    ) -> Framer {
        self.on_header = Some(Box::new(f));
        self
    }

    /// Makes a record that is not in the order of coordinates an error.
    pub(crate) fn check_order(mut self) -> Framer {
        self.order = Some(Order::default());
        self
    }

    /// Says every fault of the data as `f` does it.
    pub(crate) fn on_fault(mut self, f: impl Fn(Error) -> Error + Send + 'static) -> Framer {
        self.on_fault = Some(Box::new(f));
        self
    }

    fn told(&self, error: Error) -> Error {
        match &self.on_fault {
            Some(on_fault) => on_fault(error),
            None => error,
        }
    }

    /// Leaves records that belong together and follow one another in one chunk.
    pub(crate) fn keep_together(mut self, together: BelongsTogether) -> Framer {
        self.together = Some(together);
        self
    }

    fn error(&self, kind: ErrorKind, record: Option<u64>, byte: usize) -> Error {
        let at = Location {
            name: Some(Arc::clone(&self.input)),
            record,
            offset: Some(self.offset + byte as u64),
            ..Location::default()
        };
        Error::new(kind, at)
    }

    /// An error if the input has another number of records than it should have.
    fn check_number(&self) -> Result<(), Error> {
        let found = self.records - self.origin.records;
        match self.origin.expected {
            Some(expected) if expected != found => {
                let kind = biofast_io::ErrorKind::OtherRecords { expected, found };
                Err(biofast_io::Error::new(kind, Location::in_input(&self.input)).into())
            }
            _ => Ok(()),
        }
    }

    /// Tells of reference sequences that are longer than the specification allows.
    fn check_lengths(&self, header: &Header) -> Result<(), Error> {
        let long = header.references().iter().filter(|r| r.length > MAX_REFERENCE).count();
        if long > 0 && self.pedantic {
            let reason = "a reference sequence of more than 2,147,483,647 bases";
            return Err(self.error(ErrorKind::BadHeader(reason), None, 0));
        }
        if let Some(notes) = self.notes.as_ref().filter(|_| long > 0) {
            let what = "header: a reference sequence of more than 2,147,483,647 bases";
            let first = Location::default();
            notes.warn(Warning::Tolerated { what, count: long as u64, first });
        }
        Ok(())
    }

    /// Reads the header at the start of `bytes`; returns its length, or `None` if it isn't
    /// complete.
    fn read_header(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        match self.parser.parse(bytes).map_err(|kind| self.error(kind, None, 0))? {
            Parsed::NeedMore => Ok(None),
            Parsed::Complete(header, len) => {
                // Checked when it was parsed: the number is an i32 that is not negative.
                self.references = Some(header.references().len() as i32);
                self.check_lengths(&header)?;
                if let Some(f) = self.on_header.take() {
                    f(&header)?;
                }
                // One framer reads one header.
                let _ = self.header.set(Arc::new(header));
                Ok(Some(len))
            }
        }
    }

    fn frame_records(
        &mut self,
        chunk: &mut Chunk,
        frame: &mut Frame,
        end: End,
    ) -> Result<(), Error> {
        frame.first_record = self.records;
        frame.offset = self.offset;
        chunk.join(&mut self.carry);
        let bytes = chunk.bytes();
        if bytes.len() as u64 > 2 * MAX_RECORD_LEN {
            let (kind, record) = match self.references {
                None => (ErrorKind::BadHeader("longer than 4 GiB"), None),
                Some(_) => (ErrorKind::LargeGroup, Some(self.records + 1)),
            };
            return Err(self.error(kind, record, 0));
        }
        let mut at = 0;
        let mut inside = (!bytes.is_empty()).then_some("a record");
        let mut fault = None;
        if self.references.is_none() {
            match self.read_header(bytes)? {
                Some(len) => {
                    at = len;
                    self.place = chunk.virtual_offset(at);
                    // The records of a part are further behind the header than they seem to be.
                    self.offset = self.offset.max(self.origin.offset.saturating_sub(at as u64));
                    frame.offset = self.offset;
                }
                None if bytes.is_empty() => {}
                None => inside = Some("the header"),
            }
        }
        frame.place = self.place;
        if let Some(references) = self.references {
            if frame.header.is_none() {
                frame.header = self.header.get().cloned();
            }
            // Records that were framed before and wait for others aren't looked at again.
            let (carried, end_of_carried) = std::mem::take(&mut self.carried);
            let known = carried.len();
            if known > 0 {
                (frame.starts, at) = (carried, end_of_carried);
            }
            loop {
                match next_record(&bytes[at..], references) {
                    Ok(Some(len)) => {
                        frame.starts.push(at as u32);
                        at += len;
                    }
                    Ok(None) => break,
                    Err(kind) => {
                        let record = self.records + frame.starts.len() as u64 + 1;
                        fault = Some(self.error(kind, Some(record), at));
                        break;
                    }
                }
            }
            inside = (at < bytes.len()).then_some("a record");
            if let Some(together) = &self.together
                && end == End::More
                && fault.is_none()
                && let Some(first) = last_group(bytes, &frame.starts, known, together)
            {
                // More of that group may follow.
                let start = frame.starts[first];
                let group = frame.starts.split_off(first);
                let group = group.into_iter().map(|at| at - start).collect();
                self.carried = (group, at - start as usize);
                at = start as usize;
            }
            if let Some(order) = &mut self.order
                && let Err((index, kind)) = order.check(bytes, &frame.starts)
            {
                let record = self.records + index as u64 + 1;
                let error = self.error(kind, Some(record), frame.starts[index] as usize);
                fault = Some(match self.header.get() {
                    Some(header) => error.naming(header),
                    None => error,
                });
                frame.starts.truncate(index);
            }
            if at > 0 {
                self.place = chunk.virtual_offset(at);
            }
        }
        self.records += frame.starts.len() as u64;
        if let Some(fault) = fault {
            return Err(fault);
        }
        match (end, inside) {
            (End::Data, Some(what)) => {
                let record = self.references.map(|_| self.records + 1);
                return Err(self.error(ErrorKind::Truncated(what), record, bytes.len()));
            }
            (End::Data, None) if self.references.is_none() => {
                return Err(self.error(ErrorKind::NotBam(DetectedData::Nothing), None, 0));
            }
            (End::Data, None) => self.check_number()?,
            (End::More, _) => chunk.cut(at, &mut self.carry),
            _ => {}
        }
        self.offset += at as u64;
        Ok(())
    }
}

impl pipeline::Framer for Framer {
    type Frame = Frame;
    type Error = Error;
    const NEEDS_EOF: bool = true;

    fn begin(&mut self, origin: Origin) {
        self.origin = origin;
        self.records = origin.records;
    }

    fn scan(frame: &mut Frame, _: &[u8]) {
        frame.starts.clear();
    }

    fn frame(&mut self, chunk: &mut Chunk, frame: &mut Frame, end: End) -> Result<(), Error> {
        self.frame_records(chunk, frame, end).map_err(|error| self.told(error))
    }

    fn locate(&self, error: biofast_io::Error) -> Error {
        let (kind, mut at) = Error::from(error).into_parts();
        if let ErrorKind::Io(error) = &kind
            && !matches!(error.kind(), biofast_io::ErrorKind::MissingEofBlock)
        {
            // Who knows the line or the record has made these bytes of SAM or CRAM: they aren't the input's.
            let is_derived = at.line.is_some() || at.record.is_some();
            at.record.get_or_insert(self.records + 1);
            if !is_derived {
                at.offset.get_or_insert(self.offset);
            }
        }
        self.told(Error::new(kind, at))
    }
}

/// The index of the first of the last records that belong together; the first `known` ones do.
fn last_group(
    bytes: &[u8],
    starts: &[u32],
    known: usize,
    together: &BelongsTogether,
) -> Option<usize> {
    let record = |index: usize| record_at(bytes, starts[index]);
    let mut first = starts.len().checked_sub(1)?;
    while first > 0 && (first < known || together(&record(first - 1), &record(first))) {
        first = if first < known { 0 } else { first - 1 };
    }
    Some(first)
}

impl pipeline::CountRecords for Framer {
    fn count(frame: &Frame) -> usize {
        frame.starts.len()
    }
}

/// The length of the record at the start of `bytes`, block size included; `None` if it isn't
/// complete. Its fields are checked as soon as they are there, so a record that claims 2 GB is
/// refused and not waited for, unless its other fields claim the same.
#[inline]
pub(crate) fn next_record(bytes: &[u8], references: i32) -> Result<Option<usize>, ErrorKind> {
    let Some(fixed) = bytes.first_chunk::<{ 4 + FIXED_LEN }>() else {
        return match bytes.first_chunk::<4>() {
            Some(size) => check_size(i32::from_le_bytes(*size)).map(|_| None),
            None => Ok(None),
        };
    };
    let word =
        |at: usize| i32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let bad = |expected, found: i32| Err(ErrorKind::BadRecord { expected, found: found.into() });
    let size = check_size(word(0))?;
    for reference in [word(4), word(24)] {
        if reference < -1 || reference >= references {
            return bad("a reference index of the header, or -1", reference);
        }
    }
    let name_len = fixed[12];
    if name_len == 0 {
        return bad("a name with its final NUL", 0);
    }
    let cigar_ops = u16::from_le_bytes([fixed[16], fixed[17]]);
    let sequence_len = word(20);
    let Ok(bases) = u64::try_from(sequence_len) else {
        return bad("a sequence length of 0 or more", sequence_len);
    };
    let needed = FIXED_LEN as u64
        + u64::from(name_len)
        + 4 * u64::from(cigar_ops)
        + bases.div_ceil(2)
        + bases;
    if needed > size as u64 {
        return bad("a block size that holds name, CIGAR, sequence and qualities", size as i32);
    }
    let len = 4 + size;
    if bytes.len() < len {
        return Ok(None);
    }
    let name_end = 4 + FIXED_LEN + usize::from(name_len);
    if bytes[name_end - 1] != 0 {
        return bad("a name with its final NUL", name_len.into());
    }
    if cigar_ops > 0 {
        let words = bytes[name_end..name_end + 4 * usize::from(cigar_ops)].as_chunks::<4>().0;
        // Most are one stretch of matches.
        let is_plain =
            cigar_ops == 1 && u64::from(u32::from_le_bytes(words[0])) == bases << 4 && bases > 0;
        if !is_plain {
            let (read, all_exist) = measure_cigar(words);
            if !all_exist || (bases > 0 && (read != bases || stands_for_another(words, bases))) {
                check_cigar(Record::new(&bytes[4..len]))?;
            }
        }
    }
    Ok(Some(len))
}

/// Whether all bases are clipped first: the CIGAR may be in the tag `CG`.
#[inline]
fn stands_for_another(words: &[[u8; 4]], bases: u64) -> bool {
    words.first().is_some_and(|word| u64::from(u32::from_le_bytes(*word)) == bases << 4 | 4)
}

/// Bases of the read that CIGAR words cover (M, I, S, = and X, codes 0, 1, 4, 7 and 8), and whether all codes stand for an
/// operation. 9 is `B` of old versions, which samtools reads and writes.
#[inline]
fn measure_cigar(words: &[[u8; 4]]) -> (u64, bool) {
    let (mut read, mut beyond, mut any) = (0u32, 0, 0);
    for word in words {
        // Without a table and in 32 bits, so that compilers turn it into vector code: the code's bits tell.
        let word = u32::from_le_bytes(*word);
        let (one, two, three) = (word >> 1, word >> 2, word >> 3);
        let passes = (one ^ (word & two)) | (word & three);
        read = read.wrapping_add(word >> 4 & (passes & 1).wrapping_sub(1));
        beyond |= three & (two | one);
        any |= word >> 4;
    }
    // No length has more bits than all of them together, so the sum fits if this many of that many bits do.
    let fits = (words.len() as u64) << (32 - any.leading_zeros()) <= 1 << 32;
    let read = if fits { u64::from(read) } else { measure_long(words) };
    (read, beyond & 1 == 0)
}

/// The same sum in 64 bits.
#[cold]
fn measure_long(words: &[[u8; 4]]) -> u64 {
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    words
        .filter(|word| matches!(word & 15, 0 | 1 | 4 | 7 | 8))
        .map(|word| u64::from(word >> 4))
        .sum()
}

/// Whether a code stands for no operation.
fn is_no_operation(code: u32) -> bool {
    code > 9
}

/// A CIGAR may be in the tag `CG`; that of an unmapped read needn't fit, as no assumptions can be made about it.
#[cold]
fn check_cigar(record: Record<'_>) -> Result<(), ErrorKind> {
    let mut codes = record.cigar().words().map(|word| word & 15);
    if let Some(code) = codes.find(|&code| is_no_operation(code)) {
        return Err(ErrorKind::CigarOperation { name: Shown(record.name()).to_string(), code });
    }
    let read = record.cigar().iter().filter(|(op, _)| op.consumes_read());
    let read: u64 = read.map(|(_, len)| u64::from(len)).sum();
    let bases = record.sequence_len() as u64;
    if read != bases && record.flags() & flag::UNMAPPED == 0 {
        let name = Shown(record.name()).to_string();
        return Err(ErrorKind::CigarMisfit { name, read, bases });
    }
    Ok(())
}

fn check_size(size: i32) -> Result<usize, ErrorKind> {
    match usize::try_from(size) {
        Ok(n) if n >= FIXED_LEN => Ok(n),
        _ => {
            Err(ErrorKind::BadRecord { expected: "a block size of 32 or more", found: size.into() })
        }
    }
}

impl<'a> Record<'a> {
    /// The record at the start of BAM data, and what follows it. The header says which references there are.
    ///
    /// ```
    /// use biofast_bam::{Header, Record, RecordBuf};
    ///
    /// let (header, mut bytes) = (Header::default(), Vec::new());
    /// RecordBuf::unmapped("a").build()?.write_bam(&header, &mut bytes)?;
    /// RecordBuf::unmapped("b").build()?.write_bam(&header, &mut bytes)?;
    /// let (first, rest) = Record::from_bam(&bytes, &header)?;
    /// let (second, rest) = Record::from_bam(rest, &header)?;
    /// assert_eq!((first.name(), second.name(), rest.len()), (&b"a"[..], &b"b"[..], 0));
    /// assert!(Record::from_bam(&bytes[..20], &header).is_err());
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no whole record, or its fields contradict each other.
    pub fn from_bam(bytes: &'a [u8], header: &Header) -> Result<(Record<'a>, &'a [u8]), Error> {
        let error = |kind| Error::new(kind, Location::default());
        // No header has more of them than 32 bits can count.
        let references = i32::try_from(header.references().len()).unwrap_or(i32::MAX);
        match framer::next_record(bytes, references).map_err(error)? {
            Some(len) => Ok((Record::new(&bytes[4..len]), &bytes[len..])),
            None => Err(error(ErrorKind::Truncated("a record"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cigar_is_as_long_as_its_operations_say(
            ops in prop::collection::vec((0u32..16, prop_oneof![0u32..300, Just((1 << 28) - 1)]), 0..40),
        ) {
            let words: Vec<[u8; 4]> =
                ops.iter().map(|(code, len)| (len << 4 | code).to_le_bytes()).collect();
            let read = ops.iter().filter(|(code, _)| [0, 1, 4, 7, 8].contains(code));
            let read: u64 = read.map(|&(_, len)| u64::from(len)).sum();
            let all_exist = ops.iter().all(|(code, _)| *code < 10);
            let found = measure_cigar(&words);
            prop_assert_eq!(found.1, all_exist);
            prop_assert!(!all_exist || found.0 == read);
        }
    }
}
