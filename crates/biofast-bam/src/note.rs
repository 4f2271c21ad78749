//! What is noteworthy about a query.

use std::fmt;

/// A note about how a query is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// There is no index, so the whole file is read.
    NoIndex {
        /// The file.
        file: String,
        /// Whether its header says that it is sorted, so that an index can be made.
        is_sorted: bool,
    },
    /// The index is older than its file and may not fit it.
    OlderIndex {
        /// The index.
        index: String,
    },
    /// The index beside the file is damaged or another file's, so the whole file is read.
    UnusedIndex {
        /// The index.
        index: String,
        /// What shows it.
        reason: String,
    },
    /// Regions start behind the end of their references, so no record is in them.
    BehindEnd {
        /// The first of these regions, as it was given.
        region: String,
        /// Its reference.
        reference: String,
        /// The length of the reference.
        length: u64,
        /// How many regions that is true of.
        count: usize,
    },
    /// Intervals of a file have length 0, so there is nothing in them.
    EmptyIntervals {
        /// The file.
        file: String,
        /// The line of the first one.
        line: u64,
        /// How many there are.
        count: u64,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::NoIndex { file, .. } => {
                write!(f, "{file} has no index, so the whole file is read")
            }
            Note::OlderIndex { index } => {
                write!(f, "the index {index} is older than its file and may not match it")
            }
            Note::UnusedIndex { index, reason } => write!(
                f,
                "the index {index} doesn't match the file or is damaged, so the whole file is read: {reason}"
            ),
            Note::BehindEnd { region, reference, length, count } => {
                write!(f, "region '{region}' is past the end of {reference} ({length} bases)")?;
                match count - 1 {
                    0 => {}
                    others => write!(f, ", like {others} others")?,
                }
                f.write_str("; no records can match")
            }
            Note::EmptyIntervals { file, line, count: 1 } => {
                write!(f, "{file}, line {line}: the interval has length 0")
            }
            Note::EmptyIntervals { file, line, count } => {
                write!(f, "{file}: {count} intervals have length 0, the first one on line {line}")
            }
        }
    }
}
