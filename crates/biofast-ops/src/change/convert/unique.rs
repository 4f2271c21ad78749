//! Names that are there once: what has a name that came before gets a number, as `seqkit rename` gives it.
//!
//! The input is read twice. First all names are sorted, in memory or temporary files, and those that came before are counted; then
//! [`convert`](super::convert()) appends the numbers.

use std::io;
use std::sync::PoisonError;

use biofast_fastq::pair::{MateNaming, pair_template};
use biofast_fastq::{Inputs, Readable, Record, Transform};
use biofast_io::Options;
use biofast_io::pipeline::Failure;

pub use super::repeats::RepeatNumbers;
use super::summary::ConvertSummary;
use super::{Convert, EditedRead};
use crate::change::spill::SpillLimits;
use crate::change::spill::runs::{KeyLengths, SharedRuns, UnitRuns};
use crate::{Error, Refusal};

/// What must differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UniqueBy {
    /// The name: what stands before the first blank, of pairs without `/1` and `/2`.
    #[default]
    Name,
    /// The whole header line, of pairs that of the first read.
    Header,
}

/// Behind a name in its key: a read or pair, by its number.
const MEMBER: u8 = 0;
/// What would be the new name of so manieth one.
const PROBE: u8 = 1;
/// What ends a name in its key: no header line has it.
const END: u8 = b'\n';

impl RepeatNumbers {
    /// Finds the names that come again of all that `convert` writes, as it writes them.
    ///
    /// `limits.memory` is for names, as bytes, with 46 for each, and again as much for one that ends in `_` and a number; what is
    /// more goes to temporary files, as sorted runs.
    ///
    /// # Errors
    /// The first fault in the order of the data, the failure of a temporary file, or a new name that another read has.
    pub fn find<S: Readable>(
        inputs: Inputs<S>,
        options: [Options; 2],
        convert: &Convert,
        by: UniqueBy,
        limits: &SpillLimits,
    ) -> Result<RepeatNumbers, Error> {
        let half = limits.half();
        let threads = options[0].threads;
        let limit = Some(*convert.units.end()).filter(|&end| end < u64::MAX);
        let (stream, shared) = SharedRuns::stream(UnitRuns::new(&half, false, threads));
        let mut outputs = [stream];
        let result = Transform::new(inputs).options_of_each(options).limit(limit).run(
            &mut outputs,
            || (<[EditedRead; 2]>::default(), ConvertSummary::default()),
            |(edited, summary), unit, texts| -> Result<(), biofast_fastq::Refusal> {
                let Some([Some(first), second]) = convert.edit(&unit, edited, summary)? else {
                    return Ok(());
                };
                let [name, rest] = parts(&first, second.as_ref(), by, convert.mates);
                let key = |out: &mut Vec<u8>, name: &[u8], kind: u8, number: u64| {
                    for part in [name, rest, &[END, kind], &number.to_be_bytes()] {
                        out.extend_from_slice(part);
                    }
                };
                let out = &mut texts[0];
                KeyLengths::write(out, |out| key(out, name, MEMBER, unit.index), [&[], &[]])?;
                if let Some((name, number)) = split_number(name) {
                    KeyLengths::write(out, |out| key(out, name, PROBE, number), [&[], &[]])?;
                }
                Ok(())
            },
            |(_, summary), (_, other)| summary.merge(&other),
        );
        drop(outputs);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        // The stream's own error says only that there is one.
        if let Some(problem) = shared.problem.take() {
            return Err(Error::ScratchFile(problem));
        }
        let (_, summary) = result.map_err(|failure| match failure {
            Failure::Input(error) => error.into(),
            Failure::Output(error) => Error::ScratchFile(io::Error::other(error)),
        })?;
        let mut numbers = UnitRuns::new(&half, false, threads);
        count(&mut shared.runs, &mut numbers)?;
        let stored = shared.runs.stored().1 + numbers.stored().1;
        // Its memory is needed.
        shared.runs = UnitRuns::new(&half, false, 1);
        let mut found = RepeatNumbers::new(summary, stored);
        found.gather(numbers, limits)?;
        Ok(found)
    }
}

