//! Barcodes at the ends of long reads, which are looked for there with errors of all kinds.

use std::ops::Range;

use super::matcher::MatchRules;
use super::sheet::Sample;
use crate::change::filter::trim::MiddlePattern;
use crate::change::grep::reverse_complement;

/// At which ends of a read its barcodes must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredEnds {
    /// At the start or at the end.
    Either,
    /// At the start and at the end.
    Both,
}

/// Finds the sample of a long read by the barcodes at its ends, on either strand.
///
/// A read begins with a barcode, and ends with the reverse complement of the other one. Of a sample with one barcode that is the same one; the
/// barcodes of one with two change places on the other strand. Each is looked for in the first and in the last bases of a read, and has errors: other
/// bases, missing ones and additional ones.
///
/// ```
/// use biofast_ops::demux::{EndSearch, MatchRules, RequiredEnds, Sample};
///
/// let samples = [Sample::new("a", "AACCGGTTACGTAA"), Sample::new("b", "CATCATCTTGATTC")];
/// let rules = MatchRules::default();
/// let search = EndSearch::new(&samples, &[], RequiredEnds::Either, rules, 150).expect("barcodes");
/// let found = search.find(b"TTAACCGGTACGTAATGCATGCA", &mut Vec::new());
/// assert_eq!(found.map(|found| (found.sample, found.inner)), Some((0, 15..23)));
/// ```
#[derive(Debug)]
pub struct EndSearch {
    patterns: Vec<MiddlePattern>,
    /// For each sample what it begins and ends with, by the number of the pattern.
    samples: Vec<[usize; 2]>,
    required: RequiredEnds,
    rules: MatchRules,
    window: usize,
}

/// The sample of a read, and what of the read is between its barcodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleByEnds {
    /// The number of the sample.
    pub sample: usize,
    /// The bases without the barcodes that were found, and what is beyond them.
    pub inner: Range<usize>,
    /// Whether a barcode is at the start, and whether one is at the end.
    pub ends: [bool; 2],
}

