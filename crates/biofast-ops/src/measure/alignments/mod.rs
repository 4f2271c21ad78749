//! Statistics of alignments: everything in one pass.
//!
//! Workers count on all threads; depths are those of [`coverage`](crate::measure::coverage), found in the order of the
//! file beside it. [`report`] is the JSON form. What the reads themselves
//! are like (lengths, qualities, composition by position) is counted as it is for FASTQ, in the
//! direction of sequencing, for first and last fragments apart.

pub(crate) mod along;
#[doc(hidden)]
pub mod basics;
mod beside;
mod counts;
pub(crate) mod depth;
pub(crate) mod figures;
pub(crate) mod in_order;
mod invalid;
pub mod join;
mod measure;
pub mod partial;
pub mod report;
pub(crate) mod runs;
pub(crate) mod waiting;

use std::io;
use std::ops::ControlFlow;

use biofast_bam::{Batch, Error, Fasta, Header, Record, flag};
use biofast_bam::{Fold, Query};
use biofast_io::Options;
use biofast_io::pipeline::Fault;

use crate::measure::coverage::{DepthKinds, DepthRules, Spans};
use crate::measure::picard::gc_bias::GcBias;
use crate::measure::samtools_stats::cycles::Cycles;
use crate::measure::{flagstat, idxstats, reads};
use along::AlongReads;
use basics::{Basics, ExaminedRecord, FRAGMENTS};
use beside::BesideReference;
use depth::{DepthHistogram, SortedDepth};
use figures::DuplicateTypes;
use partial::{PartKind, PartialAlignments};
use waiting::UnpackedReads;

pub use measure::StatisticsMeasure;

/// The statistics of one input of alignments.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::alignments::Statistics;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let statistics =
///     Statistics::collect(input.source, &options).map_err(|fault| fault.error)?;
/// assert_eq!(statistics.malformed_record(), None);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct Statistics {
    pub(crate) header: Header,
    pub(crate) counts: AlignmentCollector,
    /// None of unsorted records, and of regions.
    pub(crate) depths: Option<DepthHistogram>,
    pub(crate) partial: Option<PartialAlignments>,
    /// Of all records of a file, beside the reference.
    pub(crate) gc_bias: Option<GcBias>,
    reference_fault: Option<io::Error>,
}

/// What is counted without regard to order.
#[derive(Default)]
pub(crate) struct AlignmentCollector {
    pub(crate) flags: flagstat::FlagstatCollector,
    pub(crate) references: idxstats::IdxstatsCollector,
    pub(crate) basics: Basics,
    pub(crate) along: AlongReads,
    pub(crate) duplicate_types: DuplicateTypes,
    beside: Option<BesideReference>,
    /// Mapped primary records by mapping quality.
    pub(crate) mapping_qualities: MappingQualities,
    /// Primary reads by fragment; none before the first one, since a collector takes 1 MB.
    pub(crate) reads: [Option<Box<reads::Collector>>; FRAGMENTS],
    waiting: [UnpackedReads; FRAGMENTS],
}

/// Records by mapping quality.
pub(crate) struct MappingQualities(pub(crate) [u64; 256]);

impl Default for MappingQualities {
    fn default() -> Self {
        MappingQualities([0; 256])
    }
}

impl Statistics {
    /// Collects the records of `query`, or all of a source. Coverage is only given of all records.
    ///
    /// # Errors
    /// The first fault of the input, with the statistics of the records before it.
    pub fn collect(
        query: impl Into<Query>,
        options: &Options,
    ) -> Result<Statistics, Fault<Box<Statistics>, Error>> {
        Statistics::collect_part(query, options, None)
    }

    /// The same of what is a part, if `part` says so: its report has what [`AlignmentJoin`](join::AlignmentJoin) needs to give the coverage
    /// of the whole. All records of the query must be records of the source, since a part of a part has no order to keep.
    ///
    /// # Errors
    /// As [`Statistics::collect`].
    pub fn collect_part(
        query: impl Into<Query>,
        options: &Options,
        part: Option<PartKind>,
    ) -> Result<Statistics, Fault<Box<Statistics>, Error>> {
        Statistics::collect_counts(query.into(), options, part, None)
    }

