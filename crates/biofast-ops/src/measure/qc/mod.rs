//! All figures of alignments from one reading: what `samtools stats`, `flagstat`, `idxstats` and `coverage`, mosdepth,
//! Picard's metrics and biofast's own report say, or some of it.
//!
//! The collectors are those of the modules beside this one, so that the figures are the same as of a reading of their own.
//! What several of them need is found once, and what isn't wanted isn't counted.
//!
//! ```
//! use biofast_bam::{Detail, Input, InputOptions};
//! use biofast_io::{Options, Source};
//! use biofast_ops::coverage::{DepthRules, Distribution};
//! use biofast_ops::qc::{self, QcSelection};
//!
//! let sam = b"@SQ\tSN:c\tLN:10\nr\t0\tc\t3\t60\t4M2D1M\t*\t0\t0\tACGTA\tIIIII\n";
//! let options = Options::default();
//! let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
//! let wanted = QcSelection { flagstat: true, depths: Some(DepthRules::default()), ..QcSelection::default() };
//! let found = qc::collect(input.source, &options, &wanted, |_| Ok(Distribution::default()))?;
//! assert_eq!(found.flagstat.ok_or("not counted")?.finish()[0].mapped, 1);
//! assert_eq!(found.depths.ok_or("not found")?.at_least(1), 5);
//! assert!(found.idxstats.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod groups;

use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{Batch, Error, Fasta, Fold, Header, Query, Subset};
use biofast_io::pipeline::Fault;
use biofast_io::{Location, Options, Warning};

use crate::measure::alignments::depth::SortedDepth;
use crate::measure::alignments::partial::PartKind;
use crate::measure::alignments::{self, Statistics};
use crate::measure::coverage::{
    Counting, DepthCollector, DepthRules, DepthSink, Distribution, PerReference, ReferenceSums,
    Spans,
};
use crate::measure::picard::panel::{BindError, BoundPanel};
use crate::measure::picard::pieces::Pieces;
use crate::measure::picard::{self, Panel, Picard, hs, wgs};
use crate::measure::samtools_stats::{self, Failure, SamtoolsStats};
use crate::measure::{flagstat, idxstats};

pub use groups::{GroupBy, Groups};

/// What to collect.
#[derive(Clone, Default)]
pub struct QcSelection<'a> {
    /// biofast's own statistics.
    pub statistics: bool,
    /// What these are a part of, if they are to be [joined](crate::measure::alignments::join).
    pub part: Option<PartKind>,
    /// Counts by flag.
    pub flagstat: bool,
    /// Counts by reference.
    pub idxstats: bool,
    /// What `samtools stats` says.
    pub samtools_stats: bool,
    /// Picard's metrics.
    pub picard: picard::MetricSelection,
    /// For the mismatches in what `samtools stats` and Picard say, and for Picard's coverage of the genome.
    pub reference: Option<&'a Fasta>,
    /// For Picard's coverage of targets.
    pub panel: Option<&'a Panel>,
    /// The depth up to which Picard's coverage of targets and of the genome is counted; without it that of Picard 3.4: 200 and 250.
    pub coverage_cap: Option<u16>,
    /// Depths, and what counts for them; the records must be sorted.
    pub depths: Option<DepthRules>,
    /// What `samtools coverage` says of records that these rules take; they must be sorted.
    pub coverage: Option<DepthRules>,
}

/// What was collected.
pub struct QcResults<D> {
    /// The header.
    pub header: Header,
    /// How many records were counted.
    pub records: u64,
    /// biofast's own statistics.
    pub statistics: Option<Statistics>,
    /// Counts by flag.
    pub flagstat: Option<flagstat::FlagstatCollector>,
    /// Counts by reference.
    pub idxstats: Option<idxstats::IdxstatsCollector>,
    /// What `samtools stats` says.
    pub samtools_stats: Option<SamtoolsStats>,
    /// Picard's metrics, those that were wanted.
    pub picard: Picard,
    /// What was made of depths.
    pub depths: Option<D>,
    /// What `samtools coverage` says of each reference.
    pub coverage: Option<(Vec<Distribution>, Vec<ReferenceSums>)>,
}

