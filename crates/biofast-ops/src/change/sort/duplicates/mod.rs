//! Sorting by coordinate and marking duplicates in one run.
//!
//! Records come grouped by name, as an aligner writes them. Of each group the mates learn of each other, and what decides
//! about duplicates goes as a short key to sorters of its own, beside the records. When all have been read, the keys are
//! sorted, and the first of each group of equal ones stays: what is decided is a bit for each record,
//! which is looked up while the records are merged.
//!
//! ```
//! use biofast_bam::{Input, InputOptions, flag};
//! use biofast_io::{Options, Source};
//! use biofast_ops::sort::{Limits, duplicates};
//!
//! let sam = b"@SQ\tSN:c\tLN:99\n\
//!     x\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
//!     y\t0\tc\t8\t60\t1S2M\t*\t0\t0\tACG\tIFF\n";
//! let options = Options::default();
//! let input = Input::open(Source::from_reader("example", &sam[..]), &InputOptions::new(&options))?;
//! let marking = duplicates::Marking::default();
//! let mut sorted = duplicates::sort(input.source, &options, &Limits::default(), &marking)?;
//! let mut marked = Vec::new();
//! while let Some(record) = sorted.next_record()? {
//!     if record.flags() & flag::DUPLICATE != 0 {
//!         marked.push(record.name().to_vec());
//!     }
//! }
//! assert_eq!(marked, [b"y"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod barcodes;
mod collect;
mod decide;
mod gate;
mod keys;
mod mates;
mod metrics;
mod optical;
mod picard;
mod sanitize;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{Query, Reader, Record, flag};
use biofast_io::Options;
use serde::Serialize;

use super::gather::Entry;
use super::{Limits, Problem, Sorted};
pub use barcodes::{Barcode, NamePattern, umi_of_name};
use collect::Collector;
use decide::Decisions;
use gate::{Batch, Gate};
use metrics::ByLibrary;
pub use metrics::{LibraryCounts, SetSizes};
use picard::Libraries;

/// How duplicates are found and what happens to them.
///
/// ```
/// use biofast_ops::sort::duplicates::{Barcode, Marking};
///
/// // By cell, and without the duplicates.
/// let marking = Marking { barcode: Barcode::Tag(*b"CB"), remove: true, ..Marking::default() };
/// assert!(!marking.supplementary);
/// // Those that one cluster of a patterned flow cell has given are told from others.
/// let marking = Marking { optical_distance: Some(2500), ..marking };
/// assert!(marking.remove);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Marking {
    /// Whose rule decides.
    pub rule: Rule,
    /// What two pairs have in common.
    pub mode: Mode,
    /// Records of a duplicate that aren't primary, or aren't aligned, are marked as well.
    pub supplementary: bool,
    /// Reads that failed the checks of quality are looked at, too; one that passed is kept rather.
    pub include_fails: bool,
    /// Marks of the input, and the optional fields `dt` and `do` with them, are removed first.
    pub clear: bool,
    /// Duplicates are left out.
    pub remove: bool,
    /// What else duplicates have in common.
    pub barcode: Barcode,
    /// With Picard's rule: tags of which duplicates have the same text, in their first reads and in their second reads, as its
    /// `READ_ONE_BARCODE_TAG` and `READ_TWO_BARCODE_TAG`.
    pub read_barcodes: [Option<[u8; 2]>; 2],
    /// That no read at all has a barcode is no error.
    pub allow_missing_barcodes: bool,
    /// Records are counted by library, too.
    pub by_library: bool,
    /// Duplicates whose clusters were at most so far from each other on the flow cell are optical ones, if the names of reads tell
    /// it. By the rule of samtools they aren't told from others if this isn't given, or is 0, and if it is, all that is marked gets
    /// the field `dt`; Picard's rule only counts them, up to a distance of 100 if nothing is given.
    pub optical_distance: Option<u32>,
}

/// The distance of Picard's rule.
const PICARD_DISTANCE: u32 = 100;

