//! Headers and records to and from the types of noodles, and the crates these are of. With the feature `noodles`.
//!
//! Nothing is lost on the way, or there is an error: what noodles has no place for are flags above 2,048, places below −1, optional fields of
//! the type `d` or given twice, and operations of a CIGAR without a meaning. A missing name is none there, and a missing mapping
//! quality (255) too.
//!
//! ```
//! use biofast_bam::noodles::sam::alignment::record::data::field::Tag;
//! use biofast_bam::{Header, RecordBuf};
//!
//! let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
//! let record = RecordBuf::mapped("r1", 0, 99, "4M".parse()?).sequence(b"ACGT").tag(b"NM", 1u8).build()?;
//!
//! let theirs = record.to_noodles()?;
//! assert_eq!(theirs.alignment_start().map(usize::from), Some(100));
//! assert_eq!(theirs.data().get(&Tag::EDIT_DISTANCE).and_then(|value| value.as_int()), Some(1));
//! assert_eq!(header.to_noodles()?.reference_sequences().len(), 1);
//!
//! assert_eq!(RecordBuf::from_noodles(&theirs)?, record);
//! assert_eq!(Header::from_noodles(&header.to_noodles()?)?, header);
//! # Ok::<(), biofast_bam::Error>(())
//! ```

pub use noodles_core as core;
pub use noodles_sam as sam;

use std::borrow::Cow;
use std::io;
use std::num::NonZero;

use biofast_io::{Location, Shown};
use noodles_core::Position;
use sam::alignment::record::cigar::{self, op::Kind};
use sam::alignment::record::data::field::Tag;
use sam::alignment::record_buf::data::field as theirs;
use sam::header::record::value::Map;
use sam::header::record::value::map::ReferenceSequence;

use crate::cigar::Op;
use crate::cigar_buf::CigarBuf;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::record::Record;
use crate::record_buf::RecordBuf;
use crate::value::{Array, Value};

/// The operations that both have.
const OPS: [(Op, Kind); 9] = [
    (Op::Match, Kind::Match),
    (Op::Insertion, Kind::Insertion),
    (Op::Deletion, Kind::Deletion),
    (Op::Skip, Kind::Skip),
    (Op::SoftClip, Kind::SoftClip),
    (Op::HardClip, Kind::HardClip),
    (Op::Pad, Kind::Pad),
    (Op::SequenceMatch, Kind::SequenceMatch),
    (Op::SequenceMismatch, Kind::SequenceMismatch),
];

type ConversionReason = Cow<'static, str>;

impl Header {
    /// The header as noodles has it, with a line for each reference. Needs the feature `noodles`.
    ///
    /// # Errors
    /// If noodles can't read the text.
    pub fn to_noodles(&self) -> Result<sam::Header, Error> {
        let text = self.lines();
        let mut header = sam::io::Reader::new(&text[..]).read_header().map_err(invalid)?;
        let is_complete = header.reference_sequences().len() == self.references().len();
        let names = header.reference_sequences().keys().map(|name| name.as_slice());
        if is_complete && names.eq(self.references().iter().map(|reference| &reference.name[..])) {
            return Ok(header);
        }
        // Records refer to the binary list, of which the text may have a part.
        let told = std::mem::take(header.reference_sequences_mut());
        for reference in self.references() {
            let known = told.get(reference.name.as_slice()).cloned();
            let length = usize::try_from(reference.length).ok().and_then(NonZero::new);
            let map = known.or_else(|| Some(Map::<ReferenceSequence>::new(length?))).ok_or_else(
                || {
                    let kind = ErrorKind::BadHeader("a reference sequence without bases");
                    Error::new(kind, Location::default())
                },
            )?;
            header.reference_sequences_mut().insert(reference.name.as_slice().into(), map);
        }
        Ok(header)
    }

    /// The header of one of noodles. Needs the feature `noodles`.
    ///
    /// # Errors
    /// If noodles can't write it, or the text is no header.
    pub fn from_noodles(header: &sam::Header) -> Result<Header, Error> {
        let mut writer = sam::io::Writer::new(Vec::new());
        writer.write_header(header).map_err(invalid)?;
        Header::from_text(writer.get_ref())
    }
}

