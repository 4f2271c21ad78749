//! Adapters found by the overlap of mates: where the fragment is shorter than the reads, each
//! read is, up to the fragment's end, the reverse complement of the other; what follows is
//! adapter, whatever its sequence.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// Cuts both mates to the fragment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The shortest overlap that counts.
    pub min_len: usize,
    /// The most bases that may differ.
    pub max_mismatches: usize,
    /// The largest share of the overlap that may differ.
    pub max_share: f64,
}

impl Default for Overlap {
    /// 30 bases, of which at most 5, and at most a fifth, differ: fastp's figures.
    fn default() -> Overlap {
        Overlap { min_len: 30, max_mismatches: 5, max_share: 0.2 }
    }
}

impl Overlap {
    /// Whether two stretches that lie on each other agree.
    fn agree(&self, a: &[u8], b: &[u8]) -> bool {
        let allowed = self.max_mismatches.min((a.len() as f64 * self.max_share) as usize);
        mismatches(a, b, allowed) <= allowed
    }

    /// The length of the fragment, if it is shorter than one of the reads: `first` and
    /// `reversed`, the reverse complement of the second, laid on each other so that both end at
    /// the fragment's ends. The longest one that agrees, unless they also agree in a place where
    /// neither read has an adapter.
    pub(super) fn fragment(&self, first: &[u8], reversed: &[u8]) -> Option<usize> {
        match self.look(first, reversed) {
            OverlapOutcome::Fragment(len) => Some(len),
            OverlapOutcome::NoAdapter | OverlapOutcome::Nothing => None,
        }
    }

    /// See [`fragment`](Self::fragment).
    fn look(&self, first: &[u8], reversed: &[u8]) -> OverlapOutcome {
        let (len1, len2) = (first.len(), reversed.len());
        let longest = len1.max(len2).saturating_sub(1);
        let least = self.min_len.max(1);
        let agrees = |fragment: usize| {
            let from = fragment.saturating_sub(len2);
            let to = len1.min(fragment);
            let start = (len2 + from).saturating_sub(fragment);
            to >= from + least && self.agree(&first[from..to], &reversed[start..start + to - from])
        };
        // Fragments longer than the second read, then those that begin inside it.
        let outer = (least.max(len2 + 1)..=longest).rev().find(|&fragment| agrees(fragment));
        let found = outer.or_else(|| {
            let windows = Windows::new(first, reversed, least, len2.saturating_sub(longest))?;
            let near = windows.filter(|&(_, differ)| differ <= self.max_mismatches);
            near.map(|(start, _)| len2 - start).find(|&fragment| agrees(fragment))
        });
        // The fragment may as well reach to the ends of both reads or beyond: a repeat, or no
        // adapter at all.
        let fits = len1.saturating_sub(len2)..(len1 + 1).saturating_sub(least);
        let without = || {
            fits.clone().any(|offset| {
                let len = (len1 - offset).min(len2);
                len >= least && self.agree(&first[offset..offset + len], &reversed[..len])
            })
        };
        match found {
            Some(_) if without() => OverlapOutcome::NoAdapter,
            Some(fragment) => OverlapOutcome::Fragment(fragment),
            None => OverlapOutcome::Nothing,
        }
    }
}

/// What two reads of a pair say about their fragment.
#[derive(Clone, Copy)]
enum OverlapOutcome {
    /// It has this length, less than one of them.
    Fragment(usize),
    /// It looks shorter, but may as well reach to the ends of both.
    NoAdapter,
    /// They don't lie on each other so that one has an adapter.
    Nothing,
}

impl Trimmer for Overlap {
    fn kind(&self) -> Trim {
        Trim::AdapterByOverlap
    }

    fn trim_read(&self, _: &mut TrimmedRead<'_>, _: usize) {}

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        let Some(second) = &mut reads.second else { return };
        let first = &mut reads.first;
        reverse_complement(second.sequence(), reads.scratch);
        match self.look(first.sequence(), reads.scratch) {
            OverlapOutcome::Fragment(fragment) => {
                // What was cut off the front of one mate is still there at the end of the other, but an identifier is
                // not part of the fragment.
                let fronts = [first.cut_front(), second.cut_front()];
                first.truncate(fragment + fronts[1]);
                second.truncate(fragment + fronts[0]);
            }
            // What other trims left is too short to see it: the reads as they came.
            OverlapOutcome::Nothing if first.is_trimmed() || second.is_trimmed() => {
                reverse_complement(second.record().sequence(), reads.scratch);
                let whole = self.look(first.record().sequence(), reads.scratch);
                if let OverlapOutcome::Fragment(fragment) = whole {
                    // An identifier of the other mate is behind the fragment.
                    let behind = [second.identifier(), first.identifier()];
                    for (read, behind) in [first, second].into_iter().zip(behind) {
                        read.truncate(fragment.saturating_sub(read.range().start + behind));
                    }
                }
            }
            OverlapOutcome::Nothing | OverlapOutcome::NoAdapter => {}
        }
    }
}

