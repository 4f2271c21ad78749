//! Keys for which there is no memory, in temporary files: in parts that have nothing in common, and of each part as many keys
//! at once as there is memory for.

use std::hash::BuildHasher;
use std::io::{self, Write};

use super::levels::Levels;
use super::marks::DuplicateMarks;
use super::table::{DedupKey, KeyStatus, KeyTable};
use crate::change::spill::{Partitions, SpillLimits, Stored, StoredWriter, number_at};
use crate::change::to_fastq::NameHashes;

/// How many files keys are parted into.
const FILES: usize = 64;

/// The keys.
pub(super) struct KeyPartitions {
    files: Partitions<StoredKey>,
    limits: SpillLimits,
    names: NameHashes,
}

impl KeyPartitions {
    /// Files whose buffers take a small part of the memory.
    pub(super) fn create(limits: &SpillLimits, names: NameHashes) -> io::Result<KeyPartitions> {
        let files = Partitions::create(&limits.folder, FILES, limits.buffer(FILES))?;
        Ok(KeyPartitions { files, limits: limits.clone(), names })
    }

    /// Bytes that were written.
    pub(super) fn stored(&self) -> u64 {
        self.files.bytes()
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
        self.files.add(hash >> 24, key)
    }

    /// Decides about all keys: `marks` gets the numbers of duplicates, `levels` how often each was there. `table` makes an
    /// empty table.
    pub(super) fn decide(
        self,
        table: impl Fn() -> Box<dyn KeyTable>,
        marks: &mut DuplicateMarks,
        levels: &mut Levels,
    ) -> io::Result<()> {
        let KeyPartitions { files, limits, .. } = self;
        let buffer = limits.buffer(FILES);
        for part in files.into_readers() {
            let mut part = Some(part?);
            while let Some(mut keys) = part.take() {
                let mut rest: Option<StoredWriter<StoredKey>> = None;
                let mut table = table();
                while let Some(key) = keys.next()? {
                    match table.see(&key) {
                        KeyStatus::New => {}
                        KeyStatus::Duplicate(loser) => marks.set(loser),
                        KeyStatus::Unknown => {
                            StoredWriter::get_or_create(&mut rest, &limits.folder, buffer)?
                                .add(&key)?;
                        }
                    }
                }
                table.count(levels);
                part = rest.map(StoredWriter::into_reader).transpose()?;
            }
        }
        Ok(())
    }
}

/// A key: six numbers, and two sequences of bytes.
enum StoredKey {}

impl Stored for StoredKey {
    type Record<'a> = DedupKey<'a>;
    const HEAD: usize = 48;

    fn write(key: &DedupKey<'_>, out: &mut impl Write) -> io::Result<u64> {
        let DedupKey { bytes, head, other, hash, ordinal, score } = *key;
        let numbers = [bytes.len() as u64, other.len() as u64, head as u64, hash, ordinal, score];
        for number in numbers {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(bytes)?;
        out.write_all(other)?;
        Ok((StoredKey::HEAD + bytes.len() + other.len()) as u64)
    }

    fn rest(head: &[u8]) -> usize {
        (number_at(head, 0) + number_at(head, 8)) as usize
    }

    fn read<'a>(head: &'a [u8], rest: &'a [u8]) -> DedupKey<'a> {
        let (bytes, other) = rest.split_at(number_at(head, 0) as usize);
        let [hash, ordinal, score] = [24, 32, 40].map(|at| number_at(head, at));
        DedupKey { bytes, head: number_at(head, 16) as usize, other, hash, ordinal, score }
    }
}
