//! The reads of an input, one after the other, got ready by a thread of their own where there is one.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use biofast_fastq::fasta::Sequences;
use biofast_fastq::pair::{MateNaming, mate_number, split_mate, template_name};
use biofast_fastq::{self as fastq, Reader, Record};
use biofast_io::{Options, Source};

use crate::Error;
use crate::change::split::{SplitAmount, append};

/// What is needed of a read beside its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadContent {
    Name,
    Text,
}

/// What is taken as the name that mates share, and which mate a read says it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Naming {
    /// As [`template_name`] and [`mate_number`] have it.
    #[default]
    Strict,
    /// Names without a mate's number, and descriptions that don't count.
    Plain,
    /// Names that end in a mate's number: that of this file of two, or of either in a mixed one.
    Numbered(Option<u8>),
}

/// So many names of an input say how it names mates.
const LOOKED_AT: usize = 1000;

impl Naming {
    /// How names are read in each of these inputs, two or a mixed one.
    ///
    /// By [`MateNaming::Names`] it is looked at whether names end in a mate's number, as the last field of a name may be a place or
    /// a count that is 1 or 2 by chance: those of a file all do, with the number of their file, or none does.
    pub(super) fn of(
        sources: Vec<Source>,
        options: &[Options; 2],
    ) -> Result<Vec<Naming>, fastq::Error> {
        let number = sources.len();
        if options[0].mates == MateNaming::Strict {
            return Ok(vec![Naming::Strict; number]);
        }
        let (mut all, mut some) = (false, false);
        for ((source, options), input) in sources.into_iter().zip(options).zip(1u8..) {
            let options = Options { notes: None, progress: None, threads: 1, ..options.clone() };
            let mut reader = Reader::new(Sequences(source), &options)?;
            let (mut names, mut numbered, mut others) = (0, 0, 0);
            // A fault is that of the reading that follows.
            while let Ok(Some(record)) = reader.next_record() {
                names += 1;
                match split_mate(record.name()) {
                    Some((_, mate)) if number == 1 || mate == input => numbered += 1,
                    Some(_) => others += 1,
                    None => {}
                }
                if names == LOOKED_AT {
                    break;
                }
            }
            all |= names > 0 && numbered == names;
            some |= others > 0 || numbered > 0 && numbered < names;
        }
        let naming = |input: u8| match all && !some {
            true => Naming::Numbered((number > 1).then_some(input)),
            false => Naming::Plain,
        };
        Ok((1u8..).take(number).map(naming).collect())
    }

    /// The name that mates share, and which mate the read says it is.
    fn read<'a>(self, record: &Record<'a>) -> (&'a [u8], Option<u8>) {
        let name = record.name();
        match (self, split_mate(name)) {
            (Naming::Strict, _) => (template_name(name), mate_number(record)),
            (Naming::Numbered(None), Some((template, mate))) => (template, Some(mate)),
            (Naming::Numbered(Some(of)), Some((template, mate))) if mate == of => (template, None),
            (Naming::Plain, _) => (template_name(name), None),
            _ => (name, None),
        }
    }
}

/// A read.
pub(super) struct RepairRead<'a> {
    /// The name that mates share.
    pub(super) name: &'a [u8],
    /// As it is written, if that is wanted.
    pub(super) text: &'a [u8],
    /// Its number, counted from 0.
    pub(super) ordinal: u64,
    /// Which mate it says it is: 1 or 2.
    pub(super) mate: Option<u8>,
    /// If its text is wanted.
    pub(super) amount: SplitAmount,
}

/// The reads.
pub(super) struct Feed {
    from: From,
    batch: ReadBatch,
    /// Of the batch.
    next: usize,
    at: usize,
    ended: bool,
}

enum From {
    Here(Box<Maker>),
    /// Batches that are ready, and where those that have been used go.
    There(Receiver<Result<ReadBatch, fastq::Error>>, Sender<ReadBatch>),
}

/// Some reads.
#[derive(Default)]
struct ReadBatch {
    /// Names and texts, one after the other.
    bytes: Vec<u8>,
    reads: Vec<ReadBounds>,
    first: u64,
}

#[derive(Clone, Copy)]
struct ReadBounds {
    name: usize,
    text: usize,
    mate: Option<u8>,
    amount: SplitAmount,
}

impl ReadBatch {
    /// A read, given its number in the batch and where it begins.
    fn read(&self, index: usize, at: usize) -> Option<RepairRead<'_>> {
        let ReadBounds { name, text, mate, amount } = *self.reads.get(index)?;
        let (name, rest) = self.bytes[at..].split_at(name);
        let ordinal = self.first + index as u64;
        Some(RepairRead { name, text: &rest[..text], ordinal, mate, amount })
    }
}

