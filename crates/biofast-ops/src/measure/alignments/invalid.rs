//! What is wrong with a report of alignments.

use super::figures::{SCHEMA, SCHEMA_VERSION};
use crate::measure::reads::numbers::InvalidReport;

/// Why figures can't be read back or joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// Not a report of alignments.
    #[error("expected the schema \"{SCHEMA}\", found \"{0}\"")]
    Schema(String),
    /// Another version.
    #[error("the report has schema version {0}; this biofast reads version {SCHEMA_VERSION}")]
    Version(u32),
    /// Counts that contradict each other.
    #[error("the report contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// Counts of reads that do.
    #[error("{0}")]
    Reads(InvalidReport),
    /// Other references than those of the parts before.
    #[error("its reference sequences differ from those of the reports before it")]
    References,
    /// GC content of other bases than those of the parts before.
    #[error(
        "its GC bias was computed with a different reference (FASTA) than that of the reports before it"
    )]
    Bases,
    /// Picard's coverage of other targets or baits than those of the parts before.
    #[error(
        "its coverage for Picard (wgs, hs) was computed for other bases, targets or baits than that of the reports before it"
    )]
    Targets,
    /// Picard's coverage of what isn't the piece of the file behind the one before.
    #[error(
        "its coverage for Picard (wgs, hs) doesn't continue the report before it: pieces must be given in order"
    )]
    NotNext,
    /// Picard's coverage of a piece that alignments of the pieces before reach too far into.
    #[error(
        "alignments of the pieces before it extend past the part that it recorded for Picard's coverage (wgs, hs)"
    )]
    Reaches,
}
