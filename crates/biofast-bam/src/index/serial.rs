//! Indexes of BAM made while one thread writes it.

use biofast_io::bgzf::VirtualOffset;
use biofast_io::output::Output;

use super::assemble::{Assembly, Partial};
use super::bins::Scheme;
use super::build::{self, BuildOptions};
use super::tables::IndexFormat;
use super::written;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::order::Order;
use crate::record::Record;

/// Records that are condensed before they are put together with those before.
const CONDENSED: u32 = 4096;

/// What [`Indexer`](super::Indexer) is for several threads.
pub(crate) struct Serial {
    format: IndexFormat,
    scheme: Scheme,
    references: usize,
    partial: Partial,
    condensed: u32,
    assembly: Assembly,
    order: Order,
    /// Text before the next record.
    text: u64,
}

impl Serial {
    /// For BAM with this header, which takes so many bytes.
    pub(crate) fn new(header: &Header, len: usize, what: BuildOptions) -> Result<Serial, Error> {
        let (format, scheme) = build::choose(header, what)
            .map_err(|why| Error::new(ErrorKind::NotIndexable(why), Default::default()))?;
        Ok(Serial {
            format,
            scheme,
            references: header.references().len(),
            partial: Partial::default(),
            condensed: 0,
            assembly: Assembly::default(),
            order: Order::default(),
            text: len as u64,
        })
    }

    pub(crate) fn format(&self) -> IndexFormat {
        self.format
    }

    /// Takes note of the record that is appended to the text next.
    ///
    /// # Errors
    /// If it is out of order, or can't be indexed.
    pub(crate) fn add(&mut self, record: &Record<'_>) -> Result<(), ErrorKind> {
        self.order.check_place((record.reference_id(), record.position()))?;
        let end = self.text + 4 + record.as_bytes().len() as u64;
        let (from, to) = (VirtualOffset::from(self.text), VirtualOffset::from(end));
        self.partial.add(record, from, to, self.scheme).map_err(ErrorKind::NotIndexable)?;
        self.text = end;
        self.condensed += 1;
        if self.condensed == CONDENSED {
            self.assembly.append(&mut self.partial, self.scheme);
            self.condensed = 0;
        }
        Ok(())
    }

    /// The content of the index file of `output`, which is complete.
    ///
    /// # Errors
    /// If the output doesn't [remember its blocks](Output::with_blocks).
    pub(crate) fn finish(mut self, output: &Output) -> Result<Vec<u8>, Error> {
        self.assembly.append(&mut self.partial, self.scheme);
        let assembly = written::placed(self.assembly, output, self.text)?;
        let bytes = assembly.finish(self.format, self.scheme, self.references);
        Ok(build::file(self.format, bytes))
    }
}
