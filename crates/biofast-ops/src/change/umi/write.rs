//! The second reading: records written as it was decided.

use biofast_bam::index::Indexer;
use biofast_bam::{self as bam, Batch, Query, Record, Value};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Copies;

use super::FoundUmis;
use super::decisions::{GroupedAs, UmiDecisions};
use super::rules::UmiTask;
use super::survey::MateKey;
use crate::Error;
use crate::change::edit::{RewrittenFormat, made};
use crate::tags::{append_tags, append_text};

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenUmis {
    /// Records written.
    pub records: u64,
    /// Mates that were to be written and weren't found.
    pub missing_mates: u64,
}

/// What a worker has.
#[derive(Default)]
struct UmiWriter {
    read: u64,
    written: u64,
    umi: Vec<u8>,
    record: Vec<u8>,
}

impl UmiWriter {
    fn merge(&mut self, other: UmiWriter) {
        self.read += other.read;
        self.written += other.written;
    }
}

impl FoundUmis {
    /// Writes the same input, opened again, to the first of `outputs`, behind what was [appended](Output::append) to it.
    ///
    /// # Errors
    /// The first fault of the input or failure of an output; or if the input has other records now.
    pub fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        outputs: &mut [Output],
        format: &RewrittenFormat,
    ) -> Result<WrittenUmis, Error> {
        self.write_indexed(query, options, outputs, format, None)
    }

    /// The same with an index: the second output gets its [tickets](Indexer::tickets).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    #[doc(hidden)]
    pub fn write_indexed(
        &self,
        query: impl Into<Query>,
        options: &Options,
        outputs: &mut [Output],
        format: &RewrittenFormat,
        index: Option<&Indexer>,
    ) -> Result<WrittenUmis, Error> {
        let query = query.into();
        let name = query.name().to_owned();
        let transform = bam::Transform::new(query).options(options);
        let mut missing_mates = 0;
        let (_, worker) = match self.task == UmiTask::Dedup && self.keeps_mates {
            false => transform.run_copying(
                outputs,
                UmiWriter::default,
                |worker, batch, texts, copies| {
                    self.write_batch(worker, (batch, &[]), texts, copies, (format, index))
                },
                UmiWriter::merge,
            )?,
            true => {
                let mut chosen = ChosenMates::new(&self.decisions);
                let written = transform.run_surveyed(
                    outputs,
                    UmiWriter::default,
                    (
                        |_, batch, found: &mut Vec<MateOfBatch>| {
                            find_mates(&self.decisions, batch, found);
                        },
                        |found: Option<Vec<MateOfBatch>>, decided: &mut Vec<Vec<u64>>| {
                            decided.extend(found.map(|found| chosen.choose(found)));
                            Ok(())
                        },
                    ),
                    |worker, batch, mates: &Vec<u64>, texts, copies| {
                        self.write_batch(worker, (batch, mates), texts, copies, (format, index))
                    },
                    UmiWriter::merge,
                );
                missing_mates = chosen.missing;
                written?
            }
        };
        if worker.read != self.counts.records {
            return Err(Error::Changed(name));
        }
        Ok(WrittenUmis { records: worker.written, missing_mates })
    }

    fn write_batch(
        &self,
        worker: &mut UmiWriter,
        (batch, mates): (Batch<'_>, &[u64]),
        texts: &mut [Vec<u8>],
        copies: &mut [Copies],
        (format, index): (&RewrittenFormat, Option<&Indexer>),
    ) -> Result<(), bam::Error> {
        let Some((text, tickets)) = texts.split_first_mut() else { return Ok(()) };
        let start = text.len();
        for (number, record) in batch.numbered() {
            record.check()?;
            worker.read += 1;
            let made = match self.task {
                UmiTask::Dedup => {
                    let is_kept =
                        self.decisions.is_kept(number) || mates.binary_search(&number).is_ok();
                    is_kept.then_some(record)
                }
                UmiTask::Group => match self.decisions.group_of(number) {
                    GroupedAs::Dropped => None,
                    GroupedAs::Plain => Some(record),
                    GroupedAs::Group(group, umi) => {
                        worker.umi.clear();
                        self.odd.append(umi, &mut worker.umi);
                        let umi = &worker.umi;
                        Some(self.tagged(&record, group, umi, &mut worker.record)?)
                    }
                },
            };
            if let Some(made) = made {
                worker.written += 1;
                format.put(&made, batch, text, copies)?;
            }
        }
        if let (Some(index), Some(tickets)) = (index, tickets.first_mut()) {
            index.note(&text[start..], tickets);
        }
        Ok(())
    }

    /// The record with the tags of its group, made in `room`.
    fn tagged<'r>(
        &self,
        record: &Record<'_>,
        group: u32,
        umi: &[u8],
        room: &'r mut Vec<u8>,
    ) -> Result<Record<'r>, bam::Error> {
        let bytes = record.as_bytes();
        room.clear();
        room.extend_from_slice(&bytes[..bytes.len() - record.tag_bytes().len()]);
        append_tags(record, room, |tag| self.tags.contains(&tag));
        room.extend_from_slice(&self.tags[0]);
        match Value::int(i64::from(group)) {
            Some(Value::U8(group)) => room.extend_from_slice(&[b'C', group]),
            Some(Value::U16(group)) => {
                room.push(b'S');
                room.extend_from_slice(&group.to_le_bytes());
            }
            _ => {
                room.push(b'I');
                room.extend_from_slice(&group.to_le_bytes());
            }
        }
        append_text(self.tags[1], umi, room);
        made(record, room)
    }
}

/// A record of a batch that is a mate to be kept: its number, and which mate.
type MateOfBatch = (u64, usize);

fn find_mates(decisions: &UmiDecisions, batch: Batch<'_>, found: &mut Vec<MateOfBatch>) {
    let mut finder = decisions.finder();
    for (number, record) in batch.numbered() {
        let mate = MateKey::of_mate(&record).and_then(|key| finder.find(key));
        found.extend(mate.map(|mate| (number, mate)));
    }
}

/// Which mates were found already: the first record that may be one is it.
struct ChosenMates {
    found: Vec<u64>,
    missing: u64,
}

impl ChosenMates {
    fn new(decisions: &UmiDecisions) -> ChosenMates {
        let mates = decisions.mates();
        ChosenMates { found: vec![0; mates.div_ceil(64)], missing: mates as u64 }
    }

    fn choose(&mut self, found: Vec<MateOfBatch>) -> Vec<u64> {
        let mut chosen = Vec::new();
        for (record, mate) in found {
            let (word, bit) = (&mut self.found[mate / 64], 1 << (mate % 64));
            if *word & bit == 0 {
                *word |= bit;
                self.missing -= 1;
                chosen.push(record);
            }
        }
        chosen
    }
}
