//! Reads or pairs that are there once: duplicates by sequence, name or molecular identifier are left out or written elsewhere.
//!
//! Nothing is decided by a hash: whatever two reads have in common, they are compared. Keys (the bases in two bits each) are kept
//! in a table as long as there is memory. Beyond that, what isn't known to be a duplicate waits: its key goes to temporary
//! files, in parts that have nothing in common, which are gone through one after the other; then the input is read again, and
//! what waited is written.

mod arena;
mod key;
mod levels;
mod marks;
mod parts;
mod sink;
mod slots;
mod table;

use std::fmt;
use std::hash::BuildHasher;
use std::io::{self, Seek, SeekFrom};
use std::sync::PoisonError;

use biofast_fastq::fasta::Sequences;
use biofast_fastq::pair::MateNaming;
use biofast_fastq::{self as fastq, Inputs, Unit, par_transform, par_try_transform};
use biofast_io::output::{self, Compression, Output, Writer};
use biofast_io::pipeline::Failure;
use biofast_io::{Options, Source};
use serde::Serialize;

pub use super::again::{Input, Limits, Reads};
pub use levels::{Level, Levels};

use super::split::{Amount, append};
use super::to_fastq::Names;
use key::Keys;
use marks::Marks;
use sink::{Mark, Sink, Stream, Waiting, Writers};
use table::{Exact, Near, Table};

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The bases, of pairs those of both mates.
    #[default]
    Sequence,
    /// The name, of pairs without what tells the mates apart.
    Name,
    /// The molecular identifier in the name.
    Umi,
}

/// Which of several is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The first one.
    #[default]
    First,
    /// That with the highest sum of base qualities, of pairs of both mates; of several the first one. The input is read
    /// twice.
    Best,
}

/// What makes a read or pair a duplicate.
///
/// ```
/// use biofast_ops::dedup::{Dedup, Keep};
///
/// let choice = Dedup::new().ignore_case(true).keep(Keep::Best);
/// assert!(choice.check().is_ok());
/// assert!(choice.mismatches(1).check().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dedup {
    by: By,
    umi_separator: Option<u8>,
    mismatches: u8,
    ignore_case: bool,
    either_strand: bool,
    prefix: Option<usize>,
    keep: Keep,
    mates: MateNaming,
}

/// The most mismatches.
pub const MOST_MISMATCHES: u8 = 2;

impl Dedup {
    /// The same bases, as they are written.
    pub fn new() -> Dedup {
        Dedup::default()
    }

    /// Compares something else; [`By::Umi`] needs [`umi`](Self::umi).
    pub fn by(self, by: By) -> Dedup {
        Dedup { by, ..self }
    }

    /// The molecular identifier counts, too: what follows the last `separator` in the name of the first mate. It is of letters
    /// of bases, `+`, `-` and `_`; a name without one is a fault.
    pub fn umi(self, separator: u8) -> Dedup {
        Dedup { umi_separator: Some(separator), ..self }
    }

    /// A read is a duplicate of one that is kept, stands before it and has the same length (of pairs: the same lengths) if
    /// they differ in so many places at most, both mates together. 0 to [`MOST_MISMATCHES`].
    pub fn mismatches(self, mismatches: u8) -> Dedup {
        Dedup { mismatches, ..self }
    }

    /// Whether lower-case letters are upper-case ones.
    pub fn ignore_case(self, ignore_case: bool) -> Dedup {
        Dedup { ignore_case, ..self }
    }

    /// Whether a read is the same as its reverse complement, and a pair the same as the one whose mates are exchanged: what
    /// the other strand of the fragment reads as. U is T then.
    pub fn either_strand(self, either_strand: bool) -> Dedup {
        Dedup { either_strand, ..self }
    }

    /// Compares the first bases alone, so many of each mate; a shorter read is compared as a whole.
    pub fn prefix(self, bases: usize) -> Dedup {
        Dedup { prefix: Some(bases), ..self }
    }

    /// Which one is kept.
    pub fn keep(self, keep: Keep) -> Dedup {
        Dedup { keep, ..self }
    }

