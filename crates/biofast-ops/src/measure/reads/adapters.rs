//! Adapter content by position: the share of reads with an adapter before or at each position.

use serde::{Deserialize, Serialize};

use super::contaminants::Contaminants;
use super::measured::{ReadSearch, SearchedRead};
use super::numbers::InvalidReport;
use super::statistic::positions::{bin_of, bin_range};
use crate::measure::compat::FastqcVersion;

/// Bases of each adapter that are looked for.
const LENGTH: usize = 12;

/// The longest insert of an adapter dimer, in bases.
const LONGEST_DIMER_INSERT: usize = 10;

/// The adapters that FastQC looks for by default, by name and first bases.
pub const ADAPTERS: [(&str, &[u8; LENGTH]); 7] = [
    ("Illumina Universal Adapter", b"AGATCGGAAGAG"),
    ("Illumina Small RNA 3' Adapter", b"TGGAATTCTCGG"),
    ("Illumina Small RNA 5' Adapter", b"GATCGTCGGACT"),
    ("Nextera Transposase Sequence", b"CTGTCTCTTATA"),
    ("SOLID Small RNA Adapter", b"CGCCTTGGCCGT"),
    ("PolyA", b"AAAAAAAAAAAA"),
    ("PolyG", b"GGGGGGGGGGGG"),
];

/// So many of them are adapters, and the others are bases that repeat themselves.
const TRUE_ADAPTERS: usize = 5;

/// Reads by the place of the first occurrence of each adapter.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct AdapterCounter {
    reads: u64,
    longest: usize,
    found: [AdapterPositions; ADAPTERS.len()],
}

/// Where an adapter begins in reads, by bin of the position.
#[derive(Clone, Debug, Default, PartialEq)]
struct AdapterPositions {
    reads: Vec<u64>,
    /// Positions from the adapter's first base to the end of the bin, of all these reads.
    positions: Vec<u64>,
}

impl AdapterPositions {
    fn add(&mut self, at: usize) {
        let bin = bin_of(at);
        self.grow(bin + 1);
        self.reads[bin] += 1;
        self.positions[bin] += (bin_range(bin).end - at) as u64;
    }

    fn grow(&mut self, bins: usize) {
        let bins = bins.max(self.reads.len());
        self.reads.resize(bins, 0);
        self.positions.resize(bins, 0);
    }
}

impl AdapterCounter {
    /// Counts a read in upper case.
    pub(crate) fn count(&mut self, sequence: &[u8]) {
        self.reads += 1;
        self.longest = self.longest.max(sequence.len());
        for (found, at) in self.found.iter_mut().zip(find(sequence)) {
            if let Some(at) = at {
                found.add(at);
            }
        }
    }

    /// Adds the counts of other reads.
    pub(crate) fn add_counts(&mut self, other: &AdapterCounter) {
        let AdapterCounter { reads, longest, found } = other;
        self.reads += reads;
        self.longest = self.longest.max(*longest);
        for (mine, theirs) in self.found.iter_mut().zip(found) {
            mine.grow(theirs.reads.len());
            mine.reads.iter_mut().zip(&theirs.reads).for_each(|(a, b)| *a += b);
            mine.positions.iter_mut().zip(&theirs.positions).for_each(|(a, b)| *a += b);
        }
    }

    /// What the counts say.
    #[doc(hidden)]
    pub fn content(&self) -> AdapterContent {
        // Where an adapter can begin, if any read is longer than that.
        let places = match self.longest {
            ..=LENGTH => 0,
            longest => bin_of(longest - LENGTH) + 1,
        };
        let mut before = [0u64; ADAPTERS.len()];
        let positions = (0..places).map(|bin| {
            let range = bin_range(bin);
            let percent = (0..ADAPTERS.len()).map(|adapter| {
                let found = &self.found[adapter];
                let get = |counts: &[u64]| counts.get(bin).copied().unwrap_or(0);
                let width = range.len() as u64;
                let positions = before[adapter] * width + get(&found.positions);
                before[adapter] += get(&found.reads);
                positions as f64 * 100.0 / (self.reads * width) as f64
            });
            let percent = percent.collect();
            AdapterPosition { start: range.start + 1, end: range.end, percent }
        });
        let positions = positions.collect();
        AdapterContent {
            reads: self.reads,
            longest: self.longest as u64,
            names: ADAPTERS.map(|(name, _)| name.to_owned()).to_vec(),
            positions,
            begins: self.found.iter().map(AdapterPositions::sparse).collect(),
            dimers: self.found[..TRUE_ADAPTERS].iter().map(AdapterPositions::dimers).collect(),
        }
    }
}

