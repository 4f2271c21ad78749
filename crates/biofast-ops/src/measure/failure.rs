//! Why figures of alignments can't be had.

use std::io;

use biofast_bam::Error;

/// Why the statistics can't be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The alignments are faulty.
    #[error(transparent)]
    Input(Error),
    /// The reference can't be read.
    #[error(transparent)]
    Reference(io::Error),
    /// The optional fields of this record, counted from 1, are malformed.
    #[error("record {0}: malformed tags")]
    MalformedTags(u64),
}
