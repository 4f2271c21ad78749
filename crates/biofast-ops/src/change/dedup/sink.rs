//! What takes the units in their order: it decides what is new, as only there it is known what came before.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::output::Writer;

use super::key::Lens;
use super::levels::Levels;
use super::marks::DuplicateMarks;
use super::parts::KeyPartitions;
use super::table::{DedupKey, KeyStatus, KeyTable};
use super::totals::DedupTotals;
use crate::Error;
use crate::change::pending::{Pending, taken_or_kept};
use crate::change::spill::SpillLimits;
use crate::change::split::SplitAmount;
use crate::change::to_fastq::NameHashes;
use crate::measure::records::{Checksum, Sum};

/// What stands before the key and the text of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitHeader {
    pub(super) key: Lens,
    /// Of the text of each mate.
    pub(super) texts: [usize; 2],
    pub(super) hash: u64,
    pub(super) score: u64,
    pub(super) mates: [SplitAmount; 2],
}

impl UnitHeader {
    const NUMBERS: usize = 13;
    pub(super) const LEN: usize = UnitHeader::NUMBERS * 8;

    pub(super) fn to_bytes(self) -> [u8; UnitHeader::LEN] {
        let UnitHeader { key: Lens { head, key, other }, texts, hash, score, mates: [one, two] } =
            self;
        let lens = [head, key, other, texts[0], texts[1]].map(|len| len as u64);
        let [a, b, c, d, e] = lens;
        let of =
            |amount: SplitAmount| (amount.sum.records, amount.bases, amount.sum.checksum.to_bits());
        let ((f, g, h), (i, j, k)) = (of(one), of(two));
        let mut bytes = [0; UnitHeader::LEN];
        let numbers: [u64; UnitHeader::NUMBERS] = [a, b, c, d, e, hash, score, f, g, h, i, j, k];
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// How long the keys and the texts behind it are.
    fn len(&self) -> usize {
        self.key.key + self.key.other + self.texts[0] + self.texts[1]
    }

    #[inline]
    fn from_bytes(bytes: &[u8; UnitHeader::LEN]) -> UnitHeader {
        let mut numbers = [0; UnitHeader::NUMBERS];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let [a, b, c, d, e, hash, score, f, g, h, i, j, k] = numbers;
        // They were lengths in memory.
        let [head, key, other, one, two] = [a, b, c, d, e].map(|len| len as usize);
        let amount = |records, bases, checksum| SplitAmount {
            sum: Sum { records, checksum: Checksum::from_bits(checksum) },
            bases,
        };
        UnitHeader {
            key: Lens { head, key, other },
            texts: [one, two],
            hash,
            score,
            mates: [amount(f, g, h), amount(i, j, k)],
        }
    }
}

/// All that is known while units come.
pub(super) struct DedupSink {
    pub(super) table: Box<dyn KeyTable>,
    pub(super) names: NameHashes,
    pub(super) limits: SpillLimits,
    pub(super) writers: DedupWriters,
    pub(super) totals: DedupTotals,
    /// Units so far.
    pub(super) units: u64,
    /// From the first unit on that isn't written at once.
    pub(super) waiting: Option<PendingUnits>,
    /// Whether the input can't be read again.
    pub(super) spools: bool,
}

/// Units that aren't written at once.
pub(super) struct PendingUnits {
    pub(super) marks: DuplicateMarks,
    /// Keys for which there is no memory.
    pub(super) parts: Option<KeyPartitions>,
    /// Their text, where it can't be read again.
    pub(super) spool: Option<BufWriter<File>>,
}

/// Where units go: files of what is kept, and of duplicates.
pub(super) struct DedupWriters {
    pub(super) kept: Vec<Writer>,
    pub(super) duplicates: Vec<Writer>,
}

/// Units whose keys are fetched before they are looked up.
const AHEAD: usize = 16;

/// What stands before the unit that a text begins with, and the text behind that.
#[inline]
fn split_header(text: &[u8]) -> Option<(UnitHeader, &[u8])> {
    let (header, rest) = text.split_first_chunk::<{ UnitHeader::LEN }>()?;
    Some((UnitHeader::from_bytes(header), rest))
}

/// Bytes of text that are gathered for a temporary file.
const BUFFER: usize = 256 << 10;

impl DedupSink {
    /// Has all units from the next one on wait for the second reading.
    pub(super) fn wait(&mut self) -> Result<(), Error> {
        let spool = match self.spools {
            true => {
                let file = tempfile::tempfile_in(&self.limits.folder)?;
                Some(BufWriter::with_capacity(BUFFER, file))
            }
            false => None,
        };
        self.waiting =
            Some(PendingUnits { marks: DuplicateMarks::from(self.units), parts: None, spool });
        Ok(())
    }

