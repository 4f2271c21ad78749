//! Adapters found by the overlap of mates: where the fragment is shorter than the reads, each
//! read is, up to the fragment's end, the reverse complement of the other; what follows is
//! adapter, whatever its sequence.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// Cuts both mates to the fragment.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// The shortest overlap that counts, unless adapters of both reads follow, which then count with it.
    pub min_len: usize,
    /// So many bases may differ, as far as that is no more than a fifth of the overlap.
    pub max_mismatches: usize,
    /// So many of a longer overlap may differ.
    pub max_share: f64,
    /// What is known to follow the fragment in first reads, and, as the other strand has it, in second ones.
    adapters: [Vec<FollowingAdapter>; 2],
}

/// An adapter behind a fragment, on the strand of the first read.
#[derive(Clone, Debug, PartialEq)]
struct FollowingAdapter {
    sequence: Vec<u8>,
    has_n: bool,
}

/// The bases next to a fragment of which at most [`MOST_OF_HEAD`] differ, of a short fragment in one of the mates.
const HEAD: usize = 16;
const MOST_OF_HEAD: usize = 7;

impl Default for Overlap {
    /// 30 bases, of which 5, or a tenth if that is more, may differ.
    fn default() -> Overlap {
        Overlap { min_len: 30, max_mismatches: 5, max_share: 0.1, adapters: Default::default() }
    }
}

/// What a difference costs, where a base that agrees is a point.
const DIFFERENCE: i32 = 2;
/// The points of two stretches that lie on each other.
fn points(len: usize, mismatches: usize) -> i32 {
    len as i32 - (1 + DIFFERENCE) * mismatches as i32
}

impl Overlap {
    /// Adds an adapter of A, C, G, T and N that may follow the fragment in first (0) or second (1) reads. Where adapters of both
    /// follow, mates may differ in a third of all bases.
    #[must_use]
    pub fn with_adapter(mut self, mate: usize, adapter: &[u8]) -> Overlap {
        let mut known = adapter.to_vec();
        if mate > 0 {
            crate::change::grep::reverse_complement(adapter, &mut known);
        }
        let has_n = known.contains(&b'N');
        self.adapters[mate.min(1)].push(FollowingAdapter { sequence: known, has_n });
        self
    }

    /// The length of the fragment, if it is shorter than one of the reads: `first` and
    /// `reversed`, the reverse complement of the second, laid on each other so that both end at
    /// the fragment's ends.
    pub(super) fn fragment(&self, first: &[u8], reversed: &[u8]) -> Option<usize> {
        match self.look(first, reversed) {
            OverlapOutcome::Fragment(len) => Some(len),
            OverlapOutcome::NoAdapter | OverlapOutcome::Nothing => None,
        }
    }

    /// See [`fragment`](Self::fragment): of the lengths whose overlap agrees, the one with the most points of overlap and
    /// adapters, unless the mates have as many in a place where neither has an adapter.
    fn look(&self, first: &[u8], reversed: &[u8]) -> OverlapOutcome {
        let (len1, len2) = (first.len(), reversed.len());
        let longest = len1.max(len2).saturating_sub(1);
        let least = self.min_len.max(1);
        let mut best: Option<(i32, usize)> = None;
        let mut look_at = |fragment: usize| {
            // Of equal ones the longer.
            let found = self.points(first, reversed, fragment).map(|points| (points, fragment));
            best = best.max(found);
        };
        // Fragments that only adapters show, those longer than the second read, then those whose start or end is like the other read.
        if self.adapters.iter().all(|known| !known.is_empty()) {
            let short = 0..least.min(longest + 1);
            short.filter(|&at| self.is_near_adapter(first, reversed, at)).for_each(&mut look_at);
        }
        (least.max(len2 + 1)..=longest).for_each(&mut look_at);
        let near = |&(_, differ): &(usize, usize)| 16 * differ <= 7 * least.min(WINDOW);
        let starts = Windows::new(first, reversed, least, len2.saturating_sub(longest));
        for (start, _) in starts.into_iter().flatten().filter(near) {
            look_at(len2 - start);
        }
        let end = &reversed[len2.saturating_sub(least)..];
        let ends = Windows::new(end, first, least, 0);
        for (start, _) in ends.into_iter().flatten().filter(near) {
            if start + least <= longest.min(len2) {
                look_at(start + least);
            }
        }
        let Some((points, fragment)) = best else { return OverlapOutcome::Nothing };
        // The fragment may as well reach to the ends of both reads or beyond: a repeat, or no
        // adapter at all.
        let mut fits = len1.saturating_sub(len2)..(len1 + 1).saturating_sub(least);
        let is_without = fits.any(|offset| {
            let len = (len1 - offset).min(len2);
            len >= least && len as i32 >= points && {
                let (a, b) = (&first[offset..offset + len], &reversed[..len]);
                let limit = (len as i32 - points) / (1 + DIFFERENCE);
                mismatches(a, b, limit as usize) <= limit as usize
            }
        });
        if is_without { OverlapOutcome::NoAdapter } else { OverlapOutcome::Fragment(fragment) }
    }

