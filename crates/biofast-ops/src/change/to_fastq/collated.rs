//! FASTQ of records in any order.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Fold, Query, flag};
use biofast_io::Options;
use biofast_io::output::{self, Output, Writer, threads_of_each};

use super::collator::{CollatedRead, Collator, ReadArrival};
use super::plan::{FastqPlan, FastqSummary};
use super::segment::TemplateSegment;
use crate::Error;

/// How the text of a read without bases ends, and no other's.
const EMPTY: &[u8] = b"\n\n+\n\n";

/// Where reads wait for their mates.
#[derive(Clone, Copy, Debug)]
pub struct Collation<'a> {
    /// Bytes of memory that waiting reads may take.
    pub memory: usize,
    /// The folder of temporary files, if they take more.
    pub folder: &'a Path,
}

/// The reads of one batch as text.
#[derive(Default)]
struct BatchReads {
    /// Names and texts, one after the other.
    bytes: Vec<u8>,
    reads: Vec<TextBounds>,
    /// A record that can't be written, after those before it.
    fault: Option<bam::Error>,
}

struct TextBounds {
    name_len: u32,
    text_len: usize,
    part: TemplateSegment,
    has_qualities: bool,
    is_primary: bool,
}

impl BatchReads {
    fn fill(&mut self, plan: &FastqPlan, batch: Batch<'_>) {
        self.bytes.clear();
        self.reads.clear();
        for record in batch {
            if !plan.filter.accepts(record.flags(), record.mapping_quality()) {
                continue;
            }
            let part = TemplateSegment::of(record.flags());
            let name = record.name();
            self.bytes.extend_from_slice(name);
            let start = self.bytes.len();
            if let Err(error) = plan.format.write(&record, part, None, &mut self.bytes) {
                self.fault = Some(batch.located(error));
                return;
            }
            self.reads.push(TextBounds {
                // At most 254.
                name_len: name.len() as u32,
                text_len: self.bytes.len() - start,
                part,
                has_qualities: plan.format.has_qualities(&record),
                is_primary: record.flags() & (flag::SECONDARY | flag::SUPPLEMENTARY) == 0,
            });
        }
    }
}

/// What takes the reads in order.
struct CollatedSink<'a> {
    plan: &'a FastqPlan,
    collator: Collator,
    writer: CollatedWriter<'a>,
}

struct CollatedWriter<'a> {
    plan: &'a FastqPlan,
    writers: Vec<Writer>,
    summary: FastqSummary,
}

impl CollatedWriter<'_> {
    fn write(&mut self, text: &[u8], output: usize) -> Result<(), output::Error> {
        self.summary.without_sequence += u64::from(text.ends_with(EMPTY));
        self.writers[output].append(text)
    }

    fn take(&mut self, found: CollatedRead<'_>) -> Result<(), Error> {
        let routes = &self.plan.routes;
        match found {
            CollatedRead::Pair(first, second) => {
                self.summary.pairs += 1;
                let [_, one, two] = routes.parts;
                self.write(first, one)?;
                self.write(second, two)?;
            }
            CollatedRead::Single(part, text) => {
                self.summary.singles += 1;
                self.write(text, routes.single.unwrap_or(routes.parts[part as usize]))?;
            }
            CollatedRead::Repeated => self.summary.repeated += 1,
        }
        Ok(())
    }

    fn finish(self) -> Result<(FastqSummary, Vec<Output>), output::Error> {
        let end = |writer: Writer| {
            let mut output = writer.into_output()?;
            output.finish()?;
            Ok(output)
        };
        let outputs = self.writers.into_iter().map(end).collect::<Result<_, _>>()?;
        Ok((self.summary, outputs))
    }
}

impl CollatedSink<'_> {
    fn take(&mut self, reads: &mut BatchReads) -> Result<(), Error> {
        let mut at = 0;
        for bounds in &reads.reads {
            let (name, rest) = reads.bytes[at..].split_at(bounds.name_len as usize);
            let text = &rest[..bounds.text_len];
            at += name.len() + text.len();
            self.writer.summary.reads += 1;
            if bounds.part == TemplateSegment::Other {
                self.writer.summary.others += 1;
                self.writer.write(text, self.plan.routes.parts[TemplateSegment::Other as usize])?;
                continue;
            }
            let TextBounds { part, has_qualities, is_primary, .. } = *bounds;
            let arrival = ReadArrival { name, text, part, has_qualities, is_primary };
            let writer = &mut self.writer;
            self.collator.add(arrival, &mut |found| writer.take(found))?;
        }
        match reads.fault.take() {
            Some(error) => Err(Error::Alignments(error)),
            None => Ok(()),
        }
    }
}

/// Writes the reads of `query` to `outputs` and ends them: pairs when the second of them comes,
/// those that had to wait in files after all others, then reads without a mate. Returns the outputs, to be
/// [committed](biofast_io::output::commit).
///
/// The outputs are the same at any number of threads.
///
/// # Errors
/// The first fault of the input, or the failure of an output or of a temporary file. The outputs lack reads then, and are gone.
pub fn collated(
    query: impl Into<Query>,
    options: &Options,
    plan: &FastqPlan,
    outputs: Vec<Output>,
    collation: Collation<'_>,
) -> Result<(FastqSummary, Vec<Output>), Error> {
    let query = query.into();
    let name: Arc<str> = query.name().into();
    let each = threads_of_each(options.threads, outputs.len());
    let writers = outputs.into_iter().map(|output| Writer::new(output, each));
    let writers = writers.collect::<Result<_, _>>()?;
    let writer = CollatedWriter { plan, writers, summary: FastqSummary::default() };
    let collator = Collator::new(collation.memory, collation.folder);
    let mut sink = CollatedSink { plan, collator, writer };
    let mut problem = None;
    let result = Fold::new(query).options(options).ordered(
        || (),
        |(), batch, reads: &mut BatchReads| reads.fill(plan, batch),
        |(), ()| (),
        |reads| match sink.take(reads) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                problem.get_or_insert(error);
                ControlFlow::Break(())
            }
        },
    );
    let CollatedSink { collator, mut writer, .. } = sink;
    match (problem, result) {
        (Some(Error::Alignments(error)), _) => {
            return Err(Error::Alignments(error.in_input(&name)));
        }
        (Some(problem), _) => return Err(problem),
        (None, Err(fault)) => return Err(fault.into()),
        (None, Ok(_)) => collator.finish(&mut |found| writer.take(found))?,
    }
    Ok(writer.finish()?)
}
