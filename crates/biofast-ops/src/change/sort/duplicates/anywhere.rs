//! Duplicates among records in any order, which are not sorted themselves.
//!
//! What of a record decides goes to short entries. By the rule of samtools each read is decided about by itself, by what the tags of
//! `samtools fixmate -m` say of its mate. Where they aren't there, the reads of a name are brought together by a hash of it, and learn
//! what the tags would say. By Picard's rule they always are, and are decided about together.

use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Header, Query, Record, Value, flag};
use biofast_io::Options;

use super::super::gather::SortEntry;
use super::decide;
use super::decisions::DuplicateDecisions;
use super::finder::{BY_KEY, DuplicateFinder, TemplateGroup};
use super::keys::ClippedEnds;
use super::libraries::DuplicateLibraries;
use super::marker::{MarkDecisions, MarkTally};
use super::mates::{self, GroupMember};
use super::metrics::DuplicateCounts;
use super::primary::{Primary, is_primary};
use super::rule::{DuplicateRule, Marking};
use super::sanitize::sanitized;
use super::signature::{ReadSignature, hash, is_examined};
use crate::Error;
use crate::change::sort::sorter::{SortLimits, Sorted, Sorter};

/// How a read knows its mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MateSource {
    /// By its tags MC and ms.
    Tags,
    /// By its name.
    Names,
}

/// What was decided about the records of an input.
pub(in crate::change) struct DecidedInput {
    pub(in crate::change) marks: MarkDecisions,
    /// What was counted before records are marked.
    pub(in crate::change) tally: MarkTally,
}

/// Decides which records of an input are duplicates. `open` opens it, a second time if the tags of some read don't tell of its mate.
///
/// # Errors
/// The first fault of the input; if none of the reads has a barcode that duplicates should have in common, unless that is allowed;
/// or if a temporary file can't be written or read.
pub(in crate::change) fn decide_anywhere(
    mut open: impl FnMut() -> Result<Query, Error>,
    options: &Options,
    limits: &SortLimits,
    marking: &Marking,
) -> Result<DecidedInput, Error> {
    let first = match marking.rule {
        DuplicateRule::Samtools => MateSource::Tags,
        DuplicateRule::Picard => MateSource::Names,
    };
    let (mut name, mut collector) = collect(open()?, first, options, limits, marking)?;
    if collector.lacks_tags {
        drop(collector);
        (name, collector) = collect(open()?, MateSource::Names, options, limits, marking)?;
    }
    let threads = options.threads.max(1);
    let AnyOrderCollector { mates, mut finder, reads, followers, records, .. } = collector;
    if mates == MateSource::Names {
        let sorted = finish(reads, limits, threads)?;
        let of_all = DuplicateFinder::new(limits, [3, 1], marking, &finder.libraries);
        let counted = std::mem::replace(&mut finder, of_all);
        finder.candidates.counts.add(&counted.candidates.counts);
        look_at_names(sorted, &mut finder)?;
    }
    let optical_distance = marking.optical_distance();
    let mut counts =
        DuplicateCounts { read: records, optical_distance, ..DuplicateCounts::default() };
    counts.add(&finder.candidates.counts);
    super::check_barcodes(&name, &counts, marking)?;
    let DuplicateFinder { candidates, libraries, .. } = finder;
    let mut found = decide::decide(candidates, records, limits, threads, marking, &mut counts)?;
    if marking.supplementary {
        spread(finish(followers, limits, threads)?, &mut found)?;
    }
    let (marks, tally) = super::marks_of(found, counts, marking, libraries);
    Ok(DecidedInput { marks, tally })
}

/// Gathers what decides, until tags are missing that it needs.
fn collect(
    query: Query,
    mates: MateSource,
    options: &Options,
    limits: &SortLimits,
    marking: &Marking,
) -> Result<(Arc<str>, AnyOrderCollector), Error> {
    let name: Arc<str> = query.name().into();
    let (header, query) = query.peek_header()?;
    let libraries = Arc::new(DuplicateLibraries::new(&header));
    let lengths: Arc<[u64]> = header.references().iter().map(|one| one.length).collect();
    let share = SortLimits { memory: limits.memory / options.threads.max(1), ..limits.clone() };
    let new = || AnyOrderCollector::new(mates, &share, marking, &lengths, &libraries);
    let (_, mut collector) = bam::Fold::new(query).options(options).run(
        new,
        |collector, batch| collector.add_batch(batch),
        AnyOrderCollector::merge,
    )?;
    match collector.failure.take() {
        None => Ok((name, collector)),
        Some((number, error)) => Err(error.of_record(&name, number + 1)),
    }
}

/// Takes records in any order.
struct AnyOrderCollector {
    mates: MateSource,
    lengths: Arc<[u64]>,
    finder: DuplicateFinder,
    /// Primary records by the hashes of their names, where these tell who is whose mate.
    reads: Sorter,
    /// The same of records that may be marked with others, and of these.
    followers: Sorter,
    records: u64,
    entry: Vec<u8>,
    lacks_tags: bool,
    /// The record at which this failed, and why.
    failure: Option<(u64, Error)>,
}

