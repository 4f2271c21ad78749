//! What has been seen: the keys that are kept, in a bounded amount of memory.

use std::hash::BuildHasher;

use super::arena::{Arena, number, push_number};
use super::choice::Keep;
use super::levels::Levels;
use super::slots::Slots;
use crate::change::to_fastq::NameHashes;

/// A key to be looked up.
#[derive(Clone, Copy)]
pub(super) struct DedupKey<'a> {
    pub(super) bytes: &'a [u8],
    /// How much of it must be equal even where mismatches are allowed.
    pub(super) head: usize,
    /// That of the other strand; empty where there is none.
    pub(super) other: &'a [u8],
    /// Of the bytes.
    pub(super) hash: u64,
    /// The number of the unit.
    pub(super) ordinal: u64,
    /// How good it is.
    pub(super) score: u64,
}

/// What a key turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyStatus {
    /// The first of its kind.
    New,
    /// A duplicate: the unit of this number is not kept.
    Duplicate(u64),
    /// It isn't there, and there is no memory left to remember it.
    Unknown,
}

/// Keys that have been seen.
pub(super) trait KeyTable: Send {
    /// Looks a key up, and remembers it if it is new.
    fn see(&mut self, key: &DedupKey<'_>) -> KeyStatus;

    /// A key of this hash is looked up soon.
    fn touch(&self, _hash: u64) {}

    /// Adds how often each was seen.
    fn count(&self, levels: &mut Levels);
}

/// Keys that are equal or not.
pub(super) struct Exact {
    keys: Arena,
    slots: Slots,
    names: NameHashes,
    keep: Keep,
    most: usize,
    is_full: bool,
    /// Buffer for what stands before a key.
    head: Vec<u8>,
}

/// Before a key: how often it was seen, then, to keep the best, its number and score, then the key's length.
const COUNT: usize = 4;
const BEST: usize = 16;

impl Exact {
    pub(super) fn new(names: NameHashes, keep: Keep, most: usize) -> Exact {
        Exact {
            keys: Arena::default(),
            slots: Slots::new(),
            names,
            keep,
            most,
            is_full: false,
            head: Vec::new(),
        }
    }

    fn insert(&mut self, key: &DedupKey<'_>) -> KeyStatus {
        self.head.clear();
        self.head.extend_from_slice(&1u32.to_le_bytes());
        if self.keep == Keep::Best {
            self.head.extend_from_slice(&key.ordinal.to_le_bytes());
            self.head.extend_from_slice(&key.score.to_le_bytes());
        }
        push_number(&mut self.head, key.bytes.len());
        let needed = self.keys.bytes() + self.head.len() + key.bytes.len();
        let is_first = self.keys.bytes() == 0;
        self.is_full |= !is_first && needed + self.slots.bytes_with(1) > self.most;
        if self.is_full {
            return KeyStatus::Unknown;
        }
        let (keys, names, keep) = (&self.keys, &self.names, self.keep);
        self.slots.reserve(1, || {
            let entries = keys.entries(move |entry| {
                let (start, len) = bounds(entry, keep);
                start + len
            });
            entries.map(move |(at, entry)| (names.hash_one(key_of(entry, keep)), at))
        });
        let at = self.keys.push(&[&self.head, key.bytes]);
        self.slots.insert(key.hash, at);
        // A position beyond these can't be stored.
        self.is_full = at >= Slots::END - (1 << 21);
        KeyStatus::New
    }
}

/// Where the key of an entry starts, and its length.
#[inline]
fn bounds(entry: &[u8], keep: Keep) -> (usize, usize) {
    let start = COUNT + if keep == Keep::Best { BEST } else { 0 };
    let (len, digits) = number(&entry[start..]);
    (start + digits, len)
}

#[inline]
fn key_of(entry: &[u8], keep: Keep) -> &[u8] {
    let (start, len) = bounds(entry, keep);
    &entry[start..start + len]
}

/// Adds one to the number at the start of an entry.
fn increase(entry: &mut [u8]) {
    if let Some(count) = entry.first_chunk_mut::<COUNT>() {
        *count = u32::from_le_bytes(*count).saturating_add(1).to_le_bytes();
    }
}

/// The number at the start of an entry.
fn count_of(entry: &[u8]) -> u32 {
    entry.first_chunk::<COUNT>().map_or(0, |count| u32::from_le_bytes(*count))
}

impl KeyTable for Exact {
    #[inline]
    fn touch(&self, hash: u64) {
        self.slots.touch(hash);
    }

