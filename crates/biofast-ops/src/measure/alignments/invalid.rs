//! What is wrong with a report of alignments.

use std::fmt;

use crate::measure::reads::numbers::InvalidReport;

/// Why figures can't be read back or joined.
#[derive(Debug)]
#[non_exhaustive]
pub enum Invalid {
    /// Not a report of alignments.
    Schema(String),
    /// Another version.
    Version(u32),
    /// Counts that contradict each other.
    Inconsistent(&'static str),
    /// Counts of reads that do.
    Reads(InvalidReport),
    /// Other references than those of the parts before.
    References,
    /// GC content of other bases than those of the parts before.
    Bases,
    /// Picard's coverage of other targets or baits than those of the parts before.
    Targets,
    /// Picard's coverage of what isn't the piece of the file behind the one before.
    NotNext,
    /// Picard's coverage of a piece that alignments of the pieces before reach too far into.
    Reaches,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::Schema(found) => {
                let schema = super::figures::SCHEMA;
                write!(f, "expected the schema \"{schema}\", found \"{found}\"")
            }
            Invalid::Version(found) => {
                let version = super::figures::SCHEMA_VERSION;
                write!(
                    f,
                    "the report has schema version {found}; this biofast reads version {version}"
                )
            }
            Invalid::Inconsistent(what) => write!(f, "the report contradicts itself: {what}"),
            Invalid::Reads(error) => error.fmt(f),
            Invalid::References => {
                f.write_str("its reference sequences differ from those of the reports before it")
            }
            Invalid::Targets => f.write_str(
                "its coverage for Picard (wgs, hs) was computed for other bases, targets or baits than that of the reports before it",
            ),
            Invalid::NotNext => f.write_str(
                "its coverage for Picard (wgs, hs) doesn't continue the report before it: pieces must be given in order",
            ),
            Invalid::Reaches => f.write_str(
                "alignments of the pieces before it extend past the part that it recorded for Picard's coverage (wgs, hs)",
            ),
            Invalid::Bases => f.write_str(
                "its GC bias was computed with a different reference (FASTA) than that of the reports before it",
            ),
        }
    }
}

impl std::error::Error for Invalid {}