/// Reads all records of an input, or those of a query, once, and collects all that is `wanted`. Depths, if they are
/// wanted, go to what `depths` makes of the header.
///
/// # Errors
/// The first fault of the input or of the reference; where depths are wanted, the first record that is out of order.
pub fn collect<D: DepthSink + Send>(
    input: impl Into<Query>,
    options: &Options,
    wanted: &QcSelection<'_>,
    depths: impl FnOnce(&Header) -> Result<D, Error>,
) -> Result<QcResults<D>, Failure> {
    collect_with_each(input, options, wanted, depths, |_| Ok(None::<Distribution>))
        .map(|(found, _)| found)
}

/// Like [`collect`], and passes the depths of [`coverage`](QcSelection::coverage), for which both mates count, to what is
/// made of the header, if coverage is wanted.
///
/// # Errors
/// As [`collect`].
pub fn collect_with_each<D: DepthSink + Send, E: DepthSink + Send>(
    input: impl Into<Query>,
    options: &Options,
    wanted: &QcSelection<'_>,
    depths: impl FnOnce(&Header) -> Result<D, Error>,
    each: impl FnOnce(&Header) -> Result<Option<E>, Error>,
) -> Result<(QcResults<D>, Option<E>), Failure> {
    let (header, query) = input.into().peek_header().map_err(Failure::Input)?;
    let mut ordered = QcOrdered::new(&header, wanted);
    ordered.depths = match wanted.depths {
        Some(_) => Some(DepthCollector::new(&header, depths(&header).map_err(Failure::Input)?)),
        None => None,
    };
    ordered.coverage = match wanted.coverage {
        Some(_) => {
            let each = each(&header).map_err(Failure::Input)?;
            Some(DepthCollector::of_each(&header, (PerReference::new(&header), each)))
        }
        None => None,
    };
    collect_parts((query, header), options, wanted, None, (ordered, Vec::new()))
        .map(|found| found.whole)
}

/// What is to become of the depths of a part: all records, or a group.
pub struct DepthSinks<D, E> {
    /// For [`QcSelection::depths`].
    pub depths: Option<D>,
    /// For [`QcSelection::coverage`], as for [`collect_with_each`].
    pub each: Option<E>,
}

/// The same as [`collect_with_each`] of all records and of each group, if there are groups, in one reading: first what is found of all, then of
/// the [groups](Groups::names) in their order. What is to become of depths is made for each of these, by their place in that order.
///
/// Each group takes as much memory for each thread as the whole.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_bam::query::Query;
/// use biofast_io::{Options, Source};
/// use biofast_ops::coverage::Distribution;
/// use biofast_ops::qc::{DepthSinks, GroupBy, Groups, QcSelection, collect_by};
///
/// let sam = b"@SQ\tSN:c\tLN:10\n@RG\tID:1\tSM:a\n@RG\tID:2\tSM:b\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\tRG:Z:2\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, query) = Query::from(input.source).peek_header()?;
/// let groups = Groups::of(&header, GroupBy::Sample);
/// let wanted = QcSelection { flagstat: true, ..QcSelection::default() };
/// let found = collect_by(query, &options, &wanted, Some(&groups), |_| {
///     Ok(DepthSinks::<Distribution, Distribution> { depths: None, each: None })
/// })?;
/// let mapped: Vec<u64> = found
///     .iter()
///     .filter_map(|(found, _)| Some(found.flagstat.as_ref()?.finish()[0].mapped))
///     .collect();
/// assert_eq!(mapped, [1, 0, 1, 0]); // all, a, b, and those without a sample
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`collect`].
pub fn collect_by<D: DepthSink + Send, E: DepthSink + Send>(
    input: impl Into<Query>,
    options: &Options,
    wanted: &QcSelection<'_>,
    groups: Option<&Groups>,
    mut parts: impl FnMut(usize) -> Result<DepthSinks<D, E>, Error>,
) -> Result<Vec<QcPart<D, E>>, Failure> {
    let (header, query) = input.into().peek_header().map_err(Failure::Input)?;
    let mut ordered = |part| {
        let DepthSinks { depths, each } = parts(part).map_err(Failure::Input)?;
        let mut of_part = QcOrdered::new(&header, wanted);
        if wanted.depths.is_some() {
            of_part.depths = depths.map(|depths| DepthCollector::new(&header, depths));
        }
        if wanted.coverage.is_some() {
            let depths = (PerReference::new(&header), each);
            of_part.coverage = Some(DepthCollector::of_each(&header, depths));
        }
        Ok(of_part)
    };
    let whole = ordered(0)?;
    let of_groups: Result<Vec<_>, Failure> =
        (1..=groups.map_or(0, |groups| groups.names().len())).map(ordered).collect();
    let ordered = (whole, of_groups?);
    let GroupedParts { whole, of_groups } =
        collect_parts((query, header), options, wanted, groups, ordered)?;
    Ok(std::iter::once(whole).chain(of_groups).collect())
}

