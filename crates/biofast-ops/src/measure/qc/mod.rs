//! Figures of alignments from one reading: a [list](MeasureList) of [measures](Measure), each of which stands in a file of its own.
//!
//! The figures are the same as of a reading of their own. What several measures need is found once, and what isn't listed isn't
//! counted.
//!
//! ```
//! use biofast_bam::{Detail, Input, InputOptions};
//! use biofast_io::{Options, Source};
//! use biofast_ops::coverage::{DepthMeasure, DepthRules, Distribution};
//! use biofast_ops::flagstat::FlagstatCollector;
//! use biofast_ops::idxstats::IdxstatsCollector;
//! use biofast_ops::qc::{self, MeasureList};
//!
//! let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M2D1M\t*\t0\t0\tACGTA\tIIIII\n";
//! let options = Options::default();
//! let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
//! let mut measures = MeasureList::new();
//! measures.tally::<FlagstatCollector>();
//! measures.add(DepthMeasure::new(DepthRules::default(), [Distribution::default()]));
//! let found = qc::collect(input.source, &options, measures)?;
//! assert_eq!(found.get::<FlagstatCollector>().ok_or("not counted")?.finish()[0].mapped, 1);
//! assert_eq!(found.get::<Distribution>().ok_or("not found")?.at_least(1), 5);
//! assert!(found.get::<IdxstatsCollector>().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod groups;
mod list;
mod measure;

use std::sync::Arc;

use biofast_bam::{Batch, Fold, Query, Subset};
use biofast_io::pipeline::Fault;
use biofast_io::{Location, Options, Warning};

use list::{PartCounts, PartPieces};

pub use super::failure::Failure;
pub use groups::{GroupBy, Groups};
pub use list::MeasureList;
pub use measure::{
    FindingTypes, Findings, Finished, Flow, Measure, Ordered, Piece, ReadingEnd, Tally,
};

/// Reads all records of an input, or those of a query, once, for all measures.
///
/// # Errors
/// The first fault of the input or of the reference; where a measure needs sorted records, the first one that is out of order.
pub fn collect(
    input: impl Into<Query>,
    options: &Options,
    measures: impl Into<MeasureList>,
) -> Result<Findings, Failure> {
    let found = collect_by(input, options, measures, None)?;
    Ok(found.into_iter().next().unwrap_or_default())
}

/// The same of all records and of each group, if there are groups, in one reading: first what is found of all, then of
/// the [groups](Groups::names) in their order.
///
/// Each group takes as much memory for each thread as the whole.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_bam::query::Query;
/// use biofast_io::{Options, Source};
/// use biofast_ops::flagstat::FlagstatCollector;
/// use biofast_ops::qc::{GroupBy, Groups, MeasureList, collect_by};
///
/// let sam = b"@SQ\tSN:c\tLN:10\n@RG\tID:1\tSM:a\n@RG\tID:2\tSM:b\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\tRG:Z:2\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, query) = Query::from(input.source).peek_header()?;
/// let groups = Groups::of(&header, GroupBy::Sample);
/// let mut measures = MeasureList::new();
/// measures.tally::<FlagstatCollector>();
/// let found = collect_by(query, &options, measures, Some(&groups))?;
/// let mapped: Vec<u64> = found
///     .iter()
///     .filter_map(|found| Some(found.get::<FlagstatCollector>()?.finish()[0].mapped))
///     .collect();
/// assert_eq!(mapped, [1, 0, 1, 0]); // all, a, b, and those without a sample
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`collect`].
pub fn collect_by(
    input: impl Into<Query>,
    options: &Options,
    measures: impl Into<MeasureList>,
    groups: Option<&Groups>,
) -> Result<Vec<Findings>, Failure> {
    let (header, query) = input.into().peek_header().map_err(Failure::Input)?;
    let name: Arc<str> = query.name().into();
    let is_everything = query.is_everything();
    let parts = 1 + groups.map_or(0, |groups| groups.names().len());
    let mut measures = measures.into();
    let mut ordered: Vec<_> = (0..parts).map(|part| measures.begin(&header, part)).collect();
    let measures = measures;
    let mut unsorted = None;
    let result = Fold::new(query).options(options).ordered(
        || QcWorker::new(&measures, groups, parts),
        QcWorker::accept,
        QcWorker::merge,
        |left: &mut Vec<PartPieces>| {
            let mut parts = ordered.iter_mut().zip(left);
            let flow = parts.try_for_each(|(part, left)| measures.append(part, left));
            flow.map_break(|error| unsorted = error)
        },
    );
    if let Some(unsorted) = unsorted {
        let error = unsorted.in_input(&name);
        return Err(Failure::Input(match &result {
            Ok((header, _)) => error.naming(header),
            Err(_) => error,
        }));
    }
    let (header, worker) = result.map_err(|Fault { error, .. }| Failure::Input(error))?;
    worker.tell_unknown(options);
    let parts = worker.parts.into_iter().zip(ordered).map(|(counts, ordered)| {
        let mut counts = counts.unwrap_or_else(|| Box::new(measures.start()));
        let (wanted, sums, found) = (&FindingTypes::default(), &[][..], Findings::default());
        let end = ReadingEnd { header: &header, options, is_everything, wanted, sums, found };
        measures.finish(&mut counts, ordered, end)
    });
    parts.collect()
}

