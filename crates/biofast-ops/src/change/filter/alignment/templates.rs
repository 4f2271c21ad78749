//! Whole templates: all records of a name are kept, or none.
//!
//! Primary records decide: all of a template must be wanted, or one of them; if there is none, the others decide. Secondary and
//! supplementary records go with their template, but for those that flags exclude.
//!
//! Where records of a template stand together ([`TemplateWorker::apply`]) one reading is enough. Else a first reading ([`decide`])
//! finds which records are kept, a bit for each, by hashes of their names in bounded memory and temporary files.

use std::hash::BuildHasher;
use std::io::{self, Write};
use std::ops::ControlFlow;

use biofast_bam::{self as bam, Batch, Fold, Header, Query, Record, flag};
use biofast_io::Options;

use super::choice::{Choice, ChoiceWorker};
use super::tally::{AlignmentTally, Reason};
use crate::Error;
use crate::change::spill::{Partitions, SpillLimits, Stored, number_at};
use crate::change::to_fastq::NameHashes;

/// How many primary records of a template must be wanted for it to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateRule {
    /// All that there are.
    Both,
    /// One at least.
    Any,
}

impl TemplateRule {
    /// Whether a template is kept: numbers of its primary records and of those of them that are wanted, and of the others.
    fn keeps(self, [primary, other]: [TemplateCount; 2]) -> bool {
        let count = if primary.records > 0 { primary } else { other };
        match self {
            TemplateRule::Both => count.records > 0 && count.wanted == count.records,
            TemplateRule::Any => count.wanted > 0,
        }
    }
}

/// Records, and those of them that are wanted.
#[derive(Clone, Copy, Default)]
struct TemplateCount {
    records: u64,
    wanted: u64,
}

fn is_primary(flags: u16) -> bool {
    flags & (flag::SECONDARY | flag::SUPPLEMENTARY) == 0
}

/// Applies a [`Choice`] to whole templates, and counts.
pub struct TemplateWorker<'c> {
    worker: ChoiceWorker<'c>,
    choice: &'c Choice,
    rule: TemplateRule,
    objections: Vec<Option<Reason>>,
    sum: u64,
}

