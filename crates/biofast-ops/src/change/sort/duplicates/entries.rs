//! Where entries go, and where they come from sorted.

use super::super::gather::{SortEntry, prefix};
use crate::Error;
use crate::change::sort::sorter::{Sorted, Sorter};

/// Takes entries.
pub(super) trait EntrySink {
    /// Whether entries are decided about before all have come. Then single reads learn of a read of a pair that begins where its key
    /// doesn't tell when it comes, not when its pair is decided about.
    const IS_WINDOW: bool;

    /// Adds an entry of a read that is at this place.
    ///
    /// # Errors
    /// If a temporary file can't be written.
    fn take(&mut self, place: u64, entry: &SortEntry<'_>) -> Result<(), Error>;
}

/// Gives entries in the order of their keys.
pub(super) trait SortedEntries {
    /// The next entry; `None` after the last.
    ///
    /// # Errors
    /// If a temporary file can't be read.
    fn next_entry(&mut self) -> Result<Option<SortEntry<'_>>, Error>;
}

impl EntrySink for Sorter {
    const IS_WINDOW: bool = false;

    fn take(&mut self, _: u64, entry: &SortEntry<'_>) -> Result<(), Error> {
        self.add_entry(entry)
    }
}

impl SortedEntries for Sorted {
    fn next_entry(&mut self) -> Result<Option<SortEntry<'_>>, Error> {
        Sorted::next_entry(self)
    }
}

/// Some entries, in memory.
#[derive(Default)]
pub(super) struct FewEntries {
    bytes: Vec<u8>,
    locators: Vec<PlacedEntry>,
    /// How many have been given.
    given: usize,
}

/// Where an entry is, in two senses.
#[derive(Clone, Copy)]
struct PlacedEntry {
    /// The first bytes of the key, which decide most comparisons.
    prefix: u64,
    at: usize,
    place: u64,
}

impl FewEntries {
    /// Bytes of memory that are in use.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + self.locators.len() * size_of::<PlacedEntry>()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.locators.clear();
        self.given = 0;
    }

    /// Moves the entries at places before `end` to another one.
    pub(super) fn move_before(&mut self, end: u64, to: &mut FewEntries) {
        let all = std::mem::take(self);
        for &PlacedEntry { at, place, .. } in &all.locators {
            let to = if place < end { &mut *to } else { &mut *self };
            to.add(place, &SortEntry::at(&all.bytes[at..]));
        }
    }

    /// Takes over all entries of another one.
    pub(super) fn append(&mut self, other: &FewEntries) {
        let shift = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        let moved = |entry: &PlacedEntry| PlacedEntry { at: entry.at + shift, ..*entry };
        self.locators.extend(other.locators.iter().map(moved));
    }

    pub(super) fn add(&mut self, place: u64, entry: &SortEntry<'_>) {
        let at = self.bytes.len();
        self.locators.push(PlacedEntry { prefix: prefix(entry.key), at, place });
        entry.write(&mut self.bytes);
    }

    /// The keys of all entries.
    pub(super) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.locators.iter().map(|entry| SortEntry::at(&self.bytes[entry.at..]).key)
    }

    /// Puts the entries in order. Those with one key stay in the order of their numbers.
    pub(super) fn sort(&mut self) {
        let bytes = &self.bytes;
        self.locators.sort_unstable_by(|one, other| {
            let rest = || {
                let [one, other] = [one, other].map(|entry| SortEntry::at(&bytes[entry.at..]));
                one.key.cmp(other.key).then(one.number.cmp(&other.number))
            };
            one.prefix.cmp(&other.prefix).then_with(rest)
        });
    }
}

impl SortedEntries for FewEntries {
    fn next_entry(&mut self) -> Result<Option<SortEntry<'_>>, Error> {
        let next = self.locators.get(self.given).map(|next| SortEntry::at(&self.bytes[next.at..]));
        self.given += 1;
        Ok(next)
    }
}

impl EntrySink for FewEntries {
    const IS_WINDOW: bool = true;

    fn take(&mut self, place: u64, entry: &SortEntry<'_>) -> Result<(), Error> {
        self.add(place, entry);
        Ok(())
    }
}

/// Entries of which those between two places are apart.
#[derive(Default)]
pub(super) struct DividedEntries {
    /// Those behind the first place and before the second.
    pub(super) inner: FewEntries,
    pub(super) outer: FewEntries,
    pub(super) between: (u64, u64),
}

impl EntrySink for DividedEntries {
    const IS_WINDOW: bool = true;

    fn take(&mut self, place: u64, entry: &SortEntry<'_>) -> Result<(), Error> {
        let is_inner = self.between.0 < place && place < self.between.1;
        let to = if is_inner { &mut self.inner } else { &mut self.outer };
        to.add(place, entry);
        Ok(())
    }
}
