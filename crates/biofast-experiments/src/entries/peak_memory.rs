//! What 017 and 026 share: ways to go over all records of a file, from holding everything to holding a chunk, each
//! in a process of its own.

use biofast_fastq::Reader;
use biofast_io::{Options, Source};
use biofast_kernels::{count_gc, summarize_qualities};

use super::prelude::*;

/// What is found of the reads, the same in every way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) reads: u64,
    pub(super) bases: u64,
    pub(super) gc: u64,
    pub(super) quality: u64,
}

impl Found {
    pub(super) fn count(&mut self, bases: &[u8]) {
        self.reads += 1;
        self.bases += bases.len() as u64;
    }

    pub(super) fn add(&mut self, bases: &[u8], qualities: &[u8]) {
        self.count(bases);
        self.gc += count_gc(bases);
        self.quality += summarize_qualities(qualities).sum;
    }
}

impl std::ops::AddAssign for Found {
    fn add_assign(&mut self, other: Found) {
        self.reads += other.reads;
        self.bases += other.bases;
        self.gc += other.gc;
        self.quality += other.quality;
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {} {}", self.reads, self.bases, self.gc, self.quality)
    }
}

/// Goes over a file as `method` says.
pub(super) fn go_over(method: &str, path: &Path) -> Result<Found> {
    match method {
        "records" => load_records(path),
        "text" => load_text(path),
        "stream" => stream(path),
        other => bail!("no method is called {other:?}"),
    }
}

/// All records in memory, with three vectors each, before anything is computed.
fn load_records(path: &Path) -> Result<Found> {
    let mut reader = Reader::new(Source::open(path)?, &Options::serial())?;
    let mut all = Vec::new();
    while let Some(record) = reader.next_record()? {
        all.push([record.definition(), record.sequence(), record.qualities()].map(<[u8]>::to_vec));
    }
    let mut found = Found::default();
    for [_, bases, qualities] in &all {
        found.add(bases, qualities);
    }
    Ok(found)
}

/// The whole text in memory.
fn load_text(path: &Path) -> Result<Found> {
    let text = std::fs::read(path)?;
    let source = Source::from_reader("memory", std::io::Cursor::new(text));
    over_records(source)
}

/// A chunk at a time.
fn stream(path: &Path) -> Result<Found> {
    over_records(Source::open(path)?)
}

fn over_records(source: Source) -> Result<Found> {
    let mut reader = Reader::new(source, &Options::serial())?;
    let mut found = Found::default();
    while let Some(record) = reader.next_record()? {
        found.add(record.sequence(), record.qualities());
    }
    Ok(found)
}
