//! Records borrowed from the chunk they were inflated into; fields are decoded when asked for.

use std::fmt;

use biofast_io::bgzf::VirtualOffset;
use biofast_io::pipeline::Copies;
use biofast_io::{Chunk, Location, Shown};

use crate::cigar::{self, Cigar};
use crate::error::{Error, ErrorKind};
use crate::fixed::FIXED_LEN;
use crate::flag;
use crate::header::Header;
use crate::phred::Phred;
use crate::sequence::Sequence;
use crate::tags::{self, Described, Tags};
use crate::value::Value;

/// One alignment record, borrowed from where it was read. Its length fields were checked then.
///
/// [`RecordBuf`](crate::RecordBuf) is a record to keep or to change.
///
/// ```
/// use biofast_bam::{Reader, Value};
///
/// let sam = b"@SQ\tSN:chr1\tLN:100\nr1\t16\tchr1\t8\t60\t3M1S\t*\t0\t0\tACGT\tIIII\tNM:i:1\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let header = reader.header().clone();
/// while let Some(record) = reader.next_record()? {
///     assert_eq!(record.name(), b"r1");
///     assert_eq!(record.reference_name(&header), Some(&b"chr1"[..]));
///     assert_eq!((record.position(), record.alignment_end()), (7, 10));
///     assert_eq!(record.cigar().to_string(), "3M1S");
///     assert_eq!(record.sequence().to_vec(), b"ACGT");
///     assert_eq!(record.qualities(), [40; 4]);
///     assert_eq!(record.tag(b"NM")?, Some(Value::U8(1)));
/// }
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Everything after the block size.
    bytes: &'a [u8],
}

