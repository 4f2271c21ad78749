//! Why figures of alignments can't be had.

use std::{fmt, io};

use biofast_bam::Error;

/// Why the statistics can't be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The alignments are faulty.
    Input(Error),
    /// The reference can't be read.
    Reference(io::Error),
    /// The optional fields of this record, counted from 1, are malformed.
    MalformedTags(u64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(error) => error.fmt(f),
            Failure::Reference(error) => write!(f, "{error}"),
            Failure::MalformedTags(record) => {
                write!(f, "record {record}: malformed tags")
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The errors themselves are all of the message.
        match self {
            Failure::Input(error) => error.source(),
            Failure::Reference(error) => error.source(),
            Failure::MalformedTags(_) => None,
        }
    }
}
