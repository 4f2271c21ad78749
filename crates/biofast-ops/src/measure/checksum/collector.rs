//! What a thread computes of records, and what is made of them in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{Batch, Record, STORED_LETTERS, flag};
use biofast_fastq::pair::{MateNaming, mate_number, pair_template, template_name};
use biofast_fastq::{self as fastq, Unit};
use biofast_io::Crc32;
use biofast_kernels as kernels;

use super::groups::GroupNumbers;
use super::rules::{ChecksumOrder, ChecksumRules, ChecksumVersion};
use super::sums::{ChecksumColumn, ChecksumGroup, ChecksumRow, Checksums};
use super::tags::CountedTags;
use crate::Error;
use crate::sanitize::sanitized;

/// The CRCs of a record, by column.
type RecordCrcs = [u32; 7];

/// Columns that every record has.
const BASIC: usize = ChecksumColumn::Position as usize;

/// The values of groups, by their numbers: of records that passed quality control, and of those that failed.
#[derive(Default)]
struct GroupRows {
    numbers: GroupNumbers,
    rows: Vec<[ChecksumRow; 2]>,
}

impl GroupRows {
    #[inline]
    fn of(&mut self, number: usize) -> &mut [ChecksumRow; 2] {
        if number >= self.rows.len() {
            self.rows.resize(self.numbers.len().max(number + 1), Default::default());
        }
        &mut self.rows[number]
    }

    fn merge(&mut self, other: &GroupRows) {
        for (number, theirs) in other.rows.iter().enumerate() {
            let number = self.numbers.of(other.numbers.name(number));
            for (mine, theirs) in self.of(number).iter_mut().zip(theirs) {
                mine.merge(theirs);
            }
        }
    }

    fn finish(self) -> Checksums {
        let mut sums = Checksums::default();
        for (number, [pass, fail]) in self.rows.iter().enumerate() {
            let group = ChecksumGroup::new(*pass, *fail);
            sums.all.merge(&group);
            match self.numbers.name(number) {
                Some(name) => _ = sums.groups.insert(name.to_vec(), group),
                None => sums.ungrouped = group,
            }
        }
        sums
    }
}

/// What a thread computes.
pub(super) struct Counted<'r> {
    rules: &'r ChecksumRules,
    /// The name of the input.
    input: Arc<str>,
    columns: usize,
    /// The lengths of reference sequences, if records are put right.
    lengths: Option<Vec<u64>>,
    /// A name, flags, a sequence and qualities.
    text: Vec<u8>,
    tags: CountedTags,
    groups: GroupRows,
}

/// What a batch leaves where order counts.
#[derive(Default)]
pub(super) struct OrderedPiece {
    numbers: GroupNumbers,
    /// The group of each record, whether it failed quality control, and its CRCs.
    records: Vec<(u32, bool, RecordCrcs)>,
}