    /// What makes mates, whose names are compared without what tells one from the other.
    pub fn mates(self, mates: MateNaming) -> Dedup {
        Dedup { mates, ..self }
    }

    /// Whether this can be done.
    ///
    /// # Errors
    /// What can't be done together, in words.
    pub fn check(&self) -> Result<(), &'static str> {
        let by_sequence = self.by == By::Sequence;
        if self.mismatches > MOST_MISMATCHES {
            return Err("at most 2 mismatches are possible");
        }
        if self.by == By::Name && (self.mismatches > 0 || self.umi_separator.is_some()) {
            return Err("names are equal or not: neither mismatches nor UMIs count");
        }
        if !by_sequence && (self.ignore_case || self.either_strand || self.prefix.is_some()) {
            return Err("case, strand and prefix are of sequences, which are not compared");
        }
        if self.by == By::Umi && self.umi_separator.is_none() {
            return Err("what stands before the UMI is not said");
        }
        if self.keep == Keep::Best && self.mismatches > 0 {
            return Err(
                "with mismatches the first one is kept: which others are its duplicates depends on it",
            );
        }
        Ok(())
    }

    fn table(&self, names: &Names, memory: usize) -> Box<dyn Table> {
        match self.mismatches {
            0 => Box::new(Exact::new(names.clone(), self.keep, memory)),
            most => Box::new(Near::new(names.clone(), most, memory)),
        }
    }
}

/// Where reads go.
pub struct Outputs {
    /// What is kept: one output, or one for each mate.
    pub kept: Vec<Output>,
    /// Duplicates: none, one output, or one for each mate.
    pub duplicates: Vec<Output>,
}

/// What was read and written, of first reads (or reads without mates) and second reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All.
    pub input: [Amount; 2],
    /// Those that are kept.
    pub kept: [Amount; 2],
    /// The others.
    pub duplicates: [Amount; 2],
}

impl Totals {
    fn read(&mut self, mates: &[Amount; 2]) {
        self.input.iter_mut().zip(mates).for_each(|(total, mate)| total.add(mate));
    }

    fn written(&mut self, is_new: bool, mates: &[Amount; 2]) {
        let total = if is_new { &mut self.kept } else { &mut self.duplicates };
        total.iter_mut().zip(mates).for_each(|(total, mate)| total.add(mate));
    }

    fn merge(&mut self, other: &Totals) {
        self.read(&other.input);
        self.written(true, &other.kept);
        self.written(false, &other.duplicates);
    }
}

/// What was done.
pub struct Done {
    /// The outputs, to be [committed](biofast_io::output::commit): of what is kept, then of duplicates.
    pub outputs: Vec<Output>,
    /// What was read and written.
    pub totals: Totals,
    /// How often reads or pairs were there.
    pub levels: Levels,
    /// How it was done.
    pub effort: Effort,
}

/// How it was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Whether the input, or what was kept of it in a temporary file, was read a second time.
    pub second_reading: bool,
    /// Bytes of keys and text in temporary files.
    pub stored_bytes: u64,
}

