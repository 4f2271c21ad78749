//! Counts of reads: each thread has its own, and they are added up.

use std::ops::ControlFlow;

use biofast_fastq::pair::MateNaming;
use biofast_fastq::{Batch, Error, Readable};
use biofast_io::Options;
use biofast_io::pipeline::Fault;
use biofast_kernels::{self as kernels, BaseCounts, ReadSummary};

use super::contaminants::Contaminants;
use super::duplication::Duplication;
use super::encoding::Encoding;
use super::measured::MeasuredRead;
use super::pairs::PairCheck;
use super::qc::{LeftOfSearches, Qc, Searches};
use super::statistic::long_reads::{LONG, ReadOrigin};
use super::statistic::{Counts, Statistics};
use super::summary::{
    Percent, Summary, arithmetic_mean, mean_quality, quality_range, sequence_type,
};

/// Reads handed to the column kernels at once: a multiple of the 240 they take together.
pub(crate) const READS_AT_ONCE: usize = 960;

/// Counts over reads. Merging two collectors equals collecting both inputs.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::measure::reads::Collector;
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\n55\n"[..]);
/// let collector = Collector::collect(source, &Options::default(), Collector::new)
///     .map_err(|fault| fault.error)?;
/// let summary = collector.summary();
/// assert_eq!((collector.reads(), summary.bases, summary.max_len), (2, 6, 4));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collector {
    /// Number of reads.
    pub(crate) reads: u64,
    /// Every statistic that is reported.
    #[doc(hidden)]
    pub counts: Counts,
    /// What the check of pairs needs, where it is wanted.
    pub(super) pairs: Option<PairCheck>,
    /// What is gathered only where it is asked for.
    #[doc(hidden)]
    pub qc: Option<Box<Qc>>,
}

impl Collector {
    /// A collector of nothing.
    pub fn new() -> Self {
        Collector::default()
    }

    /// A collector that also gathers a [`PairCheck`].
    pub fn with_pair_check() -> Self {
        Collector::with_pair_check_by(MateNaming::Strict)
    }

    /// The same for pairs by this rule.
    pub fn with_pair_check_by(rule: MateNaming) -> Self {
        Collector { pairs: Some(PairCheck::new(rule)), ..Collector::default() }
    }

    /// Also gathers what a FastQC report needs: how often sequences occur, adapters by position and qualities by tile.
    /// This takes some 11 MB, or 24 MB with reads of 51 to 75 bases, and for each worker 0.8 to 3 MB and 16 bytes a tile and position.
    #[doc(hidden)]
    pub fn for_fastqc(self) -> Self {
        let searches = Some(Box::default());
        Collector { qc: Some(Box::new(Qc { searches, ..Qc::default() })), ..self }
    }

    /// Whether it gathers, or was read back with, [FastQC's counts](Self::for_fastqc).
    #[doc(hidden)]
    pub fn is_for_fastqc(&self) -> bool {
        self.searches().is_some()
    }

    /// Whether [what FastQC counts](Self::for_fastqc) of several files was merged, so that how often sequences occur isn't known.
    #[doc(hidden)]
    pub fn has_mixed_duplicates(&self) -> bool {
        self.searches().is_some_and(|searches| searches.duplication.is_mixed())
    }

    fn searches(&self) -> Option<&Searches> {
        self.qc.as_ref()?.searches.as_deref()
    }

    /// Collects all reads of `source` on `options.threads` threads, starting from `init`.
    ///
    /// # Errors
    /// The first fault of the input, with the statistics of the reads before it.
    pub fn collect(
        source: impl Readable,
        options: &Options,
        init: impl Fn() -> Collector + Sync,
    ) -> Result<Collector, Fault<Box<Collector>, Error>> {
        // Workers share what they have seen.
        let first = init();
        let start = || Box::new(first.clone());
        let join = |collector: &mut Box<Collector>, other: Box<Collector>| collector.merge(&other);
        let Some(searches) = first.searches() else {
            let accept = |collector: &mut Box<Collector>, batch: Batch<'_>| collector.accept(batch);
            return biofast_fastq::Fold::new(source)
                .options(options)
                .run(start, accept, join)
                .map(|collector| *collector);
        };
        biofast_fastq::Fold::new(source)
            .options(options)
            .ordered(
                start,
                |collector, batch, left: &mut LeftOfSearches| {
                    collector.accept(batch);
                    if let Some(searches) =
                        collector.qc.as_mut().and_then(|qc| qc.searches.as_mut())
                    {
                        searches.accept(batch, left);
                    }
                },
                join,
                |left| {
                    searches.settle(left);
                    ControlFlow::Continue(())
                },
            )
            .map(|collector| *collector)
    }

    /// Adds the reads of a batch; not to what FastQC looks for in them, which depends on their order and is gathered by
    /// [`collect`](Self::collect).
    pub fn accept(&mut self, batch: Batch<'_>) {
        let mut records = batch.iter();
        let mut origins = Vec::new();
        let mut sequences: [&[u8]; READS_AT_ONCE] = [&[]; READS_AT_ONCE];
        let mut qualities: [&[u8]; READS_AT_ONCE] = [&[]; READS_AT_ONCE];
        while records.len() > 0 {
            let mut n = 0;
            origins.clear();
            for record in records.by_ref().take(READS_AT_ONCE) {
                sequences[n] = record.sequence();
                qualities[n] = record.qualities();
                if record.sequence().len() >= LONG
                    && let Some(origin) = ReadOrigin::of_description(record.description())
                {
                    origins.push((n, origin));
                }
                n += 1;
            }
            self.add_reads(&mut sequences[..n], &mut qualities[..n], &origins);
        }
        if let Some(pairs) = &mut self.pairs {
            pairs.accept(batch);
        }
    }

