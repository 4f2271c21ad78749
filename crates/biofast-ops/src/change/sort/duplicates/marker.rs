//! Marks records while they are merged.

use biofast_bam::{Record, flag};

use super::decisions::DuplicateDecisions;
use super::metrics::{ByLibrary, DuplicateCounts, LibraryCounts, SetSizes};
use super::rule::Marking;
use crate::change::sort::gather::SortEntry;

/// Marks records while they are merged.
pub(in crate::change::sort) struct Marker {
    pub(super) decisions: DuplicateDecisions,
    pub(super) marking: Marking,
    /// Whether the field `dt` is written.
    pub(super) tells_types: bool,
    pub(super) counts: DuplicateCounts,
    pub(super) by_library: Option<ByLibrary>,
    pub(super) record: Vec<u8>,
}

impl Marker {
    /// Takes the next record; `false` if it is left out.
    pub(in crate::change::sort) fn take(&mut self, entry: &SortEntry<'_>) -> bool {
        let mut flags = u16::from_le_bytes([entry.record[14], entry.record[15]]);
        let looked_at = self.decisions.reads.get(entry.number);
        let other = flag::SUPPLEMENTARY | flag::UNMAPPED | flag::SECONDARY;
        let follows = flags & other != 0 && self.decisions.groups.get(entry.number);
        // A mate that isn't aligned is left unmarked, but doesn't stay alone.
        let is_left_alone = !looked_at && self.decisions.followers.get(entry.number);
        let is_marked_mate = is_left_alone && flags & flag::UNMAPPED == 0;
        if looked_at || follows || is_marked_mate {
            flags |= flag::DUPLICATE;
            self.counts.duplicate_non_primary += u64::from(follows && !looked_at);
            self.counts.duplicate_mates += u64::from(is_marked_mate);
        }
        let is_optical = match looked_at || is_marked_mate {
            true => self.decisions.optical.get(entry.number),
            false => follows && self.decisions.optical_groups.get(entry.number),
        };
        self.counts.duplicate_non_primary_optical += u64::from(follows && is_optical);
        let removes = self.marking.remove && (flags & flag::DUPLICATE != 0 || is_left_alone);
        if removes && self.by_library.is_none() {
            return false;
        }
        self.record.clear();
        self.record.extend_from_slice(entry.record);
        self.record[14..16].copy_from_slice(&flags.to_le_bytes());
        if let Some(counts) = &mut self.by_library {
            let is_paired = looked_at && is_paired(flags);
            counts.add(&Record::from_checked(&self.record), is_optical && is_paired);
        }
        if (looked_at || follows || is_marked_mate) && self.tells_types {
            write_type(is_optical, &mut self.record);
        }
        self.counts.written += u64::from(!removes);
        !removes
    }

    /// The record taken last.
    pub(in crate::change::sort) fn record(&self) -> Record<'_> {
        Record::from_checked(&self.record)
    }

    pub(in crate::change::sort) fn counts(&self) -> DuplicateCounts {
        self.counts
    }

    pub(in crate::change::sort) fn set_sizes(&self) -> &SetSizes {
        &self.decisions.set_sizes
    }

    pub(in crate::change::sort) fn by_library(&self) -> Vec<LibraryCounts> {
        self.by_library.iter().flat_map(ByLibrary::counts).cloned().collect()
    }
}

/// Writes to the optional field `dt` of a record whether the duplicate is optical. One there is keeps its place, as does one
/// of another type.
pub(super) fn write_type(is_optical: bool, record: &mut Vec<u8>) {
    let value: &[u8] = if is_optical { b"SQ" } else { b"LB" };
    let found = {
        let record = Record::from_checked(record);
        let mut at = record.as_bytes().len() - record.tag_bytes().len();
        record.tags().find_map(|tag| {
            let len = 3 + tag.value.len() + usize::from(matches!(tag.kind, b'Z' | b'H'));
            at += len;
            (tag.name == *b"dt").then_some((at - len, len, tag.kind))
        })
    };
    match found {
        Some((at, len, b'Z')) => {
            record.splice(at + 3..at + len - 1, value.iter().copied());
        }
        Some(_) => {}
        None => {
            record.extend_from_slice(b"dtZ");
            record.extend_from_slice(value);
            record.push(0);
        }
    }
}

/// Whether a record is of a pair of which both reads are aligned.
pub(super) fn is_paired(flags: u16) -> bool {
    flags & flag::PAIRED != 0 && flags & flag::MATE_UNMAPPED == 0
}