    #[inline]
    fn see(&mut self, key: &DedupKey<'_>) -> KeyStatus {
        let (keys, keep) = (&self.keys, self.keep);
        let found = self.slots.find(key.hash, |at| key_of(keys.at(at), keep) == key.bytes);
        let Some(at) = found else { return self.insert(key) };
        let entry = self.keys.at_mut(at);
        increase(entry);
        if keep == Keep::First {
            return KeyStatus::Duplicate(key.ordinal);
        }
        let Some(best) = entry[COUNT..].first_chunk_mut::<BEST>() else {
            return KeyStatus::Duplicate(key.ordinal);
        };
        let (ordinal, score) = best.split_at_mut(8);
        let as_number =
            |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        if as_number(score) >= key.score {
            return KeyStatus::Duplicate(key.ordinal);
        }
        let loser = as_number(ordinal);
        ordinal.copy_from_slice(&key.ordinal.to_le_bytes());
        score.copy_from_slice(&key.score.to_le_bytes());
        KeyStatus::Duplicate(loser)
    }

    fn count(&self, levels: &mut Levels) {
        let keep = self.keep;
        let entries = self.keys.entries(move |entry| {
            let (start, len) = bounds(entry, keep);
            start + len
        });
        entries.for_each(|(_, entry)| levels.add(count_of(entry)));
    }
}

/// Keys that may differ in a few places.
///
/// Of keys that do, one of `mismatches + 1` pieces is the same in both; a piece is every so-manieth letter, which spreads what
/// differs between the reads of an amplicon over all pieces. Keys with the same piece are linked, newest first, and compared.
pub(super) struct Near {
    keys: Arena,
    /// Where each key is.
    entries: Vec<u64>,
    /// The key before each that has the same piece, for each piece; [`NONE`] if there is none.
    before: Vec<u32>,
    /// The newest key of each piece, and each whole key.
    slots: Slots,
    names: NameHashes,
    mismatches: usize,
    most: usize,
    is_full: bool,
}

const NONE: u32 = u32::MAX;

impl Near {
    pub(super) fn new(names: NameHashes, mismatches: u8, most: usize) -> Near {
        Near {
            keys: Arena::default(),
            entries: Vec::new(),
            before: Vec::new(),
            slots: Slots::new(),
            names,
            mismatches: mismatches.into(),
            most,
            is_full: false,
        }
    }

    fn pieces(&self) -> usize {
        self.mismatches + 1
    }

    /// The start that must be equal, and the letters.
    fn parts(&self, index: usize) -> (&[u8], &[u8]) {
        parts(self.keys.at(self.entries[index]))
    }

    /// The hash of a piece.
    fn hash(&self, piece: usize, head: &[u8], letters: &[u8]) -> u64 {
        let mut word = 0u64;
        let mut hash = self.names.hash_one((piece, head));
        let pieces = self.pieces();
        for (at, &letter) in letters.iter().skip(piece).step_by(pieces).enumerate() {
            word = word << 8 | u64::from(letter);
            if at % 8 == 7 {
                hash = fold(hash ^ word);
                word = 0;
            }
        }
        fold(hash ^ word)
    }

    /// A kept key that differs in no more places than it may.
    fn find(&self, head: &[u8], letters: &[u8]) -> Option<usize> {
        for piece in 0..self.pieces() {
            let hash = self.hash(piece, head, letters);
            let mut next = self.newest(piece, hash);
            while next != NONE {
                let index = next as usize;
                let (other_head, others) = self.parts(index);
                if other_head == head && is_near(others, letters, self.mismatches) {
                    return Some(index);
                }
                next = self.before[index * self.pieces() + piece];
            }
        }
        None
    }

    /// The newest key with this piece.
    fn newest(&self, piece: usize, hash: u64) -> u32 {
        let pieces = self.pieces() as u64;
        let found = self.slots.find(hash, |value| {
            let (head, letters) = self.parts((value / (pieces + 1)) as usize);
            value % (pieces + 1) == piece as u64 && self.hash(piece, head, letters) == hash
        });
        // Fewer than NONE.
        found.map_or(NONE, |value| (value / (pieces + 1)) as u32)
    }

