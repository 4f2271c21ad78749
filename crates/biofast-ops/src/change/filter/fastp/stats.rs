//! What fastp's report says of a set of reads.

use biofast_fastq::Record;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Duplicates;
use crate::change::filter::statistics::rounded_share;

/// Positions whose figures are told; what lies behind is in the totals.
const POSITIONS: usize = 1000;
/// A, T, C, G, N and others, in the order of the report.
const KINDS: usize = 6;
const BASES: [&str; 5] = ["A", "T", "C", "G", "N"];
/// Of the words that are counted.
const WORD: usize = 5;

/// Which of the kinds a letter is.
const KIND_OF: [u8; 256] = {
    let mut table = [5; 256];
    let letters = [(b'A', 0), (b'T', 1), (b'C', 2), (b'G', 3), (b'N', 4)];
    let mut i = 0;
    while i < letters.len() {
        table[letters[i].0 as usize] = letters[i].1;
        table[letters[i].0.to_ascii_lowercase() as usize] = letters[i].1;
        i += 1;
    }
    table
};

/// Figures of one position: bases by kind, and the sums of their qualities.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    counts: [u64; KINDS],
    qualities: [u64; KINDS],
}

/// What stands in fastp's report of a set of reads: totals, curves of quality and content by position, and how often each word of five
/// bases comes.
#[derive(Clone, Debug)]
pub struct Stats {
    reads: u64,
    bases: u64,
    q20: u64,
    q30: u64,
    gc: u64,
    positions: Vec<Position>,
    words: Box<[u64; 1 << (2 * WORD)]>,
    longest: usize,
}

impl Default for Stats {
    fn default() -> Stats {
        Stats {
            reads: 0,
            bases: 0,
            q20: 0,
            q30: 0,
            gc: 0,
            positions: Vec::new(),
            words: Box::new([0; 1 << (2 * WORD)]),
            longest: 0,
        }
    }
}

impl Stats {
    /// Adds a read.
    pub fn add(&mut self, record: &Record<'_>) {
        let (sequence, qualities) = (record.sequence(), record.qualities());
        self.reads += 1;
        self.bases += sequence.len() as u64;
        self.longest = self.longest.max(sequence.len());
        let told = sequence.len().min(POSITIONS);
        if self.positions.len() < told {
            self.positions.resize(told, Position::default());
        }
        let (mut q20, mut q30, mut gc) = (0, 0, 0);
        for (position, (&base, &quality)) in
            self.positions.iter_mut().zip(sequence.iter().zip(qualities))
        {
            let kind = usize::from(KIND_OF[usize::from(base)]);
            position.counts[kind] += 1;
            position.qualities[kind] += u64::from(quality.saturating_sub(b'!'));
        }
        for &quality in qualities {
            q20 += u64::from(quality >= b'!' + 20);
            q30 += u64::from(quality >= b'!' + 30);
        }
        let (mut word, mut known) = (0, 0);
        for &base in sequence {
            let kind = usize::from(KIND_OF[usize::from(base)]);
            gc += u64::from(kind == 2 || kind == 3);
            word = (word << 2 | kind & 3) & ((1 << (2 * WORD)) - 1);
            known = if kind < 4 { known + 1 } else { 0 };
            if known >= WORD {
                self.words[word] += 1;
            }
        }
        self.q20 += q20;
        self.q30 += q30;
        self.gc += gc;
    }

    /// Adds the figures of another part.
    pub fn merge(&mut self, other: &Stats) {
        self.reads += other.reads;
        self.bases += other.bases;
        self.q20 += other.q20;
        self.q30 += other.q30;
        self.gc += other.gc;
        self.longest = self.longest.max(other.longest);
        if self.positions.len() < other.positions.len() {
            self.positions.resize(other.positions.len(), Position::default());
        }
        for (mine, theirs) in self.positions.iter_mut().zip(&other.positions) {
            mine.counts.iter_mut().zip(theirs.counts).for_each(|(a, b)| *a += b);
            mine.qualities.iter_mut().zip(theirs.qualities).for_each(|(a, b)| *a += b);
        }
        self.words.iter_mut().zip(other.words.iter()).for_each(|(a, b)| *a += b);
    }

