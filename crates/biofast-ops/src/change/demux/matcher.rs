//! Which sample a barcode belongs to.

use std::fmt;

use super::barcode::{BarcodeBits, LONGEST_BARCODE};
use super::sheet::Sample;
use crate::change::grep::reverse_complement;

/// How closely a barcode must match its sample. By default at most one mismatch is allowed, every other sample must
/// have at least two more, and N is a mismatch like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchRules {
    /// So many bases may differ from the sample's barcode.
    pub max_mismatches: u32,
    /// So many more must differ from that of any other sample.
    pub min_delta: u32,
    /// So many bases may be N; any number if it is `None`, but each counts as different.
    pub max_no_calls: Option<u32>,
}

impl Default for MatchRules {
    fn default() -> MatchRules {
        MatchRules { max_mismatches: 1, min_delta: 2, max_no_calls: None }
    }
}

impl MatchRules {
    /// With other mismatches.
    #[must_use]
    pub fn with_max_mismatches(self, max_mismatches: u32) -> MatchRules {
        MatchRules { max_mismatches, ..self }
    }

    /// With another difference to the second best sample.
    #[must_use]
    pub fn with_min_delta(self, min_delta: u32) -> MatchRules {
        MatchRules { min_delta, ..self }
    }

    /// With a limit of bases that weren't called.
    #[must_use]
    pub fn with_max_no_calls(self, max_no_calls: Option<u32>) -> MatchRules {
        MatchRules { max_no_calls, ..self }
    }
}

/// Why samples can't be told apart by their barcodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BarcodeError {
    /// There are no samples.
    #[error("no samples")]
    NoSamples,
    /// A sample has no barcode.
    #[error("sample {sample} has no barcode")]
    Empty {
        /// The sample.
        sample: String,
    },
    /// A barcode has more bases than can be compared.
    #[error("the barcode of sample {sample} is longer than {LONGEST_BARCODE} bases")]
    TooLong {
        /// The sample.
        sample: String,
    },
    /// A barcode has a letter that stands for no base.
    #[error("the barcode of sample {sample}, {barcode}, has letters other than bases")]
    Letter {
        /// The sample.
        sample: String,
        /// Its barcode.
        barcode: String,
    },
    /// Barcodes differ in length.
    #[error("the barcodes of samples {} have different lengths", both(.samples))]
    Lengths {
        /// Two samples and their barcodes.
        samples: [(String, String); 2],
    },
    /// Two samples' barcodes are so near to one another that nothing belongs to one of them alone.
    #[error(
        "the barcodes of samples {} differ in {distance} {}, but at least {needed} {} needed to tell them apart",
        both(.samples), if *.distance == 1 { "base" } else { "bases" }, if *.needed == 1 { "is" } else { "are" }
    )]
    TooClose {
        /// Two samples and their barcodes.
        samples: [(String, String); 2],
        /// In how many bases they differ.
        distance: u32,
        /// How many it would have to be.
        needed: u32,
    },
}

fn both(samples: &[(String, String); 2]) -> String {
    let [one, two] = samples.each_ref().map(|(id, barcode)| format!("{id} ({barcode})"));
    format!("{one} and {two}")
}

/// So many comparisons may be made to fill a table: half a second.
const MOST_COMPARISONS: u64 = 60_000_000;
/// So many barcodes may be in a table: 40 MB.
const MOST_ENTRIES: u64 = 500_000;
/// What is read, as bits: A, C, G, T and N.
const READ: [u8; 5] = [1, 2, 4, 8, 15];

/// Finds the sample of a barcode: the one with the fewest mismatches, if these are at most
/// [`max_mismatches`](MatchRules::max_mismatches) and every other sample has at least [`min_delta`](MatchRules::min_delta) more.
/// Samples' barcodes may have ambiguous letters; a letter of a read is a mismatch if it stands for more bases than the
/// expected one. This is the rule of fqtk.
pub struct Matcher {
    barcodes: Vec<BarcodeBits>,
    len: usize,
    /// Most letters of a sample's barcode that are N.
    no_calls: u32,
    rules: MatchRules,
    table: Option<BarcodeTable>,
    /// If there is no table.
    parts: Option<PartTable>,
}

