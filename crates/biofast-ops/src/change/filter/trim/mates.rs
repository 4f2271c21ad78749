//! How the mates of a pair lie on each other, by fastp's rule, and what follows from it: bases are corrected, the insert is
//! measured, and pairs [merged](crate::filter::Filter::merge).

use super::Trim;
use super::overlap::{Windows, mismatches};
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// When mates overlap. The reverse complement of the second read is moved along the first until few bases differ: first
/// to the right, where the fragment is longer than the reads, then to the left, where the reads extend beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MateRule {
    /// The fewest bases that lie on each other, and one.
    pub min_len: usize,
    /// The most of the first 50 that differ.
    pub max_mismatches: usize,
    /// The largest share of all of them that may be, if that is less.
    pub max_share: f64,
}

impl Default for MateRule {
    /// fastp's: 30 bases, 5 of them, 20 %.
    fn default() -> MateRule {
        MateRule { min_len: 30, max_mismatches: 5, max_share: 0.2 }
    }
}

/// How mates lie on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Laid {
    /// Where the reversed second read begins on the first one: negative where it begins before it, as both then end in adapters.
    pub offset: isize,
    /// Bases that lie on each other.
    pub len: usize,
    /// How many of them differ.
    pub mismatches: usize,
}

impl Laid {
    /// The length of the fragment whose ends are sequenced by reads of these lengths.
    pub fn insert_size(&self, lens: [usize; 2]) -> usize {
        if self.offset > 0 { lens[0] + lens[1] - self.len } else { self.len }
    }

    /// Where the overlap starts on the first read and on the reversed second one.
    pub(super) fn starts(&self) -> [usize; 2] {
        [self.offset.max(0) as usize, (-self.offset).max(0) as usize]
    }
}

/// Bases at the start of an overlap that decide.
const DECIDING: usize = 50;

impl MateRule {
    /// How many may differ of so many that lie on each other.
    fn allowed(&self, len: usize) -> usize {
        self.max_mismatches.min((len as f64 * self.max_share) as usize)
    }

    fn agree(&self, a: &[u8], b: &[u8]) -> bool {
        let allowed = self.allowed(a.len());
        let head = a.len().min(DECIDING);
        mismatches(&a[..head], &b[..head], allowed) <= allowed
    }

    /// How `first` and `reversed`, the [reverse complement](reverse_complement) of the second read, lie on each other.
    pub fn lay(&self, first: &[u8], reversed: &[u8]) -> Option<Laid> {
        let (len1, len2) = (first.len(), reversed.len());
        let found = |offset: isize, a: &[u8], b: &[u8]| Laid {
            offset,
            len: a.len(),
            mismatches: mismatches(a, b, usize::MAX),
        };
        let near = |&(_, differ): &(usize, usize)| differ <= self.max_mismatches;
        // Up to where each read may begin on the other one.
        let right = len1.saturating_sub(self.min_len);
        let least = self.min_len.saturating_add(1).min(len1).min(len2);
        if least == 0 {
            // A mate of no bases lies at the start of one that is long enough.
            let is_long = len1.max(len2) > self.min_len;
            return is_long.then_some(Laid { offset: 0, len: 0, mismatches: 0 });
        }
        let windows = Windows::new(reversed, first, least, 0).into_iter().flatten();
        for (offset, _) in windows.take_while(|&(at, _)| at < right).filter(near) {
            let a = &first[offset..len1.min(offset + len2)];
            let b = &reversed[..a.len()];
            if self.agree(a, b) {
                return Some(found(offset as isize, a, b));
            }
        }
        let left = len2.saturating_sub(self.min_len);
        let windows = Windows::new(first, reversed, least, 0).into_iter().flatten();
        for (offset, _) in windows.take_while(|&(at, _)| at < left).filter(near) {
            let b = &reversed[offset..len2.min(offset + len1)];
            let a = &first[..b.len()];
            if self.agree(a, b) {
                return Some(found(-(offset as isize), a, b));
            }
        }
        None
    }

