//! Optional fields that are copied, written or looked up in records.

use std::ops::Range;

use biofast_bam::{Record, Tag};

/// Appends a record's optional fields without some.
pub(crate) fn append_tags(
    record: &Record<'_>,
    out: &mut Vec<u8>,
    is_unwanted: impl Fn([u8; 2]) -> bool,
) {
    // Mostly there is none of them.
    if !record.tags().any(|tag| is_unwanted(tag.name)) {
        out.extend_from_slice(record.tag_bytes());
        return;
    }
    for tag in record.tags().filter(|tag| !is_unwanted(tag.name)) {
        out.extend_from_slice(&tag.name);
        out.push(tag.kind);
        out.extend_from_slice(tag.value);
        if matches!(tag.kind, b'Z' | b'H') {
            out.push(0);
        }
    }
}

/// Appends an optional field of text.
pub(crate) fn append_text(name: [u8; 2], text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&name);
    out.push(b'Z');
    out.extend_from_slice(text);
    out.push(0);
}

/// Gives an optional field of a stored record this text: in its place where there is one, else at the end.
pub(crate) fn set_text(name: [u8; 2], text: &[u8], record: &mut Vec<u8>) {
    let mut field = Vec::with_capacity(text.len() + 4);
    append_text(name, text, &mut field);
    let found = stored_tags(&Record::from_checked(record)).find(|(tag, _)| tag.name == name);
    let place = found.map_or(record.len()..record.len(), |(_, place)| place);
    record.splice(place, field);
}

/// A record's optional fields, each with where it is stored in the record: its name, its type, its value, and a NUL behind text.
pub(crate) fn stored_tags<'r>(
    record: &Record<'r>,
) -> impl Iterator<Item = (Tag<'r>, Range<usize>)> {
    let mut at = record.as_bytes().len() - record.tag_bytes().len();
    record.tags().map(move |tag| {
        let start = at;
        at += 3 + tag.value.len() + usize::from(matches!(tag.kind, b'Z' | b'H'));
        (tag, start..at)
    })
}

/// The read group that a record names.
pub(crate) fn read_group<'r>(record: &Record<'r>) -> Option<&'r [u8]> {
    record.tags().find(|tag| tag.name == *b"RG").and_then(|tag| tag.as_text())
}
