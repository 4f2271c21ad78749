//! Reads or pairs to several files, in their order: by number, by bases, by text, or to a number of files.
//!
//! Parts that are written one after the other are cut by whoever takes the reads in order, as only there it is known how
//! much is before them; where reads go to all parts in turn, each worker knows.

mod series;
mod turns;

use std::fmt;
use std::num::NonZeroU64;

use biofast_fastq::{self as fastq, Inputs, Readable, Record, Unit};
use biofast_io::Options;
use biofast_io::output::{self, Output};
use biofast_io::pipeline::Failure;

use crate::measure::records::{Checksum, Sum};

/// Where a part ends. Pairs count as one and stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// After so many reads or pairs.
    Reads(NonZeroU64),
    /// As soon as it has so many bases, of both mates.
    Bases(NonZeroU64),
    /// Before it would have more bytes of text than this; a read or pair that has more is a part of its own.
    Bytes(NonZeroU64),
    /// Never: each read or pair goes to the next of so many parts, and after the last to the first again.
    Turns(NonZeroU64),
    /// So that there are so many parts of the same number of reads or pairs, or of one less.
    Blocks {
        /// The number of parts.
        parts: NonZeroU64,
        /// Of reads or pairs in the input.
        total: u64,
    },
}

impl Rule {
    /// The number of parts, where it doesn't depend on the reads.
    ///
    /// ```
    /// use biofast_ops::split::Rule;
    /// use std::num::NonZeroU64;
    ///
    /// let four = NonZeroU64::new(4).ok_or("zero")?;
    /// assert_eq!(Rule::Turns(four).parts(), Some(4));
    /// assert_eq!(Rule::Reads(four).parts(), None);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn parts(&self) -> Option<u64> {
        match self {
            Rule::Turns(parts) | Rule::Blocks { parts, .. } => Some(parts.get()),
            Rule::Reads(_) | Rule::Bases(_) | Rule::Bytes(_) => None,
        }
    }
}

/// What some reads are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Their number and checksum.
    pub sum: Sum,
    /// Their bases.
    pub bases: u64,
}

impl Amount {
    pub(super) fn of(record: &Record<'_>) -> Amount {
        let sum = Sum { records: 1, checksum: Checksum::of(record) };
        Amount { sum, bases: record.sequence().len() as u64 }
    }

    /// Adds other reads.
    pub fn add(&mut self, other: &Amount) {
        self.sum.add(other.sum);
        self.bases += other.bases;
    }
}

/// What a part holds: first reads, or reads without mates, and second reads.
pub type Part = [Amount; 2];

/// What has been written.
pub struct Parts {
    /// The outputs of all parts in their order, to be [committed](biofast_io::output::commit); of each part that of first reads first.
    pub outputs: Vec<Output>,
    /// What the parts hold.
    pub parts: Vec<Part>,
}

impl Parts {
    /// What all parts hold, which is what has been read.
    pub fn total(&self) -> Part {
        let mut total = Part::default();
        for part in &self.parts {
            total.iter_mut().zip(part).for_each(|(total, amount)| total.add(amount));
        }
        total
    }
}

/// Where parts go.
pub struct Target<O> {
    /// Outputs of each part: 2 for first and second reads, or 1 for both.
    pub files: usize,
    /// Opens an output of a part, given the part's number, counted from 1, and the number of the output, 0 or 1. All have the
    /// same compression.
    pub open: O,
    /// Whether files that are complete are to be on disk before the next one begins.
    pub sync: bool,
}

/// Why it failed; `E` is why an output couldn't be opened.
#[derive(Debug)]
pub enum Problem<E> {
    /// The input can't be read, or a record of it is wrong.
    Input(fastq::Error),
    /// An output can't be written.
    Output(output::Error),
    /// An output can't be opened.
    Open(E),
}

impl<E: fmt::Display> fmt::Display for Problem<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(e) => e.fmt(f),
            Problem::Output(e) => e.fmt(f),
            Problem::Open(e) => e.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Problem<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The errors themselves are all of the message.
        match self {
            Problem::Input(error) => error.source(),
            Problem::Output(error) => error.source(),
            Problem::Open(error) => error.source(),
        }
    }
}

impl<E> From<Failure<fastq::Error>> for Problem<E> {
    fn from(failure: Failure<fastq::Error>) -> Problem<E> {
        match failure {
            Failure::Input(error) => Problem::Input(error),
            Failure::Output(error) => Problem::Output(error),
        }
    }
}

/// Writes the reads of `inputs` to the parts that `rule` makes of them, in their order, on `options[0].threads` threads.
/// There is at least one part, which may be empty. Records of [FASTA](biofast_fastq::fasta) stay FASTA, in lines of 60 bases.
///
/// Parts that are written one after the other are closed as they are complete, so that any number of them fits the limit of
/// open files; of [`Rule::Turns`] all are open at once. All of them appear together.
///
/// ```
/// use std::num::NonZeroU64;
///
/// use biofast_fastq::Inputs;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::split::{Rule, Target, split};
///
/// let folder = std::env::temp_dir().join(format!("biofast-doc-split-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let names = folder.clone();
/// let target = Target {
///     files: 1,
///     open: move |part: u64, _: usize| Output::create_with(&names.join(format!("{part}.fq")), Default::default()),
///     sync: false,
/// };
/// let reads = Source::from_reader("example", &b"@a\nAC\n+\nII\n@b\nG\n+\nI\n@c\nT\n+\nI\n"[..]);
/// let rule = Rule::Reads(NonZeroU64::new(2).ok_or("zero")?);
/// let written = split(Inputs::Single(reads), [Options::default(), Options::default()], rule, target)?;
/// assert_eq!((written.parts.len(), written.total()[0].bases), (2, 4));
/// output::commit(written.outputs, false)?;
/// assert_eq!(std::fs::read(folder.join("2.fq"))?, b"@c\nT\n+\nI\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, or the failure of an output.
pub fn split<E, O, S>(
    inputs: Inputs<S>,
    options: [Options; 2],
    rule: Rule,
    target: Target<O>,
) -> Result<Parts, Problem<E>>
where
    E: Send + 'static,
    O: FnMut(u64, usize) -> Result<Output, E> + Send + 'static,
    S: Readable,
{
    let target = Target { files: target.files.clamp(1, 2), ..target };
    match rule {
        Rule::Turns(parts) => turns::split(inputs, options, parts, target),
        _ => series::split(inputs, options, rule, target),
    }
}

/// The reads of a unit, and which output of a part each goes to.
fn reads<'a>(
    unit: &Unit<'a>,
    files: usize,
) -> impl Iterator<Item = (usize, Record<'a>, usize)> + use<'a> {
    let second = unit.second.map(|second| (1, second, files.saturating_sub(1).min(1)));
    std::iter::once((0, unit.first, 0)).chain(second)
}

/// Appends a record to a text.
pub(super) fn append(text: &mut Vec<u8>, record: &Record<'_>) {
    // Only files and streams fail.
    let _ = fastq::write_record(text, record);
}
