//! Sorting alignments, in a bounded amount of memory.
//!
//! Records are gathered with keys that compare as bytes. What has filled its share of the memory is sorted and goes to a
//! temporary file as a run; in the end all runs are merged. Each record carries its number in the input, which decides
//! between equal ones: the result does not depend on memory, threads, or which run a record was in.
//!
//! ```
//! use biofast_bam::Reader;
//! use biofast_ops::sort::{Limits, Order, Sorter};
//!
//! let sam = b"@SQ\tSN:c\tLN:99\nx\t0\tc\t7\t60\t1M\t*\t0\t0\tA\tI\ny\t0\tc\t3\t60\t1M\t*\t0\t0\tA\tI\n";
//! let mut reader = Reader::from_reader("example", &sam[..])?;
//! let mut sorter = Sorter::new(Order::Coordinate, &Limits::default());
//! while let Some(record) = reader.next_record()? {
//!     sorter.add(&record)?;
//! }
//! let mut sorted = sorter.finish(reader.header(), 1)?;
//! let mut names = Vec::new();
//! while let Some(record) = sorted.next_record()? {
//!     names.push(record.name().to_vec());
//! }
//! assert_eq!(names, [b"y", b"x"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod duplicates;
pub(super) mod gather;
mod key;
pub(super) mod merge;
mod pack;
mod segment;
mod sorted;
pub(super) mod stored;
pub(super) mod template;

pub use key::Order;
pub use sorted::{copy, is_sorted};

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{self as bam, Header, Query, Record};
use biofast_io::{Location, Options};
use serde::Serialize;

use crate::measure::records::Sum;

use gather::{Entry, Gathered};
use merge::{Merge, Run};
use stored::{BLOCK, Ended, StoredRun, Storer, Storing};

/// What sorting may take.
///
/// ```
/// use biofast_ops::sort::Limits;
///
/// let limits = Limits { memory: 4 << 30, ..Limits::default() };
/// assert!(limits.memory > Limits::default().memory);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of memory for records, of all threads together; what reads and writes takes some 64 MB beside them.
    pub memory: usize,
    /// The folder of temporary files, if records take more.
    pub folder: PathBuf,
    /// Whether records are summed as they are read: [`Summary::input`].
    pub sums: bool,
}

impl Default for Limits {
    /// 768 MB, and the system's folder of temporary files.
    fn default() -> Limits {
        Limits { memory: 768 << 20, folder: std::env::temp_dir(), sums: false }
    }
}

/// Memory that a stored run takes while it is merged: a block that is used, one that is ready, and one on its way.
const MEMORY_OF_RUN: usize = 3 * BLOCK;
/// Runs that are merged at once in any case.
const FEWEST_RUNS: usize = 16;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Records sorted.
    pub records: u64,
    /// Runs that went to temporary files.
    pub stored_runs: u64,
    /// Bytes of temporary files.
    pub stored_bytes: u64,
    /// Whether the records were in order already.
    pub was_sorted: bool,
    /// Number and checksum of the records that were read, if that was [asked for](Limits::sums).
    #[serde(skip)]
    pub input: Option<Sum>,
}

/// Why it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The input can't be read, or a record of it can't be sorted.
    Input(bam::Error),
    /// A temporary file can't be written or read.
    Temporary(PathBuf, io::Error),
    /// Records of a name, which [marking duplicates](duplicates) needs together, aren't.
    NotGrouped(String),
    /// [Duplicates](duplicates) should have barcodes in common, and none of the reads looked at has one.
    NoBarcodes {
        /// The name of the input.
        input: String,
        /// How many reads there are.
        reads: u64,
        /// Where the barcode was looked for, such as "in the tag RX".
        sought: String,
    },
}

impl Problem {
    /// The same of the record of this number, counted from 1.
    fn of_record(self, name: &Arc<str>, number: u64) -> Problem {
        match self {
            Problem::Input(error) => {
                let at = Location { record: Some(number), ..Location::in_input(name) };
                Problem::Input(error.or_at(at))
            }
            problem => problem,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Input(error) => error.fmt(f),
            Problem::Temporary(folder, error) => {
                write!(f, "temporary files in {}: {error}", biofast_io::display_name(folder))
            }
            Problem::NotGrouped(what) => f.write_str(what),
            Problem::NoBarcodes { input, reads, sought } => {
                write!(f, "{input}: none of the {reads} reads examined has a barcode {sought}")
            }
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Problem::Input(error) => error.source(),
            Problem::Temporary(_, error) => Some(error),
            Problem::NotGrouped(_) | Problem::NoBarcodes { .. } => None,
        }
    }
}

