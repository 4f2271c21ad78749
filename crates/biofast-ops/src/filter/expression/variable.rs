//! The fields of a record by the names expressions have for them.

use std::borrow::Cow;

use biofast_bam::{Header, Op, Record, flag};

use super::value::Value;

/// A field of a record, or something computed from fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    Cigar,
    CigarLen,
    End,
    Flags,
    /// One bit of the flags.
    Flag(u16),
    HardClipped,
    Library,
    MappingQuality,
    MateName,
    MatePosition,
    MateReference,
    Position,
    Qualities,
    QueryLen,
    QueryName,
    Reference,
    ReferenceLen,
    ReferenceName,
    Sequence,
    SoftClipped,
    TemplateLen,
}

/// Every name.
pub(super) const NAMES: [(&str, Variable); 34] = [
    ("cigar", Variable::Cigar),
    ("endpos", Variable::End),
    ("flag", Variable::Flags),
    ("flag.dup", Variable::Flag(flag::DUPLICATE)),
    ("flag.mreverse", Variable::Flag(flag::MATE_REVERSE)),
    ("flag.munmap", Variable::Flag(flag::MATE_UNMAPPED)),
    ("flag.paired", Variable::Flag(flag::PAIRED)),
    ("flag.proper_pair", Variable::Flag(flag::PROPER_PAIR)),
    ("flag.qcfail", Variable::Flag(flag::QC_FAIL)),
    ("flag.read1", Variable::Flag(flag::READ1)),
    ("flag.read2", Variable::Flag(flag::READ2)),
    ("flag.reverse", Variable::Flag(flag::REVERSE)),
    ("flag.secondary", Variable::Flag(flag::SECONDARY)),
    ("flag.supplementary", Variable::Flag(flag::SUPPLEMENTARY)),
    ("flag.unmap", Variable::Flag(flag::UNMAPPED)),
    // Of samtools after 1.16.
    ("hclen", Variable::HardClipped),
    ("library", Variable::Library),
    ("mapq", Variable::MappingQuality),
    ("mpos", Variable::MatePosition),
    ("mrefid", Variable::MateReference),
    ("mrname", Variable::MateName),
    ("ncigar", Variable::CigarLen),
    ("pnext", Variable::MatePosition),
    ("pos", Variable::Position),
    ("qlen", Variable::QueryLen),
    ("qname", Variable::QueryName),
    ("qual", Variable::Qualities),
    ("refid", Variable::Reference),
    ("rlen", Variable::ReferenceLen),
    ("rname", Variable::ReferenceName),
    ("rnext", Variable::MateName),
    ("sclen", Variable::SoftClipped),
    ("seq", Variable::Sequence),
    ("tlen", Variable::TemplateLen),
];

impl Variable {
    pub(super) fn from_name(name: &str) -> Option<Variable> {
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, variable)| variable)
    }

    pub(super) fn is_text(self) -> bool {
        use Variable::{Cigar, Library, MateName, Qualities, QueryName, ReferenceName, Sequence};
        matches!(
            self,
            Cigar | Library | MateName | Qualities | QueryName | ReferenceName | Sequence
        )
    }

    /// The value in a record.
    #[inline]
    pub(super) fn value<'a>(self, record: &Record<'a>, header: &'a Header) -> Value<'a> {
        match self.number(record) {
            Some(number) => Value::number(number),
            None => Value::text(self.text(record, header)),
        }
    }

    /// The value of a variable that is no text.
    #[inline]
    pub(super) fn number(self, record: &Record<'_>) -> Option<f64> {
        Some(match self {
            Variable::CigarLen => record.cigar().len() as f64,
            Variable::End => record.alignment_end() as f64,
            Variable::Flags => f64::from(record.flags()),
            Variable::Flag(bit) => f64::from(record.flags() & bit),
            Variable::HardClipped => hard_clipped(record) as f64,
            Variable::MappingQuality => f64::from(record.mapping_quality()),
            Variable::MatePosition => f64::from(record.mate_position()) + 1.0,
            Variable::MateReference => f64::from(record.mate_reference_id()),
            Variable::Position => f64::from(record.position()) + 1.0,
            Variable::QueryLen => {
                let ops = record.cigar().iter().filter(|(op, _)| op.consumes_read());
                ops.map(|(_, len)| u64::from(len)).sum::<u64>() as f64
            }
            Variable::Reference => f64::from(record.reference_id()),
            Variable::ReferenceLen => record.cigar().reference_len() as f64,
            Variable::SoftClipped => soft_clipped(record) as f64,
            Variable::TemplateLen => f64::from(record.template_len()),
            _ => return None,
        })
    }

    fn text<'a>(self, record: &Record<'a>, header: &'a Header) -> Cow<'a, [u8]> {
        let reference = |id: i32| {
            let found = usize::try_from(id).ok().and_then(|id| header.references().get(id));
            Cow::Borrowed(found.map_or(&b"*"[..], |reference| &reference.name))
        };
        match self {
            Variable::Cigar => cigar(record).into(),
            Variable::Library => {
                let group = record.tags().find(|tag| tag.name == *b"RG");
                let group = group.and_then(|tag| tag.as_text());
                group.and_then(|group| header.library(group)).unwrap_or_default().into()
            }
            Variable::MateName => reference(record.mate_reference_id()),
            Variable::ReferenceName => reference(record.reference_id()),
            Variable::Qualities => record.qualities().into(),
            Variable::Sequence => {
                let mut letters = Vec::with_capacity(record.sequence_len());
                let packed = record.packed_sequence();
                biofast_kernels::unpack_bases(packed, record.sequence_len(), &mut letters);
                letters.into()
            }
            _ => record.name().into(),
        }
    }
}

/// The CIGAR as SAM has it.
fn cigar(record: &Record<'_>) -> Vec<u8> {
    const LETTERS: &[u8; 16] = b"MIDNSHP=XB??????";
    let mut text = Vec::new();
    for word in record.cigar().words() {
        text.extend_from_slice((word >> 4).to_string().as_bytes());
        text.push(LETTERS[(word & 15) as usize]);
    }
    if text.is_empty() {
        text.push(b'*');
    }
    text
}

/// Soft-clipped bases at both ends, outside of which may be a hard clip each. A CIGAR that is
/// nothing but one soft clip counts once.
fn soft_clipped(record: &Record<'_>) -> u64 {
    let cigar = record.cigar();
    let count = cigar.len();
    let clip = |index: Option<usize>| match index.and_then(|index| cigar.get(index)) {
        Some((Op::SoftClip, len)) => Some(u64::from(len)),
        _ => None,
    };
    let is_hard = |index: Option<usize>| {
        index.and_then(|index| cigar.get(index)).is_some_and(|(op, _)| op == Op::HardClip)
    };
    let (left, first) = match clip(Some(0)) {
        None if is_hard(Some(0)) => clip(Some(1)).map_or((0, 0), |len| (1, len)),
        found => (0, found.unwrap_or(0)),
    };
    let last_at = |from_end: usize| count.checked_sub(from_end).filter(|&index| index > left);
    let last = match clip(last_at(1)) {
        None if is_hard(last_at(1)) => clip(last_at(2)),
        found => found,
    };
    first + last.unwrap_or(0)
}

/// Hard-clipped bases at both ends.
fn hard_clipped(record: &Record<'_>) -> u64 {
    let cigar = record.cigar();
    let clip = |index: usize| match cigar.get(index) {
        Some((Op::HardClip, len)) => u64::from(len),
        _ => 0,
    };
    clip(0) + if cigar.len() > 1 { clip(cigar.len() - 1) } else { 0 }
}
