//! Units in memory, sorted runs of them in temporary files, and all of them merged.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::output::{Compression, Output};

use super::limits::SpillLimits;
use super::stored::{Stored, StoredReader, StoredWriter};
use crate::Error;
use crate::change::pending::{Pending, taken_or_kept};

/// Bytes of units are kept in blocks of this, so that there is no large buffer to grow.
const BLOCK: usize = 1 << 20;

/// So many runs are merged at once.
const MOST_RUNS: usize = 64;

/// So many bytes that all keys begin with are looked at.
const MOST_COMMON: usize = 256;

/// Buffers for a temporary file.
const BUFFER: usize = 64 << 10;

/// A unit in memory.
#[derive(Clone, Copy)]
struct Item {
    /// The first bytes of its key that not all keys have, once they are sorted.
    prefix: u64,
    /// Its block and its place there, which grow with the order of the input.
    block: u32,
    at: u32,
}

/// Gathers units, and gives them back in order.
pub(in crate::change) struct UnitRuns {
    limits: SpillLimits,
    reverse: bool,
    threads: usize,
    blocks: Vec<Vec<u8>>,
    items: Vec<Item>,
    /// What all keys in memory begin with: names of reads differ behind the run and the lane.
    common: Vec<u8>,
    used: usize,
    /// Sorted runs in the order of the input, and how often they have been merged.
    runs: Vec<(u32, StoredWriter<StoredUnit>)>,
    /// Runs and bytes that have been written.
    stored: (u64, u64),
}

impl UnitRuns {
    pub(in crate::change) fn new(limits: &SpillLimits, reverse: bool, threads: usize) -> UnitRuns {
        UnitRuns {
            limits: limits.clone(),
            reverse,
            threads,
            blocks: Vec::new(),
            items: Vec::new(),
            common: Vec::new(),
            used: 0,
            runs: Vec::new(),
            stored: (0, 0),
        }
    }

    /// Runs and bytes that went to temporary files.
    pub(in crate::change) fn stored(&self) -> (u64, u64) {
        self.stored
    }

    /// Takes the whole units at the front of `text`, and returns how much of it they are.
    pub(in crate::change) fn take(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut at = 0;
        while let Some((lengths, rest)) = text[at..].split_first_chunk::<{ KeyLengths::LEN }>() {
            let lengths = KeyLengths::from_bytes(lengths);
            if rest.len() < lengths.sum() {
                break;
            }
            let len = KeyLengths::LEN + lengths.sum();
            self.push(&text[at..at + len], &rest[..lengths.key as usize])?;
            at += len;
        }
        Ok(at)
    }

    fn push(&mut self, unit: &[u8], key: &[u8]) -> io::Result<()> {
        // Sorting takes half of the items once more.
        let needed = unit.len() + size_of::<Item>() * 3 / 2;
        if self.used + needed > self.limits.memory && !self.items.is_empty() {
            self.spill()?;
        }
        self.used += needed;
        if self.items.is_empty() {
            self.common.clear();
            self.common.extend_from_slice(&key[..key.len().min(MOST_COMMON)]);
        } else if !key.starts_with(&self.common) {
            let same = self.common.iter().zip(key).take_while(|(a, b)| a == b).count();
            self.common.truncate(same);
        }
        // What is longer than a block is one of its own.
        let fits = self.blocks.last().is_some_and(|block| block.len() + unit.len() <= BLOCK);
        if !fits {
            // Of little memory no block takes more than all of it.
            self.blocks.push(Vec::with_capacity(unit.len().max(BLOCK.min(self.limits.memory))));
        }
        let block = self.blocks.len() - 1;
        let bytes = &mut self.blocks[block];
        self.items.push(Item { prefix: 0, block: block as u32, at: bytes.len() as u32 });
        bytes.extend_from_slice(unit);
        Ok(())
    }

