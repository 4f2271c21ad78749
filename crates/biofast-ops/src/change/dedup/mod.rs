//! Reads or pairs that are there once: duplicates by sequence, name or molecular identifier are left out or written elsewhere.
//!
//! Nothing is decided by a hash: whatever two reads have in common, they are compared. Keys (the bases in two bits each) are kept
//! in a table as long as there is memory. Beyond that, what isn't known to be a duplicate waits: its key goes to temporary
//! files, in parts that have nothing in common, which are gone through one after the other; then the input is read again, and
//! what waited is written.

mod arena;
mod choice;
mod key;
mod levels;
mod marks;
mod parts;
mod sink;
mod slots;
mod table;

use std::hash::BuildHasher;
use std::io::{self, Seek, SeekFrom};
use std::sync::PoisonError;

use biofast_fastq::fasta::Sequences;
use biofast_fastq::{self as fastq, Inputs, Transform, Unit};
use biofast_io::output::{Compression, Output, Writer, threads_of_each};
use biofast_io::{Options, Source};
use serde::Serialize;

pub use super::again::RereadInput;
use super::again::into_sequences;
pub use super::spill::SpillLimits;
pub use choice::{Dedup, DedupBy, Keep, MOST_MISMATCHES};
pub use levels::{DedupLevel, Levels};
pub use totals::DedupTotals;

use super::split::{SplitAmount, append};
use super::to_fastq::NameHashes;
use crate::{Error, Refusal};
use key::Keys;
use marks::DuplicateMarks;
use sink::{DedupSink, DedupStream, DedupWriters, PendingUnits, UnitHeader};
use table::{Exact, KeyTable, Near};

/// What finds duplicates, within so much memory.
fn key_table(choice: &Dedup, names: &NameHashes, memory: usize) -> Box<dyn KeyTable> {
    match choice.mismatches {
        0 => Box::new(Exact::new(names.clone(), choice.keep, memory)),
        most => Box::new(Near::new(names.clone(), most, memory)),
    }
}

/// Where reads go.
pub struct DedupOutputs {
    /// What is kept: one output, or one for each mate.
    pub kept: Vec<Output>,
    /// Duplicates: none, one output, or one for each mate.
    pub duplicates: Vec<Output>,
}

/// What was done.
pub struct DedupResult {
    /// The outputs, to be [committed](biofast_io::output::commit): of what is kept, then of duplicates.
    pub outputs: Vec<Output>,
    /// What was read and written.
    pub totals: DedupTotals,
    /// How often reads or pairs were there.
    pub levels: Levels,
    /// How it was done.
    pub effort: DedupEffort,
}

/// How it was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DedupEffort {
    /// Whether the input, or what was kept of it in a temporary file, was read a second time.
    pub second_reading: bool,
    /// Bytes of keys and text in temporary files.
    pub stored_bytes: u64,
}

