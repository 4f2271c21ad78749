//! Mates find each other, in whatever order they come.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use super::Part;
use super::spill::Spill;

/// What a waiting read costs beside its bytes, about.
const OVERHEAD: usize = 96;
/// So many reads may wait in memory whatever they cost.
const FEW: usize = 16;

/// A first or second read as it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    /// The name it shares with its mate.
    pub name: &'a [u8],
    /// What is to be written.
    pub text: &'a [u8],
    /// Which of the two it is.
    pub part: Part,
    /// Whether its qualities are known: such a read is preferred to one of the same name and part
    /// without them.
    pub has_qualities: bool,
}

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// The texts of a first and a second read.
    Pair(&'a [u8], &'a [u8]),
    /// A read whose mate didn't come.
    Single(Part, &'a [u8]),
    /// A read is left out because there is another of its name and part.
    Repeated,
}

/// Joins first and second reads of the same name, in bounded memory: when the waiting ones take
/// more than that, they go to temporary files, and are joined in the end.
///
/// What comes out, and in which order, depends on the reads, their order and the amount of memory
/// alone.
///
/// ```
/// use biofast_ops::to_fastq::{Arrival, Collator, Found, Part};
///
/// let mut collator = Collator::new(1 << 20, &std::env::temp_dir());
/// let mut found = Vec::new();
/// let mut take = |f: Found<'_>| {
///     found.push(format!("{f:?}"));
///     Ok::<(), std::io::Error>(())
/// };
/// for (name, text, part) in [("a", "A1", Part::First), ("b", "B2", Part::Second), ("a", "A2", Part::Second)] {
///     let (name, text) = (name.as_bytes(), text.as_bytes());
///     collator.add(Arrival { name, text, part, has_qualities: true }, &mut take)?;
/// }
/// collator.finish(&mut take)?;
/// assert_eq!(found, ["Pair([65, 49], [65, 50])", "Single(Second, [66, 50])"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Collator {
    waiting: HashMap<Read, Waiting, Names>,
    /// What the waiting ones cost.
    cost: usize,
    most: usize,
    /// Reads that came.
    number: u64,
    folder: PathBuf,
    spill: Option<Spill>,
    level: u32,
}

/// A read's name and text, one after the other; equal to others by its name.
struct Read {
    bytes: Box<[u8]>,
    name_len: usize,
}

struct Waiting {
    part: Part,
    has_qualities: bool,
    /// When it came.
    number: u64,
}

impl Read {
    fn new(arrival: &Arrival<'_>) -> Read {
        let bytes = [arrival.name, arrival.text].concat().into_boxed_slice();
        Read { bytes, name_len: arrival.name.len() }
    }

    fn name(&self) -> &[u8] {
        &self.bytes[..self.name_len]
    }

    fn text(&self) -> &[u8] {
        &self.bytes[self.name_len..]
    }

    fn arrival(&self, waiting: &Waiting) -> Arrival<'_> {
        let Waiting { part, has_qualities, .. } = *waiting;
        Arrival { name: self.name(), text: self.text(), part, has_qualities }
    }
}

impl Borrow<[u8]> for Read {
    fn borrow(&self) -> &[u8] {
        self.name()
    }
}

impl Hash for Read {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl PartialEq for Read {
    fn eq(&self, other: &Read) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Read {}

/// Makes hashes of names, with a key of its own: nobody can choose names that share one.
#[derive(Clone)]
pub(in crate::change) struct Names {
    key: u64,
    start: u64,
}

impl Names {
    pub(in crate::change) fn new() -> Names {
        let random = RandomState::new();
        Names { key: random.hash_one(1) | 1, start: random.hash_one(2) }
    }
}

impl BuildHasher for Names {
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
        let (waiting, folder) = (HashMap::with_hasher(Names::new()), folder.to_owned());
        Collator { waiting, cost: 0, most, number: 0, folder, spill: None, level }
    }

    /// Takes a read; `found` gets its pair if the mate has come.
    ///
    /// # Errors
    /// Those of `found`, and of temporary files.
    pub fn add<E: From<io::Error>>(
        &mut self,
        read: Arrival<'_>,
        found: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.number += 1;
        let number = self.number;
        let waiting = Waiting { part: read.part, has_qualities: read.has_qualities, number };
        match self.waiting.remove_entry(read.name) {
            Some((mate, other)) if other.part != read.part => {
                self.cost -= mate.bytes.len() + OVERHEAD;
                found(match read.part {
                    Part::Second => Found::Pair(mate.text(), read.text),
                    _ => Found::Pair(read.text, mate.text()),
                })
            }
            Some((old, other)) => {
                if read.has_qualities && !other.has_qualities {
                    self.cost -= old.bytes.len() + OVERHEAD;
                    self.wait(&read, waiting)?;
                } else {
                    self.waiting.insert(old, other);
                }
                found(Found::Repeated)
            }
            None => Ok(self.wait(&read, waiting)?),
        }
    }

    fn wait(&mut self, read: &Arrival<'_>, waiting: Waiting) -> io::Result<()> {
        let read = Read::new(read);
        self.cost += read.bytes.len() + OVERHEAD;
        self.waiting.insert(read, waiting);
        if self.cost > self.most && self.waiting.len() > FEW {
            self.spill_waiting()?;
        }
        Ok(())
    }

    /// All that wait go to files.
    fn spill_waiting(&mut self) -> io::Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill::create(&self.folder, self.level)?),
        };
        self.cost = 0;
        for (read, waiting) in in_order(&mut self.waiting) {
            spill.add(&read.arrival(&waiting))?;
        }
        Ok(())
    }

    /// Gives out the pairs in files and the reads whose mates didn't come.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish<E: From<io::Error>>(
        mut self,
        found: &mut impl FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.spill.is_some() {
            self.spill_waiting()?;
        }
        let Some(spill) = self.spill.take() else {
            for (read, waiting) in in_order(&mut self.waiting) {
                found(Found::Single(waiting.part, read.text()))?;
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
            let found: &mut dyn FnMut(Found<'_>) -> Result<(), E> = found;
            part.finish_part(found)?;
        }
        Ok(())
    }

    fn finish_part<E: From<io::Error>>(
        self,
        found: &mut dyn FnMut(Found<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.finish(&mut |f: Found<'_>| found(f))
    }
}

/// Takes all reads out, in the order they came.
fn in_order(waiting: &mut HashMap<Read, Waiting, Names>) -> Vec<(Read, Waiting)> {
    let mut all: Vec<_> = waiting.drain().collect();
    all.sort_unstable_by_key(|(_, waiting)| waiting.number);
    all
}

#[cfg(test)]
mod tests;