    /// Whether an adapter may begin behind this short fragment in one of the reads.
    fn is_near_adapter(&self, first: &[u8], reversed: &[u8], fragment: usize) -> bool {
        let near = |found: &[u8], head: &[u8]| mismatches(found, head, HEAD) <= MOST_OF_HEAD;
        let behind = first.get(fragment..).unwrap_or_default();
        let before = &reversed[..reversed.len().saturating_sub(fragment)];
        let firsts = self.adapters[0].iter().any(|known| {
            let head = known.sequence.len().min(HEAD);
            known.has_n
                || behind.get(..head).is_some_and(|found| near(found, &known.sequence[..head]))
        });
        firsts
            || self.adapters[1].iter().any(|known| {
                let head = known.sequence.last_chunk::<HEAD>().map_or(&known.sequence[..], |c| c);
                let found = before.len().checked_sub(head.len()).map(|start| &before[start..]);
                known.has_n || found.is_some_and(|found| near(found, head))
            })
    }

    /// The points of a fragment of this length, if what both reads have of it agrees.
    fn points(&self, first: &[u8], reversed: &[u8], fragment: usize) -> Option<i32> {
        let (len1, len2) = (first.len(), reversed.len());
        let from = fragment.saturating_sub(len2);
        let to = len1.min(fragment);
        let start = (len2 + from).saturating_sub(fragment);
        let len = to.checked_sub(from)?;
        let least = self.min_len.max(1);
        let behind = [&first[to..], &reversed[..len2.saturating_sub(fragment)]];
        // The adapters may agree as well as all of the overlap.
        let most =
            (len + behind.map(<[u8]>::len).iter().sum::<usize>()) / (1 + DIFFERENCE) as usize;
        let differ = mismatches(&first[from..to], &reversed[start..start + len], most);
        if differ > most {
            return None;
        }
        let of_overlap = points(len, differ);
        let share = (len as f64 * self.max_share) as usize;
        let agrees = differ <= self.max_mismatches.max(share).min(len / 5);
        let known = self.adapter_points(behind);
        if len < least {
            // Of a longer fragment, mates must show enough.
            let (points, compared) = known.filter(|_| fragment < least)?;
            return Some(of_overlap + points)
                .filter(|&points| points >= 0 && len + compared >= least);
        }
        match (known.map(|(points, _)| points), agrees) {
            // What doesn't fit may be another adapter.
            (known, true) => Some(of_overlap + known.unwrap_or(0).max(0)),
            (Some(known), false) => Some(of_overlap + known).filter(|&points| points >= 0),
            (None, false) => None,
        }
    }

    /// The points of the adapters that fit best what is behind a fragment, and how many bases were compared, if those of both reads
    /// are known.
    fn adapter_points(&self, [first, second]: [&[u8]; 2]) -> Option<(i32, usize)> {
        let compare = |found: &[u8], known: &[u8]| {
            let count = |is: fn(u8, u8) -> bool| -> usize {
                found.iter().zip(known).map(|(&base, &known)| usize::from(is(base, known))).sum()
            };
            let len = count(|_, known| known != b'N');
            (points(len, count(|base, known| base != known && known != b'N')), len)
        };
        let firsts = self.adapters[0].iter().map(|known| compare(first, &known.sequence));
        let seconds = self.adapters[1].iter().map(|FollowingAdapter { sequence, .. }| {
            let len = second.len().min(sequence.len());
            compare(&second[second.len() - len..], &sequence[sequence.len() - len..])
        });
        let (firsts, seconds) = (firsts.max()?, seconds.max()?);
        Some((firsts.0 + seconds.0, firsts.1 + seconds.1))
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
