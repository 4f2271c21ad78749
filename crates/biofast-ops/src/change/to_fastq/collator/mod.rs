//! Mates find each other, in whatever order they come.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use super::segment::TemplateSegment;
use super::spill::Spill;
pub use arrival::ReadArrival;

/// What a waiting read costs beside its bytes, about.
const OVERHEAD: usize = 96;
/// So many reads may wait in memory whatever they cost.
const FEW: usize = 16;

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollatedRead<'a> {
    /// The texts of a first and a second read.
    Pair(&'a [u8], &'a [u8]),
    /// A read whose mate didn't come.
    Single(TemplateSegment, &'a [u8]),
    /// A record is left out because there is another of the same read.
    Repeated,
}

/// Joins first and second reads of the same name, in bounded memory: when the waiting ones take
/// more than that, they go to temporary files, and are joined in the end.
///
/// Primary reads of the same name and part wait for one mate each: if a pair is there twice, two pairs come out, in whatever order
/// the four reads came. Secondary and supplementary records are other records of a read that waits.
///
/// What comes out, and in which order, depends on the reads, their order and the amount of memory
/// alone.
///
/// ```
/// use biofast_ops::to_fastq::{CollatedRead, Collator, ReadArrival, TemplateSegment};
///
/// let mut collator = Collator::new(1 << 20, &std::env::temp_dir());
/// let mut found = Vec::new();
/// let mut take = |f: CollatedRead<'_>| {
///     found.push(format!("{f:?}"));
///     Ok::<(), std::io::Error>(())
/// };
/// for (name, text, part) in [("a", "A1", TemplateSegment::First), ("b", "B2", TemplateSegment::Second), ("a", "A2", TemplateSegment::Second)] {
///     let (name, text) = (name.as_bytes(), text.as_bytes());
///     collator.add(ReadArrival { name, text, part, has_qualities: true, is_primary: true }, &mut take)?;
/// }
/// collator.finish(&mut take)?;
/// assert_eq!(found, ["Pair([65, 49], [65, 50])", "Single(Second, [66, 50])"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Collator {
    waiting: HashMap<PendingRead, PendingSegment, NameHashes>,
    /// How many reads wait, and what they cost.
    reads: usize,
    cost: usize,
    most: usize,
    /// Reads that came.
    number: u64,
    folder: PathBuf,
    spill: Option<Spill>,
    level: u32,
}

/// A read's name and text, one after the other; equal to others by its name.
struct PendingRead {
    bytes: Box<[u8]>,
    name_len: usize,
}

struct PendingSegment {
    part: TemplateSegment,
    has_qualities: bool,
    is_primary: bool,
    /// When it came.
    number: u64,
    /// Primary reads of the same name and part that came after it.
    more: VecDeque<Later>,
}

/// A read behind others of its name and part.
struct Later {
    text: Box<[u8]>,
    has_qualities: bool,
    number: u64,
}

impl PendingRead {
    fn new(name: &[u8], text: &[u8]) -> PendingRead {
        PendingRead { bytes: [name, text].concat().into_boxed_slice(), name_len: name.len() }
    }

    fn name(&self) -> &[u8] {
        &self.bytes[..self.name_len]
    }

    fn text(&self) -> &[u8] {
        &self.bytes[self.name_len..]
    }

    fn cost(&self) -> usize {
        self.bytes.len() + OVERHEAD
    }
}

impl Later {
    fn cost(&self) -> usize {
        self.text.len() + OVERHEAD
    }
}

impl PendingSegment {
    fn arrival<'a>(&self, read: &'a PendingRead) -> ReadArrival<'a> {
        let PendingSegment { part, has_qualities, is_primary, .. } = *self;
        ReadArrival { name: read.name(), text: read.text(), part, has_qualities, is_primary }
    }
}

impl Borrow<[u8]> for PendingRead {
    fn borrow(&self) -> &[u8] {
        self.name()
    }
}

impl Hash for PendingRead {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl PartialEq for PendingRead {
    fn eq(&self, other: &PendingRead) -> bool {
        self.name() == other.name()
    }
}

impl Eq for PendingRead {}

/// Makes hashes of names, with a key of its own: nobody can choose names that share one.
#[derive(Clone)]
pub(in crate::change) struct NameHashes {
    key: u64,
    start: u64,
}

impl NameHashes {
    pub(in crate::change) fn new() -> NameHashes {
        let random = RandomState::new();
        NameHashes { key: random.hash_one(1) | 1, start: random.hash_one(2) }
    }
}

impl BuildHasher for NameHashes {
    type Hasher = NameHasher;

    #[inline]
    fn build_hasher(&self) -> NameHasher {
        NameHasher { key: self.key, state: self.start }
    }
}

/// A hash by multiplications: a name has a few words, and takes part in few comparisons.
pub(in crate::change) struct NameHasher {
    key: u64,
    state: u64,
}

impl NameHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.key);
        self.state = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.key);
    }
}

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        // The last word overlaps the one before it; the length is told apart by `write_usize`.
        match bytes.last_chunk::<8>() {
            _ if rest.is_empty() => {}
            Some(word) => self.add(u64::from_le_bytes(*word)),
            None => self.add(rest.iter().fold(1, |word, &byte| word << 8 | u64::from(byte))),
        }
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}

impl Collator {
    /// A collator whose waiting reads take about `most` bytes of memory, and more than that in
    /// temporary files in `folder`.
    pub fn new(most: usize, folder: &Path) -> Collator {
        Collator::at_level(most, folder, 0)
    }

    fn at_level(most: usize, folder: &Path, level: u32) -> Collator {
        Collator {
            waiting: HashMap::with_hasher(NameHashes::new()),
            reads: 0,
            cost: 0,
            most,
            number: 0,
            folder: folder.to_owned(),
            spill: None,
            level,
        }
    }

