//! 027: a record at a time against blocks of records, with the same work on every record.

use biofast_fastq::{Fold, Reader};
use biofast_io::Options;

use super::kernel;
use super::peak_memory::Found;
use super::prelude::*;
use super::stream::Shared;

pub(super) struct BlocksOfRecords;

impl Entry for BlocksOfRecords {
    fn applies(&self, cell: &Cell) -> bool {
        match cell.get("method") {
            // These have no block, or one of the library's choice.
            "borrowed" | "library" => cell.get("block") == "1",
            _ => true,
        }
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = lab.file(kernel::dataset(cell.get("reads"))?, Format::Fastq)?;
        let text = Shared::read(&path)?;
        let bytes = text.0.len();
        let size = cell.count("block")?;
        let work: fn(&mut Found, &[u8], &[u8], &[u8]) = match cell.get("work") {
            "count" => count,
            "statistics" => statistics,
            "json" => json,
            other => bail!("no work is called {other:?}"),
        };
        let method: fn(&Shared, usize, Work) -> Result<Found> = match cell.get("method") {
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

/// What is done with definition, bases and qualities of every record.
type Work = fn(&mut Found, &[u8], &[u8], &[u8]);

fn count(found: &mut Found, _definition: &[u8], bases: &[u8], _qualities: &[u8]) {
    found.count(bases);
}

fn statistics(found: &mut Found, _definition: &[u8], bases: &[u8], qualities: &[u8]) {
    found.add(bases, qualities);
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
fn borrowed(text: &Shared, _size: usize, work: Work) -> Result<Found> {
    let mut reader = Reader::new(text.source(), &Options::serial())?;
    let mut found = Found::default();
    while let Some(record) = reader.next_record()? {
        work(&mut found, record.definition(), record.sequence(), record.qualities());
    }
    Ok(found)
}

/// Blocks of records that own their three fields.
fn owned(text: &Shared, size: usize, work: Work) -> Result<Found> {
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
fn flat(text: &Shared, size: usize, work: Work) -> Result<Found> {
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
fn library(text: &Shared, _size: usize, work: Work) -> Result<Found> {
    let found = Fold::new(text.source()).options(&Options::serial()).run(
        Found::default,
        |found, batch| {
            for record in batch.iter() {
                work(found, record.definition(), record.sequence(), record.qualities());
            }
        },
        |a, b| *a += b,
    );
    Ok(found.map_err(|fault| fault.error)?)
}
