//! The best of long reads: as many bases as are wanted, of the reads with the best scores, as Filtlong chooses them.
//!
//! The input is read once before it is filtered: [`find`] scores what the filter would keep, and remembers one bit for each
//! read. Scores wait in a temporary file, 24 bytes each.

mod choose;
mod score;

use std::convert::Infallible;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_fastq::{self as fastq, Inputs, Readable, par_transform};
use biofast_io::output::{self, Compression, Output};
use biofast_io::pipeline::Failure;
use biofast_io::{Options, Source};

use super::{Filter, Read, Reason, Sink, Worker};
use crate::change::temporary::Temporary;
use choose::Row;

pub use score::{Measures, Scoring};

/// How many bases are kept; of both bounds the lower one.
///
/// ```
/// use biofast_ops::filter::best::Target;
///
/// let target = Target { percent: Some(90.0), bases: Some(500_000_000) };
/// assert_eq!(target.of(100), 90);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// So many percent of the bases of the input.
    pub percent: Option<f64>,
    /// So many bases.
    pub bases: Option<u64>,
}

impl Target {
    /// The bases of an input of so many.
    pub fn of(&self, total: u64) -> u64 {
        let share =
            self.percent.map_or(u64::MAX, |percent| (percent / 100.0 * total as f64) as u64);
        share.min(self.bases.unwrap_or(u64::MAX))
    }
}

/// Which reads are among the best, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Best {
    bits: Vec<u64>,
    /// The bases of the input.
    pub total: u64,
    /// How many are wanted.
    pub target: u64,
    /// Those of the reads that are among the best.
    pub kept: u64,
}

impl Best {
    /// Whether the read of this number, from 0 on, is one of them.
    pub fn takes(&self, index: u64) -> bool {
        let word = usize::try_from(index / 64).ok().and_then(|word| self.bits.get(word));
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Adds the next read.
    fn push(&mut self, index: u64, takes: bool) {
        if index.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(word) = self.bits.last_mut() {
            *word |= u64::from(takes) << (index % 64);
        }
    }
}

/// Why it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The input can't be read.
    Input(fastq::Error),
    /// The temporary file can't be written or read.
    Temporary(io::Error),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Input(error) => error.fmt(f),
            Problem::Temporary(error) => write!(f, "can't use a temporary file: {error}"),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Problem::Input(error) => error.source(),
            Problem::Temporary(error) => error.source(),
        }
    }
}

impl From<output::Error> for Problem {
    fn from(error: output::Error) -> Problem {
        Problem::Temporary(error.into())
    }
}

/// Reads all reads, up to `limit` of them, and finds the best of those that `filter` keeps. Scores wait in a temporary file in
/// `folder`.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::filter::Filter;
/// use biofast_ops::filter::best::{Scoring, Target, find};
///
/// let reads = &b"@a\nACGT\n+\n!!!!\n@b\nACGT\n+\nIIII\n"[..];
/// let best = find(
///     Source::from_reader("example", reads),
///     &Options::default(),
///     None,
///     &Filter::new(),
///     (Target { percent: Some(50.0), bases: None }, Scoring::default()),
///     &std::env::temp_dir(),
/// )?;
/// assert_eq!((best.takes(0), best.takes(1), best.kept), (false, true, 4));
/// # Ok::<(), biofast_ops::filter::best::Problem>(())
/// ```
///
/// # Errors
/// The first fault of the input, or the failure of the temporary file.
pub fn find(
    source: Source,
    options: &Options,
    limit: Option<u64>,
    filter: &Filter,
    (target, scoring): (Target, Scoring),
    folder: &Path,
) -> Result<Best, Problem> {
    find_in(Inputs::Single(source), options, limit, filter, (target, scoring), folder)
}

fn find_in<S: Readable>(
    inputs: Inputs<S>,
    options: &Options,
    limit: Option<u64>,
    filter: &Filter,
    (target, scoring): (Target, Scoring),
    folder: &Path,
) -> Result<Best, Problem> {
    let file = Temporary::create(folder).map_err(Problem::Temporary)?;
    let rows = Arc::new(Mutex::new((BufWriter::new(file), None)));
    let stream = Output::stream("scores", Rows(Arc::clone(&rows)), Compression::default());
    let mut outputs = [stream];
    let result = par_transform(
        inputs,
        [options.clone(), options.clone()],
        limit,
        &mut outputs,
        || (filter.worker(), 0u64),
        |(worker, total), unit, texts| {
            *total += unit.first.sequence().len() as u64;
            let mut judge = Judge { window: scoring.window, row: Row::default() };
            let Ok(()) = Worker::apply_to(worker, unit, [false; 2], &mut judge);
            if let Some(text) = texts.first_mut() {
                text.extend_from_slice(&judge.row.to_bytes());
            }
        },
        |(worker, total), (other, more)| {
            worker.merge(other);
            *total += more;
        },
    );
    drop(outputs);
    let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, problem) = &mut *rows;
    if let Some(problem) = problem.take() {
        return Err(Problem::Temporary(problem));
    }
    let (_, total) = match result {
        Ok(done) => done,
        Err(Failure::Input(error)) => return Err(Problem::Input(error)),
        Err(Failure::Output(error)) => return Err(error.into()),
    };
    file.flush().map_err(Problem::Temporary)?;
    let file = file.get_mut();
    let read = |visit: &mut dyn FnMut(Row)| -> io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        choose::each(&mut *file, visit)
    };
    choose::choose(read, (target.of(total), total), &scoring).map_err(Problem::Temporary)
}

/// What is written of reads in order.
struct Rows(Arc<Mutex<(BufWriter<Temporary>, Option<io::Error>)>>);

impl Write for Rows {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, problem) = &mut *rows;
        match file.write_all(text) {
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

/// Measures what is kept of a read.
struct Judge {
    window: usize,
    row: Row,
}

impl Sink for Judge {
    type Error = Infallible;

    fn keep(&mut self, read: &Read<'_>, _: &[u8], _: usize, _: usize) -> Result<(), Infallible> {
        self.row = Row { measures: Measures::of(read.qualities(), self.window), passed: true };
        Ok(())
    }

    fn reject(&mut self, read: &Read<'_>, _: usize, _: Reason) -> Result<(), Infallible> {
        self.row = Row { measures: Measures::of(read.qualities(), self.window), passed: false };
        Ok(())
    }
}
