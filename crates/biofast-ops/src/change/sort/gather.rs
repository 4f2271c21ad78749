//! Records in memory: where they are kept until there are too many, and how they are sorted there.

use biofast_bam::Record;

use super::key::Order;
use super::template::LibraryRanks;
use crate::change::segment::MemorySegment;

/// Bytes that are asked for at once: a part of what may be taken, but not more than this.
const LARGEST_SEGMENT: usize = 32 << 20;
const SMALLEST_SEGMENT: usize = 16 << 10;

/// A record among others: what stands before its bytes.
///
/// | bytes | |
/// |---|---|
/// | 8 | its number in the input |
/// | 4 | the length of its key |
/// | 4 | the length of the record |
/// | | the key, if it is longer than eight bytes |
/// | | the record, without its block size |
pub(super) const HEAD: usize = 16;

/// A record with its key, as they are kept in memory and in files.
#[derive(Clone, Copy)]
pub(in crate::change) struct SortEntry<'a> {
    pub(in crate::change) number: u64,
    /// Empty where it is short.
    pub(in crate::change) key: &'a [u8],
    pub(in crate::change) record: &'a [u8],
}

impl<'a> SortEntry<'a> {
    /// The entry at the start of `bytes`, which hold all of it.
    pub(super) fn at(bytes: &'a [u8]) -> SortEntry<'a> {
        let (head, rest) = bytes.split_at(HEAD);
        let mut word = [0; 8];
        word.copy_from_slice(&head[..8]);
        let number = u64::from_le_bytes(word);
        let (key, record) = SortEntry::lengths(head);
        let (key, rest) = rest.split_at(key);
        SortEntry { number, key, record: &rest[..record] }
    }

    /// The lengths of key and record that its first bytes tell.
    pub(super) fn lengths(head: &[u8]) -> (usize, usize) {
        let len = |at: usize| {
            u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize
        };
        (len(8), len(12))
    }

    /// Bytes it takes.
    pub(super) fn len(&self) -> usize {
        HEAD + self.key.len() + self.record.len()
    }

    /// What stands before its key. A record has a length of 31 bits at most, and a key is not longer than a name and a field.
    fn head(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&self.number.to_le_bytes());
        head[8..12].copy_from_slice(&(self.key.len() as u32).to_le_bytes());
        head[12..].copy_from_slice(&(self.record.len() as u32).to_le_bytes());
        head
    }

    /// Appends it.
    pub(in crate::change) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head());
        out.extend_from_slice(self.key);
        out.extend_from_slice(self.record);
    }

    /// Writes it over as many bytes as it takes.
    fn copy_to(&self, out: &mut [u8]) {
        let (head, out) = out.split_at_mut(HEAD);
        let (key, record) = out.split_at_mut(self.key.len());
        head.copy_from_slice(&self.head());
        key.copy_from_slice(self.key);
        record.copy_from_slice(self.record);
    }
}

/// Where an entry is, and what decides most comparisons.
#[derive(Clone, Copy)]
struct EntryLocator {
    /// Eight bytes of the key.
    prefix: u64,
    /// The number of the segment, and where in it.
    at: u64,
}

/// Records that are kept in memory, in the order they came or sorted.
pub(in crate::change) struct GatheredRecords {
    segment: usize,
    segments: Vec<MemorySegment>,
    /// How many segments are in use.
    used: usize,
    places: Vec<EntryLocator>,
    /// Bytes of the segments.
    bytes: usize,
    key: Vec<u8>,
    /// Those of the header, once it is known.
    pub(super) libraries: Option<LibraryRanks>,
}

/// What keys are made with before a header is known.
static NO_LIBRARIES: LibraryRanks = LibraryRanks::none();

impl GatheredRecords {
    /// None yet; some day records of `memory` bytes.
    pub(super) fn new(memory: usize) -> GatheredRecords {
        GatheredRecords {
            segment: (memory / 16).clamp(SMALLEST_SEGMENT, LARGEST_SEGMENT),
            segments: Vec::new(),
            used: 0,
            places: Vec::new(),
            bytes: 0,
            key: Vec::new(),
            libraries: None,
        }
    }

