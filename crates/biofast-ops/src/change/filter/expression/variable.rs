//! The fields of a record by the names expressions have for them.

use biofast_bam::{Op, Record, flag};

use super::error::EvalError;

use super::subject::{EvalSubject, tag};
use super::value::{Data, Value};

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

    /// The value in a record, for the variable at byte `at` of the expression.
    #[inline]
    pub(super) fn value<'a>(
        self,
        at: usize,
        subject: EvalSubject<'a, '_>,
    ) -> Result<Value<'a>, EvalError> {
        let EvalSubject { record, header } = subject;
        let reference = |id: i32| {
            let found = usize::try_from(id).ok().and_then(|id| header.references().get(id));
            Value::text(found.map_or(&b"*"[..], |reference| &reference.name))
        };
        Ok(match self {
            Variable::Cigar => Value::text(cigar(record)),
            Variable::CigarLen => Value::number(record.cigar().len() as f64),
            Variable::End => Value::number(record.alignment_end() as f64),
            Variable::Flags => Value::number(record.flags().into()),
            Variable::Flag(bit) => Value::number((record.flags() & bit).into()),
            Variable::HardClipped => Value::number(hard_clipped(record) as f64),
            Variable::Library => {
                let library = match tag(*b"RG", at, subject)?.data {
                    Data::Text(group) => header.library(&group),
                    _ => None,
                };
                Value::text(library.unwrap_or_default())
            }
            Variable::MappingQuality => Value::number(record.mapping_quality().into()),
            Variable::MateName => reference(record.mate_reference_id()),
            Variable::MatePosition => Value::number(f64::from(record.mate_position()) + 1.0),
            Variable::MateReference => Value::number(record.mate_reference_id().into()),
            Variable::Position => Value::number(f64::from(record.position()) + 1.0),
            Variable::Qualities => Value::text(record.qualities().as_slice()),
            Variable::QueryLen => {
                let ops = record.cigar().iter().filter(|(op, _)| op.consumes_read());
                Value::number(ops.map(|(_, len)| u64::from(len)).sum::<u64>() as f64)
            }
            Variable::QueryName => Value::text(record.name()),
            Variable::Reference => Value::number(record.reference_id().into()),
            Variable::ReferenceLen => Value::number(record.cigar().reference_len() as f64),
            Variable::ReferenceName => reference(record.reference_id()),
            Variable::Sequence => {
                let mut letters = Vec::with_capacity(record.sequence_len());
                let packed = record.packed_sequence();
                biofast_kernels::unpack_bases(packed, record.sequence_len(), &mut letters);
                Value::text(letters)
            }
            Variable::SoftClipped => Value::number(soft_clipped(record) as f64),
            Variable::TemplateLen => Value::number(record.template_len().into()),
        })
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
