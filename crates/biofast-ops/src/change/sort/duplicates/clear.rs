//! Marks of the input, removed.

use biofast_bam::{Record, flag};

use super::rule::{DuplicateRule, Marking};
use crate::tags::append_tags;

impl Marking {
    /// Whether a mark that the input has is removed.
    pub(super) fn clears(&self, flags: u16) -> bool {
        (self.clear || self.rule == DuplicateRule::Picard) && flags & flag::DUPLICATE != 0
    }
}

/// Whether a tag says what an earlier mark was about.
pub(super) fn is_of_mark(name: [u8; 2]) -> bool {
    matches!(&name, b"dt" | b"do")
}

/// Writes the record without its mark and the tags about it to `out`, if the rule removes some of them; else `false`.
pub(in crate::change) fn cleared(
    record: &Record<'_>,
    marking: &Marking,
    out: &mut Vec<u8>,
) -> bool {
    let is_picard = marking.rule == DuplicateRule::Picard;
    let is_unwanted = |name: [u8; 2]| match is_picard {
        true => name == *b"DT",
        false => is_of_mark(name),
    };
    let changes = marking.clears(record.flags())
        || (is_picard && record.tags().any(|tag| is_unwanted(tag.name)));
    if changes {
        out.clear();
        let fixed = record.as_bytes().len() - record.tag_bytes().len();
        out.extend_from_slice(&record.as_bytes()[..fixed]);
        out[14..16].copy_from_slice(&(record.flags() & !flag::DUPLICATE).to_le_bytes());
        append_tags(record, out, is_unwanted);
    }
    changes
}
