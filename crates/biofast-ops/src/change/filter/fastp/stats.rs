//! What fastp's report says of a set of reads.

use std::sync::Arc;

use biofast_fastq::Record;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{AdapterCounts, FastpDuplicates, Frequent};
use crate::change::filter::read::{TrimCounts, TrimmedRead};
use crate::change::filter::statistics::rounded_share;
use crate::change::filter::trim::Trim;
use crate::measure::compat::FastpVersion;

/// Positions whose figures are told; what lies behind is in the totals.
const POSITIONS: usize = 1000;
/// A, T, C, G, N and others, in the order of the report.
const KINDS: usize = 6;
const BASES: [&str; 5] = ["A", "T", "C", "G", "N"];
/// Of the words that are counted.
const WORD: usize = Stats::WORD;

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
struct CycleCounts {
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
    /// `None` where it isn't said.
    q40: Option<u64>,
    gc: u64,
    positions: Vec<CycleCounts>,
    words: Box<[u64; 1 << (2 * WORD)]>,
    longest: usize,
    /// Sequences that are counted, and how often each came.
    frequent: Option<(Arc<Frequent>, Vec<u64>)>,
}

impl Default for Stats {
    fn default() -> Stats {
        Stats {
            reads: 0,
            bases: 0,
            q20: 0,
            q30: 0,
            q40: Some(0),
            gc: 0,
            positions: Vec::new(),
            words: Box::new([0; 1 << (2 * WORD)]),
            longest: 0,
            frequent: None,
        }
    }
}

impl Stats {
    /// Bases of the words that are counted.
    #[doc(hidden)]
    pub const WORD: usize = 5;

    /// How often each word comes; its number has two bits a base, the last base lowest.
    #[doc(hidden)]
    pub fn words(&self) -> &[u64] {
        &self.words[..]
    }

    /// The letters of the word of this number.
    #[doc(hidden)]
    pub fn letters(word: usize) -> String {
        (0..WORD).rev().map(|i| b"ATCG"[word >> (2 * i) & 3] as char).collect()
    }

    /// Counts how often these come, too.
    fn counting(frequent: Arc<Frequent>) -> Stats {
        let counts = vec![0; frequent.len()];
        Stats { frequent: Some((frequent, counts)), ..Stats::default() }
    }

    /// Adds a read.
    pub fn add(&mut self, record: &Record<'_>) {
        let (sequence, qualities) = (record.sequence(), record.qualities());
        self.reads += 1;
        self.bases += sequence.len() as u64;
        self.longest = self.longest.max(sequence.len());
        let told = sequence.len().min(POSITIONS);
        if self.positions.len() < told {
            self.positions.resize(told, CycleCounts::default());
        }
        let (mut q20, mut q30, mut q40, mut gc) = (0, 0, 0, 0);
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
            q40 += u64::from(quality >= b'!' + 40);
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
        self.q40 = self.q40.map(|all| all + q40);
        self.gc += gc;
        if let Some((frequent, counts)) = &mut self.frequent {
            frequent.count(sequence, counts);
        }
    }

    /// Adds the figures of another part.
    pub fn merge(&mut self, other: &Stats) {
        self.reads += other.reads;
        self.bases += other.bases;
        self.q20 += other.q20;
        self.q30 += other.q30;
        self.q40 = self.q40.zip(other.q40).map(|(mine, theirs)| mine + theirs);
        self.gc += other.gc;
        self.longest = self.longest.max(other.longest);
        if self.positions.len() < other.positions.len() {
            self.positions.resize(other.positions.len(), CycleCounts::default());
        }
        for (mine, theirs) in self.positions.iter_mut().zip(&other.positions) {
            mine.counts.iter_mut().zip(theirs.counts).for_each(|(a, b)| *a += b);
            mine.qualities.iter_mut().zip(theirs.qualities).for_each(|(a, b)| *a += b);
        }
        self.words.iter_mut().zip(other.words.iter()).for_each(|(a, b)| *a += b);
        if let (Some((_, mine)), Some((_, theirs))) = (&mut self.frequent, &other.frequent) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
    }

    /// As the report of a version has them: those of quality 40 since 1.0.
    pub(super) fn like(self, version: FastpVersion) -> Stats {
        let q40 = self.q40.filter(|_| version >= FastpVersion::V1_3);
        Stats { q40, ..self }
    }

    /// The length of the longest read.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Reads, bases, bases of quality 20 and of 30 and more, G and C.
    pub(super) fn totals(&self) -> [u64; 5] {
        [self.reads, self.bases, self.q20, self.q30, self.gc]
    }

    fn curve(&self, value: impl Fn(&CycleCounts, u64) -> f64) -> Vec<f64> {
        let each = |position: &CycleCounts| {
            let all: u64 = position.counts.iter().sum();
            value(position, all)
        };
        self.positions.iter().map(each).collect()
    }
}

/// Curves, or words, by their names.
pub(super) struct NamedValues<T>(pub(super) Vec<(String, T)>);