impl Record<'_> {
    /// The record as noodles has it. Needs the feature `noodles`.
    ///
    /// # Errors
    /// If it has something that noodles has no place for.
    pub fn to_noodles(&self) -> Result<sam::alignment::RecordBuf, Error> {
        self.to_buf().to_noodles()
    }
}

impl RecordBuf {
    /// The record as noodles has it. Needs the feature `noodles`.
    ///
    /// # Errors
    /// If it has something that noodles has no place for.
    pub fn to_noodles(&self) -> Result<sam::alignment::RecordBuf, Error> {
        to_noodles(self).map_err(|reason| unwritable(self.name(), reason))
    }

    /// The record of one of noodles, which isn't checked beyond what a `RecordBuf` checks before it is written. Needs the
    /// feature `noodles`.
    ///
    /// # Errors
    /// If a number is larger than BAM has room for, or a field can't be stored.
    pub fn from_noodles(record: &sam::alignment::RecordBuf) -> Result<RecordBuf, Error> {
        let name: &[u8] = record.name().map(|name| name.as_ref()).unwrap_or_default();
        let refuse = |reason: &'static str| unwritable(name, reason.into());
        let index = |id: Option<usize>| match id {
            None => Ok(-1),
            Some(id) => i32::try_from(id).map_err(|_| refuse("an index above 2,147,483,647")),
        };
        let position = |place: Option<Position>| match place {
            None => Ok(-1),
            Some(place) => {
                i32::try_from(place.get() - 1).map_err(|_| refuse("a position above 2,147,483,648"))
            }
        };
        let mut own = RecordBuf::default();
        own.set_name(name)
            .set_flags(record.flags().into())
            .set_reference_id(index(record.reference_sequence_id())?)
            .set_position(position(record.alignment_start())?)
            .set_mapping_quality(record.mapping_quality().map_or(255, u8::from))
            .set_mate_reference_id(index(record.mate_reference_sequence_id())?)
            .set_mate_position(position(record.mate_alignment_start())?)
            .set_template_len(record.template_length())
            .set_sequence(record.sequence())
            .set_qualities(record.quality_scores());
        let mut cigar = CigarBuf::new();
        for op in record.cigar().as_ref() {
            let known = OPS.iter().find(|(_, kind)| *kind == op.kind());
            let (op, len) = (known.map_or(Op::Unknown, |&(op, _)| op), op.len());
            let len = u32::try_from(len).map_err(|_| refuse("an operation above 2^32 bases"))?;
            cigar.push(op, len)?;
        }
        own.set_cigar(cigar);
        for (tag, value) in record.data().iter() {
            own.set_tag(tag.as_ref(), value_of(value))?;
        }
        Ok(own)
    }
}

fn to_noodles(own: &RecordBuf) -> Result<sam::alignment::RecordBuf, ConversionReason> {
    let mut record = sam::alignment::RecordBuf::default();
    if !matches!(own.name(), b"" | b"*") {
        *record.name_mut() = Some(own.name().into());
    }
    let flags = sam::alignment::record::Flags::from(own.flags());
    if u16::from(flags) != own.flags() {
        return Err("noodles has no flags above 2,048".into());
    }
    *record.flags_mut() = flags;
    let places = [own.reference_id(), own.position(), own.mate_reference_id(), own.mate_position()];
    if places.into_iter().any(|place| place < -1) {
        return Err("an index of a reference, or a position, is below -1".into());
    }
    let index = |id| usize::try_from(id).ok();
    let position = |place| Position::new(usize::try_from(i64::from(place) + 1).ok()?);
    *record.reference_sequence_id_mut() = index(own.reference_id());
    *record.alignment_start_mut() = position(own.position());
    *record.mapping_quality_mut() =
        sam::alignment::record::MappingQuality::new(own.mapping_quality());
    *record.mate_reference_sequence_id_mut() = index(own.mate_reference_id());
    *record.mate_alignment_start_mut() = position(own.mate_position());
    *record.template_length_mut() = own.template_len();
    let op = |(op, len): (Op, u32)| {
        let (_, kind) = OPS.iter().find(|(known, _)| *known == op)?;
        Some(cigar::Op::new(*kind, usize::try_from(len).ok()?))
    };
    let ops: Option<Vec<_>> = own.cigar().iter().map(op).collect();
    let ops = ops.ok_or("its CIGAR has an operation that noodles doesn't support")?;
    *record.cigar_mut() = ops.into();
    *record.sequence_mut() = own.sequence().into();
    *record.quality_scores_mut() = own.qualities().to_vec().into();
    let mut tags = own.tags();
    for tag in &mut tags {
        let name = tag.name.escape_ascii();
        let value = tag.typed().ok_or_else(|| format!("tag {name} is malformed"))?;
        let value = their_value(value)
            .ok_or_else(|| format!("tag {name} has a type that noodles doesn't support"))?;
        if record.data_mut().insert(Tag::from(tag.name), value).is_some() {
            return Err(format!("tag {name} occurs twice").into());
        }
    }
    match tags.is_malformed() {
        true => Err("its tags are malformed".into()),
        false => Ok(record),
    }
}

