//! Where a pattern is found, and on which strand.

use super::motif::Motif;

/// The strand of a read on which something is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strand {
    /// As the read is.
    Forward,
    /// On its reverse complement.
    Reverse,
}

impl Strand {
    /// `+` or `-`.
    pub fn sign(self) -> char {
        match self {
            Strand::Forward => '+',
            Strand::Reverse => '-',
        }
    }
}

/// A place where something is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Which of the patterns, counted from 0.
    pub pattern: usize,
    /// On which strand.
    pub strand: Strand,
    /// The first letter, counted from 0 in the read as it is, whatever the strand.
    pub start: usize,
    /// How many letters.
    pub len: usize,
}

/// A motif on a strand.
pub(super) struct Lane {
    pub(super) pattern: usize,
    pub(super) strand: Strand,
    /// As it stands in the read.
    pub(super) motif: Motif,
}

impl Lane {
    pub(super) fn hit(&self, start: usize) -> Hit {
        let (pattern, strand) = (self.pattern, self.strand);
        Hit { pattern, strand, start, len: self.motif.letters().len() }
    }
}
