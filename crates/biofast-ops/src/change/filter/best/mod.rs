//! The best of long reads: as many bases as are wanted, of the reads with the best scores, as Filtlong chooses them.
//!
//! The input is read once before it is filtered: [`find`] scores what the filter would keep, and remembers one bit for each
//! read. Scores wait in a temporary file, 24 bytes each.

mod choose;
mod chosen;
mod score;

use std::convert::Infallible;
use std::io;
use std::path::Path;

use biofast_fastq::{Inputs, Readable};
use biofast_io::{Options, Source};

use super::rows::UnitRows;
use super::{Filter, FilterWorker, ReadSink, Reason, TrimmedRead};
use choose::ScoredRead;

use crate::Error;
pub use chosen::BestReads;
pub use score::{Measures, Scoring};

/// How many bases to keep. If both limits are given, the lower one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BestTarget {
    /// So many percent of the bases of the input.
    pub percent: Option<f64>,
    /// So many bases.
    pub bases: Option<u64>,
}

impl BestTarget {
    /// The bases of an input of so many.
    pub fn of(&self, total: u64) -> u64 {
        let share =
            self.percent.map_or(u64::MAX, |percent| (percent / 100.0 * total as f64) as u64);
        share.min(self.bases.unwrap_or(u64::MAX))
    }
}

/// Reads all reads, up to `limit` of them, and finds the best of those that `filter` keeps. Scores wait in a temporary file in
/// `folder`.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::filter::Filter;
/// use biofast_ops::filter::best::{BestTarget, Scoring, find};
///
/// let reads = &b"@a\nACGT\n+\n!!!!\n@b\nACGT\n+\nIIII\n"[..];
/// let best = find(
///     Source::from_reader("example", reads),
///     &Options::default(),
///     None,
///     &Filter::new(),
///     (BestTarget { percent: Some(50.0), bases: None }, Scoring::default()),
///     &std::env::temp_dir(),
/// )?;
/// assert_eq!((best.takes(0), best.takes(1), best.kept), (false, true, 4));
/// # Ok::<(), biofast_ops::Error>(())
/// ```
///
/// # Errors
/// The first fault of the input, or the failure of the temporary file.
pub fn find(
    source: Source,
    options: &Options,
    limit: Option<u64>,
    filter: &Filter,
    (target, scoring): (BestTarget, Scoring),
    folder: &Path,
) -> Result<BestReads, Error> {
    find_in(Inputs::Single(source), options, limit, filter, (target, scoring), folder)
}

fn find_in<S: Readable>(
    inputs: Inputs<S>,
    options: &Options,
    limit: Option<u64>,
    filter: &Filter,
    (target, scoring): (BestTarget, Scoring),
    folder: &Path,
) -> Result<BestReads, Error> {
    let (mut rows, (_, total)) = UnitRows::gather(
        inputs,
        (options, limit),
        folder,
        || (filter.worker(), 0u64),
        |(worker, total), unit| {
            *total += unit.first.sequence().len() as u64;
            let mut judge = Judge { window: scoring.window, row: ScoredRead::default() };
            let Ok(()) = FilterWorker::apply_to(worker, unit, [false; 2], &mut judge);
            judge.row.to_bytes()
        },
        |(worker, total), (other, more)| {
            worker.merge(other);
            *total += more;
        },
    )?;
    let read = |visit: &mut dyn FnMut(ScoredRead)| -> io::Result<()> {
        rows.each(&mut |row| visit(ScoredRead::from_bytes(row)))
    };
    choose::choose(read, (target.of(total), total), &scoring).map_err(Error::ScratchFile)
}

/// Measures what is kept of a read.
struct Judge {
    window: usize,
    row: ScoredRead,
}

impl ReadSink for Judge {
    type Error = Infallible;

    fn keep(
        &mut self,
        read: &TrimmedRead<'_>,
        _: &[u8],
        _: usize,
        _: usize,
    ) -> Result<(), Infallible> {
        self.row =
            ScoredRead { measures: Measures::of(read.qualities(), self.window), passed: true };
        Ok(())
    }

    fn reject(&mut self, read: &TrimmedRead<'_>, _: usize, _: Reason) -> Result<(), Infallible> {
        self.row =
            ScoredRead { measures: Measures::of(read.qualities(), self.window), passed: false };
        Ok(())
    }
}