/// The value as noodles has it; none of a `d`.
fn their_value(value: Value<'_>) -> Option<theirs::Value> {
    use theirs::value::Array as Their;
    Some(match value {
        Value::Character(c) => theirs::Value::Character(c),
        Value::I8(n) => theirs::Value::Int8(n),
        Value::U8(n) => theirs::Value::UInt8(n),
        Value::I16(n) => theirs::Value::Int16(n),
        Value::U16(n) => theirs::Value::UInt16(n),
        Value::I32(n) => theirs::Value::Int32(n),
        Value::U32(n) => theirs::Value::UInt32(n),
        Value::Float(x) => theirs::Value::Float(x),
        Value::Double(_) => return None,
        Value::Text(text) => theirs::Value::String(text.into()),
        Value::Hex(digits) => theirs::Value::Hex(digits.into()),
        Value::Array(array) => theirs::Value::Array(match array {
            Array::I8(v) => Their::Int8(v.iter().collect()),
            Array::U8(v) => Their::UInt8(v.iter().collect()),
            Array::I16(v) => Their::Int16(v.iter().collect()),
            Array::U16(v) => Their::UInt16(v.iter().collect()),
            Array::I32(v) => Their::Int32(v.iter().collect()),
            Array::U32(v) => Their::UInt32(v.iter().collect()),
            Array::F32(v) => Their::Float(v.iter().collect()),
        }),
    })
}

fn value_of(value: &theirs::Value) -> Value<'_> {
    use theirs::value::Array as Their;
    match value {
        theirs::Value::Character(c) => Value::Character(*c),
        theirs::Value::Int8(n) => Value::I8(*n),
        theirs::Value::UInt8(n) => Value::U8(*n),
        theirs::Value::Int16(n) => Value::I16(*n),
        theirs::Value::UInt16(n) => Value::U16(*n),
        theirs::Value::Int32(n) => Value::I32(*n),
        theirs::Value::UInt32(n) => Value::U32(*n),
        theirs::Value::Float(x) => Value::Float(*x),
        theirs::Value::String(text) => Value::Text(text.as_ref()),
        theirs::Value::Hex(digits) => Value::Hex(digits.as_ref()),
        theirs::Value::Array(array) => match array {
            Their::Int8(v) => Value::array(&v[..]),
            Their::UInt8(v) => Value::array(&v[..]),
            Their::Int16(v) => Value::array(&v[..]),
            Their::UInt16(v) => Value::array(&v[..]),
            Their::Int32(v) => Value::array(&v[..]),
            Their::UInt32(v) => Value::array(&v[..]),
            Their::Float(v) => Value::array(&v[..]),
        },
    }
}

fn unwritable(name: &[u8], reason: ConversionReason) -> Error {
    Error::new(ErrorKind::Unwritable { name: Shown(name).to_string(), reason }, Location::default())
}

fn invalid(error: io::Error) -> Error {
    biofast_io::Error::new(biofast_io::ErrorKind::Io(error), Location::default()).into()
}