    /// The same with mismatches by position, and with a reference also GC bias, for reports that show them.
    ///
    /// # Errors
    /// As [`Statistics::collect`].
    pub fn collect_with_mismatches(
        query: impl Into<Query>,
        options: &Options,
        part: Option<PartKind>,
        reference: Option<&Fasta>,
    ) -> Result<Statistics, Fault<Box<Statistics>, Error>> {
        Statistics::collect_counts(query.into(), options, part, Some(reference))
    }

    fn collect_counts(
        query: Query,
        options: &Options,
        part: Option<PartKind>,
        compares: Option<Option<&Fasta>>,
    ) -> Result<Statistics, Fault<Box<Statistics>, Error>> {
        let (header, query) = query.peek_header().map_err(|error| {
            let so_far =
                Statistics::new(Header::default(), AlignmentCollector::default(), (None, None));
            Fault { error, so_far: Box::new(so_far) }
        })?;
        let is_everything = query.is_everything();
        let rules = DepthRules::default();
        let mut depth = SortedDepth::new(&header, part);
        let reference = compares.flatten();
        let result = Fold::new(query).options(options).ordered(
            || AlignmentCollector::new(compares.is_some(), reference, is_everything),
            |counts: &mut AlignmentCollector, batch, spans: &mut Spans| {
                spans.set_lasting(part.is_some());
                counts.accept(batch, Some((spans, &rules)));
                let kinds = DepthKinds { each: false, once: true };
                spans.find_depths(kinds, batch.header().references());
            },
            AlignmentCollector::join,
            |spans| {
                depth.add(spans);
                spans.clear();
                ControlFlow::Continue(())
            },
        );
        let depths = depth.finish(options);
        match result {
            Ok((header, counts)) => {
                counts.basics.negative.warn(options);
                let depths = if is_everything { depths } else { (None, None) };
                Ok(Statistics::new(header, counts, depths).beside(reference, options))
            }
            Err(Fault { error, so_far: counts }) => {
                let so_far = Statistics::new(Header::default(), counts, depths);
                let so_far = Box::new(so_far);
                Err(Fault { error, so_far })
            }
        }
    }

    pub(crate) fn new(
        header: Header,
        mut counts: AlignmentCollector,
        (depths, partial): (Option<DepthHistogram>, Option<PartialAlignments>),
    ) -> Statistics {
        counts.settle();
        Statistics { header, counts, depths, partial, gc_bias: None, reference_fault: None }
    }

    /// The same with what was counted beside this reference.
    fn beside(mut self, reference: Option<&Fasta>, options: &Options) -> Statistics {
        if let Some((beside, fasta)) = self.counts.beside.take().zip(reference) {
            match beside.finish(&self.header, fasta, options.threads) {
                Ok(gc_bias) => self.gc_bias = gc_bias,
                Err(fault) => self.reference_fault = Some(fault),
            }
        }
        self
    }

    /// The same, unless the reference couldn't be read.
    fn whole_reference(mut self) -> io::Result<Statistics> {
        self.reference_fault.take().map_or(Ok(self), Err)
    }

    /// Why the reference couldn't be read: what is counted beside it is missing.
    pub fn reference_fault(&self) -> Option<&io::Error> {
        self.reference_fault.as_ref()
    }

    /// The number, from 1, of the first record whose optional fields can't be read: the sum of
    /// the mismatches lacks it, and the input is faulty.
    pub fn malformed_record(&self) -> Option<u64> {
        self.counts.basics.malformed.map(|record| record + 1)
    }
}

impl AlignmentCollector {
    /// With mismatches by position, or without; these beside a reference, if there is one, with GC bias or without.
    pub(crate) fn new(
        compares: bool,
        reference: Option<&Fasta>,
        gc_bias: bool,
    ) -> AlignmentCollector {
        AlignmentCollector {
            along: AlongReads::new(compares),
            beside: reference.map(|fasta| BesideReference::new(fasta.clone(), gc_bias)),
            ..AlignmentCollector::default()
        }
    }

