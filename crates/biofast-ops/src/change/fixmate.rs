//! Mates told of each other: what `samtools fixmate` (1.24) does.
//!
//! ```
//! use biofast_bam::{Input, InputOptions, Query};
//! use biofast_io::output::{Output, commit};
//! use biofast_io::{Options, Source};
//! use biofast_ops::edit::{Rewrite, RewrittenFormat};
//! use biofast_ops::fixmate::{FixMate, MateFixer};
//!
//! # let folder = std::env::temp_dir().join(format!("biofast-doc-fixmate-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("fixed.sam");
//! let sam = b"@SQ\tSN:c\tLN:99\n\
//!     x\t65\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
//!     x\t145\tc\t20\t60\t3M\t*\t0\t0\tACG\tIII\n";
//! let options = Options::default();
//! let input = Input::open(Source::from_reader("example", &sam[..]), &InputOptions::new(&options))?;
//! let (header, query) = Query::from(input.source).peek_header()?;
//! let fixer = MateFixer::new("example", &header, FixMate { mate_score: true, ..FixMate::default() })?;
//! let mut outputs = vec![Output::create_with(&path, Default::default())?];
//! let counts = fixer.write(query, &options, &RewrittenFormat::sam(&header), &mut outputs)?;
//! commit(outputs, false)?;
//! assert_eq!((counts.records, counts.pairs), (2, 1));
//! assert!(std::fs::read_to_string(&path)?.starts_with(
//!     "x\t97\tc\t7\t60\t3M\t=\t20\t16\tACG\tIII\tMQ:i:60\tMC:Z:3M\tms:i:120\n"
//! ));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use biofast_bam::{self as bam, Batch, Error, Header, Query, Record, flag};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Copies;

use super::apart::LoneNames;
use super::edit::{Rewrite, RewrittenFormat, by_name, made};
use super::sort::duplicates::gate::{NameGroup, check_header, hash_of_name};
use super::sort::duplicates::mates::{self, GroupMember};
use super::sort::duplicates::primary::{MateRules, Primary, is_primary};
use crate::Refusal;
use crate::sanitize::SanitizedRecords;
pub use crate::sanitize::{SanitizeRules, UnknownRule};

/// What mates are told beside flags, places, MQ and MC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixMate {
    /// Whether unmapped and secondary records are left out.
    pub remove: bool,
    /// Whether pairs stay proper pairs that don't look at each other on one reference.
    pub keep_proper_pairs: bool,
    /// Whether the left one of two mates on one reference gets the CIGARs of both (`ct`).
    pub template_cigar: bool,
    /// Whether mates get each other's score (`ms`): the sum of qualities of 15 and more.
    pub mate_score: bool,
    /// Which fields that contradict each other are put right before.
    pub sanitize: SanitizeRules,
}

/// What has been done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MateCounts {
    /// Records read.
    pub records: u64,
    /// Names with two primary records or more.
    pub pairs: u64,
    /// Names of reads of pairs with one primary record or none.
    pub without_mate: u64,
    /// Records left out.
    pub removed: u64,
}

/// Tells mates of each other, whose records stand together by name.
pub struct MateFixer {
    input: String,
    header: Header,
    lengths: Vec<u64>,
    rules: MateRules,
    sanitize: SanitizeRules,
}

impl MateFixer {
    /// For an input of this name with this header.
    ///
    /// # Errors
    /// If the header says that the records are sorted by coordinate.
    pub fn new(input: &str, header: &Header, fix: FixMate) -> Result<MateFixer, crate::Error> {
        check_header(input, header, NEED)?;
        let rules = MateRules {
            checks_pairs: !fix.keep_proper_pairs,
            scores: fix.mate_score,
            templates: fix.template_cigar,
            removes: fix.remove,
        };
        let lengths = header.references().iter().map(|reference| reference.length).collect();
        Ok(MateFixer {
            input: input.into(),
            header: header.clone(),
            lengths,
            rules,
            sanitize: fix.sanitize,
        })
    }

    fn add(
        &self,
        worker: &mut FixWorker,
        batch: Batch<'_>,
        mut put: impl FnMut(&Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut number = batch.first_record();
        by_name(batch, true, |group| {
            number += group.len() as u64;
            worker.count(group, number);
            let sanitized = SanitizedRecords::new(group, &self.lengths, self.sanitize);
            self.fix(worker, &sanitized.of(group), &mut put)
        })
    }

    /// Writes the records of a name, whose fields don't contradict each other.
    fn fix(
        &self,
        worker: &mut FixWorker,
        records: &[Record<'_>],
        put: &mut impl FnMut(&Record<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let primary = records
            .iter()
            .enumerate()
            .map(|(index, record)| is_primary(record.flags()).then(|| Primary::new(index, record)));
        let FixWorker { members, room, counts, .. } = worker;
        mates::mate(primary, self.rules, members);
        mates::tell_supplementary(records, members);
        for (record, member) in records.iter().zip(members.iter()) {
            let flags = match member {
                GroupMember::Other => record.flags(),
                GroupMember::Primary(to) | GroupMember::Supplementary(to) => to.flags,
            };
            if self.rules.removes && flags & (flag::SECONDARY | flag::UNMAPPED) != 0 {
                counts.removed += 1;
                continue;
            }
            match member {
                GroupMember::Primary(to) | GroupMember::Supplementary(to) => {
                    room.clear();
                    mates::write(records, to, |_| false, room);
                    match room[..] == *record.as_bytes() {
                        true => put(record)?,
                        false => put(&made(record, room)?)?,
                    }
                }
                GroupMember::Other => put(record)?,
            }
        }
        Ok(())
    }
}

/// What needs records of a name together.
const NEED: &str = "fixing mates";

impl Rewrite for MateFixer {
    type Counts = MateCounts;

    fn header(&self) -> &Header {
        &self.header
    }

    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<MateCounts, crate::Error> {
        let transform = bam::Transform::new(query).options(options).keep_names_together(true);
        let (_, worker) = transform.run_copying(
            outputs,
            FixWorker::default,
            |worker, batch, texts, copies: &mut [Copies]| {
                self.add(worker, batch, |record| format.put(record, batch, &mut texts[0], copies))
            },
            FixWorker::merge,
        )?;
        match worker.lone.apart() {
            None => Ok(worker.counts),
            Some((one, other)) => Err(Refusal::NotGrouped(format!(
                "{}: records {one} and {other} have the same name but are not next to each other; {NEED} needs records \
                 grouped by name",
                self.input
            ))
            .into()),
        }
    }
}

/// What a worker has.
#[derive(Default)]
struct FixWorker {
    members: Vec<GroupMember>,
    room: Vec<u8>,
    counts: MateCounts,
    lone: LoneNames,
}

impl FixWorker {
    /// Counts the records of a name; `number` is that of the last of them, from 1.
    fn count(&mut self, records: &[Record<'_>], number: u64) {
        let mut group = NameGroup::default();
        records.iter().for_each(|record| group.add(record.flags()));
        self.counts.records += records.len() as u64;
        self.counts.pairs += u64::from(group.has_pair());
        if group.lacks() {
            self.counts.without_mate += 1;
            self.lone.add(hash_of_name(records[0].name()), number);
        }
    }

    fn merge(&mut self, other: FixWorker) {
        self.counts.records += other.counts.records;
        self.counts.pairs += other.counts.pairs;
        self.counts.without_mate += other.counts.without_mate;
        self.counts.removed += other.counts.removed;
        self.lone.merge(other.lone);
    }
}
