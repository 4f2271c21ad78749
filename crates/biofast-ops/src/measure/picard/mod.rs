//! The counts of Picard's metrics, number for number: alignment summary, insert sizes, bases and qualities by cycle,
//! GC bias, and the coverage of genomes and of targets. All that is written in Picard's format is in
//! `biofast_report::picard`.
//!
//! But for coverage none looks at the order of records, so workers count and are merged. As in Picard secondary alignments
//! count for GC bias alone, supplementary ones for that and for coverage.

pub(crate) mod adapters;
#[doc(hidden)]
pub mod alignment_summary;
#[doc(hidden)]
pub mod cycles;
pub(crate) mod fields;
#[doc(hidden)]
pub mod gc_bias;
#[doc(hidden)]
pub mod histogram;
#[doc(hidden)]
pub mod hs;
#[doc(hidden)]
pub mod insert_size;
mod names;
mod no_calls;
pub(crate) mod orientation;
pub(crate) mod panel;
pub(crate) mod pieces;
mod pile;
pub(crate) mod reference;
mod references;
mod seam;
#[doc(hidden)]
pub mod sensitivity;
mod stored;
#[cfg(test)]
mod tests;
#[doc(hidden)]
pub mod wgs;

use std::io;

use biofast_bam::{Batch, Fasta, Header, flag};
use serde::{Deserialize, Serialize};

use crate::measure::qc::{Failure, FindingTypes, Finished, Measure, ReadingEnd};
use crate::measure::samtools_stats::SamtoolsStats;
use crate::number::grouped;
use alignment_summary::AlignmentSummary;
use cycles::{ByCycle, Summed};
use fields::RecordFields;
use gc_bias::GcBias;
use hs::Hs;
use insert_size::InsertSizes;
use seam::SeamMismatch;
use wgs::Wgs;

pub use hs::HsMeasure;
pub use panel::Panel;
pub use wgs::WgsMeasure;

/// Which metrics to collect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetricSelection {
    /// `CollectAlignmentSummaryMetrics`
    pub alignment_summary: bool,
    /// `CollectInsertSizeMetrics`
    pub insert_size: bool,
    /// `MeanQualityByCycle`
    pub quality_by_cycle: bool,
    /// `QualityScoreDistribution`
    pub quality_distribution: bool,
    /// `CollectBaseDistributionByCycle`
    pub base_distribution: bool,
    /// `CollectGcBiasMetrics`, where there is a reference
    pub gc_bias: bool,
    /// `CollectWgsMetrics`, where there is a reference; the records must be sorted
    pub wgs: bool,
    /// `CollectHsMetrics`, where there is a [`Panel`]; the records must be sorted
    pub hs: bool,
}

impl MetricSelection {
    /// Whether any is.
    pub fn any(&self) -> bool {
        self.of_any_order() || self.wgs || self.hs
    }

    /// Whether any is that doesn't look at the order of records.
    fn of_any_order(&self) -> bool {
        self.alignment_summary || self.insert_size || self.gc_bias || self.by_cycle()
    }

    fn by_cycle(&self) -> bool {
        self.quality_by_cycle || self.quality_distribution || self.base_distribution
    }
}

/// What was counted, of what was wanted: for `biofast_report::picard::text`; in JSON as the report of a part
/// carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picard {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub alignment_summary: Option<AlignmentSummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub insert_size: Option<InsertSizes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub cycles: Option<Summed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub gc_bias: Option<GcBias>,
    #[serde(skip)]
    #[doc(hidden)]
    pub wgs: Option<Wgs>,
    #[serde(skip)]
    #[doc(hidden)]
    pub hs: Option<Hs>,
    /// The same of a piece of a file.
    #[serde(default, rename = "wgs", skip_serializing_if = "Option::is_none")]
    pub(crate) wgs_part: Option<Box<wgs::WgsPart>>,
    #[serde(default, rename = "hs", skip_serializing_if = "Option::is_none")]
    pub(crate) hs_part: Option<Box<hs::HsPart>>,
}

/// Why the counts of parts can't be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unjoinable {
    /// They were made beside different references.
    Reference,
    /// They are of different targets or baits, or contradict each other.
    Contradiction,
    /// Coverage is joined of pieces of one file, in their order.
    Order,
    /// Records reach further into the next piece than that one tells.
    Reach,
}

impl From<SeamMismatch> for Unjoinable {
    fn from(apart: SeamMismatch) -> Unjoinable {
        match apart {
            SeamMismatch::Order => Unjoinable::Order,
            SeamMismatch::Reach => Unjoinable::Reach,
        }
    }
}