/// Writes each read or pair once, in the order of the input, on `options[0].threads` threads.
///
/// Which reads are kept doesn't depend on threads or memory. `limits.memory` is for keys: a read takes a quarter of a byte for
/// each base and up to 23 bytes more, a pair up to 27; where mismatches are allowed, a byte for each base and up to 130 more. Beyond it, temporary files are
/// used and the input is read again, and each read takes a bit.
///
/// ```
/// use biofast_fastq::Inputs;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::dedup::{Dedup, RereadInput, SpillLimits, DedupOutputs, dedup};
///
/// let folder = std::env::temp_dir();
/// let path = folder.join(format!("biofast-doc-dedup-{}", std::process::id()));
/// let text = &b"@a\nAC\n+\nII\n@b\nG\n+\nI\n@c\nAC\n+\n!!\n"[..];
/// let reads = Inputs::Single(RereadInput::once(Source::from_reader("example", text)));
/// let outputs = DedupOutputs {
///     kept: vec![Output::create_with(&path, Default::default())?],
///     duplicates: Vec::new(),
/// };
/// let limits = SpillLimits { memory: 64 << 20, folder };
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
    reads: Inputs<RereadInput>,
    options: [Options; 2],
    choice: &Dedup,
    limits: &SpillLimits,
    outputs: DedupOutputs,
) -> Result<DedupResult, Error> {
    choice.check().map_err(Refusal::Impossible)?;
    let paired = reads.is_paired();
    let (inputs, reopen) = into_sequences(reads);
    let names = NameHashes::new();
    let DedupOutputs { kept, duplicates } = outputs;
    let sizes = [kept.len(), duplicates.len()];
    let each = threads_of_each(options[0].threads, kept.len() + duplicates.len());
    let writers = |outputs: Vec<Output>| -> Result<Vec<Writer>, Error> {
        let writers = outputs.into_iter().map(|output| Writer::new(output, each));
        Ok(writers.collect::<Result<_, _>>()?)
    };
    let mut sink = DedupSink {
        table: key_table(choice, &names, limits.memory),
        names: names.clone(),
        limits: limits.clone(),
        writers: DedupWriters { kept: writers(kept)?, duplicates: writers(duplicates)? },
        totals: DedupTotals::default(),
        units: 0,
        waiting: None,
        spools: reopen.is_none(),
    };
    if choice.keep == Keep::Best {
        sink.wait()?;
    }
    let has_text = choice.keep == Keep::First || reopen.is_none();
    let sink = first_reading(inputs, options.clone(), choice, &names, has_text, sink)?;
    let (mut levels, mut effort) = (Levels::default(), DedupEffort::default());
    sink.count(&mut levels);
    let DedupSink {
        table, writers: DedupWriters { kept, duplicates }, mut totals, waiting, ..
    } = sink;
    // Its memory is needed.
    drop(table);
    let mut outputs = Vec::new();
    for writer in kept.into_iter().chain(duplicates) {
        outputs.push(writer.into_output()?);
    }
    let Some(PendingUnits { mut marks, parts, spool }) = waiting else {
        return Ok(DedupResult { outputs, totals, levels, effort });
    };
    if let Some(parts) = parts {
        effort.stored_bytes += parts.stored();
        let table = || key_table(choice, &names, limits.memory);
        parts.decide(table, &mut marks, &mut levels)?;
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
            let (len, file) = into_file()?;
            effort.stored_bytes += len;
            let source = Sequences(Source::from_reader("the temporary file", file));
            let inputs = if paired { Inputs::Interleaved(source) } else { Inputs::Single(source) };
            second_reading(inputs, options, &marks, marks.first(), sizes, &mut outputs)?
        }
        (None, Some(reopen)) => {
            let rest = second_reading(
                reopen.open().map_err(fastq::Error::from)?,
                options,
                &marks,
                0,
                sizes,
                &mut outputs,
            );
            // A fault that wasn't there before is one of the change.
            reopen.check().map_err(fastq::Error::from)?;
            let rest = rest?;
            for (mate, (now, then)) in rest.input.iter().zip(&totals.input).enumerate() {
                if now != then {
                    return Err(Error::Changed(reopen.name(mate)));
                }
            }
            rest
        }
        (None, None) => DedupTotals::default(),
    };
    totals.merge(&DedupTotals { input: Default::default(), ..rest });
    Ok(DedupResult { outputs, totals, levels, effort })
}

/// Looks at all units in their order, and writes those about which everything is known.
fn first_reading(
    inputs: Inputs<Sequences>,
    options: [Options; 2],
    choice: &Dedup,
    names: &NameHashes,
    has_text: bool,
    sink: DedupSink,
) -> Result<DedupSink, Error> {
    let (stream, shared) = DedupStream::new(sink);
    let mut outputs = [Output::stream("reads", stream, Compression::default())];
    let result = Transform::new(inputs)
        .options_of_each(options)
        .run(
            &mut outputs,
            || Keys::new(choice),
            |keys, unit, texts| -> Result<(), fastq::Refusal> {
                let out = &mut texts[0];
                let mut mark = UnitHeader::default();
                let at = out.len();
                out.extend_from_slice(&mark.to_bytes());
                mark.key = match keys.make(&unit, out) {
                    Ok(lens) => lens,
                    Err(why) => {
                        out.truncate(at);
                        return Err(why.into());
                    }
                };
                let key = at + UnitHeader::LEN;
                mark.hash = names.hash_one(&out[key..key + mark.key.key]);
                for (mate, record) in mates(&unit) {
                    if choice.keep == Keep::Best {
                        let sum =
                            |sum: u64, &quality: &u8| sum + u64::from(quality.saturating_sub(33));
                        mark.score = record.qualities().iter().fold(mark.score, sum);
                    }
                    mark.mates[mate] = SplitAmount::of(&record);
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
    shared.sink.take().ok_or_else(|| Error::from(io::Error::other("no reads came")))
}

/// Writes the units that waited; `first` is the number of the first unit of these inputs.
fn second_reading(
    inputs: Inputs<Sequences>,
    options: [Options; 2],
    marks: &DuplicateMarks,
    first: u64,
    [kept, duplicates]: [usize; 2],
    outputs: &mut [Output],
) -> Result<DedupTotals, Error> {
    let totals = Transform::new(inputs).options_of_each(options).run(
        outputs,
        DedupTotals::default,
        |totals, unit, texts| {
            let ordinal = first + unit.index;
            let waits = ordinal >= marks.first();
            let is_new = !marks.has(ordinal);
            let (start, files) = if is_new { (0, kept) } else { (kept, duplicates) };
            let mut amounts = [SplitAmount::default(); 2];
            for (mate, record) in mates(&unit) {
                amounts[mate] = SplitAmount::of(&record);
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
mod totals;
