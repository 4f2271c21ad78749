//! Keys for which there is no memory, in temporary files: in parts that have nothing in common, and of each part as many keys
//! at once as there is memory for.

use std::hash::BuildHasher;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::levels::Levels;
use super::marks::DuplicateMarks;
use super::table::{DedupKey, KeyStatus, KeyTable};
use crate::change::temporary::Temporary;
use crate::change::to_fastq::NameHashes;

/// How many files keys are parted into.
const FILES: usize = 64;

/// The keys.
pub(super) struct KeyPartitions {
    files: Vec<BufWriter<Temporary>>,
    folder: PathBuf,
    buffer: usize,
    names: NameHashes,
    stored: u64,
}

impl KeyPartitions {
    /// Files in `folder`, whose buffers take a small part of so much memory.
    pub(super) fn create(
        folder: &Path,
        names: NameHashes,
        memory: usize,
    ) -> io::Result<KeyPartitions> {
        let buffer = (memory / 16 / FILES).clamp(4 << 10, 64 << 10);
        let file = |_| Ok(BufWriter::with_capacity(buffer, Temporary::create(folder)?));
        let files = (0..FILES).map(file).collect::<io::Result<_>>()?;
        Ok(KeyPartitions { files, folder: folder.to_owned(), buffer, names, stored: 0 })
    }

    /// Bytes that were written.
    pub(super) fn stored(&self) -> u64 {
        self.stored
    }

    /// Adds a key.
    pub(super) fn add(&mut self, key: &DedupKey<'_>) -> io::Result<()> {
        // Keys that may be the same go to the same file, so if mismatches are allowed the letters don't count.
        let hash = match key.bytes.split_at_checked(key.head) {
            None | Some(([], _)) => key.hash,
            Some((head, _)) => {
                let other = key.other.get(..key.head).unwrap_or(head);
                self.names.hash_one(head.min(other))
            }
        };
        // Other bits than those that decide about places in a table.
        let file = (hash >> 24) as usize % FILES;
        self.stored += write(&mut self.files[file], key)?;
        Ok(())
    }

    /// Decides about all keys: `marks` gets the numbers of duplicates, `levels` how often each was there. `table` makes an
    /// empty table.
    pub(super) fn decide(
        self,
        table: impl Fn() -> Box<dyn KeyTable>,
        marks: &mut DuplicateMarks,
        levels: &mut Levels,
    ) -> io::Result<()> {
        let KeyPartitions { files, folder, buffer, .. } = self;
        for file in files {
            let mut part = Some(file);
            while let Some(file) = part.take() {
                let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.seek(SeekFrom::Start(0))?;
                let mut stored = KeyReader::new(BufReader::with_capacity(buffer, file));
                let mut table = table();
                while let Some(key) = stored.next()? {
                    match table.see(&key) {
                        KeyStatus::New => {}
                        KeyStatus::Duplicate(loser) => marks.set(loser),
                        KeyStatus::Unknown => {
                            let rest = match &mut part {
                                Some(rest) => rest,
                                none => {
                                    let file = Temporary::create(&folder)?;
                                    none.insert(BufWriter::with_capacity(buffer, file))
                                }
                            };
                            write(rest, &key)?;
                        }
                    }
                }
                table.count(levels);
            }
        }
        Ok(())
    }
}

const NUMBERS: usize = 6;
const HEAD: usize = NUMBERS * 8;

fn write(out: &mut impl Write, key: &DedupKey<'_>) -> io::Result<u64> {
    let DedupKey { bytes, head, other, hash, ordinal, score } = *key;
    let numbers = [bytes.len() as u64, other.len() as u64, head as u64, hash, ordinal, score];
    for number in numbers {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(bytes)?;
    out.write_all(other)?;
    Ok((HEAD + bytes.len() + other.len()) as u64)
}

/// Keys of one file.
struct KeyReader {
    reader: BufReader<Temporary>,
    bytes: Vec<u8>,
}

impl KeyReader {
    fn new(reader: BufReader<Temporary>) -> KeyReader {
        KeyReader { reader, bytes: Vec::new() }
    }

    /// The next key, in the order they were added.
    fn next(&mut self) -> io::Result<Option<DedupKey<'_>>> {
        let mut first = [0; HEAD];
        // What a signal interrupts is tried again, as `read_exact` does it.
        let read = loop {
            match self.reader.read(&mut first[..1]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        if read == 0 {
            return Ok(None);
        }
        self.reader.read_exact(&mut first[1..])?;
        let mut numbers = [0; NUMBERS];
        for (number, bytes) in numbers.iter_mut().zip(first.as_chunks::<8>().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let [len, other, head, hash, ordinal, score] = numbers;
        // They were lengths in memory.
        self.bytes.resize((len + other) as usize, 0);
        self.reader.read_exact(&mut self.bytes)?;
        let (bytes, other) = self.bytes.split_at(len as usize);
        Ok(Some(DedupKey { bytes, head: head as usize, other, hash, ordinal, score }))
    }
}
