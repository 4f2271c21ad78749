//! Of which adapter or primer a sequence may be.

mod oligos;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::measure::compat::FastqcVersion;
use crate::words::{WORD, words};
use oligos::{OLIGOS, Oligo};

/// Stretches must be longer than this.
const SHORTEST: usize = 20;

// A word is the same in every stretch: of 21 bases or more one may differ.
const _: () = assert!(WORD <= SHORTEST / 2);

/// Known sequences, found in others by FastQC's rules: a match of more than 20 bases with at most one mismatch, on
/// either strand, without gaps; or a complete sequence of 8 to 19 bases. The longest match counts, of ties the most
/// identical one, then the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contaminants {
    known: Vec<Known>,
    /// All words of all strands, in order: made when something is looked for.
    words: OnceLock<Vec<(usize, WordPosition)>>,
}

/// Where a word is: the index of the sequence, the strand, and from where on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WordPosition {
    known: u32,
    is_reverse: bool,
    start: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Known {
    name: String,
    forward: Vec<u8>,
    reverse: Vec<u8>,
}

/// Why a list of sequences isn't valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("line {line}: {kind}")]
pub struct InvalidContaminants {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub kind: InvalidContaminant,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidContaminant {
    /// It isn't a name, tabs and a sequence.
    #[error("expected a name, one or more tabs, and a sequence")]
    Fields,
    /// This is no base.
    #[error("expected a sequence of A, C, G and T, found {0:?}")]
    Base(char),
}

impl Contaminants {
    /// Adapters and primers of Illumina, ABI and Clontech: what FastQC knows (0.11.9 and 0.12.1), each sequence under the name that FastQC shows.
    pub fn known() -> Contaminants {
        let mut all = Vec::new();
        for oligo in OLIGOS {
            match oligo {
                Oligo::One(name, sequence) => {
                    all.push(Known::new((*name).into(), sequence.as_bytes().to_vec()));
                }
                Oligo::Series { name, before, behind, indexes } => {
                    all.extend(indexes.iter().map(|(number, index)| {
                        let sequence = [*before, *index, *behind].concat().into_bytes();
                        Known::new(format!("{name}{number}"), sequence)
                    }));
                }
            }
        }
        Contaminants::new(all)
    }

    fn new(known: Vec<Known>) -> Contaminants {
        Contaminants { known, words: OnceLock::new() }
    }

    fn words(&self) -> &[(usize, WordPosition)] {
        self.words.get_or_init(|| {
            let mut found = Vec::new();
            for (index, known) in (0..).zip(&self.known) {
                for (is_reverse, strand) in [(false, &known.forward), (true, &known.reverse)] {
                    let place = |start| WordPosition { known: index, is_reverse, start };
                    let words = (0..).zip(words(strand));
                    found.extend(words.filter_map(|(start, word)| Some((word?, place(start)))));
                }
            }
            found.sort_unstable();
            found
        })
    }

    /// Those of a list in FastQC's form: on each line a name, tabs and a sequence. Empty lines, and those that start with `#`, are passed
    /// over.
    ///
    /// # Errors
    /// The first line that is something else.
    pub fn parse(text: &str) -> Result<Contaminants, InvalidContaminants> {
        let mut all = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let invalid = |kind| InvalidContaminants { line, kind };
            if text.starts_with('#') || text.trim().is_empty() {
                continue;
            }
            let mut fields = text.split('\t').filter(|field| !field.is_empty());
            let (Some(name), Some(sequence), None) = (fields.next(), fields.next(), fields.next())
            else {
                return Err(invalid(InvalidContaminant::Fields));
            };
            let sequence = sequence.trim_end().to_ascii_uppercase();
            if let Some(base) = sequence.chars().find(|base| !"ACGT".contains(*base)) {
                return Err(invalid(InvalidContaminant::Base(base)));
            }
            all.push(Known::new(name.into(), sequence.into_bytes()));
        }
        Ok(Contaminants::new(all))
    }

    /// The known sequence that has most in common with `sequence`, which is in upper case, by the rule of this version.
    pub fn find(&self, sequence: &[u8], version: FastqcVersion) -> Option<ContaminantHit> {
        let (known, stretch) = match sequence.len() {
            8..SHORTEST => {
                let found = self.known.iter().find(|known| known.has(sequence))?;
                (found, CommonStretch { length: sequence.len(), identity: 100 })
            }
            _ => self.longest(sequence, version)?,
        };
        Some(ContaminantHit {
            name: known.name.clone(),
            length: stretch.length as u64,
            identity_percent: stretch.identity as u64,
        })
    }

