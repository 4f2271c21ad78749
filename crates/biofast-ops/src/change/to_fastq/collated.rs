//! FASTQ of records in any order.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Fold, Query, Record, flag};
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
pub(super) struct BatchReads {
    /// Names and texts, one after the other.
    bytes: Vec<u8>,
    reads: Vec<TextBounds>,
    /// A record that can't be written, after those before it.
    fault: Option<bam::Error>,
}

#[derive(Clone, Copy)]
struct TextBounds {
    name_len: u32,
    text_len: usize,
    part: TemplateSegment,
    has_qualities: bool,
    is_primary: bool,
}

impl BatchReads {
    /// Takes the records that the filter wants, as the texts that `write` appends; what it appends nothing for is left out.
    pub(super) fn fill(
        &mut self,
        plan: &FastqPlan,
        batch: Batch<'_>,
        input: &Arc<str>,
        mut write: impl FnMut(&Record<'_>, TemplateSegment, &mut Vec<u8>) -> Result<(), bam::Error>,
    ) {
        self.bytes.clear();
        self.reads.clear();
        for record in batch {
            if !plan.wants(&record) {
                continue;
            }
            let part = TemplateSegment::of(record.flags());
            let name = record.name();
            self.bytes.extend_from_slice(name);
            let start = self.bytes.len();
            if let Err(error) = write(&record, part, &mut self.bytes) {
                self.fault = Some(batch.located(error).in_input(input));
                return;
            }
            if self.bytes.len() == start {
                self.bytes.truncate(start - name.len());
                continue;
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

    /// Gives out the reads, and then the fault if there is one.
    pub(super) fn drain<E: From<Error>>(
        &mut self,
        mut take: impl FnMut(ReadArrival<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut at = 0;
        for &TextBounds { name_len, text_len, part, has_qualities, is_primary } in &self.reads {
            let (name, rest) = self.bytes[at..].split_at(name_len as usize);
            let text = &rest[..text_len];
            at += name.len() + text.len();
            take(ReadArrival { name, text, part, has_qualities, is_primary })?;
        }
        match self.fault.take() {
            Some(error) => Err(Error::Alignments(error).into()),
            None => Ok(()),
        }
    }
}

/// Makes a `T` of each batch on all threads, with the name of the input, and gives them to `take` in order.
pub(super) fn in_order<T: Default + Send, E: From<Error> + Send>(
    query: Query,
    options: &Options,
    fill: impl Fn(Batch<'_>, &Arc<str>, &mut T) + Sync,
    mut take: impl FnMut(&mut T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let name: Arc<str> = query.name().into();
    let mut problem = None;
    let result = Fold::new(query).options(options).ordered(
        || (),
        |(), batch, reads: &mut T| fill(batch, &name, reads),
        |(), ()| (),
        |reads| match take(reads) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                problem.get_or_insert(error);
                ControlFlow::Break(())
            }
        },
    );
    match (problem, result) {
        (Some(problem), _) => Err(problem),
        (None, Err(fault)) => Err(Error::from(fault).into()),
        (None, Ok(_)) => Ok(()),
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
        let CollatedSink { plan, collator, writer } = self;
        reads.drain(|read| {
            writer.summary.reads += 1;
            if read.part == TemplateSegment::Other {
                writer.summary.others += 1;
                let output = plan.routes.parts[TemplateSegment::Other as usize];
                return Ok(writer.write(read.text, output)?);
            }
            collator.add(read, &mut |found| writer.take(found))
        })
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
    let each = threads_of_each(options.threads, outputs.len());
    let writers = outputs.into_iter().map(|output| Writer::new(output, each));
    let writers = writers.collect::<Result<_, _>>()?;
    let writer = CollatedWriter { plan, writers, summary: FastqSummary::default() };
    let collator = Collator::new(collation.memory, collation.folder);
    let mut sink = CollatedSink { plan, collator, writer };
    let write =
        |record: &Record<'_>, part, text: &mut Vec<u8>| plan.format.write(record, part, None, text);
    let fill = |batch: Batch<'_>, input: &Arc<str>, reads: &mut BatchReads| {
        reads.fill(plan, batch, input, write);
    };
    in_order(query.into(), options, fill, |reads| sink.take(reads))?;
    let CollatedSink { collator, mut writer, .. } = sink;
    collator.finish(&mut |found| writer.take(found))?;
    Ok(writer.finish()?)
}
