//! Poly-A tails, by the rule of `cutadapt --poly-a`.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::TrimmedRead;

/// What a base that is none of the tail costs, where one that is counts 1.
const OTHER: i64 = 2;
/// One base in so many may be another one.
const BASES_PER_ERROR: usize = 5;
/// Shorter tails are left.
const SHORTEST: usize = 3;

/// Cuts poly-A tails off reads, and poly-T heads off second reads.
///
/// A tail begins where A minus twice the other bases are most, of places from which at most a fifth of the bases are others.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolyA;

/// How many of the first `bases` are a tail of `base`.
fn tail_len<'b>(bases: impl Iterator<Item = &'b u8>, base: u8) -> usize {
    let (mut score, mut errors, mut best) = (0, 0, (0, 0));
    for (before, found) in bases.enumerate() {
        if *found == base {
            score += 1;
        } else {
            score -= OTHER;
            errors += 1;
        }
        let len = before + 1;
        if score > best.0 && errors * BASES_PER_ERROR <= len {
            best = (score, len);
        }
    }
    if best.1 < SHORTEST { 0 } else { best.1 }
}

impl Trimmer for PolyA {
    fn kind(&self) -> Trim {
        Trim::PolyA
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        let sequence = read.sequence();
        match mate {
            0 => read.drop_tail(tail_len(sequence.iter().rev(), b'A')),
            _ => read.drop_front(tail_len(sequence.iter(), b'T')),
        }
    }
}