    /// The longest stretch, of equally long ones that of the first sequence, of its forward strand, and from where on the known one
    /// begins first. Only where both have a word in common there can be one.
    fn longest(&self, sequence: &[u8], version: FastqcVersion) -> Option<(&Known, CommonStretch)> {
        let all = self.words();
        let mut sides: Vec<(u32, bool, isize)> = Vec::new();
        for (at, word) in (0..).zip(words(sequence)) {
            let Some(word) = word else { continue };
            let from = all.partition_point(|&(known, _)| known < word);
            let same = all[from..].iter().take_while(|&&(known, _)| known == word);
            sides.extend(
                same.map(|&(_, place)| (place.known, place.is_reverse, at - place.start as isize)),
            );
        }
        sides.sort_unstable();
        sides.dedup();
        let mut best: Option<(&Known, CommonStretch)> = None;
        for sides in sides.chunk_by(|a, b| a.0 == b.0) {
            let known = &self.known[sides[0].0 as usize];
            let mut own: Option<CommonStretch> = None;
            for &(_, is_reverse, offset) in sides {
                let strand = if is_reverse { &known.reverse } else { &known.forward };
                // At least 20 bases of both are side by side, but for the last place.
                let shortest = SHORTEST as isize;
                let places = shortest - strand.len() as isize..sequence.len() as isize - shortest;
                if places.contains(&offset)
                    && let Some(found) = longest(strand, sequence, offset)
                    && own.is_none_or(|best| found.length > best.length)
                {
                    own = Some(found);
                }
            }
            // FastQC 0.12.0 began to prefer the more identical one of equally long ones.
            let rank = |found: CommonStretch| match version >= FastqcVersion::V0_12_1 {
                true => (found.length, found.identity),
                false => (found.length, 0),
            };
            if let Some(found) = own
                && best.is_none_or(|(_, best)| rank(found) > rank(best))
            {
                best = Some((known, found));
            }
        }
        best
    }
}

/// Bases that two sequences have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CommonStretch {
    length: usize,
    /// In percent.
    identity: usize,
}

impl Known {
    fn new(name: String, forward: Vec<u8>) -> Known {
        let reverse = forward.iter().rev().map(|base| match base {
            b'A' => b'T',
            b'C' => b'G',
            b'G' => b'C',
            _ => b'A',
        });
        Known { name, reverse: reverse.collect(), forward }
    }

    /// Whether the whole of a short sequence is in it, on either strand.
    fn has(&self, short: &[u8]) -> bool {
        let strands = [&self.forward, &self.reverse];
        strands.iter().any(|strand| strand.windows(short.len()).any(|window| window == short))
    }
}

/// The longest stretch with at most one mismatch, of equally long ones the most alike, if `known` begins at this place of `other`. A
/// stretch ends before its second mismatch, and the next begins behind that.
fn longest(known: &[u8], other: &[u8], offset: isize) -> Option<CommonStretch> {
    let first = usize::try_from(-offset).unwrap_or(0);
    let skipped = usize::try_from(offset).unwrap_or(0);
    let mut best: Option<CommonStretch> = None;
    let mut keep = |start: usize, end: usize, mismatches: usize| {
        // From the first base to the last that is the same.
        let length = (end + 1).saturating_sub(start);
        if length > SHORTEST {
            let identity = (length - mismatches) * 100 / length;
            let better = |best: CommonStretch| (length, identity) > (best.length, best.identity);
            if best.is_none_or(better) {
                best = Some(CommonStretch { length, identity });
            }
        }
    };
    let (mut start, mut end, mut mismatches) = (first, 0, 0);
    for (i, (a, b)) in known
        .iter()
        .enumerate()
        .skip(first)
        .zip(&other[skipped.min(other.len())..])
        .map(|((i, a), b)| (i, (a, b)))
    {
        if a == b {
            end = i;
            continue;
        }
        mismatches += 1;
        if mismatches > 1 {
            keep(start, end, mismatches - 1);
            (start, end, mismatches) = (i + 1, i + 1, 0);
        }
    }
    keep(start, end, mismatches);
    best
}

