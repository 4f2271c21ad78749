//! Which adapters reads end with: found in the first reads of an input, with the evidence.
//!
//! Three ways, tried in this order for first and for second reads:
//! 1. By overlap: in pairs whose fragment is shorter than the reads, what follows the fragment is
//!    adapter, whatever it is (see [`Overlap`]). Its consensus is the adapter.
//! 2. By kit: the first [`SEED`] bases of an adapter of [`KITS`], after which reads go on as it does.
//! 3. By frequency: what looks like an adapter and not like a genome, a repeat or an amplicon (see
//!    `detect/frequent.rs`).

mod frequent;

use std::{fmt, io};

use biofast_fastq::{Inputs, Reader, Record};
use biofast_io::{Options, Source};
use serde::Serialize;

use super::adapter::KITS;
use super::overlap::{Overlap, reverse_complement};
pub use sequences::Strength;
use sequences::{Consensus, FEWEST, LONGEST, Sequences, find};

/// Bases of a kit's adapter that are looked for.
pub const SEED: usize = 12;

/// The share of reads, in percent, below which an adapter isn't cut.
pub const THRESHOLD_PERCENT: f64 = 0.5;

/// The largest median length of reads in which adapters are looked for.
pub const LONG_READS: usize = 600;

/// How an adapter was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By the overlap of mates.
    Overlap,
    /// As that of a known kit.
    Kit,
    /// By its frequency.
    Frequency,
    /// Not at all.
    None,
    /// Not looked for: adapters of long reads are at their front, too, and cutting from there on
    /// would leave nothing.
    LongReads,
}

/// What was found at the ends of first or second reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdapterEvidence {
    /// 1 for first reads (or reads without mates), 2 for second ones.
    pub read: u8,
    /// How.
    pub way: Way,
    /// The adapter, or its first 33 bases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// The kit it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kit: Option<&'static str>,
    /// Reads that were looked at.
    pub reads: u64,
    /// Those that have it.
    pub reads_with_adapter: u64,
    /// What speaks for one that was found by its frequency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// The share of reads, in percent, from which on it is cut.
    pub threshold_percent: f64,
    /// Whether it is cut.
    pub cut: bool,
}

impl fmt::Display for AdapterEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reads = if self.read == 1 { "first" } else { "second" };
        let Some(adapter) = &self.adapter else {
            let what = match self.way {
                Way::LongReads => "not searched, as reads are long",
                _ => "none found",
            };
            return write!(f, "of {reads} reads: {what}; {} reads examined", self.reads);
        };
        let share = 100.0 * self.reads_with_adapter as f64 / self.reads.max(1) as f64;
        let what = match (self.way, self.kit) {
            (_, Some(kit)) => format!(" ({kit})"),
            (Way::Overlap, None) => " (by the overlap of mates)".to_owned(),
            _ => match self.strength {
                None => " (by its frequency)".to_owned(),
                Some(Strength { insert_ends, places }) => format!(
                    " (by its frequency, after {insert_ends} different insert ends, at {places} positions)"
                ),
            },
        };
        let verdict = match self.cut {
            true => "cut".to_owned(),
            false => format!("below {} %: not trimmed", self.threshold_percent),
        };
        write!(
            f,
            "of {reads} reads: {adapter}{what} in {} of {} reads examined, {share:.2} %: {verdict}",
            self.reads_with_adapter, self.reads
        )
    }
}

/// Detects the adapters of an input from the reads at its start.
#[derive(Debug, Default)]
pub struct Detector {
    /// Sequences of first and of second reads.
    reads: [Sequences; 2],
    /// What follows the fragments of pairs.
    beyond: [Consensus; 2],
    scratch: Vec<u8>,
}

impl Detector {
    /// Adds a read, or a pair.
    pub fn add(&mut self, first: &Record<'_>, second: Option<&Record<'_>>) {
        self.reads[0].add(first.sequence());
        let Some(second) = second else { return };
        self.reads[1].add(second.sequence());
        reverse_complement(second.sequence(), &mut self.scratch);
        if let Some(len) = Overlap::default().fragment(first.sequence(), &self.scratch) {
            for (consensus, read) in self.beyond.iter_mut().zip([first, second]) {
                if let Some(adapter) = read.sequence().get(len..)
                    && adapter.len() >= SEED
                {
                    consensus.add(adapter);
                }
            }
        }
    }

