//! Reads in another order: by length, name, sequence or similarity, or shuffled, in bounded memory.
//!
//! Workers make a key for each read or pair and the text it becomes; whoever takes them in order gathers them, and where they
//! take more memory than they may, sorts what there is and puts it into a temporary file. In the end all is merged. Units of equal
//! keys stay in the order of the input, so the result depends neither on memory nor on threads.

pub(in crate::change) mod keys;

use std::sync::PoisonError;

use biofast_fastq::{Inputs, Readable, Refusal, Transform};
use biofast_io::output::{Output, Writer, threads_of_each};
use biofast_io::{Options, Phase};

pub use super::again::SpooledStream;
use super::convert::{Convert, ConvertSummary, ConvertWorker};
pub use super::spill::SpillLimits;
use super::spill::runs::{KeyLengths, SharedRuns, UnitRuns};
use crate::Error;
use keys::KeyMaker;
pub use keys::OrderBy;

/// What has been done.
pub struct OrderResult {
    /// Reads and bases.
    pub summary: ConvertSummary,
    /// The outputs, to be committed.
    pub outputs: Vec<Output>,
    /// How many sorted runs went to temporary files.
    pub stored_runs: u64,
    /// Their bytes, those of runs that were merged to longer ones among them.
    pub stored_bytes: u64,
}

/// Writes what [`Convert`] makes of `inputs` to `outputs` in the order `by`: one output, or two of mates, and one more for names, which come in
/// the order of the input. `reverse` turns the order round, but for equal keys.
///
/// ```
/// use biofast_fastq::Inputs;
/// use biofast_fastq::fasta::Sequences;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::{Convert, OutputFormat};
/// use biofast_ops::order::{OrderBy, SpillLimits, order};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-order-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fq");
/// let reads = &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..];
/// let outputs = vec![Output::create_with(&path, Default::default())?];
/// let done = order(
///     Inputs::Single(Sequences(Source::from_reader("example", reads))),
///     [Options::default(), Options::default()],
///     &Convert::to(OutputFormat::Fastq),
///     (OrderBy::Length, false),
///     &SpillLimits { memory: 1 << 20, folder: folder.clone() },
///     outputs,
/// )?;
/// output::commit(done.outputs, false)?;
/// assert_eq!(std::fs::read(&path)?, b"@b\nGG\n+\nII\n@a\nACGT\n+\nIIII\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, or the failure of an output or of a temporary file.
pub fn order<S: Readable>(
    inputs: Inputs<S>,
    options: [Options; 2],
    convert: &Convert,
    (by, reverse): (OrderBy, bool),
    limits: &SpillLimits,
    mut outputs: Vec<Output>,
) -> Result<OrderResult, Error> {
    let names = if convert.names { outputs.pop() } else { None };
    let files = outputs.len().clamp(1, 2);
    let progress = options[0].progress.clone();
    let begin_phase = |name, total| {
        progress.iter().for_each(|progress| progress.begin_phase(Phase { name, total }));
    };
    begin_phase("reading and sorting", None);
    let threads = options[0].threads;
    let limit = Some(*convert.units.end()).filter(|&end| end < u64::MAX);
    let runs = UnitRuns::new(limits, reverse, threads);
    let (stream, shared) = SharedRuns::stream(runs);
    let mut through: Vec<Output> = std::iter::once(stream).chain(names).collect();
    let result = Transform::new(inputs).options_of_each(options).limit(limit).run(
        &mut through,
        || (ConvertWorker::default(), [Vec::new(), Vec::new(), Vec::new()], KeyMaker::new(by)),
        |(worker, own, keys), unit, texts| -> Result<(), Refusal> {
            own.iter_mut().for_each(Vec::clear);
            if !convert.write(&unit, worker, files, &mut own[..])? {
                return Ok(());
            }
            let [first, second, names] = own;
            // With one file the names are the text after it.
            let (second, names) =
                if files == 2 { (&second[..], &names[..]) } else { (&[][..], &second[..]) };
            KeyLengths::write(&mut texts[0], |out| keys.write(&unit, out), [first, second])?;
            if let Some(text) = texts.get_mut(1) {
                text.extend_from_slice(names);
            }
            Ok(())
        },
        |(worker, ..), (other, ..)| worker.merge(&other),
    );
    let names = through.drain(..).nth(1);
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    // The stream's own error says only that there is one.
    if let Some(problem) = shared.problem.take() {
        return Err(Error::ScratchFile(problem));
    }
    let (worker, ..) = result?;
    let mut writers = Vec::new();
    let share = threads_of_each(threads, outputs.len());
    for output in outputs {
        writers.push(Writer::new(output, share)?);
    }
    begin_phase("writing", Some(worker.summary().output[0].records));
    shared.runs.finish(|unit| {
        progress.iter().for_each(|progress| progress.advance(1));
        for (writer, text) in writers.iter_mut().zip(unit.texts) {
            writer.append(text)?;
        }
        Ok(())
    })?;
    let mut outputs = Vec::new();
    for writer in writers {
        outputs.push(writer.into_output()?);
    }
    outputs.extend(names);
    let (stored_runs, stored_bytes) = shared.runs.stored();
    Ok(OrderResult { summary: *worker.summary(), outputs, stored_runs, stored_bytes })
}