impl<'r> Counted<'r> {
    pub(super) fn new(rules: &'r ChecksumRules, input: &Arc<str>) -> Counted<'r> {
        Counted {
            rules,
            input: Arc::clone(input),
            columns: columns(rules),
            lengths: None,
            text: Vec::new(),
            tags: CountedTags::default(),
            groups: GroupRows::default(),
        }
    }

    /// Adds the records of a batch.
    pub(super) fn accept(&mut self, batch: Batch<'_>) -> Result<ControlFlow<()>, Error> {
        self.each(batch, |counted, record, crcs, group| {
            let number = counted.groups.numbers.of(group);
            let columns = counted.columns;
            counted.groups.of(number)[failed(record)].add(1, &crcs, columns);
        })?;
        // The end of the run says so.
        Ok(match self.groups.numbers.are_too_many() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    }

    /// Lists the records of a batch.
    pub(super) fn list(&mut self, batch: Batch<'_>, piece: &mut OrderedPiece) -> Result<(), Error> {
        self.each(batch, |_, record, crcs, group| {
            let number = piece.numbers.of(group);
            // A batch has fewer records than 2^32.
            piece.records.push((number as u32, failed(record) == 1, crcs));
        })
    }

    fn each(
        &mut self,
        batch: Batch<'_>,
        mut take: impl FnMut(&mut Self, &Record<'_>, RecordCrcs, Option<&[u8]>),
    ) -> Result<(), Error> {
        let rules = self.rules;
        let is_sanitized = rules.sanitize != crate::sanitize::SanitizeRules::NONE;
        for record in batch.iter().filter(|record| rules.keeps(record.flags())) {
            let changed = if is_sanitized {
                let references = batch.header().references();
                let lengths = self
                    .lengths
                    .get_or_insert_with(|| references.iter().map(|one| one.length).collect());
                sanitized(&record, lengths, rules.sanitize)
            } else {
                None
            };
            let counts = match &changed {
                Some(bytes) => {
                    // What is malformed is left out of what is put right.
                    record
                        .check_tags()
                        .map_err(|error| located(error, &record, batch, &self.input))?;
                    Record::from_checked(bytes)
                }
                None => record,
            };
            let (crcs, group) = match self.crcs(&counts) {
                Ok(found) => found,
                Err(error) => return Err(located(error, &record, batch, &self.input).into()),
            };
            take(self, &counts, crcs, group);
        }
        Ok(())
    }

    /// The CRCs of a record, and its read group.
    #[inline]
    fn crcs<'b>(
        &mut self,
        record: &Record<'b>,
    ) -> Result<(RecordCrcs, Option<&'b [u8]>), biofast_bam::Error> {
        let (packed, len) = (record.packed_sequence(), record.sequence_len());
        let qualities = record.qualities();
        let flags = record.flags();
        self.text.clear();
        self.begin(record.name(), flags);
        // Without its check: a missing quality is a space, and the checksum of one that can't be is one, too.
        let ascii = |quality: &u8| quality.wrapping_add(b'!');
        if flags & flag::REVERSE != 0 && self.rules.reverse_complement {
            kernels::unpack_bases_reverse_complement(packed, len, &mut self.text);
            self.text.extend(qualities.as_slice().iter().rev().map(ascii));
        } else {
            kernels::unpack_bases(packed, len, &mut self.text);
            self.text.extend(qualities.as_slice().iter().map(ascii));
        }
        let group = self.tags.read(record, &self.rules.tags)?;
        let mut crcs = self.basic(record.name().len(), len);
        let sequence = crcs.1;
        if self.columns > BASIC {
            self.add_places(record, sequence, &mut crcs.0);
        }
        Ok((crcs.0, group))
    }

    /// Begins the text of a record.
    #[inline]
    fn begin(&mut self, name: &[u8], flags: u16) {
        self.text.extend_from_slice(name);
        // Of the flags only these eight count, in samtools, too.
        self.text.extend_from_slice(&[0, (flags & self.rules.flag_mask) as u8]);
    }

    /// The CRCs of the text and the tags, and that of flags and sequence to go on with.
    #[inline]
    fn basic(&self, name_len: usize, len: usize) -> (RecordCrcs, Crc32) {
        let (flags, end) = (name_len + 1, name_len + 2 + len);
        let mut name = Crc32::new();
        name.update(&self.text[..end]);
        let mut sequence = Crc32::new();
        sequence.update(&self.text[flags..end]);
        let mut quality = sequence;
        quality.update(&self.text[end..]);
        let mut tags = sequence;
        tags.update(self.tags.bytes());
        let mut crcs = [1; 7];
        crcs[ChecksumColumn::Sequence as usize] = sequence.sum();
        crcs[ChecksumColumn::Name as usize] = name.sum();
        crcs[ChecksumColumn::Quality as usize] = quality.sum();
        crcs[ChecksumColumn::Tags as usize] = tags.sum();
        (crcs, sequence)
    }

    /// Those of what an aligner finds.
    fn add_places(&self, record: &Record<'_>, sequence: Crc32, crcs: &mut RecordCrcs) {
        let rules = self.rules;
        let place = |reference: i32, position: i32| {
            let mut bytes = [0; 12];
            bytes[..4].copy_from_slice(&reference.to_le_bytes());
            bytes[4..].copy_from_slice(&i64::from(position).to_le_bytes());
            bytes
        };
        if rules.positions {
            let mut crc = sequence;
            crc.update(&place(record.reference_id(), record.position()));
            crcs[ChecksumColumn::Position as usize] = crc.sum();
        }
        if rules.cigars {
            let mut crc = sequence;
            crc.update(&u32::from(record.mapping_quality()).to_le_bytes());
            for word in record.cigar().words() {
                crc.update(&word.to_le_bytes());
            }
            crcs[ChecksumColumn::Cigar as usize] = crc.sum();
        }
        if rules.mates {
            let mut crc = sequence;
            crc.update(&place(record.mate_reference_id(), record.mate_position()));
            if rules.version == ChecksumVersion::Two {
                crc.update(&i64::from(record.template_len()).to_le_bytes());
            }
            crcs[ChecksumColumn::Mate as usize] = crc.sum();
        }
    }

    /// Adds a read or a pair. Of pairs and of all others the number says how many reads come before it.
    pub(super) fn add_reads(&mut self, unit: &Unit<'_>, mates: MateNaming) {
        const PAIRED: u16 = flag::UNMAPPED | flag::PAIRED | flag::MATE_UNMAPPED;
        match &unit.second {
            Some(second) => {
                let names = [unit.first.name(), second.name()];
                let [one, two] = [names, [names[1], names[0]]]
                    .map(|[name, mate]| pair_template(name, mate, mates));
                self.add_read(one, &unit.first, PAIRED | flag::READ1, 2 * unit.index);
                self.add_read(two, second, PAIRED | flag::READ2, 2 * unit.index + 1);
            }
            None => {
                let name = unit.first.name();
                let flags = match mate_number(&fastq::Record::new(name, b"", b"")) {
                    Some(1) => PAIRED | flag::READ1,
                    Some(_) => PAIRED | flag::READ2,
                    None => flag::UNMAPPED,
                };
                self.add_read(template_name(name), &unit.first, flags, unit.index);
            }
        }
    }

    fn add_read(&mut self, name: &[u8], read: &fastq::Record<'_>, flags: u16, before: u64) {
        let rules = self.rules;
        if !rules.keeps(flags) || rules.limit.is_some_and(|limit| before >= limit) {
            return;
        }
        self.text.clear();
        self.begin(name, flags);
        self.text.extend(read.sequence().iter().map(|&base| STORED_LETTERS[usize::from(base)]));
        let len = read.sequence().len();
        match read.has_qualities() {
            true => self.text.extend_from_slice(read.qualities()),
            // As those that are missing in alignments.
            false => self.text.resize(self.text.len() + len, b' '),
        }
        let (mut crcs, sequence) = self.basic(name.len(), len);
        if self.columns > BASIC {
            let nowhere = Record::from_checked(&UNPLACED);
            self.add_places(&nowhere, sequence, &mut crcs);
        }
        if rules.order != ChecksumOrder::Any {
            mark(&mut crcs, before);
        }
        let columns = self.columns;
        self.groups.of(0)[0].add(1, &crcs, columns);
    }

    pub(super) fn merge(&mut self, other: Counted<'_>) {
        self.groups.merge(&other.groups);
    }

    /// The values of all records.
    ///
    /// # Errors
    /// If they name too many read groups.
    pub(super) fn finish(self) -> Result<Checksums, Error> {
        match self.groups.numbers.are_too_many() {
            true => Err(GroupNumbers::too_many(&self.input)),
            false => Ok(self.groups.finish()),
        }
    }
}

/// An error of a record of a batch, with its place.
#[cold]
fn located(
    error: biofast_bam::Error,
    record: &Record<'_>,
    batch: Batch<'_>,
    input: &Arc<str>,
) -> biofast_bam::Error {
    let (kind, _) = error.into_parts();
    let error = biofast_bam::Error::of_record(kind, record.as_bytes());
    batch.located(error).in_input(input)
}

/// How many columns are computed.
fn columns(rules: &ChecksumRules) -> usize {
    let is_basic = !(rules.positions || rules.cigars || rules.mates);
    if is_basic { BASIC } else { ChecksumColumn::ALL.len() }
}

/// The row of a record.
#[inline]
fn failed(record: &Record<'_>) -> usize {
    usize::from(record.flags() & flag::QC_FAIL != 0)
}

/// Makes CRCs depend on how many records came before.
fn mark(crcs: &mut RecordCrcs, before: u64) {
    let number = biofast_io::crc32(&before.to_le_bytes());
    crcs.iter_mut().for_each(|crc| *crc ^= number);
}

/// A record of BAM without a place, of which nothing else is asked.
const UNPLACED: [u8; 33] = {
    let mut bytes = [0; 33];
    let mut at = 0;
    while at < 4 {
        // Reference, position, and those of the mate.
        (bytes[at], bytes[4 + at], bytes[20 + at], bytes[24 + at]) = (0xff, 0xff, 0xff, 0xff);
        at += 1;
    }
    bytes[8] = 1;
    bytes
};

/// What is made of records in their order.
pub(super) struct OrderedRecords<'r> {
    rules: &'r ChecksumRules,
    columns: usize,
    groups: GroupRows,
    /// Of all records, where their numbers in the file count.
    all: [ChecksumRow; 2],
    left: Option<u64>,
}

impl<'r> OrderedRecords<'r> {
    pub(super) fn new(rules: &'r ChecksumRules) -> OrderedRecords<'r> {
        let (columns, left) = (columns(rules), rules.limit);
        OrderedRecords {
            rules,
            columns,
            groups: GroupRows::default(),
            all: Default::default(),
            left,
        }
    }

    /// Takes the records of the next batch.
    pub(super) fn append(&mut self, piece: &mut OrderedPiece) -> Result<ControlFlow<()>, Error> {
        for (number, did_fail, crcs) in piece.records.drain(..) {
            if self.left == Some(0) {
                return Ok(ControlFlow::Break(()));
            }
            self.left = self.left.map(|left| left - 1);
            let number = self.groups.numbers.of(piece.numbers.name(number as usize));
            let row = usize::from(did_fail);
            let rows = self.groups.of(number);
            let before = |rows: &[ChecksumRow; 2]| rows[0].count + rows[1].count;
            let marked = |before: u64| {
                let mut crcs = crcs;
                if self.rules.order != ChecksumOrder::Any {
                    mark(&mut crcs, before);
                }
                crcs
            };
            let own = marked(before(rows));
            rows[row].add(1, &own, self.columns);
            if self.rules.order == ChecksumOrder::WithinFile {
                let own = marked(before(&self.all));
                self.all[row].add(1, &own, self.columns);
            }
        }
        piece.numbers.clear();
        let is_end = self.left == Some(0) || self.groups.numbers.are_too_many();
        Ok(if is_end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// The values of all records.
    ///
    /// # Errors
    /// If they name too many read groups.
    pub(super) fn finish(self, input: &str) -> Result<Checksums, Error> {
        if self.groups.numbers.are_too_many() {
            return Err(GroupNumbers::too_many(input));
        }
        let mut sums = self.groups.finish();
        if self.rules.order == ChecksumOrder::WithinFile {
            let [pass, fail] = self.all;
            sums.all = ChecksumGroup::new(pass, fail);
        }
        Ok(sums)
    }
}