impl AnyOrderCollector {
    fn new(
        mates: MateSource,
        limits: &SortLimits,
        marking: &Marking,
        lengths: &Arc<[u64]>,
        libraries: &Arc<DuplicateLibraries>,
    ) -> AnyOrderCollector {
        let sorter = |sixteenths: usize| {
            let memory = limits.memory / 16 * sixteenths;
            Sorter::new(BY_KEY, &SortLimits { memory, ..limits.clone() })
        };
        let of_followers = if marking.supplementary { 3 } else { 0 };
        AnyOrderCollector {
            mates,
            lengths: Arc::clone(lengths),
            finder: DuplicateFinder::new(limits, [11 - of_followers, 3], marking, libraries),
            // Keys take the rest when the names are together.
            reads: sorter(11 - of_followers),
            followers: sorter(of_followers),
            records: 0,
            entry: Vec::new(),
            lacks_tags: false,
            failure: None,
        }
    }

    fn add_batch(&mut self, batch: Batch<'_>) -> ControlFlow<()> {
        for (number, record) in (batch.first_record()..).zip(batch) {
            self.records += 1;
            match self.add(number, &record) {
                Ok(true) => continue,
                Ok(false) => self.lacks_tags = true,
                Err(error) => self.failure = Some((number, error)),
            }
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Adds a record; `false` if tags are missing.
    fn add(&mut self, number: u64, record: &Record<'_>) -> Result<bool, Error> {
        record.check()?;
        let flags = record.flags();
        let is_primary = is_primary(flags);
        if self.finder.marking.supplementary && self.may_be_marked_with_others(record) {
            self.entry.clear();
            self.entry.extend_from_slice(record.name());
            add_by_name(&mut self.followers, number, record.name(), &self.entry)?;
        }
        match self.mates {
            _ if !is_primary => self.finder.candidates.counts.excluded += 1,
            MateSource::Names => self.add_by_name(number, record)?,
            MateSource::Tags if is_examined(flags, &self.finder.marking) => {
                return self.add_by_tags(number, record);
            }
            MateSource::Tags => self.finder.candidates.counts.excluded += 1,
        }
        Ok(true)
    }

    /// Whether a record may be marked as others of its name are, or others as it is.
    fn may_be_marked_with_others(&self, record: &Record<'_>) -> bool {
        let flags = record.flags();
        self.mates == MateSource::Names
            || !is_primary(flags)
            || flags & (flag::UNMAPPED | flag::MATE_UNMAPPED) != 0
            || record.tags().any(|tag| matches!(&tag.name, b"SA" | b"XA"))
    }

    fn add_by_tags(&mut self, number: u64, record: &Record<'_>) -> Result<bool, Error> {
        let mut read = Primary::new(0, record);
        let signature =
            ReadSignature::new(record, &read, &self.finder.marking, &self.finder.libraries);
        if !read.has_mate_somewhere() {
            self.finder.look_alone(number, &read, &signature, None)?;
            return Ok(true);
        }
        let score = record.tag(b"ms")?.and_then(|value| value.as_int());
        let (Some(Value::Text(cigar)), Some(score)) = (record.tag(b"MC")?, score) else {
            return Ok(false);
        };
        read.mate_score = Some(score as u32);
        let mate = Primary::mate_of(&read);
        let ends = ClippedEnds::of_mate(mate.position, cigar);
        self.finder.look_alone(number, &read, &signature, Some((&mate, &ends)))?;
        Ok(true)
    }

    fn add_by_name(&mut self, number: u64, record: &Record<'_>) -> Result<(), Error> {
        let changed = match self.finder.marking.rule {
            DuplicateRule::Samtools => sanitized(record, &self.lengths),
            DuplicateRule::Picard => None,
        };
        let record = changed.as_ref().map_or(*record, |bytes| Record::from_checked(bytes));
        let primary = Primary::new(0, &record);
        let signature =
            ReadSignature::new(&record, &primary, &self.finder.marking, &self.finder.libraries);
        self.entry.clear();
        primary.write(&mut self.entry);
        signature.write(&mut self.entry);
        add_by_name(&mut self.reads, number, record.name(), &self.entry)
    }

    fn merge(&mut self, other: AnyOrderCollector) {
        self.finder.merge(other.finder);
        self.reads.merge(other.reads);
        self.followers.merge(other.followers);
        self.records += other.records;
        self.lacks_tags |= other.lacks_tags;
        // The first one in the order of the input counts.
        let failures = [self.failure.take(), other.failure];
        self.failure = failures.into_iter().flatten().min_by_key(|failure| failure.0);
    }
}

fn add_by_name(sorter: &mut Sorter, number: u64, name: &[u8], entry: &[u8]) -> Result<(), Error> {
    let key = hash(&name).to_be_bytes();
    sorter.add_entry(&SortEntry { number, key: &key, record: entry })
}

fn finish(mut sorter: Sorter, limits: &SortLimits, threads: usize) -> Result<Sorted, Error> {
    sorter.limits = limits.clone();
    sorter.finish(&Header::default(), threads)
}

/// Entries whose names have one hash, in the order of their numbers.
#[derive(Default)]
struct NameEntries {
    hash: Vec<u8>,
    bytes: Vec<u8>,
    /// The number of each record, and where its entry ends.
    ends: Vec<(u64, usize)>,
}

impl NameEntries {
    fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|end| end.1));
        starts.zip(&self.ends).map(|(start, &(number, end))| (number, &self.bytes[start..end]))
    }
}

