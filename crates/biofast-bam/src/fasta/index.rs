//! Where the sequences of a FASTA file are.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use noodles_fasta::fai;

use super::Entry;

/// Reads an index (`.fai`).
pub(super) fn read(path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    fai::fs::read(path).map(|index| entries(&index))
}

/// Reads a FASTA file to find its sequences.
pub(super) fn of(path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    noodles_fasta::fs::index(path).map(|index| entries(&index))
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
