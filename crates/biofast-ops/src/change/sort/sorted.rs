//! Input that is in order already: noticed by reading it once, and copied then.

use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{self as bam, Error, ErrorKind, Query, Reader};
use biofast_io::{Location, Options, Shown};

use super::gather::Entry;
use super::merge::{Blocks, Merge, Run};
use super::stored::BLOCK;
use super::template::Libraries;
use crate::measure::records::Sum;

use super::{Limits, Order, Problem, Sorted, Summary};

/// The records of a batch: what the first and the last are sorted by, and whether those between are in order.
#[derive(Default)]
struct Span {
    first: Vec<u8>,
    last: Vec<u8>,
    records: u64,
    is_broken: bool,
}

/// How many records an input has, if all of them are in order as [`sort`](super::sort) would give them. Reading ends with the
/// first that isn't, and with anything that is wrong.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::sort::{Limits, Order, copy, is_sorted};
///
/// let sam = b"a\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\nb\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let open = || {
///     let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
///     Input::open(Source::from_reader("example", &sam[..]), &opened)
/// };
/// assert_eq!(is_sorted(open()?.source, &options, Order::NaturalName), Some(2));
/// let mut sorted = copy(open()?.source, &options, Order::NaturalName, &Limits::default())?;
/// assert_eq!(sorted.next_record()?.map(|record| record.name()), Some(&b"a"[..]));
/// assert!(sorted.summary().was_sorted);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_sorted(input: impl Into<Query>, options: &Options, order: Order) -> Option<u64> {
    let (mut last, mut is_broken, mut is_first) = (Vec::new(), false, true);
    let result = bam::par_fold_regions_ordered(
        input.into(),
        options,
        || (None, Vec::new(), 0),
        |(libraries, key, records): &mut (Option<Libraries>, Vec<u8>, u64),
         batch,
         span: &mut Span| {
            let libraries = libraries.get_or_insert_with(|| Libraries::of(batch.header()));
            *span = Span::default();
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
    limits: &Limits,
) -> Result<Sorted, Problem> {
    let input = input.into();
    let name: Arc<str> = input.name().into();
    let reader = Reader::new(input, options)?;
    let header = reader.header().clone();
    let libraries = Libraries::of(&header);
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
    let failed = |error| Problem::Temporary(limits.folder.clone(), error);
    let run = Run::Blocks(Mutex::new(Box::new(copied)));
    let readers = usize::from(options.threads > 1);
    let merge = Merge::new(vec![run], order, readers).map_err(|error: io::Error| {
        match error.downcast::<Error>() {
            Ok(error) => Problem::Input(error),
            Err(error) => failed(error),
        }
    })?;
    let summary = Summary { was_sorted: true, ..Summary::default() };
    Ok(Sorted { merge, header, summary, limits, copied: Some(sum), marker: None })
}

/// An input whose records are given on.
struct Copied {
    reader: Reader,
    name: Arc<str>,
    order: Order,
    libraries: Libraries,
    sums: Option<Arc<Mutex<Sum>>>,
    letters: [Vec<u8>; 2],
    key: Vec<u8>,
    last: Vec<u8>,
}

impl Blocks for Copied {
    fn next_block(&mut self) -> io::Result<Vec<u8>> {
        let mut block = Vec::with_capacity(BLOCK + BLOCK / 8);
        let mut sum = Sum::default();
        while block.len() < BLOCK {
            let number = self.reader.records_read();
            let Some(record) = self.reader.next_record()? else { break };
            let located = |error: Error| {
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
                return Err(located(Error::new(kind, Location::default())).into());
            }
            if self.sums.is_some() {
                sum.add_alignment(&record, &mut self.letters);
            }
            std::mem::swap(&mut self.key, &mut self.last);
            let key = if self.order.is_short() { &[][..] } else { &self.last[..] };
            Entry { number, key, record: record.as_bytes() }.write(&mut block);
        }
        if let Some(sums) = &self.sums {
            sums.lock().unwrap_or_else(PoisonError::into_inner).add(sum);
        }
        Ok(block)
    }
}
