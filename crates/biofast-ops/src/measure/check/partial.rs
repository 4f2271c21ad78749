//! What the report of a shard carries, so that the reports of all shards together are that of one run: what stands at their ends,
//! and what only the whole file can tell.

use std::path::Path;

use biofast_io::{Container, Location};
use serde::{Deserialize, Serialize};

use super::doubts;
use super::fault::{CheckRule, Error, Fault, Warning};
use super::options::Options;
use super::order::{Break, Edges};
use super::outcome::Outcome;
use super::remains::Remains;
use super::{CheckedFormat, alignments, reads};
use crate::measure::shards::{self, Plan};

/// What was found in a shard, or in shards that follow each other.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-check-shard-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fq");
/// use biofast_ops::check::{Options, check, check_shard};
/// use biofast_ops::shards::{ShardInput, ShardSizing, make};
///
/// std::fs::write(&path, "@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n@c\nT\n+\nI\n")?;
/// let io = biofast_io::Options::default();
/// let options = Options::new(&io);
/// let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(2), &io)?;
/// let (_, mut all) = check_shard(&plan, 1, 0, &path, &options)?;
/// let (_, second) = check_shard(&plan, 2, 0, &path, &options)?;
/// all.append(second)?;
/// assert_eq!(all.outcome(), check(biofast_io::Source::open(&path)?, &options)?);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialCheck {
    format: CheckedFormat,
    container: Option<String>,
    /// The number of the first record, from 0.
    first: u64,
    /// Good records from there on, up to the fault if there is one.
    records: Option<u64>,
    /// The first fault, which ended the reading.
    fault: Option<StoredFinding>,
    /// What is wrong with the mates, if that was looked at.
    mates: Option<StoredFinding>,
    /// A fault that didn't end the reading: of the bytes behind, or blank lines.
    late: Option<StoredFinding>,
    /// Warnings that are of the whole file; of the header.
    header: Vec<StoredFinding>,
    /// Warnings about records.
    doubts: Vec<StoredFinding>,
    /// The order of the records, if any is claimed.
    order: Option<Edges>,
    /// Warnings about the bytes.
    notes: Vec<StoredFinding>,
}

/// A shard can't be appended because its records aren't those behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the shards are not consecutive")]
pub struct NotConsecutive;

/// A fault or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredFinding {
    rule: CheckRule,
    message: String,
    record: Option<u64>,
    line: Option<u64>,
    offset: Option<u64>,
    compressed_offset: Option<u64>,
    count: Option<u64>,
}

impl StoredFinding {
    fn new(rule: CheckRule, message: &str, at: &Location, count: Option<u64>) -> StoredFinding {
        StoredFinding {
            rule,
            message: message.to_owned(),
            record: at.record,
            line: at.line,
            offset: at.offset,
            compressed_offset: at.block,
            count,
        }
    }

    fn at(&self) -> Location {
        Location {
            name: None,
            record: self.record,
            line: self.line,
            offset: self.offset,
            block: self.compressed_offset,
        }
    }

    fn fault(&self) -> Fault {
        Fault { rule: self.rule, message: self.message.clone(), at: self.at() }
    }

    fn warning(&self) -> Warning {
        Warning { rule: self.rule, message: self.message.clone(), at: self.at(), count: self.count }
    }

    /// Adds what was seen behind, if it is of the same kind.
    fn absorb(&mut self, behind: &StoredFinding) -> bool {
        let is_same = self.rule == behind.rule && self.message == behind.message;
        if is_same {
            self.count =
                self.count.zip(behind.count).map(|(mine, theirs)| mine.saturating_add(theirs));
        }
        is_same
    }
}

impl From<&Fault> for StoredFinding {
    fn from(fault: &Fault) -> StoredFinding {
        StoredFinding::new(fault.rule, &fault.message, &fault.at, None)
    }
}

impl From<&Warning> for StoredFinding {
    fn from(warning: &Warning) -> StoredFinding {
        StoredFinding::new(warning.rule, &warning.message, &warning.at, warning.count)
    }
}