impl ReadSearch for AdapterCounter {
    type Section = AdapterContent;
    type Left = ();
    type Counter<'a> = &'a mut AdapterCounter;

    fn begin<'a>(&'a mut self, _: u64, (): &'a mut ()) -> &'a mut AdapterCounter {
        self
    }

    #[inline]
    fn add(counter: &mut &mut AdapterCounter, read: &SearchedRead<'_>) {
        counter.count(read.sequence);
    }

    fn merge(&mut self, other: &AdapterCounter) {
        self.add_counts(other);
    }

    fn section(&self, _: &Contaminants) -> Option<AdapterContent> {
        Some(self.content())
    }

    fn read_back(content: Option<&AdapterContent>) -> Result<AdapterCounter, InvalidReport> {
        let Some(content) = content else { return Ok(AdapterCounter::default()) };
        const WRONG: InvalidReport = InvalidReport::Inconsistent("adapters that don't add up");
        if content.names.iter().ne(ADAPTERS.iter().map(|(name, _)| name)) {
            return Err(InvalidReport::Inconsistent("adapters of another kind"));
        }
        let mut adapters = AdapterCounter {
            reads: content.reads,
            longest: usize::try_from(content.longest).map_err(|_| WRONG)?,
            ..AdapterCounter::default()
        };
        for (found, begins) in adapters.found.iter_mut().zip(&content.begins) {
            for &(start, reads, positions) in begins {
                let bin = bin_of(start.checked_sub(1).ok_or(WRONG)?);
                if bin_range(bin).start + 1 != start || start > adapters.longest {
                    return Err(WRONG);
                }
                found.grow(bin + 1);
                found.reads[bin] = reads;
                found.positions[bin] = positions;
            }
            let reads = found.reads.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
            if reads.is_none_or(|reads| reads > adapters.reads) {
                return Err(WRONG);
            }
        }
        Ok(adapters)
    }
}

impl AdapterPositions {
    /// Reads in which it begins right after the insert of a dimer. These positions have bins of their own.
    fn dimers(&self) -> u64 {
        self.reads.iter().take(LONGEST_DIMER_INSERT + 1).sum()
    }

    fn sparse(&self) -> Vec<(usize, u64, u64)> {
        let bins = self.reads.iter().zip(&self.positions).enumerate();
        bins.filter(|(_, (reads, _))| **reads > 0)
            .map(|(bin, (&reads, &positions))| (bin_range(bin).start + 1, reads, positions))
            .collect()
    }
}

/// Adapter content by position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdapterContent {
    /// Reads that were searched.
    pub reads: u64,
    /// The longest of them.
    pub longest: u64,
    /// The names of the adapters, and of poly-A and poly-G.
    pub names: Vec<String>,
    /// All positions where an adapter can begin; none if no read is longer than an adapter's 12 bases.
    pub positions: Vec<AdapterPosition>,
    /// For each adapter `[position, reads, positions]`: reads in which it first begins at the position, or in the bin that starts
    /// with it, and for how many positions up to the end of the bin.
    pub begins: Vec<Vec<(usize, u64, u64)>>,
    /// For each adapter but poly-A and poly-G, adapter dimers: reads in which it begins after an insert of 0 to 10 bases. None in reports of
    /// older versions.
    #[serde(default)]
    pub dimers: Vec<u64>,
}

/// Adapter content at a position, or its mean over the positions of a bin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdapterPosition {
    /// First position, from 1.
    pub start: usize,
    /// Last position; differs from `start` beyond position 1,000.
    pub end: usize,
    /// Percent of all reads in which the adapter began here or before, for each adapter.
    pub percent: Vec<f64>,
}

impl AdapterContent {
    /// The places of those that this version of FastQC looks for: 0.12.0 has poly-A and poly-G instead of SOLiD's.
    pub fn of(version: FastqcVersion) -> &'static [usize] {
        match version {
            FastqcVersion::V0_11_9 => &[0, 1, 2, 3, 4],
            FastqcVersion::V0_12_1 => &[0, 1, 2, 3, 5, 6],
        }
    }

    /// The adapter that most reads have, and their share in percent; nothing where no read is long enough.
    pub fn most_frequent(&self) -> Option<(&str, f64)> {
        let mut most: Option<(&str, f64)> = None;
        for found in self.positions.iter().flat_map(|at| self.true_adapters(at)) {
            if most.is_none_or(|(_, other)| found.1 > other) {
                most = Some(found);
            }
        }
        most
    }

    /// Percent of the reads with 12 G in a row; nothing where no read is long enough.
    pub fn poly_g_percent(&self) -> Option<f64> {
        let place = self.names.iter().position(|name| name == "PolyG")?;
        self.positions.last()?.percent.get(place).copied()
    }

    /// The adapters with their shares at a position, without poly-A and poly-G, which reads can end with for other reasons.
    pub fn true_adapters<'a>(
        &'a self,
        at: &'a AdapterPosition,
    ) -> impl Iterator<Item = (&'a str, f64)> {
        let names = self.names.iter().take(TRUE_ADAPTERS).map(String::as_str);
        names.zip(at.percent.iter().copied())
    }
}