    /// Takes a unit.
    fn take(&mut self, mark: &UnitHeader, rest: &[u8]) -> Result<(), Error> {
        let (keys, text) = rest.split_at(mark.key.key + mark.key.other);
        let (bytes, other) = keys.split_at(mark.key.key);
        let UnitHeader { key: Lens { head, .. }, hash, score, .. } = *mark;
        let key = DedupKey { bytes, head, other, hash, ordinal: self.units, score };
        self.totals.read(&mark.mates);
        let seen = self.table.see(&key);
        if seen == KeyStatus::Unknown && self.waiting.is_none() {
            self.wait()?;
        }
        match (&mut self.waiting, seen) {
            (None, _) => {
                let is_new = seen == KeyStatus::New;
                self.totals.written(is_new, &mark.mates);
                self.writers.write(is_new, mark.texts, text)?;
            }
            (Some(waiting), seen) => {
                match seen {
                    KeyStatus::New => {}
                    KeyStatus::Duplicate(loser) => waiting.marks.set(loser),
                    KeyStatus::Unknown => {
                        let parts = match &mut waiting.parts {
                            Some(parts) => parts,
                            none => none
                                .insert(KeyPartitions::create(&self.limits, self.names.clone())?),
                        };
                        parts.add(&key)?;
                    }
                }
                if let Some(spool) = &mut waiting.spool {
                    spool.write_all(text)?;
                }
            }
        }
        self.units += 1;
        Ok(())
    }

    /// Takes the units of a text, and returns how much of it they are: less than all if the last one is cut.
    fn take_all(&mut self, text: &[u8]) -> Result<usize, Error> {
        let (mut at, mut ahead, mut number) = (0, 0, 0);
        loop {
            // Where a key is in the table is far from where others are: several are fetched at once.
            if number == 0 {
                while number < AHEAD
                    && let Some((mark, rest)) = split_header(&text[ahead..])
                {
                    self.table.touch(mark.hash);
                    ahead = text.len() - rest.len().saturating_sub(mark.len());
                    number += 1;
                }
            }
            let Some((mark, rest)) = split_header(&text[at..]) else { break };
            let Some(unit) = rest.get(..mark.len()) else { break };
            self.take(&mark, unit)?;
            at += UnitHeader::LEN + mark.len();
            number = number.saturating_sub(1);
        }
        Ok(at)
    }

    /// How often each unit that was kept in memory was there.
    pub(super) fn count(&self, levels: &mut Levels) {
        self.table.count(levels);
    }
}

impl DedupWriters {
    fn write(
        &mut self,
        is_new: bool,
        texts: [usize; 2],
        text: &[u8],
    ) -> Result<(), biofast_io::output::Error> {
        let writers = if is_new { &mut self.kept } else { &mut self.duplicates };
        match &mut writers[..] {
            [] => Ok(()),
            [both] => both.append(text),
            [one, two, ..] => {
                let (first, second) = text.split_at(texts[0]);
                one.append(first)?;
                two.append(second)
            }
        }
    }
}

/// The sink with why it failed, shared by the stream and the one who made it.
pub(super) struct SharedSink {
    /// None once it has been taken.
    pub(super) sink: Option<DedupSink>,
    pub(super) problem: Option<Error>,
    /// The start of a unit whose end has not come yet.
    pending: Pending,
}

/// What gets the text of all units in order.
pub(super) struct DedupStream(Arc<Mutex<SharedSink>>);

impl DedupStream {
    /// A stream to the sink.
    pub(super) fn new(sink: DedupSink) -> (DedupStream, Arc<Mutex<SharedSink>>) {
        let shared = SharedSink { sink: Some(sink), problem: None, pending: Pending::default() };
        let shared = Arc::new(Mutex::new(shared));
        (DedupStream(Arc::clone(&shared)), shared)
    }
}

impl Write for DedupStream {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let SharedSink { sink: Some(sink), problem, pending } = &mut *shared else {
            return Err(io::Error::other("it has been ended"));
        };
        let taken = pending.add(text, |text| sink.take_all(text));
        taken_or_kept(taken, problem, text, "reads can't be written")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let amount = |n: u64| SplitAmount {
            sum: Sum { records: n, checksum: Checksum::from_bits(n << 40) },
            bases: n + 7,
        };
        let mark = UnitHeader {
            key: Lens { head: 1, key: 2, other: 3 },
            texts: [4, 5],
            hash: 6,
            score: 7,
            mates: [amount(8), amount(9)],
        };
        assert_eq!(UnitHeader::from_bytes(&mark.to_bytes()), mark);
    }
}
