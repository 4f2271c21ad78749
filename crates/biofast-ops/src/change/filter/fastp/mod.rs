//! What fastp does without being asked, and says about it: for those who replace it and read its reports with other programs.
//!
//! [`is_two_colour`] and [`find_adapter`] look at the first reads, [`PairTrimmer`] and [`SequenceTrimmer`] cut what fastp cuts, and
//! [`FastpGatherer`] counts what stands in its [`FastpReport`]: a test compares reads and figures with those of fastp 0.23
//! and 1.3 ([`FastpVersion`](crate::measure::compat::FastpVersion)).

mod adapters;
mod cut;
mod detect;
mod duplicates;
mod frequent;
mod known;
mod report;
mod stats;
mod trim;

pub use adapters::AdapterCounts;
pub use cut::{CutWindow, FastpCut};
pub use detect::{InputTraits, find_adapter, is_two_colour, look};
pub use duplicates::FastpDuplicates;
pub use frequent::Frequent;
pub use report::{FastpReport, FastpSettings};
pub use stats::{FastpGatherer, Stats};
pub use trim::{PairTrimmer, SequenceTrimmer};