/// How much the start of the first read differs from each stretch of the second: a look at up to
/// 32 bases in a few instructions, which spares nearly every comparison. Two bits a base tell A, C,
/// G and T apart and nothing else, so other letters may pass as equal: the count is never too
/// high.
pub(super) struct Windows<'a> {
    wanted: u64,
    window: u64,
    /// Where the window starts in the second read.
    start: usize,
    /// What comes after it.
    rest: std::slice::Iter<'a, u8>,
    /// Where the last base of a window is.
    shift: u32,
    ended: bool,
}

/// Bases of a window.
const WINDOW: usize = 32;

fn two_bits(base: u8) -> u64 {
    u64::from(base >> 1 & 3)
}

impl<'a> Windows<'a> {
    /// From `start` on; `None` if a read has fewer than `least` bases there.
    pub(super) fn new(
        first: &[u8],
        second: &'a [u8],
        least: usize,
        start: usize,
    ) -> Option<Windows<'a>> {
        let len = least.min(WINDOW);
        let (wanted, begin) = (first.get(..least)?, second.get(start..start + least)?);
        let pack = |bases: &[u8]| bases[..len].iter().rev().fold(0, |w, &b| w << 2 | two_bits(b));
        // The last window has `least` bases from its start on, as every overlap must.
        let rest = second[start + least..].len();
        let rest = second[start + len..start + len + rest].iter();
        let shift = 2 * (len as u32 - 1);
        Some(Windows {
            wanted: pack(wanted),
            window: pack(begin),
            start,
            rest,
            shift,
            ended: false,
        })
    }
}

impl Iterator for Windows<'_> {
    /// Where the window starts, and in how many bases it differs at least.
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(usize, usize)> {
        if self.ended {
            return None;
        }
        let differ = self.window ^ self.wanted;
        let differ = (differ | differ >> 1) & 0x5555_5555_5555_5555;
        let item = (self.start, differ.count_ones() as usize);
        match self.rest.next() {
            Some(&base) => {
                self.window = self.window >> 2 | two_bits(base) << self.shift;
                self.start += 1;
            }
            None => self.ended = true,
        }
        Some(item)
    }
}

/// The reverse complement of A, C, G and T, eight at a time; other letters become some byte that
/// is none of the four.
pub(super) fn reverse_complement(sequence: &[u8], out: &mut Vec<u8>) {
    // Bit 1 tells A and T (0) from C and G (1); x ^ 0x15 exchanges A and T, x ^ 4 C and G. What
    // isn't one of the four, N above all, isn't made one of them: see the test.
    let complement = |word: u64| {
        let ones = 0x0101_0101_0101_0101;
        word ^ (0x15 * ones) ^ ((word >> 1 & ones) * 0x11)
    };
    out.clear();
    let (rest, words) = sequence.as_rchunks::<8>();
    for word in words.iter().rev() {
        out.extend_from_slice(&complement(u64::from_le_bytes(*word)).swap_bytes().to_le_bytes());
    }
    out.extend(rest.iter().rev().map(|&b| complement(u64::from(b)) as u8));
}

/// In how many places two stretches of equal length differ; stops counting beyond `limit`.
/// Written so that compilers make vector code of it.
#[inline]
pub(super) fn mismatches(a: &[u8], b: &[u8], limit: usize) -> usize {
    let (blocks_a, rest_a) = a.as_chunks::<16>();
    let (blocks_b, rest_b) = b.as_chunks::<16>();
    let mut found = 0;
    for (a, b) in blocks_a.iter().zip(blocks_b) {
        let differ: u8 = a.iter().zip(b).map(|(a, b)| u8::from(a != b)).sum();
        found += usize::from(differ);
        if found > limit {
            return found;
        }
    }
    found + rest_a.iter().zip(rest_b).filter(|(a, b)| a != b).count()
}

#[cfg(test)]
mod tests;