impl From<bam::Error> for Problem {
    fn from(error: bam::Error) -> Problem {
        Problem::Input(error)
    }
}

/// Takes records in any order.
pub struct Sorter {
    order: Order,
    limits: Limits,
    gathered: Gathered,
    storer: Option<Storer>,
    /// Whether runs are stored by threads of their own, each of half of the memory.
    stores_beside: bool,
    /// The run that is stored now, and those of other sorters.
    storing: Option<Storing>,
    others_storing: Vec<Storing>,
    /// What other sorters gathered, and this one before, as long as nothing had to be stored.
    others: Vec<Gathered>,
    stored: Vec<StoredRun>,
    summary: Summary,
    /// For the letters of a record that is summed.
    letters: [Vec<u8>; 2],
}

impl Sorter {
    /// A sorter without records. The folder is used only when they take more memory than they may.
    pub fn new(order: Order, limits: &Limits) -> Sorter {
        Sorter {
            order,
            limits: limits.clone(),
            gathered: Gathered::new(limits.memory),
            storer: None,
            stores_beside: false,
            storing: None,
            others_storing: Vec::new(),
            others: Vec::new(),
            stored: Vec::new(),
            summary: Summary::default(),
            letters: Default::default(),
        }
    }

    /// The same sorter, which knows the libraries of a header's read groups: [`Order::TemplateCoordinate`] sorts by them.
    ///
    /// ```
    /// use biofast_bam::{Header, RecordBuf};
    /// use biofast_ops::sort::{Limits, Order, Sorter};
    ///
    /// let header = Header::from_text(b"@RG\tID:x\tLB:second\n@RG\tID:y\tLB:first\n")?;
    /// let mut sorter = Sorter::new(Order::TemplateCoordinate, &Limits::default()).libraries(&header);
    /// for group in ["x", "y"] {
    ///     let read = RecordBuf::unmapped("r").tag(b"RG", group).build()?;
    ///     sorter.add(&read.write_bam(&header, &mut Vec::new())?)?;
    /// }
    /// let mut sorted = sorter.finish(&header, 1)?;
    /// let first = sorted.next_record()?.and_then(|record| record.tag(b"RG").ok()?);
    /// assert_eq!(first.and_then(|group| group.as_text()), Some(&b"y"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn libraries(mut self, header: &Header) -> Sorter {
        self.know(header);
        self
    }

    /// The same sorter, which goes on taking records while it stores others.
    #[must_use]
    fn storing_beside(mut self) -> Sorter {
        self.stores_beside = true;
        self.gathered = Gathered::new(self.limits.memory / 2);
        self
    }

    fn know(&mut self, header: &Header) {
        if self.order == Order::TemplateCoordinate && self.gathered.libraries.is_none() {
            self.gathered.libraries = Some(template::Libraries::of(header));
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it breaks a rule that written records keep, what it is sorted by can't be read, or a temporary file can't be
    /// written.
    pub fn add(&mut self, record: &Record<'_>) -> Result<(), Problem> {
        self.add_as(self.summary.records, record)
    }

    /// Adds the record of this number. Numbers rise.
    fn add_as(&mut self, number: u64, record: &Record<'_>) -> Result<(), Problem> {
        // Here, where there are several threads, not when they are written.
        record.check()?;
        self.add_checked(number, record)
    }

    /// Adds the record of this number, which keeps the rules.
    fn add_checked(&mut self, number: u64, record: &Record<'_>) -> Result<(), Problem> {
        self.make_room(record.as_bytes().len())?;
        self.gathered.add(self.order, number, record)?;
        if self.limits.sums {
            let sum = self.summary.input.get_or_insert_default();
            sum.add_alignment(record, &mut self.letters);
        }
        self.summary.records += 1;
        Ok(())
    }

    /// Adds bytes that are no record under a key of their own, to a sorter of an order whose keys are kept.
    fn add_entry(&mut self, entry: &Entry<'_>) -> Result<(), Problem> {
        self.make_room(entry.key.len() + entry.record.len())?;
        self.gathered.add_entry(gather::prefix(entry.key), entry);
        self.summary.records += 1;
        Ok(())
    }

    /// Stores what was gathered if one more record of this length may take too much memory.
    fn make_room(&mut self, len: usize) -> Result<(), Problem> {
        let growth = self.gathered.growth(len);
        let most = self.limits.memory / if self.stores_beside { 2 } else { 1 };
        if growth > 0 && self.gathered.memory() + growth > most && !self.gathered.is_empty() {
            self.store().map_err(|error| self.temporary(error))?;
        }
        Ok(())
    }

    /// Sorts what was gathered and writes it to the file.
    fn store(&mut self) -> io::Result<()> {
        if !self.stores_beside {
            let mut storer = self.storer()?;
            let run = storer.store(&mut self.gathered, self.order);
            self.storer = Some(storer);
            self.add_run(run?);
            return Ok(());
        }
        let empty = if let Some(storing) = self.storing.take() {
            self.end(storing)?
        } else if let Some(first) = self.others.pop() {
            // Both halves of the memory are full: what came first goes, and until it is written nothing can be taken.
            let storing = Storing::start(self.storer()?, first, self.order);
            self.end(storing)?
        } else {
            let empty = self.gathered.another(self.limits.memory / 2);
            self.others.push(std::mem::replace(&mut self.gathered, empty));
            return Ok(());
        };
        let full = std::mem::replace(&mut self.gathered, empty);
        self.storing = Some(Storing::start(self.storer()?, full, self.order));
        Ok(())
    }

    /// Waits for a run that is stored, and returns its memory.
    fn end(&mut self, storing: Storing) -> io::Result<Gathered> {
        let Ended { gathered, storer, run } = storing.end()?;
        self.storer = Some(storer);
        self.add_run(run?);
        Ok(gathered)
    }

    fn add_run(&mut self, run: StoredRun) {
        self.stored.push(run);
        self.summary.stored_runs += 1;
    }

    /// What runs are written with: that of the one before, if there was one.
    fn storer(&mut self) -> io::Result<Storer> {
        match self.storer.take() {
            Some(storer) => Ok(storer),
            None => Storer::create(&self.limits.folder),
        }
    }

    fn temporary(&self, error: io::Error) -> Problem {
        Problem::Temporary(self.limits.folder.clone(), error)
    }

    /// Takes over the records of another sorter.
    fn merge(&mut self, other: Sorter) {
        self.others.push(other.gathered);
        self.others.extend(other.others);
        self.stored.extend(other.stored);
        self.others_storing.extend(other.others_storing);
        self.others_storing.extend(other.storing);
        let written = other.storer.map_or(0, |storer| storer.written());
        let Summary { records, stored_runs, stored_bytes, input, .. } = other.summary;
        if let Some(input) = input {
            self.summary.input.get_or_insert_default().add(input);
        }
        self.summary.records += records;
        self.summary.stored_runs += stored_runs;
        self.summary.stored_bytes += stored_bytes + written;
    }

    /// All records in order, of which `header` is the header. Sorting and reading temporary files is done by `threads`
    /// threads, with one by the thread that asks.
    ///
    /// # Errors
    /// If a temporary file can't be written or read.
    pub fn finish(mut self, header: &Header, threads: usize) -> Result<Sorted, Problem> {
        let mut gathered = std::mem::take(&mut self.others);
        gathered.push(std::mem::replace(&mut self.gathered, Gathered::new(0)));
        gathered.retain(|gathered| !gathered.is_empty());
        let order = self.order;
        let sorters = threads.min(gathered.len());
        let left = Mutex::new(gathered.iter_mut());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let sort = || std::iter::from_fn(next).for_each(|one| one.sort(order));
        std::thread::scope(|scope| {
            for _ in 1..sorters {
                // Where no thread can be had, this one does it all.
                let _ = std::thread::Builder::new().spawn_scoped(scope, sort);
            }
            sort();
        });
        let others = std::mem::take(&mut self.others_storing);
        for storing in self.storing.take().into_iter().chain(others) {
            let Ended { storer, run, .. } = storing.end().map_err(|error| self.temporary(error))?;
            self.add_run(run.map_err(|error| self.temporary(error))?);
            self.summary.stored_bytes += storer.written();
        }
        let merge = self.try_merge(gathered, threads).map_err(|error| self.temporary(error))?;
        let written = self.storer.as_ref().map_or(0, Storer::written);
        self.summary.stored_bytes += written;
        let Sorter { summary, limits, .. } = self;
        Ok(Sorted { merge, header: header.clone(), summary, limits, copied: None, marker: None })
    }

    /// Merges stored runs until few enough are left, and then these with what is in memory.
    fn try_merge(&mut self, gathered: Vec<Gathered>, threads: usize) -> io::Result<Merge> {
        let readers = if threads > 1 { threads } else { 0 };
        let most = (self.limits.memory / 10 / MEMORY_OF_RUN).max(FEWEST_RUNS);
        while self.stored.len() > most {
            // The shortest, and no more than must be for the rest to fit into one merge: a record is best stored once.
            let some = most.min(self.stored.len() - most + 1);
            self.stored.sort_by_key(|run| run.blocks.len());
            let shortest = self.stored.drain(..some).map(Run::Stored).collect();
            let mut merge = Merge::new(shortest, self.order, readers)?;
            let mut storer = Storer::create(&self.limits.folder)?;
            while let Some(entry) = merge.next()? {
                storer.add(&entry)?;
            }
            self.stored.push(storer.finish_run()?);
            self.summary.stored_bytes += storer.written();
        }
        let stored = std::mem::take(&mut self.stored).into_iter().map(Run::Stored);
        let runs = gathered.into_iter().map(Run::Memory).chain(stored).collect();
        Merge::new(runs, self.order, readers)
    }
}

/// Records in order, one after the other.
pub struct Sorted {
    merge: Merge,
    header: Header,
    summary: Summary,
    limits: Limits,
    /// What was read, where records are copied.
    copied: Option<Arc<Mutex<Sum>>>,
    /// Marks duplicates.
    marker: Option<Box<duplicates::Marker>>,
}

impl Sorted {
    /// The header of the input.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many records there are, and what sorting them took.
    pub fn summary(&self) -> Summary {
        let copied = self.copied.as_ref().filter(|_| self.limits.sums);
        let copied = copied.map(|sum| *sum.lock().unwrap_or_else(PoisonError::into_inner));
        Summary { input: copied.or(self.summary.input), ..self.summary }
    }

    /// The next record, which has been [checked](Record::check) for writing; `None` after the last.
    ///
    /// # Errors
    /// If a temporary file can't be read.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Problem> {
        let Some(marker) = &mut self.marker else {
            let entry = self.merge.next().map_err(|error| failed(error, &self.limits))?;
            // Those that are copied are counted as they come.
            if let Some(entry) = &entry
                && self.summary.was_sorted
            {
                self.summary.records = entry.number + 1;
            }
            return Ok(entry.map(|entry| Record::from_checked(entry.record)));
        };
        while let Some(entry) = self.merge.next().map_err(|error| failed(error, &self.limits))? {
            if marker.take(&entry) {
                return Ok(Some(marker.record()));
            }
        }
        Ok(None)
    }

    /// What was found of [duplicates] in the records given on so far, if they are marked.
    pub fn duplicates(&self) -> Option<duplicates::Counts> {
        self.marker.as_ref().map(|marker| marker.counts())
    }

    /// The same by library, if that was asked for.
    pub fn duplicates_by_library(&self) -> Vec<duplicates::LibraryCounts> {
        self.marker.as_ref().map(|marker| marker.by_library()).unwrap_or_default()
    }

    /// How large sets of duplicates are, by the rule of Picard.
    pub fn duplicate_sets(&self) -> Option<&duplicates::SetSizes> {
        self.marker.as_ref().map(|marker| marker.set_sizes())
    }

    /// What was added as an entry.
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, Problem> {
        self.merge.next().map_err(|error| failed(error, &self.limits))
    }
}

