//! The consensus of reads of one strand and one end of a molecule.

use super::family::SourceRead;
use super::model::{
    BaseCaller, MAX_QUALITY, MIN_QUALITY, NO_CALL, ln_error, ln_error_of_two, quality_of,
};

/// The highest depth that is told.
pub(super) const MAX_DEPTH: u16 = i16::MAX as u16;

/// A consensus of reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StrandConsensus {
    pub(super) bases: Vec<u8>,
    pub(super) qualities: Vec<u8>,
    /// Reads that have a base at each position.
    pub(super) depths: Vec<u16>,
    /// Those of them that have another base than the consensus.
    pub(super) errors: Vec<u16>,
}

impl StrandConsensus {
    pub(super) fn max_depth(&self) -> u16 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.bases.truncate(len);
        self.qualities.truncate(len);
        self.depths.truncate(len);
        self.errors.truncate(len);
    }
}

/// Calls consensuses.
pub(super) struct StrandCaller {
    bases: BaseCaller,
    /// What the quality of a base becomes that one read alone has.
    alone: Vec<u8>,
    min_reads: usize,
    min_quality: u8,
}

impl StrandCaller {
    pub(super) fn new(
        (before, after): (u8, u8),
        min_reads: usize,
        min_quality: u8,
    ) -> StrandCaller {
        let worse = ln_error(before.min(after));
        let alone = |quality| quality_of(ln_error_of_two(ln_error(quality), worse));
        StrandCaller {
            bases: BaseCaller::new(before, after),
            alone: (0..=MAX_QUALITY).map(alone).collect(),
            min_reads,
            min_quality,
        }
    }

    /// The consensus of as many reads as there must be, or more. It is as long as so many of them.
    pub(super) fn call(&mut self, reads: &[SourceRead]) -> StrandConsensus {
        let mut lens: Vec<usize> = reads.iter().map(|read| read.bases.len()).collect();
        lens.sort_unstable_by(|one, other| other.cmp(one));
        let len = lens.get(self.min_reads.saturating_sub(1)).copied().unwrap_or(0);
        let mut called = StrandConsensus::default();
        for at in 0..len {
            let (base, quality, depth, errors) = match reads {
                [read] => self.call_alone(read.bases[at], read.qualities[at]),
                _ => self.call_at(reads, at),
            };
            called.bases.push(base);
            called.qualities.push(quality);
            called.depths.push(depth);
            called.errors.push(errors);
        }
        called
    }

    fn call_alone(&self, base: u8, quality: u8) -> (u8, u8, u16, u16) {
        let quality = self.alone.get(usize::from(quality)).copied().unwrap_or(0);
        let depth = u16::from(base != NO_CALL);
        match quality < self.min_quality {
            true => (NO_CALL, MIN_QUALITY, depth, 0),
            false => (base, quality, depth, 0),
        }
    }

    fn call_at(&mut self, reads: &[SourceRead], at: usize) -> (u8, u8, u16, u16) {
        self.bases.clear();
        for read in reads.iter().filter(|read| at < read.bases.len()) {
            self.bases.add(read.bases[at], read.qualities[at]);
        }
        let (base, quality) = self.bases.call();
        let depth = self.bases.depth();
        let errors = depth - self.bases.count_of(base);
        let told = |count: u32| count.min(MAX_DEPTH.into()) as u16;
        let (base, quality) = if (depth as usize) < self.min_reads {
            (NO_CALL, 0)
        } else if quality < self.min_quality {
            (NO_CALL, MIN_QUALITY)
        } else {
            (base, quality)
        };
        (base, quality, told(depth), told(errors))
    }
}