impl Picard {
    /// Which metrics were collected.
    pub fn counted(&self) -> MetricSelection {
        let by_cycle = self.cycles.is_some();
        MetricSelection {
            alignment_summary: self.alignment_summary.is_some(),
            insert_size: self.insert_size.is_some(),
            quality_by_cycle: by_cycle,
            quality_distribution: by_cycle,
            base_distribution: by_cycle,
            gc_bias: self.gc_bias.is_some(),
            wgs: self.wgs.is_some() || self.wgs_part.is_some(),
            hs: self.hs.is_some() || self.hs_part.is_some(),
        }
    }

    /// A doubt about the reference, if most of the aligned bases differ from it.
    pub fn doubt_of_reference(&self) -> Option<String> {
        self.alignment_summary.as_ref()?.doubt_of_reference()
    }

    /// A line for each metric with positions deeper than its coverage cap, the depth up to which Picard counts.
    pub fn beyond_cap(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(hs) = &self.hs
            && hs.beyond_cap() > 0
        {
            lines.push(format!(
                "hs: {} target bases are deeper than {}, the limit for HET_SNP_SENSITIVITY and HET_SNP_Q, like Picard's COVERAGE_CAP",
                grouped(hs.beyond_cap()),
                hs.cap()
            ));
        }
        if let Some(wgs) = &self.wgs
            && wgs.capped > 0
        {
            lines.push(format!(
                "wgs: {} bases above depth {} are not counted (PCT_EXC_CAPPED), like Picard's COVERAGE_CAP",
                grouped(wgs.capped),
                wgs.by_depth.len().saturating_sub(1)
            ));
        }
        lines
    }

    /// Whether the counts of a part can be.
    pub(crate) fn is_possible(&self) -> bool {
        self.wgs_part.as_ref().is_none_or(|wgs| wgs.is_possible())
            && self.hs_part.as_ref().is_none_or(|hs| hs.is_possible())
    }

    /// Of the whole, when all its parts were added.
    pub(crate) fn whole(self) -> Picard {
        let Picard { wgs_part, hs_part, .. } = self;
        Picard {
            wgs: wgs_part.map(|part| part.whole()),
            hs: hs_part.map(|part| part.whole()),
            wgs_part: None,
            hs_part: None,
            ..self
        }
    }

    /// Adds the counts of other records of the same sample. What one of the two lacks the sum lacks.
    ///
    /// # Errors
    /// If windows of GC content are of another reference; of coverage, if it isn't that of the next piece of the file, or if the two
    /// pieces tell too little of each other.
    pub(crate) fn merge(&mut self, other: Picard) -> Result<(), Unjoinable> {
        fn join<C>(mine: &mut Option<C>, theirs: Option<C>, join: impl FnOnce(&mut C, C)) {
            match (mine.as_mut(), theirs) {
                (Some(mine), Some(theirs)) => join(mine, theirs),
                _ => *mine = None,
            }
        }
        // By name, so that no count can be forgotten.
        let Picard {
            alignment_summary,
            insert_size,
            cycles,
            mut gc_bias,
            wgs: _,
            hs: _,
            wgs_part,
            hs_part,
        } = other;
        if let (Some(mine), Some(theirs)) = (&self.gc_bias, &mut gc_bias) {
            if mine.windows != theirs.windows {
                return Err(Unjoinable::Reference);
            }
            // They are those of the whole reference in each part.
            theirs.windows.fill(0);
        }
        join(&mut self.alignment_summary, alignment_summary, |a, b| a.merge(&b));
        join(&mut self.insert_size, insert_size, |a, b| a.merge(&b));
        join(&mut self.cycles, cycles, Summed::merge);
        join(&mut self.gc_bias, gc_bias, |a, b| a.merge(&b));
        self.wgs_part = match (self.wgs_part.take(), wgs_part) {
            (Some(mut mine), Some(theirs)) => {
                if !mine.append(*theirs)? {
                    return Err(Unjoinable::Contradiction);
                }
                Some(mine)
            }
            _ => None,
        };
        self.hs_part = match (self.hs_part.take(), hs_part) {
            (Some(mut mine), Some(theirs)) => {
                if !mine.append(*theirs)? {
                    return Err(Unjoinable::Contradiction);
                }
                Some(mine)
            }
            _ => None,
        };
        Ok(())
    }
}

/// What a worker counts, of what doesn't look at the order of records.
#[doc(hidden)]
pub struct PicardCounts {
    alignment_summary: Option<AlignmentSummary>,
    insert_size: Option<InsertSizes>,
    pub cycles: Option<ByCycle>,
    gc_bias: Option<GcBias>,
    reference: Option<reference::Bases>,
    fault: Option<io::Error>,
    /// The number, from 0, of the first record whose optional fields can't be read.
    malformed: Option<u64>,
}

/// Finds [`Picard`]: the metrics that no order of records matters to, and what was found of [`wgs`] and [`hs`], if these are listed
/// before.
pub struct PicardMeasure {
    wanted: MetricSelection,
    reference: Option<Fasta>,
    is_part: bool,
    /// Whether `samtools stats` counts cycles, which needn't be counted twice.
    has_cycles: bool,
}

