//! What stands in Trim Galore's report of a file.

use std::collections::BTreeMap;

use crate::change::filter::read::{AdapterPlace, TrimmedRead};
use crate::change::filter::trim::Trim;

/// What reads must be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaloreLimits {
    /// The fewest bases.
    pub min_len: usize,
    /// The most bases, if there is a limit.
    pub max_len: Option<usize>,
    /// The most N, if there is a limit.
    pub max_n: Option<u64>,
}

/// Counts of first and second reads. Merging two equals counting both inputs.
#[derive(Clone, Debug, Default)]
pub struct GaloreCounts {
    limits: GaloreLimits,
    /// First reads, or reads without mates, and second reads.
    pub mates: [GaloreMate; 2],
    /// Reads or pairs that have too many N, are too short, and are too long, each for the first of these.
    pub removed: [u64; 3],
}

/// Counts of the reads of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GaloreMate {
    /// Reads and bases that came in.
    pub read: [u64; 2],
    /// Reads of low quality at the end, and bases cut for that.
    pub low_quality: [u64; 2],
    /// Bases cut with adapters.
    pub adapter_bases: u64,
    /// Reads with an adapter by the bases that were cut with it, and among them by errors.
    pub by_length: BTreeMap<usize, Vec<u64>>,
    /// Reads with an adapter by the base before it: A, C, G, T, and others or none.
    pub before: [u64; 5],
    /// Reads that lost bases before the adapter that end repair filled in.
    pub filled_in: u64,
    /// The same at the start of reads: those that start with CAA, and with CGA.
    pub filled_in_start: [u64; 2],
}

impl GaloreMate {
    /// Reads with an adapter.
    pub fn with_adapter(&self) -> u64 {
        self.before.iter().sum()
    }

    /// Counts what a trimmer did.
    fn trimmed(
        &mut self,
        kind: Trim,
        before: &TrimmedRead<'_>,
        after: &TrimmedRead<'_>,
        found: Option<AdapterPlace>,
    ) {
        if kind == Trim::Quality {
            self.low_quality[0] += u64::from(after.len() < before.len());
            self.low_quality[1] += (before.len() - after.len()) as u64;
        }
        if kind != Trim::Adapter {
            return;
        }
        let sequence = before.sequence();
        let mut left = sequence.len();
        if let Some(AdapterPlace { at, errors }) = found {
            left = at;
            self.adapter_bases += (sequence.len() - at) as u64;
            let by_errors = self.by_length.entry(sequence.len() - at).or_default();
            by_errors.resize(by_errors.len().max(errors + 1), 0);
            by_errors[errors] += 1;
            let base = at.checked_sub(1).map(|at| sequence[at]);
            let place = b"ACGT".iter().position(|known| Some(*known) == base).unwrap_or(4);
            self.before[place] += 1;
        }
        // What is missing beside the adapter had been filled in.
        if after.range().start > before.range().start {
            self.filled_in_start[usize::from(sequence.starts_with(b"CGA"))] += 1;
        } else {
            self.filled_in += u64::from(after.len() < left);
        }
    }

    fn merge(&mut self, other: &GaloreMate) {
        // By name, so that no count can be forgotten.
        let GaloreMate {
            read,
            low_quality,
            adapter_bases,
            by_length,
            before,
            filled_in,
            filled_in_start,
        } = other;
        let add = |mine: &mut [u64], theirs: &[u64]| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        };
        add(&mut self.read, read);
        add(&mut self.low_quality, low_quality);
        self.adapter_bases += adapter_bases;
        for (len, theirs) in by_length {
            let mine = self.by_length.entry(*len).or_default();
            mine.resize(mine.len().max(theirs.len()), 0);
            add(mine, theirs);
        }
        add(&mut self.before, before);
        self.filled_in += filled_in;
        add(&mut self.filled_in_start, filled_in_start);
    }
}

impl GaloreCounts {
    /// None yet, of reads that must be like this.
    pub fn new(limits: GaloreLimits) -> GaloreCounts {
        GaloreCounts { limits, ..GaloreCounts::default() }
    }

    /// Counts a read or a pair that came in.
    pub(in crate::change::filter) fn came_in(&mut self, reads: [Option<&TrimmedRead<'_>>; 2]) {
        for (mine, read) in self.mates.iter_mut().zip(reads) {
            if let Some(read) = read {
                mine.read[0] += 1;
                mine.read[1] += read.len() as u64;
            }
        }
    }

    /// Counts what a trimmer did to a read or a pair, where it found these adapters.
    pub(in crate::change::filter) fn trimmed(
        &mut self,
        kind: Trim,
        reads: [Option<(TrimmedRead<'_>, TrimmedRead<'_>)>; 2],
        found: [Option<AdapterPlace>; 2],
    ) {
        for (mate, (reads, found)) in reads.into_iter().zip(found).enumerate() {
            if let Some((before, after)) = reads {
                self.mates[mate].trimmed(kind, &before, &after, found);
            }
        }
    }

    /// Counts what becomes of a read or a pair that is trimmed.
    pub(in crate::change::filter) fn decide(&mut self, reads: [Option<&TrimmedRead<'_>>; 2]) {
        let GaloreLimits { min_len, max_len, max_n } = self.limits;
        let any = |is: &dyn Fn(&TrimmedRead<'_>) -> bool| reads.into_iter().flatten().any(is);
        let has_n = |read: &TrimmedRead<'_>| {
            max_n.is_some_and(|most| biofast_kernels::count_n(read.sequence()) > most)
        };
        let [many_n, short, long] = &mut self.removed;
        if any(&has_n) {
            *many_n += 1;
        } else if any(&|read| read.len() < min_len) {
            *short += 1;
        } else if any(&|read| max_len.is_some_and(|most| read.len() > most)) {
            *long += 1;
        }
    }

    pub(in crate::change::filter) fn merge(&mut self, other: &GaloreCounts) {
        let GaloreCounts { limits: _, mates, removed } = other;
        self.mates.iter_mut().zip(mates).for_each(|(mine, theirs)| mine.merge(theirs));
        self.removed.iter_mut().zip(removed).for_each(|(mine, theirs)| *mine += theirs);
    }
}