    /// Bytes of memory that are taken.
    pub(super) fn memory(&self) -> usize {
        self.bytes + self.places.capacity() * size_of::<EntryLocator>()
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes of memory that one more record of this length may take, beyond what is taken now.
    pub(super) fn growth(&self, len: usize) -> usize {
        let grows = self.places.len() == self.places.capacity();
        let places =
            if grows { more_places(self.places.len()) * size_of::<EntryLocator>() } else { 0 };
        // A key is made of a name, of which it has three times the length at most, and of an optional field.
        let needed = HEAD + 4 * len;
        let fits = self.used < self.segments.len() || self.room() >= needed;
        places + if fits { 0 } else { needed.max(self.segment) }
    }

    /// What is left in the segment that is filled.
    fn room(&self) -> usize {
        let last = self.used.checked_sub(1).map(|last| &self.segments[last]);
        last.map_or(0, |segment| segment.size() - segment.len())
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If its key can't be made.
    pub(super) fn add(
        &mut self,
        order: Order,
        number: u64,
        record: &Record<'_>,
    ) -> Result<(), biofast_bam::Error> {
        self.key.clear();
        order.key(record, self.libraries.as_ref().unwrap_or(&NO_LIBRARIES), &mut self.key)?;
        let prefix = prefix(&self.key);
        let key = std::mem::take(&mut self.key);
        let kept = if order.is_short() { &[][..] } else { &key[..] };
        self.add_entry(prefix, &SortEntry { number, key: kept, record: record.as_bytes() });
        self.key = key;
        Ok(())
    }

    /// Adds an entry with the first bytes of its key, which it may not have itself.
    pub(super) fn add_entry(&mut self, prefix: u64, entry: &SortEntry<'_>) {
        let len = entry.len();
        if self.room() < len {
            // One that was used before, and is long enough, or a new one.
            let next = self.used;
            match self.segments.get(next) {
                Some(segment) if segment.size() >= len => {}
                _ => {
                    let segment = MemorySegment::new(len.max(self.segment));
                    self.bytes += segment.size();
                    self.segments.insert(next, segment);
                }
            }
            self.used += 1;
        }
        let segment = &mut self.segments[self.used - 1];
        let at = ((self.used - 1) as u64) << 32 | segment.len() as u64;
        entry.copy_to(segment.append(len));
        if self.places.len() == self.places.capacity() {
            self.places.reserve_exact(more_places(self.places.len()));
        }
        self.places.push(EntryLocator { prefix, at });
    }

    /// The record of this number in the present order.
    pub(super) fn get(&self, index: usize) -> SortEntry<'_> {
        entry_of(&self.segments, self.places[index])
    }

    /// Some `size` bytes of records from number `index` on, one at least if there is one, and the number behind them.
    pub(super) fn block(&self, mut index: usize, size: usize) -> (Vec<u8>, usize) {
        let mut out = Vec::new();
        // To see the lengths first brings all of the records on their way.
        let mut len = 0;
        let places = &self.places[index..];
        let entries =
            places.iter().map(|&place| entry_of(&self.segments, place)).take_while(|entry| {
                len += entry.len();
                len <= size.max(entry.len())
            });
        let count = entries.count();
        out.reserve_exact(len.min(size));
        for _ in 0..count {
            self.get(index).write(&mut out);
            index += 1;
        }
        (out, index)
    }

    /// Sorts the records. Those that are equal stay in their order, as what came later lies behind.
    pub(super) fn sort(&mut self, order: Order) {
        let segments = &self.segments;
        if order.is_short() {
            self.places.sort_unstable_by_key(|place| (place.prefix, place.at));
            return;
        }
        // Names begin alike: eight bytes behind what all of them have tell more.
        let key = |place: EntryLocator| entry_of(segments, place).key;
        let Some(&first) = self.places.first() else { return };
        let first = key(first);
        let common = self.places.iter().fold(first.len(), |common, &place| {
            let pairs = first[..common].iter().zip(key(place));
            pairs.take_while(|(a, b)| a == b).count()
        });
        for place in &mut self.places {
            place.prefix = prefix(&key(*place)[common..]);
        }
        self.places.sort_unstable_by(|&one, &other| {
            let keys = || key(one)[common..].cmp(&key(other)[common..]);
            one.prefix.cmp(&other.prefix).then_with(keys).then(one.at.cmp(&other.at))
        });
    }

    /// One without records that takes the same things.
    pub(super) fn another(&self, memory: usize) -> GatheredRecords {
        GatheredRecords { libraries: self.libraries.clone(), ..GatheredRecords::new(memory) }
    }

    /// Forgets all records and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.segments.iter_mut().for_each(MemorySegment::clear);
        self.used = 0;
        self.places.clear();
    }
}

fn entry_of(segments: &[MemorySegment], place: EntryLocator) -> SortEntry<'_> {
    let (segment, at) = ((place.at >> 32) as usize, place.at as u32 as usize);
    SortEntry::at(&segments[segment].bytes()[at..])
}

/// By how many the list of places grows: by a quarter, so that it never takes much more than is needed.
fn more_places(len: usize) -> usize {
    len / 4 + 256
}

/// The first eight bytes, as a number that compares as they do.
pub(super) fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}
