//! What a statistic of reads is, and the list of them.
//!
//! A statistic is a file with its counts, its section of the report, and the way from one to the other and back; and a line
//! in the list below. What is not written for a statistic in the list doesn't compile.

use biofast_kernels::GcCounts;
use serde::{Deserialize, Serialize};

use super::composition::{Composition, Letters};
use super::lengths::{Length, Lengths};
use super::positions::{Position, Positions};
use super::qualities::{MeanQualities, Quality};
use super::report::{InvalidReport, Qc};
use super::summary::Summary;

/// Counts over reads: integers, so that any order of merging gives the same.
pub(crate) trait Statistic: Default {
    /// The part of the report that is made of the counts.
    type Section;

    /// Counts a read.
    fn add(&mut self, read: &Read<'_>);

    /// Adds the counts of other reads.
    fn merge(&mut self, other: &Self);

    /// The section, with what is derived of the counts for convenience. `summary` has the figures that several sections
    /// share.
    fn section(&self, summary: &Summary) -> Self::Section;

    /// The counts, read back from a section. Derived figures are ignored.
    fn read_back(section: &Self::Section) -> Result<Self, InvalidReport>;
}

/// A read, with what the kernels found in it.
pub(crate) struct Read<'a> {
    pub(crate) sequence: &'a [u8],
    /// As long as the sequence, or empty where they are missing.
    pub(crate) qualities: &'a [u8],
    /// G and C, and all of A, C, G and T.
    pub(crate) counts: GcCounts,
    /// The kernel's sum of error probabilities.
    pub(crate) error_sum: u64,
}

impl Read<'_> {
    /// The number of bases.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.sequence.len() as u64
    }
}

/// Declares [`Counts`] and [`Statistics`] with a field for each statistic, and all that is done with every one of them: its
/// name in the report, the type that counts, and its section.
macro_rules! statistics {
    ($($(#[$meta:meta])* $name:ident: $statistic:ty => $section:ty,)*) => {
        /// The counts of every statistic.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Counts {
            $(pub(crate) $name: $statistic,)*
        }

        /// The figures of an input: counts, and what is derived from them for convenience.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct Statistics {
            /// Number of reads.
            pub reads: u64,
            /// Number of bases.
            pub bases: u64,
            /// `DNA`, `RNA`, `Protein` or empty.
            pub sequence_type: String,
            $($(#[$meta])* pub $name: $section,)*
            /// What is gathered only where it is asked for.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub qc: Option<Box<Qc>>,
        }

        impl Counts {
            /// Counts reads, for one statistic after the other: so each loop keeps in registers what it needs.
            #[inline(always)]
            pub(crate) fn add<'a>(&mut self, reads: impl Iterator<Item = Read<'a>> + Clone) {
                $(for read in reads.clone() {
                    Statistic::add(&mut self.$name, &read);
                })*
            }

            /// Adds other counts.
            pub(crate) fn merge(&mut self, other: &Counts) {
                $(Statistic::merge(&mut self.$name, &other.$name);)*
            }

            /// The report of these counts, without what is gathered elsewhere.
            pub(crate) fn report(&self, summary: &Summary) -> Statistics {
                Statistics {
                    reads: summary.reads,
                    bases: summary.bases,
                    sequence_type: summary.sequence_type.name().into(),
                    $($name: Statistic::section(&self.$name, summary),)*
                    qc: None,
                }
            }

            /// The counts of a report.
            pub(crate) fn read_back(report: &Statistics) -> Result<Counts, InvalidReport> {
                Ok(Counts { $($name: Statistic::read_back(&report.$name)?,)* })
            }
        }
    };
}

statistics! {
    /// Read lengths.
    length: Lengths => Length,
    /// What the sequences are made of.
    composition: Letters => Composition,
    /// What the qualities are.
    quality: MeanQualities => Quality,
    /// Bases and qualities by position in the read.
    positions: Positions => Vec<Position>,
}
