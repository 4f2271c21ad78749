//! Reads with or without mates: where they are, and one of them.

use biofast_io::Source;

use crate::record::Record;

/// Inputs that are read together, each a [`Source`] or something else that is [`Readable`](crate::Readable).
pub enum Inputs<S = Source> {
    /// Reads without mates.
    Single(S),
    /// First and second reads one after the other.
    Interleaved(S),
    /// First and second reads in a file each, in the same order.
    Paired(S, S),
}

impl<S> Inputs<S> {
    /// Whether the reads are pairs.
    pub fn is_paired(&self) -> bool {
        !matches!(self, Inputs::Single(_))
    }
}

/// A read, or a pair of reads whose names agree.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Its number among the units of the input, counted from 0.
    pub index: u64,
    /// The read, or the first of the pair.
    pub first: Record<'a>,
    /// The second of the pair.
    pub second: Option<Record<'a>>,
}

impl<'a> Unit<'a> {
    /// The read, or both of the pair.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> + use<'a> {
        std::iter::once(self.first).chain(self.second)
    }
}