/// Checks a shard (from 1) of file `file` (from 0) of a plan, which is at `path`. Whether it still is that file,
/// [`Plan::check_file`] says. What the options expect doesn't count, as the plan says what the file holds; nor is there a
/// checksum.
///
/// An example is at [`PartialCheck`].
///
/// # Errors
/// If the shard can't be read, or has other records than the plan says.
pub fn check_shard(
    plan: &Plan,
    number: u64,
    file: usize,
    path: &Path,
    options: &Options<'_>,
) -> Result<(Outcome, PartialCheck), Error> {
    let records = plan.shard(number)?.records;
    let planned = plan.files.get(file).ok_or_else(|| Error::Io(no_file()))?;
    let (format, container) = match (planned.format, planned.container) {
        (shards::ShardFormat::Bam, _) => (CheckedFormat::Bam, Container::Bgzf),
        (shards::ShardFormat::Cram, _) => (CheckedFormat::Cram, Container::Plain),
        (_, shards::Container::Plain) => (CheckedFormat::Fastq, Container::Plain),
        (_, shards::Container::Bgzf) => (CheckedFormat::Fastq, Container::Bgzf),
        (_, shards::Container::Gzip) => (CheckedFormat::Fastq, Container::Gzip),
    };
    // A file without records is one by its name and its last byte: the first shard is all of it.
    if plan.records == 0 && number == 1 {
        let options = Options { expected: None, checksum: false, ..options.clone() };
        let outcome =
            super::whole::check(biofast_io::Source::open(path).map_err(Error::Io)?, &options)?;
        let left = Remains { header: outcome.warnings.clone(), ..Remains::default() };
        let partial = PartialCheck::new(0, &outcome, left);
        return Ok((outcome, partial));
    }
    let source = plan.open(number, file, path)?;
    let places = source.places();
    let options = Options { checksum: false, ..options.clone() };
    let (io, notes) = super::options::reading(&options);
    let mut left = Remains::default();
    let mut outcome = match format {
        CheckedFormat::Bam | CheckedFormat::Cram => {
            alignments::check(source, format, &io, &options, &mut left)?
        }
        _ => reads::check_part(source, &io, &options)?,
    };
    outcome.container = Some(container);
    if plan.records == 0 {
        // The first shard tells what is wrong with the file.
        (outcome.fault, outcome.warnings) = (None, Vec::new());
        let partial = PartialCheck::new(records.0, &outcome, left);
        return Ok((outcome, partial));
    }
    // As they were read: what else is known of the bytes comes later.
    let read = Outcome { warnings: Vec::new(), ..outcome.clone() };
    let before = outcome.warnings.len();
    for note in super::options::noted(&notes, &read) {
        outcome.add_note(&note, records.0, places.as_ref());
    }
    let mut partial = PartialCheck::new(records.0, &read, left);
    partial.notes = outcome.warnings.iter().skip(before).map(StoredFinding::from).collect();
    if read.fault.is_none() {
        partial.late = outcome.fault.as_ref().map(StoredFinding::from);
    }
    Ok((outcome, partial))
}

fn no_file() -> biofast_io::Error {
    let kind = biofast_io::ErrorKind::NotAFile("a part that is not in the plan");
    biofast_io::Error::new(kind, Location::default())
}

impl PartialCheck {
    fn new(first: u64, outcome: &Outcome, left: Remains) -> PartialCheck {
        PartialCheck {
            format: outcome.format,
            container: outcome.container.map(|container| container.name().to_owned()),
            first,
            records: outcome.records,
            fault: outcome.fault.as_ref().map(StoredFinding::from),
            mates: None,
            late: None,
            header: left.header.iter().map(StoredFinding::from).collect(),
            doubts: left.doubts.iter().map(StoredFinding::from).collect(),
            order: left.order,
            notes: Vec::new(),
        }
    }

    /// Says that mates of this shard aren't what they should be.
    pub fn set_mates(&mut self, fault: &Fault) {
        self.mates = Some(StoredFinding::from(fault));
    }

    /// Good records; `None` if a fault ended the reading, or if they weren't counted.
    pub fn records(&self) -> Option<u64> {
        self.records.filter(|_| self.fault.is_none())
    }

    /// Whether a fault ended the reading, so that nothing is known of the mates.
    pub fn has_ended(&self) -> bool {
        self.fault.is_some()
    }

