//! Records of one's own: made, or copied from others, and changed at will. What can't be stored is said
//! when they are written.

pub(crate) mod builder;
mod encode;
mod fields;

use std::fmt;

use crate::cigar::Cigar;
use crate::cigar_buf::CigarBuf;
use crate::flag;
use crate::header::Header;
use crate::phred::Phred;
use crate::record::Record;
use crate::tags::{Described, Tags};

/// An alignment record that owns its fields and can be changed.
///
/// Fields may contradict each other while they are changed. Everything is checked when the record is
/// [written](Self::write_bam), or by [`check`](Self::check); the bin is computed then.
///
/// ```
/// use biofast_bam::{Header, RecordBuf, Value, flag};
///
/// let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// let mut record = RecordBuf::mapped("r1", 0, 99, "4M".parse()?).sequence(b"ACGT").build()?;
/// record.set_flags(record.flags() | flag::DUPLICATE).set_mapping_quality(30);
/// record.set_tag(b"NM", 1u8)?.set_tag(b"RG", "lane1")?;
/// assert_eq!(record.tag(b"NM")?, Some(Value::U8(1)));
/// assert!(record.remove_tag(b"RG"));
///
/// let mut bytes = Vec::new();
/// let written = record.write_bam(&header, &mut bytes)?;
/// assert_eq!(written.to_buf(), record);
///
/// record.set_cigar("5M".parse::<biofast_bam::CigarBuf>()?);
/// let error = record.check(&header).expect_err("five of four bases");
/// assert!(error.to_string().contains("CIGAR"));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RecordBuf {
    /// Without a NUL; empty if it is missing.
    name: Vec<u8>,
    flags: u16,
    /// Index of the reference, −1 for none; so are the mate's.
    reference_id: i32,
    /// Counted from 0, −1 for none.
    position: i32,
    mapping_quality: u8,
    cigar: CigarBuf,
    mate_reference_id: i32,
    mate_position: i32,
    template_len: i32,
    /// Letters.
    sequence: Vec<u8>,
    /// Phred values; empty if they are missing.
    qualities: Vec<u8>,
    /// The optional fields as BAM stores them, without a CIGAR among them.
    tags: Vec<u8>,
}

impl Default for RecordBuf {
    /// An unmapped record without name, sequence and tags.
    fn default() -> Self {
        RecordBuf {
            name: Vec::new(),
            flags: flag::UNMAPPED,
            reference_id: -1,
            position: -1,
            mapping_quality: 0,
            cigar: CigarBuf::new(),
            mate_reference_id: -1,
            mate_position: -1,
            template_len: 0,
            sequence: Vec::new(),
            qualities: Vec::new(),
            tags: Vec::new(),
        }
    }
}

impl From<&Record<'_>> for RecordBuf {
    fn from(record: &Record<'_>) -> Self {
        let mut own = RecordBuf::default();
        own.copy_from(record);
        own
    }
}

impl From<Record<'_>> for RecordBuf {
    fn from(record: Record<'_>) -> Self {
        RecordBuf::from(&record)
    }
}

impl RecordBuf {
    /// Becomes a copy of `record`, in the memory it has: for loops over many records.
    ///
    /// What doesn't belong to the record's meaning isn't kept: NULs at the end of its name, its bin, and where a long
    /// CIGAR is stored.
    pub fn copy_from(&mut self, record: &Record<'_>) {
        self.name.clear();
        self.name.extend_from_slice(record.name());
        while self.name.last() == Some(&0) {
            self.name.pop();
        }
        self.flags = record.flags();
        self.reference_id = record.reference_id();
        self.position = record.position();
        self.mapping_quality = record.mapping_quality();
        self.cigar.copy_from(record.cigar());
        self.mate_reference_id = record.mate_reference_id();
        self.mate_position = record.mate_position();
        self.template_len = record.template_len();
        self.sequence.clear();
        record.sequence().append_to(&mut self.sequence);
        self.qualities.clear();
        if record.qualities().iter().any(|&quality| quality != 0xff) {
            self.qualities.extend_from_slice(record.qualities().as_slice());
        }
        self.tags.clear();
        self.tags.extend_from_slice(record.tag_bytes());
        if record.has_long_cigar() {
            // Malformed fields behind it stay, and are found when the record is written.
            self.remove_tag(b"CG");
        }
    }

    /// The read's name; empty if it is missing, which is written as `*`.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The flags (FLAG), whose bits are in [`flag`].
    pub fn flags(&self) -> u16 {
        self.flags
    }

    /// The index of the reference sequence, −1 if there is none.
    pub fn reference_id(&self) -> i32 {
        self.reference_id
    }

