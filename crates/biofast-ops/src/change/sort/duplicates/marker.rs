//! What becomes of records, and marking them while they are merged.

use std::sync::Arc;

use biofast_bam::{Header, Record, flag};

use super::decisions::DuplicateDecisions;
use super::libraries::DuplicateLibraries;
use super::metrics::{ByLibrary, DuplicateCounts, LibraryCounts, SetSizes};
use super::rule::Marking;
use crate::change::sort::gather::SortEntry;
use crate::tags::{append_text, stored_tags};

/// What was decided of all records, and what is done about it.
pub(in crate::change) struct MarkDecisions {
    pub(super) decisions: DuplicateDecisions,
    pub(super) marking: Marking,
    /// Whether the field `dt` is written.
    pub(super) tells_types: bool,
}

/// What was decided of a record.
#[derive(Clone, Copy, Debug)]
pub(in crate::change) struct MarkDecision {
    pub(in crate::change) flags: u16,
    /// Whether it gets the field `dt`, and if so, whether it is an optical duplicate.
    pub(in crate::change) type_is_optical: Option<bool>,
    pub(in crate::change) removes: bool,
    /// Whether it is an optical duplicate that is counted with its pair.
    is_optical_pair: bool,
}

/// What was counted of records as they were marked.
#[derive(Clone)]
pub(in crate::change) struct MarkTally {
    pub(super) counts: DuplicateCounts,
    pub(super) by_library: Option<ByLibrary>,
}

impl MarkDecisions {
    pub(in crate::change) fn marking(&self) -> &Marking {
        &self.marking
    }

    pub(in crate::change) fn set_sizes(&self) -> &SetSizes {
        &self.decisions.set_sizes
    }

    /// What becomes of the record of this number, which has these flags.
    #[inline]
    pub(in crate::change) fn of(
        &self,
        number: u64,
        mut flags: u16,
        tally: &mut MarkTally,
    ) -> MarkDecision {
        let looked_at = self.decisions.reads.get(number);
        let other = flag::SUPPLEMENTARY | flag::UNMAPPED | flag::SECONDARY;
        let follows = flags & other != 0 && self.decisions.groups.get(number);
        // A mate that isn't aligned is left unmarked, but doesn't stay alone.
        let is_left_alone = !looked_at && self.decisions.followers.get(number);
        let is_marked_mate = is_left_alone && flags & flag::UNMAPPED == 0;
        let is_marked = looked_at || follows || is_marked_mate;
        if is_marked {
            flags |= flag::DUPLICATE;
            tally.counts.duplicate_non_primary += u64::from(follows && !looked_at);
            tally.counts.duplicate_mates += u64::from(is_marked_mate);
        }
        let is_optical = match looked_at || is_marked_mate {
            true => self.decisions.optical.get(number),
            false => follows && self.decisions.optical_groups.get(number),
        };
        tally.counts.duplicate_non_primary_optical += u64::from(follows && is_optical);
        let removes = self.marking.remove && (flags & flag::DUPLICATE != 0 || is_left_alone);
        tally.counts.written += u64::from(!removes);
        MarkDecision {
            flags,
            type_is_optical: (is_marked && self.tells_types).then_some(is_optical),
            removes,
            is_optical_pair: looked_at && is_optical && is_paired(flags),
        }
    }
}

impl MarkTally {
    /// One that has counted nothing of an input with this header.
    pub(in crate::change) fn of(marking: &Marking, header: &Header) -> MarkTally {
        let libraries = || Arc::new(DuplicateLibraries::new(header));
        let by_library = marking.by_library.then(|| ByLibrary::new(libraries()));
        let optical_distance = marking.optical_distance();
        let counts = DuplicateCounts { optical_distance, ..DuplicateCounts::default() };
        MarkTally { counts, by_library }
    }

    /// Counts a record by its library, with the flags that it gets.
    pub(in crate::change) fn add(&mut self, record: &Record<'_>, mark: &MarkDecision) {
        if let Some(counts) = &mut self.by_library {
            counts.add(record, mark.flags, mark.is_optical_pair);
        }
    }

    /// One for another worker, whose counts of records are added to this one's.
    pub(in crate::change) fn empty(&self) -> MarkTally {
        let by_library = self.by_library.as_ref().map(ByLibrary::empty);
        MarkTally { counts: DuplicateCounts::default(), by_library }
    }

    pub(in crate::change) fn merge(&mut self, other: &MarkTally) {
        self.counts.add_marked(&other.counts);
        if let (Some(own), Some(other)) = (&mut self.by_library, &other.by_library) {
            own.merge(other);
        }
    }

    pub(in crate::change) fn counts(&self) -> DuplicateCounts {
        self.counts
    }

    pub(in crate::change) fn by_library(&self) -> Vec<LibraryCounts> {
        self.by_library.iter().flat_map(ByLibrary::counts).cloned().collect()
    }
}

/// Marks records while they are merged.
pub(in crate::change::sort) struct Marker {
    pub(super) marks: MarkDecisions,
    pub(super) tally: MarkTally,
    pub(super) record: Vec<u8>,
}

impl Marker {
    /// Takes the next record; `false` if it is left out.
    pub(in crate::change::sort) fn take(&mut self, entry: &SortEntry<'_>) -> bool {
        let record = Record::from_checked(entry.record);
        let mark = self.marks.of(entry.number, record.flags(), &mut self.tally);
        self.tally.add(&record, &mark);
        if mark.removes {
            return false;
        }
        self.record.clear();
        self.record.extend_from_slice(entry.record);
        mark.apply(&mut self.record);
        true
    }

    /// The record taken last.
    pub(in crate::change::sort) fn record(&self) -> Record<'_> {
        Record::from_checked(&self.record)
    }

    pub(in crate::change::sort) fn counts(&self) -> DuplicateCounts {
        self.tally.counts
    }

    pub(in crate::change::sort) fn set_sizes(&self) -> &SetSizes {
        self.marks.set_sizes()
    }

    pub(in crate::change::sort) fn by_library(&self) -> Vec<LibraryCounts> {
        self.tally.by_library()
    }
}

impl MarkDecision {
    /// Gives a record its flags and the field `dt`.
    pub(in crate::change) fn apply(&self, record: &mut Vec<u8>) {
        record[14..16].copy_from_slice(&self.flags.to_le_bytes());
        if let Some(is_optical) = self.type_is_optical {
            write_type(is_optical, record);
        }
    }
}

/// Writes to the optional field `dt` of a record whether the duplicate is optical. One there is keeps its place, as does one
/// of another type.
fn write_type(is_optical: bool, record: &mut Vec<u8>) {
    let value: &[u8] = if is_optical { b"SQ" } else { b"LB" };
    let found = stored_tags(&Record::from_checked(record))
        .find_map(|(tag, stored)| (tag.name == *b"dt").then_some((stored, tag.kind)));
    match found {
        Some((stored, b'Z')) => {
            record.splice(stored.start + 3..stored.end - 1, value.iter().copied());
        }
        Some(_) => {}
        None => append_text(*b"dt", value, record),
    }
}

/// Whether a record is of a pair of which both reads are aligned.
pub(super) fn is_paired(flags: u16) -> bool {
    flags & flag::PAIRED != 0 && flags & flag::MATE_UNMAPPED == 0
}
