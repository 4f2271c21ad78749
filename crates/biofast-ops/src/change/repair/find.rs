//! Which reads have mates: the first reading, of names.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::io::{self, Write};

use biofast_fastq::pair::NameDigest;
use biofast_fastq::{self as fastq, ErrorKind};
use biofast_io::{Location, Options};

use super::bits::BitSet;
use super::feed::{Feed, ReadContent, RepairRead};
use super::source::RepairInput;
use crate::Error;
use crate::change::spill::{Partitions, SpillLimits, Stored, number_at};
use crate::change::to_fastq::NameHashes;

/// What the first reading found.
pub(super) struct PairingMap {
    /// Of each input: the reads without mates.
    pub(super) orphans: Vec<BitSet>,
    /// Of a mixed input: the second reads.
    pub(super) seconds: BitSet,
    /// Of each input: what its names and their order are.
    pub(super) seen: Vec<SeenNames>,
}

/// What some names and their order are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SeenNames {
    digest: NameDigest,
    number: u64,
}

impl SeenNames {
    pub(super) fn add(&mut self, name: &[u8]) {
        self.digest.add(name, self.number);
        self.number += 1;
    }
}

/// What finds mates: names that wait for theirs.
struct MateFinder {
    waiting: HashMap<Box<[u8]>, UnpairedReads, NameHashes>,
    /// What the waiting ones cost.
    cost: usize,
    limits: SpillLimits,
    level: u32,
    parts: Option<NamePartitions>,
    stored: u64,
}

/// Reads of a name, all first or all second ones.
struct UnpairedReads {
    is_second: bool,
    first: u64,
    /// Others of the same name behind it.
    more: VecDeque<u64>,
}

/// What a waiting name costs beside its bytes, about; and another read of it.
const OVERHEAD: usize = 96;
const ANOTHER: usize = 16;
/// So often names are parted: beyond that they are the same.
const DEEPEST: u32 = 4;

/// A name as it comes.
#[derive(Clone, Copy)]
struct NameArrival<'a> {
    name: &'a [u8],
    ordinal: u64,
    /// Whether it is a second read; `None` if that isn't said.
    is_second: Option<bool>,
}

/// Where results go: the reads of each input.
struct Results {
    orphans: Vec<BitSet>,
    seconds: BitSet,
}

impl Results {
    /// A read is of this kind, if it doesn't say so itself.
    fn is(&mut self, ordinal: u64, is_second: bool) {
        // Of two files each has one kind.
        if is_second && self.orphans.len() == 1 {
            self.seconds.set(ordinal);
        }
    }

    fn is_orphan(&mut self, ordinal: u64, is_second: bool) {
        let input = usize::from(is_second && self.orphans.len() == 2);
        self.orphans[input].set(ordinal);
    }
}

impl MateFinder {
    fn new(limits: &SpillLimits) -> MateFinder {
        MateFinder::at_level(limits, 0)
    }

    fn at_level(limits: &SpillLimits, level: u32) -> MateFinder {
        MateFinder {
            waiting: HashMap::with_hasher(NameHashes::new()),
            cost: 0,
            limits: limits.clone(),
            level,
            parts: None,
            stored: 0,
        }
    }

    /// Takes a read, and returns the number of its mate if that waits here.
    fn add(&mut self, read: NameArrival<'_>, results: &mut Results) -> io::Result<Option<u64>> {
        if let Some(parts) = &mut self.parts {
            parts.add(&read)?;
            return Ok(None);
        }
        let NameArrival { name, ordinal, is_second } = read;
        let Some(waiting) = self.waiting.get_mut(name) else {
            let is_second = is_second.unwrap_or(false);
            results.is(ordinal, is_second);
            let waiting = UnpairedReads { is_second, first: ordinal, more: VecDeque::new() };
            self.waiting.insert(name.into(), waiting);
            self.cost += name.len() + OVERHEAD;
            self.part_if_needed()?;
            return Ok(None);
        };
        let is_second = is_second.unwrap_or(!waiting.is_second);
        results.is(ordinal, is_second);
        if is_second == waiting.is_second {
            waiting.more.push_back(ordinal);
            self.cost += ANOTHER;
            self.part_if_needed()?;
            return Ok(None);
        }
        let mate = waiting.first;
        if let Some(next) = waiting.more.pop_front() {
            waiting.first = next;
            self.cost -= ANOTHER;
        } else {
            self.waiting.remove(name);
            self.cost -= name.len() + OVERHEAD;
        }
        Ok(Some(mate))
    }

    /// All that wait, and all that come, go to files if they take too much memory.
    fn part_if_needed(&mut self) -> io::Result<()> {
        if self.cost <= self.limits.memory || self.level >= DEEPEST {
            return Ok(());
        }
        let mut parts = NamePartitions::create(&self.limits, self.level)?;
        self.cost = 0;
        for (name, waiting) in self.waiting.drain() {
            let is_second = Some(waiting.is_second);
            for ordinal in std::iter::once(waiting.first).chain(waiting.more) {
                parts.add(&NameArrival { name: &name, ordinal, is_second })?;
            }
        }
        self.parts = Some(parts);
        Ok(())
    }

    /// When all reads have come: returns the bytes that were in files.
    fn finish(mut self, results: &mut Results) -> io::Result<u64> {
        for (_, waiting) in self.waiting.drain() {
            for ordinal in std::iter::once(waiting.first).chain(waiting.more) {
                results.is_orphan(ordinal, waiting.is_second);
            }
        }
        let Some(parts) = self.parts.take() else { return Ok(self.stored) };
        self.stored += parts.files.bytes();
        for stored in parts.files.into_readers() {
            let mut stored = stored?;
            let mut part = MateFinder::at_level(&self.limits, self.level + 1);
            while let Some(read) = stored.next()? {
                part.add(read, results)?;
            }
            self.stored += part.finish(results)?;
        }
        Ok(self.stored)
    }
}

