//! Takes records in any order, within so much memory, and gives them back sorted.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{Header, Record};
use serde::Serialize;

use super::duplicates::marker::Marker;
use super::duplicates::metrics::{DuplicateCounts, LibraryCounts, SetSizes};
use super::gather::{GatheredRecords, SortEntry};
use super::key::Order;
use super::merge::{RunMerge, SortedRun};
use super::stored::{BLOCK, Ended, StoredRun, Storer, Storing};
use super::{gather, template};
use crate::Error;
use crate::measure::records::Sum;

/// Limits of a sort.
#[derive(Clone, Debug)]
pub struct SortLimits {
    /// Bytes of memory for records, of all threads together; what reads and writes takes some 64 MB beside them.
    pub memory: usize,
    /// The folder of temporary files, if records take more.
    pub folder: PathBuf,
    /// Whether records are summed as they are read: [`SortSummary::input`].
    #[doc(hidden)]
    pub sums: bool,
}

impl Default for SortLimits {
    /// 768 MB, and the system's folder of temporary files.
    fn default() -> SortLimits {
        SortLimits { memory: 768 << 20, folder: std::env::temp_dir(), sums: false }
    }
}

/// Memory that a stored run takes while it is merged: a block that is used, one that is ready, and one on its way.
const MEMORY_OF_RUN: usize = 3 * BLOCK;

/// Runs that are merged at once in any case.
pub(super) const FEWEST_RUNS: usize = 16;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SortSummary {
    /// Records sorted.
    pub records: u64,
    /// Runs that went to temporary files.
    pub stored_runs: u64,
    /// Bytes of temporary files.
    pub stored_bytes: u64,
    /// Whether the records were in order already.
    pub was_sorted: bool,
    /// Number and checksum of the records that were read, if that was [asked for](SortLimits::sums).
    #[serde(skip)]
    #[doc(hidden)]
    pub input: Option<Sum>,
}

/// Takes records in any order.
pub struct Sorter {
    order: Order,
    pub(super) limits: SortLimits,
    gathered: GatheredRecords,
    storer: Option<Storer>,
    /// Whether runs are stored by threads of their own, each of half of the memory.
    stores_beside: bool,
    /// The run that is stored now, and those of other sorters.
    storing: Option<Storing>,
    others_storing: Vec<Storing>,
    /// What other sorters gathered, and this one before, as long as nothing had to be stored.
    others: Vec<GatheredRecords>,
    stored: Vec<StoredRun>,
    summary: SortSummary,
    /// For the letters of a record that is summed.
    letters: [Vec<u8>; 2],
}

impl Sorter {
    /// A sorter without records. The folder is used only when they take more memory than they may.
    pub fn new(order: Order, limits: &SortLimits) -> Sorter {
        Sorter {
            order,
            limits: limits.clone(),
            gathered: GatheredRecords::new(limits.memory),
            storer: None,
            stores_beside: false,
            storing: None,
            others_storing: Vec::new(),
            others: Vec::new(),
            stored: Vec::new(),
            summary: SortSummary::default(),
            letters: Default::default(),
        }
    }

    /// Uses the libraries of a header's read groups, which [`Order::TemplateCoordinate`] sorts by.
    #[must_use]
    #[doc(hidden)]
    pub fn libraries(mut self, header: &Header) -> Sorter {
        self.know(header);
        self
    }

    /// The same sorter, which goes on taking records while it stores others.
    #[must_use]
    pub(super) fn storing_beside(mut self) -> Sorter {
        self.stores_beside = true;
        self.gathered = GatheredRecords::new(self.limits.memory / 2);
        self
    }