impl<'c> TemplateWorker<'c> {
    /// A worker without counts.
    pub fn new(choice: &'c Choice, rule: TemplateRule) -> TemplateWorker<'c> {
        let (worker, objections) = (choice.worker(), Vec::new());
        TemplateWorker { worker, choice, rule, objections, sum: 0 }
    }

    /// The counts so far.
    pub fn tally(&self) -> &AlignmentTally {
        self.worker.tally()
    }

    /// Adds the counts of another worker of the same choice.
    pub fn merge(&mut self, other: &TemplateWorker<'_>) {
        self.worker.merge(&other.worker);
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// Gives the records of a batch, in which records of the same name are together and not parted from those before or behind it, to
    /// `put`, and whether each is kept.
    ///
    /// # Errors
    /// If an expression has no answer for a record; the error of `put`.
    pub fn apply(
        &mut self,
        batch: Batch<'_>,
        mut put: impl FnMut(&Record<'_>, bool) -> Result<(), bam::Error>,
    ) -> Result<(), bam::Error> {
        let header = batch.header();
        let mut records = batch.iter();
        while let Some(first) = records.clone().next() {
            let template = || records.clone().take_while(|record| record.name() == first.name());
            let mut counts = [TemplateCount::default(); 2];
            self.objections.clear();
            for record in template() {
                let objection = self.choice.objection(&record, header)?;
                let count = &mut counts[usize::from(!is_primary(record.flags()))];
                count.records += 1;
                count.wanted += u64::from(objection.is_none());
                self.objections.push(objection);
            }
            let keeps = self.rule.keeps(counts);
            for (record, objection) in template().zip(&self.objections) {
                let objection = resolved(self.choice, &record, keeps, *objection);
                self.worker.book(&record, objection);
                put(&record, objection.is_none())?;
            }
            for _ in &self.objections {
                records.next();
            }
        }
        Ok(())
    }

    /// The same of records in any order, about which `decisions` has been made.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn apply_decided(
        &mut self,
        batch: Batch<'_>,
        decisions: &TemplateDecisions,
        mut put: impl FnMut(&Record<'_>, bool) -> Result<(), bam::Error>,
    ) -> Result<(), bam::Error> {
        let header = batch.header();
        for (number, record) in (batch.first_record()..).zip(batch) {
            self.sum = self.sum.wrapping_add(decisions.hashes.sum(number, &record));
            let objection = self.choice.objection(&record, header)?;
            let keeps = decisions.keeps(number);
            let objection = resolved(self.choice, &record, keeps, objection);
            self.worker.book(&record, objection);
            put(&record, objection.is_none())?;
        }
        Ok(())
    }

    /// Whether all workers together have seen the records that `decisions` is about.
    pub fn has_seen(&self, decisions: &TemplateDecisions) -> bool {
        self.sum == decisions.sum
    }
}

/// Why a record isn't kept, if it isn't, when its template is kept or not.
fn resolved(
    choice: &Choice,
    record: &Record<'_>,
    keeps: bool,
    own: Option<Reason>,
) -> Option<Reason> {
    let flags = record.flags();
    if !is_primary(flags) && choice.drops(flags) {
        return Some(Reason::Flags);
    }
    if keeps { None } else { own.or(Some(Reason::Mate)) }
}

/// Which records of an input are of templates that are kept.
pub struct TemplateDecisions {
    kept: Vec<u64>,
    hashes: Hashes,
    sum: u64,
}

impl TemplateDecisions {
    /// Whether the template of this record, counted from 0, is kept.
    pub fn keeps(&self, number: u64) -> bool {
        self.kept.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn keep(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if word >= self.kept.len() {
            self.kept.resize(word + 1, 0);
        }
        self.kept[word] |= 1 << (number % 64);
    }
}

/// Two hashes of a name under keys of this run: names with the same ones are the same but for a chance of 2^-128.
struct Hashes([NameHashes; 2]);

impl Hashes {
    fn of(&self, name: &[u8]) -> [u64; 2] {
        self.0.each_ref().map(|names| names.hash_one(name))
    }

    /// What tells a record at a place from all others.
    fn sum(&self, number: u64, record: &Record<'_>) -> u64 {
        let [one, two] = self.of(record.name());
        let flags = u64::from(record.flags()) << 48;
        (one ^ number.wrapping_mul(two | 1) ^ flags).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// What is known of a record by the first reading.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TemplateEntry {
    name: [u64; 2],
    /// The number, and above it whether the record is another than a primary one, and whether it is wanted.
    number: u64,
}

const OTHER: u64 = 1 << 63;
const WANTED: u64 = 1 << 62;

impl Stored for TemplateEntry {
    type Record<'a> = TemplateEntry;
    const HEAD: usize = 24;

    fn write(entry: &TemplateEntry, out: &mut impl Write) -> io::Result<u64> {
        for word in [entry.name[0], entry.name[1], entry.number] {
            out.write_all(&word.to_le_bytes())?;
        }
        Ok(TemplateEntry::HEAD as u64)
    }

    fn rest(_: &[u8]) -> usize {
        0
    }

    fn read<'a>(head: &'a [u8], _: &'a [u8]) -> TemplateEntry {
        let [one, two, number] = [0, 8, 16].map(|at| number_at(head, at));
        TemplateEntry { name: [one, two], number }
    }
}

/// Entries in memory, and in parts by their names in temporary files if that isn't enough.
struct TemplateEntries<'l> {
    limits: &'l SpillLimits,
    here: Vec<TemplateEntry>,
    parts: Option<Partitions<TemplateEntry>>,
    /// How often entries have been parted, each time by other bits of a name's hash.
    level: u32,
}

/// Bits of a hash that choose one of so many files.
const BITS: u32 = 5;
const FILES: usize = 1 << BITS;
/// Bytes kept for a file before they are written.
const BUFFER: usize = 32 << 10;
/// So often entries are parted: beyond that they are of the same name.
const DEEPEST: u32 = 8;

impl<'l> TemplateEntries<'l> {
    fn new(limits: &'l SpillLimits, level: u32) -> TemplateEntries<'l> {
        TemplateEntries { limits, here: Vec::new(), parts: None, level }
    }

    fn add(&mut self, entry: TemplateEntry) -> io::Result<()> {
        let hash = |entry: &TemplateEntry, level| entry.name[0] >> (BITS * level);
        if let Some(parts) = &mut self.parts {
            return parts.add(hash(&entry, self.level), &entry);
        }
        self.here.push(entry);
        if self.here.len() * TemplateEntry::HEAD > self.limits.memory && self.level < DEEPEST {
            let parts = Partitions::create(&self.limits.folder, FILES, BUFFER)?;
            let parts = self.parts.insert(parts);
            for entry in std::mem::take(&mut self.here) {
                parts.add(hash(&entry, self.level), &entry)?;
            }
        }
        Ok(())
    }

    /// Decides about all.
    fn finish(mut self, rule: TemplateRule, decisions: &mut TemplateDecisions) -> io::Result<()> {
        self.here.sort_unstable();
        for template in self.here.chunk_by(|one, other| one.name == other.name) {
            let mut counts = [TemplateCount::default(); 2];
            for entry in template {
                let count = &mut counts[usize::from(entry.number & OTHER != 0)];
                count.records += 1;
                count.wanted += u64::from(entry.number & WANTED != 0);
            }
            if rule.keeps(counts) {
                template.iter().for_each(|entry| decisions.keep(entry.number & !(OTHER | WANTED)));
            }
        }
        for entries in self.parts.into_iter().flat_map(Partitions::into_readers) {
            let mut entries = entries?;
            let mut part = TemplateEntries::new(self.limits, self.level + 1);
            while let Some(entry) = entries.next()? {
                part.add(entry)?;
            }
            part.finish(rule, decisions)?;
        }
        Ok(())
    }
}

/// Reads all records and finds which are of templates that are kept.
///
/// Beside a bit for each record, about `limits.memory` bytes are used, and temporary files beyond that.
///
/// # Errors
/// The first fault of the input; if an expression has no answer for a record; if a temporary file can't be written or read.
pub fn decide(
    query: impl Into<Query>,
    options: &Options,
    choice: &Choice,
    rule: TemplateRule,
    limits: &SpillLimits,
) -> Result<TemplateDecisions, Error> {
    let hashes = Hashes([NameHashes::new(), NameHashes::new()]);
    let mut decisions = TemplateDecisions { kept: Vec::new(), hashes, sum: 0 };
    let mut entries = TemplateEntries::new(limits, 0);
    let (mut failed, mut sum) = (None, 0u64);
    let hashes = &decisions.hashes;
    type Found = (Vec<TemplateEntry>, u64, Option<bam::Error>);
    let look = |batch: Batch<'_>, (found, sum, error): &mut Found| {
        found.clear();
        *sum = 0;
        let header: &Header = batch.header();
        for (number, record) in (batch.first_record()..).zip(batch) {
            let objection = match choice.objection(&record, header) {
                Ok(objection) => objection,
                Err(fault) => {
                    *error = Some(fault);
                    return;
                }
            };
            *sum = sum.wrapping_add(hashes.sum(number, &record));
            let other = if is_primary(record.flags()) { 0 } else { OTHER };
            let wanted = if objection.is_none() { WANTED } else { 0 };
            found.push(TemplateEntry {
                name: hashes.of(record.name()),
                number: number | other | wanted,
            });
        }
    };
    let result = Fold::new(query).options(options).ordered(
        || (),
        |(), batch, found: &mut Found| look(batch, found),
        |(), ()| (),
        |(found, of_batch, error)| {
            sum = sum.wrapping_add(*of_batch);
            let added = found.iter().try_for_each(|entry| entries.add(*entry));
            let problem = match (added, error.take()) {
                (Err(error), _) => Error::scratch_in(&limits.folder, error),
                (Ok(()), Some(error)) => Error::Alignments(error),
                (Ok(()), None) => return ControlFlow::Continue(()),
            };
            failed.get_or_insert(problem);
            ControlFlow::Break(())
        },
    );
    if let Some(problem) = failed {
        return Err(problem);
    }
    result?;
    decisions.sum = sum;
    let finished = entries.finish(rule, &mut decisions);
    finished.map_err(|error| Error::scratch_in(&limits.folder, error))?;
    Ok(decisions)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use biofast_bam::{Input, InputOptions};
    use biofast_io::Source;

    use super::*;

    /// Records in any order, some of a name that is far more often there than others, and name, flags and quality of each.
    fn records(count: u64) -> (String, Vec<String>) {
        let mut text = "@SQ\tSN:c\tLN:900\n".to_owned();
        let mut names = Vec::new();
        for number in 0..count {
            let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            let name = if mixed % 7 == 0 {
                "often".to_owned()
            } else {
                format!("t{}", mixed % (count / 3))
            };
            let flags = [0, 0, 0, 256, 2048][(mixed / 7 % 5) as usize];
            let quality = [60, 60, 3][(mixed / 35 % 3) as usize];
            text += &format!("{name}\t{flags}\tc\t9\t{quality}\t4M\t*\t0\t0\tACGT\tIIII\n");
            names.push(format!("{name} {flags} {quality}"));
        }
        (text, names)
    }

    fn decided(text: &str, rule: TemplateRule, limits: &SpillLimits) -> Result<Vec<bool>, Error> {
        let options = Options::default();
        let opened = InputOptions { io: &options, reference: None, detail: Default::default() };
        let source = Source::from_reader("example", std::io::Cursor::new(text.to_owned()));
        let input = Input::open(source, &opened).expect("it is SAM").source;
        let flags = flag::Filter { min_mapping_quality: 30, ..Default::default() };
        let choice = Choice::new().flags(flags);
        let decisions = decide(input, &options, &choice, rule, limits)?;
        let count = text.lines().count() as u64 - 1;
        Ok((0..count).map(|number| decisions.keeps(number)).collect())
    }

    #[test]
    fn what_is_in_temporary_files_is_decided_the_same() {
        let (text, records) = records(3000);
        let limits = |memory, folder| SpillLimits { memory, folder };
        let here = || std::env::temp_dir();
        for rule in [TemplateRule::Both, TemplateRule::Any] {
            let mut counts = std::collections::HashMap::<&str, [TemplateCount; 2]>::new();
            for record in &records {
                let mut words = record.split(' ');
                let (name, flags, quality) = (words.next(), words.next(), words.next());
                let count = &mut counts.entry(name.unwrap_or_default()).or_default()
                    [usize::from(flags != Some("0"))];
                count.records += 1;
                count.wanted += u64::from(quality == Some("60"));
            }
            let of = |record: &String| counts[record.split(' ').next().unwrap_or_default()];
            let expected: Vec<bool> = records.iter().map(|record| rule.keeps(of(record))).collect();
            assert!(expected.contains(&true) && expected.contains(&false));
            // All in memory; parted once; parted until only records of one name are together.
            for memory in [1 << 20, 20_000, 1000] {
                let found = decided(&text, rule, &limits(memory, here())).ok();
                assert!(found.as_ref() == Some(&expected), "{rule:?} {memory}");
            }
        }
        // Files are used when memory is not enough, and only then.
        let nowhere = PathBuf::from("/there is no such folder");
        let rule = TemplateRule::Any;
        assert!(decided(&text, rule, &limits(3000 * TemplateEntry::HEAD, nowhere.clone())).is_ok());
        let found = decided(&text, rule, &limits(3000 * TemplateEntry::HEAD - 1, nowhere.clone()));
        assert!(
            matches!(found, Err(Error::Scratch { folder: Some(folder), .. }) if folder == nowhere)
        );
    }
}
