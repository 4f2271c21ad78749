//! Mates that are too far from each other: both are parted by their names, what is found is brought in order, and merged.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::hash::BuildHasher;
use std::io::{self, BufReader, BufWriter, Read as _, Seek, SeekFrom, Write};

use super::feed::RepairRead;
use super::find::{buffer, number, read_head};
use super::stream::{MateStream, RepairWriters, SecondReads};
use super::totals::RepairTotals;
use crate::Error;
use crate::change::again::SpillLimits;
use crate::change::temporary::Temporary;
use crate::change::to_fastq::NameHashes;

const FILES: usize = 32;

/// The mates.
pub(super) struct MateSpill {
    /// Names of first reads, with their numbers among those that are here.
    firsts: Vec<BufWriter<Temporary>>,
    /// Names and texts of second reads.
    seconds: Vec<BufWriter<Temporary>>,
    /// Texts of first reads, in order.
    texts: BufWriter<Temporary>,
    names: NameHashes,
    buffer: usize,
    number: u64,
    stored: u64,
}

impl MateSpill {
    pub(super) fn create(limits: &SpillLimits) -> io::Result<MateSpill> {
        let buffer = buffer(limits.memory, 2 * FILES);
        let file = || Ok(BufWriter::with_capacity(buffer, Temporary::create(&limits.folder)?));
        let files = || (0..FILES).map(|_| file()).collect::<io::Result<Vec<_>>>();
        Ok(MateSpill {
            firsts: files()?,
            seconds: files()?,
            texts: file()?,
            names: NameHashes::new(),
            buffer,
            number: 0,
            stored: 0,
        })
    }

    fn part(&self, name: &[u8]) -> usize {
        (self.names.hash_one(name) >> 24) as usize % FILES
    }

    /// Adds a first read.
    pub(super) fn add_first(&mut self, read: &RepairRead<'_>) -> io::Result<()> {
        let part = self.part(read.name);
        self.stored += write(&mut self.firsts[part], self.number, read.name, &[])?;
        self.stored += write(&mut self.texts, self.number, &[], read.text)?;
        self.number += 1;
        Ok(())
    }

    fn add_second(&mut self, name: &[u8], text: &[u8]) -> io::Result<()> {
        let part = self.part(name);
        self.stored += write(&mut self.seconds[part], 0, name, text)?;
        Ok(())
    }

    /// Adds the second reads that wait and all that come, and returns how many have come before their turn or are here.
    pub(super) fn add_seconds(
        &mut self,
        waiting: &mut SecondReads,
        rest: &mut MateStream<'_>,
        writers: &mut RepairWriters,
        totals: &mut RepairTotals,
    ) -> Result<u64, Error> {
        let mut moved = waiting.moved;
        for (name, text) in waiting.drain() {
            self.add_second(&name, &text)?;
        }
        while let Some(read) = rest.next(writers, totals)? {
            self.add_second(read.name, read.text)?;
            moved += 1;
        }
        Ok(moved)
    }

    /// Writes all pairs, and returns the bytes that were in files.
    pub(super) fn write(
        self,
        limits: &SpillLimits,
        writers: &mut RepairWriters,
        seconds: &MateStream<'_>,
    ) -> Result<u64, Error> {
        let MateSpill { firsts, seconds: parts, texts, names, buffer, number, mut stored } = self;
        let mut runs = MateRuns::create(limits, buffer)?;
        for (firsts, seconds_of_part) in firsts.into_iter().zip(parts) {
            let mut firsts = EntryReader::open(firsts, buffer)?;
            let mut next = Some(seconds_of_part);
            // As many first reads at once as there is memory for.
            while let Some(part) = next.take() {
                let mut known: HashMap<Box<[u8]>, VecDeque<u64>, NameHashes> =
                    HashMap::with_hasher(names.clone());
                let (mut cost, mut is_all) = (0, true);
                while let Some((number, name, _)) = firsts.next()? {
                    cost += name.len() + OVERHEAD;
                    match known.get_mut(name) {
                        Some(numbers) => numbers.push_back(number),
                        None => {
                            known.insert(name.into(), VecDeque::from([number]));
                        }
                    }
                    if cost > limits.memory / 2 {
                        is_all = false;
                        break;
                    }
                }
                let mut part = EntryReader::open(part, buffer)?;
                while let Some((_, name, text)) = part.next()? {
                    let numbers = known.get_mut(name).and_then(VecDeque::pop_front);
                    if let Some(number) = numbers {
                        runs.add(number, text)?;
                    } else if is_all {
                        return Err(seconds.changed());
                    } else {
                        let rest = match &mut next {
                            Some(rest) => rest,
                            none => {
                                let file = Temporary::create(&limits.folder)?;
                                none.insert(BufWriter::with_capacity(buffer, file))
                            }
                        };
                        write(rest, 0, name, text)?;
                    }
                }
            }
            // What is gathered takes memory that the names of the next part need.
            runs.end()?;
        }
        stored += runs.stored;
        let mut firsts = EntryReader::open(texts, 64 << 10)?;
        let mut merged = runs.merge()?;
        for expected in 0..number {
            let Some((_, _, first)) = firsts.next()? else { return Err(seconds.changed()) };
            match merged.next()? {
                Some((number, second)) if number == expected => writers.pair(first, second)?,
                _ => return Err(seconds.changed()),
            }
        }
        Ok(stored)
    }
}

/// What a first read costs beside its name, about.
const OVERHEAD: usize = 128;

const HEAD: usize = 24;