    /// The name of the reference sequence.
    pub fn reference_name<'h>(&self, header: &'h Header) -> Option<&'h [u8]> {
        header.reference_name(self.reference_id)
    }

    /// The leftmost position, counted from 0, −1 if there is none.
    pub fn position(&self) -> i32 {
        self.position
    }

    /// The mapping quality (MAPQ), 255 if unknown.
    pub fn mapping_quality(&self) -> u8 {
        self.mapping_quality
    }

    /// The CIGAR, however long.
    pub fn cigar(&self) -> Cigar<'_> {
        self.cigar.as_cigar()
    }

    /// The mate's reference sequence, −1 if there is none.
    pub fn mate_reference_id(&self) -> i32 {
        self.mate_reference_id
    }

    /// The mate's leftmost position, counted from 0, −1 if there is none.
    pub fn mate_position(&self) -> i32 {
        self.mate_position
    }

    /// The template length (TLEN).
    pub fn template_len(&self) -> i32 {
        self.template_len
    }

    /// The bases as letters; none if the sequence is missing.
    pub fn sequence(&self) -> &[u8] {
        &self.sequence
    }

    /// The qualities: Phred values without an offset; none if they are missing.
    pub fn qualities(&self) -> Phred<'_> {
        Phred::new(&self.qualities)
    }

    /// The first position after the alignment, counted from 0, as
    /// [`Record::alignment_end`] has it.
    pub fn alignment_end(&self) -> i64 {
        let is_mapped = self.flags & flag::UNMAPPED == 0;
        let len = if is_mapped { self.cigar().reference_len() } else { 0 };
        // A CIGAR takes less than 2^60 bases.
        i64::from(self.position) + len.max(1) as i64
    }

    /// Sets the read's name, of 1 to 254 characters; none is written as `*`.
    pub fn set_name(&mut self, name: impl AsRef<[u8]>) -> &mut Self {
        self.name.clear();
        self.name.extend_from_slice(name.as_ref());
        self
    }

    /// Sets all flags.
    pub fn set_flags(&mut self, flags: u16) -> &mut Self {
        self.flags = flags;
        self
    }

    /// Sets the reference sequence by its index in the header, −1 for none.
    pub fn set_reference_id(&mut self, reference_id: i32) -> &mut Self {
        self.reference_id = reference_id;
        self
    }

    /// Sets the leftmost position, counted from 0, −1 for none.
    pub fn set_position(&mut self, position: i32) -> &mut Self {
        self.position = position;
        self
    }

    /// Sets the mapping quality, 255 for unknown.
    pub fn set_mapping_quality(&mut self, mapping_quality: u8) -> &mut Self {
        self.mapping_quality = mapping_quality;
        self
    }

    /// Sets the CIGAR. More than 65,535 operations go to the tag `CG` when the record is written.
    pub fn set_cigar(&mut self, cigar: impl Into<CigarBuf>) -> &mut Self {
        self.cigar = cigar.into();
        self
    }

    /// Sets the mate's reference sequence by its index in the header, −1 for none.
    pub fn set_mate_reference_id(&mut self, reference_id: i32) -> &mut Self {
        self.mate_reference_id = reference_id;
        self
    }

    /// Sets the mate's leftmost position, counted from 0, −1 for none.
    pub fn set_mate_position(&mut self, position: i32) -> &mut Self {
        self.mate_position = position;
        self
    }

    /// Sets the template length.
    pub fn set_template_len(&mut self, template_len: i32) -> &mut Self {
        self.template_len = template_len;
        self
    }

    /// Sets the sequence: letters that BAM has codes for, `=ACMGRSVTWYHKDBN`, in upper or lower case; none for a
    /// missing one. Qualities stay as they are.
    pub fn set_sequence(&mut self, letters: impl AsRef<[u8]>) -> &mut Self {
        self.sequence.clear();
        self.sequence.extend(letters.as_ref().iter().map(u8::to_ascii_uppercase));
        self
    }

    /// Sets the qualities: Phred values up to 93 without an offset, as many as bases, or none for missing ones.
    pub fn set_qualities(&mut self, qualities: impl AsRef<[u8]>) -> &mut Self {
        self.qualities.clear();
        self.qualities.extend_from_slice(qualities.as_ref());
        self
    }

    /// The optional fields one by one.
    pub fn tags(&self) -> Tags<'_> {
        Tags::new(&self.tags)
    }
}

impl fmt::Debug for RecordBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Described {
            of: "RecordBuf",
            name: &self.name,
            flags: self.flags,
            place: (self.reference_id, self.position),
            mapping_quality: self.mapping_quality,
            cigar: self.cigar(),
            mate: (self.mate_reference_id, self.mate_position),
            template_len: self.template_len,
            sequence: &self.sequence,
            qualities: &self.qualities,
            tags: self.tags(),
        }
        .fmt(f)
    }
}

impl Record<'_> {
    /// The same record in memory of its own, to keep or to change.
    pub fn to_buf(&self) -> RecordBuf {
        RecordBuf::from(self)
    }
}