impl Matcher {
    /// Of these samples' barcodes, which must be of one length and far enough from each other that each is found.
    ///
    /// # Errors
    /// If they aren't.
    pub fn new(samples: &[Sample], rules: MatchRules) -> Result<Matcher, BarcodeError> {
        let first = samples.first().ok_or(BarcodeError::NoSamples)?;
        let named = |sample: &Sample| (sample.id.clone(), sample.barcode.clone());
        let len = first.barcode.len();
        let mut barcodes = Vec::new();
        for sample in samples {
            let id = || sample.id.clone();
            if sample.barcode.is_empty() {
                return Err(BarcodeError::Empty { sample: id() });
            }
            if sample.barcode.len() > LONGEST_BARCODE {
                return Err(BarcodeError::TooLong { sample: id() });
            }
            if sample.barcode.len() != len {
                return Err(BarcodeError::Lengths { samples: [named(first), named(sample)] });
            }
            let barcode = BarcodeBits::new(sample.barcode.as_bytes()).ok_or_else(|| {
                BarcodeError::Letter { sample: id(), barcode: sample.barcode.clone() }
            })?;
            barcodes.push(barcode);
        }
        for (at, one) in barcodes.iter().enumerate() {
            for (other, two) in barcodes.iter().enumerate().skip(at + 1) {
                let distance = one.distance(two, len);
                let needed = rules.min_delta.max(1);
                if distance < needed {
                    let samples = [named(&samples[at]), named(&samples[other])];
                    return Err(BarcodeError::TooClose { samples, distance, needed });
                }
            }
        }
        let no_calls = samples.iter().map(|sample| no_calls(&sample.barcode)).max().unwrap_or(0);
        Ok(Matcher { barcodes, len, no_calls, rules, table: None, parts: None }.with_tables())
    }

    /// Of indexes of one length that may be near to each other. `None` if they have letters that stand for no base, or too many.
    pub(crate) fn of_indexes(indexes: &[String], rules: MatchRules) -> Option<Matcher> {
        let len = indexes.first()?.len();
        let barcodes: Option<Vec<BarcodeBits>> =
            indexes.iter().map(|index| BarcodeBits::new(index.as_bytes())).collect();
        let no_calls = indexes.iter().map(|index| no_calls(index)).max().unwrap_or(0);
        let barcodes = barcodes?;
        Some(Matcher { barcodes, len, no_calls, rules, table: None, parts: None }.with_tables())
    }

    fn with_tables(mut self) -> Matcher {
        self.table = BarcodeTable::new(&self);
        self.parts = if self.table.is_none() { PartTable::new(&self) } else { None };
        self
    }

    /// Of one sample, to which all reads belong: barcodes have no bases.
    pub fn of_one() -> Matcher {
        Matcher {
            barcodes: Vec::new(),
            len: 0,
            no_calls: 0,
            rules: MatchRules::default(),
            table: None,
            parts: None,
        }
    }

    /// How many bases a barcode has.
    pub fn barcode_len(&self) -> usize {
        self.len
    }

    /// How many samples there are.
    pub fn samples(&self) -> usize {
        if self.len == 0 { 1 } else { self.barcodes.len() }
    }

    /// The two samples whose barcodes are nearest to each other, and in how many bases they differ; `None` if there is one sample.
    pub fn nearest(&self) -> Option<(usize, usize, u32)> {
        let pairs = (0..self.barcodes.len())
            .flat_map(|a| (a + 1..self.barcodes.len()).map(move |b| (a, b)));
        let distances =
            pairs.map(|(a, b)| (a, b, self.barcodes[a].distance(&self.barcodes[b], self.len)));
        distances.min_by_key(|(_, _, distance)| *distance)
    }

    /// The sample that a barcode belongs to. One of another length belongs to none.
    pub fn find(&self, barcode: &[u8]) -> Option<usize> {
        if barcode.len() != self.len {
            return None;
        }
        if self.len == 0 {
            return Some(0);
        }
        let is_no_call = |letter: &&u8| matches!(letter, b'N' | b'n' | b'.');
        let no_calls = barcode.iter().filter(is_no_call).count() as u32;
        let most = self.rules.max_mismatches.saturating_add(self.no_calls);
        if no_calls > most.min(self.rules.max_no_calls.unwrap_or(u32::MAX)) {
            return None;
        }
        let barcode = BarcodeBits::new(barcode)?;
        match &self.table {
            Some(table) if self.is_plain(&barcode) => table.get(&barcode),
            _ => self.compare(&barcode),
        }
    }

