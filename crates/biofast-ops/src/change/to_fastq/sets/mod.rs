//! Alignments back to the sets of FASTQ files they were made of, as 10x's `bamtofastq` does it: reads are put together
//! from tags and sequences, and go to files by read group.

mod groups;
mod layout;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Header, Query, Record, flag};
use biofast_io::Options;
use biofast_io::output::{self, Output, Writer, threads_of_each};
use serde::Serialize;

use super::collated::{BatchReads, Collation, in_order};
use super::collator::{CollatedRead, Collator};
use super::plan::FastqPlan;
use super::segment::TemplateSegment;
use crate::error::{Error, Refusal};
use groups::SetGroups;
pub use layout::SetLayout;
use layout::{Lack, READS};

/// How the reason starts for which a record can't be written that lacks something.
pub const LACK: &str = "it can't be restored: ";

/// How sets are written.
#[derive(Clone, Debug)]
pub struct SetsPlan {
    /// Which records are wanted, and how their qualities are written. Secondary and supplementary records are never wanted.
    pub reads: FastqPlan,
    /// What reads are made of.
    pub layout: SetLayout,
    /// How many sets of a group go to a file before the next one begins.
    pub sets_per_file: NonZeroU64,
    /// Whether records of which a read can't be restored, and reads without their mate, are left out. Otherwise they are errors.
    pub skip_incomplete: bool,
}

/// A file of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetFile {
    /// The folder it goes to.
    pub folder: String,
    /// Its name.
    pub name: String,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SetsSummary {
    /// Records that passed the filter.
    pub reads: u64,
    /// Sets of a read in each file.
    pub sets: u64,
    /// Records left out as they, or their mates, have not all that a set is made of.
    pub left_out: u64,
    /// Reads that lack the tags of their end.
    pub shortened: u64,
    /// Files.
    pub files: u64,
}

/// What can be restored of a batch: reads of a set as [texts](SetTexts).
#[derive(Default)]
struct BatchSets {
    reads: BatchReads,
    left_out: u64,
    shortened: u64,
}

/// Those reads of a set that a record gives.
struct SetTexts<'a> {
    group: u32,
    texts: [&'a [u8]; READS.len()],
}

/// Bytes before the texts: the group, and the length of each.
const HEAD: usize = 4 * (1 + READS.len());

impl<'a> SetTexts<'a> {
    fn of(bytes: &'a [u8]) -> SetTexts<'a> {
        let (head, mut rest) = bytes.split_at(HEAD);
        let mut numbers = head.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let group = numbers.next().unwrap_or_default();
        let texts = [(); READS.len()].map(|()| {
            let len = numbers.next().unwrap_or_default() as usize;
            let (text, others) = rest.split_at(len);
            rest = others;
            text
        });
        SetTexts { group, texts }
    }
}

impl SetsPlan {
    /// Appends the reads that this record gives, behind their lengths; or returns why it can't be done.
    fn append(
        &self,
        groups: &SetGroups,
        record: &Record<'_>,
        part: TemplateSegment,
        shortened: &mut u64,
        out: &mut Vec<u8>,
    ) -> Result<Result<(), Lack>, bam::Error> {
        let reads: &[usize] = match (self.layout.is_paired(), part) {
            (false, _) => &[0, 1, 2, 3],
            (true, TemplateSegment::First) => &[0, 2, 3],
            (true, TemplateSegment::Second) => &[1],
            (true, TemplateSegment::Other) => {
                return Ok(Err("neither the first nor the second read of a pair".into()));
            }
        };
        let group = match groups.number_of(record)? {
            Ok(group) => group,
            Err(lack) => return Ok(Err(lack)),
        };
        let at = out.len();
        out.resize(at + HEAD, 0);
        out[at..at + 4].copy_from_slice(&group.to_le_bytes());
        let mut is_short = false;
        for read in self.layout.reads().filter(|read| reads.contains(read)) {
            let start = out.len();
            if let Err(lack) =
                self.layout.write(read, record, &self.reads.format, &mut is_short, out)?
            {
                return Ok(Err(lack));
            }
            // Less than four times a record, whose length has 31 bits.
            let len = ((out.len() - start) as u32).to_le_bytes();
            out[at + 4 * (read + 1)..at + 4 * (read + 2)].copy_from_slice(&len);
        }
        *shortened += u64::from(is_short);
        Ok(Ok(()))
    }

    fn fill(&self, groups: &SetGroups, batch: Batch<'_>, input: &Arc<str>, found: &mut BatchSets) {
        let BatchSets { reads, left_out, shortened } = found;
        (*left_out, *shortened) = (0, 0);
        reads.fill(&self.reads, batch, input, |record, part, out| {
            let start = out.len();
            match self.append(groups, record, part, shortened, out)? {
                Ok(()) => {}
                Err(_) if self.skip_incomplete => {
                    out.truncate(start);
                    *left_out += 1;
                }
                Err(lack) => return Err(record.unwritable(format!("{LACK}{lack}"))),
            }
            Ok(())
        });
    }
}

/// The files of a group that are being written.
#[derive(Default)]
struct OpenGroup {
    writers: Vec<Writer>,
    /// Sets in these files.
    sets: u64,
    /// How many files of each read were begun.
    number: u64,
}

/// What takes sets in order.
struct SetWriter<'a, O> {
    plan: &'a SetsPlan,
    groups: &'a SetGroups,
    open: O,
    threads: usize,
    opened: BTreeMap<u32, OpenGroup>,
    done: Vec<Output>,
    summary: SetsSummary,
}

