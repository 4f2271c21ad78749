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
//! use biofast_ops::sort::{SortLimits, duplicates};
//!
//! let sam = b"@SQ\tSN:c\tLN:99\n\
//!     x\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
//!     y\t0\tc\t8\t60\t1S2M\t*\t0\t0\tACG\tIFF\n";
//! let options = Options::default();
//! let input = Input::open(Source::from_reader("example", &sam[..]), &InputOptions::new(&options))?;
//! let marking = duplicates::Marking::default();
//! let mut sorted = duplicates::sort(input.source, &options, &SortLimits::default(), &marking)?;
//! let mut marked = Vec::new();
//! while let Some(record) = sorted.next_record()? {
//!     if record.flags() & flag::DUPLICATE != 0 {
//!         marked.push(record.name().to_vec());
//!     }
//! }
//! assert_eq!(marked, [b"y"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anywhere;
mod barcodes;
mod clear;
mod collect;
mod decide;
pub(in crate::change) mod decisions;
mod entries;
mod finder;
pub(in crate::change) mod gate;
mod keys;
mod libraries;
pub(super) mod marker;
pub(in crate::change) mod mates;
pub(super) mod metrics;
mod numbers;
mod optical;
mod picard;
pub(in crate::change) mod primary;
mod rule;
mod signature;
mod window;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{Query, Reader};
use biofast_io::Options;

use super::sorter::{SortLimits, Sorted};
use crate::{Error, Refusal};
pub(in crate::change) use anywhere::{DecidedInput, decide_anywhere};
pub use barcodes::{BarcodeSource, NamePattern, umi_of_name};
pub(in crate::change) use clear::cleared;
use collect::DuplicateCollector;
use decisions::DuplicateDecisions;
use gate::{Gate, GroupBatch};
use libraries::DuplicateLibraries;
pub(super) use marker::Marker;
pub(in crate::change) use marker::{MarkDecisions, MarkTally};
use metrics::ByLibrary;
pub use metrics::{DuplicateCounts, LibraryCounts, SetSizes};
pub use rule::{DuplicateRule, Marking, Mode};
pub(in crate::change) use window::{DuplicateWindow, SurveyedRecords, Undecidable, WindowSurveyor};

/// Sorts all records of an input by coordinate, or those of a query, and marks duplicates, on `options.threads` threads.
/// The example is that of the [module](self).
///
/// # Errors
/// The first fault of the input; if records of a name aren't together; if none of the reads looked at has a barcode that duplicates
/// have in common, unless that is allowed; or if a temporary file can't be written or read.
pub fn sort(
    input: impl Into<Query>,
    options: &Options,
    limits: &SortLimits,
    marking: &Marking,
) -> Result<Sorted, Error> {
    let input = input.into();
    let name: Arc<str> = input.name().into();
    let mut reader = Reader::new(input, options)?;
    let header = reader.shared_header();
    gate::check_header(&name, &header, "marking duplicates")?;
    let lengths: Arc<[u64]> = header.references().iter().map(|one| one.length).collect();
    let threads = options.threads.max(1);
    let share = SortLimits { memory: limits.memory / threads, ..limits.clone() };
    let libraries = Arc::new(DuplicateLibraries::new(&header));
    let new = || DuplicateCollector::new(&share, threads > 1, marking, &lengths, &libraries);
    let mut gate = Gate::new(&name);
    let collector = match threads {
        1 => {
            let mut collector = new();
            let mut batch = GroupBatch::default();
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
    let mut counts =
        DuplicateCounts { read, without_mate, optical_distance, ..DuplicateCounts::default() };
    let (mut sorter, candidates) = collector.into_parts();
    counts.add(&candidates.counts);
    check_barcodes(&name, &counts, marking)?;
    let found = decide::decide(candidates, read, limits, threads, marking, &mut counts)?;
    sorter.limits = limits.clone();
    let mut sorted = sorter.finish(&header, threads)?;
    let (marks, tally) = marks_of(found, counts, marking, libraries);
    let marker = Marker { marks, tally, record: Vec::new() };
    sorted.marker = Some(Box::new(marker));
    Ok(sorted)
}

/// Refuses reads of which none has a barcode that duplicates should have in common.
pub(in crate::change) fn check_barcodes(
    name: &str,
    counts: &DuplicateCounts,
    marking: &Marking,
) -> Result<(), Error> {
    let DuplicateCounts { examined, without_barcode, .. } = *counts;
    if without_barcode == 0 || without_barcode < examined || marking.allow_missing_barcodes {
        return Ok(());
    }
    let sought = marking.barcode.sought(marking.read_barcodes);
    Err(Refusal::NoBarcodes { input: name.into(), reads: examined, sought }.into())
}

/// What becomes of records, and what of them was counted before they are marked.
fn marks_of(
    decisions: DuplicateDecisions,
    counts: DuplicateCounts,
    marking: &Marking,
    libraries: Arc<DuplicateLibraries>,
) -> (MarkDecisions, MarkTally) {
    let mut by_library = marking.by_library.then(|| ByLibrary::new(libraries));
    if let Some(by_library) = &mut by_library {
        by_library.add_optical_pairs(&decisions.optical_pairs);
    }
    let tells_types =
        marking.rule == DuplicateRule::Samtools && marking.optical_distance().is_some();
    let marks = MarkDecisions { decisions, marking: marking.clone(), tells_types };
    (marks, MarkTally { counts, by_library })
}

/// What collectors on several threads gather of the batches that `fill` makes.
fn on_threads(
    threads: usize,
    name: &Arc<str>,
    new: impl Fn() -> DuplicateCollector,
    mut fill: impl FnMut(&mut GroupBatch) -> Result<bool, Error>,
) -> Result<DuplicateCollector, Error> {
    let (full, batches) = sync_channel::<GroupBatch>(threads);
    let (used, empty) = sync_channel::<GroupBatch>(2 * threads + 1);
    let batches = Mutex::new(batches);
    let has_failed = AtomicBool::new(false);
    let work = |mut collector: DuplicateCollector| {
        let next = |batches: &Mutex<Receiver<GroupBatch>>| {
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
            let (mut collector, mut batch) = (new(), GroupBatch::default());
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
        let mut whole: Option<DuplicateCollector> = None;
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
