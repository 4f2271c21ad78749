//! Duplicates among records in any order, which are not sorted themselves.
//!
//! What of a record decides goes to short entries. By the rule of samtools each read is decided about by itself, by what the tags of
//! `samtools fixmate -m` say of its mate. Where they aren't there, the reads of a name are brought together by a hash of it, and learn
//! what the tags would say. By Picard's rule they always are, and are decided about together.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use biofast_bam::{self as bam, Batch, Header, Query, Record, Value, flag};
use biofast_io::Options;

use super::super::gather::SortEntry;
use super::decide;
use super::decisions::DuplicateDecisions;
use super::entries::EntrySink;
use super::finder::{BY_KEY, DuplicateFinder, TemplateGroup};
use super::keys::ClippedEnds;
use super::libraries::DuplicateLibraries;
use super::marker::{MarkDecisions, MarkTally};
use super::mates::{self, GroupMember};
use super::metrics::DuplicateCounts;
use super::primary::{MateRules, Primary, is_primary};
use super::rule::{DuplicateRule, Marking};
use super::signature::{ReadSignature, hash, is_examined};
use crate::Error;
use crate::change::sort::sorter::{SortLimits, Sorted, Sorter};
use crate::sanitize::{SanitizeRules, sanitized};

/// How a read knows its mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MateSource {
    /// By its tags MC and ms.
    Tags,
    /// By its name: two reads of a batch that have it alone are mates, unless another read turns up that has it, too.
    NamesNearby,
    /// By its name, when all reads that have it are known.
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
        DuplicateRule::Picard => MateSource::NamesNearby,
    };
    let threads = options.threads.max(1);
    let (mut name, mut collector) = collect(open()?, first, options, limits, marking)?;
    if collector.lacks_tags {
        drop(collector);
        (name, collector) = collect(open()?, MateSource::NamesNearby, options, limits, marking)?;
    }
    if collector.mates == MateSource::NamesNearby && !collector.look_at_rest(limits, threads)? {
        drop(collector);
        (name, collector) = collect(open()?, MateSource::Names, options, limits, marking)?;
    }
    if collector.mates == MateSource::Names {
        collector.look_at_rest(limits, threads)?;
    }
    let AnyOrderCollector { finder, followers, records, .. } = collector;
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
    /// What was found in a batch: hashes of names, with the numbers of the records, and where their entries are.
    nearby: Vec<(u64, u64, Range<usize>)>,
    entries: Vec<u8>,
    names: NameLooker,
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
        let (of_reads, of_keys) = match mates {
            MateSource::Tags => (0, [11 - of_followers, 3]),
            MateSource::NamesNearby | MateSource::Names => (6 - of_followers, [6, 2]),
        };
        AnyOrderCollector {
            mates,
            lengths: Arc::clone(lengths),
            finder: DuplicateFinder::new(limits, of_keys, marking, libraries),
            reads: sorter(of_reads),
            followers: sorter(of_followers),
            records: 0,
            entry: Vec::new(),
            nearby: Vec::new(),
            entries: Vec::new(),
            names: NameLooker::default(),
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
        match self.look_nearby() {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some((batch.first_record(), error));
                ControlFlow::Break(())
            }
        }
    }

    /// Looks at pairs of which both reads are in the batch, and keeps all other reads.
    fn look_nearby(&mut self) -> Result<(), Error> {
        self.nearby.sort_unstable_by_key(|(hash, number, _)| (*hash, *number));
        for group in self.nearby.chunk_by(|one, other| one.0 == other.0) {
            let read = |(_, number, range): &(u64, u64, Range<usize>)| {
                KnownRead::of(*number, &self.entries[range.clone()])
            };
            let key = group[0].0.to_be_bytes();
            if let [one, other] = group {
                let pair = [read(one), read(other)];
                if pair[0].signature.name == pair[1].signature.name {
                    self.names.look(&pair, &mut self.finder)?;
                    // That is all there may be of this name.
                    self.reads.add_entry(&SortEntry { number: one.1, key: &key, record: &[] })?;
                    continue;
                }
            }
            for (_, number, range) in group {
                let record = &self.entries[range.clone()];
                self.reads.add_entry(&SortEntry { number: *number, key: &key, record })?;
            }
        }
        self.nearby.clear();
        self.entries.clear();
        Ok(())
    }

    /// Looks at the reads that have been kept, by their names. `false` if reads that were looked at together aren't the only ones of
    /// their name.
    fn look_at_rest(&mut self, limits: &SortLimits, threads: usize) -> Result<bool, Error> {
        let none = Sorter::new(BY_KEY, &SortLimits { memory: 0, ..limits.clone() });
        let sorted = finish(std::mem::replace(&mut self.reads, none), limits, threads)?;
        let mut are_alone = true;
        let Self { finder, names, .. } = self;
        for_each_hash(sorted, |entries| {
            let has_pair = entries.iter().any(|(_, entry)| entry.is_empty());
            if has_pair {
                are_alone &= entries.iter().nth(1).is_none();
                return Ok(());
            }
            let mut reads: Vec<KnownRead<'_>> =
                entries.iter().map(|(number, entry)| KnownRead::of(number, entry)).collect();
            // Nearly always they have one name.
            reads.sort_by_key(|read| (read.signature.name, read.number));
            let mut groups =
                reads.chunk_by(|one, other| one.signature.name == other.signature.name);
            groups.try_for_each(|group| names.look(group, finder))
        })?;
        Ok(are_alone)
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
            MateSource::NamesNearby | MateSource::Names => self.add_by_name(number, record)?,
            MateSource::Tags if is_examined(flags, &self.finder.marking) => {
                return Ok(look_by_tags(&mut self.finder, number, record)?.is_some());
            }
            MateSource::Tags => self.finder.candidates.counts.excluded += 1,
        }
        Ok(true)
    }

    /// Whether a record may be marked as others of its name are, or others as it is.
    fn may_be_marked_with_others(&self, record: &Record<'_>) -> bool {
        let flags = record.flags();
        self.mates != MateSource::Tags
            || !is_primary(flags)
            || flags & (flag::UNMAPPED | flag::MATE_UNMAPPED) != 0
            || record.tags().any(|tag| matches!(&tag.name, b"SA" | b"XA"))
    }

    fn add_by_name(&mut self, number: u64, record: &Record<'_>) -> Result<(), Error> {
        let changed = match self.finder.marking.rule {
            DuplicateRule::Samtools => sanitized(record, &self.lengths, SanitizeRules::default()),
            DuplicateRule::Picard => None,
        };
        let record = changed.as_ref().map_or(*record, |bytes| Record::from_checked(bytes));
        let primary = Primary::new(0, &record);
        let signature =
            ReadSignature::new(&record, &primary, &self.finder.marking, &self.finder.libraries);
        if self.mates == MateSource::NamesNearby {
            let start = self.entries.len();
            primary.write(&mut self.entries);
            signature.write(&mut self.entries);
            self.nearby.push((hash(&record.name()), number, start..self.entries.len()));
            return Ok(());
        }
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

/// Looks at a primary record whose tags tell of its mate. Where it begins and ends; `None` if tags are missing.
pub(super) fn look_by_tags<E: EntrySink>(
    finder: &mut DuplicateFinder<E>,
    number: u64,
    record: &Record<'_>,
) -> Result<Option<ClippedEnds>, Error> {
    let mut read = Primary::new(0, record);
    let signature = ReadSignature::new(record, &read, &finder.marking, &finder.libraries);
    if !read.has_mate_somewhere() {
        finder.look_alone(number, &read, &signature, None)?;
        return Ok(Some(signature.ends));
    }
    let score = record.tag(b"ms")?.and_then(|value| value.as_int());
    let (Some(Value::Text(cigar)), Some(score)) = (record.tag(b"MC")?, score) else {
        return Ok(None);
    };
    read.mate_score = Some(score as u32);
    let mate = Primary::mate_of(&read);
    let ends = ClippedEnds::of_mate(mate.position, cigar);
    finder.look_alone(number, &read, &signature, Some((&mate, &ends)))?;
    Ok(Some(signature.ends))
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

/// A primary record whose mate is looked for.
struct KnownRead<'r> {
    number: u64,
    primary: Primary,
    signature: ReadSignature<'r>,
}

impl<'r> KnownRead<'r> {
    /// What an entry says.
    fn of(number: u64, mut entry: &'r [u8]) -> KnownRead<'r> {
        let primary = Primary::read(&mut entry);
        KnownRead { number, primary, signature: ReadSignature::read(entry) }
    }
}

/// Looks at the reads of a name.
#[derive(Default)]
struct NameLooker {
    members: Vec<GroupMember>,
    offsets: Vec<u64>,
}

impl NameLooker {
    /// `group` are all, in the order of their numbers.
    fn look(&mut self, group: &[KnownRead<'_>], finder: &mut DuplicateFinder) -> Result<(), Error> {
        let Some(first) = group.first().map(|first| first.number) else { return Ok(()) };
        let NameLooker { members, offsets } = self;
        offsets.clear();
        offsets.extend(group.iter().map(|one| one.number - first));
        let reads: Vec<ReadSignature<'_>> = group.iter().map(|one| one.signature).collect();
        let primary = group.iter().enumerate().map(|(index, one)| {
            let mut primary = one.primary;
            primary.index = index;
            Some(primary)
        });
        let is_paired = group.iter().any(|one| one.primary.flags & flag::PAIRED != 0);
        if is_paired && group.len() < 2 {
            finder.candidates.counts.without_mate += 1;
        }
        match finder.marking.rule {
            DuplicateRule::Samtools => {
                mates::mate(primary, MateRules::MARKING, members);
                members
                    .iter()
                    .zip(group)
                    .try_for_each(|(member, one)| look_at_mate(finder, one.number, member, &reads))
            }
            DuplicateRule::Picard => {
                members.clear();
                members.extend(primary.map(GroupMember::from));
                mates::as_picard(members, |index| reads[index].group_hash);
                let group = TemplateGroup { first, offsets: Some(offsets), members, reads: &reads };
                finder.look(&group)
            }
        }
    }
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
