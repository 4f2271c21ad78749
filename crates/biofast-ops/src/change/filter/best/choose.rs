//! The reads with the best scores, found by going through all scores a few times.

use std::io;

use super::chosen::BestReads;
use super::score::{Measures, QualityRange, Scoring};

/// A read, as it stands in the temporary file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScoredRead {
    pub(super) measures: Measures,
    /// Whether the filter keeps it.
    pub(super) passed: bool,
}

impl Default for ScoredRead {
    fn default() -> ScoredRead {
        ScoredRead { measures: Measures { bases: 0, mean: 0.0, window: 0.0 }, passed: false }
    }
}

/// The bit that says that a read is kept, of the number that is its bases.
const PASSED: u64 = 1 << 63;

impl ScoredRead {
    pub(super) const LEN: usize = 24;

    pub(super) fn to_bytes(self) -> [u8; ScoredRead::LEN] {
        let Measures { bases, mean, window } = self.measures;
        let first = bases | if self.passed { PASSED } else { 0 };
        let mut bytes = [0; ScoredRead::LEN];
        let numbers = [first, mean.to_bits(), window.to_bits()];
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; ScoredRead::LEN]) -> ScoredRead {
        let mut numbers = [0; 3];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let [first, mean, window] = numbers;
        let measures = Measures {
            bases: first & !PASSED,
            mean: f64::from_bits(mean),
            window: f64::from_bits(window),
        };
        ScoredRead { measures, passed: first & PASSED != 0 }
    }
}

/// Bits of a score that are looked at in one going through.
const DIGIT: u32 = 16;

/// The reads of the best scores that have `target` of the `total` bases together, or all that passed if they don't have more. Of
/// equal scores the first reads are taken.
pub(super) fn choose(
    mut read: impl FnMut(&mut dyn FnMut(ScoredRead)) -> io::Result<()>,
    (target, total): (u64, u64),
    scoring: &Scoring,
) -> io::Result<BestReads> {
    let mut best = BestReads { total, target, ..BestReads::default() };
    let (mut passed, mut range) = (0u64, None::<QualityRange>);
    read(&mut |row| {
        if row.passed {
            passed += row.measures.bases;
        }
        if row.measures.bases > 0 {
            let mean = row.measures.mean;
            let known = range.get_or_insert(QualityRange { lowest: mean, highest: mean });
            *known =
                QualityRange { lowest: known.lowest.min(mean), highest: known.highest.max(mean) };
        }
    })?;
    let range = range.unwrap_or_default();
    let takes_all = target >= total || target >= passed;
    // Scores aren't negative, so their bits have their order.
    let score = |row: &ScoredRead| scoring.score(&row.measures, range).to_bits();
    // The digits of the score at which there is enough, and the bases of what is better.
    let (mut prefix, mut better) = (0u64, 0u64);
    for digit in (0..u64::BITS / DIGIT).rev().filter(|_| !takes_all) {
        let shift = DIGIT * digit;
        let mut bases = vec![0u64; 1 << DIGIT];
        read(&mut |row| {
            let score = score(&row);
            // The digits above this one must be those found so far.
            let above = score.checked_shr(shift + DIGIT).unwrap_or(0);
            if row.passed && above == prefix {
                bases[(score >> shift) as usize & 0xffff] += row.measures.bases;
            }
        })?;
        let mut found = 0;
        for (value, &bases) in bases.iter().enumerate().rev() {
            found = value as u64;
            if better + bases >= target {
                break;
            }
            better += bases;
        }
        prefix = prefix << DIGIT | found;
    }
    let (mut index, mut kept, mut among) = (0u64, 0u64, better);
    read(&mut |row| {
        let score = score(&row);
        let takes =
            row.passed && (takes_all || score > prefix || (score == prefix && among < target));
        if takes && score == prefix {
            among += row.measures.bases;
        }
        if takes {
            kept += row.measures.bases;
        }
        best.push(index, takes);
        index += 1;
    })?;
    best.kept = kept;
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::filter::rows::each_row;
    use proptest::prelude::*;

    /// The same, by sorting.
    fn plain(rows: &[ScoredRead], target: u64, total: u64, scoring: &Scoring) -> Vec<bool> {
        let means = rows.iter().filter(|row| row.measures.bases > 0).map(|row| row.measures.mean);
        let range = QualityRange {
            lowest: means.clone().fold(f64::INFINITY, f64::min),
            highest: means.fold(f64::NEG_INFINITY, f64::max),
        };
        let passed: u64 = rows.iter().filter(|row| row.passed).map(|row| row.measures.bases).sum();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let score = |i: &usize| scoring.score(&rows[*i].measures, range);
        order.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let mut takes = vec![false; rows.len()];
        let mut so_far = 0;
        for i in order {
            let all = target >= total || target >= passed;
            if rows[i].passed && (all || so_far < target) {
                so_far += rows[i].measures.bases;
                takes[i] = true;
            }
        }
        takes
    }

    proptest! {
        #[test]
        fn the_best_are_those_of_a_sort(
            reads in prop::collection::vec((1u64..30_000, 0u32..20, 0u32..20, any::<bool>()), 0..200),
            percent in 0u64..101,
        ) {
            let rows: Vec<ScoredRead> = reads
                .iter()
                .map(|&(bases, mean, window, passed)| ScoredRead {
                    measures: Measures { bases, mean: f64::from(mean), window: f64::from(window) },
                    passed,
                })
                .collect();
            let total: u64 = reads.iter().map(|read| read.0).sum();
            let scoring = Scoring::default();
            let target = total * percent / 100;
            let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_bytes()).collect();
            let read = |visit: &mut dyn FnMut(ScoredRead)| {
                each_row(&bytes[..], &mut |row| visit(ScoredRead::from_bytes(row)))
            };
            let best = choose(read, (target, total), &scoring).unwrap_or_default();
            let found: Vec<bool> = (0..rows.len() as u64).map(|index| best.takes(index)).collect();
            prop_assert_eq!(found, plain(&rows, target, total, &scoring));
        }
    }
}
