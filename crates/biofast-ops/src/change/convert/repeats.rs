//! The numbers that reads get whose names come again, and their place in the names.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use biofast_fastq::Record;
use biofast_fastq::pair::{MateNaming, pair_template};

use super::summary::ConvertSummary;
use crate::Error;
use crate::change::spill::SpillLimits;
use crate::change::spill::runs::UnitRuns;

/// So many numbers are looked up at once.
pub(super) const BLOCK: usize = 4096;

/// Bytes of a number, and of the read or pair it is for.
const PAIR: usize = 16;

/// So many blocks are kept in memory.
pub(super) const MOST_BLOCKS: usize = 128;

/// Which reads or pairs have a name that came before, and their numbers, from 2 on.
///
/// ```
/// use std::sync::Arc;
///
/// use biofast_fastq::Inputs;
/// use biofast_fastq::fasta::Sequences;
/// use biofast_io::output::{self, Output};
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::unique::{RepeatNumbers, UniqueBy};
/// use biofast_ops::convert::{Convert, OutputFormat, convert};
/// use biofast_ops::order::SpillLimits;
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-unique-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fa");
/// let reads = || Inputs::Single(Sequences(Source::from_reader("x", &b">a x\nA\n>b\nC\n>a y\nG\n"[..])));
/// let options = [Options::default(), Options::default()];
/// let to_fasta = Convert::to(OutputFormat::Fasta { width: 60 });
/// let limits = SpillLimits { memory: 64 << 20, folder: folder.clone() };
/// let numbers = RepeatNumbers::find(reads(), options.clone(), &to_fasta, UniqueBy::Name, &limits)?;
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
pub struct RepeatNumbers {
    /// The first read of each block.
    starts: Vec<u64>,
    blocks: NumberBlocks,
    len: u64,
    summary: ConvertSummary,
    stored: u64,
}

#[derive(Debug)]
enum NumberBlocks {
    Memory(Vec<Vec<(u64, u64)>>),
    File(Mutex<File>),
}

impl Default for NumberBlocks {
    fn default() -> NumberBlocks {
        NumberBlocks::Memory(Vec::new())
    }
}

/// Where a worker is among the numbers.
#[derive(Default)]
pub(super) struct NumberCursor {
    /// The block that was read last.
    block: Option<usize>,
    numbers: Vec<(u64, u64)>,
}

impl RepeatNumbers {
    /// None, of names that are `summary`'s, with so many bytes in temporary files.
    pub(super) fn new(summary: ConvertSummary, stored: u64) -> RepeatNumbers {
        RepeatNumbers { summary, stored, ..RepeatNumbers::default() }
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
    pub fn summary(&self) -> &ConvertSummary {
        &self.summary
    }

    /// Bytes of names and numbers in temporary files.
    pub fn stored_bytes(&self) -> u64 {
        self.stored
    }

    /// Takes the numbers, which are in the order of the reads.
    pub(super) fn gather(
        &mut self,
        mut numbers: UnitRuns,
        limits: &SpillLimits,
    ) -> Result<(), Error> {
        let mut block = Vec::new();
        let mut kept = Vec::new();
        let mut file: Option<BufWriter<File>> = None;
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
                none => none.insert(BufWriter::new(tempfile::tempfile_in(&limits.folder)?)),
            };
            // All of them are in the file then.
            for (read, number) in kept.drain(..).flatten().chain(block.drain(..)) {
                out.write_all(&read.to_le_bytes())?;
                out.write_all(&number.to_le_bytes())?;
                self.stored += PAIR as u64;
            }
            Ok(())
        };
        numbers.finish(|unit| {
            block.push((number_at(unit.key), number_at(unit.texts[0])));
            if block.len() == BLOCK {
                end_block(&mut block).map_err(Error::ScratchFile)
            } else {
                Ok(())
            }
        })?;
        end_block(&mut block).map_err(Error::ScratchFile)?;
        self.blocks = match file {
            None => NumberBlocks::Memory(kept),
            Some(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                NumberBlocks::File(Mutex::new(file.map_err(Error::ScratchFile)?))
            }
        };
        Ok(())
    }

    /// The number of a read or pair, if it gets one.
    pub(super) fn of(&self, read: u64, cursor: &mut NumberCursor) -> Result<Option<u64>, String> {
        let Some(block) = self.starts.partition_point(|&start| start <= read).checked_sub(1) else {
            return Ok(None);
        };
        let numbers = match &self.blocks {
            NumberBlocks::Memory(blocks) => {
                blocks.get(block).map(Vec::as_slice).unwrap_or_default()
            }
            NumberBlocks::File(file) => {
                if cursor.block != Some(block) {
                    cursor.block = None;
                    self.read(file, block, &mut cursor.numbers)
                        .map_err(|error| format!("can't read a temporary file: {error}"))?;
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
        file: &Mutex<File>,
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

/// The number at the start of a key or text.
fn number_at(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
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
