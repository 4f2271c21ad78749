//! Runs of one base at the end of a read: what two-colour machines write where there is no
//! signal (G), and poly-A tails.

use super::{Read, Trim, Trimmer};

/// One other base is allowed in so many.
const BASES_PER_MISMATCH: usize = 8;
/// And so many in all.
const MOST_MISMATCHES: usize = 5;

/// The length of the run of `base` at the end of `sequence`; 0 if it is shorter than `min`.
///
/// Going from the end, after k bases of which m are others, the run is over when m > 5, or when
/// m > k/8 and k ≥ `min`. The run reaches to the last `base` seen until then. (fastp's rule, but
/// for the run itself having to be `min` long.)
fn run(sequence: &[u8], base: u8, min: usize) -> usize {
    let (mut others, mut len) = (0, 0);
    for (before, &found) in sequence.iter().rev().enumerate() {
        let k = before + 1;
        if found.eq_ignore_ascii_case(&base) {
            len = k;
            continue;
        }
        others += 1;
        if others > MOST_MISMATCHES || (others > k / BASES_PER_MISMATCH && k >= min) {
            break;
        }
    }
    if len >= min { len } else { 0 }
}

/// Cuts a run of at least so many G off the end.
#[derive(Clone, Copy, Debug)]
pub struct PolyG(pub usize);

impl Trimmer for PolyG {
    fn kind(&self) -> Trim {
        Trim::PolyG
    }

    fn trim_read(&self, read: &mut Read<'_>, _: usize) {
        read.drop_tail(run(read.sequence(), b'G', self.0));
    }
}

/// Cuts the longest run of at least so many A, C, G or T off the end.
#[derive(Clone, Copy, Debug)]
pub struct PolyX(pub usize);

impl Trimmer for PolyX {
    fn kind(&self) -> Trim {
        Trim::PolyX
    }

    fn trim_read(&self, read: &mut Read<'_>, _: usize) {
        let longest = b"ACGT".iter().map(|&base| run(read.sequence(), base, self.0)).max();
        read.drop_tail(longest.unwrap_or(0));
    }
}