    /// Adds at most [`READS_AT_ONCE`] reads. Qualities are as long as the sequence, or empty where
    /// they are missing. `origins` are those that are known, by the number of the read. The slices are used up.
    pub(crate) fn add_reads(
        &mut self,
        sequences: &mut [&[u8]],
        qualities: &mut [&[u8]],
        origins: &[(usize, ReadOrigin)],
    ) {
        self.accept_reads(sequences, qualities, origins);
        if let Some(qc) = &mut self.qc {
            qc.by_read.add(sequences, qualities);
        }
        self.counts.positions.add_reads(sequences, qualities);
        self.reads += sequences.len() as u64;
    }

    /// The same without what is at each position, which [`add_cycles`](Self::add_cycles) adds of all reads together.
    pub(crate) fn add_reads_without_cycles(
        &mut self,
        sequences: &[&[u8]],
        qualities: &[&[u8]],
        origins: &[(usize, ReadOrigin)],
    ) {
        self.accept_reads(sequences, qualities, origins);
        self.reads += sequences.len() as u64;
    }

    /// Adds what reads have at each position, from the first one on.
    pub(crate) fn add_cycles(
        &mut self,
        cycles: impl Iterator<Item = (BaseCounts, [u64; kernels::PHRED_VALUES])>,
    ) {
        self.counts.positions.add_cycles(cycles);
    }

    /// What is counted by read.
    fn accept_reads(
        &mut self,
        sequences: &[&[u8]],
        qualities: &[&[u8]],
        origins: &[(usize, ReadOrigin)],
    ) {
        let mut summaries = [ReadSummary::default(); READS_AT_ONCE];
        kernels::summarize_reads(sequences, qualities, &mut summaries);
        let reads = sequences.iter().zip(qualities).zip(&summaries);
        let reads = reads.map(|((&sequence, &qualities), summary)| {
            let ReadSummary { counts, error_sum } = *summary;
            MeasuredRead { sequence, qualities, counts, error_sum }
        });
        self.counts.add(reads.clone());
        self.counts.long_reads.add_reads(reads, origins);
    }

    /// Adds what another collector counted.
    pub fn merge(&mut self, other: &Collector) {
        let Collector { reads, counts, pairs, qc } = other;
        match (&mut self.qc, qc) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            // Of a part of the reads it would be taken for that of all.
            (mine, _) => *mine = None,
        }
        self.reads += reads;
        self.counts.merge(counts);
        if let (Some(mine), Some(theirs)) = (&mut self.pairs, pairs) {
            mine.merge(theirs);
        }
    }

    /// Finds once how often sequences occur, for several reports of this collector. It counts no reads any more, and merged with
    /// others it doesn't know how often sequences occur.
    #[doc(hidden)]
    pub fn finish_duplicates(&mut self, contaminants: &Contaminants) {
        if let Some(searches) = self.qc.as_mut().and_then(|qc| qc.searches.as_mut()) {
            searches.duplication.finish(contaminants);
        }
    }

    /// How often sequences occur, with those of `contaminants` they may be of, if it was [gathered](Self::for_fastqc) of one file.
    #[doc(hidden)]
    pub fn duplication(&self, contaminants: &Contaminants) -> Option<Duplication> {
        self.searches()?.duplication.found(contaminants)
    }

    /// The report of the counts. Overrepresented sequences are compared with these contaminants.
    #[doc(hidden)]
    pub fn statistics(&self, contaminants: &Contaminants) -> Statistics {
        let qc = self.qc.as_ref().map(|qc| Box::new(qc.section(contaminants)));
        Statistics { qc, ..self.counts.report(&self.summary()) }
    }

    /// Bases by class over all reads.
    pub(crate) fn bases(&self) -> BaseCounts {
        self.counts.positions.base_counts()
    }

    /// The number of reads.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// What the check of pairs needs, if it was [gathered](Self::with_pair_check).
    pub fn pair_check(&self) -> Option<PairCheck> {
        self.pairs
    }

    /// What people read.
    pub fn summary(&self) -> Summary {
        Summary::of(self)
    }
}

impl Summary {
    pub(crate) fn of(c: &Collector) -> Summary {
        let counts = c.bases();
        let bases = counts.total();
        let qualities = c.counts.positions.quality_histogram();
        let at_least = |phred: usize| qualities[phred..].iter().sum::<u64>();
        let range = quality_range(&qualities);
        let others = &c.counts.composition.others;
        Summary {
            reads: c.reads,
            bases,
            min_len: c.counts.length.min(),
            max_len: c.counts.length.max(),
            mean_len_tenths: (20 * bases + c.reads).checked_div(2 * c.reads).unwrap_or(0),
            quartiles: c.counts.length.quartiles(),
            n50: c.counts.length.nx(50),
            n90: c.counts.length.nx(90),
            counts,
            gaps: others[usize::from(b'-')] + others[usize::from(b'.')],
            gc: Percent::of(counts.gc(), counts.acgt()),
            gc_of_all: Percent::of(counts.gc(), bases),
            n: Percent::of(counts.n, bases),
            q20: Percent::of(at_least(20), at_least(0)),
            q30: Percent::of(at_least(30), at_least(0)),
            mean_quality: mean_quality(&qualities),
            arithmetic_mean_quality: arithmetic_mean(&qualities),
            quality_range: range,
            qualities,
            sequence_type: sequence_type(others, &counts),
            encoding: Encoding::guess(&qualities, c.reads, c.counts.quality.phred64),
        }
    }
}
