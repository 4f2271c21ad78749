//! What a statistic of reads is, and the list of them.
//!
//! A statistic is a file with its counts, its section of the report with its schema, and the way from one to the other and back; and
//! a line in the list below. What is not written for a statistic in the list doesn't compile.

pub(super) mod composition;
pub(super) mod lengths;
pub(crate) mod long_reads;
pub(crate) mod positions;
pub(super) mod qualities;

use serde::{Deserialize, Serialize};

use composition::{Composition, LetterCounts};
use lengths::{Length, Lengths};
use long_reads::{LongReadCounts, LongReads};
use positions::{Position, Positions};
use qualities::{MeanQualities, Quality};

use super::measured::{MeasuredRead, SectionSchema, Statistic};
use super::numbers::InvalidReport;
use super::qc::Section as Qc;
use super::summary::Summary;

/// Declares [`Counts`] and [`Statistics`] with a field for each statistic, and all that is done with every one of them: what it is,
/// its name in the report, the type that counts, and its section.
macro_rules! statistics {
    ($($about:literal $(#[$meta:meta])* $name:ident: $statistic:ty => $section:ty,)*) => {
        /// The counts of every statistic.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[doc(hidden)]
        pub struct Counts {
            $(pub $name: $statistic,)*
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
            $(#[doc = $about] $(#[$meta])* pub $name: $section,)*
            /// What is gathered only where it is asked for.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub qc: Option<Box<Qc>>,
        }

        /// Each section: its name, what it is, and its schema.
        pub const SECTIONS: &[(&str, &str, SectionSchema)] =
            &[$((stringify!($name), $about, <$statistic as Statistic>::SCHEMA),)*];

        impl Counts {
            /// Counts reads, for one statistic after the other: so each loop keeps in registers what it needs.
            #[inline(always)]
            pub(crate) fn add<'a>(&mut self, reads: impl Iterator<Item = MeasuredRead<'a>> + Clone) {
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
    "Read lengths in bases."
    length: Lengths => Length,
    "What the sequences are made of."
    composition: LetterCounts => Composition,
    "Base qualities."
    quality: MeanQualities => Quality,
    "Bases and qualities by position in the read."
    positions: Positions => Vec<Position>,
    "Long reads by length and quality, time and channel; absent if there are none."
    #[serde(default, skip_serializing_if = "Option::is_none")]
    long_reads: LongReadCounts => Option<LongReads>,
}
