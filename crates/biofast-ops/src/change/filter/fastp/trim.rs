//! Adapters as fastp cuts them: of pairs by the overlap of mates, else by sequence.

use crate::change::filter::read::{TrimUnit, TrimmedRead};
use crate::change::filter::trim::{LONGEST_INSERT, Laid, MateOverlap, MateRule, Trim, Trimmer};
use crate::measure::compat::FastpVersion;

/// The fewest bases that are compared.
const FEWEST: usize = 4;
/// One base in so many may differ.
const BASES_PER_MISMATCH: usize = 8;
/// The most bases that an adapter leaves of a dimer.
const LONGEST_DIMER: usize = 2;

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

/// Where fastp finds an adapter that has a base less, else one more, than the read: since 0.26, if [`find`] finds none. It compares the
/// adapter with the start of the read, whatever the place, which says only how many bases are compared.
fn find_with_gap(read: &[u8], adapter: &[u8]) -> Option<usize> {
    if adapter.len() < FEWEST {
        return None;
    }
    let (len, alen) = (read.len(), adapter.len());
    let without_base = || {
        let compared = compared_with_gap(read, adapter, alen.min(len.saturating_sub(1)))?;
        Some(if compared == alen { 0 } else { len - 1 - compared })
    };
    let with_base = || {
        let compared = compared_with_gap(adapter, read, len.min(alen - 1))?;
        Some(if compared == alen - 1 { 0 } else { len - compared })
    };
    without_base().or_else(with_base)
}

/// How many bases of `shorter`, at most `most`, are the start of `longer` without one inner base of it: the largest number of which fewer
/// than one in eight differ.
fn compared_with_gap(longer: &[u8], shorter: &[u8], most: usize) -> Option<usize> {
    let (longer, shorter) = (longer.get(..most + 1)?, shorter.get(..most)?);
    let mut found = None;
    // Mismatches without the gap, with the gap before what is compared next, and the fewest with the gap somewhere before.
    let (mut before, mut fewest) = (0, usize::MAX);
    for (i, &base) in shorter.iter().enumerate() {
        if i > 0 {
            fewest = fewest.min(before);
        }
        before += usize::from(longer[i] != base);
        fewest = fewest.saturating_add(usize::from(longer[i + 1] != base));
        let compared = i + 1;
        if fewest < compared / BASES_PER_MISMATCH {
            found = Some(compared);
        }
        if before.min(fewest) >= most / BASES_PER_MISMATCH {
            break;
        }
    }
    found
}

/// Cuts adapters, found by their sequence, off first and second reads.
#[derive(Clone, Debug, Default)]
pub struct SequenceTrimmer {
    adapters: [Option<Vec<u8>>; 2],
    version: FastpVersion,
}

impl SequenceTrimmer {
    /// The adapters of first and of second reads, found like a version finds them.
    pub fn new(adapters: [Option<Vec<u8>>; 2], version: FastpVersion) -> SequenceTrimmer {
        SequenceTrimmer { adapters, version }
    }

    /// Whether there are dimers of adapters: since 1.1, what an adapter was cut off and has two bases at most, of a pair both mates.
    fn tells_dimers(&self) -> bool {
        self.version >= FastpVersion::V1_3
    }

    /// How many bases are before the adapter of a mate, and the adapter as fastp reports it, if there is one.
    fn find<'a>(&'a self, sequence: &'a [u8], mate: usize) -> Option<(usize, &'a [u8])> {
        let adapter = self.adapters.get(mate).and_then(Option::as_ref)?;
        let with_gap = || match self.version >= FastpVersion::V1_3 {
            true => find_with_gap(sequence, adapter).map(|at| at as isize),
            false => None,
        };
        let at = find(sequence, adapter).or_else(with_gap)?;
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
        let mut is_cut = false;
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
            is_cut = true;
        }
        *reads.dimer |= is_cut && self.tells_dimers() && is_dimer(reads);
    }
}

/// Whether both mates, or a read without one, have so few bases.
fn is_dimer(reads: &TrimUnit<'_, '_>) -> bool {
    [Some(&reads.first), reads.second.as_ref()]
        .into_iter()
        .flatten()
        .all(|read| read.len() <= LONGEST_DIMER)
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
            *reads.dimer |= self.sequences.tells_dimers() && is_dimer(reads);
            return;
        }
        self.sequences.trim(reads);
    }
}

const _: () = assert!(LONGEST_INSERT == 512, "fastp's report has this many");

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

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

    /// As fastp compares: every place, every gap, every base.
    fn every_gap(read: &[u8], adapter: &[u8]) -> Option<usize> {
        let agree = |longer: &[u8], shorter: &[u8], compared: usize| {
            (1..compared).any(|gap| {
                let differ = (0..compared)
                    .filter(|&i| longer[i + usize::from(i >= gap)] != shorter[i])
                    .count();
                differ < compared / BASES_PER_MISMATCH
            })
        };
        let (len, alen) = (read.len(), adapter.len());
        let mut without = (0..len.saturating_sub(FEWEST + 1))
            .filter(|at| agree(read, adapter, alen.min(len - at - 1)));
        let mut with = (0..len.saturating_sub(FEWEST))
            .filter(|at| agree(adapter, read, (alen - 1).min(len - at)));
        without.next().or_else(|| with.next())
    }

    #[test]
    fn gaps_are_found_where_a_look_at_all_of_them_finds_them() {
        let mut random = Random(5);
        let mut found = [0; 2];
        for _ in 0..20_000 {
            let adapter: Vec<u8> =
                (0..4 + random.below(60)).map(|_| b"ACGT"[random.below(4)]).collect();
            let mut read = adapter[random.below(2)..].to_vec();
            let at = random.below(read.len().min(20));
            match random.below(3) {
                0 => read.insert(at, b"ACGT"[random.below(4)]),
                1 => drop(read.remove(at)),
                _ => {}
            }
            (0..random.below(40)).for_each(|_| read.push(b"ACGT"[random.below(4)]));
            for _ in 0..random.below(5) {
                let at = random.below(read.len());
                read[at] = b"ACGTN"[random.below(5)];
            }
            read.truncate(4 + random.below(90));
            let expected = every_gap(&read, &adapter);
            assert_eq!(find_with_gap(&read, &adapter), expected, "{read:?} {adapter:?}");
            if let Some(at) = expected {
                found[usize::from(at > 0)] += 1;
            }
        }
        assert!(found.iter().all(|&n| n > 1000), "{found:?}");
    }
}