    pub(super) fn know(&mut self, header: &Header) {
        if self.order == Order::TemplateCoordinate && self.gathered.libraries.is_none() {
            self.gathered.libraries = Some(template::LibraryRanks::of(header));
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// If it breaks a rule that written records keep, what it is sorted by can't be read, or a temporary file can't be
    /// written.
    pub fn add(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.add_as(self.summary.records, record)
    }

    /// Adds the record of this number. Numbers rise.
    pub(super) fn add_as(&mut self, number: u64, record: &Record<'_>) -> Result<(), Error> {
        // Here, where there are several threads, not when they are written.
        record.check()?;
        self.add_checked(number, record)
    }

    /// Adds the record of this number, which keeps the rules.
    pub(super) fn add_checked(&mut self, number: u64, record: &Record<'_>) -> Result<(), Error> {
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
    pub(super) fn add_entry(&mut self, entry: &SortEntry<'_>) -> Result<(), Error> {
        self.make_room(entry.key.len() + entry.record.len())?;
        self.gathered.add_entry(gather::prefix(entry.key), entry);
        self.summary.records += 1;
        Ok(())
    }

    /// Stores what was gathered if one more record of this length may take too much memory.
    fn make_room(&mut self, len: usize) -> Result<(), Error> {
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
    fn end(&mut self, storing: Storing) -> io::Result<GatheredRecords> {
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

    fn temporary(&self, error: io::Error) -> Error {
        Error::scratch_in(&self.limits.folder, error)
    }

    /// Takes over the records of another sorter.
    pub(super) fn merge(&mut self, other: Sorter) {
        self.others.push(other.gathered);
        self.others.extend(other.others);
        self.stored.extend(other.stored);
        self.others_storing.extend(other.others_storing);
        self.others_storing.extend(other.storing);
        let written = other.storer.map_or(0, |storer| storer.written());
        let SortSummary { records, stored_runs, stored_bytes, input, .. } = other.summary;
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
    pub fn finish(mut self, header: &Header, threads: usize) -> Result<Sorted, Error> {
        let mut gathered = std::mem::take(&mut self.others);
        gathered.push(std::mem::replace(&mut self.gathered, GatheredRecords::new(0)));
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
    fn try_merge(
        &mut self,
        gathered: Vec<GatheredRecords>,
        threads: usize,
    ) -> io::Result<RunMerge> {
        let readers = if threads > 1 { threads } else { 0 };
        let most = (self.limits.memory / 10 / MEMORY_OF_RUN).max(FEWEST_RUNS);
        while self.stored.len() > most {
            // The shortest, and no more than must be for the rest to fit into one merge: a record is best stored once.
            let some = most.min(self.stored.len() - most + 1);
            self.stored.sort_by_key(|run| run.blocks.len());
            let shortest = self.stored.drain(..some).map(SortedRun::Stored).collect();
            let mut merge = RunMerge::new(shortest, self.order, readers)?;
            let mut storer = Storer::create(&self.limits.folder)?;
            while let Some(entry) = merge.next()? {
                storer.add(&entry)?;
            }
            self.stored.push(storer.finish_run()?);
            self.summary.stored_bytes += storer.written();
        }
        let stored = std::mem::take(&mut self.stored).into_iter().map(SortedRun::Stored);
        let runs = gathered.into_iter().map(SortedRun::Memory).chain(stored).collect();
        RunMerge::new(runs, self.order, readers)
    }
}

/// Records in order, one after the other.
pub struct Sorted {
    pub(super) merge: RunMerge,
    pub(super) header: Header,
    pub(super) summary: SortSummary,
    pub(super) limits: SortLimits,
    /// What was read, where records are copied.
    pub(super) copied: Option<Arc<Mutex<Sum>>>,
    /// Marks duplicates.
    pub(super) marker: Option<Box<Marker>>,
}

impl Sorted {
    /// The header of the input.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many records there are, and what sorting them took.
    pub fn summary(&self) -> SortSummary {
        let copied = self.copied.as_ref().filter(|_| self.limits.sums);
        let copied = copied.map(|sum| *sum.lock().unwrap_or_else(PoisonError::into_inner));
        SortSummary { input: copied.or(self.summary.input), ..self.summary }
    }

    /// The next record, which has been [checked](Record::check) for writing; `None` after the last.
    ///
    /// # Errors
    /// If a temporary file can't be read.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        let Some(marker) = &mut self.marker else {
            let entry =
                self.merge.next().map_err(|error| Error::scratch_in(&self.limits.folder, error))?;
            // Those that are copied are counted as they come.
            if let Some(entry) = &entry
                && self.summary.was_sorted
            {
                self.summary.records = entry.number + 1;
            }
            return Ok(entry.map(|entry| Record::from_checked(entry.record)));
        };
        while let Some(entry) =
            self.merge.next().map_err(|error| Error::scratch_in(&self.limits.folder, error))?
        {
            if marker.take(&entry) {
                return Ok(Some(marker.record()));
            }
        }
        Ok(None)
    }

    /// What was found of [duplicates](super::duplicates) in the records given on so far, if they are marked.
    #[doc(hidden)]
    pub fn duplicates(&self) -> Option<DuplicateCounts> {
        self.marker.as_ref().map(|marker| marker.counts())
    }

    /// The same by library, if that was asked for.
    #[doc(hidden)]
    pub fn duplicates_by_library(&self) -> Vec<LibraryCounts> {
        self.marker.as_ref().map(|marker| marker.by_library()).unwrap_or_default()
    }

    /// How large sets of duplicates are, by the rule of Picard.
    #[doc(hidden)]
    pub fn duplicate_sets(&self) -> Option<&SetSizes> {
        self.marker.as_ref().map(|marker| marker.set_sizes())
    }

    /// What was added as an entry.
    pub(super) fn next_entry(&mut self) -> Result<Option<SortEntry<'_>>, Error> {
        self.merge.next().map_err(|error| Error::scratch_in(&self.limits.folder, error))
    }
}