/// What is found of all records, or of a group, and what else was made of its depths.
pub type QcPart<D, E> = (QcResults<D>, Option<E>);

struct GroupedParts<D, E> {
    whole: QcPart<D, E>,
    of_groups: Vec<QcPart<D, E>>,
}

/// Reads a query once, and makes what is `ordered` of all records and of each group.
fn collect_parts<D: DepthSink + Send, E: DepthSink + Send>(
    (query, header): (Query, Header),
    options: &Options,
    wanted: &QcSelection<'_>,
    groups: Option<&Groups>,
    (mut whole, mut of_groups): (QcOrdered<D, E>, Vec<QcOrdered<D, E>>),
) -> Result<GroupedParts<D, E>, Failure> {
    let name: Arc<str> = query.name().into();
    let is_everything = query.is_everything();
    let passes = Passes::new(wanted);
    let bound = match wanted.panel.filter(|_| wanted.picard.hs) {
        Some(panel) => {
            Some(Arc::new(panel.bind(&header, wanted.reference).map_err(|error| match error {
                BindError::Interval(error) => Failure::Input(error),
                BindError::Reference(error) => Failure::Reference(error),
            })?))
        }
        None => None,
    };
    let bound = bound.as_ref();
    whole.coverage_of(wanted, bound);
    of_groups.iter_mut().for_each(|ordered| ordered.coverage_of(wanted, bound));
    let result = Fold::new(query).options(options).ordered(
        || QcWorker::new(wanted, bound.cloned(), groups),
        |worker: &mut QcWorker<'_, '_>, batch, left: &mut LeftOfAll| {
            worker.accept(batch, left, &passes);
        },
        QcWorker::join,
        |left| {
            let flow = whole.add(&mut left.whole, &passes);
            left.whole.clear();
            for (ordered, left) in of_groups.iter_mut().zip(&mut left.of_groups) {
                // What is in order as a whole is so in parts.
                if flow.is_continue() && ordered.add(left, &passes).is_break() {
                    return ControlFlow::Break(());
                }
                left.clear();
            }
            flow
        },
    );
    let unsorted = whole.unsorted.or(of_groups.iter().find_map(|ordered| ordered.unsorted));
    if let Some(unsorted) = unsorted {
        let error = unsorted.error(Location::in_input(&name));
        return Err(Failure::Input(match &result {
            Ok((header, _)) => error.naming(header),
            Err(_) => error,
        }));
    }
    let (_, worker) = result.map_err(|Fault { error, .. }| Failure::Input(error))?;
    worker.tell_unknown(options);
    let (counts, counts_of_groups) = worker.into_counts();
    let territory = match wanted.reference.filter(|_| wanted.picard.wgs) {
        Some(fasta) => {
            wgs::territory(&header, fasta, options.threads).map_err(Failure::Reference)?
        }
        None => 0,
    };
    let finish = |ordered: QcOrdered<D, E>, counts| {
        ordered.finish(counts, header.clone(), options, wanted, (is_everything, territory))
    };
    let whole = finish(whole, counts)?;
    let parts = of_groups.into_iter().zip(counts_of_groups);
    let of_groups: Result<Vec<_>, _> = parts.map(|(part, counts)| finish(part, counts)).collect();
    Ok(GroupedParts { whole, of_groups: of_groups? })
}

/// How stretches of the reference are made of records.
struct Passes {
    /// For depths; for coverage, too, if that has no rules of its own.
    depths: Option<DepthRules>,
    /// For coverage alone.
    coverage: Option<DepthRules>,
    /// For the depths of biofast's statistics alone, if those for depths aren't theirs.
    statistics: Option<DepthRules>,
    /// Whether hashes of names are those of every process.
    is_part: bool,
}