/// Places that are looked at together.
const BLOCK: usize = 32;

/// Where each adapter first begins.
fn find(sequence: &[u8]) -> [Option<usize>; ADAPTERS.len()] {
    let mut found = [None; ADAPTERS.len()];
    let mut start = 0;
    while start + LENGTH <= sequence.len() {
        let mut end = [0; BLOCK + LENGTH - 1];
        let block = match sequence[start..].first_chunk::<{ BLOCK + LENGTH - 1 }>() {
            Some(block) => block,
            None => {
                end[..sequence.len() - start].copy_from_slice(&sequence[start..]);
                &end
            }
        };
        for ((_, adapter), found) in ADAPTERS.iter().zip(&mut found) {
            if found.is_none() && may_begin(block, adapter) {
                let at = block.windows(LENGTH).position(|window| window == *adapter);
                *found = at.map(|at| start + at);
            }
        }
        start += BLOCK;
    }
    found
}

/// Whether four bases of the adapter are at their places anywhere, which a compiler makes vector code of.
#[inline]
fn may_begin(block: &[u8; BLOCK + LENGTH - 1], adapter: &[u8; LENGTH]) -> bool {
    let mut any = [0u8; BLOCK];
    for (i, any) in any.iter_mut().enumerate() {
        *any = u8::from(block[i] == adapter[0])
            & u8::from(block[i + 4] == adapter[4])
            & u8::from(block[i + 7] == adapter[7])
            & u8::from(block[i + 11] == adapter[11]);
    }
    any.iter().fold(0, |sum, any| sum | any) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn adapters_are_found_where_they_first_begin(
            parts in prop::collection::vec(("[ACGT]{0,40}", 0usize..8), 0..6),
        ) {
            let sequence: String = parts
                .iter()
                .flat_map(|(bases, which)| {
                    let adapter = ADAPTERS.get(*which).map_or("", |(_, adapter)| {
                        std::str::from_utf8(&adapter[..]).expect("ASCII")
                    });
                    [bases.as_str(), adapter]
                })
                .collect();
            let expected = ADAPTERS.map(|(_, adapter)| {
                sequence.find(std::str::from_utf8(adapter).expect("ASCII"))
            });
            prop_assert_eq!(find(sequence.as_bytes()), expected);
        }

        #[test]
        fn shares_are_those_of_reads_with_the_adapter_up_to_a_position(
            places in prop::collection::vec(prop_oneof![0usize..15, 0usize..1300], 1..40),
        ) {
            let (adapter, len) = (ADAPTERS[0].1, 1400);
            let (mut whole, mut parts) = (AdapterCounter::default(), AdapterCounter::default());
            for &place in &places {
                let mut read = vec![b'C'; len];
                read[place..place + LENGTH].copy_from_slice(adapter);
                whole.count(&read);
                let mut part = AdapterCounter::default();
                part.count(&read);
                parts.merge(&part);
            }
            prop_assert_eq!(&whole, &parts);
            let content = whole.content();
            for AdapterPosition { start, end, percent } in &content.positions {
                let at = |position: usize| places.iter().filter(|&&p| p < position).count() as f64;
                let sum: f64 = (*start..=*end).map(at).sum();
                let expected = 100.0 * sum / (end - start + 1) as f64 / places.len() as f64;
                prop_assert!((percent[0] - expected).abs() < 1e-9, "{start}: {percent:?} {expected}");
            }
            let dimers = places.iter().filter(|&&place| place <= 10).count() as u64;
            prop_assert_eq!(&content.dimers, &[dimers, 0, 0, 0, 0]);
            prop_assert_eq!(AdapterCounter::read_back(Some(&content)).expect("own report"), whole);
        }
    }

    #[test]
    fn reads_no_longer_than_an_adapter_have_no_positions() {
        let mut adapters = AdapterCounter::default();
        adapters.count(b"AGATCGGAAGAG");
        assert!(adapters.content().positions.is_empty());
        adapters.count(b"AGATCGGAAGAGC");
        assert_eq!(adapters.content().positions.len(), 2);
        assert_eq!(adapters.content().positions[0].percent[0], 100.0);
    }
}