    /// Counts the records of a batch, and leaves what the depth needs of them: records are looked at once, while they are
    /// near.
    pub(crate) fn accept(&mut self, batch: Batch<'_>, left: Option<(&mut Spans, &DepthRules)>) {
        self.prepare(batch);
        let mut left = left.map(|(spans, rules)| (spans, rules, batch.header().references()));
        for (number, record) in batch.numbered() {
            self.add(&record, number, None);
            if let Some((spans, rules, references)) = &mut left {
                spans.add_record(number, &record, references, rules, &mut []);
            }
        }
    }

    /// Makes room for the records of a batch.
    pub(crate) fn prepare(&mut self, batch: Batch<'_>) {
        self.references.prepare(batch);
        if let Some(beside) = &self.beside
            && !batch.is_empty()
        {
            beside.bind(batch.header());
        }
    }

    /// Counts a record of a batch that was [prepared](Self::prepare) for; `number` counts from 0. As [`Basics::add`]. Primary reads
    /// may be shared with those who count `cycles`, who then get all of them.
    #[inline(always)]
    pub(crate) fn add<'a>(
        &mut self,
        record: &Record<'a>,
        number: u64,
        cycles: Option<&mut Cycles>,
    ) -> Option<ExaminedRecord<'a>> {
        self.flags.add(record);
        self.references.add(record);
        let flags = record.flags();
        let mapped = flags & flag::UNMAPPED == 0;
        let original = flags & (flag::SECONDARY | flag::SUPPLEMENTARY) == 0;
        if mapped && original {
            self.mapping_qualities.0[usize::from(record.mapping_quality())] += 1;
        }
        if let Some(beside) = &mut self.beside {
            beside.add(record);
        }
        if original && flags & flag::DUPLICATE != 0 {
            self.duplicate_types.add(record);
        }
        let seen = self.basics.add(record, number)?;
        if original {
            self.along.add(record, &seen, self.beside.as_mut());
        }
        let is_shared =
            |cycles: &mut Cycles| cycles.push_shared(record, seen.fragment, &mut self.reads);
        if original && !cycles.is_some_and(is_shared) {
            let waiting = &mut self.waiting[seen.fragment as usize];
            waiting.push(record, true);
            if waiting.is_full() {
                count(waiting, &mut self.reads[seen.fragment as usize]);
            }
        }
        Some(seen)
    }

    /// Adds what is counted by cycle of the reads it shared.
    pub(crate) fn add_cycles(&mut self, cycles: &Cycles) {
        cycles.add_to(&mut self.reads);
    }

    /// Adds what another one counted, and what waits in both.
    pub(crate) fn join(&mut self, mut other: AlignmentCollector) {
        self.settle();
        other.settle();
        if let (Some(mine), Some(theirs)) = (&mut self.beside, other.beside.take()) {
            mine.merge(theirs);
        }
        self.merge(&other);
    }

    /// Counts what waits.
    fn settle(&mut self) {
        for (waiting, reads) in self.waiting.iter_mut().zip(&mut self.reads) {
            count(waiting, reads);
        }
    }

    /// Adds another one's counts; both must be settled.
    fn merge(&mut self, other: &AlignmentCollector) {
        let AlignmentCollector {
            flags,
            references,
            basics,
            along,
            duplicate_types,
            beside: _,
            mapping_qualities,
            reads,
            waiting: _,
        } = other;
        self.flags.merge(flags);
        self.references.merge(references);
        self.basics.merge(basics);
        self.along.merge(along);
        self.duplicate_types.merge(duplicate_types);
        basics::add_all(&mut self.mapping_qualities.0, &mapping_qualities.0);
        for (mine, theirs) in self.reads.iter_mut().zip(reads) {
            if let Some(theirs) = theirs {
                mine.get_or_insert_default().merge(theirs);
            }
        }
    }
}

fn count(waiting: &mut UnpackedReads, reads: &mut Option<Box<reads::Collector>>) {
    waiting.take(|bases, qualities, origins| {
        reads.get_or_insert_default().add_reads(bases, qualities, origins);
    });
}