impl Passes {
    fn new(wanted: &QcSelection<'_>) -> Passes {
        let coverage = wanted.coverage.clone().map(|rules| DepthRules {
            counting: Counting::Each,
            sums: true,
            ..rules
        });
        let depths = wanted.depths.clone();
        let is_part = wanted.part.is_some();
        let own = DepthRules::default();
        let has_own = depths.as_ref().is_some_and(|depths| {
            !is_part && depths.counting == own.counting && takes_the_same(depths, &own)
        });
        let statistics = (wanted.statistics && !has_own).then_some(own);
        if let (Some(depths), Some(coverage)) = (&depths, &coverage)
            && takes_the_same(depths, coverage)
        {
            let depths = Some(DepthRules { sums: true, ..depths.clone() });
            return Passes { depths, coverage: None, statistics, is_part };
        }
        Passes { depths, coverage, statistics, is_part }
    }
}

/// Whether stretches for depths are those for coverage, as far as mates don't matter.
fn takes_the_same(depths: &DepthRules, coverage: &DepthRules) -> bool {
    // By name, so that no rule can be forgotten.
    let DepthRules { filter, read_groups, counting, min_base_quality, deletions, sums: _ } = depths;
    *counting != Counting::Whole
        && *filter == coverage.filter
        && *read_groups == coverage.read_groups
        && *min_base_quality == coverage.min_base_quality
        && *deletions == coverage.deletions
}

/// What a worker counts.
struct QcCounts {
    statistics: Option<alignments::AlignmentCollector>,
    /// Without [`Basics`](alignments::basics::Basics), if there are statistics.
    samtools: Option<samtools_stats::SamtoolsCounts>,
    /// Only without statistics, which have them.
    flags: Option<flagstat::FlagstatCollector>,
    references: Option<idxstats::IdxstatsCollector>,
    /// Its cycles are those of samtools, if these are wanted.
    picard: Option<picard::PicardCounts>,
    wgs: Option<wgs::WgsCounts>,
    hs: Option<hs::HsCounts>,
    /// Why the reference couldn't be read.
    fault: Option<std::io::Error>,
    sums: Vec<ReferenceSums>,
    records: u64,
}

/// What a worker counts of all records, and of each group.
struct QcWorker<'a, 'g> {
    wanted: QcSelection<'a>,
    panel: Option<Arc<BoundPanel>>,
    groups: Option<&'g Groups>,
    whole: QcCounts,
    /// As many as there are groups; those no record was of yet take no memory.
    of_groups: Vec<Option<Box<QcCounts>>>,
    subsets: Vec<Subset>,
    /// The number of the first record that names a read group the header lacks, and how many there are.
    unknown: Option<(u64, u64)>,
}

impl<'a, 'g> QcWorker<'a, 'g> {
    fn new(
        wanted: &QcSelection<'a>,
        panel: Option<Arc<BoundPanel>>,
        groups: Option<&'g Groups>,
    ) -> QcWorker<'a, 'g> {
        let count = groups.map_or(0, |groups| groups.names().len());
        QcWorker {
            wanted: wanted.clone(),
            groups,
            whole: QcCounts::new(wanted, panel.as_ref()),
            panel,
            of_groups: (0..count).map(|_| None).collect(),
            subsets: vec![Subset::default(); count],
            unknown: None,
        }
    }

    fn accept(&mut self, batch: Batch<'_>, left: &mut LeftOfAll, passes: &Passes) {
        self.whole.accept(batch, &mut left.whole, passes);
        let Some(groups) = self.groups else { return };
        left.of_groups.resize_with(self.of_groups.len(), QcChunk::default);
        self.subsets.iter_mut().for_each(Subset::clear);
        for (index, (number, record)) in batch.numbered().enumerate() {
            let (place, is_known) = groups.place(&record);
            self.subsets[place].push(batch, index);
            if !is_known {
                self.unknown.get_or_insert((number, 0)).1 += 1;
            }
        }
        for ((subset, counts), left) in
            self.subsets.iter().zip(&mut self.of_groups).zip(&mut left.of_groups)
        {
            let batch = subset.of(batch);
            if !batch.is_empty() {
                let counts = counts.get_or_insert_with(|| {
                    Box::new(QcCounts::new(&self.wanted, self.panel.as_ref()))
                });
                counts.accept(batch, left, passes);
            }
        }
    }

