//! Input that is in order already: noticed by reading it once, and copied then.

use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{self as bam, ErrorKind, Query, Reader};
use biofast_io::{Location, Options, Shown};

use super::gather::SortEntry;
use super::merge::{BlockSource, RunMerge, SortedRun};
use super::stored::BLOCK;
use super::template::LibraryRanks;
use crate::measure::records::Sum;

use super::key::Order;
use super::sorter::{SortLimits, SortSummary, Sorted};
use crate::Error;

/// The records of a batch: what the first and the last are sorted by, and whether those between are in order.
#[derive(Default)]
struct KeySpan {
    first: Vec<u8>,
    last: Vec<u8>,
    records: u64,
    is_broken: bool,
}

/// The number of records of an input, if all are in the order that [`sort`](super::sort) would give them. Reading ends
/// at the first record that isn't, and at any fault.
pub fn is_sorted(input: impl Into<Query>, options: &Options, order: Order) -> Option<u64> {
    let (mut last, mut is_broken, mut is_first) = (Vec::new(), false, true);
    let result = bam::Fold::new(input.into()).options(options).ordered(
        || (None, Vec::new(), 0),
        |(libraries, key, records): &mut (Option<LibraryRanks>, Vec<u8>, u64),
         batch,
         span: &mut KeySpan| {
            let libraries = libraries.get_or_insert_with(|| LibraryRanks::of(batch.header()));
            *span = KeySpan::default();
            for record in batch {
                key.clear();
                span.is_broken =
                    record.check().is_err() || order.key(&record, libraries, key).is_err();
                if span.records == 0 {
                    span.first.clone_from(key);
                } else {
                    span.is_broken |= *key < span.last;
                }
                if span.is_broken {
                    break;
                }
                std::mem::swap(&mut span.last, key);
                span.records += 1;
            }
            *records += span.records;
        },
        |mine, theirs| mine.2 += theirs.2,
        |span| {
            is_broken = span.is_broken || (!is_first && span.records > 0 && span.first < last);
            if is_broken {
                return ControlFlow::Break(());
            }
            if span.records > 0 {
                std::mem::swap(&mut last, &mut span.last);
                is_first = false;
            }
            ControlFlow::Continue(())
        },
    );
    result.ok().filter(|_| !is_broken).map(|(_, (_, _, records))| records)
}

/// Gives the records of an input that is in order ([`is_sorted`]), without keeping them.
///
/// # Errors
/// If the header can't be read. A record that is out of order after all is an error when it comes.
pub fn copy(
    input: impl Into<Query>,
    options: &Options,
    order: Order,
    limits: &SortLimits,
) -> Result<Sorted, Error> {
    let input = input.into();
    let name: Arc<str> = input.name().into();
    let reader = Reader::new(input, options)?;
    let header = reader.header().clone();
    let libraries = LibraryRanks::of(&header);
    let sum = Arc::new(Mutex::new(Sum::default()));
    let sums = limits.sums.then(|| Arc::clone(&sum));
    let copied = Copied {
        reader,
        name,
        order,
        libraries,
        sums,
        letters: Default::default(),
        key: Vec::new(),
        last: Vec::new(),
    };
    let limits = limits.clone();
    let run = SortedRun::Blocks(Mutex::new(Box::new(copied)));
    let readers = usize::from(options.threads > 1);
    let merge = RunMerge::new(vec![run], order, readers)
        .map_err(|error| Error::scratch_in(&limits.folder, error))?;
    let summary = SortSummary { was_sorted: true, ..SortSummary::default() };
    Ok(Sorted { merge, header, summary, limits, copied: Some(sum), marker: None })
}

/// An input whose records are given on.
struct Copied {
    reader: Reader,
    name: Arc<str>,
    order: Order,
    libraries: LibraryRanks,
    sums: Option<Arc<Mutex<Sum>>>,
    letters: [Vec<u8>; 2],
    key: Vec<u8>,
    last: Vec<u8>,
}

impl BlockSource for Copied {
    fn next_block(&mut self) -> io::Result<Vec<u8>> {
        let mut block = Vec::with_capacity(BLOCK + BLOCK / 8);
        let mut sum = Sum::default();
        while block.len() < BLOCK {
            let number = self.reader.records_read();
            let Some(record) = self.reader.next_record()? else { break };
            let located = |error: bam::Error| {
                error.or_at(Location { record: Some(number + 1), ..Location::in_input(&self.name) })
            };
            record.check().map_err(located)?;
            self.key.clear();
            self.order.key(&record, &self.libraries, &mut self.key).map_err(located)?;
            if number > 0 && self.key < self.last {
                // It was in order before: somebody writes to the file.
                let kind = ErrorKind::Misplaced {
                    name: Shown(record.name()).to_string(),
                    previous: "another one, as the file is changed while it is read".into(),
                    order: self.order.to_string(),
                };
                return Err(located(bam::Error::new(kind, Location::default())).into());
            }
            if self.sums.is_some() {
                sum.add_alignment(&record, &mut self.letters);
            }
            std::mem::swap(&mut self.key, &mut self.last);
            let key = if self.order.is_short() { &[][..] } else { &self.last[..] };
            SortEntry { number, key, record: record.as_bytes() }.write(&mut block);
        }
        if let Some(sums) = &self.sums {
            sums.lock().unwrap_or_else(PoisonError::into_inner).add(sum);
        }
        Ok(block)
    }
}