    /// The key and the texts of a unit.
    fn unit(blocks: &[Vec<u8>], item: Item) -> Unit<'_> {
        let bytes = &blocks[item.block as usize][item.at as usize..];
        let (lengths, rest) = bytes.split_at(KeyLengths::LEN);
        Unit::at(lengths, rest)
    }

    /// Sorts what is in memory: each thread a part, which are merged.
    fn sort(&mut self) {
        let (blocks, reverse) = (&self.blocks, self.reverse);
        let compare = |a: &Item, b: &Item| {
            let keys = a
                .prefix
                .cmp(&b.prefix)
                .then_with(|| UnitRuns::unit(blocks, *a).key.cmp(UnitRuns::unit(blocks, *b).key));
            let keys = if reverse { keys.reverse() } else { keys };
            keys.then_with(|| (a.block, a.at).cmp(&(b.block, b.at)))
        };
        let common = self.common.len();
        let sort = |items: &mut [Item]| {
            for item in &mut *items {
                item.prefix = prefix(&UnitRuns::unit(blocks, *item).key[common..]);
            }
            items.sort_unstable_by(compare);
        };
        let part = self.items.len().div_ceil(self.threads.max(1)).max(1 << 14);
        if self.items.len() > part {
            std::thread::scope(|scope| {
                for part in self.items.chunks_mut(part) {
                    scope.spawn(move || sort(part));
                }
            });
            // Sorted stretches are merged by the stable sort.
            self.items.sort_by(compare);
        } else {
            sort(&mut self.items);
        }
    }

    /// Writes what is in memory, if anything is, to a temporary file.
    pub(in crate::change) fn spill(&mut self) -> io::Result<()> {
        if self.items.is_empty() {
            return Ok(());
        }
        self.sort();
        let mut run = StoredWriter::create(&self.limits.folder, BUFFER)?;
        for &item in &self.items {
            run.add(&UnitRuns::unit(&self.blocks, item))?;
        }
        self.stored.0 += 1;
        self.stored.1 += run.bytes();
        self.items.clear();
        self.blocks.clear();
        self.used = 0;
        self.runs.push((0, run));
        // Runs are merged when there are many of the same level, so that each unit is copied a few times only.
        while let Some((level, _)) = self.runs.last() {
            let level = *level;
            let same = self.runs.iter().rev().take_while(|run| run.0 == level).count();
            if same < MOST_RUNS {
                break;
            }
            let merged = self.runs.split_off(self.runs.len() - same);
            let runs = merged.into_iter().map(|(_, run)| run).collect();
            let mut run = StoredWriter::create(&self.limits.folder, BUFFER)?;
            merge(runs, self.reverse, |unit| run.add(unit))?;
            self.stored.1 += run.bytes();
            self.runs.push((level + 1, run));
        }
        Ok(())
    }

    /// Gives all units in order.
    pub(in crate::change) fn finish(
        &mut self,
        mut take: impl FnMut(&Unit<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.runs.is_empty() {
            self.sort();
            return self
                .items
                .iter()
                .try_for_each(|&item| take(&UnitRuns::unit(&self.blocks, item)));
        }
        self.spill().map_err(Error::ScratchFile)?;
        let runs = std::mem::take(&mut self.runs).into_iter().map(|(_, run)| run).collect();
        let mut failure = None;
        let result = merge(runs, self.reverse, |unit| {
            take(unit).map_err(|error| {
                failure = Some(error);
                io::Error::other("an output can't be written")
            })
        });
        match (failure, result) {
            (Some(error), _) => Err(error),
            (None, result) => result.map_err(Error::ScratchFile),
        }
    }
}

/// The first bytes of a key as a number that compares as they do.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}

/// A unit.
pub(in crate::change) struct Unit<'a> {
    lengths: KeyLengths,
    pub(in crate::change) key: &'a [u8],
    pub(in crate::change) texts: [&'a [u8]; 2],
}