impl EndSearch {
    /// Of these samples, whose barcodes have `parts` of so many bases, if these are two. They are looked for in so many bases at each end.
    ///
    /// # Errors
    /// The number of a sample whose barcode has other letters than A, C, G and T.
    pub fn new(
        samples: &[Sample],
        parts: &[usize],
        required: RequiredEnds,
        rules: MatchRules,
        window: usize,
    ) -> Result<EndSearch, usize> {
        let mut barcodes: Vec<&[u8]> = Vec::new();
        let mut of_samples = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            let barcode = sample.barcode.as_bytes();
            if barcode.is_empty() || !barcode.iter().all(|base| b"ACGT".contains(base)) {
                return Err(number);
            }
            let (front, rear) = match parts {
                &[front, _] => barcode.split_at_checked(front).ok_or(number)?,
                _ => (barcode, barcode),
            };
            of_samples.push([front, rear].map(|barcode| {
                barcodes.iter().position(|known| *known == barcode).unwrap_or_else(|| {
                    barcodes.push(barcode);
                    barcodes.len() - 1
                })
            }));
        }
        let patterns = barcodes.iter().map(|barcode| MiddlePattern::new(barcode, 0.0)).collect();
        let patterns: Option<Vec<MiddlePattern>> = patterns;
        let patterns = patterns.ok_or(0usize)?;
        Ok(EndSearch { patterns, samples: of_samples, required, rules, window })
    }

    /// The sample of a read. Its barcodes have the fewest errors, an end without a barcode counting as one error more than are told apart;
    /// every other sample's have at least the number more that the rules say. `room` is for whatever is needed.
    pub fn find(&self, read: &[u8], room: &mut Vec<u8>) -> Option<SampleByEnds> {
        let window = self.window.min(read.len());
        reverse_complement(&read[read.len() - window..], room);
        let most = self.rules.max_mismatches as usize;
        // Where errors don't tell samples apart any more.
        let cap = most.saturating_add(self.rules.min_delta.max(1) as usize);
        let nearest = |text: &[u8]| -> Vec<(usize, usize)> {
            let all = self.patterns.iter().map(|pattern| pattern.nearest(text));
            all.map(|(errors, end)| (errors.min(cap), end)).collect()
        };
        let (front, rear) = (nearest(&read[..window]), nearest(room));
        let mut best: Option<(usize, usize, [usize; 2])> = None;
        let mut second = usize::MAX;
        for (sample, &[one, two]) in self.samples.iter().enumerate() {
            let forward = (front[one].0 + rear[two].0, [one, two]);
            let backward = (front[two].0 + rear[one].0, [two, one]);
            let (errors, ends) = if backward.0 < forward.0 { backward } else { forward };
            match best {
                Some((least, ..)) if errors >= least => second = second.min(errors),
                _ => {
                    second = best.map_or(usize::MAX, |(least, ..)| least);
                    best = Some((errors, sample, ends));
                }
            }
        }
        let (errors, sample, [one, two]) = best?;
        if second.saturating_sub(errors) < self.rules.min_delta as usize {
            return None;
        }
        let ends = [front[one].0 <= most, rear[two].0 <= most];
        let is_enough = match self.required {
            RequiredEnds::Either => ends[0] || ends[1],
            RequiredEnds::Both => ends[0] && ends[1],
        };
        let start = if ends[0] { front[one].1 } else { 0 };
        let end = read.len() - if ends[1] { rear[two].1 } else { 0 };
        // Nothing but barcodes is no read.
        (is_enough && start < end).then_some(SampleByEnds { sample, inner: start..end, ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "AAGAAAGTTGTCGGTGTCTTTGTG";
    const B: &str = "TCGATTCCGTTTGTAGTCGTCTGT";

    fn turned(text: &str) -> String {
        let mut out = Vec::new();
        reverse_complement(text.as_bytes(), &mut out);
        String::from_utf8(out).expect("bases")
    }

    fn search(samples: &[(&str, &str)], parts: &[usize], required: RequiredEnds) -> EndSearch {
        let samples: Vec<Sample> = samples.iter().map(|(id, b)| Sample::new(*id, b)).collect();
        let rules = MatchRules::default().with_max_mismatches(3);
        EndSearch::new(&samples, parts, required, rules, 60).expect("barcodes")
    }

    #[test]
    fn either_end_or_both_are_required_and_trimmed() {
        let insert = "CCATGCATTACGGACTTCAGGACT".repeat(9);
        let found = |read: &str, required| {
            let found =
                search(&[("a", A), ("b", B)], &[], required).find(read.as_bytes(), &mut Vec::new());
            found.map(|found| (found.sample, read[found.inner].to_owned(), found.ends))
        };
        use RequiredEnds::{Both, Either};
        let both = format!("TTGCA{B}{insert}{}GCTT", turned(B));
        let expected = Some((1, insert.clone(), [true, true]));
        assert_eq!(found(&both, Both), expected);
        assert_eq!(
            found(&turned(&both), Either).map(|(sample, _, ends)| (sample, ends)),
            Some((1, [true; 2]))
        );
        // A base is missing, and one is another.
        let errors = format!("{}G{}{insert}", &A[..10], &A[12..]);
        assert_eq!(found(&errors, Either), Some((0, insert.clone(), [true, false])));
        assert_eq!(found(&errors, Both), None);
        let rear = format!("{insert}{}", turned(A));
        assert_eq!(found(&rear, Either), Some((0, insert.clone(), [false, true])));
        // Two molecules, none, and nothing between the barcodes.
        assert_eq!(found(&format!("{A}{insert}{}", turned(B)), Either), None);
        assert_eq!(found(&insert, Either), None);
        assert_eq!(found(A, Either), None);
        assert_eq!(found("", Either), None);
        // Not at an end.
        assert_eq!(found(&format!("{insert}{A}{insert}"), Either), None);
    }

    #[test]
    fn two_barcodes_change_places_on_the_other_strand() {
        let pairs =
            [("ab", format!("{A}{B}")), ("aa", format!("{A}{A}")), ("bb", format!("{B}{B}"))];
        let pairs = pairs.each_ref().map(|(id, barcode)| (*id, barcode.as_str()));
        let insert = "CCATGCATTACGGACTTCAGGACT".repeat(9);
        let search = search(&pairs, &[24, 24], RequiredEnds::Both);
        let find = |read: &str| {
            search.find(read.as_bytes(), &mut Vec::new()).map(|found| (found.sample, found.inner))
        };
        let read = format!("{A}{insert}{}", turned(B));
        assert_eq!(find(&read), Some((0, 24..24 + insert.len())));
        assert_eq!(find(&turned(&read)), Some((0, 24..24 + insert.len())));
        assert_eq!(find(&format!("{B}{insert}{}", turned(B))).map(|found| found.0), Some(2));
    }
}
