//! Runs of one base at the end of a read: what two-colour machines write where there is no
//! signal (G), and poly-A tails. What is cut is what fastp 0.23 and later cut, base for base:
//! `tests/peers/filter_peers.rs` compares.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// One other base is allowed in so many.
const BASES_PER_MISMATCH: usize = 8;
/// And so many in all.
const MOST_MISMATCHES: usize = 5;

/// Whether a run may have so many other bases among `bases`.
fn allows(bases: usize, others: usize) -> bool {
    others <= MOST_MISMATCHES && others <= bases / BASES_PER_MISMATCH
}

/// The length of the run of G at the end of `sequence`; 0 if there is none of `min` bases.
///
/// The last k bases may be a run if at most 5 of them, and from k = `min` on at most k/8, are
/// others. There is a run if that holds for every k up to `min`; it reaches to the last G before
/// the k where it fails.
fn run_of_g(sequence: &[u8], min: usize) -> usize {
    let (mut others, mut len) = (0, 0);
    for (before, &found) in sequence.iter().rev().enumerate() {
        let k = before + 1;
        if found.eq_ignore_ascii_case(&b'G') {
            len = k;
        } else {
            others += 1;
        }
        let fails = if k < min { others > MOST_MISMATCHES } else { !allows(k, others) };
        if fails {
            return if k > min { len } else { 0 };
        }
    }
    if sequence.len() >= min { len } else { 0 }
}

/// The order in which the one is chosen of bases that come equally often.
const BASES: [u8; 4] = *b"ATCG";

/// The length of the run of any one base at the end of `sequence`; 0 if there is none.
///
/// The last k bases may be a run of a base if at most k/8 and at most 5 of them are others, N
/// being any base. The first k that may be none of any base is looked for, among those of at least
/// `min` - 1 bases (9 if that is less); there is a run if it isn't below `min`. It is one of the
/// base that is most frequent up to there, and reaches to the last of these.
fn run_of_any(sequence: &[u8], min: usize) -> usize {
    let first_tested = (BASES_PER_MISMATCH + 1).min(min.saturating_sub(1));
    let mut counts = [0; BASES.len()];
    let mut end = sequence.len() + 1;
    for (before, found) in sequence.iter().rev().enumerate() {
        let k = before + 1;
        let found = found.to_ascii_uppercase();
        for (count, base) in counts.iter_mut().zip(BASES) {
            *count += usize::from(found == base || found == b'N');
        }
        if k >= first_tested && !counts.iter().any(|count| allows(k, k - count)) {
            end = k;
            break;
        }
    }
    if end < min {
        return 0;
    }
    // The first of the most frequent ones.
    let most = counts.into_iter().max().unwrap_or(0);
    let Some(base) = BASES.into_iter().zip(counts).find_map(|(b, n)| (n == most).then_some(b))
    else {
        return 0;
    };
    let looked_at = &sequence[sequence.len() - end.min(sequence.len())..];
    let start = looked_at.iter().position(|found| found.eq_ignore_ascii_case(&base));
    start.map_or(0, |start| looked_at.len() - start)
}

/// Cuts a run of at least so many G off the end.
#[derive(Clone, Copy, Debug)]
pub struct PolyG(pub usize);

impl Trimmer for PolyG {
    fn kind(&self) -> Trim {
        Trim::PolyG
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        read.drop_tail(run_of_g(read.sequence(), self.0));
    }
}

/// Cuts a run of at least so many A, C, G or T off the end.
#[derive(Clone, Copy, Debug)]
pub struct PolyX(pub usize);

impl Trimmer for PolyX {
    fn kind(&self) -> Trim {
        Trim::PolyX
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        read.drop_tail(run_of_any(read.sequence(), self.0));
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        let mut of_n = 0;
        reads.for_each(|read, mate| {
            let len = read.len();
            self.trim_read(read, mate);
            let is_run = len > 0 && read.len() == len && len + 1 >= self.0;
            of_n += u64::from(is_run && read.sequence().iter().all(|&base| base == b'N'));
        });
        reads.counts.runs_of_n += of_n;
    }
}