    fn join(&mut self, other: QcWorker<'a, 'g>) {
        let QcWorker { whole, of_groups, unknown, .. } = other;
        self.whole.join(whole);
        for (mine, theirs) in self.of_groups.iter_mut().zip(of_groups) {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => mine.join(*theirs),
                (mine @ None, theirs) => *mine = theirs,
                (Some(_), None) => {}
            }
        }
        self.unknown = match (self.unknown, unknown) {
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

    /// Those of all records, and of each group.
    fn into_counts(self) -> (QcCounts, Vec<QcCounts>) {
        let QcWorker { wanted, panel, whole, of_groups, .. } = self;
        let empty = || Box::new(QcCounts::new(&wanted, panel.as_ref()));
        (whole, of_groups.into_iter().map(|counts| *counts.unwrap_or_else(empty)).collect())
    }
}

/// What a chunk leaves, of all its records and of those of each group.
#[derive(Default)]
struct LeftOfAll {
    whole: QcChunk,
    of_groups: Vec<QcChunk>,
}

/// What a chunk leaves for the parts that need the order of the file.
#[derive(Default)]
struct QcChunk {
    records: samtools_stats::SamtoolsChunk,
    depths: Spans,
    coverage: Spans,
    statistics: Spans,
    wgs: Pieces,
    hs: Pieces,
}

impl QcChunk {
    fn clear(&mut self) {
        self.records.records.clear();
        self.depths.clear();
        self.coverage.clear();
        self.statistics.clear();
        self.wgs.clear();
        self.hs.clear();
    }
}

impl QcCounts {
    fn new(wanted: &QcSelection<'_>, panel: Option<&Arc<BoundPanel>>) -> QcCounts {
        let alone = !wanted.statistics;
        QcCounts {
            statistics: wanted.statistics.then(alignments::AlignmentCollector::default),
            samtools: wanted
                .samtools_stats
                .then(|| samtools_stats::SamtoolsCounts::new(wanted.reference)),
            flags: (wanted.flagstat && alone).then(flagstat::FlagstatCollector::default),
            references: (wanted.idxstats && alone).then(idxstats::IdxstatsCollector::default),
            picard: picard::PicardCounts::new(
                &wanted.picard,
                wanted.reference,
                wanted.samtools_stats,
            ),
            wgs: wanted
                .reference
                .filter(|_| wanted.picard.wgs)
                .map(|fasta| wgs::WgsCounts::new(fasta, wanted.part.is_some())),
            hs: panel.map(|panel| hs::HsCounts::new(panel.clone())),
            fault: None,
            sums: Vec::new(),
            records: 0,
        }
    }

    fn accept(&mut self, batch: Batch<'_>, left: &mut QcChunk, passes: &Passes) {
        self.records += batch.len() as u64;
        left.statistics.set_lasting(passes.is_part);
        match (&mut self.statistics, &mut self.samtools) {
            (Some(statistics), Some(samtools)) => {
                both(statistics, samtools, batch, left);
                if let Some(rules) = &passes.statistics {
                    left.statistics.add(batch, rules);
                }
            }
            (Some(statistics), None) => {
                let depth = passes.statistics.as_ref().map(|rules| (&mut left.statistics, rules));
                statistics.accept(batch, depth);
            }
            (None, Some(samtools)) => samtools.accept(batch, &mut left.records),
            (None, None) => {}
        }
        if let Some(flags) = &mut self.flags {
            flags.accept(batch);
        }
        if let Some(references) = &mut self.references {
            references.accept(batch);
        }
        if let Some(picard) = &mut self.picard {
            picard.accept(batch);
        }
        if let Some(wgs) = &mut self.wgs
            && self.fault.is_none()
        {
            self.fault = wgs.accept(batch, &mut left.wgs).err();
        }
        if let Some(hs) = &mut self.hs {
            hs.accept(batch, &mut left.hs);
        }
        if let Some(rules) = &passes.depths {
            left.depths.add_with_sums(batch, rules, &mut self.sums);
        }
        if let Some(rules) = &passes.coverage {
            left.coverage.add_with_sums(batch, rules, &mut self.sums);
        }
    }