    /// Takes a read; `found` gets its pair if the mate has come.
    ///
    /// # Errors
    /// Those of `found`, and of temporary files.
    pub fn add<E: From<io::Error>>(
        &mut self,
        read: ReadArrival<'_>,
        found: &mut impl FnMut(CollatedRead<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.number += 1;
        let number = self.number;
        let ReadArrival { name, text, part, has_qualities, is_primary } = read;
        match self.waiting.remove_entry(name) {
            Some((mate, other)) if other.part != part => {
                found(match part {
                    TemplateSegment::Second => CollatedRead::Pair(mate.text(), text),
                    _ => CollatedRead::Pair(text, mate.text()),
                })?;
                self.take_out(&mate, other);
                Ok(())
            }
            Some((old, mut others)) if others.is_primary && is_primary => {
                let later = Later { text: text.into(), has_qualities, number };
                self.reads += 1;
                self.cost += later.cost();
                others.more.push_back(later);
                self.waiting.insert(old, others);
                self.make_room(found)
            }
            Some((old, other)) => {
                let is_better = match (has_qualities, other.has_qualities) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => is_primary,
                };
                let is_primary = is_primary || other.is_primary;
                self.cost -= old.cost();
                let (kept, has_qualities) = match is_better {
                    true => (PendingRead::new(name, text), has_qualities),
                    false => (old, other.has_qualities),
                };
                self.cost += kept.cost();
                self.waiting.insert(kept, PendingSegment { has_qualities, is_primary, ..other });
                found(CollatedRead::Repeated)
            }
            None => {
                let more = VecDeque::new();
                let waiting = PendingSegment { part, has_qualities, is_primary, number, more };
                self.wait(PendingRead::new(name, text), waiting);
                self.make_room(found)
            }
        }
    }

    fn wait(&mut self, read: PendingRead, waiting: PendingSegment) {
        self.reads += 1;
        self.cost += read.cost();
        self.waiting.insert(read, waiting);
    }

    /// A read waits no more, and the next one of its name and part is the first one to wait.
    fn take_out(&mut self, read: &PendingRead, waiting: PendingSegment) {
        self.reads -= 1;
        self.cost -= read.cost();
        let PendingSegment { part, mut more, .. } = waiting;
        if let Some(next) = more.pop_front() {
            self.reads -= 1;
            self.cost -= next.cost();
            let Later { text, has_qualities, number } = next;
            let waiting = PendingSegment { part, has_qualities, is_primary: true, number, more };
            self.wait(PendingRead::new(read.name(), &text), waiting);
        }
    }

    /// If those that wait take too much, they go to files. Those of one name would all go to the same file: of these the ones that
    /// came first wait no more.
    fn make_room<E: From<io::Error>>(
        &mut self,
        found: &mut impl FnMut(CollatedRead<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_full = |this: &Collator| this.cost > this.most && this.reads > FEW;
        if is_full(self) && self.waiting.len() > 1 {
            return Ok(self.spill_waiting()?);
        }
        while is_full(self) {
            let Some(name) = self.waiting.keys().next().map(|read| read.name().to_vec()) else {
                break;
            };
            let Some((read, waiting)) = self.waiting.remove_entry(&name[..]) else { break };
            found(CollatedRead::Single(waiting.part, read.text()))?;
            self.take_out(&read, waiting);
        }
        Ok(())
    }

    /// All that wait go to files.
    fn spill_waiting(&mut self) -> io::Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill::create(&self.folder, self.level)?),
        };
        (self.reads, self.cost) = (0, 0);
        for (read, waiting) in in_order(&mut self.waiting) {
            spill.add(&waiting.arrival(&read))?;
        }
        Ok(())
    }

    /// Gives out the pairs in files and the reads whose mates didn't come.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish<E: From<io::Error>>(
        mut self,
        found: &mut impl FnMut(CollatedRead<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.spill.is_some() {
            self.spill_waiting()?;
        }
        let Some(spill) = self.spill.take() else {
            for (read, waiting) in in_order(&mut self.waiting) {
                found(CollatedRead::Single(waiting.part, read.text()))?;
            }
            return Ok(());
        };
        for stored in spill.into_files() {
            let mut stored = stored?;
            let mut part = Collator::at_level(self.most, &self.folder, self.level + 1);
            while let Some(read) = stored.next()? {
                part.add(read, found)?;
            }
            // The type of the closure must not grow with the depth.
            let found: &mut dyn FnMut(CollatedRead<'_>) -> Result<(), E> = found;
            part.finish_part(found)?;
        }
        Ok(())
    }

    fn finish_part<E: From<io::Error>>(
        self,
        found: &mut dyn FnMut(CollatedRead<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.finish(&mut |f: CollatedRead<'_>| found(f))
    }
}

/// Takes all reads out, in the order they came.
fn in_order(
    waiting: &mut HashMap<PendingRead, PendingSegment, NameHashes>,
) -> Vec<(PendingRead, PendingSegment)> {
    let mut all: Vec<(PendingRead, PendingSegment)> = Vec::with_capacity(waiting.len());
    for (read, mut first) in waiting.drain() {
        let part = first.part;
        for Later { text, has_qualities, number } in std::mem::take(&mut first.more) {
            let more = VecDeque::new();
            let later = PendingSegment { part, has_qualities, is_primary: true, number, more };
            all.push((PendingRead::new(read.name(), &text), later));
        }
        all.push((read, first));
    }
    all.sort_unstable_by_key(|(_, waiting)| waiting.number);
    all
}

pub(super) mod arrival;
#[cfg(test)]
mod tests;
