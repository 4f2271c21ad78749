//! What an expression is evaluated on: a record, its header and its tags.

use biofast_bam::{Header, Record, Tag};

use super::error::{EvalError, EvalErrorKind};
use super::value::{Data, Value};

/// What an expression is asked about.
#[derive(Clone, Copy)]
pub(super) struct EvalSubject<'a, 'r> {
    pub(super) record: &'r Record<'a>,
    pub(super) header: &'a Header,
}

/// The optional field of this name.
pub(super) fn tag<'a>(
    name: [u8; 2],
    at: usize,
    subject: EvalSubject<'a, '_>,
) -> EvalResult<Value<'a>> {
    let mut tags = subject.record.tags();
    let data = match tags.by_ref().find(|tag| tag.name == name) {
        // It is part of the CIGAR then.
        Some(_) if name == *b"CG" && subject.record.has_long_cigar() => Data::Absent,
        Some(Tag { kind: b'A', value, .. }) => Data::Text(value.into()),
        Some(Tag { kind: b'f', value, .. }) => {
            let bytes = value.first_chunk().copied().unwrap_or_default();
            Data::Number(f64::from(f32::from_le_bytes(bytes)))
        }
        Some(Tag { kind: b'd', value, .. }) => {
            Data::Number(f64::from_le_bytes(value.first_chunk().copied().unwrap_or_default()))
        }
        Some(tag) => match (tag.as_int(), tag.as_text()) {
            (Some(number), _) => Data::Number(number as f64),
            (None, Some(text)) => Data::Text(text.into()),
            (None, None) => Data::Array,
        },
        None if tags.is_malformed() => {
            return Err(EvalError::new(EvalErrorKind::MalformedTags, at));
        }
        None => Data::Absent,
    };
    let truth = !matches!(data, Data::Absent);
    Ok(Value { data, truth })
}

pub(super) type EvalResult<T> = std::result::Result<T, EvalError>;
