//! FASTQ of records that stand together by name.

use biofast_bam::{self as bam, Batch, Error, Query, Record, Transform};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Failure;

use super::plan::{FastqPlan, FastqSummary};
use super::segment::TemplateSegment;

/// Writes the reads of `query` to `outputs`, in the order of the input.
///
/// Of records of the same name and part that follow one another, the first one that has
/// qualities is written, or else the first one that has bases, or the first one. A pair is written when both reads
/// are there; a read without its mate goes where the plan says.
///
/// # Errors
/// The first fault of the input, or the failure of an output.
pub fn grouped(
    query: impl Into<Query>,
    options: &Options,
    plan: &FastqPlan,
    outputs: &mut [Output],
) -> Result<FastqSummary, Failure<bam::Error>> {
    let result = Transform::new(query).options(options).keep_names_together(true).run(
        outputs,
        FastqSummary::default,
        |summary, batch, texts| write(plan, batch, summary, texts),
        |summary, other| summary.merge(&other),
    );
    result.map(|(_, summary)| summary)
}

/// The best records so far of a template.
#[derive(Default)]
struct TemplateRecords<'a> {
    name: Option<&'a [u8]>,
    best: [Option<(Record<'a>, Worth)>; 3],
}

/// What is known of a read by one of its records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Name,
    Bases,
    Qualities,
}

impl Worth {
    fn of(plan: &FastqPlan, record: &Record<'_>) -> Worth {
        match record.sequence_len() {
            0 => Worth::Name,
            _ if plan.format.has_qualities(record) => Worth::Qualities,
            _ => Worth::Bases,
        }
    }
}

fn write(
    plan: &FastqPlan,
    batch: Batch<'_>,
    summary: &mut FastqSummary,
    texts: &mut [Vec<u8>],
) -> Result<(), Error> {
    let mut template = TemplateRecords::default();
    for record in batch {
        let name = record.name();
        // A record that isn't wanted ends a group, too: groups don't depend on the filter.
        if template.name != Some(name) {
            template.flush(plan, summary, texts)?;
            template.name = Some(name);
        }
        if !plan.wants(&record) {
            continue;
        }
        summary.reads += 1;
        let worth = Worth::of(plan, &record);
        let best = &mut template.best[TemplateSegment::of(record.flags()) as usize];
        summary.repeated += u64::from(best.is_some());
        if best.is_none_or(|(_, others)| worth > others) {
            *best = Some((record, worth));
        }
    }
    template.flush(plan, summary, texts)
}

impl TemplateRecords<'_> {
    fn flush(
        &mut self,
        plan: &FastqPlan,
        summary: &mut FastqSummary,
        texts: &mut [Vec<u8>],
    ) -> Result<(), Error> {
        let [other, first, second] = std::mem::take(&mut self.best).map(|b| b.map(|(r, _)| r));
        let mut write = |record: Record<'_>, part: TemplateSegment, barcode, output: usize| {
            summary.without_sequence += u64::from(record.sequence_len() == 0);
            plan.format.write(&record, part, barcode, &mut texts[output])
        };
        let routes = &plan.routes;
        let to = |part: TemplateSegment| routes.parts[part as usize];
        match (first, second) {
            (Some(first), Some(second)) => {
                let barcode = plan.format.barcode(&first);
                write(first, TemplateSegment::First, barcode, to(TemplateSegment::First))?;
                write(second, TemplateSegment::Second, barcode, to(TemplateSegment::Second))?;
            }
            (Some(record), None) => {
                let output = routes.single.unwrap_or(to(TemplateSegment::First));
                write(record, TemplateSegment::First, None, output)?;
            }
            (None, Some(record)) => {
                let output = routes.single.unwrap_or(to(TemplateSegment::Second));
                write(record, TemplateSegment::Second, None, output)?;
            }
            (None, None) => {}
        }
        if let Some(record) = other {
            write(record, TemplateSegment::Other, None, to(TemplateSegment::Other))?;
        }
        summary.pairs += u64::from(first.is_some() && second.is_some());
        summary.singles += u64::from(first.is_some() != second.is_some());
        summary.others += u64::from(other.is_some());
        Ok(())
    }
}