    /// Adds the shards behind, which must have been checked with the same options.
    ///
    /// # Errors
    /// If they aren't those behind.
    pub fn append(&mut self, behind: PartialCheck) -> Result<(), NotConsecutive> {
        // One run would have ended here.
        if self.fault.is_some() {
            return Ok(());
        }
        let records = self.records.unwrap_or(0);
        if self.first.checked_add(records) != Some(behind.first) {
            return Err(NotConsecutive);
        }
        match (&mut self.order, &behind.order) {
            (Some(mine), Some(theirs)) => {
                if let Some(Break { record, place, message }) = mine.append(theirs) {
                    let at = Location {
                        record: Some(record.saturating_add(1)),
                        offset: place.map(|(offset, _)| offset),
                        block: place.and_then(|(_, block)| block),
                        ..Location::default()
                    };
                    self.fault = Some(StoredFinding::new(CheckRule::Order, &message, &at, None));
                    return Ok(());
                }
            }
            (mine, theirs) => {
                if mine.is_none() {
                    mine.clone_from(theirs);
                }
            }
        }
        let PartialCheck { records: more, fault, mates, late, doubts, notes, .. } = behind;
        self.records = self.records.zip(more).and_then(|(mine, more)| mine.checked_add(more));
        (self.fault, self.mates) = (fault, self.mates.take().or(mates));
        self.late = self.late.take().or(late);
        for doubt in doubts {
            if !self.doubts.iter_mut().any(|mine| mine.absorb(&doubt)) {
                self.doubts.push(doubt);
            }
        }
        self.doubts.sort_by_key(|doubt| doubts::position(doubt.rule, &doubt.message));
        for note in notes {
            // Shards without records at the end see the same end of the file.
            let is_known = note.rule == CheckRule::EndMarker && self.notes.contains(&note);
            if !is_known && !self.notes.iter_mut().any(|mine| mine.absorb(&note)) {
                self.notes.push(note);
            }
        }
        Ok(())
    }

    /// What one run over all of it finds. Of files of mates [`with_mates`](Self::with_mates) is more exact.
    pub fn outcome(&self) -> Outcome {
        let is_complete = self.fault.is_none();
        let mut outcome = Outcome::new(self.format);
        outcome.container = self.container.as_deref().and_then(container);
        outcome.records = self.records;
        let end = self.first.saturating_add(self.records.unwrap_or(0));
        outcome.warnings.extend(self.header.iter().map(StoredFinding::warning));
        let counted = |doubt: &StoredFinding| {
            let warning = doubt.warning();
            Warning { count: warning.count.filter(|_| is_complete), ..warning }
        };
        outcome.warnings.extend(self.doubts.iter().map(counted));
        let fallen = self.order.as_ref().filter(|order| !order.claim.is_definite());
        if let Some(Break { record, place, message }) = fallen.and_then(Edges::fallen)
            && *record < end
        {
            let at = Location {
                record: Some(record.saturating_add(1)),
                offset: place.map(|(offset, _)| offset),
                block: place.and_then(|(_, block)| block),
                ..Location::default()
            };
            let warning = Warning::new(CheckRule::Order, message.as_str());
            outcome.warnings.push(Warning { at, ..warning });
        }
        // Of the end of the file nothing is known after a fault.
        let of_end = |note: &&StoredFinding| {
            matches!(note.rule, CheckRule::EndMarker | CheckRule::Container)
        };
        let notes = self.notes.iter().filter(|note| is_complete || !of_end(note));
        outcome.warnings.extend(notes.map(StoredFinding::warning));
        if let (None, Some(late)) = (&self.fault, &self.late)
            && let (CheckRule::Fastq, Some(record)) = (late.rule, late.record)
        {
            outcome.records = Some(record.saturating_sub(1).saturating_sub(self.first));
        }
        let fault = self.fault.as_ref().or(self.mates.as_ref()).or(self.late.as_ref());
        outcome.fault = fault.map(StoredFinding::fault);
        outcome
    }

    /// Of two files of mates: what one run finds in each. Faults of mates count if nothing else ended the reading of either.
    pub fn with_mates(mut files: [PartialCheck; 2]) -> [Outcome; 2] {
        if files.iter().any(PartialCheck::has_ended) {
            files.iter_mut().for_each(|file| file.mates = None);
        }
        files.map(|file| file.outcome())
    }
}

