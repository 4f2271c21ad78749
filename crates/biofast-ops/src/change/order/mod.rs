//! Reads in another order: by length, name or sequence, or shuffled, in bounded memory.
//!
//! Workers make a key for each read or pair and the text it becomes; whoever takes them in order gathers them, and where they
//! take more memory than they may, sorts what there is and puts it into a temporary file. In the end all is merged. Units of equal
//! keys stay in the order of the input, so the result depends neither on memory nor on threads.

mod keys;
mod runs;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_fastq::{self as fastq, Inputs, Readable, par_try_transform};
use biofast_io::output::{self, Compression, Output, Writer};
use biofast_io::pipeline::Failure;
use biofast_io::{Options, Phase};

pub use super::again::Kept;
use super::convert::{Convert, Summary, Worker};
use super::pending::Pending;
pub use keys::By;
pub(super) use runs::Runs;

/// How much memory there is, and where what is more goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Bytes for reads that wait.
    pub memory: usize,
    /// The folder of temporary files.
    pub folder: &'a Path,
}

/// Why it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The input can't be read, or a read can't be written so.
    Input(fastq::Error),
    /// An output can't be written.
    Output(output::Error),
    /// A temporary file can't be written or read.
    Temporary(io::Error),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Input(error) => error.fmt(f),
            Problem::Output(error) => error.fmt(f),
            Problem::Temporary(error) => write!(f, "can't use a temporary file: {error}"),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The errors themselves are all of the message.
        match self {
            Problem::Input(error) => error.source(),
            Problem::Output(error) => error.source(),
            Problem::Temporary(error) => std::error::Error::source(error),
        }
    }
}

impl From<Failure<fastq::Error>> for Problem {
    fn from(failure: Failure<fastq::Error>) -> Problem {
        match failure {
            Failure::Input(error) => Problem::Input(error),
            Failure::Output(error) => Problem::Output(error),
        }
    }
}

impl From<output::Error> for Problem {
    fn from(error: output::Error) -> Problem {
        Problem::Output(error)
    }
}

/// What has been done.
pub struct Done {
    /// Reads and bases.
    pub summary: Summary,
    /// The outputs, to be committed.
    pub outputs: Vec<Output>,
    /// How many sorted runs went to temporary files.
    pub stored_runs: u64,
    /// Their bytes, those of runs that were merged to longer ones among them.
    pub stored_bytes: u64,
}

/// What stands before a key and its texts in the stream of units, and in temporary files.
#[derive(Clone, Copy)]
pub(crate) struct Lengths {
    key: u32,
    texts: [u32; 2],
}

impl Lengths {
    const LEN: usize = 12;

    fn to_bytes(self) -> [u8; Lengths::LEN] {
        let mut bytes = [0; Lengths::LEN];
        for (bytes, number) in
            bytes.chunks_exact_mut(4).zip([self.key, self.texts[0], self.texts[1]])
        {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; Lengths::LEN]) -> Lengths {
        let number = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Lengths { key: number(0), texts: [number(4), number(8)] }
    }

    /// Appends a unit to `out`; `key` appends its key.
    pub(crate) fn write(
        out: &mut Vec<u8>,
        key: impl FnOnce(&mut Vec<u8>),
        texts: [&[u8]; 2],
    ) -> Result<(), String> {
        let at = out.len();
        out.extend_from_slice(&[0; Lengths::LEN]);
        key(out);
        let key = out.len() - at - Lengths::LEN;
        let lengths = [key, texts[0].len(), texts[1].len()].map(u32::try_from);
        let [Ok(key), Ok(one), Ok(two)] = lengths else {
            return Err("a read of more than 4 GiB can't be put in order".into());
        };
        let lengths = Lengths { key, texts: [one, two] };
        out[at..at + Lengths::LEN].copy_from_slice(&lengths.to_bytes());
        texts.iter().for_each(|text| out.extend_from_slice(text));
        Ok(())
    }

    /// Bytes of all that follows.
    fn sum(self) -> usize {
        self.key as usize + self.texts[0] as usize + self.texts[1] as usize
    }
}