    /// The length of the longest read.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Reads, bases, bases of quality 20 and of 30 and more, G and C.
    pub(super) fn totals(&self) -> [u64; 5] {
        [self.reads, self.bases, self.q20, self.q30, self.gc]
    }

    fn curve(&self, value: impl Fn(&Position, u64) -> f64) -> Vec<f64> {
        let each = |position: &Position| {
            let all: u64 = position.counts.iter().sum();
            value(position, all)
        };
        self.positions.iter().map(each).collect()
    }
}

/// Curves, or words, by their names.
struct Named<T>(Vec<(String, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Stats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mean =
            |position: &Position, all: u64| rounded_share(position.qualities.iter().sum(), all);
        let mut qualities: Vec<(String, Vec<f64>)> = Vec::new();
        for (kind, name) in BASES.iter().enumerate().take(4) {
            let curve = self.curve(|position, all| match position.counts[kind] {
                0 => mean(position, all),
                n => rounded_share(position.qualities[kind], n),
            });
            qualities.push(((*name).into(), curve));
        }
        qualities.push(("mean".into(), self.curve(mean)));
        let mut contents: Vec<(String, Vec<f64>)> = Vec::new();
        for (kind, name) in BASES.iter().enumerate() {
            let share = |p: &Position, all: u64| rounded_share(p.counts[kind], all);
            contents.push(((*name).into(), self.curve(share)));
        }
        let gc = |p: &Position, all: u64| rounded_share(p.counts[2] + p.counts[3], all);
        contents.push(("GC".into(), self.curve(gc)));
        let letters = |word: usize| -> String {
            (0..WORD).rev().map(|i| b"ATCG"[word >> (2 * i) & 3] as char).collect()
        };
        let words = self.words.iter().enumerate().map(|(word, &n)| (letters(word), n)).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("total_reads", &self.reads)?;
        map.serialize_entry("total_bases", &self.bases)?;
        map.serialize_entry("q20_bases", &self.q20)?;
        map.serialize_entry("q30_bases", &self.q30)?;
        map.serialize_entry("total_cycles", &self.longest)?;
        map.serialize_entry("quality_curves", &Named(qualities))?;
        map.serialize_entry("content_curves", &Named(contents))?;
        map.serialize_entry("kmer_count", &Named(words))?;
        map.end()
    }
}

/// What a worker counts for a [`Report`](super::Report).
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::Filter;
///
/// let filter = Filter::new().gather_for_fastp();
/// let mut worker = filter.worker();
/// let first = Record::new(b"r", b"ACGTACGT", b"IIIIIIII");
/// worker.apply(Unit { index: 0, first, second: None }, &mut [Vec::new()]);
/// let gathered = worker.take_for_fastp().ok_or("nothing was gathered")?;
/// assert_eq!((gathered.before[0].longest(), gathered.duplicates.rate()), (8, 0.0));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gatherer {
    /// What came in: first and second reads.
    pub before: [Stats; 2],
    /// What was kept: first and second reads.
    pub after: [Stats; 2],
    /// Merged pairs.
    pub merged: Stats,
    /// Copies among what came in.
    pub duplicates: Duplicates,
}

impl Gatherer {
    /// Adds what another worker counted.
    pub fn merge(&mut self, other: &Gatherer) {
        self.before.iter_mut().zip(&other.before).for_each(|(a, b)| a.merge(b));
        self.after.iter_mut().zip(&other.after).for_each(|(a, b)| a.merge(b));
        self.merged.merge(&other.merged);
        self.duplicates.merge(&other.duplicates);
    }
}