    /// Counts what waits of reads that biofast's statistics and those of samtools share.
    fn settle(&mut self) {
        if let (Some(statistics), Some(samtools)) = (&mut self.statistics, &mut self.samtools) {
            samtools.cycles.settle_shared(&mut statistics.reads);
        }
    }

    fn join(&mut self, mut other: QcCounts) {
        self.settle();
        other.settle();
        fn join<C>(mine: &mut Option<C>, theirs: Option<C>, join: impl FnOnce(&mut C, C)) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                join(mine, theirs);
            }
        }
        let QcCounts {
            statistics,
            samtools,
            flags,
            references,
            picard,
            wgs,
            hs,
            fault,
            sums,
            records,
        } = other;
        self.records += records;
        join(&mut self.statistics, statistics, alignments::AlignmentCollector::join);
        join(&mut self.samtools, samtools, samtools_stats::SamtoolsCounts::join);
        join(&mut self.flags, flags, |mine, theirs| mine.merge(&theirs));
        join(&mut self.references, references, |mine, theirs| mine.merge(&theirs));
        join(&mut self.picard, picard, picard::PicardCounts::join);
        join(&mut self.wgs, wgs, wgs::WgsCounts::join);
        join(&mut self.hs, hs, hs::HsCounts::join);
        self.fault = self.fault.take().or(fault);
        ReferenceSums::merge_all(&mut self.sums, sums);
    }
}

/// Counts a batch for biofast's statistics and those of samtools: a record is looked at once, and its bases and qualities are
/// counted by cycle once.
fn both(
    statistics: &mut alignments::AlignmentCollector,
    samtools: &mut samtools_stats::SamtoolsCounts,
    batch: Batch<'_>,
    QcChunk { records: left, .. }: &mut QcChunk,
) {
    statistics.prepare(batch);
    samtools.prepare(batch);
    for (number, record) in batch.numbered() {
        samtools.add_checksums(&record);
        if let Some(seen) = statistics.add(&record, number, Some(&mut samtools.cycles)) {
            let gc = samtools.add_without_cycles(&record, &seen, left);
            left.records.push(&record, &seen, gc);
            samtools.add_mismatches(&record, &seen, left);
        }
    }
}

/// What is made of the records in the order of the file.
struct QcOrdered<D, E> {
    statistics: Option<SortedDepth>,
    samtools: Option<samtools_stats::SamtoolsOrdered>,
    depths: Option<DepthCollector<D>>,
    coverage: Option<DepthCollector<(PerReference, Option<E>)>>,
    wgs: Option<wgs::WgsOrdered>,
    hs: Option<hs::HsOrdered>,
    unsorted: Option<crate::measure::coverage::Unsorted>,
}

impl<D: DepthSink, E: DepthSink> QcOrdered<D, E> {
    /// With nothing to become of depths.
    fn new(header: &Header, wanted: &QcSelection<'_>) -> QcOrdered<D, E> {
        QcOrdered {
            statistics: wanted.statistics.then(|| SortedDepth::new(header, wanted.part)),
            samtools: wanted
                .samtools_stats
                .then(|| samtools_stats::SamtoolsOrdered::new(wanted.reference)),
            depths: None,
            coverage: None,
            wgs: None,
            hs: None,
            unsorted: None,
        }
    }

    /// With what is wanted of Picard's coverage.
    fn coverage_of(&mut self, wanted: &QcSelection<'_>, panel: Option<&Arc<BoundPanel>>) {
        let has_reference = wanted.reference.is_some();
        let is_part = wanted.part.is_some();
        let cap = wanted.coverage_cap;
        self.wgs = (wanted.picard.wgs && has_reference).then(|| wgs::WgsOrdered::new(is_part, cap));
        self.hs = panel.map(|panel| hs::HsOrdered::new(panel.clone(), is_part, cap));
    }