impl<'a> Unit<'a> {
    /// The unit of these lengths at the front of `bytes`.
    #[inline]
    fn at(lengths: &[u8], bytes: &'a [u8]) -> Unit<'a> {
        let mut array = [0; KeyLengths::LEN];
        array.copy_from_slice(lengths);
        let lengths = KeyLengths::from_bytes(&array);
        let (key, rest) = bytes.split_at(lengths.key as usize);
        let (one, rest) = rest.split_at(lengths.texts[0] as usize);
        Unit { lengths, key, texts: [one, &rest[..lengths.texts[1] as usize]] }
    }
}

/// A unit in a file, as it is in memory.
enum StoredUnit {}

impl Stored for StoredUnit {
    type Record<'a> = Unit<'a>;
    const HEAD: usize = KeyLengths::LEN;

    #[inline]
    fn write(unit: &Unit<'_>, out: &mut impl Write) -> io::Result<u64> {
        out.write_all(&unit.lengths.to_bytes())?;
        out.write_all(unit.key)?;
        unit.texts.iter().try_for_each(|text| out.write_all(text))?;
        Ok((KeyLengths::LEN + unit.lengths.sum()) as u64)
    }

    fn rest(head: &[u8]) -> usize {
        head.first_chunk().map_or(0, |head| KeyLengths::from_bytes(head).sum())
    }