/// Goes through all names in their order, and gives numbers to those that came before, in the order of the reads then.
fn count(names: &mut UnitRuns, numbers: &mut UnitRuns) -> Result<(), Error> {
    let mut current: Vec<u8> = Vec::new();
    let mut count = 0u64;
    let mut text = Vec::new();
    names.finish(|unit| {
        let Some((name, number)) = unit.key.split_last_chunk::<8>() else { return Ok(()) };
        let Some((&kind, name)) = name.split_last() else { return Ok(()) };
        let number = u64::from_be_bytes(*number);
        if name != current {
            current.clear();
            current.extend_from_slice(name);
            count = 0;
        }
        if kind == PROBE {
            // More reads of the name than that: one of them would be called so.
            return if number <= count { Err(taken(name, number)) } else { Ok(()) };
        }
        count += 1;
        if count > 1 {
            text.clear();
            let key = |out: &mut Vec<u8>| out.extend_from_slice(&number.to_be_bytes());
            let written = KeyLengths::write(&mut text, key, [&count.to_be_bytes(), &[]]);
            written.map_err(|error| Error::ScratchFile(io::Error::other(error)))?;
            numbers.take(&text).map_err(Error::ScratchFile)?;
        }
        Ok(())
    })
}

fn taken(name: &[u8], number: u64) -> Error {
    let name = name.strip_suffix(&[END]).unwrap_or(name);
    let end = name.iter().position(u8::is_ascii_whitespace).unwrap_or(name.len());
    let (id, rest) = name.split_at(end);
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    Refusal::Taken { name: text(name), new: format!("{}_{number}{}", text(id), text(rest)) }.into()
}

/// The name a number goes behind, and what else must be the same.
fn parts<'a>(
    first: &Record<'a>,
    second: Option<&Record<'_>>,
    by: UniqueBy,
    mates: MateNaming,
) -> [&'a [u8]; 2] {
    let name = first.name();
    let name = second.map_or(name, |second| pair_template(name, second.name(), mates));
    let rest = match by {
        UniqueBy::Name => &[],
        UniqueBy::Header => &first.definition()[first.name().len()..],
    };
    [name, rest]
}

/// A name that looks as if a number had been appended to it: what stands before that, and the number.
fn split_number(name: &[u8]) -> Option<(&[u8], u64)> {
    let at = name.iter().rposition(|&byte| byte == b'_')?;
    let digits = std::str::from_utf8(&name[at + 1..]).ok()?;
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    let number = digits.parse().ok().filter(|&number: &u64| is_plain && number > 1)?;
    Some((&name[..at], number))
}

#[cfg(test)]
mod tests {
    use super::super::repeats::{BLOCK, MOST_BLOCKS, NumberCursor};
    use std::collections::{HashMap, HashSet};

    use biofast_fastq::fasta::Sequences;
    use biofast_io::Source;
    use proptest::prelude::*;

    use super::super::OutputFormat;
    use super::*;

    fn find(names: &[String], memory: usize) -> Result<Vec<Option<u64>>, Error> {
        let text: String = names.iter().map(|name| format!(">{name}\nA\n")).collect();
        let source = Source::from_reader("x", io::Cursor::new(text.into_bytes()));
        let options = Options { threads: 2, chunk_size: 64, ..Options::default() };
        let limits = SpillLimits { memory, folder: std::env::temp_dir() };
        let convert = Convert::to(OutputFormat::Fasta { width: 0 });
        let inputs = Inputs::Single(Sequences(source));
        let options = [options.clone(), options];
        let numbers = RepeatNumbers::find(inputs, options, &convert, UniqueBy::Name, &limits)?;
        let mut cursor = NumberCursor::default();
        let each = (0..names.len() as u64).map(|read| numbers.of(read, &mut cursor));
        Ok(each.collect::<Result<_, _>>().expect("the file is there"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn numbers_are_those_of_a_table_and_new_names_are_new(
            names in prop::collection::vec("[ab](_[0-3])?(_2)?", 1..60), small in any::<bool>(),
        ) {
            let found = find(&names, if small { 256 } else { 1 << 20 });
            let mut counts: HashMap<&str, u64> = HashMap::new();
            let mut expected = Vec::new();
            for name in &names {
                let count = counts.entry(name).or_default();
                *count += 1;
                expected.push(Some(*count).filter(|&count| count > 1));
            }
            let originals: HashSet<&str> = names.iter().map(String::as_str).collect();
            let new = names.iter().zip(&expected).filter_map(|(name, number)| {
                number.map(|number| format!("{name}_{number}"))
            });
            let is_taken = new.into_iter().any(|new| originals.contains(&*new));
            match found {
                Ok(found) => prop_assert!(found == expected && !is_taken),
                Err(Error::Refused(Refusal::Taken { .. })) => prop_assert!(is_taken),
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn many_numbers_are_in_a_file() {
        let n = (MOST_BLOCKS + 3) * BLOCK;
        let names: Vec<String> = (0..n).map(|i| format!("r{}", i % 7)).collect();
        let found = find(&names, 1 << 20).expect("no name is taken");
        assert!(
            found.iter().enumerate().all(|(i, number)| {
                *number == Some(i as u64 / 7 + 1).filter(|&number| number > 1)
            })
        );
    }
}
