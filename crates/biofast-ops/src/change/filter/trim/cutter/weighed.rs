//! Where an adapter most likely begins, by the qualities of the bases that match and of those that don't.

use biofast_kernels as kernels;

use super::align::AdapterAlignment;
use super::read::CutterRead;
use crate::change::filter::trim::likelihood::{BIT, KNOWN, LEVELS, level};
use crate::change::filter::trim::overlap::mismatches;

/// The least score: by chance, one place of 2,000 has it. Six bases of high quality do.
const LEAST: i32 = 11 * BIT;

/// A 3′ adapter of A, C, G, T and N.
#[derive(Clone, Debug)]
pub(super) struct Weigher {
    adapter: Vec<u8>,
    /// How many N it has, which are not compared.
    wild: usize,
    min_overlap: usize,
}

impl Weigher {
    pub(super) fn new(adapter: &[u8], min_overlap: usize) -> Weigher {
        let wild = adapter.iter().filter(|&&letter| letter == b'N').count();
        Weigher { adapter: adapter.to_vec(), wild, min_overlap: min_overlap.max(1) }
    }

    /// The place of the highest score, of equal ones the first; `upper` is memory.
    pub(super) fn locate(
        &self,
        read: CutterRead<'_>,
        upper: &mut Vec<u8>,
    ) -> Option<AdapterAlignment> {
        upper.clear();
        upper.extend(read.sequence.iter().map(u8::to_ascii_uppercase));
        let table = &*KNOWN;
        // No place has the least score in which more bases differ, however good or bad the qualities are: a bound that few places
        // keep. What isn't a base costs nothing.
        let (best_weight, mildest) = (i32::from(table[LEVELS - 1][0]), -i32::from(table[0][1]));
        let bases = kernels::count_gc_acgt(upper).acgt as usize;
        let free = (self.wild + upper.len() - bases) as i32;
        let n = upper.len();
        let mut best: Option<(i32, usize)> = None;
        for at in 0..(n + 1).saturating_sub(self.min_overlap) {
            let len = self.adapter.len().min(n - at);
            let bound = best_weight * len as i32 - LEAST + mildest * free;
            if bound < 0 {
                // The places behind have fewer bases.
                break;
            }
            let most = (bound / (best_weight + mildest)) as usize;
            let (stretch, adapter) = (&upper[at..at + len], &self.adapter[..len]);
            if mismatches(stretch, adapter, most) > most {
                continue;
            }
            let weights = stretch.iter().zip(adapter).zip(&read.qualities[at..]);
            let score = weights.map(|((base, known), quality)| {
                match *known == b'N' || !b"ACGT".contains(base) {
                    true => 0,
                    false => i32::from(table[level(*quality)][usize::from(base != known)]),
                }
            });
            let score = score.sum();
            if score >= LEAST && best.is_none_or(|(best, _)| score > best) {
                best = Some((score, at));
            }
        }
        let (score, at) = best?;
        let len = self.adapter.len().min(n - at);
        let pairs = self.adapter.iter().zip(&upper[at..]);
        let errors = pairs.filter(|(known, base)| **known != b'N' && known != base).count() as i32;
        Some(AdapterAlignment { adapter: (0, len), read: (at, at + len), score, errors })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rule as the documentation has it.
    fn plain(read: &[(u8, u8)], adapter: &[u8], min_overlap: usize) -> Option<usize> {
        let mut best = None;
        for at in 0..read.len() {
            let pairs = || read[at..].iter().zip(adapter);
            let weights = pairs().map(|((base, quality), known)| {
                let base = base.to_ascii_uppercase();
                if *known == b'N' || !b"ACGT".contains(&base) {
                    return 0;
                }
                let phred = f64::from(quality - b'!').clamp(4.0, 20.0);
                let wrong = 10f64.powf(-phred / 10.0).clamp(0.01, 1.0 / 3.0);
                let share = if base == *known { (1.0 - wrong) / 0.25 } else { wrong / 0.75 };
                (16.0 * share.log2()).round() as i64
            });
            let score: i64 = weights.sum();
            let fits = pairs().count() >= min_overlap && score >= 11 * 16;
            if fits && best.is_none_or(|(best, _)| score > best) {
                best = Some((score, at));
            }
        }
        best.map(|(_, at)| at)
    }

    proptest! {
        #[test]
        fn adapters_begin_where_the_plain_rule_says(
            mut read in prop::collection::vec((prop::sample::select(&b"ACGTNacgt"[..]), prop_oneof![Just(b'#'), b'!'..=b'J']), 0..90),
            adapter in prop::collection::vec(prop::sample::select(&b"ACGTACGTN"[..]), 1..40),
            at in any::<prop::sample::Index>(), wrong in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
            min_overlap in 1usize..12,
        ) {
            if !read.is_empty() {
                let at = at.index(read.len());
                read[at..].iter_mut().zip(&adapter).for_each(|(base, known)| base.0 = *known);
                let within = read.len().min(adapter.len());
                wrong.iter().for_each(|at| read[at.index(within)].0 = b'G');
            }
            let (sequence, qualities): (Vec<u8>, Vec<u8>) = read.iter().copied().unzip();
            let searched = CutterRead { sequence: &sequence, qualities: &qualities };
            let min_overlap = min_overlap.min(adapter.len());
            let weigher = Weigher::new(&adapter, min_overlap);
            let found = weigher.locate(searched, &mut Vec::new());
            prop_assert_eq!(found.map(|found| found.read.0), plain(&read, &adapter, min_overlap));
        }
    }
}