/// The container of this name.
fn container(name: &str) -> Option<Container> {
    let all = [
        Container::Plain,
        Container::Gzip,
        Container::Bgzf,
        Container::Zstd,
        Container::Bzip2,
        Container::Xz,
    ];
    all.into_iter().find(|container| container.name() == name)
}

#[cfg(test)]
mod tests {
    use biofast_io::Source;
    use biofast_testkit::bam;
    use biofast_testkit::container::{bgzf, bgzf_starts};
    use biofast_testkit::effort::times;
    use biofast_testkit::random::Random;
    use proptest::prelude::*;

    use super::super::check;
    use super::*;
    use crate::measure::shards::{ShardInput, ShardSizing, make};

    /// What all shards together are found to be; their reports are written and read back, and added in two ways.
    fn merged(plan: &Plan, path: &Path, options: &Options<'_>) -> Outcome {
        let part = |number| {
            let (outcome, partial) = check_shard(plan, number, 0, path, options).unwrap();
            assert_eq!(outcome.fault.is_some(), partial.outcome().fault.is_some());
            let json = serde_json::to_string(&partial).unwrap();
            assert_eq!(serde_json::from_str::<PartialCheck>(&json).unwrap(), partial);
            partial
        };
        let parts: Vec<PartialCheck> = (1..=plan.shards.len() as u64).map(part).collect();
        let (one, rest) = parts.split_first().unwrap();
        let mut all = one.clone();
        rest.iter().for_each(|part| all.append(part.clone()).unwrap());
        if let Some((two, rest)) = rest.split_first() {
            let mut later = two.clone();
            rest.iter().for_each(|part| later.append(part.clone()).unwrap());
            let mut other = one.clone();
            other.append(later).unwrap();
            assert_eq!(other.outcome(), all.outcome());
        }
        all.outcome()
    }