    /// Whether all letters are such as a table has.
    fn is_plain(&self, barcode: &BarcodeBits) -> bool {
        (0..self.len).all(|at| matches!(barcode.at(at), 1 | 2 | 4 | 8 | 15))
    }

    /// The same by comparing with all samples, or those that may be near.
    fn compare(&self, barcode: &BarcodeBits) -> Option<usize> {
        match &self.parts {
            Some(parts) => self.best_of(barcode, parts.near(barcode)),
            None => self.best_of(barcode, 0..self.barcodes.len()),
        }
    }

    fn best_of(
        &self,
        barcode: &BarcodeBits,
        samples: impl Iterator<Item = usize>,
    ) -> Option<usize> {
        let (mut best, mut second, mut which) = (u32::MAX, u32::MAX, None);
        for sample in samples {
            let mismatches = barcode.mismatches(&self.barcodes[sample]);
            if mismatches < best {
                (best, second, which) = (mismatches, best, Some(sample));
            } else if which != Some(sample) {
                second = second.min(mismatches);
                // Of equals the first one, in whatever order they come.
                which = if mismatches == best { which.min(Some(sample)) } else { which };
            }
        }
        which.filter(|_| best <= self.rules.max_mismatches && second - best >= self.rules.min_delta)
    }

    /// The barcode with some of its `parts`, one of which is so many letters long each, turned to the other strand; `which` has a bit
    /// for each of them.
    pub(super) fn turned(barcode: &[u8], parts: &[usize], which: u32) -> Vec<u8> {
        let (mut rest, mut all, mut part) = (barcode, Vec::new(), Vec::new());
        for (number, &len) in parts.iter().enumerate() {
            let (now, later) = rest.split_at(len.min(rest.len()));
            match which & (1 << number) != 0 {
                true => reverse_complement(now, &mut part),
                false => part = now.to_vec(),
            }
            all.extend_from_slice(&part);
            rest = later;
        }
        all.extend_from_slice(rest);
        all
    }
}

/// How many letters of a barcode are N.
fn no_calls(barcode: &str) -> u32 {
    barcode.bytes().filter(|letter| matches!(letter, b'N' | b'n' | b'.')).count() as u32
}

/// All barcodes that belong to a sample, by a hash.
struct BarcodeTable {
    entries: Vec<Option<(BarcodeBits, u32)>>,
}

impl BarcodeTable {
    /// `None` if they are too many, or letters of samples are ambiguous.
    fn new(matcher: &Matcher) -> Option<BarcodeTable> {
        let samples = matcher.barcodes.len() as u64;
        let is_single =
            |barcode: &BarcodeBits| (0..matcher.len).all(|at| barcode.at(at).is_power_of_two());
        if !matcher.barcodes.iter().all(is_single) {
            return None;
        }
        // Choices of places, each with one of four other letters.
        let (mut around, mut choices) = (1u64, 1u64);
        for mismatch in 1..=u64::from(matcher.rules.max_mismatches).min(matcher.len as u64) {
            choices = choices.checked_mul(4 * (matcher.len as u64 + 1 - mismatch))? / mismatch;
            around = around.checked_add(choices)?;
        }
        let entries = around.checked_mul(samples)?;
        if entries > MOST_ENTRIES || entries.checked_mul(samples)? > MOST_COMPARISONS {
            return None;
        }
        let mut table =
            BarcodeTable { entries: vec![None; (entries as usize * 2).next_power_of_two()] };
        for barcode in &matcher.barcodes {
            table.add(matcher, *barcode, 0, matcher.rules.max_mismatches);
        }
        Some(table)
    }