impl Marking {
    /// Up to which distance duplicates are optical ones, if they are told from others.
    fn optical_distance(&self) -> Option<u32> {
        match self.rule {
            Rule::Samtools => self.optical_distance.filter(|&distance| distance > 0),
            Rule::Picard => Some(self.optical_distance.unwrap_or(PICARD_DISTANCE)),
        }
    }

    /// Whether duplicates have barcodes in common.
    fn has_barcodes(&self) -> bool {
        self.barcode != Barcode::None || self.has_read_barcodes()
    }

    fn has_read_barcodes(&self) -> bool {
        self.rule == Rule::Picard && self.read_barcodes != [None; 2]
    }

    /// Bytes of library and barcode in keys.
    fn kind_len(&self) -> usize {
        let numbers = [self.rule == Rule::Picard, self.has_barcodes()];
        4 * numbers.into_iter().filter(|&has| has).count()
    }
}

/// Whose rule decides which reads are duplicates, and which of them stays.
///
/// ```
/// use biofast_ops::sort::duplicates::Rule;
///
/// assert_eq!(Rule::default(), Rule::Samtools);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// That of `samtools markdup` 1.24, after `samtools fixmate -m`; of equal scores the least name.
    #[default]
    Samtools,
    /// That of MarkDuplicates of Picard 3.4: libraries apart; of equal scores the first on the flow cell, or in coordinate order. It
    /// looks at the first bases of reads (the mode isn't asked for) and at reads that failed checks. Marks of the input, and its
    /// tags `DT`, are removed; nothing else of a record is changed.
    Picard,
}

/// Where two pairs must be alike.
///
/// ```
/// use biofast_ops::sort::duplicates::Mode;
///
/// assert_eq!(Mode::default(), Mode::Template);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The outer ends of both reads, clipped bases included. As `samtools markdup -m t`.
    #[default]
    Template,
    /// The first bases of both reads as they were sequenced. As `samtools markdup -m s`.
    Sequence,
}

/// What was found.
///
/// ```
/// use biofast_ops::sort::duplicates::Counts;
///
/// assert_eq!(Counts::default().duplicates(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Records read.
    pub read: u64,
    /// Records given on.
    pub written: u64,
    /// Records that aren't looked at: not primary, not aligned, or of bad quality.
    pub excluded: u64,
    /// Records that are looked at.
    pub examined: u64,
    /// Of these, reads of which the mate is aligned, too.
    pub paired: u64,
    /// The others.
    pub single: u64,
    /// Reads of pairs that are duplicates.
    pub duplicate_pair: u64,
    /// Other reads that are duplicates.
    pub duplicate_single: u64,
    /// Records marked with a primary one.
    pub duplicate_non_primary: u64,
    /// Of the reads of pairs that are duplicates, optical ones.
    pub duplicate_pair_optical: u64,
    /// Of the other reads that are duplicates, optical ones.
    pub duplicate_single_optical: u64,
    /// Of the records marked with a primary one, those marked with an optical one.
    pub duplicate_non_primary_optical: u64,
    /// Duplicates whose names don't say where they were on the flow cell, if that was asked for. By the rule of Picard all reads of
    /// pairs in sets of duplicates count, the one that stays among them.
    pub without_location: u64,
    /// Up to which distance duplicates are optical ones; nothing if they weren't told from others.
    pub optical_distance: Option<u32>,
    /// Names with a read of a pair whose mate isn't there.
    pub without_mate: u64,
    /// Reads that aren't looked at themselves (they failed checks of quality, say) and are marked with their mates.
    pub duplicate_mates: u64,
    /// Reads looked at that have no barcode, nor has their mate, if duplicates have barcodes in common. They are compared with each
    /// other.
    pub without_barcode: u64,
}

impl Counts {
    /// All records that were marked.
    pub fn duplicates(&self) -> u64 {
        self.duplicate_pair
            + self.duplicate_single
            + self.duplicate_non_primary
            + self.duplicate_mates
    }

    fn add(&mut self, other: &Counts) {
        self.excluded += other.excluded;
        self.examined += other.examined;
        self.paired += other.paired;
        self.single += other.single;
        self.without_barcode += other.without_barcode;
    }
}

