//! The index of names, made in one reading and in bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;

use biofast_bam as bam;
use biofast_fastq as fastq;
use biofast_io::bgzf::VirtualOffset;
use biofast_io::output::Output;
use biofast_io::{Options, Source, display_name, pipeline};

use super::error::{Error, ErrorKind};
use super::format::{ENTRY_LEN, Header, Pages, STRIDE, fingerprint};
use crate::change::dedup::SpillLimits;
use crate::measure::shards::{self, ShardFormat, ShardInput, State};

/// A fingerprint, and the place of a record whose name has it.
type FingerprintEntry = (u64, u64);

/// Bytes that are written at once.
const WRITE: usize = 64 << 10;

/// Writes the index of names of a file to `out` and returns the number of records: of BAM in BGZF, or of FASTQ, plain or in BGZF. Every record
/// and checksum is checked on the way. Entries take 16 bytes each, and beyond `limits.memory` they go to temporary files; 8 bytes for each 256 records
/// are kept beside that.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-names-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let (path, index) = (folder.join("x.fq"), folder.join("x.fq.bni"));
/// use biofast_io::Options;
/// use biofast_io::output::{Compression, Output, commit};
/// use biofast_ops::dedup::SpillLimits;
/// use biofast_ops::get::{NameLookup, build};
/// use biofast_ops::shards::ShardInput;
///
/// std::fs::write(&path, "@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n")?;
/// let mut out = Output::create_with(&index, Compression::default())?;
/// let limits = SpillLimits { memory: 1 << 20, folder: folder.clone() };
/// build(&ShardInput::new(&path), &Options::default(), &limits, &mut out)?;
/// commit(vec![out], false)?;
///
/// let mut names = NameLookup::open(&path, &index)?;
/// let place = names.places(b"b")?[0];
/// let mut record = Vec::new();
/// names.record(place, &mut record)?;
/// assert_eq!(record, b"@b\nGG\n+\nII\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file can't be read or jumped in, or something can't be written.
pub fn build(
    input: &ShardInput,
    options: &Options,
    limits: &SpillLimits,
    out: &mut Output,
) -> Result<u64, Error> {
    let before = State::of(&input.path)?;
    let (source, format, container) = shards::recognise(input)?;
    let mut gathered = GatheredEntries::new(limits);
    let options = Options { allow_missing_eof: !input.strict_end, ..options.clone() };
    let places =
        |record, start| shards::place_of(input, container, record, start).map_err(Error::from);
    match format {
        ShardFormat::Fastq => reads(source, &options, places, &mut gathered)?,
        ShardFormat::Bam => alignments(source, &options, places, &mut gathered)?,
        ShardFormat::Cram => {
            let kind = shards::ErrorKind::NoPlaces("CRAM");
            return Err(shards::Error::of(kind, &input.name).into());
        }
    }
    let after = State::of(&input.path)?;
    if before != after {
        return Err(Error::of(ErrorKind::Stale("it changed while it was being read"), &input.name));
    }
    let records = gathered.records;
    let bits = Header::bits(records);
    let digest = u64::from_str_radix(&after.digest, 16).unwrap_or(0);
    let header = Header { format, container, size: after.size, digest, records, bits };
    gathered.write(&header, out, &limits.folder)?;
    Ok(records)
}

fn reads(
    source: Source,
    options: &Options,
    places: impl Fn(u64, Option<(u64, Option<VirtualOffset>)>) -> Result<u64, Error> + Sync,
    gathered: &mut GatheredEntries,
) -> Result<(), Error> {
    let framer = fastq::Framer::new(source.name(), options);
    let result = pipeline::fold_ordered(
        source,
        options,
        framer,
        || (),
        |(), chunk, frame, more: &mut Vec<FingerprintEntry>| -> Result<_, Reading> {
            let batch = frame.batch(chunk);
            for (index, read) in batch.iter().enumerate() {
                let place =
                    places(batch.first_record() + index as u64, frame.start_of(chunk, index))?;
                more.push((fingerprint(read.name()), place));
            }
            Ok(ControlFlow::Continue(()))
        },
        |(), ()| (),
        |more| -> Result<_, Reading> {
            gathered.add(more)?;
            Ok(ControlFlow::Continue(()))
        },
    );
    result.map_err(|fault| fault.error.0)
}

