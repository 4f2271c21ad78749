//! 027: a record at a time against blocks of records, with the same work on every record.

use std::io::Cursor;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::fastq::{Reader, par_fold};
use biofast::io::{Options, Source};
use biofast_kernels::{count_gc, summarize_qualities};

use super::kernel;
use crate::datasets::Format;
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;

pub(super) struct BlocksOfRecords;

impl Entry for BlocksOfRecords {
    fn id(&self) -> &'static str {
        "027"
    }

    fn applies(&self, cell: &Cell) -> bool {
        match cell.get("method") {
            // These have no block, or one of the library's choice.
            "borrowed" | "library" => cell.get("block") == "1",
            _ => true,
        }
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = lab.file(kernel::dataset(cell.get("reads"))?, Format::Fastq)?;
        let text = Text(Arc::new(std::fs::read(path)?));
        let bytes = text.0.len();
        let size = match cell.get("block") {
            "1" => 1,
            "10" => 10,
            "100" => 100,
            "1K" => 1_000,
            "10K" => 10_000,
            "100K" => 100_000,
            other => bail!("no block has {other:?} records"),
        };
        let work: fn(&mut Found, &[u8], &[u8], &[u8]) = match cell.get("work") {
            "count" => count,
            "statistics" => statistics,
            "json" => json,
            other => bail!("no work is called {other:?}"),
        };
        let method: fn(&Text, usize, Work) -> Result<Found> = match cell.get("method") {
            "borrowed" => borrowed,
            "owned" => owned,
            "flat" => flat,
            "library" => library,
            other => bail!("no method is called {other:?}"),
        };
        Ok(Box::new(move |calls| {
            let found = repeat(calls, || method(&text, size, work))?;
            Ok(Outcome::new(format!("{found:?}").replace(',', ""), bytes))
        }))
    }
}

/// A text in memory that readers share.
#[derive(Clone)]
struct Text(Arc<Vec<u8>>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Text {
    fn source(&self) -> Source {
        Source::from_reader("memory", Cursor::new(self.clone()))
    }
}

/// What is done with definition, bases and qualities of every record.
type Work = fn(&mut Found, &[u8], &[u8], &[u8]);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Found {
    reads: u64,
    bases: u64,
    gc: u64,
    quality: u64,
}

fn count(found: &mut Found, _definition: &[u8], bases: &[u8], _qualities: &[u8]) {
    found.reads += 1;
    found.bases += bases.len() as u64;
}

fn statistics(found: &mut Found, definition: &[u8], bases: &[u8], qualities: &[u8]) {
    count(found, definition, bases, qualities);
    found.gc += count_gc(bases);
    found.quality += summarize_qualities(qualities).sum;
}

/// What the earlier measurement did for every record, and took for the cost of records.
fn json(found: &mut Found, definition: &[u8], bases: &[u8], qualities: &[u8]) {
    let before = *found;
    statistics(found, definition, bases, qualities);
    let value = serde_json::json!({
        "id": String::from_utf8_lossy(definition),
        "length": bases.len(),
        "gc": found.gc - before.gc,
        "quality": found.quality - before.quality,
    });
    std::hint::black_box(value);
}

/// A record at a time, borrowed from the reader's chunk.
fn borrowed(text: &Text, _size: usize, work: Work) -> Result<Found> {
    let mut reader = Reader::new(text.source(), &Options::serial())?;
    let mut found = Found::default();
    while let Some(record) = reader.next_record()? {
        work(&mut found, record.definition(), record.sequence(), record.qualities());
    }
    Ok(found)
}

/// Blocks of records that own their three fields.
fn owned(text: &Text, size: usize, work: Work) -> Result<Found> {
    let mut reader = Reader::new(text.source(), &Options::serial())?;
    let mut found = Found::default();
    let mut block: Vec<[Vec<u8>; 3]> = Vec::with_capacity(size);
    loop {
        block.clear();
        while block.len() < size {
            let Some(record) = reader.next_record()? else { break };
            block.push(
                [record.definition(), record.sequence(), record.qualities()].map(<[u8]>::to_vec),
            );
        }
        if block.is_empty() {
            return Ok(found);
        }
        for [definition, bases, qualities] in &block {
            work(&mut found, definition, bases, qualities);
        }
    }
}

/// Blocks of records in one buffer that is used again and again.
fn flat(text: &Text, size: usize, work: Work) -> Result<Found> {
    let mut reader = Reader::new(text.source(), &Options::serial())?;
    let mut found = Found::default();
    let mut bytes: Vec<u8> = Vec::new();
    // Where definition, bases and qualities end.
    let mut ends: Vec<[usize; 3]> = Vec::with_capacity(size);
    loop {
        bytes.clear();
        ends.clear();
        while ends.len() < size {
            let Some(record) = reader.next_record()? else { break };
            ends.push([record.definition(), record.sequence(), record.qualities()].map(|field| {
                bytes.extend_from_slice(field);
                bytes.len()
            }));
        }
        if ends.is_empty() {
            return Ok(found);
        }
        let mut start = 0;
        for &[definition, bases, qualities] in &ends {
            work(
                &mut found,
                &bytes[start..definition],
                &bytes[definition..bases],
                &bytes[bases..qualities],
            );
            start = qualities;
        }
    }
}

/// The library's fold on one thread: all records of a chunk, borrowed.
fn library(text: &Text, _size: usize, work: Work) -> Result<Found> {
    let merge = |a: &mut Found, b: Found| {
        a.reads += b.reads;
        a.bases += b.bases;
        a.gc += b.gc;
        a.quality += b.quality;
    };
    let found = par_fold(
        text.source(),
        &Options::serial(),
        Found::default,
        |found, batch| {
            for record in batch.iter() {
                work(found, record.definition(), record.sequence(), record.qualities());
            }
        },
        merge,
    );
    Ok(found.map_err(|fault| fault.error)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_any_size_give_the_same_answer() {
        let mut text = Vec::new();
        for i in 0..2500usize {
            let len = i % 200;
            let bases = "GATNc".repeat(40);
            text.extend_from_slice(format!("@r{i}\n{}\n+\n", &bases[..len]).as_bytes());
            text.extend(std::iter::repeat_n(b'!' + (i % 90) as u8, len));
            text.push(b'\n');
        }
        let text = Text(Arc::new(text));
        for work in [count as Work, statistics, json] {
            let expected = borrowed(&text, 1, work).expect("reads");
            assert_eq!(expected.reads, 2500);
            for size in [1, 10, 999, 2500, 10_000] {
                assert_eq!(owned(&text, size, work).expect("reads"), expected, "{size}");
                assert_eq!(flat(&text, size, work).expect("reads"), expected, "{size}");
            }
            assert_eq!(library(&text, 1, work).expect("reads"), expected);
        }
        assert_eq!(
            borrowed(&text, 1, json).expect("reads"),
            borrowed(&text, 1, statistics).expect("reads")
        );
    }
}