    /// Adds a barcode and those that differ from it in so many more bases, from a place on.
    fn add(&mut self, matcher: &Matcher, barcode: BarcodeBits, from: usize, mismatches: u32) {
        if let Some(sample) = matcher.compare(&barcode) {
            let place = self.place(&barcode);
            self.entries[place] = Some((barcode, sample as u32));
        }
        if mismatches == 0 {
            return;
        }
        for at in from..matcher.len {
            for bits in READ.into_iter().filter(|&bits| bits != barcode.at(at)) {
                self.add(matcher, barcode.with(at, bits), at + 1, mismatches - 1);
            }
        }
    }

    /// Where a barcode is, or where it would be.
    fn place(&self, barcode: &BarcodeBits) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = barcode.hash() as usize & mask;
        while self.entries[place].is_some_and(|(other, _)| other != *barcode) {
            place = (place + 1) & mask;
        }
        place
    }

    fn get(&self, barcode: &BarcodeBits) -> Option<usize> {
        self.entries[self.place(barcode)].map(|(_, sample)| sample as usize)
    }
}

/// So many barcodes are simply compared.
const FEW_BARCODES: usize = 1000;

/// Many barcodes by their parts: one that is near enough to matter agrees with what is read in at least one of them.
struct PartTable {
    parts: Vec<SortedPart>,
}

/// What barcodes have at some places, in order, with their numbers.
struct SortedPart {
    mask: BarcodeBits,
    sorted: Vec<(BarcodeBits, u32)>,
}

impl PartTable {
    /// `None` if barcodes are few or have ambiguous letters, or if all parts were nothing but a base.
    fn new(matcher: &Matcher) -> Option<PartTable> {
        let MatchRules { max_mismatches, min_delta, .. } = matcher.rules;
        // A second best one matters if it has fewer than `min_delta` mismatches more.
        let parts = (max_mismatches as usize).checked_add(min_delta.max(1) as usize)?;
        let is_single =
            |bits: &BarcodeBits| (0..matcher.len).all(|at| bits.at(at).is_power_of_two());
        if matcher.barcodes.len() <= FEW_BARCODES
            || parts > matcher.len / 2
            || !matcher.barcodes.iter().all(is_single)
        {
            return None;
        }
        let bounds = |part: usize| part * matcher.len / parts;
        let parts = (0..parts).map(|part| {
            let mask = BarcodeBits::mask(bounds(part)..bounds(part + 1));
            let barcodes = matcher.barcodes.iter().zip(0..);
            let mut sorted: Vec<_> =
                barcodes.map(|(bits, number)| (bits.part(&mask), number)).collect();
            sorted.sort_unstable();
            SortedPart { mask, sorted }
        });
        Some(PartTable { parts: parts.collect() })
    }