/// Names in temporary files, in parts by a hash.
struct NamePartitions {
    files: Partitions<StoredName>,
    level: u32,
    hasher: std::collections::hash_map::RandomState,
}

const FILES: usize = 32;

impl NamePartitions {
    fn create(limits: &SpillLimits, level: u32) -> io::Result<NamePartitions> {
        let files = Partitions::create(&limits.folder, FILES, limits.buffer(FILES))?;
        Ok(NamePartitions { files, level, hasher: Default::default() })
    }

    fn add(&mut self, read: &NameArrival<'_>) -> io::Result<()> {
        // Each level has a key of its own.
        self.files.add(self.hasher.hash_one((self.level, read.name)), read)
    }
}

/// A name: its length, the number of the read, and which of the mates it is.
enum StoredName {}

impl Stored for StoredName {
    type Record<'a> = NameArrival<'a>;
    const HEAD: usize = 17;

    fn write(read: &NameArrival<'_>, out: &mut impl Write) -> io::Result<u64> {
        out.write_all(&(read.name.len() as u64).to_le_bytes())?;
        out.write_all(&read.ordinal.to_le_bytes())?;
        out.write_all(&[read.is_second.map_or(2, u8::from)])?;
        out.write_all(read.name)?;
        Ok((StoredName::HEAD + read.name.len()) as u64)
    }

    fn rest(head: &[u8]) -> usize {
        number_at(head, 0) as usize
    }

    fn read<'a>(head: &'a [u8], name: &'a [u8]) -> NameArrival<'a> {
        let is_second = [Some(false), Some(true)].get(usize::from(head[16])).copied().flatten();
        NameArrival { name, ordinal: number_at(head, 8), is_second }
    }
}

/// Reads the names of all inputs, one mixed one or two. Returns the bytes that were in temporary files, too.
pub(super) fn find(
    kept: &[RepairInput],
    options: &[Options; 2],
    limits: &SpillLimits,
) -> Result<(PairingMap, u64), Error> {
    let mut feeds = Vec::new();
    for (kept, options) in kept.iter().zip(options) {
        feeds.push(Feed::new(kept.named()?, options, ReadContent::Name)?);
    }
    let mut finder = MateFinder::new(limits);
    let orphans = vec![BitSet::default(); feeds.len()];
    let mut results = Results { orphans, seconds: BitSet::default() };
    let mut seen = vec![SeenNames::default(); feeds.len()];
    match &mut feeds[..] {
        [mixed] => {
            while let Some(read) = mixed.next()? {
                seen[0].add(read.name);
                let is_second = read.mate.map(|mate| mate == 2);
                let arrival = NameArrival { name: read.name, ordinal: read.ordinal, is_second };
                finder.add(arrival, &mut results)?;
            }
        }
        feeds => find_in_two(feeds, kept, &mut finder, &mut results, &mut seen)?,
    }
    let stored = finder.finish(&mut results)?;
    let Results { orphans, seconds } = results;
    Ok((PairingMap { orphans, seconds, seen }, stored))
}

/// Reads that came last, and how many of an input have come.
#[derive(Clone, Copy, Default)]
struct Progress {
    taken: u64,
    /// The number behind the last read that has found its mate.
    matched: u64,
    ended: bool,
}

/// Reads both files, always that in which fewer reads have been taken since the last ones that are mates: so both go on
/// where the other is, whatever is missing in one of them.
fn find_in_two(
    feeds: &mut [Feed],
    kept: &[RepairInput],
    finder: &mut MateFinder,
    results: &mut Results,
    seen: &mut [SeenNames],
) -> Result<(), Error> {
    let mut progress = [Progress::default(); 2];
    loop {
        let [one, two] = progress;
        let ahead = |progress: Progress| progress.taken - progress.matched;
        let input = match (one.ended, two.ended) {
            (true, true) => return Ok(()),
            (false, true) => 0,
            (true, false) => 1,
            (false, false) => usize::from(ahead(two) < ahead(one)),
        };
        let Some(read) = feeds[input].next()? else {
            progress[input].ended = true;
            continue;
        };
        check_mate(&read, input, &kept[input].name)?;
        seen[input].add(read.name);
        progress[input].taken = read.ordinal + 1;
        let is_second = Some(input == 1);
        let arrival = NameArrival { name: read.name, ordinal: read.ordinal, is_second };
        if let Some(mate) = finder.add(arrival, results)? {
            let other = &mut progress[1 - input];
            other.matched = other.matched.max(mate + 1);
            progress[input].matched = read.ordinal + 1;
        }
    }
}

/// An error if a read says that it belongs to the other file.
fn check_mate(read: &RepairRead<'_>, input: usize, name: &str) -> Result<(), Error> {
    let expected = input as u8 + 1;
    match read.mate {
        Some(found) if found != expected => {
            let kind = ErrorKind::WrongMate { name: read.name.to_vec(), expected, found };
            let name: Cow<'_, str> = name.into();
            let at = Location {
                name: Some((*name).into()),
                record: Some(read.ordinal + 1),
                ..Location::default()
            };
            Err(fastq::Error::new(kind, at).into())
        }
        _ => Ok(()),
    }
}
