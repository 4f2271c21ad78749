//! Which records are duplicates, by their numbers.

use super::keys::MarkedRead;
use super::metrics::SetSizes;

/// A bit for each record, by its number.
#[derive(Default)]
pub(in crate::change) struct RecordBits {
    /// The number of the first record; a multiple of 64.
    first: u64,
    words: Vec<u64>,
}

impl RecordBits {
    pub(super) fn new(len: u64) -> RecordBits {
        RecordBits::from(0, len)
    }

    /// Those of so many records from number `first` on.
    pub(super) fn from(first: u64, len: u64) -> RecordBits {
        let start = first / 64 * 64;
        let words = (first + len - start).div_ceil(64);
        let words = vec![0; usize::try_from(words).unwrap_or(usize::MAX)];
        RecordBits { first: start, words }
    }

    /// The number of the first record.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    pub(in crate::change) fn get(&self, number: u64) -> bool {
        let at = number.wrapping_sub(self.first);
        self.words.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }

    pub(super) fn set(&mut self, number: u64) {
        let at = number.wrapping_sub(self.first);
        if let Some(word) = self.words.get_mut((at / 64) as usize) {
            *word |= 1 << (at % 64);
        }
    }

    /// Sets the bit of a record that may lie behind all that are here.
    pub(in crate::change) fn set_beyond(&mut self, number: u64) {
        let words = (number.wrapping_sub(self.first) / 64) as usize + 1;
        if words > self.words.len() {
            self.words.resize(words, 0);
        }
        self.set(number);
    }

    /// Adds what is set in `other` of the records that are here.
    pub(super) fn add(&mut self, other: &RecordBits) {
        let from = self.first.max(other.first);
        let words = self.words.iter_mut().skip(((from - self.first) / 64) as usize);
        let others = other.words.iter().skip(((from - other.first) / 64) as usize);
        words.zip(others).for_each(|(own, other)| *own |= other);
    }
}

/// What was decided.
#[derive(Default)]
pub(super) struct DuplicateDecisions {
    /// Primary records that are duplicates.
    pub(super) reads: RecordBits,
    /// Records of groups of which the others follow a primary one.
    pub(super) groups: RecordBits,
    /// Records that share the decision about their mate without being looked at.
    pub(super) followers: RecordBits,
    /// Of all of them, those that are optical, where they are told from others.
    pub(super) optical: RecordBits,
    pub(super) optical_groups: RecordBits,
    /// Optical duplicates by library, where they are only counted.
    pub(super) optical_pairs: Vec<u64>,
    /// How large sets of duplicates are, by the rule of Picard.
    pub(super) set_sizes: SetSizes,
}

impl DuplicateDecisions {
    /// Marks a read of the group that begins with the record `first` and has as many; none where they don't follow each other, and
    /// the read alone then tells that others follow it.
    pub(super) fn mark(&mut self, first: u64, group: u64, read: &MarkedRead) {
        self.reads.set(first + read.offset);
        if read.spreads {
            followed(first, group, read).for_each(|number| self.groups.set(number));
        }
        if let Some(follower) = read.follower {
            if self.followers.words.is_empty() {
                self.followers = RecordBits::new(64 * self.reads.words.len() as u64);
            }
            self.followers.set(first + follower);
        }
    }

    /// Says of a read that is marked that it is optical.
    pub(super) fn mark_optical(&mut self, first: u64, group: u64, read: &MarkedRead) {
        for offset in [read.offset].into_iter().chain(read.follower) {
            self.optical.set(first + offset);
        }
        if read.spreads {
            followed(first, group, read).for_each(|number| self.optical_groups.set(number));
        }
    }
}

/// The records of a read's group, or itself.
fn followed(first: u64, group: u64, read: &MarkedRead) -> std::ops::Range<u64> {
    match group {
        0 => first + read.offset..first + read.offset + 1,
        group => first..first + group,
    }
}