impl<'a> Record<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Record { bytes }
    }

    /// The record of bytes that another record's [`as_bytes`](Self::as_bytes) were. Of others its methods may panic.
    #[doc(hidden)]
    #[inline]
    pub fn from_checked(bytes: &'a [u8]) -> Record<'a> {
        Record::new(bytes)
    }

    /// All bytes of the record after its block size.
    #[inline]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Appends the record as BAM stores it, block size included.
    #[inline]
    pub fn write_bam(&self, out: &mut Vec<u8>) {
        // Framed with a block size of 32 bits.
        out.extend_from_slice(&(self.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(self.bytes);
    }

    #[inline]
    fn word(&self, at: usize) -> i32 {
        let b = &self.bytes[at..at + 4];
        i32::from_le_bytes([b[0], b[1], b[2], b[3]])
    }

    #[inline]
    fn half(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    /// The index of the reference sequence, −1 if there is none.
    #[inline]
    pub fn reference_id(&self) -> i32 {
        self.word(0)
    }

    /// The name of the reference sequence.
    #[inline]
    pub fn reference_name<'h>(&self, header: &'h Header) -> Option<&'h [u8]> {
        header.reference_name(self.reference_id())
    }

    /// The leftmost position, counted from 0, −1 if there is none.
    #[inline]
    pub fn position(&self) -> i32 {
        self.word(4)
    }

    /// The mapping quality (MAPQ), 255 if unknown.
    #[inline]
    pub fn mapping_quality(&self) -> u8 {
        self.bytes[9]
    }

    /// The flags (FLAG).
    #[inline]
    pub fn flags(&self) -> u16 {
        self.half(14)
    }

    /// The mate's reference sequence, −1 if there is none.
    #[inline]
    pub fn mate_reference_id(&self) -> i32 {
        self.word(20)
    }

    /// The name of the mate's reference sequence.
    #[inline]
    pub fn mate_reference_name<'h>(&self, header: &'h Header) -> Option<&'h [u8]> {
        header.reference_name(self.mate_reference_id())
    }

    /// The mate's leftmost position, counted from 0, −1 if there is none.
    #[inline]
    pub fn mate_position(&self) -> i32 {
        self.word(24)
    }

    /// The template length (TLEN).
    #[inline]
    pub fn template_len(&self) -> i32 {
        self.word(28)
    }

    #[inline]
    fn name_len(&self) -> usize {
        usize::from(self.bytes[8])
    }

    #[inline]
    fn cigar_ops(&self) -> usize {
        usize::from(self.half(12))
    }

    /// Bases of the sequence (SEQ); 0 if it is missing.
    #[inline]
    pub fn sequence_len(&self) -> usize {
        self.word(16) as usize
    }

    /// The read's name, without its NUL.
    #[inline]
    pub fn name(&self) -> &'a [u8] {
        &self.bytes[FIXED_LEN..FIXED_LEN + self.name_len() - 1]
    }

    /// The CIGAR, which is in the tag `CG` when it has more than 65,535 operations.
    #[inline]
    pub fn cigar(&self) -> Cigar<'a> {
        let stored = self.stored_cigar();
        Cigar::new(self.long_cigar(stored).unwrap_or(stored))
    }

    /// Whether the CIGAR is that of the tag `CG`, which is then no optional field of its own.
    #[inline]
    #[doc(hidden)]
    pub fn has_long_cigar(&self) -> bool {
        self.long_cigar(self.stored_cigar()).is_some()
    }

    #[inline]
    fn stored_cigar(&self) -> &'a [u8] {
        let start = FIXED_LEN + self.name_len();
        &self.bytes[start..start + 4 * self.cigar_ops()]
    }

    /// The words of the tag `CG` if `stored` only stands for them.
    #[inline]
    fn long_cigar(&self, stored: &[u8]) -> Option<&'a [u8]> {
        match cigar::is_placeholder(stored, self.sequence_len()) {
            true => self.cigar_of_tag(stored),
            false => None,
        }
    }

    /// Rarely needed: a call, so that what is often asked isn't one.
    #[cold]
    fn cigar_of_tag(&self, stored: &[u8]) -> Option<&'a [u8]> {
        let words = self.tags().find(|tag| tag.name == *b"CG")?.as_u32_array()?;
        // As htslib: a shorter list is no CIGAR that didn't fit, and a record without a place has
        // none.
        let is_placed = self.reference_id() >= 0 && self.position() >= 0;
        (is_placed && words.len() >= stored.len()).then_some(words)
    }

    /// The end of the alignment on the reference: the first position after it, counted from 0. A
    /// record that is unmapped, has no CIGAR or one that takes no reference bases counts as one base
    /// long, as in samtools.
    pub fn alignment_end(&self) -> i64 {
        let is_mapped = self.flags() & flag::UNMAPPED == 0;
        let len = if is_mapped { self.cigar().reference_len() } else { 0 };
        i64::from(self.position()) + len.max(1) as i64
    }

    #[inline]
    fn sequence_start(&self) -> usize {
        FIXED_LEN + self.name_len() + 4 * self.cigar_ops()
    }

    /// The bases as letters.
    #[inline]
    pub fn sequence(&self) -> Sequence<'a> {
        Sequence::new(self.packed_sequence(), self.sequence_len())
    }

    /// The sequence as stored: two bases a byte, the first in the high bits, coded by their index
    /// in `=ACMGRSVTWYHKDBN`.
    #[inline]
    pub fn packed_sequence(&self) -> &'a [u8] {
        let start = self.sequence_start();
        &self.bytes[start..start + self.sequence_len().div_ceil(2)]
    }

    /// The qualities as stored: Phred values without an offset, all 255 if missing.
    #[inline]
    pub fn qualities(&self) -> Phred<'a> {
        let start = self.sequence_start() + self.sequence_len().div_ceil(2);
        Phred::new(&self.bytes[start..start + self.sequence_len()])
    }

    /// The optional fields as stored.
    #[inline]
    pub fn tag_bytes(&self) -> &'a [u8] {
        let len = self.sequence_len();
        &self.bytes[self.sequence_start() + len.div_ceil(2) + len..]
    }

    /// The optional fields one by one.
    #[inline]
    pub fn tags(&self) -> Tags<'a> {
        Tags::new(self.tag_bytes())
    }

    /// The value of the optional field of this name, the first one if there are several.
    ///
    /// ```
    /// use biofast_bam::{Header, RecordBuf};
    ///
    /// let mut bytes = Vec::new();
    /// let read = RecordBuf::unmapped("r").tag(b"RG", "lane1").tag(b"NH", 2u16).build()?;
    /// let record = read.write_bam(&Header::default(), &mut bytes)?;
    /// assert_eq!(record.tag(b"NH")?.and_then(|value| value.as_int()), Some(2));
    /// assert_eq!(record.tag(b"RG")?.and_then(|value| value.as_text()), Some(&b"lane1"[..]));
    /// assert_eq!(record.tag(b"XX")?, None);
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If fields before it, or all of them, can't be read.
    #[inline]
    pub fn tag(&self, name: &[u8; 2]) -> Result<Option<Value<'a>>, Error> {
        tags::find(self.tags(), name).ok_or_else(|| self.bad_tags(tags::MALFORMED))
    }

    /// Checks that all optional fields can be read.
    ///
    /// # Errors
    /// If one is malformed.
    #[doc(hidden)]
    pub fn check_tags(&self) -> Result<(), Error> {
        let mut tags = self.tags();
        tags.by_ref().for_each(drop);
        if tags.is_malformed() { Err(self.bad_tags(tags::MALFORMED)) } else { Ok(()) }
    }

    #[cold]
    pub(crate) fn bad_tags(&self, reason: &'static str) -> Error {
        let name = Shown(self.name()).to_string();
        Error::new(ErrorKind::BadTags { name, reason }, Location::default())
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_missing = self.qualities().iter().all(|&quality| quality == 0xff);
        Described {
            of: "Record",
            name: self.name(),
            flags: self.flags(),
            place: (self.reference_id(), self.position()),
            mapping_quality: self.mapping_quality(),
            cigar: self.cigar(),
            mate: (self.mate_reference_id(), self.mate_position()),
            template_len: self.template_len(),
            sequence: &self.sequence().to_vec(),
            qualities: if is_missing { &[] } else { self.qualities().as_slice() },
            tags: self.tags(),
        }
        .fmt(f)
    }
}

