//! Records borrowed from the chunk they were inflated into; fields are decoded when asked for.

use biofast_io::Chunk;
use biofast_io::bgzf::VirtualOffset;

use crate::cigar::{self, Cigar};
use crate::flag;
use crate::header::Header;
use crate::tags::Tags;

/// The bytes of the fixed-length fields after the block size.
pub(crate) const FIXED_LEN: usize = 32;

/// One alignment record. Its length fields were checked when it was framed.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    /// Everything after the block size.
    bytes: &'a [u8],
}

impl<'a> Record<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Record { bytes }
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
        if !cigar::is_placeholder(stored, self.sequence_len()) {
            return None;
        }
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

    fn sequence_start(&self) -> usize {
        FIXED_LEN + self.name_len() + 4 * self.cigar_ops()
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
    pub fn qualities(&self) -> &'a [u8] {
        let start = self.sequence_start() + self.sequence_len().div_ceil(2);
        &self.bytes[start..start + self.sequence_len()]
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
    /// (see [`par_fold_regions`](crate::par_fold_regions)) it is the number before selection, in
    /// what is read.
    #[inline]
    pub fn first_record(&self) -> u64 {
        self.first
    }

    /// Where record `index` of the batch starts: the offset in the inflated data, and the offset
    /// of its block in the file if that is BGZF. `None` if there is no such record.
    pub fn place_of(&self, index: usize) -> Option<(u64, Option<u64>)> {
        let start = *self.starts.get(index)? as usize;
        let place = self.chunk.virtual_offset(start);
        // What starts in the chunk before starts where the framer remembers.
        let place = place.or(if index == 0 { self.place } else { None });
        Some((self.offset + start as u64, place.map(VirtualOffset::compressed)))
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

    /// The records in order.
    #[inline]
    pub fn iter(&self) -> Records<'a> {
        Records { bytes: self.bytes, starts: self.starts.iter() }
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

/// Iterates over the records of a [`Batch`].
#[derive(Clone)]
pub struct Records<'a> {
    bytes: &'a [u8],
    starts: std::slice::Iter<'a, u32>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        self.starts.next().map(|&start| {
            let (size, rest) = self.bytes[start as usize..].split_at(4);
            let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]);
            Record::new(&rest[..size as usize])
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.starts.size_hint()
    }
}

impl DoubleEndedIterator for Records<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let last = self.starts.as_slice().last()?;
        let record =
            Records { bytes: self.bytes, starts: std::slice::from_ref(last).iter() }.next();
        self.starts.next_back();
        record
    }
}

impl ExactSizeIterator for Records<'_> {}
