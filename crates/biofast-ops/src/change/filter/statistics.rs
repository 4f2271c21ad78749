//! Full statistics of the reads that come in and of those kept, gathered in the pass that filters.

use biofast_fastq::Record;
use serde::Serialize;

use crate::measure::reads::report::{Position, Statistics as Figures, rounded};
use crate::measure::reads::{
    AdapterContent, AdapterCounter, Collector, EXACT_POSITIONS, READS_AT_ONCE,
};
use crate::measure::records::Amount;

/// Statistics before and after, of first reads (or reads without mates) and of second reads.
#[derive(Debug, Default)]
pub struct FilterStatistics {
    before: [ReadGatherer; 2],
    after: [ReadGatherer; 2],
}

impl FilterStatistics {
    /// Statistics that also have adapters by position, if they are wanted.
    pub(super) fn new(with_adapters: bool) -> FilterStatistics {
        let gatherer = || ReadGatherer {
            adapters: with_adapters.then(AdapterCounter::default),
            ..ReadGatherer::default()
        };
        FilterStatistics { before: [gatherer(), gatherer()], after: [gatherer(), gatherer()] }
    }

    /// Adapters by position before and after, of first and of second reads, if they were gathered.
    pub fn adapters(&self, mate: usize) -> Option<[AdapterContent; 2]> {
        let of = |gatherer: &ReadGatherer| gatherer.adapters.as_ref().map(AdapterCounter::content);
        Some([of(&self.before[mate])?, of(&self.after[mate])?])
    }

    /// Adds a read that came in.
    pub(super) fn came_in(&mut self, mate: usize, record: &Record<'_>) {
        self.before[mate].add(record);
    }

    /// Adds a read that is kept, as trimmed.
    pub(super) fn kept(&mut self, mate: usize, record: &Record<'_>) {
        self.after[mate].add(record);
    }

    /// Adds the statistics of another part.
    pub(super) fn merge(&mut self, other: &mut FilterStatistics) {
        for mate in 0..2 {
            self.before[mate].merge(&mut other.before[mate]);
            self.after[mate].merge(&mut other.after[mate]);
        }
    }

    /// What came in: first and second reads.
    pub fn before(&mut self) -> [&Collector; 2] {
        self.before.each_mut().map(ReadGatherer::collector)
    }

    /// What was kept: first and second reads.
    pub fn after(&mut self) -> [&Collector; 2] {
        self.after.each_mut().map(ReadGatherer::collector)
    }
}

/// Copies reads until there are enough for the column kernels, which take many at once.
#[derive(Debug, Default)]
struct ReadGatherer {
    collector: Box<Collector>,
    /// Adapters by position, if they are looked for.
    adapters: Option<AdapterCounter>,
    /// Sequence and qualities of each read, one after the other.
    text: Vec<u8>,
    lens: Vec<usize>,
}

/// Text after which reads are counted, however few: long reads would take memory otherwise.
const TEXT: usize = 512 << 10;

impl ReadGatherer {
    fn add(&mut self, record: &Record<'_>) {
        self.text.extend_from_slice(record.sequence());
        self.text.extend_from_slice(record.qualities());
        self.lens.push(record.sequence().len());
        if let Some(adapters) = &mut self.adapters {
            adapters.count(record.sequence());
        }
        if self.lens.len() == READS_AT_ONCE || self.text.len() >= TEXT {
            self.count();
        }
    }

    fn count(&mut self) {
        let mut sequences: [&[u8]; READS_AT_ONCE] = [&[]; READS_AT_ONCE];
        let mut qualities: [&[u8]; READS_AT_ONCE] = [&[]; READS_AT_ONCE];
        let mut rest = &self.text[..];
        let reads = self.lens.len();
        for ((sequence, quality), &len) in sequences.iter_mut().zip(&mut qualities).zip(&self.lens)
        {
            (*sequence, rest) = rest.split_at(len);
            (*quality, rest) = rest.split_at(len);
        }
        self.collector.add_reads(&mut sequences[..reads], &mut qualities[..reads], &[]);
        self.text.clear();
        self.lens.clear();
    }

    fn collector(&mut self) -> &Collector {
        self.count();
        &self.collector
    }

    fn merge(&mut self, other: &mut ReadGatherer) {
        self.collector.merge(other.collector());
        if let (Some(mine), Some(theirs)) = (&mut self.adapters, &other.adapters) {
            mine.add_counts(theirs);
        }
    }
}

/// Everything about one set of reads, as `biofast stats --json` has it, and the part of it for
/// which fastp has names, so that what reads the one reads the other.
#[derive(Clone, Debug, Serialize)]
pub struct StatisticsBlock {
    #[doc(hidden)]
    pub total_reads: u64,
    #[doc(hidden)]
    pub total_bases: u64,
    q20_bases: u64,
    q30_bases: u64,
    /// The length of the longest read.
    total_cycles: u64,
    quality_curves: QualityCurves,
    content_curves: ContentCurves,
    /// All figures.
    #[doc(hidden)]
    pub statistics: Figures,
}

/// The arithmetic mean of Phred values at each of the first 1,000 positions.
#[derive(Clone, Debug, Serialize)]
struct QualityCurves {
    mean: Vec<f64>,
}

/// Shares, between 0 and 1, of all bases at each of the first 1,000 positions.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "UPPERCASE")]
struct ContentCurves {
    a: Vec<f64>,
    t: Vec<f64>,
    c: Vec<f64>,
    g: Vec<f64>,
    n: Vec<f64>,
    gc: Vec<f64>,
}

/// A share as it is told.
pub(super) fn rounded_share(part: u64, whole: u64) -> f64 {
    rounded(part as f64 / whole.max(1) as f64)
}

fn arithmetic_mean(position: &Position) -> f64 {
    let sum: u64 = position.qualities.iter().map(|&(phred, n)| u64::from(phred) * n).sum();
    let all: u64 = position.qualities.iter().map(|&(_, n)| n).sum();
    rounded(sum as f64 / all.max(1) as f64)
}

impl StatisticsBlock {
    #[doc(hidden)]
    pub fn new(collector: &Collector, amount: &Amount) -> StatisticsBlock {
        let statistics = collector.counts.report(&collector.summary());
        let mut content = ContentCurves::default();
        let mut mean = Vec::new();
        for position in statistics.positions.iter().take(EXACT_POSITIONS) {
            let [a, c, g, t, n, _] = position.bases;
            let all: u64 = position.bases.iter().sum();
            let share = |part: u64| rounded(part as f64 / all.max(1) as f64);
            content.a.push(share(a));
            content.t.push(share(t));
            content.c.push(share(c));
            content.g.push(share(g));
            content.n.push(share(n));
            content.gc.push(share(g + c));
            mean.push(arithmetic_mean(position));
        }
        StatisticsBlock {
            total_reads: amount.reads,
            total_bases: amount.bases,
            q20_bases: amount.q20,
            q30_bases: amount.q30,
            total_cycles: statistics.length.max,
            quality_curves: QualityCurves { mean },
            content_curves: content,
            statistics,
        }
    }
}
