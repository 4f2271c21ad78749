//! Reads that share minimizers with a reference: a host or a contaminant, which they come from, or genes that are looked for.
//!
//! The rule and the index are those of the program deacon. A read, or both reads of a pair together, matches the reference if
//! it has enough different minimizers that the [index](MinimizerIndex) has: at least a number, and at least a share of all its
//! minimizers. Reads are judged as they are in the file, before they are trimmed.

mod index;
mod set;

use std::sync::Arc;

use biofast_fastq::Unit;
use biofast_kernels::{MinimizerBuffers, find_minimizers};

use super::read::{EditedBases, TrimmedRead};
use super::tally::Reason;

pub use index::{IndexedSequences, MinimizerIndex, MinimizerIndexBuilder};

/// What becomes of reads that match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepleteAction {
    /// They are rejected.
    #[default]
    Remove,
    /// They are kept, and all others are rejected.
    Keep,
    /// They are kept, and the bases of their minimizers that the index has become N.
    Mask,
}

impl DepleteAction {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            DepleteAction::Remove => "remove",
            DepleteAction::Keep => "keep",
            DepleteAction::Mask => "mask",
        }
    }
}

/// Which reads match, and what becomes of them.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::deplete::{Deplete, DepleteAction, MinimizerIndexBuilder};
/// use biofast_ops::filter::{Filter, Reason};
///
/// let host = b"GATTACAGATTACCAGGATCCGATCGTTAGCTAGGCTAAGCTTCGATCGGATATCGCGATATTCGGATCGA";
/// let mut builder = MinimizerIndexBuilder::new(31, 15).ok_or("unsuitable lengths")?;
/// builder.add(host);
/// let filter = Filter::new().deplete(Deplete::new(builder.finish()));
///
/// let mut worker = filter.worker();
/// let mut texts = vec![Vec::new()];
/// let quality = [b'I'; 71];
/// for sequence in [&host[2..62], &b"ACGT".repeat(15)] {
///     let first = Record::new(b"r", sequence, &quality[..sequence.len()]);
///     worker.apply(Unit { index: 0, first, second: None }, &mut texts);
/// }
/// assert_eq!(worker.tally().rejected(Reason::MatchesIndex), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deplete {
    index: Arc<MinimizerIndex>,
    /// At least this many different minimizers of the index make a match.
    pub min_hits: u64,
    /// At least this share of all minimizers, from 0 to 1: of *n*, `min_fraction` · *n* rounded, and at least one.
    pub min_fraction: f64,
    /// Only so many bases from the start of each read count; 0 for all.
    pub prefix: usize,
    /// What becomes of reads that match.
    pub action: DepleteAction,
}

/// Memory of a worker, and what it found of the unit at hand.
#[derive(Default)]
pub(super) struct DepleteBuffers {
    found: MinimizerBuffers,
    /// Different hits of both mates.
    hits: Vec<u64>,
    is_hit: Vec<bool>,
    /// Whether the unit matches.
    pub(super) is_matching: bool,
    /// Where the hits of each mate start.
    places: [Vec<u32>; 2],
    masked: [EditedBases; 2],
}

impl Deplete {
    /// Rejects reads by deacon's rule: two different minimizers, and a hundredth of all.
    pub fn new(index: impl Into<Arc<MinimizerIndex>>) -> Deplete {
        let index = index.into();
        Deplete { index, min_hits: 2, min_fraction: 0.01, prefix: 0, action: Default::default() }
    }

    /// The minimizers that are looked for.
    pub fn index(&self) -> &MinimizerIndex {
        &self.index
    }

    /// Whether a read or a pair matches.
    pub(super) fn matches(&self, unit: &Unit<'_>, buffers: &mut DepleteBuffers) -> bool {
        buffers.is_matching = self.judge(unit, buffers);
        buffers.is_matching
    }

    fn judge(&self, unit: &Unit<'_>, buffers: &mut DepleteBuffers) -> bool {
        let DepleteBuffers { found, hits, is_hit, places, .. } = buffers;
        hits.clear();
        places.iter_mut().for_each(Vec::clear);
        let mut total = 0;
        for (mate, read) in [Some(&unit.first), unit.second.as_ref()].into_iter().enumerate() {
            let Some(read) = read else { continue };
            let mut bases = read.sequence();
            if self.prefix > 0 {
                bases = &bases[..bases.len().min(self.prefix)];
            }
            // More than any read has; the rest isn't looked at.
            bases = &bases[..bases.len().min(u32::MAX as usize)];
            find_minimizers(bases, self.index.scheme(), found);
            total += found.len() as u64;
            self.index.look_up(found.kmers(), is_hit);
            for ((&kmer, &place), &is_hit) in
                found.kmers().iter().zip(found.positions()).zip(&*is_hit)
            {
                if is_hit {
                    hits.push(kmer);
                    places[mate].push(place);
                }
            }
        }
        if total == 0 {
            return false;
        }
        hits.sort_unstable();
        hits.dedup();
        let share = (self.min_fraction * total as f64).round() as u64;
        hits.len() as u64 >= self.min_hits.max(share).max(1)
    }

    /// Why a unit isn't kept, by whether it matches.
    pub(super) fn objection(&self, matches: bool) -> Option<Reason> {
        match (self.action, matches) {
            (DepleteAction::Remove, true) => Some(Reason::MatchesIndex),
            (DepleteAction::Keep, false) => Some(Reason::NoMatchInIndex),
            _ => None,
        }
    }

    /// Replaces the bases of what was found in a unit that matches by N; also says how many others these were.
    pub(super) fn mask<'b>(
        &self,
        reads: [Option<TrimmedRead<'_>>; 2],
        buffers: &'b mut DepleteBuffers,
    ) -> ([Option<&'b EditedBases>; 2], usize) {
        let k = self.index.scheme().k();
        let mut masked = 0;
        let DepleteBuffers { places, masked: edited, .. } = buffers;
        for ((read, places), edited) in reads.iter().zip(places).zip(&mut *edited) {
            edited.used = false;
            let Some(read) = read.as_ref().filter(|_| !places.is_empty()) else { continue };
            edited.take(read);
            let bases = edited.sequence_mut();
            for place in places.iter().map(|&place| place as usize) {
                for base in &mut bases[place..place + k] {
                    masked += usize::from(*base != b'N');
                    *base = b'N';
                }
            }
        }
        (edited.each_ref().map(|edited| edited.used.then_some(edited)), masked)
    }
}

#[cfg(test)]
mod tests;