/// Marks records while they are merged.
pub(super) struct Marker {
    decisions: Decisions,
    marking: Marking,
    /// Whether the field `dt` is written.
    tells_types: bool,
    counts: Counts,
    by_library: Option<ByLibrary>,
    record: Vec<u8>,
}

impl Marker {
    /// Takes the next record; `false` if it is left out.
    pub(super) fn take(&mut self, entry: &Entry<'_>) -> bool {
        let mut flags = u16::from_le_bytes([entry.record[14], entry.record[15]]);
        let looked_at = self.decisions.reads.get(entry.number);
        let other = flag::SUPPLEMENTARY | flag::UNMAPPED | flag::SECONDARY;
        let follows = flags & other != 0 && self.decisions.groups.get(entry.number);
        // A mate that isn't aligned is left unmarked, but doesn't stay alone.
        let is_left_alone = !looked_at && self.decisions.followers.get(entry.number);
        let is_marked_mate = is_left_alone && flags & flag::UNMAPPED == 0;
        if looked_at || follows || is_marked_mate {
            flags |= flag::DUPLICATE;
            self.counts.duplicate_non_primary += u64::from(follows && !looked_at);
            self.counts.duplicate_mates += u64::from(is_marked_mate);
        }
        let is_optical = match looked_at || is_marked_mate {
            true => self.decisions.optical.get(entry.number),
            false => follows && self.decisions.optical_groups.get(entry.number),
        };
        self.counts.duplicate_non_primary_optical += u64::from(follows && is_optical);
        let removes = self.marking.remove && (flags & flag::DUPLICATE != 0 || is_left_alone);
        if removes && self.by_library.is_none() {
            return false;
        }
        self.record.clear();
        self.record.extend_from_slice(entry.record);
        self.record[14..16].copy_from_slice(&flags.to_le_bytes());
        if let Some(counts) = &mut self.by_library {
            let is_paired = looked_at && optical::is_paired(flags);
            counts.add(&Record::from_checked(&self.record), is_optical && is_paired);
        }
        if (looked_at || follows || is_marked_mate) && self.tells_types {
            optical::write_type(is_optical, &mut self.record);
        }
        self.counts.written += u64::from(!removes);
        !removes
    }

    /// The record taken last.
    pub(super) fn record(&self) -> Record<'_> {
        Record::from_checked(&self.record)
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn set_sizes(&self) -> &SetSizes {
        &self.decisions.set_sizes
    }

    pub(super) fn by_library(&self) -> Vec<LibraryCounts> {
        self.by_library.iter().flat_map(ByLibrary::counts).cloned().collect()
    }
}

