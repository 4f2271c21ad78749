//! Names that are there once: what has a name that came before gets a number, as `seqkit rename` gives it.
//!
//! The input is read twice. First all names are sorted, in memory or temporary files, and those that came before are counted; then
//! [`convert`](super::convert()) appends the numbers.

use std::fmt;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use biofast_fastq::pair::{MateNaming, pair_template};
use biofast_fastq::{self as fastq, Inputs, Readable, Record, par_try_transform};
use biofast_io::Options;
use biofast_io::pipeline::Failure;

use super::{Convert, Edited, Summary};
use crate::change::order::{self, Lengths, Limits, Runs, Shared};
use crate::change::temporary::Temporary;

/// What must differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The name: what stands before the first blank, of pairs without `/1` and `/2`.
    #[default]
    Name,
    /// The whole header line, of pairs that of the first read.
    Header,
}

/// Why it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The input can't be read.
    Input(fastq::Error),
    /// A temporary file can't be written or read.
    Temporary(io::Error),
    /// What the second of this name would be called is the name of another read.
    Taken {
        /// The name that is there more than once.
        name: String,
        /// The new name.
        new: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(error) => error.fmt(f),
            Problem::Temporary(error) => write!(f, "can't use a temporary file: {error}"),
            Problem::Taken { name, new } => {
                write!(
                    f,
                    "of several reads called '{name}' one would be '{new}', as another read is already"
                )
            }
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The errors themselves are all of the message.
        match self {
            Problem::Input(error) => error.source(),
            Problem::Temporary(error) => std::error::Error::source(error),
            Problem::Taken { .. } => None,
        }
    }
}

impl From<order::Problem> for Problem {
    fn from(problem: order::Problem) -> Problem {
        match problem {
            order::Problem::Input(error) => Problem::Input(error),
            order::Problem::Temporary(error) => Problem::Temporary(error),
            // Nothing is written that could fail.
            order::Problem::Output(error) => Problem::Temporary(io::Error::other(error)),
        }
    }
}

/// So many numbers are looked up at once.
const BLOCK: usize = 4096;
/// Bytes of a number, and of the read or pair it is for.
const PAIR: usize = 16;
/// So many blocks are kept in memory.
const MOST_BLOCKS: usize = 128;

/// Which reads or pairs have a name that came before, and their numbers, from 2 on.
///
/// ```
/// use std::sync::Arc;
///
/// use biofast_fastq::Inputs;
/// use biofast_fastq::fasta::Sequences;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::unique::{By, Numbers};
/// use biofast_ops::convert::{Convert, Format, convert};
/// use biofast_ops::order::Limits;
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-unique-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fa");
/// let reads = || Inputs::Single(Sequences(Source::from_reader("x", &b">a x\nA\n>b\nC\n>a y\nG\n"[..])));
/// let options = [Options::default(), Options::default()];
/// let to_fasta = Convert::to(Format::Fasta { width: 60 });
/// let limits = Limits { memory: 64 << 20, folder: &folder };
/// let numbers = Numbers::find(reads(), options.clone(), &to_fasta, By::Name, limits)?;
/// assert_eq!(numbers.len(), 1);
/// let renamed = Convert { numbers: Some(Arc::new(numbers)), ..to_fasta };
/// let mut outputs = vec![Output::create_with(&path, Default::default())?];
/// convert(reads(), options, &renamed, &mut outputs)?;
/// output::commit(outputs, false)?;
/// assert_eq!(std::fs::read(&path)?, b">a x\nA\n>b\nC\n>a_2 y\nG\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Numbers {
    /// The first read of each block.
    starts: Vec<u64>,
    blocks: Blocks,
    len: u64,
    summary: Summary,
    stored: u64,
}

#[derive(Debug)]
enum Blocks {
    Memory(Vec<Vec<(u64, u64)>>),
    File(Mutex<Temporary>),
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks::Memory(Vec::new())
    }
}

/// Where a worker is among the numbers.
#[derive(Default)]
pub(super) struct Cursor {
    /// The block that was read last.
    block: Option<usize>,
    numbers: Vec<(u64, u64)>,
}

/// Behind a name in its key: a read or pair, by its number.
const MEMBER: u8 = 0;
/// What would be the new name of so manieth one.
const PROBE: u8 = 1;
/// What ends a name in its key: no header line has it.
const END: u8 = b'\n';