/// The records of one chunk, in file order.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub(crate) chunk: &'a Chunk,
    /// Where the first record framed in the chunk starts in the file.
    pub(crate) place: Option<VirtualOffset>,
    /// Inflated bytes before the chunk's.
    pub(crate) offset: u64,
    pub(crate) bytes: &'a [u8],
    /// Where each record's block size starts.
    pub(crate) starts: &'a [u32],
    /// The places of the records among those the batch was [picked](Subset::of) from.
    pub(crate) picked: Option<&'a [u32]>,
    /// Whether only the records of regions are in it, whose numbers aren't known.
    pub(crate) is_selected: bool,
    pub(crate) first: u64,
    pub(crate) header: &'a Header,
}

impl<'a> Batch<'a> {
    /// How many records.
    #[inline]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The number of the first record in the input, counted from 0. Where records are selected
    /// (see [`Fold`](crate::Fold)) it is the number before selection, in
    /// what is read.
    #[inline]
    pub fn first_record(&self) -> u64 {
        self.first
    }

    /// Where record `index` of the batch starts: the offset in the inflated data, and the offset
    /// of its block in the file if that is BGZF. `None` if there is no such record.
    #[doc(hidden)]
    pub fn place_of(&self, index: usize) -> Option<(u64, Option<u64>)> {
        let (offset, place) = self.start_of(index)?;
        Some((offset, place.map(VirtualOffset::compressed)))
    }

    /// The same with the virtual offset.
    #[doc(hidden)]
    pub fn start_of(&self, index: usize) -> Option<(u64, Option<VirtualOffset>)> {
        let start = *self.starts.get(index)? as usize;
        let place = self.chunk.virtual_offset(start);
        // What starts in the chunk before starts where the framer remembers.
        let is_first = self.index_before_picking(index) == 0;
        let place = place.or(if is_first { self.place } else { None });
        Some((self.offset + start as u64, place))
    }

    /// An error of a record of this batch, with the record's number and, of BAM in BGZF, its place. Any other error stays as it is.
    #[doc(hidden)]
    pub fn located(&self, error: Error) -> Error {
        let Some(address) = error.address().filter(|_| !self.is_selected) else { return error };
        // A record's bytes follow its block size.
        let start = address.checked_sub(self.bytes.as_ptr() as usize + 4);
        let is_it = |at: &u32| Some(*at as usize) == start;
        let Some(index) = self.starts.iter().position(is_it) else { return error };
        let record = self.first + u64::from(self.index_before_picking(index)) + 1;
        let place = self.start_of(index).and_then(|(offset, place)| Some((offset, place?)));
        let at = Location {
            record: Some(record),
            offset: place.map(|(offset, _)| offset),
            block: place.map(|(_, place)| place.compressed()),
            ..Location::default()
        };
        error.with_at(at)
    }

    /// Notes that a text has, from `at` on, `record` as it is stored in this batch. Of a record that isn't of this batch nothing is
    /// noted.
    #[doc(hidden)]
    #[inline]
    pub fn copied(&self, record: &Record<'_>, at: usize, copies: &mut Copies) {
        if !copies.wanted() {
            return;
        }
        let (batch, record) = (self.bytes.as_ptr_range(), record.as_bytes().as_ptr_range());
        if record.start < batch.start || record.end > batch.end {
            return;
        }
        let start = record.start as usize - batch.start as usize;
        let end = record.end as usize - batch.start as usize;
        if let Some(start) = start.checked_sub(4) {
            copies.push(at, start..end, self.chunk);
        }
    }

