//! A statistic of reads, and a read as it is measured.

use biofast_kernels::GcCounts;

use super::numbers::InvalidReport;
use super::summary::Summary;

/// Counts over reads: integers, so that any order of merging gives the same.
pub(crate) trait Statistic: Default {
    /// The part of the report that is made of the counts.
    type Section;

    /// Counts a read.
    fn add(&mut self, read: &MeasuredRead<'_>);

    /// Adds the counts of other reads.
    fn merge(&mut self, other: &Self);

    /// The section, with what is derived of the counts for convenience. `summary` has the figures that several sections
    /// share.
    fn section(&self, summary: &Summary) -> Self::Section;

    /// The counts, read back from a section. Derived figures are ignored.
    fn read_back(section: &Self::Section) -> Result<Self, InvalidReport>;
}

/// A read, with what the kernels found in it.
pub(crate) struct MeasuredRead<'a> {
    pub(crate) sequence: &'a [u8],
    /// As long as the sequence, or empty where they are missing.
    pub(crate) qualities: &'a [u8],
    /// G and C, and all of A, C, G and T.
    pub(crate) counts: GcCounts,
    /// The kernel's sum of error probabilities.
    pub(crate) error_sum: u64,
}

impl MeasuredRead<'_> {
    /// The number of bases.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.sequence.len() as u64
    }
}