/// Writes what [`Convert`] makes of `inputs` to `outputs` in the order `by`: one output, or two of mates, and one more for names, which come in
/// the order of the input. `reverse` turns the order round, but for equal keys.
///
/// ```
/// use biofast_fastq::Inputs;
/// use biofast_fastq::fasta::Sequences;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::{Convert, Format};
/// use biofast_ops::order::{By, Limits, order};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-order-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fq");
/// let reads = &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..];
/// let outputs = vec![Output::create_with(&path, Default::default())?];
/// let done = order(
///     Inputs::Single(Sequences(Source::from_reader("example", reads))),
///     [Options::default(), Options::default()],
///     &Convert::to(Format::Fastq),
///     (By::Length, false),
///     Limits { memory: 1 << 20, folder: &folder },
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
    (by, reverse): (By, bool),
    limits: Limits<'_>,
    mut outputs: Vec<Output>,
) -> Result<Done, Problem> {
    let names = if convert.names { outputs.pop() } else { None };
    let files = outputs.len().clamp(1, 2);
    let progress = options[0].progress.clone();
    let begin_phase = |name, total| {
        progress.iter().for_each(|progress| progress.begin_phase(Phase { name, total }));
    };
    begin_phase("reading and sorting", None);
    let threads = options[0].threads;
    let limit = Some(*convert.units.end()).filter(|&end| end < u64::MAX);
    let runs = Runs::new(limits, reverse, threads);
    let (stream, shared) = Shared::stream(runs);
    let mut through: Vec<Output> = std::iter::once(stream).chain(names).collect();
    let result = par_try_transform(
        inputs,
        options,
        limit,
        &mut through,
        || (Worker::default(), [Vec::new(), Vec::new(), Vec::new()]),
        |(worker, own), unit, texts| -> Result<(), String> {
            own.iter_mut().for_each(Vec::clear);
            if !convert.write(&unit, worker, files, &mut own[..])? {
                return Ok(());
            }
            let [first, second, names] = own;
            // With one file the names are the text after it.
            let (second, names) =
                if files == 2 { (&second[..], &names[..]) } else { (&[][..], &second[..]) };
            Lengths::write(&mut texts[0], |out| by.write(&unit, out), [first, second])?;
            if let Some(text) = texts.get_mut(1) {
                text.extend_from_slice(names);
            }
            Ok(())
        },
        |(worker, _), (other, _)| worker.merge(&other),
    );
    let names = through.drain(..).nth(1);
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    // The stream's own error says only that there is one.
    if let Some(problem) = shared.problem.take() {
        return Err(Problem::Temporary(problem));
    }
    let (worker, _) = result?;
    let mut writers = Vec::new();
    let share = if threads < 2 { 1 } else { threads.div_ceil(outputs.len()).max(2) };
    for output in outputs {
        writers.push(Writer::new(output, share)?);
    }
    begin_phase("writing", Some(worker.summary().output[0].records));
    shared.runs.finish(|unit| -> Result<(), Problem> {
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
    Ok(Done { summary: *worker.summary(), outputs, stored_runs, stored_bytes })
}

/// What takes the units in order.
pub(super) struct Shared {
    pub(super) runs: Runs,
    pub(super) problem: Option<io::Error>,
    /// The beginning of a unit whose end hasn't come.
    pending: Pending,
}

impl Shared {
    /// What gives text to `runs`, and what is left when it has ended.
    pub(super) fn stream(runs: Runs) -> (Output, Arc<Mutex<Shared>>) {
        let shared = Shared { runs, problem: None, pending: Pending::default() };
        let shared = Arc::new(Mutex::new(shared));
        let stream = Stream(Arc::clone(&shared));
        (Output::stream("reads", stream, Compression::default()), shared)
    }
}

struct Stream(Arc<Mutex<Shared>>);

impl io::Write for Stream {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Shared { runs, problem, pending } = &mut *shared;
        match pending.add(text, |text| runs.take(text)) {
            Ok(()) => Ok(text.len()),
            Err(error) => {
                problem.get_or_insert(error);
                Err(io::Error::other("a temporary file can't be written"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