/// Why it failed.
#[derive(Debug)]
pub enum Problem {
    /// The input can't be read, or a record of it is wrong.
    Input(fastq::Error),
    /// An output can't be written.
    Output(output::Error),
    /// A temporary file can't be written or read.
    Temporary(io::Error),
    /// The input of this name was another when it was read again.
    Changed(String),
    /// What is wanted can't be done together, as [`Dedup::check`] says.
    Impossible(&'static str),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(e) => e.fmt(f),
            Problem::Output(e) => e.fmt(f),
            Problem::Temporary(e) => write!(f, "temporary files: {e}"),
            Problem::Changed(name) => write!(f, "{name} changed while it was read"),
            Problem::Impossible(why) => f.write_str(why),
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
            Problem::Changed(_) | Problem::Impossible(_) => None,
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

impl From<biofast_io::Error> for Problem {
    fn from(error: biofast_io::Error) -> Problem {
        Problem::Input(error.into())
    }
}

/// Writes each read or pair once, in the order of the input, on `options[0].threads` threads.
///
/// Which reads are kept doesn't depend on threads or memory. `limits.memory` is for keys: a read takes a quarter of a byte for
/// each base and up to 23 bytes more, a pair up to 27; where mismatches are allowed, a byte for each base and up to 130 more. Beyond it, temporary files are
/// used and the input is read again, and each read takes a bit.
///
/// ```
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::dedup::{Dedup, Input, Limits, Outputs, Reads, dedup};
///
/// let folder = std::env::temp_dir();
/// let path = folder.join(format!("biofast-doc-dedup-{}", std::process::id()));
/// let text = &b"@a\nAC\n+\nII\n@b\nG\n+\nI\n@c\nAC\n+\n!!\n"[..];
/// let reads = Reads::Single(Input::once(Source::from_reader("example", text)));
/// let outputs = Outputs {
///     kept: vec![Output::create_with(&path, Default::default())?],
///     duplicates: Vec::new(),
/// };
/// let limits = Limits { memory: 64 << 20, folder };
/// let options = [Options::default(), Options::default()];
/// let done = dedup(reads, options, &Dedup::new(), &limits, outputs)?;
/// output::commit(done.outputs, false)?;
/// assert_eq!(std::fs::read(&path)?, b"@a\nAC\n+\nII\n@b\nG\n+\nI\n");
/// assert_eq!(done.totals.duplicates[0].sum.records, 1);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, or the failure of an output or of a temporary file; or what [`Dedup::check`] says.
pub fn dedup(
    reads: Reads,
    options: [Options; 2],
    choice: &Dedup,
    limits: &Limits,
    outputs: Outputs,
) -> Result<Done, Problem> {
    choice.check().map_err(Problem::Impossible)?;
    let paired = reads.is_paired();
    let (inputs, reopen) = reads.into_inputs();
    let names = Names::new();
    let threads = options[0].threads;
    let Outputs { kept, duplicates } = outputs;
    let number = (kept.len() + duplicates.len()).max(1);
    let sizes = [kept.len(), duplicates.len()];
    // With one thread whoever gives the text compresses it.
    let each = if threads < 2 { 1 } else { threads.div_ceil(number).max(2) };
    let writers = |outputs: Vec<Output>| -> Result<Vec<Writer>, Problem> {
        let writers = outputs.into_iter().map(|output| Writer::new(output, each));
        writers.collect::<Result<_, _>>().map_err(Problem::Output)
    };
    let mut sink = Sink {
        table: choice.table(&names, limits.memory),
        names: names.clone(),
        limits: limits.clone(),
        writers: Writers { kept: writers(kept)?, duplicates: writers(duplicates)? },
        totals: Totals::default(),
        units: 0,
        waiting: None,
        spools: reopen.is_none(),
    };
    if choice.keep == Keep::Best {
        sink.wait()?;
    }
    let has_text = choice.keep == Keep::First || reopen.is_none();
    let sink = first_reading(inputs, options.clone(), choice, &names, has_text, sink)?;
    let (mut levels, mut effort) = (Levels::default(), Effort::default());
    sink.count(&mut levels);
    let Sink { table, writers: Writers { kept, duplicates }, mut totals, waiting, .. } = sink;
    // Its memory is needed.
    drop(table);
    let mut outputs = Vec::new();
    for writer in kept.into_iter().chain(duplicates) {
        outputs.push(writer.into_output().map_err(Problem::Output)?);
    }
    let Some(Waiting { mut marks, parts, spool }) = waiting else {
        return Ok(Done { outputs, totals, levels, effort });
    };
    if let Some(parts) = parts {
        effort.stored_bytes += parts.stored();
        let table = || choice.table(&names, limits.memory);
        parts.decide(table, &mut marks, &mut levels).map_err(Problem::Temporary)?;
    }
    // What was noticed is noticed once.
    let options = options.map(|options| Options { notes: None, progress: None, ..options });
    effort.second_reading = true;
    let rest = match (spool, &reopen) {
        (Some(spool), _) => {
            let into_file = || -> io::Result<_> {
                let mut file = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
                let len = file.stream_position()?;
                file.seek(SeekFrom::Start(0))?;
                Ok((len, file))
            };
            let (len, file) = into_file().map_err(Problem::Temporary)?;
            effort.stored_bytes += len;
            let source = Sequences(Source::from_reader("the temporary file", file));
            let inputs = if paired { Inputs::Interleaved(source) } else { Inputs::Single(source) };
            second_reading(inputs, options, &marks, marks.first(), sizes, &mut outputs)?
        }
        (None, Some(reopen)) => {
            let rest = second_reading(reopen.open()?, options, &marks, 0, sizes, &mut outputs);
            // A fault that wasn't there before is one of the change.
            reopen.check()?;
            let rest = rest?;
            for (mate, (now, then)) in rest.input.iter().zip(&totals.input).enumerate() {
                if now != then {
                    return Err(Problem::Changed(reopen.name(mate)));
                }
            }
            rest
        }
        (None, None) => Totals::default(),
    };
    totals.merge(&Totals { input: Default::default(), ..rest });
    Ok(Done { outputs, totals, levels, effort })
}

/// Looks at all units in their order, and writes those about which everything is known.
fn first_reading(
    inputs: Inputs<Sequences>,
    options: [Options; 2],
    choice: &Dedup,
    names: &Names,
    has_text: bool,
    sink: Sink,
) -> Result<Sink, Problem> {
    let (stream, shared) = Stream::new(sink);
    let mut outputs = [Output::stream("reads", stream, Compression::default())];
    let result = par_try_transform(
        inputs,
        options,
        None,
        &mut outputs,
        || Keys::new(choice),
        |keys, unit, texts| -> Result<(), String> {
            let out = &mut texts[0];
            let mut mark = Mark::default();
            let at = out.len();
            out.extend_from_slice(&mark.to_bytes());
            mark.key = match keys.make(&unit, out) {
                Ok(lens) => lens,
                Err(why) => {
                    out.truncate(at);
                    return Err(why);
                }
            };
            let key = at + Mark::LEN;
            mark.hash = names.hash_one(&out[key..key + mark.key.key]);
            for (mate, record) in mates(&unit) {
                if choice.keep == Keep::Best {
                    let sum = |sum: u64, &quality: &u8| sum + u64::from(quality.saturating_sub(33));
                    mark.score = record.qualities().iter().fold(mark.score, sum);
                }
                mark.mates[mate] = Amount::of(&record);
                if has_text {
                    let before = out.len();
                    append(out, &record);
                    mark.texts[mate] = out.len() - before;
                }
            }
            out[at..key].copy_from_slice(&mark.to_bytes());
            Ok(())
        },
        |_, _| (),
    )
    .map(|_| ());
    drop(outputs);
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    // The stream's own error says only that there is one.
    if let Some(problem) = shared.problem.take() {
        return Err(problem);
    }
    result?;
    shared.sink.take().ok_or_else(|| Problem::Temporary(io::Error::other("no reads came")))
}

/// Writes the units that waited; `first` is the number of the first unit of these inputs.
fn second_reading(
    inputs: Inputs<Sequences>,
    options: [Options; 2],
    marks: &Marks,
    first: u64,
    [kept, duplicates]: [usize; 2],
    outputs: &mut [Output],
) -> Result<Totals, Problem> {
    let totals = par_transform(
        inputs,
        options,
        None,
        outputs,
        Totals::default,
        |totals, unit, texts| {
            let ordinal = first + unit.index;
            let waits = ordinal >= marks.first();
            let is_new = !marks.has(ordinal);
            let (start, files) = if is_new { (0, kept) } else { (kept, duplicates) };
            let mut amounts = [Amount::default(); 2];
            for (mate, record) in mates(&unit) {
                amounts[mate] = Amount::of(&record);
                if waits && files > 0 {
                    append(&mut texts[start + mate.min(files - 1)], &record);
                }
            }
            totals.read(&amounts);
            if waits {
                totals.written(is_new, &amounts);
            }
        },
        |totals, other| totals.merge(&other),
    )?;
    Ok(totals)
}

/// The reads of a unit, with the numbers of the mates.
fn mates<'a>(unit: &Unit<'a>) -> impl Iterator<Item = (usize, fastq::Record<'a>)> + use<'a> {
    std::iter::once((0, unit.first)).chain(unit.second.map(|second| (1, second)))
}

#[cfg(test)]
mod tests;
