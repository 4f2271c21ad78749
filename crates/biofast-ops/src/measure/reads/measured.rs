//! A statistic of reads, a search in them, and a read as it is measured.

use biofast_kernels::GcCounts;

use super::contaminants::Contaminants;
use super::numbers::InvalidReport;
use super::read_quality::{EXACT_FROM, exact_mean_phred_floor, mean_phred_floor};
use super::summary::Summary;

/// Counts over reads: integers, so that any order of merging gives the same.
pub(crate) trait Statistic: Default {
    /// The part of the report that is made of the counts.
    type Section;

    /// The section as `biofast schema` describes it.
    const SCHEMA: SectionSchema;

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

/// What JSON Schemas say of a section.
#[derive(Clone, Copy, Debug)]
pub struct SectionSchema {
    /// The name of the definition.
    pub name: &'static str,
    /// The definition: of the section, or of one of its entries.
    pub definition: &'static str,
    /// Whether the section is a list.
    pub is_list: bool,
    /// Whether it is always there.
    pub is_required: bool,
}

impl SectionSchema {
    /// A section that is always there.
    pub(crate) const fn one(name: &'static str, definition: &'static str) -> SectionSchema {
        SectionSchema { name, definition, is_list: false, is_required: true }
    }

    /// A list of such entries.
    pub(crate) const fn list(name: &'static str, definition: &'static str) -> SectionSchema {
        SectionSchema { is_list: true, ..SectionSchema::one(name, definition) }
    }

    /// A section that may be absent.
    pub(crate) const fn optional(name: &'static str, definition: &'static str) -> SectionSchema {
        SectionSchema { is_required: false, ..SectionSchema::one(name, definition) }
    }
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

    /// Its mean quality (of error probabilities), rounded down.
    #[inline]
    pub(crate) fn mean_quality_floor(&self) -> u8 {
        match mean_phred_floor(self.error_sum, self.len()) {
            EXACT_FROM.. => exact_mean_phred_floor(self.qualities),
            phred => phred,
        }
    }
}

/// What is looked for in reads only on request, as it costs time or memory.
pub(crate) trait ReadSearch: Default {
    /// The part of the report that is made of the counts.
    type Section;

    /// What a batch leaves for [`settle`](Self::settle); `()` if order doesn't matter.
    type Left: Default + Send;

    /// Counts the reads of a batch.
    type Counter<'a>
    where
        Self: 'a;

    /// Begins a batch of so many reads.
    fn begin<'a>(&'a mut self, reads: u64, left: &'a mut Self::Left) -> Self::Counter<'a>;

    /// Counts the next read of the batch.
    fn add(counter: &mut Self::Counter<'_>, read: &SearchedRead<'_>);

    /// Takes in what a batch left, in the order of the file, and empties it.
    fn settle(&self, _left: &mut Self::Left) {}

    /// Adds the counts of other reads.
    fn merge(&mut self, other: &Self);

    /// The section, if there is anything to say.
    fn section(&self, contaminants: &Contaminants) -> Option<Self::Section>;

    /// The counts, read back from a section.
    fn read_back(section: Option<&Self::Section>) -> Result<Self, InvalidReport>;
}

/// A read in which something is looked for.
pub(crate) struct SearchedRead<'a> {
    /// Its number, from 0.
    pub(crate) number: u64,
    pub(crate) definition: &'a [u8],
    /// In upper case.
    pub(crate) sequence: &'a [u8],
    pub(crate) qualities: &'a [u8],
}