/// What a thread counts.
struct QcWorker<'a> {
    measures: &'a MeasureList,
    groups: Option<&'a Groups>,
    /// Of all records, and of each group; a group no record was of yet takes no memory.
    parts: Vec<Option<Box<PartCounts>>>,
    /// The records of each group.
    subsets: Vec<Subset>,
    /// The number of the first record that names a read group the header lacks, and how many there are.
    unknown: Option<(u64, u64)>,
}

impl<'a> QcWorker<'a> {
    fn new(measures: &'a MeasureList, groups: Option<&'a Groups>, parts: usize) -> QcWorker<'a> {
        let subsets = vec![Subset::default(); parts - 1];
        let parts = (0..parts).map(|_| None).collect();
        QcWorker { measures, groups, parts, subsets, unknown: None }
    }

    fn accept(&mut self, batch: Batch<'_>, left: &mut Vec<PartPieces>) {
        left.resize_with(self.parts.len(), PartPieces::default);
        self.find_groups(batch);
        let of_groups = self.subsets.iter().map(|subset| subset.of(batch));
        let batches = std::iter::once(batch).chain(of_groups);
        for ((batch, counts), left) in batches.zip(&mut self.parts).zip(left) {
            if !batch.is_empty() {
                let start = || Box::new(self.measures.start());
                self.measures.accept(counts.get_or_insert_with(start), batch, left);
            }
        }
    }

    /// Finds the group of each record.
    fn find_groups(&mut self, batch: Batch<'_>) {
        let Some(groups) = self.groups else { return };
        self.subsets.iter_mut().for_each(Subset::clear);
        for (index, (number, record)) in batch.numbered().enumerate() {
            let (place, is_known) = groups.place(&record);
            self.subsets[place].push(batch, index);
            if !is_known {
                self.unknown.get_or_insert((number, 0)).1 += 1;
            }
        }
    }

    fn merge(&mut self, other: QcWorker<'a>) {
        for (mine, theirs) in self.parts.iter_mut().zip(other.parts) {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => self.measures.merge(mine, *theirs),
                (mine @ None, theirs) => *mine = theirs,
                (Some(_), None) => {}
            }
        }
        self.unknown = match (self.unknown, other.unknown) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1 + b.1)),
            (a, b) => a.or(b),
        };
    }

    /// Warns of read groups that the header lacks.
    fn tell_unknown(&self, options: &Options) {
        if let (Some((number, count)), Some(notes)) = (self.unknown, &options.notes) {
            let what =
                "the record's read group is not in the header, so it was counted as having none";
            let first = Location { record: Some(number + 1), ..Location::default() };
            notes.warn(Warning::Noticed { what, count, first });
        }
    }
}
