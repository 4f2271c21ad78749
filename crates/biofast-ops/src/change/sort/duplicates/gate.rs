//! Records on their way in: put together by name, and refused where names aren't together.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use biofast_bam::{Header, Reader, Record, flag};

use super::primary::is_primary;
use crate::{Error, Refusal};

/// Bytes of records that are handed on at once.
const BATCH: usize = 1 << 20;

/// Groups of records.
#[derive(Default)]
pub(super) struct GroupBatch {
    /// The number of the first record in the input.
    pub(super) first: u64,
    /// Records as BAM has them, without their sizes, one behind the other.
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    /// How many there are until the end of each group.
    groups: Vec<usize>,
}

impl GroupBatch {
    fn clear(&mut self, first: u64) {
        self.first = first;
        self.bytes.clear();
        self.ends.clear();
        self.groups.clear();
    }

    fn push(&mut self, record: &Record<'_>) {
        self.bytes.extend_from_slice(record.as_bytes());
        self.ends.push(self.bytes.len());
    }

    pub(super) fn record(&self, index: usize) -> Record<'_> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Record::from_checked(&self.bytes[start..self.ends[index]])
    }

    /// The groups, as ranges of records.
    pub(super) fn groups(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.groups.iter().copied());
        starts.zip(&self.groups).map(|(start, &end)| start..end)
    }
}

/// A hash of a name that is the same in every run.
pub(in crate::change) fn hash_of_name(name: &[u8]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(name)
}

/// Names of groups that lack something are remembered, so many at least.
const REMEMBERED: usize = 1 << 17;

/// Where groups are put together.
pub(super) struct Gate {
    input: String,
    read: u64,
    without_mate: u64,
    /// The record that begins the next batch, without its size.
    next: Vec<u8>,
    /// Hashes of names, and the number of a record of this name. A later name takes the place of an earlier one.
    lacking: Vec<(u64, u64)>,
    is_over: bool,
}

/// What a group has.
#[derive(Default)]
pub(in crate::change) struct NameGroup {
    primary: usize,
    expects_mate: bool,
}

impl NameGroup {
    pub(in crate::change) fn add(&mut self, flags: u16) {
        if is_primary(flags) {
            self.primary += 1;
            self.expects_mate |= flags & flag::PAIRED != 0;
        }
    }

    /// Whether two reads are there.
    pub(in crate::change) fn has_pair(&self) -> bool {
        self.primary > 1
    }

    /// Whether a record of this name should be there and isn't.
    pub(in crate::change) fn lacks(&self) -> bool {
        self.primary == 0 || (self.expects_mate && self.primary < 2)
    }
}

impl Gate {
    pub(super) fn new(input: &str) -> Gate {
        let (next, lacking) = (Vec::new(), Vec::new());
        Gate { input: input.into(), read: 0, without_mate: 0, next, lacking, is_over: false }
    }

    /// Names without a mate that should be there, and records read.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.without_mate, self.read)
    }

    /// Fills a batch with the next groups. `false` if there are none.
    ///
    /// # Errors
    /// If the input can't be read, or records of a name are apart.
    pub(super) fn fill(
        &mut self,
        reader: &mut Reader,
        batch: &mut GroupBatch,
    ) -> Result<bool, Error> {
        let carried = usize::from(!self.next.is_empty());
        batch.clear(self.read - carried as u64);
        let mut group = NameGroup::default();
        if carried > 0 {
            let record = Record::from_checked(&self.next);
            group.add(record.flags());
            batch.push(&record);
            self.next.clear();
        }
        while !self.is_over {
            let Some(record) = reader.next_record()? else {
                self.is_over = true;
                break;
            };
            self.read += 1;
            let count = batch.ends.len();
            if count > 0 && batch.record(count - 1).name() != record.name() {
                self.end_group(batch, &group)?;
                group = NameGroup::default();
                if batch.bytes.len() >= BATCH {
                    self.next.extend_from_slice(record.as_bytes());
                    return Ok(true);
                }
            }
            group.add(record.flags());
            batch.push(&record);
        }
        if batch.ends.is_empty() {
            return Ok(false);
        }
        self.end_group(batch, &group)?;
        Ok(true)
    }

    /// Ends a group of which the last record is that of the batch. That names are apart shows where something is
    /// lacking: what lacks is in another group of this name.
    fn end_group(&mut self, batch: &mut GroupBatch, group: &NameGroup) -> Result<(), Error> {
        let count = batch.ends.len();
        batch.groups.push(count);
        let lacks = group.lacks();
        if lacks {
            self.without_mate += u64::from(group.primary > 0);
            if self.lacking.is_empty() {
                self.lacking = vec![(0, 0); REMEMBERED];
            }
        }
        if self.lacking.is_empty() {
            return Ok(());
        }
        let name = batch.record(count - 1).name();
        let hash = hash_of_name(name) | 1;
        let number = batch.first + count as u64;
        let slot = (hash >> 32) as usize % REMEMBERED;
        let (remembered, before) = self.lacking[slot];
        if remembered == hash {
            return Err(self.apart(before, number, name));
        }
        if lacks {
            self.lacking[slot] = (hash, number);
        }
        Ok(())
    }

    fn apart(&self, one: u64, other: u64, name: &[u8]) -> Error {
        let name = String::from_utf8_lossy(name).escape_debug().to_string();
        Refusal::NotGrouped(format!(
            "{}: records {one} and {other} are both named '{name}' but are not next to each other; marking duplicates \
             needs records grouped by name",
            self.input
        ))
        .into()
    }
}

/// Refuses what says that its names aren't together.
///
/// # Errors
/// If it does.
pub(in crate::change) fn check_header(
    input: &str,
    header: &Header,
    needing: &str,
) -> Result<(), Error> {
    if !header.is_sorted_by_coordinate() {
        return Ok(());
    }
    Err(Refusal::NotGrouped(format!(
        "{input}: sorted by coordinate, but {needing} needs records grouped by name"
    ))
    .into())
}