impl Numbers {
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
        by: By,
        limits: Limits<'_>,
    ) -> Result<Numbers, Problem> {
        let half = Limits { memory: limits.memory / 2, ..limits };
        let threads = options[0].threads;
        let limit = Some(*convert.units.end()).filter(|&end| end < u64::MAX);
        let (stream, shared) = Shared::stream(Runs::new(half, false, threads));
        let mut outputs = [stream];
        let result = par_try_transform(
            inputs,
            options,
            limit,
            &mut outputs,
            || (<[Edited; 2]>::default(), Summary::default()),
            |(edited, summary), unit, texts| -> Result<(), String> {
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
                Lengths::write(out, |out| key(out, name, MEMBER, unit.index), [&[], &[]])?;
                match split_number(name) {
                    Some((name, number)) => {
                        Lengths::write(out, |out| key(out, name, PROBE, number), [&[], &[]])
                    }
                    None => Ok(()),
                }
            },
            |(_, summary), (_, other)| summary.merge(&other),
        );
        drop(outputs);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        // The stream's own error says only that there is one.
        if let Some(problem) = shared.problem.take() {
            return Err(Problem::Temporary(problem));
        }
        let (_, summary) = result.map_err(|failure| match failure {
            Failure::Input(error) => Problem::Input(error),
            Failure::Output(error) => Problem::Temporary(io::Error::other(error)),
        })?;
        let mut numbers = Runs::new(half, false, threads);
        count(&mut shared.runs, &mut numbers)?;
        let stored = shared.runs.stored().1 + numbers.stored().1;
        // Its memory is needed.
        shared.runs = Runs::new(half, false, 1);
        let mut found = Numbers { summary, stored, ..Numbers::default() };
        found.gather(numbers, limits)?;
        Ok(found)
    }

    /// How many reads or pairs get a number.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether all names are there once.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What came in when names were looked at, which must come again.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Bytes of names and numbers in temporary files.
    pub fn stored_bytes(&self) -> u64 {
        self.stored
    }

    /// Takes the numbers, which are in the order of the reads.
    fn gather(&mut self, mut numbers: Runs, limits: Limits<'_>) -> Result<(), Problem> {
        let mut block = Vec::new();
        let mut kept = Vec::new();
        let mut file: Option<BufWriter<Temporary>> = None;
        let mut end_block = |block: &mut Vec<(u64, u64)>| -> io::Result<()> {
            let Some(&(start, _)) = block.first() else { return Ok(()) };
            self.starts.push(start);
            self.len += block.len() as u64;
            if file.is_none() && kept.len() < MOST_BLOCKS {
                kept.push(std::mem::take(block));
                return Ok(());
            }
            let out = match &mut file {
                Some(file) => file,
                none => none.insert(BufWriter::new(Temporary::create(limits.folder)?)),
            };
            // All of them are in the file then.
            for (read, number) in kept.drain(..).flatten().chain(block.drain(..)) {
                out.write_all(&read.to_le_bytes())?;
                out.write_all(&number.to_le_bytes())?;
                self.stored += PAIR as u64;
            }
            Ok(())
        };
        numbers.finish(|unit| -> Result<(), Problem> {
            block.push((number_at(unit.key), number_at(unit.texts[0])));
            if block.len() == BLOCK {
                end_block(&mut block).map_err(Problem::Temporary)
            } else {
                Ok(())
            }
        })?;
        end_block(&mut block).map_err(Problem::Temporary)?;
        self.blocks = match file {
            None => Blocks::Memory(kept),
            Some(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                Blocks::File(Mutex::new(file.map_err(Problem::Temporary)?))
            }
        };
        Ok(())
    }

    /// The number of a read or pair, if it gets one.
    pub(super) fn of(&self, read: u64, cursor: &mut Cursor) -> Result<Option<u64>, String> {
        let Some(block) = self.starts.partition_point(|&start| start <= read).checked_sub(1) else {
            return Ok(None);
        };
        let numbers = match &self.blocks {
            Blocks::Memory(blocks) => blocks.get(block).map(Vec::as_slice).unwrap_or_default(),
            Blocks::File(file) => {
                if cursor.block != Some(block) {
                    cursor.block = None;
                    self.read(file, block, &mut cursor.numbers)
                        .map_err(|error| format!("a temporary file can't be read: {error}"))?;
                    cursor.block = Some(block);
                }
                &cursor.numbers
            }
        };
        let found = numbers.binary_search_by_key(&read, |&(read, _)| read).ok();
        Ok(found.map(|at| numbers[at].1))
    }

    /// Reads a block of the file.
    fn read(
        &self,
        file: &Mutex<Temporary>,
        block: usize,
        numbers: &mut Vec<(u64, u64)>,
    ) -> io::Result<()> {
        let start = block as u64 * BLOCK as u64;
        let len = (self.len - start).min(BLOCK as u64) as usize;
        let mut bytes = vec![0; len * PAIR];
        {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(start * PAIR as u64))?;
            file.read_exact(&mut bytes)?;
        }
        numbers.clear();
        for pair in bytes.as_chunks::<PAIR>().0 {
            let (read, number) = pair.split_at(8);
            let of =
                |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            numbers.push((of(read), of(number)));
        }
        Ok(())
    }
}

