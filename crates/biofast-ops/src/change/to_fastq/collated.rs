//! FASTQ of records in any order.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Query, flag, par_fold_regions_ordered};
use biofast_io::Options;
use biofast_io::output::{self, Output};

use super::collator::{Arrival, Collator, Found};
use super::{Part, Plan, Summary};

/// Text that is gathered for an output before it is given to it.
const GATHERED: usize = 256 << 10;

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

/// Why it failed.
#[derive(Debug)]
pub enum Problem {
    /// The input can't be read, or a record of it can't be written.
    Input(bam::Error),
    /// An output can't be written.
    Output(output::Error),
    /// A temporary file can't be written or read.
    Temporary(io::Error),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(e) => e.fmt(f),
            Problem::Output(e) => e.fmt(f),
            Problem::Temporary(e) => write!(f, "temporary files: {e}"),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The errors themselves are all of the message.
            Problem::Input(error) => error.source(),
            Problem::Output(error) => error.source(),
            Problem::Temporary(error) => Some(error),
        }
    }
}

impl From<output::Error> for Problem {
    fn from(error: output::Error) -> Problem {
        Problem::Output(error)
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        Problem::Temporary(error)
    }
}

/// The reads of one batch as text.
#[derive(Default)]
struct Reads {
    /// Names and texts, one after the other.
    bytes: Vec<u8>,
    reads: Vec<Bounds>,
    /// A record that can't be written, after those before it.
    fault: Option<bam::Error>,
}

struct Bounds {
    name_len: u32,
    text_len: usize,
    part: Part,
    has_qualities: bool,
    is_primary: bool,
}

impl Reads {
    fn fill(&mut self, plan: &Plan, batch: Batch<'_>) {
        self.bytes.clear();
        self.reads.clear();
        for record in batch {
            if !plan.filter.accepts(record.flags(), record.mapping_quality()) {
                continue;
            }
            let part = Part::of(record.flags());
            let name = record.name();
            self.bytes.extend_from_slice(name);
            let start = self.bytes.len();
            if let Err(error) = plan.format.write(&record, part, None, &mut self.bytes) {
                self.fault = Some(batch.located(error));
                return;
            }
            self.reads.push(Bounds {
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
struct Sink<'a> {
    plan: &'a Plan,
    collator: Collator,
    writer: Writer<'a>,
}

struct Writer<'a> {
    plan: &'a Plan,
    outputs: &'a mut [Output],
    texts: Vec<Vec<u8>>,
    summary: Summary,
}

impl Writer<'_> {
    fn write(&mut self, text: &[u8], output: usize) -> Result<(), output::Error> {
        self.summary.without_sequence += u64::from(text.ends_with(EMPTY));
        let gathered = &mut self.texts[output];
        gathered.extend_from_slice(text);
        if gathered.len() >= GATHERED {
            self.outputs[output].append(gathered)?;
            gathered.clear();
        }
        Ok(())
    }

    fn take(&mut self, found: Found<'_>) -> Result<(), Problem> {
        let routes = &self.plan.routes;
        match found {
            Found::Pair(first, second) => {
                self.summary.pairs += 1;
                let [_, one, two] = routes.parts;
                self.write(first, one)?;
                self.write(second, two)?;
            }
            Found::Single(part, text) => {
                self.summary.singles += 1;
                self.write(text, routes.single.unwrap_or(routes.parts[part as usize]))?;
            }
            Found::Repeated => self.summary.repeated += 1,
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Summary, output::Error> {
        for (output, text) in self.outputs.iter_mut().zip(&self.texts) {
            output.append(text)?;
            output.finish()?;
        }
        self.texts.clear();
        Ok(self.summary)
    }
}

impl Sink<'_> {
    fn take(&mut self, reads: &mut Reads) -> Result<(), Problem> {
        let mut at = 0;
        for bounds in &reads.reads {
            let (name, rest) = reads.bytes[at..].split_at(bounds.name_len as usize);
            let text = &rest[..bounds.text_len];
            at += name.len() + text.len();
            self.writer.summary.reads += 1;
            if bounds.part == Part::Other {
                self.writer.summary.others += 1;
                self.writer.write(text, self.plan.routes.parts[Part::Other as usize])?;
                continue;
            }
            let Bounds { part, has_qualities, is_primary, .. } = *bounds;
            let arrival = Arrival { name, text, part, has_qualities, is_primary };
            let writer = &mut self.writer;
            self.collator.add(arrival, &mut |found| writer.take(found))?;
        }
        match reads.fault.take() {
            Some(error) => Err(Problem::Input(error)),
            None => Ok(()),
        }
    }
}

/// Writes the reads of `query` to `outputs` and ends them: pairs when the second of them comes,
/// those that had to wait in files after all others, then reads without their mates.
///
/// The outputs are the same at any number of threads.
///
/// # Errors
/// The first fault of the input, or the failure of an output or of a temporary file.
pub fn collated(
    query: impl Into<Query>,
    options: &Options,
    plan: &Plan,
    outputs: &mut [Output],
    collation: Collation<'_>,
) -> Result<Summary, Problem> {
    let query = query.into();
    let name: Arc<str> = query.name().into();
    let texts = vec![Vec::new(); outputs.len()];
    let writer = Writer { plan, outputs, texts, summary: Summary::default() };
    let collator = Collator::new(collation.memory, collation.folder);
    let mut sink = Sink { plan, collator, writer };
    let mut problem = None;
    let result = par_fold_regions_ordered(
        query,
        options,
        || (),
        |(), batch, reads: &mut Reads| reads.fill(plan, batch),
        |(), ()| (),
        |reads| match sink.take(reads) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                problem.get_or_insert(error);
                ControlFlow::Break(())
            }
        },
    );
    let Sink { collator, mut writer, .. } = sink;
    let result = match (problem, result) {
        (Some(Problem::Input(error)), _) => Err(Problem::Input(error.in_input(&name))),
        (Some(problem), _) => Err(problem),
        (None, Err(fault)) => Err(Problem::Input(fault.error)),
        (None, Ok(_)) => collator.finish(&mut |found| writer.take(found)),
    };
    if result.is_err() {
        // They lack reads: nobody shall take them for complete.
        writer.outputs.iter_mut().for_each(Output::abandon);
    }
    result?;
    Ok(writer.finish()?)
}