    /// Adds the records of the next chunk.
    fn add(&mut self, left: &mut QcChunk, passes: &Passes) -> ControlFlow<()> {
        if let Some(depths) = &mut self.depths {
            self.unsorted = depths.take(&left.depths).err();
        }
        if let Some(coverage) = &mut self.coverage {
            let spans = if passes.coverage.is_some() { &left.coverage } else { &left.depths };
            self.unsorted = self.unsorted.or(coverage.take(spans).err());
        }
        if let Some(wgs) = &mut self.wgs {
            self.unsorted = self.unsorted.or(wgs.add(&left.wgs).err());
        }
        if let Some(hs) = &mut self.hs {
            self.unsorted = self.unsorted.or(hs.add(&left.hs).err());
        }
        if self.unsorted.is_some() {
            return ControlFlow::Break(());
        }
        if let Some(statistics) = &mut self.statistics {
            let is_shared = passes.statistics.is_none();
            statistics.add(if is_shared { &left.depths } else { &left.statistics });
        }
        match &mut self.samtools {
            Some(samtools) => samtools.add(&mut left.records),
            None => ControlFlow::Continue(()),
        }
    }

    /// What was found of its records.
    fn finish(
        self,
        mut counts: QcCounts,
        header: Header,
        options: &Options,
        wanted: &QcSelection<'_>,
        (is_everything, territory): (bool, u64),
    ) -> Result<(QcResults<D>, Option<E>), Failure> {
        counts.settle();
        if let (Some(statistics), Some(samtools)) = (&mut counts.statistics, &counts.samtools) {
            statistics.add_cycles(&samtools.cycles);
        }
        let QcCounts {
            statistics,
            samtools,
            flags,
            references,
            picard,
            wgs,
            hs,
            fault,
            mut sums,
            records,
        } = counts;
        if let Some(fault) = fault {
            return Err(Failure::Reference(fault));
        }
        if let Some(statistics) = &statistics {
            statistics.basics.negative.warn(options);
        }
        let depths = self.statistics.map(|depth| depth.finish(options));
        let depths = depths.filter(|_| is_everything).unwrap_or_default();
        let statistics = statistics.map(|counts| Statistics::new(header.clone(), counts, depths));
        let samtools = samtools.map(|mut counts| {
            if let Some(statistics) = &statistics {
                counts.basics = statistics.counts.basics.clone();
            }
            counts
        });
        let samtools = self.samtools.zip(samtools);
        let samtools_stats =
            samtools.map(|(ordered, counts)| ordered.finish(counts)).transpose()?;
        let malformed = statistics.as_ref().and_then(Statistics::malformed_record);
        if let Some(record) =
            malformed.or(picard.as_ref().and_then(|counts| counts.malformed_record()))
        {
            return Err(Failure::MalformedTags(record));
        }
        let mut picard = match picard {
            Some(counts) => {
                let cycles = samtools_stats.as_ref().map(|samtools| &samtools.counts.cycles);
                counts
                    .finish(cycles, &header, wanted.reference, options.threads)
                    .map_err(Failure::Reference)?
            }
            None => Picard::default(),
        };
        let wgs = self.wgs.zip(wgs.as_ref());
        let wgs = wgs.map(|(ordered, counts)| ordered.finish(counts, territory));
        picard.wgs_part = wgs.map(Box::new);
        let hs = self.hs.zip(hs.as_ref()).map(|(ordered, counts)| ordered.finish(counts));
        picard.hs_part = hs.map(Box::new);
        if wanted.part.is_none() {
            picard = picard.whole();
        }
        let counted = statistics.as_ref().map(|statistics| &statistics.counts);
        sums.resize(header.references().len(), ReferenceSums::default());
        let (coverage, each) = match self.coverage.map(DepthCollector::finish) {
            Some((depths, each)) => (Some((depths.finish(), sums)), each),
            None => (None, None),
        };
        let found = QcResults {
            flagstat: match counted {
                Some(counted) => wanted.flagstat.then(|| counted.flags.clone()),
                None => flags,
            },
            idxstats: match counted {
                Some(counted) => wanted.idxstats.then(|| counted.references.clone()),
                None => references,
            },
            statistics,
            samtools_stats,
            picard,
            depths: self.depths.map(DepthCollector::finish),
            coverage,
            header,
            records,
        };
        Ok((found, each))
    }
}