    #[inline]
    fn read<'a>(head: &'a [u8], rest: &'a [u8]) -> Unit<'a> {
        Unit::at(head, rest)
    }
}

/// What is next of a run. The run of the smallest key, and of equal ones the first, is the greatest of a heap.
struct NextUnit {
    key: Vec<u8>,
    run: usize,
    reverse: bool,
}

impl Ord for NextUnit {
    fn cmp(&self, other: &NextUnit) -> Ordering {
        let keys = self.key.cmp(&other.key);
        let keys = if self.reverse { keys } else { keys.reverse() };
        keys.then_with(|| Reverse(self.run).cmp(&Reverse(other.run)))
    }
}

impl PartialOrd for NextUnit {
    fn partial_cmp(&self, other: &NextUnit) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for NextUnit {
    fn eq(&self, other: &NextUnit) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for NextUnit {}

/// Gives the units of all runs in order; of equal keys those of earlier runs first.
fn merge(
    runs: Vec<StoredWriter<StoredUnit>>,
    reverse: bool,
    mut take: impl FnMut(&Unit<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let cursors = runs.into_iter().map(StoredWriter::into_reader);
    let mut cursors: Vec<StoredReader<StoredUnit>> = cursors.collect::<io::Result<_>>()?;
    let mut heap = BinaryHeap::new();
    for (run, cursor) in cursors.iter_mut().enumerate() {
        if cursor.advance()? {
            heap.push(NextUnit { key: cursor.current().key.to_vec(), run, reverse });
        }
    }
    while let Some(mut next) = heap.peek_mut() {
        let cursor = &mut cursors[next.run];
        take(&cursor.current())?;
        if cursor.advance()? {
            next.key.clear();
            next.key.extend_from_slice(cursor.current().key);
        } else {
            std::collections::binary_heap::PeekMut::pop(next);
        }
    }
    Ok(())
}

/// What stands before a key and its texts in the stream of units, and in temporary files.
#[derive(Clone, Copy)]
pub(crate) struct KeyLengths {
    key: u32,
    texts: [u32; 2],
}

impl KeyLengths {
    const LEN: usize = 12;

    fn to_bytes(self) -> [u8; KeyLengths::LEN] {
        let mut bytes = [0; KeyLengths::LEN];
        for (bytes, number) in
            bytes.chunks_exact_mut(4).zip([self.key, self.texts[0], self.texts[1]])
        {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; KeyLengths::LEN]) -> KeyLengths {
        let number = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        KeyLengths { key: number(0), texts: [number(4), number(8)] }
    }

    /// Appends a unit to `out`; `key` appends its key.
    #[inline]
    pub(crate) fn write(
        out: &mut Vec<u8>,
        key: impl FnOnce(&mut Vec<u8>),
        texts: [&[u8]; 2],
    ) -> Result<(), String> {
        let at = out.len();
        out.extend_from_slice(&[0; KeyLengths::LEN]);
        key(out);
        KeyLengths::finish(out, at, texts)
    }

    /// Appends the texts of the unit that begins at `at` and ends with its key.
    fn finish(out: &mut Vec<u8>, at: usize, texts: [&[u8]; 2]) -> Result<(), String> {
        let key = out.len() - at - KeyLengths::LEN;
        let lengths = [key, texts[0].len(), texts[1].len()].map(u32::try_from);
        let [Ok(key), Ok(one), Ok(two)] = lengths else {
            return Err("reads longer than 4 GiB can't be sorted".into());
        };
        let lengths = KeyLengths { key, texts: [one, two] };
        out[at..at + KeyLengths::LEN].copy_from_slice(&lengths.to_bytes());
        texts.iter().for_each(|text| out.extend_from_slice(text));
        Ok(())
    }

    /// Bytes of all that follows.
    fn sum(self) -> usize {
        self.key as usize + self.texts[0] as usize + self.texts[1] as usize
    }
}

/// What takes the units in order.
pub(in crate::change) struct SharedRuns {
    pub(in crate::change) runs: UnitRuns,
    pub(in crate::change) problem: Option<io::Error>,
    /// The beginning of a unit whose end hasn't come.
    pending: Pending,
}

impl SharedRuns {
    /// What gives text to `runs`, and what is left when it has ended.
    pub(in crate::change) fn stream(runs: UnitRuns) -> (Output, Arc<Mutex<SharedRuns>>) {
        let shared = SharedRuns { runs, problem: None, pending: Pending::default() };
        let shared = Arc::new(Mutex::new(shared));
        let stream = OrderStream(Arc::clone(&shared));
        (Output::stream("reads", stream, Compression::default()), shared)
    }
}

struct OrderStream(Arc<Mutex<SharedRuns>>);

impl io::Write for OrderStream {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let SharedRuns { runs, problem, pending } = &mut *shared;
        let taken = pending.add(text, |text| runs.take(text));
        taken_or_kept(taken, problem, text, "a temporary file can't be written")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::effort::times;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(times(64)))]
        #[test]
        fn units_come_in_the_order_of_a_stable_sort_whatever_their_keys_begin_with(
            keys in prop::collection::vec("(run:1:)?(lane:2:)?[ab\u{0}]{0,12}", 0..300),
            memory in prop::sample::select(vec![600usize, 5_000, 1 << 20]),
            threads in 1usize..4, reverse in any::<bool>(),
        ) {
            let limits = SpillLimits { memory, folder: std::env::temp_dir() };
            let mut runs = UnitRuns::new(&limits, reverse, threads);
            let mut text = Vec::new();
            for (number, key) in keys.iter().enumerate() {
                text.clear();
                let key = |out: &mut Vec<u8>| out.extend_from_slice(key.as_bytes());
                KeyLengths::write(&mut text, key, [&(number as u64).to_le_bytes(), &[]])
                    .expect("it is short");
                prop_assert_eq!(runs.take(&text).expect("there is room"), text.len());
            }
            let mut expected: Vec<usize> = (0..keys.len()).collect();
            expected.sort_by(|&a, &b| {
                let order = keys[a].cmp(&keys[b]);
                if reverse { order.reverse() } else { order }
            });
            let mut found = Vec::new();
            runs.finish(|unit| -> Result<(), Error> {
                let number = unit.texts[0].first_chunk().map_or(0, |n| u64::from_le_bytes(*n));
                found.push(number as usize);
                Ok(())
            }).expect("it can be read");
            prop_assert_eq!(found, expected);
        }
    }
}