    /// The numbers of barcodes that agree in a part, some of them several times.
    fn near(&self, barcode: &BarcodeBits) -> impl Iterator<Item = usize> {
        self.parts.iter().flat_map(|SortedPart { mask, sorted }| {
            let part = barcode.part(mask);
            let start = sorted.partition_point(|(other, _)| *other < part);
            let same = sorted[start..].iter().take_while(move |(other, _)| *other == part);
            same.map(|(_, number)| *number as usize)
        })
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_table = self.table.is_some();
        f.debug_struct("Matcher")
            .field("samples", &self.barcodes.len())
            .field("table", &has_table)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::effort::times;
    use biofast_testkit::random::Random;

    use super::*;

    /// Comparing letters.
    fn plain(samples: &[Sample], rules: MatchRules, read: &[u8]) -> Option<usize> {
        use crate::change::grep::bases;
        let differ = |sample: &Sample| {
            let pairs = sample.barcode.bytes().zip(read);
            pairs.filter(|(expected, read)| bases(**read) & !bases(*expected) != 0).count() as u32
        };
        let mut counts: Vec<(u32, usize)> = samples.iter().map(differ).zip(0..).collect();
        counts.sort();
        let second = counts.get(1).map_or(u32::MAX, |(count, _)| *count);
        let (best, which) = counts[0];
        (best <= rules.max_mismatches && second - best >= rules.min_delta).then_some(which)
    }

    #[test]
    fn a_table_and_comparisons_find_the_sample_that_letters_do() {
        let mut numbers = Random(9);
        for case in 0..times(8) {
            let len = [3, 6, 8, 16, 17, 40][numbers.below(6)];
            let alphabet: &[u8] = if case % 3 == 0 { b"ACGTRNY" } else { b"ACGT" };
            let mut letters = |alphabet: &[u8]| -> String {
                (0..len).map(|_| char::from(alphabet[numbers.below(alphabet.len())])).collect()
            };
            let samples: Vec<Sample> =
                (0..12).map(|n| Sample::new(format!("s{n}"), &letters(alphabet))).collect();
            let reads: Vec<String> = (0..100).map(|_| letters(b"ACGTN")).collect();
            let rules =
                MatchRules::default().with_max_mismatches(case % 4).with_min_delta(case % 2 + 1);
            // Those that are too close aren't told apart.
            let mut kept: Vec<Sample> = Vec::new();
            for sample in samples {
                kept.push(sample);
                if Matcher::new(&kept, rules).is_err() {
                    kept.pop();
                }
            }
            let matcher = Matcher::new(&kept, rules).expect("samples");
            for read in reads {
                let mut read = read.into_bytes();
                // Near to a sample in most cases.
                let near = kept[numbers.below(kept.len())].barcode.as_bytes();
                let from = numbers.below(2 * len).min(len);
                read[..from].copy_from_slice(&near[..from]);
                let no_calls = read.iter().filter(|&&b| b == b'N').count() as u32;
                let expected = plain(&kept, rules, &read);
                let found = matcher.find(&read);
                if no_calls <= rules.max_mismatches {
                    assert_eq!(found, expected, "{case} {}", read.escape_ascii());
                }
                let compared =
                    BarcodeBits::new(&read).and_then(|barcode| matcher.compare(&barcode));
                assert_eq!(compared, expected);
            }
        }
    }

    #[test]
    fn parts_of_many_barcodes_find_what_comparing_all_finds() {
        let mut numbers = Random(19);
        for (max_mismatches, min_delta) in [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)] {
            let mut letters = |len: usize| -> String {
                (0..len).map(|_| char::from(b"ACGT"[numbers.below(4)])).collect()
            };
            // Families of near ones, more than a table takes.
            let mut umis: Vec<String> = (0..2000).map(|_| letters(12)).collect();
            umis.extend(umis.clone().iter().map(|umi| format!("{}{}", &umi[..11], letters(1))));
            let rules = MatchRules { max_mismatches, min_delta, max_no_calls: None };
            let mut matcher = Matcher::of_indexes(&umis, rules).expect("letters of bases");
            if matcher.parts.is_none() {
                matcher.table = None;
                matcher.parts = PartTable::new(&matcher);
            }
            assert!(matcher.parts.is_some());
            for _ in 0..times(300) {
                let mut read = umis[numbers.below(umis.len())].clone().into_bytes();
                for _ in 0..numbers.below(4) {
                    read[numbers.below(12)] = b"ACGTN"[numbers.below(5)];
                }
                let bits = BarcodeBits::new(&read).expect("letters of bases");
                let expected = matcher.best_of(&bits, 0..umis.len());
                let found = matcher.find(&read);
                assert_eq!(found, expected, "{}", read.escape_ascii());
            }
        }
    }

    #[test]
    fn bases_that_were_not_called_are_limited() {
        let samples = [Sample::new("a", "ACGTACGT"), Sample::new("b", "TTTTGGGG")];
        let find = |rules: MatchRules, read: &[u8]| {
            Matcher::new(&samples, rules).expect("samples").find(read)
        };
        let two = MatchRules::default().with_max_mismatches(2);
        assert_eq!(find(two, b"NNGTACGT"), Some(0));
        assert_eq!(find(two.with_max_no_calls(Some(1)), b"NNGTACGT"), None);
        assert_eq!(find(two.with_max_no_calls(Some(1)), b"NCGTACGA"), Some(0));
        assert_eq!(find(two, b"ACGTACG"), None);
    }

    #[test]
    fn parts_are_turned_on_their_own() {
        assert_eq!(Matcher::turned(b"AACCGT", &[3, 3], 2), b"AACACG");
        assert_eq!(Matcher::turned(b"AACCGT", &[3, 3], 3), b"GTTACG");
        assert_eq!(Matcher::turned(b"AACC", &[3, 3], 1), b"GTTC");
    }
}
