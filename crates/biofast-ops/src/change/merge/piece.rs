//! An input of a merge: its records in blocks, as the common header has them, in the order they must have.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use biofast_bam::{Error, ErrorKind, Reader, Record, Tag};
use biofast_io::{Location, Shown};

use super::headers::Translation;
use crate::change::sort::Order;
use crate::change::sort::gather::Entry;
use crate::change::sort::merge::Blocks;
use crate::change::sort::template::Libraries;

/// Bits of a record's number that are its number in its input; those above are the input's.
const NUMBER_BITS: u32 = 40;

/// The records of an input.
pub(super) struct Piece {
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
    libraries: Arc<Libraries>,
    key: Vec<u8>,
    /// What the record before is sorted by, its name and its place.
    last: Vec<u8>,
    last_name: Vec<u8>,
    last_place: (i32, i32),
    /// A record that is changed.
    changed: Vec<u8>,
}

impl Piece {
    pub(super) fn new(
        reader: Reader,
        (index, name): (usize, Arc<str>),
        order: Order,
        translation: Arc<Translation>,
        block: usize,
        (dropped, libraries): (Arc<AtomicU64>, Arc<Libraries>),
    ) -> Piece {
        Piece {
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
                        "its reference sequences come in another order than in the files before it, and so do its \
                         records"
                            .into(),
                    ),
                    Order::Coordinate => {
                        ErrorKind::Unsorted { previous: self.last_place, found: place }
                    }
                    order => ErrorKind::Misplaced {
                        name: Shown(name).to_string(),
                        previous: Shown(&self.last_name).to_string(),
                        order: order.to_string(),
                    },
                };
                return Err(located(Error::new(kind, Location::default())));
            }
            self.last_place = place;
            if self.order != Order::Coordinate {
                self.last_name.clear();
                self.last_name.extend_from_slice(name);
            }
            let key = if self.order.is_short() { &[][..] } else { &self.key[..] };
            Entry { number: self.number, key, record: record.as_bytes() }.write(block);
            self.number += 1;
            std::mem::swap(&mut self.key, &mut self.last);
        }
        Ok(())
    }
}

impl Blocks for Piece {
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
/// and the fields RG and PG, with new IDs, at the end. So does samtools, and it drops those whose ID the header doesn't have:
/// another input may have one of this ID. A read group that all records get stands last.
fn translate(record: &Record<'_>, translation: &Translation, out: &mut Vec<u8>) -> Change {
    let bytes = record.as_bytes();
    let tags_at = bytes.len() - record.tag_bytes().len();
    // Where RG and PG are; the first of each counts.
    let (mut group, mut program) = (None, None);
    let (mut at, mut count) = (tags_at, 0);
    for tag in record.tags() {
        let len = stored_len(&tag);
        let slot = match &tag.name {
            b"RG" => &mut group,
            b"PG" => &mut program,
            _ => {
                at += len;
                continue;
            }
        };
        if slot.is_none() && tag.kind == b'Z' {
            *slot = Some((at..at + len, tag.value));
            count += 1;
        }
        at += len;
    }
    let is_last = |place: &std::ops::Range<usize>| count == 1 && place.end == bytes.len();
    let of_group = group.as_ref().map(|(place, id)| (place, translation.read_groups.get(*id), id));
    let of_program = program.as_ref().map(|(place, id)| (place, translation.programs.get(*id), id));
    let stays = [&of_group, &of_program]
        .into_iter()
        .flatten()
        .all(|(place, new, id)| is_last(place) && new.is_some_and(|new| new[..] == ***id));
    let read_group = translation.read_group.as_deref();
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
    let mut gaps = [&of_group, &of_program].map(|found| {
        found.as_ref().map_or(bytes.len()..bytes.len(), |(place, ..)| (*place).clone())
    });
    gaps.sort_by_key(|gap| gap.start);
    out.extend_from_slice(&bytes[tags_at..gaps[0].start]);
    if gaps[0].end < bytes.len() {
        out.extend_from_slice(&bytes[gaps[0].end..gaps[1].start]);
        out.extend_from_slice(&bytes[gaps[1].end..]);
    }
    let mut dropped = 0;
    let of_group = of_group.filter(|_| read_group.is_none());
    for (name, found) in [(b"RGZ", of_group), (b"PGZ", of_program)] {
        match found {
            Some((_, Some(new), _)) => {
                out.extend_from_slice(name);
                out.extend_from_slice(new);
                out.push(0);
            }
            Some((_, None, _)) => dropped += 1,
            None => {}
        }
    }
    if let Some(id) = read_group {
        out.extend_from_slice(b"RGZ");
        out.extend_from_slice(id);
        out.push(0);
    }
    Change::Made { dropped }
}

/// Bytes that a field takes: its name, its type, its value, and a NUL behind text.
fn stored_len(tag: &Tag<'_>) -> usize {
    3 + tag.value.len() + usize::from(matches!(tag.kind, b'Z' | b'H'))
}