fn alignments(
    source: Source,
    options: &Options,
    places: impl Fn(u64, Option<(u64, Option<VirtualOffset>)>) -> Result<u64, Error> + Sync,
    gathered: &mut GatheredEntries,
) -> Result<(), Error> {
    let result = bam::Fold::new(source).options(options).ordered(
        || (),
        |(), batch, more: &mut Vec<FingerprintEntry>| -> Result<_, Reading> {
            for (index, record) in batch.iter().enumerate() {
                let place = places(batch.first_record() + index as u64, batch.start_of(index))?;
                more.push((fingerprint(record.name()), place));
            }
            Ok(ControlFlow::Continue(()))
        },
        |(), ()| (),
        |more| -> Result<_, Reading> {
            gathered.add(more)?;
            Ok(ControlFlow::Continue(()))
        },
    );
    result.map(|_| ()).map_err(|fault| fault.error.0)
}

/// An error while the file is read.
struct Reading(Error);

impl From<Error> for Reading {
    fn from(error: Error) -> Reading {
        Reading(error)
    }
}

impl From<fastq::Error> for Reading {
    fn from(error: fastq::Error) -> Reading {
        Reading(shards::Error::from(error).into())
    }
}

impl From<bam::Error> for Reading {
    fn from(error: bam::Error) -> Reading {
        Reading(shards::Error::from(error).into())
    }
}

/// Entries in the order of the file, on their way to that of fingerprints.
struct GatheredEntries {
    entries: Vec<FingerprintEntry>,
    /// So many are held at most.
    most: usize,
    memory: usize,
    folder: std::path::PathBuf,
    /// Sorted entries, one run after the other, and how many each run has.
    stored: Option<File>,
    runs: Vec<u64>,
    records: u64,
    /// The place of every 256th record.
    marks: Vec<u64>,
}

impl GatheredEntries {
    fn new(limits: &SpillLimits) -> GatheredEntries {
        GatheredEntries {
            entries: Vec::new(),
            // Sorting needs no more.
            most: (limits.memory / ENTRY_LEN as usize).max(1024),
            memory: limits.memory,
            folder: limits.folder.clone(),
            stored: None,
            runs: Vec::new(),
            records: 0,
            marks: Vec::new(),
        }
    }

    fn add(&mut self, more: &mut Vec<FingerprintEntry>) -> Result<(), Error> {
        for entry in more.drain(..) {
            if self.records.is_multiple_of(STRIDE) {
                self.marks.push(entry.1);
            }
            self.records += 1;
            if self.entries.len() == self.most {
                self.store()?;
            }
            self.entries.push(entry);
        }
        Ok(())
    }

    /// Puts what is held into a run.
    fn store(&mut self) -> Result<(), Error> {
        let failed = |error| temporary(error, &self.folder);
        self.entries.sort_unstable();
        let file = match &mut self.stored {
            Some(file) => file,
            None => self.stored.insert(tempfile::tempfile_in(&self.folder).map_err(failed)?),
        };
        let mut bytes = Vec::with_capacity(WRITE);
        for some in self.entries.chunks(WRITE / ENTRY_LEN as usize) {
            bytes.clear();
            some.iter().for_each(|entry| put(entry, &mut bytes));
            file.write_all(&bytes).map_err(failed)?;
        }
        self.runs.push(self.entries.len() as u64);
        self.entries.clear();
        Ok(())
    }

