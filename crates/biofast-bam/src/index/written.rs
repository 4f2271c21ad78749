//! Indexes of BAM made while it is written.
//!
//! Workers condense the records they have written, with places in the *text* of the output. What
//! they found waits under a ticket, and the ticket goes the way of the text: to a plain output
//! beside the BAM output, in the same order. Where blocks start is known in the end, and the
//! places are then turned into virtual offsets.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::output::{Compression, Output};
use biofast_io::{Location, display_name};

use super::assemble::{Assembly, Partial};
use super::bins::Scheme;
use super::build::{self, BuildOptions};
use super::tables::IndexFormat;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::order::Order;
use crate::record::Record;

/// Makes the index of a BAM output while it is written: with the bytes that
/// [`build`](super::build) would find for the file.
///
/// A [`Writer`](crate::Writer) does all this for records that come from one thread. This is for
/// a [`Transform`](crate::Transform) and outputs written otherwise.
///
/// ```
/// use biofast_bam::index::{BuildOptions, Indexer};
/// use biofast_bam::{Header, RecordBuf};
/// use biofast_io::output::{Compression, Format, Output};
///
/// let header = Header::from_text(b"@SQ\tSN:c\tLN:9\n")?;
/// let bgzf = Compression::new(Format::Bgzf, None)?;
/// let mut output = Output::stream("x.bam", std::io::sink(), bgzf).with_blocks()?;
/// let indexer = Indexer::new(&header, BuildOptions::default())?;
/// let mut tickets = indexer.tickets("x.bam");
///
/// let mut text = Vec::new();
/// header.write_bam(&mut text)?;
/// indexer.append(&mut output, &text)?;
///
/// let (mut records, mut ticket) = (Vec::new(), Vec::new());
/// RecordBuf::mapped("r", 0, 3, "1M".parse()?).build()?.write_bam(&header, &mut records)?;
/// indexer.note(&records, &mut ticket);
/// output.append(&records)?;
/// tickets.append(&ticket)?;
/// output.finish()?;
/// tickets.finish()?;
/// assert!(indexer.finish(&output)?.starts_with(b"BAI\x01"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Indexer {
    format: IndexFormat,
    scheme: Scheme,
    references: usize,
    next: AtomicU64,
    waiting: Arc<Waiting>,
}

#[derive(Default)]
struct Waiting {
    partials: Mutex<HashMap<u64, Written>>,
    so_far: Mutex<SoFar>,
}

/// What a worker has written at once.
struct Written {
    partial: Partial,
    /// Reference and position of each record.
    places: Vec<(i32, i32)>,
    text_len: u64,
}

/// What has been put together, in order.
#[derive(Default)]
struct SoFar {
    assembly: Assembly,
    order: Order,
    records: u64,
    text: u64,
    /// For the names of references in errors.
    header: Header,
}

impl Indexer {
    /// For BAM with this header.
    ///
    /// # Errors
    /// If the format can't hold its references.
    pub fn new(header: &Header, what: BuildOptions) -> Result<Indexer, Error> {
        let (format, scheme) = build::choose(header, what).map_err(|why| {
            let at = Location::default();
            Error::new(ErrorKind::NotIndexable(why), at)
        })?;
        let references = header.references().len();
        let (next, waiting) = (AtomicU64::new(0), Arc::<Waiting>::default());
        lock(&waiting.so_far).header = header.clone();
        Ok(Indexer { format, scheme, references, next, waiting })
    }

    /// The format of the index.
    pub fn format(&self) -> IndexFormat {
        self.format
    }

    /// Appends the header or anything else that is no record to `output`, whose index this is.
    ///
    /// # Errors
    /// If that can't be written.
    pub fn append(
        &self,
        output: &mut Output,
        text: &[u8],
    ) -> Result<(), biofast_io::output::Error> {
        lock(&self.waiting.so_far).text += text.len() as u64;
        output.append(text)
    }

