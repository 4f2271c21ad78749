//! The reads of an input, one after the other, got ready by a thread of their own where there is one.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use biofast_fastq::fasta::Sequences;
use biofast_fastq::pair::{mate_number, template_name};
use biofast_fastq::{Error, Reader};
use biofast_io::{Options, Source};

use super::Problem;
use crate::change::split::{Amount, append};

/// What is needed of a read beside its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Name,
    Text,
}

/// A read.
pub(super) struct Read<'a> {
    /// The name that mates share.
    pub(super) name: &'a [u8],
    /// As it is written, if that is wanted.
    pub(super) text: &'a [u8],
    /// Its number, counted from 0.
    pub(super) ordinal: u64,
    /// Which mate it says it is: 1 or 2.
    pub(super) mate: Option<u8>,
    /// If its text is wanted.
    pub(super) amount: Amount,
}

/// The reads.
pub(super) struct Feed {
    from: From,
    batch: Batch,
    /// Of the batch.
    next: usize,
    at: usize,
    ended: bool,
}

enum From {
    Here(Box<Maker>),
    /// Batches that are ready, and where those that have been used go.
    There(Receiver<Result<Batch, Error>>, Sender<Batch>),
}

/// Some reads.
#[derive(Default)]
struct Batch {
    /// Names and texts, one after the other.
    bytes: Vec<u8>,
    reads: Vec<Bounds>,
    first: u64,
}

#[derive(Clone, Copy)]
struct Bounds {
    name: usize,
    text: usize,
    mate: Option<u8>,
    amount: Amount,
}

impl Batch {
    /// A read, given its number in the batch and where it begins.
    fn read(&self, index: usize, at: usize) -> Option<Read<'_>> {
        let Bounds { name, text, mate, amount } = *self.reads.get(index)?;
        let (name, rest) = self.bytes[at..].split_at(name);
        let ordinal = self.first + index as u64;
        Some(Read { name, text: &rest[..text], ordinal, mate, amount })
    }
}

/// Bytes of a batch.
const ENOUGH: usize = 256 << 10;
/// Batches that wait.
const AHEAD: usize = 2;

/// What makes batches.
struct Maker {
    reader: Reader<Sequences>,
    wanted: Wanted,
}

impl Maker {
    /// Fills a batch; none are left where it stays empty.
    fn fill(&mut self, batch: &mut Batch) -> Result<(), Error> {
        batch.bytes.clear();
        batch.reads.clear();
        batch.first = self.reader.records_read();
        while batch.bytes.len() < ENOUGH {
            let Some(record) = self.reader.next_record()? else { break };
            let start = batch.bytes.len();
            let name = template_name(record.name());
            batch.bytes.extend_from_slice(name);
            let mut amount = Amount::default();
            if self.wanted == Wanted::Text {
                append(&mut batch.bytes, &record);
                amount = Amount::of(&record);
            }
            let text = batch.bytes.len() - start - name.len();
            let mate = mate_number(&record);
            batch.reads.push(Bounds { name: name.len(), text, mate, amount });
        }
        Ok(())
    }
}

impl Feed {
    /// The reads of a source, on a thread of their own if the options allow two or more.
    pub(super) fn new(source: Source, options: &Options, wanted: Wanted) -> Result<Feed, Error> {
        // Beside it there are another input, and what compresses outputs.
        let threads = if options.threads >= 4 { 2 } else { 1 };
        let options_here = Options { threads, ..options.clone() };
        let maker =
            Box::new(Maker { reader: Reader::new(Sequences(source), &options_here)?, wanted });
        let from = if options.threads > 1 { From::on_thread(maker) } else { From::Here(maker) };
        Ok(Feed { from, batch: Batch::default(), next: 0, at: 0, ended: false })
    }

    /// The next read.
    pub(super) fn next(&mut self) -> Result<Option<Read<'_>>, Problem> {
        self.refill()?;
        let read = self.batch.read(self.next, self.at);
        if let Some(read) = &read {
            self.next += 1;
            self.at += read.name.len() + read.text.len();
        }
        Ok(read)
    }

    /// The same, which stays the next one.
    pub(super) fn peek(&mut self) -> Result<Option<Read<'_>>, Problem> {
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

    fn refill(&mut self) -> Result<(), Problem> {
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

    fn refill(&mut self, batch: &mut Batch) -> Result<(), Error> {
        match self {
            From::Here(maker) => maker.fill(batch),
            From::There(batches, used) => {
                let next = batches.recv().unwrap_or_else(|_| Ok(Batch::default()))?;
                // Nobody needs it if that was the last one.
                let _ = used.send(std::mem::replace(batch, next));
                Ok(())
            }
        }
    }
}

/// Makes batches until there are no more reads, or nobody wants them.
fn run(mut maker: Maker, ready: &SyncSender<Result<Batch, Error>>, spare: &Receiver<Batch>) {
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