/// Bytes of a batch.
const ENOUGH: usize = 256 << 10;
/// Batches that wait.
const AHEAD: usize = 2;

/// What makes batches.
struct Maker {
    reader: Reader<Sequences>,
    wanted: ReadContent,
    naming: Naming,
}

impl Maker {
    /// Fills a batch; none are left where it stays empty.
    fn fill(&mut self, batch: &mut ReadBatch) -> Result<(), fastq::Error> {
        batch.bytes.clear();
        batch.reads.clear();
        batch.first = self.reader.records_read();
        while batch.bytes.len() < ENOUGH {
            let Some(record) = self.reader.next_record()? else { break };
            let start = batch.bytes.len();
            let (name, mate) = self.naming.read(&record);
            batch.bytes.extend_from_slice(name);
            let mut amount = SplitAmount::default();
            if self.wanted == ReadContent::Text {
                append(&mut batch.bytes, &record);
                amount = SplitAmount::of(&record);
            }
            let text = batch.bytes.len() - start - name.len();
            batch.reads.push(ReadBounds { name: name.len(), text, mate, amount });
        }
        Ok(())
    }
}

impl Feed {
    /// The reads of a source, on a thread of their own if the options allow two or more.
    pub(super) fn new(
        (source, naming): (Source, Naming),
        options: &Options,
        wanted: ReadContent,
    ) -> Result<Feed, fastq::Error> {
        // Beside it there are another input, and what compresses outputs.
        let threads = if options.threads >= 4 { 2 } else { 1 };
        let options_here = Options { threads, ..options.clone() };
        let reader = Reader::new(Sequences(source), &options_here)?;
        let maker = Box::new(Maker { reader, wanted, naming });
        let from = if options.threads > 1 { From::on_thread(maker) } else { From::Here(maker) };
        Ok(Feed { from, batch: ReadBatch::default(), next: 0, at: 0, ended: false })
    }

    /// The next read.
    pub(super) fn next(&mut self) -> Result<Option<RepairRead<'_>>, Error> {
        self.refill()?;
        let read = self.batch.read(self.next, self.at);
        if let Some(read) = &read {
            self.next += 1;
            self.at += read.name.len() + read.text.len();
        }
        Ok(read)
    }

    /// The same, which stays the next one.
    pub(super) fn peek(&mut self) -> Result<Option<RepairRead<'_>>, Error> {
        self.refill()?;
        Ok(self.batch.read(self.next, self.at))
    }

    /// Passes over the read that was looked at.
    pub(super) fn skip(&mut self) {
        if let Some(bounds) = self.batch.reads.get(self.next) {
            self.at += bounds.name + bounds.text;
            self.next += 1;
        }
    }

    fn refill(&mut self) -> Result<(), Error> {
        if self.next == self.batch.reads.len() && !self.ended {
            self.from.refill(&mut self.batch)?;
            (self.next, self.at) = (0, 0);
            self.ended = self.batch.reads.is_empty();
        }
        Ok(())
    }
}

impl From {
    fn on_thread(maker: Box<Maker>) -> From {
        let (give, take) = channel::<Box<Maker>>();
        let (ready, batches) = sync_channel(AHEAD);
        let (used, spare) = channel();
        let work = move || {
            if let Ok(maker) = take.recv() {
                run(*maker, &ready, &spare);
            }
        };
        // Where there is no thread, it takes longer and is the same.
        if thread::Builder::new().spawn(work).is_err() {
            return From::Here(maker);
        }
        match give.send(maker) {
            Ok(()) => From::There(batches, used),
            Err(back) => From::Here(back.0),
        }
    }

    fn refill(&mut self, batch: &mut ReadBatch) -> Result<(), fastq::Error> {
        match self {
            From::Here(maker) => maker.fill(batch),
            From::There(batches, used) => {
                let next = batches.recv().unwrap_or_else(|_| Ok(ReadBatch::default()))?;
                // Nobody needs it if that was the last one.
                let _ = used.send(std::mem::replace(batch, next));
                Ok(())
            }
        }
    }
}

/// Makes batches until there are no more reads, or nobody wants them.
fn run(
    mut maker: Maker,
    ready: &SyncSender<Result<ReadBatch, fastq::Error>>,
    spare: &Receiver<ReadBatch>,
) {
    loop {
        let mut batch = spare.try_recv().unwrap_or_default();
        let result = maker.fill(&mut batch);
        let is_last = batch.reads.is_empty();
        // Reads before a fault count first.
        if !is_last && ready.send(Ok(batch)).is_err() {
            return;
        }
        if let Err(error) = result {
            let _ = ready.send(Err(error));
            return;
        }
        if is_last {
            return;
        }
    }
}
