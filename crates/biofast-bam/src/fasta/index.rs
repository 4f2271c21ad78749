//! Where the sequences of a FASTA file are.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use biofast_io::{Options, Reader, Source};
use noodles_fasta::fai;
use noodles_fasta::io::Indexer;

use super::Entry;

/// Reads an index (`.fai`).
pub(super) fn read(path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    parse(path).map(|index| entries(&index))
}

/// Reads a FASTA file to find its sequences.
pub(super) fn of(path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    made(path).map(|index| entries(&index))
}

/// The index at `path`.
pub(crate) fn parse(path: &Path) -> io::Result<fai::Index> {
    fai::io::Reader::new(&biofast_io::remote::read(path)?[..]).read_index()
}

/// The index of a FASTA file, made by reading it.
pub(crate) fn made(path: &Path) -> io::Result<fai::Index> {
    let mut indexer = Indexer::new(Reader::new(Source::open(path)?, &Options::default())?);
    let mut records = Vec::new();
    while let Some(record) = indexer.index_record().map_err(io::Error::from)? {
        records.push(record);
    }
    Ok(fai::Index::from(records))
}

fn entries(index: &fai::Index) -> HashMap<Vec<u8>, Entry> {
    let entries = index.as_ref().iter().map(|record| {
        let entry = Entry {
            len: record.length(),
            offset: record.position(),
            bases_a_line: record.line_base_count().get(),
            bytes_a_line: record.line_width().get(),
        };
        (record.name().to_vec(), entry)
    });
    entries.collect()
}