fn write(out: &mut impl Write, number: u64, name: &[u8], text: &[u8]) -> io::Result<u64> {
    out.write_all(&number.to_le_bytes())?;
    out.write_all(&(name.len() as u64).to_le_bytes())?;
    out.write_all(&(text.len() as u64).to_le_bytes())?;
    out.write_all(name)?;
    out.write_all(text)?;
    Ok((HEAD + name.len() + text.len()) as u64)
}

/// A number, a name and a text.
type MateEntry<'a> = (u64, &'a [u8], &'a [u8]);

/// Numbers, names and texts in a file.
struct EntryReader {
    reader: BufReader<Temporary>,
    bytes: Vec<u8>,
}

impl EntryReader {
    fn open(file: BufWriter<Temporary>, buffer: usize) -> io::Result<EntryReader> {
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(EntryReader { reader: BufReader::with_capacity(buffer, file), bytes: Vec::new() })
    }

    fn next(&mut self) -> io::Result<Option<MateEntry<'_>>> {
        let mut head = [0; HEAD];
        if !read_head(&mut self.reader, &mut head)? {
            return Ok(None);
        }
        // They were lengths in memory.
        let (name, text) = (number(&head, 8) as usize, number(&head, 16) as usize);
        self.bytes.resize(name + text, 0);
        self.reader.read_exact(&mut self.bytes)?;
        let (name, text) = self.bytes.split_at(name);
        Ok(Some((number(&head, 0), name, text)))
    }
}

/// Second reads in the order of their first ones: runs in one file.
struct MateRuns {
    file: BufWriter<Temporary>,
    /// Where each ends.
    ends: Vec<u64>,
    gathered: Vec<(u64, Box<[u8]>)>,
    cost: usize,
    most: usize,
    memory: usize,
    stored: u64,
}

impl MateRuns {
    fn create(limits: &SpillLimits, buffer: usize) -> io::Result<MateRuns> {
        let file = BufWriter::with_capacity(buffer, Temporary::create(&limits.folder)?);
        let (ends, gathered) = (Vec::new(), Vec::new());
        // Names have the other half.
        let most = limits.memory / 2;
        Ok(MateRuns { file, ends, gathered, cost: 0, most, memory: limits.memory, stored: 0 })
    }

    fn add(&mut self, number: u64, text: &[u8]) -> io::Result<()> {
        self.cost += text.len() + 48;
        self.gathered.push((number, text.into()));
        if self.cost > self.most { self.end() } else { Ok(()) }
    }

    /// Writes a run.
    fn end(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        self.gathered.sort_unstable_by_key(|(number, _)| *number);
        for (number, text) in self.gathered.drain(..) {
            self.stored += write(&mut self.file, number, &[], &text)?;
        }
        self.cost = 0;
        self.ends.push(self.stored);
        Ok(())
    }

    fn merge(self) -> io::Result<MergedMates> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let starts = std::iter::once(&0).chain(&self.ends);
        let len = (self.memory / self.ends.len().max(1)).clamp(4 << 10, 256 << 10);
        let mut runs: Vec<MateRun> = starts
            .zip(&self.ends)
            .map(|(&start, &end)| MateRun { position: start, end, buffer: Vec::new(), at: 0, len })
            .collect();
        let mut heads = BinaryHeap::new();
        for (index, run) in runs.iter_mut().enumerate() {
            if let Some(number) = run.peek(&mut file)? {
                heads.push(Reverse((number, index)));
            }
        }
        Ok(MergedMates { file, runs, heads, text: Vec::new() })
    }
}

/// A run that is read in pieces.
struct MateRun {
    /// Of what has not been read.
    position: u64,
    end: u64,
    buffer: Vec<u8>,
    at: usize,
    len: usize,
}

impl MateRun {
    /// Reads on until so many bytes are there, or nothing is left.
    fn fill(&mut self, file: &mut Temporary, needed: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.at < needed {
            self.buffer.drain(..self.at);
            self.at = 0;
            let left = self.end - self.position;
            let more = self.len.max(needed - self.buffer.len()) as u64;
            let start = self.buffer.len();
            // At most the length of what fits into memory.
            self.buffer.resize(start + more.min(left) as usize, 0);
            file.seek(SeekFrom::Start(self.position))?;
            file.read_exact(&mut self.buffer[start..])?;
            self.position += more.min(left);
        }
        Ok(&self.buffer[self.at..])
    }

    /// The number of the next read.
    fn peek(&mut self, file: &mut Temporary) -> io::Result<Option<u64>> {
        let head = self.fill(file, HEAD)?;
        Ok((head.len() >= HEAD).then(|| number(head, 0)))
    }

    /// Takes the next read, which is there.
    fn take(&mut self, file: &mut Temporary, text: &mut Vec<u8>) -> io::Result<()> {
        let len = number(self.fill(file, HEAD)?, 16) as usize;
        let bytes = self.fill(file, HEAD + len)?;
        text.clear();
        let found = bytes.get(HEAD..HEAD + len);
        text.extend_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        self.at += HEAD + len;
        Ok(())
    }
}

/// All runs in order.
struct MergedMates {
    file: Temporary,
    runs: Vec<MateRun>,
    heads: BinaryHeap<Reverse<(u64, usize)>>,
    text: Vec<u8>,
}

impl MergedMates {
    fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        let Some(Reverse((number, index))) = self.heads.pop() else { return Ok(None) };
        let run = &mut self.runs[index];
        run.take(&mut self.file, &mut self.text)?;
        if let Some(number) = run.peek(&mut self.file)? {
            self.heads.push(Reverse((number, index)));
        }
        Ok(Some((number, &self.text)))
    }
}
