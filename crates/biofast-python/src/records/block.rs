//! Alignments that share their bytes.

use std::ops::Range;

use biofast_bam as bam;

/// Records of a part of a file, one behind the other.
pub(crate) struct AlignmentBlock {
    pub(crate) bytes: Vec<u8>,
    pub(super) records: Vec<Range<usize>>,
}

/// The record in a part of a block.
pub(crate) fn record(bytes: &[u8]) -> bam::Record<'_> {
    bam::Record::from_checked(bytes)
}
