//! The counts of Picard 2.27.5's metrics, number for number: alignment summary, insert sizes, bases and qualities by cycle,
//! and GC bias. All that is written in Picard's format is in [`show::picard`](crate::show::picard).
//!
//! None of them looks at the order of records, so workers count and are merged. As in Picard secondary and supplementary
//! alignments count for GC bias alone.

pub(crate) mod adapters;
pub(crate) mod alignment_summary;
pub(crate) mod cycles;
pub(crate) mod fields;
pub(crate) mod gc_bias;
pub(crate) mod histogram;
pub(crate) mod insert_size;
mod no_calls;
pub(crate) mod orientation;
pub(crate) mod reference;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::io;

use biofast_bam::{Batch, Fasta, Header, flag};

use crate::measure::samtools_stats::cycles::Cycles;
use alignment_summary::AlignmentSummary;
use cycles::{ByCycle, Summed};
use fields::Fields;
use gc_bias::GcBias;
use insert_size::InsertSizes;

/// Which metrics are wanted.
///
/// ```
/// use biofast_ops::picard::Wanted;
///
/// assert!(!Wanted::default().any());
/// assert!(Wanted { insert_size: true, ..Wanted::default() }.any());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
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
}

impl Wanted {
    /// Whether any is.
    pub fn any(&self) -> bool {
        self.alignment_summary || self.insert_size || self.gc_bias || self.by_cycle()
    }

    fn by_cycle(&self) -> bool {
        self.quality_by_cycle || self.quality_distribution || self.base_distribution
    }
}

/// What was counted, of what was wanted: for [`show::picard::text`](crate::show::picard::text).
#[derive(Clone, Debug, Default)]
pub struct Picard {
    pub(crate) alignment_summary: Option<AlignmentSummary>,
    pub(crate) insert_size: Option<InsertSizes>,
    pub(crate) cycles: Option<Summed>,
    pub(crate) gc_bias: Option<GcBias>,
}

/// What a worker counts.
pub(crate) struct Counts {
    alignment_summary: Option<AlignmentSummary>,
    insert_size: Option<InsertSizes>,
    cycles: Option<ByCycle>,
    gc_bias: Option<GcBias>,
    reference: Option<reference::Bases>,
    fault: Option<io::Error>,
    /// The number, from 0, of the first record whose optional fields can't be read.
    malformed: Option<u64>,
}

impl Counts {
    /// What is wanted; with a reference mismatches, too. If somebody else counts [`Cycles`], these needn't.
    pub(crate) fn new(
        wanted: &Wanted,
        reference: Option<&Fasta>,
        has_cycles: bool,
    ) -> Option<Counts> {
        wanted.any().then(|| Counts {
            alignment_summary: wanted.alignment_summary.then(AlignmentSummary::default),
            insert_size: wanted.insert_size.then(InsertSizes::default),
            cycles: wanted.by_cycle().then(|| ByCycle::new(!has_cycles)),
            gc_bias: (wanted.gc_bias && reference.is_some()).then(GcBias::default),
            reference: reference
                .filter(|_| wanted.alignment_summary || wanted.gc_bias)
                .map(|fasta| reference::Bases::new(fasta.clone())),
            fault: None,
            malformed: None,
        })
    }

    pub(crate) fn accept(&mut self, batch: Batch<'_>) {
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
            let fields = Fields::of(&record);
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

    /// Adds what another one counted.
    pub(crate) fn join(&mut self, other: Counts) {
        fn join<C>(mine: &mut Option<C>, theirs: Option<C>, join: impl FnOnce(&mut C, C)) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                join(mine, theirs);
            }
        }
        // By name, so that no count can be forgotten.
        let Counts {
            alignment_summary,
            insert_size,
            cycles,
            gc_bias,
            reference: _,
            fault,
            malformed,
        } = other;
        join(&mut self.alignment_summary, alignment_summary, |a, b| a.merge(&b));
        join(&mut self.insert_size, insert_size, |a, b| a.merge(&b));
        join(&mut self.cycles, cycles, ByCycle::join);
        join(&mut self.gc_bias, gc_bias, |a, b| a.merge(&b));
        self.fault = self.fault.take().or(fault);
        self.malformed = match (self.malformed, malformed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// The number, from 1, of the first record whose optional fields can't be read.
    pub(crate) fn malformed_record(&self) -> Option<u64> {
        self.malformed.map(|record| record + 1)
    }

    /// What was counted; the cycles are those of somebody else, or its own.
    pub(crate) fn finish(
        mut self,
        cycles: Option<&Cycles>,
        header: &Header,
        reference: Option<&Fasta>,
        threads: usize,
    ) -> io::Result<Picard> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if let (Some(gc_bias), Some(fasta)) = (&mut self.gc_bias, reference) {
            gc_bias.add_windows(header, fasta, threads)?;
        }
        Ok(Picard {
            alignment_summary: self.alignment_summary,
            insert_size: self.insert_size,
            cycles: self.cycles.map(|own| own.finish(cycles)),
            gc_bias: self.gc_bias,
        })
    }
}