impl<T: Serialize> Serialize for NamedValues<T> {
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
            |position: &CycleCounts, all: u64| rounded_share(position.qualities.iter().sum(), all);
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
            let share = |p: &CycleCounts, all: u64| rounded_share(p.counts[kind], all);
            contents.push(((*name).into(), self.curve(share)));
        }
        let gc = |p: &CycleCounts, all: u64| rounded_share(p.counts[2] + p.counts[3], all);
        contents.push(("GC".into(), self.curve(gc)));
        let words =
            self.words.iter().enumerate().map(|(word, &n)| (Stats::letters(word), n)).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("total_reads", &self.reads)?;
        map.serialize_entry("total_bases", &self.bases)?;
        map.serialize_entry("q20_bases", &self.q20)?;
        map.serialize_entry("q30_bases", &self.q30)?;
        if let Some(q40) = &self.q40 {
            map.serialize_entry("q40_bases", q40)?;
        }
        map.serialize_entry("total_cycles", &self.longest)?;
        map.serialize_entry("quality_curves", &NamedValues(qualities))?;
        map.serialize_entry("content_curves", &NamedValues(contents))?;
        map.serialize_entry("kmer_count", &NamedValues(words))?;
        let frequent = match &self.frequent {
            Some((frequent, counts)) => frequent.listed(counts),
            None => Vec::new(),
        };
        map.serialize_entry("overrepresented_sequences", &NamedValues(frequent))?;
        map.end()
    }
}

/// A worker's counts for a [`FastpReport`](super::FastpReport).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FastpGatherer {
    /// What came in: first and second reads.
    pub before: [Stats; 2],
    /// What was kept: first and second reads.
    pub after: [Stats; 2],
    /// Merged pairs.
    pub merged: Stats,
    /// Copies among what came in.
    pub duplicates: FastpDuplicates,
    /// What adapters took, of first and second reads.
    pub adapters: [AdapterCounts; 2],
    /// Reads that lost a run of one base, and the bases, each by that base: A, T, C, G.
    pub poly_x: [[u64; 4]; 2],
}

impl FastpGatherer {
    /// Counts how often these come, too, of first and of second reads.
    pub(in crate::change::filter) fn counting(frequent: [Arc<Frequent>; 2]) -> FastpGatherer {
        let stats = || frequent.clone().map(Stats::counting);
        let merged = Stats::counting(Arc::clone(&frequent[0]));
        FastpGatherer { before: stats(), after: stats(), merged, ..FastpGatherer::default() }
    }

    /// Counts what a trimmer of this kind took of each mate; where it says itself what it cut as adapters, `said` has it and
    /// `counts` too, else they are counted here.
    pub(in crate::change::filter) fn trimmed<'a>(
        &mut self,
        kind: Trim,
        mates: impl Iterator<Item = Option<(TrimmedRead<'a>, TrimmedRead<'a>)>>,
        said: &[Vec<u8>; 2],
        counts: &mut TrimCounts,
    ) {
        let says = said.iter().any(|adapter| !adapter.is_empty());
        if says {
            self.adapters.iter_mut().zip(said).for_each(|(counts, adapter)| counts.add(adapter));
        }
        self.poly_x[0][0] += std::mem::take(&mut counts.runs_of_n);
        for (mate, reads) in mates.enumerate() {
            let Some((before, after)) = reads else { continue };
            let bases = before.sequence();
            let front = after.range().start - before.range().start;
            let cut = [&bases[..front], &bases[front + after.len()..]];
            let len = (cut[0].len() + cut[1].len()) as u64;
            match kind {
                _ if len == 0 => {}
                Trim::PolyX => {
                    let base = cut[1].first().copied().unwrap_or_default();
                    let base = usize::from(KIND_OF[usize::from(base)]);
                    for (counts, n) in self.poly_x.iter_mut().zip([1, len]) {
                        counts.get_mut(base).into_iter().for_each(|count| *count += n);
                    }
                }
                Trim::Adapter | Trim::AdapterByOverlap if !says => {
                    counts.adapters[0] += 1;
                    counts.adapters[1] += len;
                    cut.iter().for_each(|cut| self.adapters[mate.min(1)].add(cut));
                }
                _ => {}
            }
        }
    }

    /// Adds what another worker counted.
    pub fn merge(&mut self, other: &FastpGatherer) {
        self.before.iter_mut().zip(&other.before).for_each(|(a, b)| a.merge(b));
        self.after.iter_mut().zip(&other.after).for_each(|(a, b)| a.merge(b));
        self.merged.merge(&other.merged);
        self.duplicates.merge(&other.duplicates);
        self.adapters.iter_mut().zip(&other.adapters).for_each(|(a, b)| a.merge(b));
        let counts = self.poly_x.iter_mut().flatten().zip(other.poly_x.iter().flatten());
        counts.for_each(|(a, b)| *a += b);
    }
}