    /// The number of reference sequences in the header; every reference index is below it.
    #[inline]
    pub fn reference_count(&self) -> usize {
        self.header.references().len()
    }

    /// The header of the input; an empty one if the batch comes before its end.
    #[inline]
    pub fn header(&self) -> &'a Header {
        self.header
    }

    /// The record of this index in the batch.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Record<'a>> {
        self.starts.get(index).map(|&start| record_at(self.bytes, start))
    }

    /// The records in order.
    #[inline]
    pub fn iter(&self) -> Records<'a> {
        Records { bytes: self.bytes, starts: self.starts.iter() }
    }

    /// The records in order, each with its number in the input, counted from 0 as [`first_record`](Self::first_record).
    #[inline]
    pub fn numbered(&self) -> impl Iterator<Item = (u64, Record<'a>)> + use<'a> {
        let batch = *self;
        self.iter().enumerate().map(move |(index, record)| {
            (batch.first + u64::from(batch.index_before_picking(index)), record)
        })
    }

    #[inline]
    fn index_before_picking(&self, index: usize) -> u32 {
        self.picked.and_then(|picked| picked.get(index).copied()).unwrap_or(index as u32)
    }
}

/// Some of the records of a batch, such as those of a read group, which keep their numbers.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions, Subset, Fold};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let without_place = |found: &mut Vec<u64>, batch: biofast_bam::Batch<'_>| {
///     let mut subset = Subset::default();
///     for (index, record) in batch.iter().enumerate() {
///         if record.reference_id() < 0 {
///             subset.push(batch, index);
///         }
///     }
///     found.extend(subset.of(batch).numbered().map(|(number, _)| number));
/// };
/// let (_, found) =
///     Fold::new(input.source).options(&options).run(Vec::new, without_place, |all, found| all.extend(found))?;
/// assert_eq!(found, [1]);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Subset {
    starts: Vec<u32>,
    picked: Vec<u32>,
}

impl Subset {
    /// Forgets all records.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.picked.clear();
    }

    /// Adds the record of this index in the batch, if there is one. Indices must ascend.
    #[inline]
    pub fn push(&mut self, batch: Batch<'_>, index: usize) {
        if let Some(&start) = batch.starts.get(index) {
            self.starts.push(start);
            self.picked.push(batch.index_before_picking(index));
        }
    }

    /// The records that were added, as a batch. `batch` must be the one they were added of.
    pub fn of<'a>(&'a self, batch: Batch<'a>) -> Batch<'a> {
        Batch { starts: &self.starts, picked: Some(&self.picked), ..batch }
    }
}

impl<'a> Batch<'a> {
    /// Each record with the virtual offsets where it starts and ends; `None` if the input is not
    /// BGZF. Only for a batch of all records of a chunk.
    pub(crate) fn with_places(
        &self,
    ) -> Option<impl Iterator<Item = (Record<'a>, VirtualOffset, VirtualOffset)> + 'a> {
        let chunk = self.chunk;
        let mut start = self.place?;
        let ends = self
            .starts
            .iter()
            .zip(self.iter())
            .map(|(&at, record)| (record, at as usize + 4 + record.as_bytes().len()));
        // Records end in the chunk's own bytes, so the last one tells whether all come from blocks.
        if let Some((_, end)) = ends.clone().next_back() {
            chunk.virtual_offset(end)?;
        }
        Some(ends.map(move |(record, end)| {
            let end = chunk.virtual_offset(end).unwrap_or(VirtualOffset::MAX);
            (record, std::mem::replace(&mut start, end), end)
        }))
    }
}

impl<'a> IntoIterator for Batch<'a> {
    type Item = Record<'a>;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

/// The framed record whose block size starts there.
#[inline]
pub(crate) fn record_at(bytes: &[u8], start: u32) -> Record<'_> {
    let (size, rest) = bytes[start as usize..].split_at(4);
    let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]);
    Record::new(&rest[..size as usize])
}

/// Iterator over the records of a [`Batch`].
#[derive(Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    starts: std::slice::Iter<'a, u32>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        self.starts.next().map(|&start| record_at(self.bytes, start))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.starts.size_hint()
    }
}

impl DoubleEndedIterator for Records<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.starts.next_back().map(|&start| record_at(self.bytes, start))
    }
}

impl ExactSizeIterator for Records<'_> {}
