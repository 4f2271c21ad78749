//! Statistics of FASTQ and FASTA: everything in one pass.
//!
//! [`Collector`] gathers counts, all of them integers, so that merging is exact and any number
//! of threads gives the same bytes. [`Summary`] derives what people read; [`report`] is the
//! JSON form that [`Collector`] can be read back from.

mod by_read;
mod composition;
mod lengths;
mod pairs;
mod positions;
mod qualities;
mod read_quality;
pub mod report;
mod statistic;
mod summary;

use biofast_fastq::{Batch, Error, Readable};
use biofast_io::Options;
use biofast_io::pipeline::Fault;
use biofast_kernels::{self as kernels, BaseCounts, ReadSummary};

use by_read::ByRead;
use statistic::{Counts, Read};

pub use lengths::Lengths;
pub use pairs::PairCheck;
pub use positions::{Bin, EXACT_POSITIONS, Positions};
pub use summary::{Encoding, Percent, SequenceType, Summary};

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
    pub(crate) counts: Counts,
    /// What the check of pairs needs, where it is wanted.
    pairs: Option<PairCheck>,
    /// What only FastQC's report needs.
    pub(crate) by_read: Option<Box<ByRead>>,
}

impl Collector {
    /// A collector of nothing.
    pub fn new() -> Self {
        Collector::default()
    }

    /// A collector that also gathers a [`PairCheck`].
    pub fn with_pair_check() -> Self {
        Collector { pairs: Some(PairCheck::default()), ..Collector::default() }
    }

    /// The same collector, which also gathers what a FastQC report needs.
    pub fn for_fastqc(self) -> Self {
        Collector { by_read: Some(Box::default()), ..self }
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
        biofast_fastq::par_fold(
            source,
            options,
            || Box::new(init()),
            |collector, batch| collector.accept(batch),
            |collector, other| collector.merge(&other),
        )
        .map(|collector| *collector)
    }

    /// Adds the reads of a batch.
    pub fn accept(&mut self, batch: Batch<'_>) {
        let mut records = batch.iter();
        let mut sequences: [&[u8]; READS_AT_ONCE] = [&[]; READS_AT_ONCE];
        let mut qualities: [&[u8]; READS_AT_ONCE] = [&[]; READS_AT_ONCE];
        while records.len() > 0 {
            let mut n = 0;
            for record in records.by_ref().take(READS_AT_ONCE) {
                sequences[n] = record.sequence();
                qualities[n] = record.qualities();
                n += 1;
            }
            self.add_reads(&mut sequences[..n], &mut qualities[..n]);
        }
        if let Some(pairs) = &mut self.pairs {
            pairs.accept(batch);
        }
    }

    /// Adds at most [`READS_AT_ONCE`] reads. Qualities are as long as the sequence, or empty where
    /// they are missing. The slices are used up.
    pub(crate) fn add_reads(&mut self, sequences: &mut [&[u8]], qualities: &mut [&[u8]]) {
        self.accept_reads(sequences, qualities);
        if let Some(by_read) = &mut self.by_read {
            by_read.add(sequences, qualities);
        }
        self.counts.positions.add_reads(sequences, qualities);
        self.reads += sequences.len() as u64;
    }

    /// What is counted by read.
    fn accept_reads(&mut self, sequences: &[&[u8]], qualities: &[&[u8]]) {
        let mut summaries = [ReadSummary::default(); READS_AT_ONCE];
        kernels::summarize_reads(sequences, qualities, &mut summaries);
        let reads = sequences.iter().zip(qualities).zip(&summaries);
        self.counts.add(reads.map(|((&sequence, &qualities), summary)| {
            let ReadSummary { counts, error_sum } = *summary;
            Read { sequence, qualities, counts, error_sum }
        }));
    }

    /// Adds what another collector counted.
    pub fn merge(&mut self, other: &Collector) {
        let Collector { reads, counts, pairs, by_read } = other;
        self.reads += reads;
        self.counts.merge(counts);
        if let (Some(mine), Some(theirs)) = (&mut self.pairs, pairs) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.by_read, by_read) {
            mine.merge(theirs);
        }
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