/// Gives the entries of each hash to `take`.
fn for_each_hash(
    mut sorted: Sorted,
    mut take: impl FnMut(&NameEntries) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut group = NameEntries::default();
    while let Some(entry) = sorted.next_entry()? {
        if entry.key != group.hash {
            if !group.ends.is_empty() {
                take(&group)?;
            }
            group.hash.clear();
            group.hash.extend_from_slice(entry.key);
            group.bytes.clear();
            group.ends.clear();
        }
        group.bytes.extend_from_slice(entry.record);
        group.ends.push((entry.number, group.bytes.len()));
    }
    if group.ends.is_empty() { Ok(()) } else { take(&group) }
}

/// Looks at the reads of each name.
fn look_at_names(sorted: Sorted, finder: &mut DuplicateFinder) -> Result<(), Error> {
    let (mut members, mut offsets) = (Vec::<GroupMember>::new(), Vec::new());
    for_each_hash(sorted, |entries| {
        let mut all: Vec<(u64, Primary, ReadSignature<'_>)> = Vec::with_capacity(2);
        for (number, mut entry) in entries.iter() {
            let primary = Primary::read(&mut entry);
            all.push((number, primary, ReadSignature::read(entry)));
        }
        // Nearly always they have one name.
        all.sort_by_key(|(number, _, signature)| (signature.name, *number));
        for group in all.chunk_by(|one, other| one.2.name == other.2.name) {
            let first = group[0].0;
            offsets.clear();
            offsets.extend(group.iter().map(|one| one.0 - first));
            let reads: Vec<ReadSignature<'_>> = group.iter().map(|one| one.2).collect();
            let primary = group.iter().enumerate().map(|(index, one)| {
                let mut primary = one.1;
                primary.index = index;
                Some(primary)
            });
            let is_paired = group.iter().any(|one| one.1.flags & flag::PAIRED != 0);
            if is_paired && group.len() < 2 {
                finder.candidates.counts.without_mate += 1;
            }
            match finder.marking.rule {
                DuplicateRule::Samtools => {
                    mates::mate(primary, &mut members);
                    for (member, one) in members.iter().zip(group) {
                        look_at_mate(finder, one.0, member, &reads)?;
                    }
                }
                DuplicateRule::Picard => {
                    members.clear();
                    members.extend(primary.map(GroupMember::from));
                    mates::as_picard(&mut members, |index| reads[index].group_hash);
                    let offsets = Some(&offsets[..]);
                    let group = TemplateGroup { first, offsets, members: &members, reads: &reads };
                    finder.look(&group)?;
                }
            }
        }
        Ok(())
    })
}

/// Looks at a read that knows its mate, which is among `reads`, as if tags told of it.
fn look_at_mate(
    finder: &mut DuplicateFinder,
    number: u64,
    member: &GroupMember,
    reads: &[ReadSignature<'_>],
) -> Result<(), Error> {
    let Some(read) = member.primary().filter(|read| is_examined(read.flags, &finder.marking))
    else {
        finder.candidates.counts.excluded += 1;
        return Ok(());
    };
    let mate = Primary::mate_of(read);
    let ends = read.mate_cigar.and_then(|of| reads.get(of)).map(|of| of.ends);
    let mate = ends.as_ref().filter(|_| read.has_mate_somewhere()).map(|ends| (&mate, ends));
    finder.look_alone(number, read, &reads[read.index], mate)
}

/// Marks the records of a name with those of which others follow.
fn spread(sorted: Sorted, found: &mut DuplicateDecisions) -> Result<(), Error> {
    for_each_hash(sorted, |entries| {
        let mut all: Vec<(&[u8], u64)> =
            entries.iter().map(|(number, name)| (name, number)).collect();
        all.sort_unstable();
        for group in all.chunk_by(|one, other| one.0 == other.0) {
            for bits in [&mut found.groups, &mut found.optical_groups] {
                if group.iter().any(|one| bits.get(one.1)) {
                    group.iter().for_each(|one| bits.set(one.1));
                }
            }
        }
        Ok(())
    })
}