    /// The mates as one read, with their qualities, appended to `sequence` and `qualities`: the first one as far as they lie on
    /// each other, then what the second one has more. The numbers of bases of each, if they lie on each other.
    pub fn merge(
        &self,
        first: &TrimmedRead<'_>,
        second: &TrimmedRead<'_>,
        reversed: &mut Vec<u8>,
        sequence: &mut Vec<u8>,
        qualities: &mut Vec<u8>,
    ) -> Option<[usize; 2]> {
        reverse_complement(second.sequence(), reversed);
        let laid = self.lay(first.sequence(), reversed)?;
        let of_first = laid.len + laid.starts()[0];
        let of_second = if laid.offset > 0 { second.len() - laid.len } else { 0 };
        sequence.extend_from_slice(&first.sequence()[..of_first]);
        qualities.extend_from_slice(&first.qualities()[..of_first]);
        sequence.extend_from_slice(&reversed[second.len() - of_second..]);
        qualities.extend(second.qualities()[..of_second].iter().rev());
        Some([of_first, of_second])
    }
}

/// The longest insert that is counted as such.
pub const LONGEST_INSERT: usize = 512;

/// Measures insert sizes and corrects bases, by the overlap of mates.
///
/// Where the mates differ, a base of quality 30 or more replaces one of quality 14 or less.
#[derive(Clone, Copy, Debug)]
pub struct MateOverlap {
    rule: MateRule,
    correct: bool,
}

const GOOD: u8 = b'!' + 30;
const BAD: u8 = b'!' + 14;

impl MateOverlap {
    /// Measures.
    pub fn new(rule: MateRule) -> MateOverlap {
        MateOverlap { rule, correct: false }
    }

    /// Corrects, too.
    pub fn correct(mut self) -> MateOverlap {
        self.correct = true;
        self
    }

    /// The rule.
    pub(in crate::change::filter) fn rule(&self) -> MateRule {
        self.rule
    }

    /// Measures and corrects; how the mates lie on each other.
    pub(in crate::change::filter) fn look(&self, reads: &mut TrimUnit<'_, '_>) -> Option<Laid> {
        let (first, second) = (reads.first, reads.second?);
        let fronts = first.cut_front() + second.cut_front();
        reverse_complement(second.sequence(), reads.scratch);
        let laid = self.rule.lay(first.sequence(), reads.scratch);
        let insert = laid.map(|laid| laid.insert_size([first.len(), second.len()]) + fronts);
        let insert = insert.map_or(LONGEST_INSERT, |len| len.min(LONGEST_INSERT));
        reads.counts.insert = (*reads.gone == [false; 2]).then_some(insert);
        let laid = laid?;
        if self.correct && laid.mismatches > 0 {
            self.correct_bases(laid, reads);
        }
        Some(laid)
    }

    fn correct_bases(&self, laid: Laid, reads: &mut TrimUnit<'_, '_>) {
        let (first, Some(second)) = (reads.first, reads.second) else { return };
        let [start1, start2] = laid.starts();
        let mut corrected = [0u64; 2];
        for i in 0..laid.len {
            let at = [start1 + i, second.len() - start2 - 1 - i];
            let (base1, base2) = (first.sequence()[at[0]], second.sequence()[at[1]]);
            if base1 == complement(base2) {
                continue;
            }
            let (quality1, quality2) = (first.qualities()[at[0]], second.qualities()[at[1]]);
            let (mate, base, quality) = if quality1 >= GOOD && quality2 <= BAD {
                (1, complement(base1), quality1)
            } else if quality2 >= GOOD && quality1 <= BAD {
                (0, complement(base2), quality2)
            } else {
                continue;
            };
            let edited = reads.edit(mate);
            edited.sequence_mut()[at[mate]] = base;
            edited.qualities_mut()[at[mate]] = quality;
            corrected[mate] += 1;
        }
        reads.counts.corrected[0] += corrected.iter().filter(|&&n| n > 0).count() as u64;
        reads.counts.corrected[1] += corrected.iter().sum::<u64>();
    }
}

