//! Which reads go where, and what was written.

use biofast_bam::{Record, flag};
use serde::Serialize;

use super::format::FastqFormat;
use crate::filter::alignment::TagFilter;

/// Which output reads go to, by index.
#[derive(Clone, Copy, Debug, Default)]
pub struct FastqRoutes {
    /// Reads by their [`TemplateSegment`](super::TemplateSegment).
    pub parts: [usize; 3],
    /// Reads whose mate isn't there; `None`: where they would go with it.
    pub single: Option<usize>,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FastqSummary {
    /// Records that passed the filter.
    pub reads: u64,
    /// Pairs of a first and a second read.
    pub pairs: u64,
    /// First and second reads without the other.
    pub singles: u64,
    /// Reads that say neither that they are first nor second.
    pub others: u64,
    /// Records left out because there is another of the same read.
    pub repeated: u64,
    /// Reads whose record has no bases: they are written as empty ones.
    pub without_sequence: u64,
}

impl FastqSummary {
    /// Adds what another worker did.
    pub fn merge(&mut self, other: &FastqSummary) {
        let FastqSummary { reads, pairs, singles, others, repeated, without_sequence } = other;
        self.reads += reads;
        self.pairs += pairs;
        self.singles += singles;
        self.others += others;
        self.repeated += repeated;
        self.without_sequence += without_sequence;
    }
}

/// What is to be written where.
#[derive(Clone, Debug, Default)]
pub struct FastqPlan {
    /// Which records are wanted.
    pub filter: flag::Filter,
    /// And by which tag.
    pub tag: Option<TagFilter>,
    /// How reads are written.
    pub format: FastqFormat,
    /// Where they go.
    pub routes: FastqRoutes,
}

impl FastqPlan {
    /// Whether a record is wanted.
    pub(super) fn wants(&self, record: &Record<'_>) -> bool {
        self.filter.accepts(record.flags(), record.mapping_quality())
            && self.tag.as_ref().is_none_or(|tag| tag.wants(record))
    }
}