/// Why a merge couldn't go on: the fault of an input that is copied, or of a temporary file.
fn failed(error: io::Error, limits: &Limits) -> Problem {
    match error.downcast::<bam::Error>() {
        Ok(error) => Problem::Input(error),
        Err(error) => Problem::Temporary(limits.folder.clone(), error),
    }
}

/// Sorts all records of an input, or those of a query, on `options.threads` threads.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::sort::{Limits, Order, sort};
///
/// let sam = b"b\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\na\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let mut sorted = sort(input.source, &options, Order::NaturalName, &Limits::default())?;
/// assert_eq!(sorted.next_record()?.map(|record| record.name()), Some(&b"a"[..]));
/// assert_eq!(sorted.summary().records, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault of the input, or if a temporary file can't be written or read.
pub fn sort(
    input: impl Into<Query>,
    options: &Options,
    order: Order,
    limits: &Limits,
) -> Result<Sorted, Problem> {
    let input = input.into();
    let name: Arc<str> = input.name().into();
    let share = Limits { memory: limits.memory / options.threads.max(1), ..limits.clone() };
    let new = || match options.threads {
        0 | 1 => Sorter::new(order, &share),
        _ => Sorter::new(order, &share).storing_beside(),
    };
    let mut trouble = None;
    let result = bam::par_fold_regions_ordered(
        input,
        options,
        new,
        |sorter, batch, failed: &mut Option<Problem>| {
            sorter.know(batch.header());
            let mut numbered = (batch.first_record()..).zip(batch);
            *failed = numbered.find_map(|(number, record)| {
                sorter.add_as(number, &record).map_err(|e| e.of_record(&name, number + 1)).err()
            });
        },
        Sorter::merge,
        |failed| {
            trouble = failed.take();
            if trouble.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    // What a worker couldn't do is worse than what the input has behind it.
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let (header, mut sorter) = result.map_err(|fault| Problem::Input(fault.error))?;
    sorter.limits = limits.clone();
    sorter.finish(&header, options.threads)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use biofast_bam::{RecordBuf, flag};
    use biofast_testkit::random::Random;

    use super::*;

    /// A record that has its number as mapping quality and template length.
    fn record(random: &mut Random, number: usize) -> RecordBuf {
        let name = ["a", "a1", "a10", "a9", "b"][random.below(5)];
        let builder = match random.below(4) {
            0 => RecordBuf::unmapped(name),
            reference => {
                let (reference, position) = (reference as i32 - 1, random.below(4) as i32);
                RecordBuf::mapped(name, reference, position, "2M".parse().unwrap())
            }
        };
        let reverse = if random.chance(50) { flag::REVERSE } else { 0 };
        let mut record = builder.sequence(b"AC").build().unwrap();
        record.set_flags(record.flags() | reverse);
        record.set_template_len(number as i32);
        record
    }

    #[test]
    fn a_thousand_sets_are_sorted_as_a_stable_sort_does_in_any_memory() {
        let text = "@SQ\tSN:x\tLN:99\n@SQ\tSN:y\tLN:99\n@SQ\tSN:z\tLN:99\n";
        let header = Header::from_text(text.as_bytes()).unwrap();
        let mut random = Random(5);
        let mut runs = 0;
        for set in 0..1000 {
            let n = random.below(if set % 50 == 0 { 20_000 } else { 60 });
            let records: Vec<_> = (0..n).map(|number| record(&mut random, number)).collect();
            // What is gathered by several threads: each has some of the records, in their order.
            let workers = 1 + random.below(3);
            let limits = Limits { memory: 16 << 10, ..Limits::default() };
            let mut sorters: Vec<_> =
                (0..workers).map(|_| Sorter::new(Order::Coordinate, &limits)).collect();
            if random.chance(50) {
                sorters = sorters.into_iter().map(Sorter::storing_beside).collect();
            }
            let mut bytes = Vec::new();
            for (number, record) in (0..).zip(&records) {
                bytes.clear();
                let record = record.write_bam(&header, &mut bytes).unwrap();
                sorters[random.below(workers)].add_as(number, &record).unwrap();
            }
            let mut all = sorters.pop().unwrap();
            sorters.into_iter().for_each(|sorter| all.merge(sorter));
            let mut sorted = all.finish(&header, 1 + set % 3).unwrap();
            assert_eq!(sorted.summary().records, n as u64);
            runs = runs.max(sorted.summary().stored_runs);
            let mut expected: Vec<_> = records.iter().collect();
            expected.sort_by_key(|record| {
                let reference = record.reference_id() as u32;
                (reference, record.position(), record.flags() & flag::REVERSE != 0)
            });
            for record in expected {
                let found = sorted.next_record().unwrap().unwrap();
                assert_eq!(found.template_len(), record.template_len());
                assert_eq!(found.name(), record.name());
            }
            assert!(sorted.next_record().unwrap().is_none());
        }
        assert!(runs > 2 * FEWEST_RUNS as u64, "{runs} runs at most: none were merged twice");
    }
}