    /// How many reads or pairs there are.
    pub fn len(&self) -> usize {
        self.reads[0].ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was found in first reads and, of pairs, in second reads. An adapter is to be cut if at
    /// least `threshold` percent of the reads have it.
    pub fn finish(&self, threshold: f64) -> Vec<AdapterEvidence> {
        let paired = !self.reads[1].ends.is_empty();
        let mates = 0..if paired { 2 } else { 1 };
        mates.map(|mate| self.of_mate(mate, threshold)).collect()
    }

    fn of_mate(&self, mate: usize, threshold: f64) -> AdapterEvidence {
        let reads = &self.reads[mate];
        let total = reads.ends.len() as u64;
        let long = reads.median_len() > LONG_READS;
        let share = |percent: f64| FEWEST.max((total as f64 * percent / 100.0).ceil() as u64);
        let by_frequency = || {
            let (adapter, with, strength) = frequent::find_adapter(reads, share(threshold))?;
            Some(DetectedAdapter {
                way: Way::Frequency,
                adapter,
                reads: with,
                strength: Some(strength),
            })
        };
        let found = by_overlap(&self.beyond[mate])
            .or_else(|| by_kit(reads, mate))
            // A tenth of the threshold is enough to be told, not to be cut.
            .filter(|found| found.reads >= share(threshold / 10.0))
            .or_else(by_frequency)
            .filter(|_| !long);
        let strength = found.as_ref().and_then(|found| found.strength);
        let (way, adapter, with) = match found {
            Some(found) => (found.way, Some(found.adapter), found.reads),
            None if long => (Way::LongReads, None, 0),
            None => (Way::None, None, 0),
        };
        AdapterEvidence {
            read: mate as u8 + 1,
            way,
            kit: adapter.as_deref().and_then(kit_of),
            cut: adapter.is_some() && with as f64 * 100.0 >= total as f64 * threshold,
            adapter: adapter.map(|adapter| String::from_utf8_lossy(&adapter).into_owned()),
            reads: total,
            reads_with_adapter: with,
            strength,
            threshold_percent: threshold,
        }
    }
}

/// How much of an input is looked at: some 25,000 reads of 150 bases.
const LOOKED_AT: usize = 8 << 20;

/// Looks at the first reads of `inputs`, which stay unread, and tells their adapters: of first
/// reads and, of pairs, of second reads. What is wrong with the inputs is left to who reads
/// them.
pub fn look(inputs: &mut Inputs, threshold: f64) -> Vec<AdapterEvidence> {
    let mut detector = Detector::default();
    let start = |source: &mut Source| {
        let text = source.peek(LOOKED_AT).unwrap_or_default();
        let text = Source::from_reader("the start", io::Cursor::new(text));
        Reader::new(text, &Options { threads: 1, ..Options::default() }).ok()
    };
    let next = |reader: &mut Option<Reader>, owned: &mut [Vec<u8>; 2]| -> Option<()> {
        let record = reader.as_mut()?.next_record().ok()??;
        let [sequence, qualities] = owned;
        sequence.clear();
        sequence.extend_from_slice(record.sequence());
        qualities.clear();
        qualities.extend_from_slice(record.qualities());
        Some(())
    };
    let (mut one, mut two) = match inputs {
        Inputs::Single(source) | Inputs::Interleaved(source) => (start(source), None),
        Inputs::Paired(first, second) => (start(first), start(second)),
    };
    let (mut first, mut second) = <([Vec<u8>; 2], [Vec<u8>; 2])>::default();
    while next(&mut one, &mut first).is_some() {
        let mate = match inputs {
            Inputs::Single(_) => None,
            Inputs::Interleaved(_) => Some(next(&mut one, &mut second)),
            Inputs::Paired(..) => Some(next(&mut two, &mut second)),
        };
        let first = Record::new(b"", &first[0], &first[1]);
        let second = Record::new(b"", &second[0], &second[1]);
        match mate {
            None => detector.add(&first, None),
            Some(Some(())) => detector.add(&first, Some(&second)),
            Some(None) => break,
        }
    }
    detector.finish(threshold)
}

struct DetectedAdapter {
    way: Way,
    adapter: Vec<u8>,
    reads: u64,
    strength: Option<Strength>,
}

fn by_overlap(beyond: &Consensus) -> Option<DetectedAdapter> {
    let adapter = beyond.sequence();
    let found = DetectedAdapter { way: Way::Overlap, adapter, reads: beyond.reads, strength: None };
    (found.adapter.len() >= SEED).then_some(found)
}

/// The adapter of a kit that most reads have: of this mate, or of the other, as second reads may
/// come alone.
fn by_kit(reads: &Sequences, mate: usize) -> Option<DetectedAdapter> {
    let known = KITS.iter().flat_map(|kit| [(kit, true), (kit, false)]);
    let found = known.map(|(kit, own)| {
        let adapter = kit.adapters[if own { mate } else { 1 - mate }].as_bytes();
        // The start alone may be in a genome by chance, and in a small one that is many reads.
        let (mut with, mut other) = (0, 0);
        for read in reads.iter() {
            if let Some(at) = find(read, &adapter[..SEED]) {
                match goes_on(&read[at + SEED..], &adapter[SEED..]) {
                    true => with += 1,
                    false => other += 1,
                }
            }
        }
        (if with > other { with } else { 0 }, own, adapter)
    });
    let (with, _, adapter) = found.max_by_key(|&(with, own, _)| (with, own))?;
    let adapter = adapter[..adapter.len().min(LONGEST)].to_vec();
    (with > 0).then_some(DetectedAdapter { way: Way::Kit, adapter, reads: with, strength: None })
}

/// Whether a read goes on as an adapter does, but for one base in five: as far as both reach, at
/// most ten bases.
fn goes_on(read: &[u8], adapter: &[u8]) -> bool {
    let pairs = || read.iter().zip(adapter).take(10);
    5 * pairs().filter(|(a, b)| a != b).count() <= pairs().count()
}

/// The kit one of whose adapters begins with `adapter`, or the other way round.
fn kit_of(adapter: &[u8]) -> Option<&'static str> {
    let begins_alike = |known: &str| {
        let len = known.len().min(adapter.len());
        known.as_bytes()[..len] == adapter[..len]
    };
    KITS.iter().find(|kit| kit.adapters.into_iter().any(begins_alike)).map(|kit| kit.name)
}

mod sequences;
#[cfg(test)]
mod tests;