    /// Writes the index.
    fn write(mut self, header: &Header, out: &mut Output, folder: &Path) -> Result<(), Error> {
        out.append(&header.write())?;
        let out = Pages::new(header, out);
        let mut writer =
            EntryWriter { header, out, bytes: Vec::new(), starts: vec![0], written: 0 };
        if self.stored.is_some() {
            self.store()?;
        }
        match self.stored {
            None => {
                self.entries.sort_unstable();
                for entry in &self.entries {
                    writer.add(entry)?;
                }
            }
            Some(file) => {
                drop(std::mem::take(&mut self.entries));
                let buffer = (self.memory / self.runs.len().max(1)).clamp(4096, 1 << 20);
                let failed = |error| temporary(error, folder);
                let mut merge = FingerprintMerge::new(file, &self.runs, buffer).map_err(failed)?;
                while let Some(entry) = merge.next().map_err(failed)? {
                    writer.add(&entry)?;
                }
            }
        }
        let (starts, mut out) = writer.finish()?;
        for numbers in [&self.marks, &starts] {
            for some in numbers.chunks(WRITE / 8) {
                let bytes: Vec<u8> = some.iter().flat_map(|number| number.to_le_bytes()).collect();
                out.append(&bytes)?;
            }
        }
        out.finish()?;
        Ok(())
    }
}

fn temporary(error: std::io::Error, folder: &Path) -> Error {
    Error::of(ErrorKind::Temporary(error), &display_name(folder))
}

fn put((fingerprint, place): &FingerprintEntry, out: &mut Vec<u8>) {
    out.extend(fingerprint.to_le_bytes());
    out.extend(place.to_le_bytes());
}

/// Writes sorted entries, and remembers where groups start.
struct EntryWriter<'a> {
    header: &'a Header,
    out: Pages<'a>,
    bytes: Vec<u8>,
    starts: Vec<u64>,
    written: u64,
}

impl<'a> EntryWriter<'a> {
    fn add(&mut self, entry: &FingerprintEntry) -> Result<(), Error> {
        let group = self.header.group(entry.0);
        while (self.starts.len() as u64) <= group {
            self.starts.push(self.written);
        }
        self.written += 1;
        put(entry, &mut self.bytes);
        if self.bytes.len() >= WRITE {
            self.out.append(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(Vec<u64>, Pages<'a>), Error> {
        self.out.append(&self.bytes)?;
        while (self.starts.len() as u64) <= self.header.groups() {
            self.starts.push(self.written);
        }
        Ok((self.starts, self.out))
    }
}

/// Runs of a temporary file, merged.
struct FingerprintMerge {
    file: File,
    runs: Vec<FingerprintRun>,
    buffer: usize,
    heads: BinaryHeap<Reverse<(FingerprintEntry, usize)>>,
}

struct FingerprintRun {
    /// What has not been read of it.
    at: u64,
    left: u64,
    bytes: Vec<u8>,
    taken: usize,
}

impl FingerprintMerge {
    fn new(file: File, lengths: &[u64], buffer: usize) -> std::io::Result<FingerprintMerge> {
        let mut at = 0;
        let run = |&len: &u64| {
            let start = at;
            at += len * ENTRY_LEN;
            FingerprintRun { at: start, left: len, bytes: Vec::new(), taken: 0 }
        };
        let runs = lengths.iter().map(run).collect();
        let mut merge = FingerprintMerge { file, runs, buffer, heads: BinaryHeap::new() };
        for run in 0..lengths.len() {
            merge.advance(run)?;
        }
        Ok(merge)
    }

    /// Makes the next entry of a run its head.
    fn advance(&mut self, number: usize) -> std::io::Result<()> {
        let run = &mut self.runs[number];
        if run.taken == run.bytes.len() {
            let most = (self.buffer as u64 / ENTRY_LEN).max(1);
            let entries = run.left.min(most);
            run.bytes.resize((entries * ENTRY_LEN) as usize, 0);
            self.file.seek(SeekFrom::Start(run.at))?;
            self.file.read_exact(&mut run.bytes)?;
            run.at += entries * ENTRY_LEN;
            run.left -= entries;
            run.taken = 0;
        }
        if let Some(&bytes) = run.bytes[run.taken..].first_chunk::<16>() {
            run.taken += ENTRY_LEN as usize;
            let both = u128::from_le_bytes(bytes);
            self.heads.push(Reverse(((both as u64, (both >> 64) as u64), number)));
        }
        Ok(())
    }

    fn next(&mut self) -> std::io::Result<Option<FingerprintEntry>> {
        let Some(Reverse((entry, run))) = self.heads.pop() else { return Ok(None) };
        self.advance(run)?;
        Ok(Some(entry))
    }
}