/// An error of ours, or of who opens files.
enum SetError<E> {
    Own(Error),
    Open(E),
}

impl<E, T: Into<Error>> From<T> for SetError<E> {
    fn from(error: T) -> SetError<E> {
        SetError::Own(error.into())
    }
}

impl<E, O: FnMut(&SetFile) -> Result<Output, E>> SetWriter<'_, O> {
    /// Begins the next files of a group.
    fn begin(&mut self, group: u32) -> Result<(), SetError<E>> {
        let opened = self.opened.entry(group).or_default();
        (opened.number, opened.sets) = (opened.number + 1, 0);
        let groups::SetGroup { folder, lane } = self.groups.get(group);
        for (at, read) in self.plan.layout.reads().enumerate() {
            let (name, number) = (self.plan.layout.name(read), opened.number);
            let name = format!("bamtofastq_S1_L{lane:03}_{name}_{number:03}.fastq.gz");
            let file = SetFile { folder: folder.clone(), name };
            let next = (self.open)(&file).map_err(SetError::Open)?;
            self.summary.files += 1;
            match opened.writers.get_mut(at) {
                Some(writer) => {
                    let mut ended = writer.replace(next)?;
                    ended.close(false)?;
                    self.done.push(ended);
                }
                None => opened.writers.push(Writer::new(next, self.threads)?),
            }
        }
        Ok(())
    }

    /// Writes a set, of which the second record may give a read.
    fn write(&mut self, first: &[u8], second: Option<&[u8]>) -> Result<(), SetError<E>> {
        let SetTexts { group, mut texts } = SetTexts::of(first);
        if let Some(second) = second {
            texts[1] = SetTexts::of(second).texts[1];
        }
        let limit = self.plan.sets_per_file.get();
        if self.opened.get(&group).is_none_or(|opened| opened.sets >= limit) {
            self.begin(group)?;
        }
        let Some(opened) = self.opened.get_mut(&group) else { return Ok(()) };
        for (writer, read) in opened.writers.iter_mut().zip(self.plan.layout.reads()) {
            writer.append(texts[read])?;
        }
        opened.sets += 1;
        self.summary.sets += 1;
        Ok(())
    }

    fn take(&mut self, found: CollatedRead<'_>, input: &str) -> Result<(), SetError<E>> {
        match found {
            CollatedRead::Pair(first, second) => return self.write(first, Some(second)),
            CollatedRead::Single(..) | CollatedRead::Repeated if self.plan.skip_incomplete => {
                self.summary.left_out += 1;
            }
            CollatedRead::Single(_, text) => {
                let text = &text[HEAD + 1..];
                let name = text.split(|&byte| byte == b' ').next().unwrap_or_default();
                let (input, name) = (input.to_owned(), biofast_io::Shown(name).to_string());
                return Err(Error::Refused(Refusal::NoMate { input, name }).into());
            }
            // Only of records that aren't wanted.
            CollatedRead::Repeated => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(SetsSummary, Vec<Output>), output::Error> {
        for writer in self.opened.into_values().flat_map(|opened| opened.writers) {
            let mut output = writer.into_output()?;
            output.finish()?;
            self.done.push(output);
        }
        Ok((self.summary, self.done))
    }
}

/// Writes the sets of `query`, whose header is given, to the files that `open` opens: one for each read of a group when the first of
/// its sets comes, and the next when it is full. Sets of records that are not paired keep the order of the input; pairs come
/// when the second of them does, those that had to wait in files after all others. Returns the outputs, to be
/// [committed](biofast_io::output::commit).
///
/// The outputs are the same at any number of threads.
///
/// # Errors
/// The first fault of the input, a record that can't be restored, or the failure of an output or of a temporary file.
pub fn sets<E, O>(
    query: impl Into<Query>,
    header: &Header,
    options: &Options,
    plan: &SetsPlan,
    open: O,
    collation: Collation<'_>,
) -> Result<(SetsSummary, Vec<Output>), E>
where
    E: From<Error> + Send,
    O: FnMut(&SetFile) -> Result<Output, E> + Send,
{
    let query = query.into();
    let input = query.name().to_owned();
    let mut plan = plan.clone();
    plan.reads.filter.none_of |= flag::SECONDARY | flag::SUPPLEMENTARY;
    let groups = SetGroups::of_header(header);
    let files = groups.count() * plan.layout.reads().count();
    // Of many files each is compressed by whoever writes it.
    let threads = if files > 32 { 1 } else { threads_of_each(options.threads, files) };
    let (opened, done, summary) = (BTreeMap::new(), Vec::new(), SetsSummary::default());
    let mut writer =
        SetWriter { plan: &plan, groups: &groups, open, threads, opened, done, summary };
    let mut collator = Collator::new(collation.memory, collation.folder);
    let is_paired = plan.layout.is_paired();
    let result = in_order(
        query,
        options,
        |batch, input, found| plan.fill(&groups, batch, input, found),
        |found: &mut BatchSets| {
            writer.summary.reads += found.left_out;
            writer.summary.left_out += found.left_out;
            writer.summary.shortened += found.shortened;
            found.reads.drain(|read| {
                writer.summary.reads += 1;
                match is_paired {
                    true => collator.add(read, &mut |found| writer.take(found, &input)),
                    false => writer.write(read.text, None),
                }
            })
        },
    );
    let result = result
        .and_then(|()| collator.finish(&mut |found| writer.take(found, &input)))
        .and_then(|()| Ok(writer.finish()?));
    result.map_err(|error| match error {
        SetError::Own(error) => error.into(),
        SetError::Open(error) => error,
    })
}