/// Sorts all records of an input by coordinate, or those of a query, and marks duplicates, on `options.threads` threads.
/// The example is that of the [module](self).
///
/// # Errors
/// The first fault of the input; if records of a name aren't together; if none of the reads looked at has a barcode that duplicates
/// have in common, unless that is allowed; or if a temporary file can't be written or read.
pub fn sort(
    input: impl Into<Query>,
    options: &Options,
    limits: &Limits,
    marking: &Marking,
) -> Result<Sorted, Problem> {
    let input = input.into();
    let name: Arc<str> = input.name().into();
    let mut reader = Reader::new(input, options)?;
    let header = reader.shared_header();
    gate::check_header(&name, &header)?;
    let lengths: Arc<[u64]> = header.references().iter().map(|one| one.length).collect();
    let threads = options.threads.max(1);
    let share = Limits { memory: limits.memory / threads, ..limits.clone() };
    let libraries = Arc::new(Libraries::new(&header));
    let new = || Collector::new(&share, threads > 1, marking, &lengths, &libraries);
    let mut gate = Gate::new(&name);
    let collector = match threads {
        1 => {
            let mut collector = new();
            let mut batch = Batch::default();
            while gate.fill(&mut reader, &mut batch)? {
                collector
                    .add(&batch)
                    .map_err(|(number, problem)| problem.of_record(&name, number))?;
            }
            collector
        }
        _ => on_threads(threads, &name, new, |batch| gate.fill(&mut reader, batch))?,
    };
    drop(reader);
    let (without_mate, read) = gate.counts();
    let optical_distance = marking.optical_distance();
    let mut counts = Counts { read, without_mate, optical_distance, ..Counts::default() };
    let (mut sorter, candidates) = collector.into_parts();
    counts.add(&candidates.counts);
    let Counts { examined, without_barcode, .. } = counts;
    if without_barcode > 0 && without_barcode == examined && !marking.allow_missing_barcodes {
        let sought = marking.barcode.sought(marking.read_barcodes);
        return Err(Problem::NoBarcodes { input: name.to_string(), reads: examined, sought });
    }
    let decisions = decide::decide(candidates, read, limits, threads, marking, &mut counts)?;
    sorter.limits = limits.clone();
    let mut sorted = sorter.finish(&header, threads)?;
    let mut by_library = marking.by_library.then(|| ByLibrary::new(libraries));
    if let Some(by_library) = &mut by_library {
        by_library.add_optical_pairs(&decisions.optical_pairs);
    }
    let tells_types = marking.rule == Rule::Samtools && marking.optical_distance().is_some();
    let (marking, record) = (marking.clone(), Vec::new());
    let marker = Marker { decisions, marking, tells_types, counts, by_library, record };
    sorted.marker = Some(Box::new(marker));
    Ok(sorted)
}

/// What collectors on several threads gather of the batches that `fill` makes.
fn on_threads(
    threads: usize,
    name: &Arc<str>,
    new: impl Fn() -> Collector,
    mut fill: impl FnMut(&mut Batch) -> Result<bool, Problem>,
) -> Result<Collector, Problem> {
    let (full, batches) = sync_channel::<Batch>(threads);
    let (used, empty) = sync_channel::<Batch>(2 * threads + 1);
    let batches = Mutex::new(batches);
    let has_failed = AtomicBool::new(false);
    let work = |mut collector: Collector| {
        let next = |batches: &Mutex<Receiver<Batch>>| {
            batches.lock().unwrap_or_else(PoisonError::into_inner).recv()
        };
        let mut failure = None;
        while let Ok(batch) = next(&batches) {
            // The others go on until no batch is left, so that nobody waits.
            if failure.is_none()
                && let Err(problem) = collector.add(&batch)
            {
                failure = Some(problem);
                has_failed.store(true, Ordering::Relaxed);
            }
            let _ = used.try_send(batch);
        }
        match failure {
            None => Ok(collector),
            Some(problem) => Err(problem),
        }
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..threads {
            let collector = new();
            match std::thread::Builder::new().spawn_scoped(scope, || work(collector)) {
                Ok(worker) => workers.push(worker),
                // Then fewer do it.
                Err(_) => break,
            }
        }
        if workers.is_empty() {
            let (mut collector, mut batch) = (new(), Batch::default());
            while fill(&mut batch)? {
                collector
                    .add(&batch)
                    .map_err(|(number, problem)| problem.of_record(name, number))?;
            }
            return Ok(collector);
        }
        let mut outcome = Ok(());
        while !has_failed.load(Ordering::Relaxed) {
            let mut batch = empty.try_recv().unwrap_or_default();
            match fill(&mut batch) {
                Ok(true) => {
                    if full.send(batch).is_err() {
                        break;
                    }
                }
                Ok(false) => break,
                Err(problem) => {
                    outcome = Err(problem);
                    break;
                }
            }
        }
        drop(full);
        let mut whole: Option<Collector> = None;
        let mut failures = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(Ok(collector)) => match &mut whole {
                    None => whole = Some(collector),
                    Some(whole) => whole.merge(collector),
                },
                Ok(Err(failure)) => failures.push(failure),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        // What is wrong with a record that was read comes before what was to be read.
        if let Some((number, problem)) = failures.into_iter().min_by_key(|failure| failure.0) {
            return Err(problem.of_record(name, number));
        }
        outcome?;
        Ok(whole.unwrap_or_else(&new))
    })
}
