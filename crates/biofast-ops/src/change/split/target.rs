//! How reads are split, into which outputs, and how many went to each.

use std::num::NonZeroU64;

use biofast_fastq::{self as fastq, Record, Unit};
use biofast_io::output::Output;

use crate::measure::records::{Checksum, Sum};

/// Where a part ends. Pairs count as one and stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// After so many reads or pairs.
    Reads(NonZeroU64),
    /// As soon as it has so many bases, of both mates.
    Bases(NonZeroU64),
    /// Before it would have more bytes of text than this; a read or pair that has more is a part of its own.
    Bytes(NonZeroU64),
    /// Never: each read or pair goes to the next of so many parts, and after the last to the first again.
    Turns(NonZeroU64),
    /// So that there are so many parts of the same number of reads or pairs, or of one less.
    Blocks {
        /// The number of parts.
        parts: NonZeroU64,
        /// Of reads or pairs in the input.
        total: u64,
    },
}

impl SplitRule {
    /// The number of parts, if it doesn't depend on the reads.
    pub fn parts(&self) -> Option<u64> {
        match self {
            SplitRule::Turns(parts) | SplitRule::Blocks { parts, .. } => Some(parts.get()),
            SplitRule::Reads(_) | SplitRule::Bases(_) | SplitRule::Bytes(_) => None,
        }
    }
}

/// What some reads are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitAmount {
    /// Their number and checksum.
    pub sum: Sum,
    /// Their bases.
    pub bases: u64,
}

impl SplitAmount {
    pub(in crate::change) fn of(record: &Record<'_>) -> SplitAmount {
        let sum = Sum { records: 1, checksum: Checksum::of(record) };
        SplitAmount { sum, bases: record.sequence().len() as u64 }
    }

    /// Adds other reads.
    pub fn add(&mut self, other: &SplitAmount) {
        self.sum.add(other.sum);
        self.bases += other.bases;
    }
}

/// What a part holds: first reads, or reads without mates, and second reads.
pub type MateAmounts = [SplitAmount; 2];

/// What has been written.
pub struct SplitOutputs {
    /// The outputs of all parts in their order, to be [committed](biofast_io::output::commit); of each part that of first reads first.
    pub outputs: Vec<Output>,
    /// What the parts hold.
    pub parts: Vec<MateAmounts>,
}

impl SplitOutputs {
    /// What all parts hold, which is what has been read.
    pub fn total(&self) -> MateAmounts {
        let mut total = MateAmounts::default();
        for part in &self.parts {
            total.iter_mut().zip(part).for_each(|(total, amount)| total.add(amount));
        }
        total
    }
}

/// Where parts go.
pub struct SplitTarget<O> {
    /// Outputs of each part: 2 for first and second reads, or 1 for both.
    pub files: usize,
    /// Opens an output of a part, given the part's number, counted from 1, and the number of the output, 0 or 1. All have the
    /// same compression.
    pub open: O,
    /// Whether files that are complete are to be on disk before the next one begins.
    pub sync: bool,
}

/// The reads of a unit, and which output of a part each goes to.
pub(super) fn reads<'a>(
    unit: &Unit<'a>,
    files: usize,
) -> impl Iterator<Item = (usize, Record<'a>, usize)> + use<'a> {
    let second = unit.second.map(|second| (1, second, files.saturating_sub(1).min(1)));
    std::iter::once((0, unit.first, 0)).chain(second)
}

/// Appends a record to a text.
pub(in crate::change) fn append(text: &mut Vec<u8>, record: &Record<'_>) {
    // Only files and streams fail.
    let _ = fastq::write_record(text, record);
}
