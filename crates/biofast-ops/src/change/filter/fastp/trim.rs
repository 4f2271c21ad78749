//! Adapters as fastp cuts them: of pairs by the overlap of mates, else by sequence, without gaps.

use crate::change::filter::read::{TrimUnit, TrimmedRead};
use crate::change::filter::trim::{LONGEST_INSERT, Laid, MateOverlap, MateRule, Trim, Trimmer};

/// The fewest bases that are compared.
const FEWEST: usize = 4;
/// One base in so many may differ.
const BASES_PER_MISMATCH: usize = 8;

/// Where an adapter begins in a read: the first place where at most one base in eight differs. It may begin before the read,
/// as adapters of dimers lack their first bases.
fn find(read: &[u8], adapter: &[u8]) -> Option<isize> {
    if adapter.len() < FEWEST {
        return None;
    }
    let before = match adapter.len() {
        16.. => 4,
        12.. => 3,
        8.. => 2,
        _ => 0,
    };
    // It counts as longer by what is before the read.
    let fits = |at: isize| {
        let compared = (read.len() as isize - at).clamp(0, adapter.len() as isize) as usize;
        let allowed = compared / BASES_PER_MISMATCH;
        let skipped = (-at).max(0) as usize;
        let stretch = &read[at.max(0) as usize..];
        let pairs = adapter.get(skipped..compared).unwrap_or_default().iter().zip(stretch);
        pairs.filter(|(a, b)| a != b).take(allowed + 1).count() <= allowed
    };
    let last = read.len() as isize - FEWEST as isize;
    (-before..last).find(|&at| fits(at))
}

/// Cuts adapters, found by their sequence, off first and second reads.
#[derive(Clone, Debug, Default)]
pub struct SequenceTrimmer {
    adapters: [Option<Vec<u8>>; 2],
}

impl SequenceTrimmer {
    /// The adapters of first and of second reads.
    pub fn new(adapters: [Option<Vec<u8>>; 2]) -> SequenceTrimmer {
        SequenceTrimmer { adapters }
    }

    /// How many bases are before the adapter of a mate, and the adapter as fastp reports it, if there is one.
    fn find<'a>(&'a self, sequence: &'a [u8], mate: usize) -> Option<(usize, &'a [u8])> {
        let adapter = self.adapters.get(mate).and_then(Option::as_ref)?;
        let at = find(sequence, adapter)?;
        Some(match usize::try_from(at) {
            Ok(at) => (at, &sequence[at..]),
            // Of one that begins before the read, so much of it, whatever the length of the read.
            Err(_) => (0, &adapter[..adapter.len() - at.unsigned_abs()]),
        })
    }
}

impl Trimmer for SequenceTrimmer {
    fn kind(&self) -> Trim {
        Trim::Adapter
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        if let Some((left, _)) = self.find(read.sequence(), mate) {
            read.truncate(left);
        }
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        for mate in 0..2 {
            let Some(read) = reads.read(mate).copied() else { continue };
            // As fastp does, in what the mates have corrected.
            let sequence = reads.edited[mate].sequence_of(&read);
            let Some((left, adapter)) = self.find(sequence, mate) else { continue };
            reads.counts.adapters[0] += 1;
            reads.counts.adapters[1] += adapter.len() as u64;
            reads.cut_adapters[mate].extend_from_slice(adapter);
            if let Some(read) = reads.read_mut(mate) {
                read.truncate(left);
            }
        }
    }
}

/// Cuts the adapters of pairs, found by the overlap of mates or, where that shows none, by their sequence.
#[derive(Clone, Debug)]
pub struct PairTrimmer {
    mates: MateOverlap,
    sequences: SequenceTrimmer,
}

impl PairTrimmer {
    /// By the rule of `mates`, which also may correct.
    pub fn new(mates: MateOverlap, sequences: SequenceTrimmer) -> PairTrimmer {
        PairTrimmer { mates, sequences }
    }

    /// The rule of mates.
    pub fn rule(&self) -> MateRule {
        self.mates.rule()
    }
}

impl Trimmer for PairTrimmer {
    fn kind(&self) -> Trim {
        Trim::AdapterByOverlap
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        self.sequences.trim_read(read, mate);
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        let laid = self.mates.look(reads);
        let Some(second) = &mut reads.second else { return };
        if let Some(Laid { offset: ..0, len, .. }) = laid {
            let before = reads.first.len() + second.len();
            let fronts = [reads.first.cut_front(), second.cut_front()];
            let [edited1, edited2] = &*reads.edited;
            let whole = [edited1.sequence_of(&reads.first), edited2.sequence_of(second)];
            reads.first.truncate(len + fronts[1]);
            second.truncate(len + fronts[0]);
            // fastp counts both mates, whether something is cut off each or not.
            let cut = before - reads.first.len() - second.len();
            reads.counts.adapters = [2, cut as u64];
            let left = [reads.first.len(), second.len()];
            for (mate, (whole, left)) in whole.into_iter().zip(left).enumerate() {
                reads.cut_adapters[mate].extend_from_slice(&whole[left..]);
            }
            return;
        }
        self.sequences.trim(reads);
    }
}

const _: () = assert!(LONGEST_INSERT == 512, "fastp's report has this many");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_may_begin_before_the_read() {
        let adapter = b"AGATCGGAAGAGCACACGTC";
        assert_eq!(find(b"GATCGGAAGAGCACACGTCTTTTTT", adapter), Some(-1));
        assert_eq!(find(b"TTTTAGATCGGAAG", adapter), Some(4));
        assert_eq!(find(b"TTTTTTTTTTTAGA", adapter), None);
        assert_eq!(find(b"AG", adapter), None);
        assert_eq!(find(b"ACGT", b"AC"), None);
    }
}