    /// The output that gets the tickets, for the index of the output called `name`. It fails at
    /// the first record that can't be indexed or is out of order.
    pub fn tickets(&self, name: &str) -> Output {
        let taker =
            Taker { waiting: Arc::clone(&self.waiting), scheme: self.scheme, pending: Vec::new() };
        Output::stream(&format!("the index of {name}"), taker, Compression::default())
    }

    /// Takes note of records that were appended to the text of the output together, and appends
    /// a ticket for them to that of [`tickets`](Self::tickets).
    pub fn note(&self, mut text: &[u8], tickets: &mut Vec<u8>) {
        let mut written = Written {
            partial: Partial::default(),
            places: Vec::new(),
            text_len: text.len() as u64,
        };
        let mut at = 0u64;
        // Written by us, so the lengths are right.
        while let Some((size, rest)) = text.split_first_chunk::<4>() {
            let size = u32::from_le_bytes(*size) as usize;
            let Some((record, rest)) = rest.split_at_checked(size) else { break };
            let record = Record::new(record);
            let end = at + 4 + size as u64;
            written.places.push((record.reference_id(), record.position()));
            let (from, to) = (VirtualOffset::from(at), VirtualOffset::from(end));
            if let Err(why) = written.partial.add(&record, from, to, self.scheme) {
                written.partial.fault = Some((written.places.len() as u64, why));
                break;
            }
            (at, text) = (end, rest);
        }
        if written.places.is_empty() {
            return;
        }
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting.partials).insert(ticket, written);
        tickets.extend_from_slice(&ticket.to_le_bytes());
    }

    /// The content of the index file of `output`, which is complete.
    ///
    /// # Errors
    /// If the output doesn't [remember its blocks](Output::with_blocks).
    pub fn finish(self, output: &Output) -> Result<Vec<u8>, Error> {
        let SoFar { assembly, text, .. } = std::mem::take(&mut *lock(&self.waiting.so_far));
        let assembly = placed(assembly, output, text)?;
        Ok(build::file(self.format, assembly.finish(self.format, self.scheme, self.references)))
    }
}

/// Turns places in the text of `output`, of which `text` is the length, into virtual offsets.
pub(super) fn placed(
    mut assembly: Assembly,
    output: &Output,
    text: u64,
) -> Result<Assembly, Error> {
    let Some(blocks) = output.blocks() else {
        let why = "it is not BGZF".into();
        let name = display_name(output.name().as_ref());
        return Err(build::not_indexable(&name.into(), None, why));
    };
    let place = |at: VirtualOffset| blocks.virtual_offset(at.into(), text);
    // All lie within the text.
    assembly.map(|at| place(at).unwrap_or(VirtualOffset::MAX));
    Ok(assembly)
}

/// Where tickets go.
struct Taker {
    waiting: Arc<Waiting>,
    scheme: Scheme,
    /// A ticket that isn't complete.
    pending: Vec<u8>,
}

impl Write for Taker {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let (tickets, rest) = self.pending.as_chunks::<8>();
        let rest = rest.to_vec();
        let mut so_far = lock(&self.waiting.so_far);
        for ticket in tickets {
            let found = lock(&self.waiting.partials).remove(&u64::from_le_bytes(*ticket));
            if let Some(written) = found {
                so_far.take(written, self.scheme).map_err(io::Error::other)?;
            }
        }
        self.pending = rest;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SoFar {
    fn take(&mut self, written: Written, scheme: Scheme) -> Result<(), Error> {
        let Written { mut partial, places, text_len } = written;
        let fault = |index: u64, kind| {
            let at = Location { record: Some(self.records + index), ..Location::default() };
            Error::new(kind, at).naming(&self.header)
        };
        for (index, &place) in (1u64..).zip(&places) {
            self.order.check_place(place).map_err(|kind| fault(index, kind))?;
        }
        if let Some((index, why)) = partial.fault.take() {
            return Err(fault(index, ErrorKind::NotIndexable(why)));
        }
        let base = self.text;
        partial.map(|at| VirtualOffset::from(u64::from(at) + base));
        self.assembly.append(&mut partial, scheme);
        self.records += places.len() as u64;
        self.text += text_len;
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
