//! Selecting and trimming reads: a chain of trimmers and predicates, applied to a read or to both
//! reads of a pair at once.
//!
//! A [`Filter`] is a list of [`Trimmer`]s, run in their order, and of [`Predicate`]s, of which the
//! first that objects gives the [`Reason`]. Sampling and names decide first, on the read as it is
//! in the file. Every read that comes in is either kept or counted under exactly one reason:
//! [`FilterTally`] shows it, with checksums.
//!
//! ```
//! use biofast_fastq::{Record, Unit};
//! use biofast_ops::filter::{Filter, Reason, predicate::MinLen, trim::Crop};
//!
//! let filter = Filter::new()
//!     .trim(Crop { front: [2, 2], tail: [0, 0] })
//!     .require(MinLen(3));
//! let mut worker = filter.worker();
//! let mut texts = vec![Vec::new()];
//! for sequence in [&b"ACGTA"[..], b"ACGT"] {
//!     let first = Record::new(b"r", sequence, &b"IIIII"[..sequence.len()]);
//!     worker.apply(Unit { index: 0, first, second: None }, &mut texts);
//! }
//! assert_eq!(texts[0], b"@r\nGTA\n+\nIII\n");
//! assert_eq!(worker.tally().rejected(Reason::TooShort), 1);
//! ```

pub mod alignment;
pub mod best;
mod chain;
pub mod deplete;
pub mod expression;
pub mod fastp;
mod named;
pub mod names;
pub mod predicate;
mod read;
pub(crate) mod regex;
pub mod report;
mod rows;
pub mod sample;
pub mod statistics;
mod tally;
pub mod trim;
pub mod trim_galore;
pub mod unaligned;

pub use chain::{
    AdapterRule, Combinations, Filter, FilterRoutes, FilterWorker, PairRule, ReadSink,
};
pub use predicate::Predicate;
pub use read::{EditedBases, TrimCounts, TrimUnit, TrimmedRead};
pub use statistics::FilterStatistics;
pub use tally::{FilterTally, Reason};
pub use trim::{Trim, Trimmer};