impl Trimmer for MateOverlap {
    fn kind(&self) -> Trim {
        Trim::AdapterByOverlap
    }

    fn trim_read(&self, _: &mut TrimmedRead<'_>, _: usize) {}

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        self.look(reads);
    }
}

/// The base on the other strand; what isn't A, C, G or T becomes N.
const fn complement(base: u8) -> u8 {
    COMPLEMENTS[base as usize]
}

const COMPLEMENTS: [u8; 256] = {
    let mut table = [b'N'; 256];
    let pairs = [(b'A', b'T'), (b'C', b'G'), (b'G', b'C'), (b'T', b'A')];
    let mut i = 0;
    while i < pairs.len() {
        let (base, other) = pairs[i];
        table[base as usize] = other;
        table[base.to_ascii_lowercase() as usize] = other;
        i += 1;
    }
    table
};

/// Writes the reverse complement, in upper case, over `out`. Anything but A, C, G and T becomes N.
pub fn reverse_complement(sequence: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(sequence.iter().rev().map(|&base| complement(base)));
}

#[cfg(test)]
mod tests {
    use biofast_fastq::Record;

    use super::*;

    const FRAGMENT: &[u8; 60] = b"ACGTTGCAAGCTTAGGCATCCGATTACGGATCTTGACCATGCAATCGGTACCTTAGGACT";

    fn with_errors(read: &[u8], places: &[usize]) -> Vec<u8> {
        let mut read = read.to_vec();
        places.iter().for_each(|&at| read[at] = if read[at] == b'A' { b'C' } else { b'A' });
        read
    }

    #[test]
    fn mates_may_differ_in_five_bases_and_a_fifth_of_those_on_each_other() {
        let lay = |first: &[u8], second: &[u8]| {
            MateRule::default()
                .lay(first, second)
                .map(|laid| (laid.offset, laid.len, laid.mismatches))
        };
        let places = [3, 9, 17, 22, 28, 33];
        for errors in 0..=5 {
            let second = with_errors(&FRAGMENT[5..], &places[..errors]);
            assert_eq!(lay(&FRAGMENT[..45], &second), Some((5, 40, errors)));
            assert_eq!(lay(&second, &FRAGMENT[..45]), Some((-5, 40, errors)));
        }
        assert_eq!(lay(&FRAGMENT[..45], &with_errors(&FRAGMENT[5..], &places)), None);
        let strict = MateRule { max_share: 0.05, ..MateRule::default() };
        // Of 40 bases 2.
        for (errors, is_laid) in [(2, true), (3, false)] {
            let second = with_errors(&FRAGMENT[5..], &places[..errors]);
            assert_eq!(strict.lay(&FRAGMENT[..45], &second).is_some(), is_laid, "{errors}");
        }
    }

    #[test]
    fn merged_mates_are_the_fragment_and_no_more() {
        let merge = |first: &[u8], end: &[u8]| {
            let mut second = Vec::new();
            reverse_complement(end, &mut second);
            let qualities = [b'I'; 60];
            let read =
                |bases| TrimmedRead::new(Record::new(b"r", bases, &qualities[..bases.len()]));
            let (first, second) = (read(first), read(&second));
            let [mut reversed, mut sequence, mut qualities] = [(); 3].map(|()| Vec::new());
            let lens = MateRule::default()
                .merge(&first, &second, &mut reversed, &mut sequence, &mut qualities);
            assert_eq!(sequence.len(), qualities.len());
            (lens, sequence)
        };
        assert_eq!(merge(&FRAGMENT[..45], &FRAGMENT[10..]), (Some([45, 15]), FRAGMENT.to_vec()));
        assert_eq!(merge(FRAGMENT, FRAGMENT), (Some([60, 0]), FRAGMENT.to_vec()));
        // The second one begins where the first one does, and is longer: what it has more is adapter.
        assert_eq!(merge(&FRAGMENT[..40], FRAGMENT), (Some([40, 0]), FRAGMENT[..40].to_vec()));
        assert_eq!(merge(&FRAGMENT[30..], &FRAGMENT[..20]), (None, Vec::new()));
    }
}