impl PicardMeasure {
    /// What is wanted, of a whole or of a part; with a reference mismatches, too.
    pub fn new(wanted: MetricSelection, reference: Option<Fasta>, is_part: bool) -> PicardMeasure {
        PicardMeasure { wanted, reference, is_part, has_cycles: false }
    }
}

impl Measure for PicardMeasure {
    type Counts = PicardCounts;
    type Ordered = ();

    fn follow(&mut self, before: &FindingTypes) {
        self.has_cycles = before.has::<SamtoolsStats>();
    }

    fn start(&self) -> PicardCounts {
        let PicardMeasure { wanted, reference, has_cycles, is_part: _ } = self;
        PicardCounts {
            alignment_summary: wanted.alignment_summary.then(AlignmentSummary::default),
            insert_size: wanted.insert_size.then(InsertSizes::default),
            cycles: wanted.by_cycle().then(|| ByCycle::new(!has_cycles)),
            gc_bias: (wanted.gc_bias && reference.is_some()).then(GcBias::default),
            reference: reference
                .as_ref()
                .filter(|_| wanted.alignment_summary || wanted.gc_bias)
                .map(|fasta| reference::Bases::new(fasta.clone())),
            fault: None,
            malformed: None,
        }
    }

    fn begin(&mut self, _: &Header, _: usize) {}

    fn accept(&self, counts: &mut PicardCounts, batch: Batch<'_>, (): &mut ()) {
        if self.wanted.of_any_order() {
            counts.accept(batch);
        }
    }

    fn merge(&self, mine: &mut PicardCounts, theirs: PicardCounts) {
        fn join<C>(mine: &mut Option<C>, theirs: Option<C>, join: impl FnOnce(&mut C, C)) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                join(mine, theirs);
            }
        }
        // By name, so that no count can be forgotten.
        let PicardCounts {
            alignment_summary,
            insert_size,
            cycles,
            gc_bias,
            reference: _,
            fault,
            malformed,
        } = theirs;
        join(&mut mine.alignment_summary, alignment_summary, |a, b| a.merge(&b));
        join(&mut mine.insert_size, insert_size, |a, b| a.merge(&b));
        join(&mut mine.cycles, cycles, ByCycle::join);
        join(&mut mine.gc_bias, gc_bias, |a, b| a.merge(&b));
        mine.fault = mine.fault.take().or(fault);
        mine.malformed = [mine.malformed, malformed].into_iter().flatten().min();
    }

    fn finish(&self, mut counts: PicardCounts, (): (), end: &mut ReadingEnd<'_>) -> Finished {
        if let Some(record) = counts.malformed {
            return Err(Failure::MalformedTags(record + 1));
        }
        if let Some(fault) = counts.fault {
            return Err(Failure::Reference(fault));
        }
        if let (Some(gc_bias), Some(fasta)) = (&mut counts.gc_bias, &self.reference) {
            let added = gc_bias.add_windows(end.header, fasta, end.options.threads);
            added.map_err(Failure::Reference)?;
        }
        let found = &mut end.found;
        let all = found.get::<SamtoolsStats>().map(|samtools| &samtools.counts.cycles);
        let cycles = counts.cycles.map(|own| own.finish(all));
        let picard = Picard {
            alignment_summary: counts.alignment_summary,
            insert_size: counts.insert_size,
            cycles,
            gc_bias: counts.gc_bias,
            wgs_part: found.take().map(Box::new),
            hs_part: found.take().map(Box::new),
            ..Picard::default()
        };
        found.put(if self.is_part { picard } else { picard.whole() });
        Ok(())
    }
}

impl PicardCounts {
    fn accept(&mut self, batch: Batch<'_>) {
        if let Some(reference) = &self.reference
            && !batch.is_empty()
        {
            reference.bind(batch.header());
        }
        let needs_fields = self.alignment_summary.is_some() || self.cycles.is_some();
        for (number, record) in batch.numbered() {
            if let (Some(gc_bias), Some(reference)) = (&mut self.gc_bias, &mut self.reference)
                && self.fault.is_none()
            {
                self.fault = gc_bias.add(&record, reference).err();
            }
            if record.flags() & (flag::SECONDARY | flag::SUPPLEMENTARY) != 0 {
                continue;
            }
            if let Some(inserts) = &mut self.insert_size {
                inserts.add(&record);
            }
            if !needs_fields {
                continue;
            }
            let fields = RecordFields::of(&record);
            if fields.is_malformed {
                self.malformed = Some(self.malformed.map_or(number, |first| first.min(number)));
            }
            if let Some(cycles) = &mut self.cycles {
                cycles.add(&record, &fields);
            }
            if let Some(summary) = &mut self.alignment_summary
                && self.fault.is_none()
            {
                self.fault = summary.add(&record, &fields, self.reference.as_mut()).err();
            }
        }
    }
}
