//! Mates that are too far from each other: both are parted by their names, what is found is brought in order, and merged.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::io::{self, Write};

use super::feed::RepairRead;
use super::stream::{MateStream, RepairWriters, SecondReads};
use super::totals::RepairTotals;
use crate::Error;
use crate::change::spill::runs::{KeyLengths, UnitRuns};
use crate::change::spill::{Partitions, SpillLimits, Stored, StoredWriter, number_at};
use crate::change::to_fastq::NameHashes;

const FILES: usize = 32;

/// The mates.
pub(super) struct MateSpill {
    /// Names of first reads, with their numbers among those that are here.
    firsts: Partitions<MateEntry>,
    /// Names and texts of second reads.
    seconds: Partitions<MateEntry>,
    /// Texts of first reads, in order.
    texts: StoredWriter<MateEntry>,
    names: NameHashes,
    number: u64,
}

impl MateSpill {
    pub(super) fn create(limits: &SpillLimits) -> io::Result<MateSpill> {
        let buffer = limits.buffer(2 * FILES);
        let parts = || Partitions::create(&limits.folder, FILES, buffer);
        Ok(MateSpill {
            firsts: parts()?,
            seconds: parts()?,
            texts: StoredWriter::create(&limits.folder, 64 << 10)?,
            names: NameHashes::new(),
            number: 0,
        })
    }

    fn hash(&self, name: &[u8]) -> u64 {
        self.names.hash_one(name) >> 24
    }

    /// Adds a first read.
    pub(super) fn add_first(&mut self, read: &RepairRead<'_>) -> io::Result<()> {
        let (number, hash) = (self.number, self.hash(read.name));
        self.firsts.add(hash, &(number, read.name, &[]))?;
        self.texts.add(&(number, &[], read.text))?;
        self.number += 1;
        Ok(())
    }

    fn add_second(&mut self, name: &[u8], text: &[u8]) -> io::Result<()> {
        self.seconds.add(self.hash(name), &(0, name, text))
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
        let MateSpill { firsts, seconds: parts, texts, names, number } = self;
        let stored = firsts.bytes() + parts.bytes() + texts.bytes();
        let buffer = limits.buffer(2 * FILES);
        // Second reads in the order of their first ones. Names have the other half.
        let mut runs = UnitRuns::new(&limits.half(), false, 1);
        let mut unit = Vec::new();
        for (firsts, part) in firsts.into_readers().zip(parts.into_readers()) {
            let mut firsts = firsts?;
            let mut next = Some(part?);
            // As many first reads at once as there is memory for.
            while let Some(mut part) = next.take() {
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
                let mut rest: Option<StoredWriter<MateEntry>> = None;
                while let Some((_, name, text)) = part.next()? {
                    let numbers = known.get_mut(name).and_then(VecDeque::pop_front);
                    if let Some(number) = numbers {
                        unit.clear();
                        let key = |out: &mut Vec<u8>| out.extend_from_slice(&number.to_be_bytes());
                        KeyLengths::write(&mut unit, key, [text, &[]])
                            .map_err(|error| Error::ScratchFile(io::Error::other(error)))?;
                        runs.take(&unit)?;
                    } else if is_all {
                        return Err(seconds.changed());
                    } else {
                        StoredWriter::get_or_create(&mut rest, &limits.folder, buffer)?
                            .add(&(0, name, text))?;
                    }
                }
                next = rest.map(StoredWriter::into_reader).transpose()?;
            }
            // What is gathered takes memory that the names of the next part need.
            runs.spill()?;
        }
        let mut firsts = texts.into_reader()?;
        let mut paired = 0u64;
        runs.finish(|second| {
            let (Some((_, _, first)), true) = (firsts.next()?, second.key == paired.to_be_bytes())
            else {
                return Err(seconds.changed());
            };
            paired += 1;
            writers.pair(first, second.texts[0])
        })?;
        if paired != number {
            return Err(seconds.changed());
        }
        Ok(stored + runs.stored().1)
    }
}

/// What a first read costs beside its name, about.
const OVERHEAD: usize = 128;

/// A number, a name and a text.
enum MateEntry {}

impl Stored for MateEntry {
    type Record<'a> = (u64, &'a [u8], &'a [u8]);
    const HEAD: usize = 24;

    fn write(&(number, name, text): &(u64, &[u8], &[u8]), out: &mut impl Write) -> io::Result<u64> {
        for number in [number, name.len() as u64, text.len() as u64] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(name)?;
        out.write_all(text)?;
        Ok((MateEntry::HEAD + name.len() + text.len()) as u64)
    }

    fn rest(head: &[u8]) -> usize {
        (number_at(head, 8) + number_at(head, 16)) as usize
    }

    fn read<'a>(head: &'a [u8], rest: &'a [u8]) -> Self::Record<'a> {
        let (name, text) = rest.split_at(number_at(head, 8) as usize);
        (number_at(head, 0), name, text)
    }
}
