//! CRAI: which slice holds which part of which reference. A line for each slice, or for each reference of a slice.
//!
//! Format: CRAM format specification, section 12.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use biofast_io::{Location, Options, Reader, Source, display_name};
use libdeflater::{CompressionLvl, Compressor};

use super::context::Context;
use super::slice::{self, SliceHeader};
use crate::cram::bytes::{ByteCursor, Result, bad};
use crate::cram::container::{Block, COMPRESSION_HEADER, Container};
use crate::cram::encoding::Compression;
use crate::cram::record::{SEVERAL, SliceBuffers};
use crate::error::{Error, ErrorKind};
use crate::index::MAX_INDEX;
use crate::order::Order;

/// A line of CRAI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CraiEntry {
    /// −1 is none. Old writers have −2 for several.
    pub(super) reference: i32,
    /// The first position that records are on, counted from 1, and how many are covered.
    pub(super) start: i64,
    pub(super) span: i64,
    /// Where the container starts in the file.
    pub(super) container: u64,
    /// Where the slice starts in the container's body, and its length.
    pub(super) slice: u64,
    pub(super) len: u64,
}

impl CraiEntry {
    /// Appends its line.
    pub(super) fn write(&self, lines: &mut Vec<u8>) {
        let CraiEntry { reference, start, span, container, slice, len } = self;
        let line = format!("{reference}\t{start}\t{span}\t{container}\t{slice}\t{len}\n");
        lines.extend(line.bytes());
    }

    /// Reads a line.
    fn parse(line: &str) -> Option<CraiEntry> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        let entry = CraiEntry {
            reference: next()?.parse().ok().filter(|reference| *reference >= SEVERAL)?,
            start: next()?.parse().ok()?,
            span: next()?.parse().ok()?,
            container: next()?.parse().ok()?,
            slice: next()?.parse().ok()?,
            len: next()?.parse().ok()?,
        };
        fields.next().is_none().then_some(entry)
    }

    /// Its reference and first position, counted from 0.
    pub(super) fn place(&self) -> (i32, i32) {
        match self.reference {
            // Positions of CRAM have 31 bits.
            0.. => (self.reference, (self.start - 1) as i32),
            none => (none, -1),
        }
    }
}

/// The file of an index with these lines.
pub(super) fn gzip(lines: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = Compressor::new(CompressionLvl::default());
    let mut bytes = vec![0; gzip.gzip_compress_bound(lines.len())];
    let len = gzip.gzip_compress(lines, &mut bytes).map_err(io::Error::other)?;
    bytes.truncate(len);
    Ok(bytes)
}

/// The lines of an index, which may be plain text.
pub(super) fn open(path: &Path) -> std::result::Result<Vec<CraiEntry>, Error> {
    let name: Arc<str> = display_name(path).into();
    let misfit = |why: String| Error::new(ErrorKind::BadIndex(why), Location::in_input(&name));
    let failed = |error| Error::from_io(error, &name);
    let stream = biofast_io::remote::stream(path).map_err(failed)?;
    let mut reader = Reader::new(Source::from_reader(&name, stream), &Options::serial())?;
    let mut text = String::new();
    match reader.by_ref().take(MAX_INDEX + 1).read_to_string(&mut text) {
        Ok(len) if len as u64 > MAX_INDEX => return Err(misfit("it is larger than 1 GiB".into())),
        Err(error) if error.get_ref().is_none_or(|error| !error.is::<biofast_io::Error>()) => {
            return Err(misfit("it isn't text".into()));
        }
        read => read.map_err(failed)?,
    };
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(misfit("it is truncated".into()));
    }
    let entry = |(number, line): (usize, &str)| {
        CraiEntry::parse(line).ok_or_else(|| misfit(format!("line {number} is not one of CRAI")))
    };
    (1..).zip(text.lines()).map(entry).collect()
}

/// The lines for a container that starts at `offset`. Records that have to be decoded go to the buffers.
pub(super) fn entries(
    container: &Container,
    offset: u64,
    context: &Context,
    buffers: &mut SliceBuffers,
) -> Result<Vec<CraiEntry>> {
    let mut bytes = ByteCursor::new(&container.body);
    let block = Block::take(&mut bytes, context.version)?;
    if block.content != COMPRESSION_HEADER {
        return bad("a container that doesn't start with a compression header");
    }
    let mut compression = None;
    let (mut entries, mut records) = (Vec::new(), 0);
    while !bytes.is_empty() {
        let before = bytes;
        let header = SliceHeader::take(&mut bytes, context.version)?;
        if header.reference >= context.references() {
            return bad("a slice with an unknown reference sequence");
        }
        records += header.records as u64;
        let first = entries.len();
        let mut add = |reference, start, span| {
            entries.push(CraiEntry { reference, start, span, container: offset, slice: 0, len: 0 });
        };
        if header.reference == SEVERAL {
            let compression = match &compression {
                Some(compression) => compression,
                None => compression.insert(Compression::read(&block.decode()?)?),
            };
            bytes = before;
            slice::decode(&mut bytes, compression, context, false, buffers)?;
            let slice = &buffers.slice;
            let mut order = Order::default();
            for record in &slice.records {
                // Positions have 31 bits.
                order.check_place((record.reference, (record.start - 1) as i32))?;
            }
            for group in slice.records.chunk_by(|one, next| one.reference == next.reference) {
                let start = group.first().map_or(0, |record| record.start);
                let end = group.iter().map(|record| record.end).max().unwrap_or(start);
                add(group[0].reference, start, end - start + 1);
            }
        } else {
            for _ in 0..header.blocks {
                Block::take(&mut bytes, context.version)?;
            }
            add(header.reference, header.start.into(), header.span.into());
        }
        let len = before.rest().len() - bytes.rest().len();
        for entry in &mut entries[first..] {
            entry.slice = (container.body.len() - before.rest().len()) as u64;
            entry.len = len as u64;
        }
    }
    if records != container.records {
        return bad("a container with a different number of records than stated");
    }
    Ok(entries)
}