/// Goes through all names in their order, and gives numbers to those that came before, in the order of the reads then.
fn count(names: &mut Runs, numbers: &mut Runs) -> Result<(), Problem> {
    let mut current: Vec<u8> = Vec::new();
    let mut count = 0u64;
    let mut text = Vec::new();
    names.finish(|unit| -> Result<(), Problem> {
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
            let written = Lengths::write(&mut text, key, [&count.to_be_bytes(), &[]]);
            written.map_err(|error| Problem::Temporary(io::Error::other(error)))?;
            numbers.take(&text).map_err(Problem::Temporary)?;
        }
        Ok(())
    })
}

fn taken(name: &[u8], number: u64) -> Problem {
    let name = name.strip_suffix(&[END]).unwrap_or(name);
    let end = name.iter().position(u8::is_ascii_whitespace).unwrap_or(name.len());
    let (id, rest) = name.split_at(end);
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    Problem::Taken { name: text(name), new: format!("{}_{number}{}", text(id), text(rest)) }
}

/// The number at the start of a key or text.
fn number_at(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// The name a number goes behind, and what else must be the same.
fn parts<'a>(
    first: &Record<'a>,
    second: Option<&Record<'_>>,
    by: By,
    mates: MateNaming,
) -> [&'a [u8]; 2] {
    let name = first.name();
    let name = second.map_or(name, |second| pair_template(name, second.name(), mates));
    let rest = match by {
        By::Name => &[],
        By::Header => &first.definition()[first.name().len()..],
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

/// Appends a number to the names of a read or of both mates, before `/1` and `/2`.
pub(super) fn append_number<'a>(
    records: &mut [Option<Record<'a>>; 2],
    number: u64,
    mates: MateNaming,
    room: &'a mut [Vec<u8>; 2],
) {
    let names = records.map(|record| record.map(|record| record.name()));
    for ((index, record), line) in records.iter_mut().enumerate().zip(room) {
        let Some(old) = record else { continue };
        let name = old.name();
        let name = names[1 - index].map_or(name, |mate| pair_template(name, mate, mates));
        line.clear();
        line.extend_from_slice(name);
        line.extend_from_slice(format!("_{number}").as_bytes());
        line.extend_from_slice(&old.definition()[name.len()..]);
        *old = match old.has_qualities() {
            true => Record::new(line, old.sequence(), old.qualities()),
            false => Record::without_qualities(line, old.sequence()),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use biofast_fastq::fasta::Sequences;
    use biofast_io::Source;
    use proptest::prelude::*;

    use super::super::Format;
    use super::*;

    fn find(names: &[String], memory: usize) -> Result<Vec<Option<u64>>, Problem> {
        let text: String = names.iter().map(|name| format!(">{name}\nA\n")).collect();
        let source = Source::from_reader("x", io::Cursor::new(text.into_bytes()));
        let options = Options { threads: 2, chunk_size: 64, ..Options::default() };
        let folder = std::env::temp_dir();
        let limits = Limits { memory, folder: &folder };
        let convert = Convert::to(Format::Fasta { width: 0 });
        let inputs = Inputs::Single(Sequences(source));
        let options = [options.clone(), options];
        let numbers = Numbers::find(inputs, options, &convert, By::Name, limits)?;
        let mut cursor = Cursor::default();
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
                Err(Problem::Taken { .. }) => prop_assert!(is_taken),
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
