//! What 017 and 026 share: ways to go over all records of a file, from holding everything to holding a chunk, each
//! in a process of its own.

use std::path::Path;

use anyhow::{Result, bail};
use biofast::fastq::Reader;
use biofast::io::{Options, Source};
use biofast::ops::measure::reads::Collector;
use biofast_kernels::{count_gc, summarize_qualities};

/// What is found of the reads, the same in every way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) reads: u64,
    pub(super) bases: u64,
    pub(super) gc: u64,
    pub(super) quality: u64,
}

impl Found {
    fn add(&mut self, bases: &[u8], qualities: &[u8]) {
        self.reads += 1;
        self.bases += bases.len() as u64;
        self.gc += count_gc(bases);
        self.quality += summarize_qualities(qualities).sum;
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

/// Everything `biofast stats` computes; its summary.
pub(super) fn stats(path: &Path, threads: usize) -> Result<String> {
    let options = Options { threads, ..Options::serial() };
    let source = Source::open(path)?;
    let found =
        Collector::collect(source, &options, Collector::new).map_err(|fault| fault.error)?;
    Ok(format!("{:?}", found.summary()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_find_the_same() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("reads.fq");
        let text: String =
            (0..5000).map(|i| format!("@r{i}\nACGNgc\n+\nIIII#{}\n", i % 10)).collect();
        std::fs::write(&path, text).expect("writes");
        let expected = go_over("stream", &path).expect("reads");
        assert_eq!((expected.reads, expected.bases, expected.gc), (5000, 30_000, 20_000));
        for method in ["records", "text"] {
            assert_eq!(go_over(method, &path).expect("reads"), expected, "{method}");
        }
        assert!(go_over("other", &path).is_err());
    }
}
