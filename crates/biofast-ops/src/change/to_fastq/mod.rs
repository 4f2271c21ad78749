//! Alignments back to reads: FASTQ as `samtools fastq` writes it.
//!
//! Two ways lead there. [`grouped`] is for input whose records of a template stand together, as
//! aligners write them and sorting by name leaves them: reads go to the outputs in the order of
//! the input, on all threads. [`collated`] is for any other order: reads wait for their mates in a
//! bounded amount of memory, and beyond that in temporary files. [`is_grouped`] says which way an
//! input wants.

mod collated;
mod collator;
mod format;
mod grouped;
mod order;
mod spill;

pub use collated::{Collation, Problem, collated};
pub(super) use collator::Names;
pub use collator::{Arrival, Collator, Found};
pub use format::{Format, TagChoice};
pub use grouped::grouped;
pub use order::is_grouped;

use biofast_bam::flag;
use serde::Serialize;

/// Which read of a template a record is, as samtools tells it.
///
/// ```
/// use biofast_bam::flag;
/// use biofast_ops::to_fastq::Part;
///
/// assert_eq!(Part::of(flag::PAIRED | flag::READ2), Part::Second);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Neither of the two, or both.
    Other = 0,
    /// The first read.
    First = 1,
    /// The second read.
    Second = 2,
}

impl Part {
    /// The part by the flags of a record.
    ///
    /// ```
    /// use biofast_ops::to_fastq::Part;
    /// assert_eq!(Part::of(0x4d), Part::First);
    /// assert_eq!(Part::of(0xc1), Part::Other);
    /// ```
    pub fn of(flags: u16) -> Part {
        match (flags & flag::READ1 != 0, flags & flag::READ2 != 0) {
            (true, false) => Part::First,
            (false, true) => Part::Second,
            _ => Part::Other,
        }
    }
}

/// Which output reads go to, by index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Routes {
    /// Reads by their [`Part`].
    pub parts: [usize; 3],
    /// Reads whose mate isn't there; `None`: where they would go with it.
    pub single: Option<usize>,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Records that passed the filter.
    pub reads: u64,
    /// Pairs of a first and a second read.
    pub pairs: u64,
    /// First and second reads without the other.
    pub singles: u64,
    /// Reads that say neither that they are first nor second.
    pub others: u64,
    /// Records left out because there is another of the same read.
    pub repeated: u64,
    /// Reads whose record has no bases: they are written as empty ones.
    pub without_sequence: u64,
}

impl Summary {
    /// Adds what another worker did.
    pub fn merge(&mut self, other: &Summary) {
        let Summary { reads, pairs, singles, others, repeated, without_sequence } = other;
        self.reads += reads;
        self.pairs += pairs;
        self.singles += singles;
        self.others += others;
        self.repeated += repeated;
        self.without_sequence += without_sequence;
    }
}

/// What is to be written where.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Which records are wanted.
    pub filter: flag::Filter,
    /// How reads are written.
    pub format: Format,
    /// Where they go.
    pub routes: Routes,
}