    /// The same key.
    fn find_same(&self, key: &[u8], head: usize, hash: u64) -> Option<usize> {
        let pieces = self.pieces() as u64;
        let found = self.slots.find(hash, |value| {
            let (others_head, others) = self.parts((value / (pieces + 1)) as usize);
            value % (pieces + 1) == pieces && others_head == &key[..head] && others == &key[head..]
        });
        found.map(|value| (value / (pieces + 1)) as usize)
    }

    /// Links a key that is stored.
    fn link(&mut self, index: usize) {
        let pieces = self.pieces();
        let value = |piece: usize| (index * (pieces + 1) + piece) as u64;
        for piece in 0..pieces {
            let (head, letters) = self.parts(index);
            let hash = self.hash(piece, head, letters);
            let newest = self.newest(piece, hash);
            self.before[index * pieces + piece] = newest;
            if newest == NONE {
                self.slots.insert(hash, value(piece));
            } else {
                let old = (newest as usize * (pieces + 1) + piece) as u64;
                self.slots.replace(hash, old, value(piece));
            }
        }
        let (head, letters) = self.parts(index);
        let hash = self.names.hash_one([head, letters].concat().as_slice());
        self.slots.insert(hash, value(pieces));
    }

    fn insert(&mut self, key: &DedupKey<'_>) -> KeyStatus {
        let pieces = self.pieces();
        let mut head = 1u32.to_le_bytes().to_vec();
        push_number(&mut head, key.head);
        push_number(&mut head, key.bytes.len());
        let linked = 8 + 4 * pieces;
        let needed = self.keys.bytes() + head.len() + key.bytes.len();
        // Lists that grow take twice as much, and both for a while.
        let lists = 3 * linked * (self.entries.len() + 1);
        let needed = needed + lists + self.slots.bytes_with(pieces + 1);
        let is_first = self.entries.is_empty();
        let too_many = self.entries.len() >= (Slots::END / 8) as usize
            || self.entries.len() >= NONE as usize - 1;
        self.is_full |= !is_first && (needed > self.most || too_many);
        if self.is_full {
            return KeyStatus::Unknown;
        }
        self.entries.push(self.keys.push(&[&head, key.bytes]));
        self.before.extend(std::iter::repeat_n(NONE, pieces));
        if self.slots.bytes_with(pieces + 1) > self.slots.bytes() {
            self.slots.reserve(pieces + 1, std::iter::empty);
            (0..self.entries.len()).for_each(|index| self.link(index));
        } else {
            self.link(self.entries.len() - 1);
        }
        KeyStatus::New
    }
}

/// The start and the letters of an entry.
fn parts(entry: &[u8]) -> (&[u8], &[u8]) {
    let (head, one) = number(&entry[COUNT..]);
    let (len, two) = number(&entry[COUNT + one..]);
    entry[COUNT + one + two..][..len].split_at(head)
}

/// Whether letters differ in at most so many places.
fn is_near(one: &[u8], other: &[u8], most: usize) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut differ = 0;
    for (one, other) in one.chunks(64).zip(other.chunks(64)) {
        differ += one.iter().zip(other).filter(|(one, other)| one != other).count();
        if differ > most {
            return false;
        }
    }
    true
}

#[inline]
fn fold(state: u64) -> u64 {
    let product = u128::from(state) * 0x9e37_79b9_7f4a_7c15_u128;
    product as u64 ^ (product >> 64) as u64
}

impl KeyTable for Near {
    fn see(&mut self, key: &DedupKey<'_>) -> KeyStatus {
        let (head, letters) = key.bytes.split_at(key.head);
        // Most duplicates are the same, and that is quickly found.
        let found = self
            .find_same(key.bytes, key.head, key.hash)
            .or_else(|| self.find(head, letters))
            .or_else(|| {
                let (head, letters) = key.other.split_at_checked(key.head)?;
                self.find(head, letters)
            });
        match found {
            Some(index) => {
                increase(self.keys.at_mut(self.entries[index]));
                KeyStatus::Duplicate(key.ordinal)
            }
            None => self.insert(key),
        }
    }

    fn count(&self, levels: &mut Levels) {
        self.entries.iter().for_each(|&at| levels.add(count_of(self.keys.at(at))));
    }
}
