//! How the mates of a pair lie on each other, by fastp's rule, and what follows from it: bases are corrected, the insert is
//! measured, and pairs [merged](crate::filter::Filter::merge).

use super::overlap::{Windows, mismatches};
use super::{Read, Reads, Trim, Trimmer};

/// When mates lie on each other: the second read, reversed and complemented, is moved along the first one until few bases
/// differ, first to the right, where their fragment is longer than the reads, then to the left, where they reach over its ends.
///
/// ```
/// use biofast_ops::filter::trim::{Laid, MateRule, reverse_complement};
///
/// let fragment = b"ACGTTGCAAGCTTAGGCATCCGATTACGGATCTTGACCA";
/// let mut reversed = Vec::new();
/// let second = { reverse_complement(fragment, &mut reversed); reversed.clone() };
/// reverse_complement(&second[..36], &mut reversed);
/// let laid = MateRule::default().lay(&fragment[..36], &reversed);
/// assert_eq!(laid, Some(Laid { offset: 3, len: 33, mismatches: 0 }));
/// assert_eq!(laid.map(|laid| laid.insert_size([36, 36])), Some(39));
/// ```
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

    fn starts(&self) -> [usize; 2] {
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
        first: &Read<'_>,
        second: &Read<'_>,
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

/// Measures the insert of pairs, and corrects bases, by how the mates lie on each other.
///
/// Where they differ, the base of quality 30 and more takes the place of the one of quality 14 and less.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::Filter;
/// use biofast_ops::filter::trim::{MateRule, Mates};
///
/// let fragment = "ACGTTGCAAGCTTAGGCATCCGATTACGGATCTTGACCA";
/// let wrong = fragment.replace("CCGATTACGG", "CCGATCACGG");
/// let reversed = "TGGTCAAGATCCGTAATCGGATGCCTAAGCTTGCAACGT";
/// let good = "I".repeat(39);
/// let bad = "+".repeat(39);
/// let filter = Filter::new().trim(Mates::new(MateRule::default()).correct());
/// let mut worker = filter.worker();
/// let first = Record::new(b"r", wrong.as_bytes(), bad.as_bytes());
/// let second = Some(Record::new(b"r", reversed.as_bytes(), good.as_bytes()));
/// let mut texts = vec![Vec::new()];
/// worker.apply(Unit { index: 0, first, second }, &mut texts);
/// assert!(texts[0].starts_with(format!("@r\n{fragment}\n").as_bytes()));
/// assert_eq!((worker.tally().corrected, worker.tally().inserts[39]), ([1, 1], 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mates {
    rule: MateRule,
    correct: bool,
}

const GOOD: u8 = b'!' + 30;
const BAD: u8 = b'!' + 14;

impl Mates {
    /// Measures.
    pub fn new(rule: MateRule) -> Mates {
        Mates { rule, correct: false }
    }

    /// Corrects, too.
    pub fn correct(mut self) -> Mates {
        self.correct = true;
        self
    }

    /// The rule.
    pub(in crate::change::filter) fn rule(&self) -> MateRule {
        self.rule
    }

    /// Measures and corrects; how the mates lie on each other.
    pub(in crate::change::filter) fn look(&self, reads: &mut Reads<'_, '_>) -> Option<Laid> {
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

    fn correct_bases(&self, laid: Laid, reads: &mut Reads<'_, '_>) {
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

impl Trimmer for Mates {
    fn kind(&self) -> Trim {
        Trim::AdapterByOverlap
    }

    fn trim_read(&self, _: &mut Read<'_>, _: usize) {}

    fn trim(&self, reads: &mut Reads<'_, '_>) {
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

/// The other strand, in upper case; what isn't A, C, G or T becomes N. `out` is overwritten.
///
/// ```
/// let mut out = Vec::new();
/// biofast_ops::filter::trim::reverse_complement(b"AACgN", &mut out);
/// assert_eq!(out, b"NCGTT");
/// ```
pub fn reverse_complement(sequence: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(sequence.iter().rev().map(|&base| complement(base)));
}
