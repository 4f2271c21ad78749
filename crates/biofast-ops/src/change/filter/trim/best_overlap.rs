//! How mates lie on each other most likely, by their qualities, and what they are together.

use super::likelihood::{BIT, BOTH_READ, consensus, level};
use super::mates::{Laid, MateRule, reverse_complement};
use super::overlap::mismatches;
use crate::change::filter::read::TrimmedRead;

/// When mates overlap, and how: of all places the one with the highest score. A base counts the bits by which it is likelier
/// that both mates have read the same one than that they agree or differ by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestOverlap {
    /// The fewest bases that lie on each other, and one, as in [`MateRule`](super::MateRule).
    pub min_len: usize,
}

impl Default for BestOverlap {
    fn default() -> BestOverlap {
        BestOverlap { min_len: 30 }
    }
}

/// How overlapping mates become one read.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MergeRule {
    /// By fastp's rule: at the first place where few bases differ, with the first read's bases.
    First(MateRule),
    /// At the place of the highest score, with the bases of higher quality.
    Best(BestOverlap),
}

impl MergeRule {
    /// See [`MateRule::merge`].
    pub(in crate::change::filter) fn merge(
        &self,
        [first, second]: [&TrimmedRead<'_>; 2],
        reversed: &mut Vec<u8>,
        sequence: &mut Vec<u8>,
        qualities: &mut Vec<u8>,
    ) -> Option<[usize; 2]> {
        match self {
            MergeRule::First(rule) => rule.merge(first, second, reversed, sequence, qualities),
            MergeRule::Best(rule) => rule.merge(first, second, reversed, sequence, qualities),
        }
    }
}

/// The least score: by chance, at most one place of a million has it.
const LEAST: i32 = 20 * BIT;
/// Places where more than this share of bases differ aren't considered.
const MOST_DIFFERENT: f64 = 0.4;

/// Bases and ASCII qualities.
type CalledBases<'a> = (&'a [u8], &'a [u8]);

/// Bases of a window.
const WINDOW: usize = 32;

/// The windows of bases from each base on, two bits a base: A, C, G and T differ, other letters are equal to some of them.
fn windows(bases: &[u8]) -> Vec<u64> {
    let mut window = 0;
    let packed = bases.iter().map(|base| {
        window = window >> 2 | u64::from(base >> 1 & 3) << (2 * WINDOW - 2);
        window
    });
    packed.skip(WINDOW - 1).collect()
}

/// Windows whose differences are counted together: two bits hold up to three.
const TOGETHER: usize = 3;

/// How many bases of two stretches differ at least, given their windows; stops counting beyond `limit`.
fn least_mismatches(first: &[u64], second: &[u64], len: usize, limit: usize) -> usize {
    let of_windows = |start: usize, until: usize| {
        let differ = (start..until).map(|window| {
            let differ = first[window * WINDOW] ^ second[window * WINDOW];
            (differ | differ >> 1) & 0x5555_5555_5555_5555
        });
        let by_base: u64 = differ.sum();
        let by_two = (by_base & 0x3333_3333_3333_3333) + (by_base >> 2 & 0x3333_3333_3333_3333);
        let by_four = (by_two + (by_two >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
        (by_four.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
    };
    let (windows, mut found) = (len / WINDOW, 0);
    for start in (0..windows).step_by(TOGETHER) {
        found += of_windows(start, windows.min(start + TOGETHER));
        if found > limit {
            break;
        }
    }
    found
}

fn score(first: CalledBases<'_>, second: CalledBases<'_>) -> i32 {
    let table = &*BOTH_READ;
    let qualities = first.1.iter().zip(second.1);
    let weights = first.0.iter().zip(second.0).zip(qualities).map(|((a, b), (q1, q2))| {
        if *a == b'N' || *b == b'N' {
            return 0;
        }
        i32::from(table[level(*q1)][level(*q2)][usize::from(a != b)])
    });
    weights.sum()
}

fn part((bases, qualities): CalledBases<'_>, start: usize, len: usize) -> CalledBases<'_> {
    (&bases[start..start + len], &qualities[start..start + len])
}

impl BestOverlap {
    /// How `first` and `second`, which is the reverse complement of the second read, lie on each other: of places with the same
    /// score, where more bases do, and then where the fragment is longer.
    fn lay(&self, first: CalledBases<'_>, second: CalledBases<'_>) -> Option<Laid> {
        let (len1, len2) = (first.0.len(), second.0.len());
        let packed = [windows(first.0), windows(second.0)];
        let mut best: Option<((i32, usize, isize), usize)> = None;
        let mut look_at = |offset: isize| {
            let starts = [offset.max(0) as usize, (-offset).max(0) as usize];
            let len = (len1 - starts[0]).min(len2 - starts[1]);
            let most = (len as f64 * MOST_DIFFERENT) as usize;
            let from = |mate: usize| packed[mate].get(starts[mate]..).unwrap_or_default();
            if least_mismatches(from(0), from(1), len, most) > most {
                return;
            }
            let (a, b) = (part(first, starts[0], len), part(second, starts[1], len));
            let differ = mismatches(a.0, b.0, most);
            if differ > most {
                return;
            }
            let found = (score(a, b), len, offset);
            if found.0 >= LEAST && best.is_none_or(|(best, _)| found > best) {
                best = Some((found, differ));
            }
        };
        // Where the reads are long enough, both begin at most so far behind each other.
        let furthest = |len: usize, other: usize| {
            len.checked_sub(self.min_len.saturating_add(1)).filter(|_| other > self.min_len)
        };
        if let Some(furthest) = furthest(len1, len2) {
            (0..=furthest as isize).for_each(&mut look_at);
        }
        if let Some(furthest) = furthest(len2, len1) {
            (1..=furthest as isize).for_each(|offset| look_at(-offset));
        }
        best.map(|((_, len, offset), differ)| Laid { offset, len, mismatches: differ })
    }

    /// The mates as one read, with their qualities, appended to `sequence` and `qualities`. The numbers of bases of each, as in
    /// [`MateRule::merge`](super::MateRule::merge), if they lie on each other.
    pub fn merge(
        &self,
        first: &TrimmedRead<'_>,
        second: &TrimmedRead<'_>,
        reversed: &mut Vec<u8>,
        sequence: &mut Vec<u8>,
        qualities: &mut Vec<u8>,
    ) -> Option<[usize; 2]> {
        reverse_complement(second.sequence(), reversed);
        reversed.extend(second.qualities().iter().rev());
        let other = reversed.split_at(second.len());
        let own = (first.sequence(), first.qualities());
        let laid = self.lay(own, other)?;
        let starts = laid.starts();
        sequence.extend_from_slice(&own.0[..starts[0]]);
        qualities.extend_from_slice(&own.1[..starts[0]]);
        for i in 0..laid.len {
            let (at, of) = (starts[0] + i, starts[1] + i);
            let (base, quality) = consensus((own.0[at], own.1[at]), (other.0[of], other.1[of]));
            sequence.push(base);
            qualities.push(quality);
        }
        let of_second = if laid.offset > 0 { second.len() - laid.len } else { 0 };
        let from = second.len() - of_second;
        sequence.extend_from_slice(&other.0[from..]);
        qualities.extend_from_slice(&other.1[from..]);
        Some([starts[0] + laid.len, of_second])
    }
}

#[cfg(test)]
mod tests {
    use biofast_fastq::Record;
    use proptest::prelude::*;

    use super::*;

    /// The rule as the documentation has it: logarithms of probabilities, of every place.
    fn plain(
        first: CalledBases<'_>,
        second: CalledBases<'_>,
        min_len: usize,
    ) -> Option<(isize, usize)> {
        let error = |q: u8| {
            let phred = f64::from(q - b'!').clamp(4.0, 20.0);
            10f64.powf(-phred / 10.0).clamp(0.01, 1.0 / 3.0)
        };
        let (len1, len2) = (first.0.len() as isize, second.0.len() as isize);
        let mut best = None;
        for offset in 1 - len2..len1 {
            let (mut score, mut len, mut differ) = (0, 0, 0);
            for i in 0..len1 {
                let j = i - offset;
                if j < 0 || j >= len2 {
                    continue;
                }
                let (i, j) = (i as usize, j as usize);
                let same = first.0[i] == second.0[j];
                len += 1;
                differ += usize::from(!same);
                if first.0[i] == b'N' || second.0[j] == b'N' {
                    continue;
                }
                let (e1, e2) = (error(first.1[i]), error(second.1[j]));
                let equal = (1.0 - e1) * (1.0 - e2) + e1 * e2 / 3.0;
                let share = if same { equal / 0.25 } else { (1.0 - equal) / 0.75 };
                score += (16.0 * share.log2()).round() as i64;
            }
            let fits = len > min_len && 10 * differ <= 4 * len && score >= 20 * 16;
            if fits && best.is_none_or(|best| (score, len, offset) > best) {
                best = Some((score, len, offset));
            }
        }
        best.map(|(_, len, offset)| (offset, len))
    }

    fn reads(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(u8, u8)>> {
        let quality = prop_oneof![Just(b'#'), b'!'..=b'J'];
        prop::collection::vec((prop::sample::select(&b"ACGTN"[..]), quality), len)
    }

    proptest! {
        /// Mates of a fragment with errors, of one letter repeated, and of nothing in common.
        #[test]
        fn the_best_place_is_that_of_the_plain_rule(
            fragment in reads(12..90), others in (reads(0..60), reads(0..60)), lens in (1usize..70, 1usize..70),
            min_len in 0usize..40, wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..30),
            kind in 0usize..4,
        ) {
            let strand: Vec<_> = if kind == 0 { vec![(b'A', b'5'); fragment.len()] } else { fragment };
            let mut first = [&strand[..], &others.0].concat();
            let mut second = if kind == 1 { others.1.clone() } else { [&others.1[..], &strand].concat() };
            first.truncate(lens.0);
            second.drain(..second.len().saturating_sub(lens.1));
            for (at, of_first) in wrong {
                let read = if of_first { &mut first } else { &mut second };
                if !read.is_empty() {
                    let at = at.index(read.len());
                    read[at].0 = b"CGTAN"[b"ACGTN".iter().position(|b| *b == read[at].0).unwrap_or(0)];
                }
            }
            let unzip = |read: &[(u8, u8)]| -> (Vec<u8>, Vec<u8>) { read.iter().copied().unzip() };
            let (first, second) = (unzip(&first), unzip(&second));
            let (a, b) = ((&first.0[..], &first.1[..]), (&second.0[..], &second.1[..]));
            let laid = BestOverlap { min_len }.lay(a, b);
            prop_assert_eq!(laid.map(|laid| (laid.offset, laid.len)), plain(a, b, min_len));
        }
    }

    #[test]
    fn merged_mates_are_the_fragment_with_the_surer_bases() {
        let fragment = b"ACGTTGCAAGCTTAGGCATCCGATTACGGATCTTGACCATGCAATCGGTACCTTAGGACT";
        let mut first = fragment[..45].to_vec();
        let mut second = Vec::new();
        reverse_complement(&fragment[10..], &mut second);
        let (mut first_q, mut second_q) = (vec![b'I'; 45], vec![b'I'; 50]);
        // Errors of low quality: one in the first read, one in the second, and one outside of the overlap.
        for (at, base) in [(20, b'T'), (3, b'A')] {
            (first[at], first_q[at]) = (base, b'#');
        }
        // Base 30 of the fragment, from the other end.
        (second[59 - 30], second_q[59 - 30]) = (b'C', b'#');
        let (first, second) = (
            TrimmedRead::new(Record::new(b"r", &first, &first_q)),
            TrimmedRead::new(Record::new(b"r", &second, &second_q)),
        );
        let [mut reversed, mut sequence, mut qualities] = [(); 3].map(|()| Vec::new());
        let rule = BestOverlap::default();
        let lens = rule.merge(&first, &second, &mut reversed, &mut sequence, &mut qualities);
        assert_eq!(lens, Some([45, 15]));
        let mut expected = fragment.to_vec();
        expected[3] = b'A';
        assert_eq!(sequence, expected);
        assert_eq!(qualities.len(), sequence.len());
        // Read once, read twice, and read twice with an error.
        assert_eq!((qualities[0], qualities[12], qualities[50]), (b'I', b'J', b'I'));
        assert!(qualities[20] < b'I' && qualities[30] < b'I' && qualities[3] == b'#');
    }
}
