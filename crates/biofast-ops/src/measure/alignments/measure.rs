//! biofast's own statistics and what `samtools stats` says: together, as a record is looked at once for both, and its bases and
//! qualities are counted by cycle once.

use std::any::TypeId;

use biofast_bam::{Batch, Fasta, Header};

use super::depth::SortedDepth;
use super::partial::PartKind;
use super::{AlignmentCollector, Statistics};
use crate::measure::compat::SamtoolsVersion;
use crate::measure::coverage::{DepthRules, SpanRules, Spans};
use crate::measure::flagstat::FlagstatCollector;
use crate::measure::idxstats::IdxstatsCollector;
use crate::measure::qc::{Failure, Finished, Flow, Measure, Ordered, ReadingEnd};
use crate::measure::samtools_stats::{
    SamtoolsChunk, SamtoolsCounts, SamtoolsOrdered, SamtoolsStats,
};

/// Finds [`Statistics`] and [`SamtoolsStats`], or one of these. Counts by flag and by reference are among the former, and are
/// found, too, if they are listed.
#[derive(Default)]
pub struct StatisticsMeasure {
    /// biofast's own.
    pub own: bool,
    /// With mismatches by position, beside the reference if there is one.
    pub mismatches: bool,
    /// What these are a part of, if they are to be [joined](super::join).
    pub part: Option<PartKind>,
    /// With GC bias, if there is a reference and nobody else counts it.
    pub gc_bias: bool,
    /// What `samtools stats` of this version says.
    pub samtools: Option<SamtoolsVersion>,
    /// For mismatches and GC bias.
    pub reference: Option<Fasta>,
}

impl StatisticsMeasure {
    /// biofast's own, of a whole or of a part.
    pub fn own(part: Option<PartKind>) -> StatisticsMeasure {
        StatisticsMeasure { own: true, part, ..StatisticsMeasure::default() }
    }

    /// What own statistics are counted beside.
    fn beside(&self) -> Option<&Fasta> {
        self.reference.as_ref().filter(|_| self.mismatches)
    }

    /// Those of `samtools stats`.
    pub fn samtools(version: SamtoolsVersion, reference: Option<Fasta>) -> StatisticsMeasure {
        StatisticsMeasure { samtools: Some(version), reference, ..StatisticsMeasure::default() }
    }
}

/// What a thread counts.
pub struct StatisticsCounts {
    own: Option<AlignmentCollector>,
    /// Without [`Basics`](super::basics::Basics), if there are own statistics.
    samtools: Option<SamtoolsCounts>,
}

/// What is made of records in order.
pub struct StatisticsOrdered {
    own: Option<SortedDepth>,
    samtools: Option<SamtoolsOrdered>,
}

impl Measure for StatisticsMeasure {
    type Counts = StatisticsCounts;
    type Ordered = StatisticsOrdered;

    fn gives(&self) -> Vec<TypeId> {
        let own = [
            TypeId::of::<Statistics>(),
            TypeId::of::<FlagstatCollector>(),
            TypeId::of::<IdxstatsCollector>(),
        ];
        let own = own.into_iter().filter(|_| self.own);
        own.chain(self.samtools.map(|_| TypeId::of::<SamtoolsStats>())).collect()
    }

    fn spans(&self) -> Option<SpanRules> {
        let (rules, is_part) = (DepthRules::default(), self.part.is_some());
        self.own.then_some(SpanRules { rules, is_part })
    }

    fn start(&self) -> StatisticsCounts {
        StatisticsCounts {
            own: self
                .own
                .then(|| AlignmentCollector::new(self.mismatches, self.beside(), self.gc_bias)),
            samtools: self
                .samtools
                .map(|version| SamtoolsCounts::new(version, self.reference.as_ref())),
        }
    }