    /// Records that are mostly in order and mostly good.
    fn records(seed: u64, number: usize, disorder: u64, faults: u64) -> Vec<u8> {
        let mut random = Random(seed * 77 + 1);
        let (mut data, mut position) = (Vec::new(), 0);
        for index in 0..number {
            position += random.below(3) as i32;
            if random.chance(disorder) {
                position = (position - 5).max(0);
            }
            let unplaced = index + 4 > number;
            let mut name = format!("r{}", index / 2 + 5);
            if random.chance(disorder) {
                name = format!("r{}", random.below(number));
            }
            let len = random.below(30);
            let record = bam::BamRecord {
                references: [if unplaced { -1 } else { i32::from(position > 30) }, -1],
                mapq: 9,
                flags: [0, 4, 4, 0x1004, 0x44][random.below(5)],
                name,
                len,
            };
            let mut record = bam::record(&record);
            if !unplaced {
                let position = if position > 30 { position - 31 } else { position };
                record[8..12].copy_from_slice(&position.to_le_bytes());
            }
            if random.chance(faults) {
                // A character that no name has, or a quality that none is.
                let at = if len == 0 || random.chance(50) { 36 } else { record.len() - 1 };
                record[at] = if at == 36 { b'@' } else { 99 };
            }
            data.extend(record);
        }
        data
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: times(24), ..ProptestConfig::default() })]
        #[test]
        fn shards_of_alignments_are_found_to_be_what_one_run_finds(
            seed in any::<u32>(),
            records_and_cuts in (0usize..60, 1u64..70),
            claim in 0usize..5,
            disorder in prop::sample::select(vec![0u64, 0, 2, 20]),
            faults in prop::sample::select(vec![0u64, 0, 3]),
            block in 40usize..500,
            threads in 1usize..4,
            chunk_size in 1usize..600,
            ends in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.bam");
            let claim = ["coordinate", "queryname\tSS:queryname:natural", "queryname", "unsorted", "coordinate\tXX"][claim];
            let text = format!("@HD\tVN:1.6\tSO:{claim}\n@SQ\tSN:c\tLN:1000\n@SQ\tSN:d\tLN:90\n\n");
            let mut data = bam::header_of(&text, &[("c", 1000), ("d", 90)]);
            data.extend(records(seed.into(), records_and_cuts.0, disorder, faults));
            let mut bytes = bgzf(&data, block);
            if !ends {
                bytes.truncate(bytes.len() - biofast_io::bgzf::EOF_BLOCK.len());
            }
            std::fs::write(&path, bytes).unwrap();
            let io = biofast_io::Options { threads, chunk_size, ..biofast_io::Options::default() };
            let input = ShardInput { strict_end: ends, ..ShardInput::new(&path) };
            let plan = make(&[input], 1, ShardSizing::Number(records_and_cuts.1), &io).unwrap();
            for allow in [false, true] {
                let options = Options::new(&io).with_allow_missing_eof(allow);
                let whole = check(Source::open(&path).unwrap(), &options).unwrap();
                prop_assert_eq!(merged(&plan, &path, &options), whole);
            }
        }

        #[test]
        fn shards_of_reads_are_found_to_be_what_one_run_finds(
            lengths in prop::collection::vec(0usize..60, 0..50),
            wrong in prop::option::of(any::<prop::sample::Index>()),
            number in 1u64..70,
            threads in 1usize..4,
            chunk_size in 1usize..400,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.fq");
            let io = biofast_io::Options { threads, chunk_size, ..biofast_io::Options::default() };
            let read = |(number, len): (usize, &usize)| format!("@r{number}\n{}\n+\n{}\n", "A".repeat(*len), "I".repeat(*len));
            let mut text: String = lengths.iter().enumerate().map(read).collect();
            std::fs::write(&path, &text).unwrap();
            let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(number), &io).unwrap();
            // A base that none is: the plan doesn't know of it.
            let bases: Vec<usize> = text.match_indices('A').map(|(at, _)| at).collect();
            if let (Some(wrong), false) = (wrong, bases.is_empty()) {
                let at = *wrong.get(&bases);
                text.replace_range(at..at + 1, "!");
                std::fs::write(&path, &text).unwrap();
            }
            let options = Options::new(&io);
            let whole = check(Source::open(&path).unwrap(), &options).unwrap();
            prop_assert_eq!(merged(&plan, &path, &options), whole);
        }
    }

    #[test]
    fn a_damaged_block_is_named_as_in_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bam");
        let mut data = bam::header(&[("c", 1000), ("d", 90)]);
        data.extend(records(5, 500, 0, 0));
        let good = bgzf(&data, 300);
        let io = biofast_io::Options::default();
        std::fs::write(&path, &good).unwrap();
        let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(4), &io).unwrap();
        let options = Options::new(&io);
        let starts = bgzf_starts(&good);
        // The last one is the end. The first ones are looked at when a file is opened, and the digest of a plan is of them.
        assert!(starts.len() > 90, "{}", starts.len());
        for start in &starts[60..starts.len() - 1] {
            let mut bytes = good.clone();
            // In the data, or of the end-of-file block in its length.
            bytes[start + 19] ^= 0x3c;
            std::fs::write(&path, &bytes).unwrap();
            let whole = check(Source::open(&path).unwrap(), &options).unwrap();
            assert!(whole.fault.is_some(), "{start}");
            let found = merged(&plan, &path, &options);
            assert_eq!(found.fault, whole.fault, "{start}");
            assert_eq!(found.records, whole.records, "{start}");
        }
    }

    #[test]
    fn shards_that_do_not_follow_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.fq");
        std::fs::write(&path, "@a\nA\n+\nI\n@b\nA\n+\nI\n@c\nA\n+\nI\n").unwrap();
        let io = biofast_io::Options::serial();
        let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(3), &io).unwrap();
        let part = |number, pairs| {
            let options = Options::new(&io).with_pairs(pairs);
            check_shard(&plan, number, 0, &path, &options).unwrap().1
        };
        assert_eq!(part(1, false).append(part(3, false)), Err(NotConsecutive));
        assert_eq!(part(1, true).append(part(2, true)), Ok(()));
        let none = check_shard(&plan, 4, 0, &path, &Options::new(&io)).unwrap_err();
        assert!(none.to_string().contains("no shard 4"), "{none}");
    }
}
