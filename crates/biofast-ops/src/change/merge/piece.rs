//! An input of a merge: its records in blocks, as the common header has them, in the order they must have.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use biofast_bam::{Error, ErrorKind, Reader, Record, Tag};
use biofast_io::{Location, Shown};

use super::headers::{Ids, Translation};
use crate::change::sort::Order;
use crate::change::sort::gather::SortEntry;
use crate::change::sort::merge::BlockSource;
use crate::change::sort::template::LibraryRanks;
use crate::tags::{append_text, stored_tags};

/// Bits of a record's number that are its number in its input; those above are the input's.
const NUMBER_BITS: u32 = 40;

/// The records of an input.
pub(super) struct MergeReader {
    reader: Reader,
    name: Arc<str>,
    order: Order,
    translation: Arc<Translation>,
    /// Bytes of records that are read at once.
    block: usize,
    /// The number of the next record.
    number: u64,
    /// Fields that were dropped, of all inputs.
    dropped: Arc<AtomicU64>,
    libraries: Arc<LibraryRanks>,
    key: Vec<u8>,
    /// What the record before is sorted by, its name and its place.
    last: Vec<u8>,
    last_name: Vec<u8>,
    last_place: (i32, i32),
    /// A record that is changed.
    changed: Vec<u8>,
}

impl MergeReader {
    pub(super) fn new(
        reader: Reader,
        (index, name): (usize, Arc<str>),
        order: Order,
        translation: Arc<Translation>,
        block: usize,
        (dropped, libraries): (Arc<AtomicU64>, Arc<LibraryRanks>),
    ) -> MergeReader {
        MergeReader {
            reader,
            name,
            order,
            translation,
            block,
            number: (index as u64) << NUMBER_BITS,
            dropped,
            libraries,
            key: Vec::new(),
            last: Vec::new(),
            last_name: Vec::new(),
            last_place: (-1, -1),
            changed: Vec::new(),
        }
    }

    fn fill(&mut self, block: &mut Vec<u8>) -> Result<(), Error> {
        while block.len() < self.block {
            let number = self.reader.records_read() + 1;
            let Some(record) = self.reader.next_record()? else { break };
            let located = |error: Error| {
                error.or_at(Location { record: Some(number), ..Location::in_input(&self.name) })
            };
            record.check().map_err(located)?;
            let record = match translate(&record, &self.translation, &mut self.changed) {
                Change::None => record,
                Change::Made { dropped } => {
                    if dropped > 0 {
                        self.dropped.fetch_add(dropped, Ordering::Relaxed);
                    }
                    Record::from_checked(&self.changed)
                }
            };
            self.key.clear();
            self.order.key(&record, &self.libraries, &mut self.key).map_err(located)?;
            let (place, name) = ((record.reference_id(), record.position()), record.name());
            if number > 1 && self.order.loosely(&self.key) < self.order.loosely(&self.last) {
                let kind = match self.order {
                    _ if self.translation.is_reordered => ErrorKind::HeadersDiffer(
                        "its reference sequences, and so its records, are in a different order than in the files before it"
                            .into(),
                    ),
                    Order::Coordinate => {
                        let (previous, found) = (self.last_place, place);
                        ErrorKind::Unsorted { previous, found, names: [None, None] }
                    }
                    order => ErrorKind::Misplaced {
                        name: Shown(name).to_string(),
                        previous: Shown(&self.last_name).to_string(),
                        order: order.to_string(),
                    },
                };
                let error = located(Error::new(kind, Location::default()));
                return Err(error.naming(self.reader.header()));
            }
            self.last_place = place;
            if self.order != Order::Coordinate {
                self.last_name.clear();
                self.last_name.extend_from_slice(name);
            }
            let key = if self.order.is_short() { &[][..] } else { &self.key[..] };
            SortEntry { number: self.number, key, record: record.as_bytes() }.write(block);
            self.number += 1;
            std::mem::swap(&mut self.key, &mut self.last);
        }
        Ok(())
    }
}

impl BlockSource for MergeReader {
    fn next_block(&mut self) -> io::Result<Vec<u8>> {
        let mut block = Vec::with_capacity(self.block + self.block / 8);
        self.fill(&mut block)?;
        Ok(block)
    }
}

/// What became of a record.
enum Change {
    None,
    /// It was changed, and these many fields were dropped.
    Made {
        dropped: u64,
    },
}

/// Writes to `out` what becomes of a record under the common header, if it isn't the same: references by their new indices,
/// and the fields RG and PG, with new IDs, at the end. So does samtools with the first of each, and it drops those whose ID the header
/// doesn't have: another input may have one of this ID. A record that has such a field more than once is of several groups, and all of
/// them get their new IDs. A read group that all records get stands last, and is the only one.
fn translate(record: &Record<'_>, translation: &Translation, out: &mut Vec<u8>) -> Change {
    let bytes = record.as_bytes();
    let tags_at = bytes.len() - record.tag_bytes().len();
    let read_group = translation.read_group.as_deref();
    // What stands at the end under its old ID can stay there, if it is alone.
    let (mut count, mut stays) = (0, true);
    for (tag, stored) in stored_tags(record) {
        if let Some(ids) = ids(&tag, translation) {
            count += 1;
            stays =
                stored.end == bytes.len() && ids.get(tag.value).is_some_and(|new| new == tag.value);
        }
    }
    let stays = stays && count < 2;
    if stays && translation.references.is_none() && read_group.is_none() {
        return Change::None;
    }
    out.clear();
    out.extend_from_slice(&bytes[..tags_at]);
    if let Some(references) = &translation.references {
        for (at, id) in [(0, record.reference_id()), (20, record.mate_reference_id())] {
            // Those of records were checked when they were read.
            if let Some(new) = usize::try_from(id).ok().and_then(|id| references.get(id)) {
                out[at..at + 4].copy_from_slice(&new.to_le_bytes());
            }
        }
    }
    for (tag, stored) in stored_tags(record) {
        let is_replaced = read_group.is_some() && tag.name == *b"RG";
        if !is_replaced && ids(&tag, translation).is_none() {
            out.extend_from_slice(&bytes[stored]);
        }
    }
    let mut dropped = 0;
    for name in [*b"RG", *b"PG"] {
        if name == *b"RG" && read_group.is_some() {
            continue;
        }
        for tag in record.tags().filter(|tag| tag.name == name) {
            match ids(&tag, translation).map(|ids| ids.get(tag.value)) {
                Some(Some(new)) => append_text(name, new, out),
                Some(None) => dropped += 1,
                None => {}
            }
        }
    }
    if let Some(id) = read_group {
        append_text(*b"RG", id, out);
    }
    Change::Made { dropped }
}

/// The new IDs of what an optional field names; nothing if it names neither a read group nor a program.
fn ids<'t>(tag: &Tag<'_>, translation: &'t Translation) -> Option<&'t Ids> {
    match (&tag.name, tag.kind) {
        (b"RG", b'Z') => Some(&translation.read_groups),
        (b"PG", b'Z') => Some(&translation.programs),
        _ => None,
    }
}
