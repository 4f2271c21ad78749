//! Statistics of FASTQ: everything in one pass.
//!
//! [`Collector`] gathers counts, all of them integers, so that merging is exact and any number
//! of threads gives the same bytes. [`Summary`] derives what people read; [`report`] is the
//! JSON form that [`Collector`] can be read back from.

mod by_read;
mod lengths;
mod pairs;
mod positions;
mod read_quality;
pub mod report;
mod summary;

use biofast_fastq::{Batch, Error};
use biofast_io::pipeline::Fault;
use biofast_io::{Options, Source};
use biofast_kernels::{self as kernels, BaseCounts, GcCounts, PHRED_VALUES, ReadSummary};

pub use lengths::Lengths;
pub use pairs::PairCheck;
pub use positions::{Bin, EXACT_POSITIONS, Positions};
pub use summary::{Encoding, Percent, SequenceType, Summary};

/// Reads handed to the column kernels at once: a multiple of the 240 they take together.
pub(crate) const READS_AT_ONCE: usize = 960;

/// Counts over reads. Merging two collectors equals collecting both inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Collector {
    /// Number of reads.
    pub(crate) reads: u64,
    /// How often each byte occurs that is not one of `ACGTNacgtn`.
    pub(crate) other_bytes: [u64; 256],
    /// Read lengths.
    pub(crate) lengths: Lengths,
    /// Reads by GC percent, rounded to the nearest integer (halves up).
    pub(crate) gc: [u64; 101],
    /// Reads by Phred mean quality (of error probabilities), rounded down.
    pub(crate) mean_quality: [u64; PHRED_VALUES],
    /// Bases and qualities by position in the read.
    pub(crate) positions: Positions,
    pairs: Option<PairCheck>,
    /// What only FastQC's report needs.
    pub(crate) by_read: Option<Box<by_read::ByRead>>,
}

impl Default for Collector {
    fn default() -> Self {
        Collector {
            reads: 0,
            other_bytes: [0; 256],
            lengths: Lengths::default(),
            gc: [0; 101],
            mean_quality: [0; PHRED_VALUES],
            positions: Positions::default(),
            pairs: None,
            by_read: None,
        }
    }
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
        source: Source,
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
        self.positions.add(sequences, qualities);
        self.reads += sequences.len() as u64;
    }

    /// What is counted by read.
    fn accept_reads(&mut self, sequences: &[&[u8]], qualities: &[&[u8]]) {
        let mut summaries = [ReadSummary::default(); READS_AT_ONCE];
        kernels::summarize_reads(sequences, qualities, &mut summaries);
        let reads = sequences.iter().zip(qualities).zip(summaries);
        for ((sequence, quality), ReadSummary { counts, error_sum }) in reads {
            let len = sequence.len() as u64;
            self.lengths.add(len, 1);
            if counts.acgt < len {
                self.count_other_bytes(sequence, len - counts.acgt);
            }
            if let Some(percent) = gc_percent(&counts) {
                self.gc[percent] += 1;
            }
            if !quality.is_empty() {
                let phred = read_quality::mean_phred_floor(error_sum, len);
                self.mean_quality[usize::from(phred)] += 1;
            }
        }
    }

    /// Counts letters that aren't A, C, G, T or N one by one.
    fn count_other_bytes(&mut self, sequence: &[u8], not_acgt: u64) {
        if kernels::count_n(sequence) == not_acgt {
            return;
        }
        for &base in sequence {
            if !matches!(base, b'A' | b'C' | b'G' | b'T' | b'N' | b'a' | b'c' | b'g' | b't' | b'n')
            {
                self.other_bytes[usize::from(base)] += 1;
            }
        }
    }

    /// Adds what another collector counted.
    pub fn merge(&mut self, other: &Collector) {
        self.reads += other.reads;
        self.lengths.merge(&other.lengths);
        let pairs = [
            (&mut self.other_bytes[..], &other.other_bytes[..]),
            (&mut self.gc[..], &other.gc[..]),
            (&mut self.mean_quality[..], &other.mean_quality[..]),
        ];
        for (mine, theirs) in pairs {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
        self.positions.merge(&other.positions);
        if let (Some(mine), Some(theirs)) = (&mut self.pairs, &other.pairs) {
            mine.merge(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut self.by_read, &other.by_read) {
            mine.merge(theirs);
        }
    }

    /// Bases by class over all reads.
    pub(crate) fn bases(&self) -> BaseCounts {
        self.positions.base_counts()
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

/// (G+C) / (A+C+G+T) in percent, rounded to the nearest integer, halves up.
#[inline]
fn gc_percent(counts: &GcCounts) -> Option<usize> {
    let GcCounts { gc, acgt } = *counts;
    // Most reads are short enough for the faster division.
    let percent = match u32::try_from(acgt) {
        Ok(0) => return None,
        Ok(acgt) if acgt < 1 << 24 => u64::from((200 * gc as u32 + acgt) / (2 * acgt)),
        _ => (200 * gc + acgt) / (2 * acgt),
    };
    Some(percent as usize)
}