    fn begin(&mut self, header: &Header, _: usize) -> StatisticsOrdered {
        StatisticsOrdered {
            own: self.own.then(|| SortedDepth::new(header, self.part)),
            samtools: self
                .samtools
                .map(|version| SamtoolsOrdered::new(version, self.reference.as_ref())),
        }
    }

    fn accept(&self, counts: &mut StatisticsCounts, batch: Batch<'_>, left: &mut SamtoolsChunk) {
        match (&mut counts.own, &mut counts.samtools) {
            (Some(own), Some(samtools)) => accept_both(own, samtools, batch, left),
            (Some(own), None) => own.accept(batch, None),
            (None, Some(samtools)) => samtools.accept(batch, left),
            (None, None) => {}
        }
    }

    fn merge(&self, mine: &mut StatisticsCounts, mut theirs: StatisticsCounts) {
        mine.settle();
        theirs.settle();
        if let (Some(mine), Some(theirs)) = (&mut mine.own, theirs.own) {
            mine.join(theirs);
        }
        if let (Some(mine), Some(theirs)) = (&mut mine.samtools, theirs.samtools) {
            mine.join(theirs);
        }
    }

    fn finish(
        &self,
        mut counts: StatisticsCounts,
        ordered: StatisticsOrdered,
        end: &mut ReadingEnd<'_>,
    ) -> Finished {
        counts.settle();
        let StatisticsCounts { mut own, mut samtools } = counts;
        if let Some(own) = &mut own {
            if let Some(samtools) = &mut samtools {
                own.add_cycles(&samtools.cycles);
                samtools.basics = own.basics.clone();
            }
            own.basics.negative.warn(end.options);
        }
        let depths = ordered.own.map(|depth| depth.finish(end.options));
        let depths = depths.filter(|_| end.is_everything).unwrap_or_default();
        let own = own.map(|own| {
            Statistics::new(end.header.clone(), own, depths).beside(self.beside(), end.options)
        });
        let own = own.map(Statistics::whole_reference).transpose().map_err(Failure::Reference)?;
        if let Some((ordered, counts)) = ordered.samtools.zip(samtools) {
            end.found.put(ordered.finish(counts)?);
        }
        if let Some(own) = own {
            if let Some(record) = own.malformed_record() {
                return Err(Failure::MalformedTags(record));
            }
            if end.wanted.has::<FlagstatCollector>() {
                end.found.put(own.counts.flags.clone());
            }
            if end.wanted.has::<IdxstatsCollector>() {
                end.found.put(own.counts.references.clone());
            }
            end.found.put(own);
        }
        Ok(())
    }
}

impl StatisticsCounts {
    /// Counts what waits of reads that are shared.
    fn settle(&mut self) {
        if let (Some(own), Some(samtools)) = (&mut self.own, &mut self.samtools) {
            samtools.cycles.settle_shared(&mut own.reads);
        }
    }
}

impl Ordered for StatisticsOrdered {
    type Piece = SamtoolsChunk;

    fn append(&mut self, piece: &mut SamtoolsChunk, spans: Option<&Spans>) -> Flow {
        if let (Some(own), Some(spans)) = (&mut self.own, spans) {
            own.add(spans);
        }
        let samtools = self.samtools.as_mut();
        samtools.map_or(Flow::Continue(()), |samtools| samtools.add(piece).map_break(|()| None))
    }
}

/// Counts a batch for both.
fn accept_both(
    own: &mut AlignmentCollector,
    samtools: &mut SamtoolsCounts,
    batch: Batch<'_>,
    left: &mut SamtoolsChunk,
) {
    own.prepare(batch);
    samtools.prepare(batch);
    for (number, record) in batch.numbered() {
        samtools.add_checksums(&record);
        if let Some(seen) = own.add(&record, number, Some(&mut samtools.cycles)) {
            let gc = samtools.add_without_cycles(&record, &seen, left);
            left.records.push(&record, &seen, gc);
            samtools.add_mismatches(&record, &seen, left);
        }
    }
    samtools.find_depths(left);
}