/// The stretch that a sequence and a known one have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContaminantHit {
    /// The name of the known sequence.
    pub name: String,
    /// Bases of the stretch.
    pub length: u64,
    /// Percent of these bases that are the same, rounded down.
    pub identity_percent: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_sequence_is_found_as_itself_on_both_strands() {
        let known = Contaminants::known();
        assert!(known.known.len() > 100);
        for Known { name, forward, reverse } in &known.known {
            let found = [forward, reverse].map(|strand| known.find(strand, FastqcVersion::V0_11_9));
            for hit in found {
                // A sequence of 19 bases or fewer is found as a whole, one of exactly 20 isn't longer than 20.
                match (hit, forward.len()) {
                    (None, 20) => {}
                    // An earlier one may differ by one base, and counts then.
                    (Some(hit), len) => {
                        assert_eq!(hit.length, len as u64, "{name}");
                        assert!(hit.identity_percent >= 95, "{name}");
                    }
                    (None, len) => panic!("{name} of {len} isn't found"),
                }
            }
        }
    }

    #[test]
    fn one_mismatch_is_allowed_in_a_stretch() {
        let one = Contaminants::parse("# my own\n\nX\t\tACGTTGCATTGACCATGGCATCAGTTACGA\n")
            .expect("valid");
        let hit = |sequence: &[u8]| {
            one.find(sequence, FastqcVersion::default())
                .map(|hit| (hit.length, hit.identity_percent))
        };
        assert_eq!(hit(b"ACGTTGCATTGACCATGGCATCAGTTACGA"), Some((30, 100)));
        assert_eq!(hit(b"ACGTTGCATTGACCTTGGCATCAGTTACGA"), Some((30, 96)));
        // Two mismatches cut it: 24 bases are left before the second.
        assert_eq!(hit(b"ACGTTGCATTGACCTTGGCATCAGATACGA"), Some((24, 95)));
        assert_eq!(hit(b"ACGTTGCATTGACCTTGGCAGCAGATACGA"), None);
        assert_eq!(hit(b"GCATTGAC"), Some((8, 100)));
        assert_eq!(hit(b"GCATTGA"), None);
    }

    #[test]
    fn of_equally_long_stretches_the_more_identical_one_counts_since_fastqc_0_12() {
        let two = "A\tACGTTGCATTGACCATGGCATCAGTTACGA\nB\tACGTTGCATTGACCTTGGCATCAGTTACGA\n";
        let two = Contaminants::parse(two).expect("valid");
        let name =
            |version| two.find(b"ACGTTGCATTGACCTTGGCATCAGTTACGA", version).map(|hit| hit.name);
        assert_eq!(name(FastqcVersion::V0_11_9).as_deref(), Some("A"));
        assert_eq!(name(FastqcVersion::V0_12_1).as_deref(), Some("B"));
    }

    /// The longest stretch by a look at every place of every strand.
    fn plain(all: &Contaminants, sequence: &[u8]) -> Option<(String, CommonStretch)> {
        let shortest = SHORTEST as isize;
        let mut best: Option<(String, CommonStretch)> = None;
        for known in &all.known {
            for strand in [&known.forward, &known.reverse] {
                for offset in shortest - strand.len() as isize..sequence.len() as isize - shortest {
                    if let Some(found) = longest(strand, sequence, offset)
                        && best.as_ref().is_none_or(|(_, best)| found.length > best.length)
                    {
                        best = Some((known.name.clone(), found));
                    }
                }
            }
        }
        best
    }

    #[test]
    fn words_in_common_leave_nothing_out() {
        let known = Contaminants::known();
        let mut random = biofast_testkit::random::Random(3);
        let mut hits = 0;
        for _ in 0..60 {
            // A part of a known sequence among other bases, with some that differ.
            let from = &known.known[random.below(known.known.len())];
            let strand = if random.chance(50) { &from.forward } else { &from.reverse };
            let start = random.below(strand.len());
            let mut base = || b"ACGTN"[if random.chance(5) { 4 } else { random.below(4) }];
            let mut sequence: Vec<u8> = (0..12).map(|_| base()).collect();
            sequence.extend(&strand[start..]);
            sequence.extend((0..12).map(|_| base()));
            for _ in 0..random.below(4) {
                let at = random.below(sequence.len());
                sequence[at] = b"ACGTN"[random.below(5)];
            }
            let expected = plain(&known, &sequence);
            hits += u32::from(expected.is_some());
            let found = known.longest(&sequence, FastqcVersion::V0_11_9);
            assert_eq!(found.map(|(known, stretch)| (known.name.clone(), stretch)), expected);
        }
        assert!((20..60).contains(&hits), "{hits}");
    }

    #[test]
    fn a_line_that_is_no_entry_is_named() {
        let kind = |text: &str| Contaminants::parse(text).map_err(|error| (error.line, error.kind));
        assert_eq!(kind("A\tAC\nB AC\n"), Err((2, InvalidContaminant::Fields)));
        assert_eq!(kind("A\tACN\n"), Err((1, InvalidContaminant::Base('N'))));
    }
}
