//! Tags that are copied or looked up in records.

use biofast_bam::Record;

/// Appends a record's optional fields without some.
pub(super) fn append_tags(
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

/// The read group that a record names.
pub(super) fn read_group<'r>(record: &Record<'r>) -> Option<&'r [u8]> {
    record.tags().find(|tag| tag.name == *b"RG").and_then(|tag| tag.as_text())
}
