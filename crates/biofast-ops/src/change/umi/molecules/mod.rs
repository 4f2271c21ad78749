//! Templates put into molecules by place and UMI, like fgbio's GroupReadsByUmi and `fgumi group` (0.9): each record gets the number of
//! its molecule (`MI`), and records of a molecule stand together.
//!
//! The input is in template-coordinate order, so that templates of one place stand together. All records of a place are in memory at
//! once; workers look at batches that end between places.

mod assign;
mod place;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use biofast_bam::{self as bam, Batch, Header, Query, Record, flag};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Copies;

pub use assign::MoleculeStrategy;

use assign::{AssignFault, Molecule, MoleculeAssigner, MoleculeStrand, TemplateUmi};
use place::{PlaceEnd, RecordPlace, are_together, own_end};

use super::cluster::UnequalLengths;
use crate::change::edit::{Rewrite, RewrittenFormat, made};
use crate::change::sort::template::LibraryRanks;
use crate::tags::{append_text, stored_tags};
use crate::{Error, Refusal};

/// Which templates are grouped, and by what.
#[derive(Clone, Debug)]
pub struct MoleculeRules {
    /// How UMIs of one place are put together.
    pub strategy: MoleculeStrategy,
    /// Mismatches between UMIs that are connected.
    pub edits: usize,
    /// The tag of the UMI.
    pub umi_tag: [u8; 2],
    /// The lowest mapping quality of both reads.
    pub min_mapq: u8,
    /// Whether reads are grouped that failed the sequencer's quality checks.
    pub include_qc_fail: bool,
    /// Whether templates without a mapped read are grouped, all at one place.
    pub allow_unmapped: bool,
    /// The shortest UMI; longer ones are cut to the length of the shortest they are compared with.
    pub min_umi_len: Option<usize>,
    /// Whether templates are grouped by place only.
    pub ignore_umi: bool,
}

impl MoleculeRules {
    /// Those of fgumi: one edit, UMIs in RX, mapping quality of at least 1.
    pub fn new(strategy: MoleculeStrategy) -> MoleculeRules {
        MoleculeRules {
            strategy,
            edits: 1,
            umi_tag: *b"RX",
            min_mapq: 1,
            include_qc_fail: false,
            allow_unmapped: false,
            min_umi_len: None,
            ignore_umi: false,
        }
    }
}

/// What was counted of templates and molecules. Reads are primary records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoleculeCounts {
    /// Records read.
    pub records: u64,
    /// Reads that were grouped.
    pub accepted: u64,
    /// Reads of templates that failed the sequencer's quality checks.
    pub qc_fail: u64,
    /// Reads of templates that are unmapped, or whose mapping quality is too low, or that have no UMI.
    pub poor_alignment: u64,
    /// Of them, those that have no UMI.
    pub without_umi: u64,
    /// Reads of templates whose UMI has an N.
    pub n_in_umi: u64,
    /// Reads of templates whose UMI is too short.
    pub short_umi: u64,
    /// Molecules.
    pub molecules: u64,
    /// How many families there are of each number of templates; with [`MoleculeStrategy::Paired`], both strands are counted.
    pub family_sizes: BTreeMap<u64, u64>,
}

impl MoleculeCounts {
    fn merge(&mut self, other: MoleculeCounts) {
        self.records += other.records;
        self.accepted += other.accepted;
        self.qc_fail += other.qc_fail;
        self.poor_alignment += other.poor_alignment;
        self.without_umi += other.without_umi;
        self.n_in_umi += other.n_in_umi;
        self.short_umi += other.short_umi;
        self.molecules += other.molecules;
        for (size, count) in other.family_sizes {
            *self.family_sizes.entry(size).or_default() += count;
        }
    }
}

/// Puts the templates of an input into molecules.
pub struct MoleculeGrouper {
    header: Header,
    libraries: LibraryRanks,
    rules: MoleculeRules,
}

impl MoleculeGrouper {
    /// For an input of this name with this header.
    ///
    /// # Errors
    /// If the header doesn't say that the input is in template-coordinate order.
    pub fn new(
        input: &str,
        header: &Header,
        rules: MoleculeRules,
    ) -> Result<MoleculeGrouper, Error> {
        if !is_template_coordinate(header) {
            return Err(Refusal::NotTemplateCoordinate(input.into()).into());
        }
        let mut rules = rules;
        if rules.ignore_umi {
            rules.strategy = MoleculeStrategy::Identity;
        }
        if rules.strategy == MoleculeStrategy::Identity {
            rules.edits = 0;
        }
        Ok(MoleculeGrouper { header: header.clone(), libraries: LibraryRanks::of(header), rules })
    }
}

/// Whether a header says that records are in template-coordinate order.
pub(super) fn is_template_coordinate(header: &Header) -> bool {
    let line = header.text().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let sub = line.split(|byte| *byte == b'\t').find_map(|field| field.strip_prefix(b"SS:"));
    let order = sub.and_then(|sub| sub.rsplit(|byte| *byte == b':').next());
    line.starts_with(b"@HD") && order == Some(b"template-coordinate")
}

/// The molecules of a batch.
struct BatchMolecules {
    /// The number of its first record.
    first: u64,
    /// Records in their new order, by their index in the batch, and their molecules, numbered from 0.
    records: Vec<(u32, Molecule)>,
    molecules: u64,
}

/// What a worker found of batches.
struct FoundMolecules(Result<Vec<BatchMolecules>, Error>);

impl Default for FoundMolecules {
    fn default() -> FoundMolecules {
        FoundMolecules(Ok(Vec::new()))
    }
}

impl Rewrite for MoleculeGrouper {
    type Counts = MoleculeCounts;

    fn header(&self) -> &Header {
        &self.header
    }

    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<MoleculeCounts, Error> {
        let query = query.into();
        let name = query.name().to_owned();
        let input: std::sync::Arc<str> = name.as_str().into();
        let (libraries, allow_unmapped) = (self.libraries.clone(), self.rules.allow_unmapped);
        let transform = bam::Transform::new(query)
            .options(options)
            .keep_together(move |one, other| are_together(one, other, &libraries, allow_unmapped));
        let mut next = 0;
        let (_, worker) = transform.run_surveyed(
            outputs,
            || MoleculeWorker::new(self),
            (
                |worker: &mut MoleculeWorker<'_>, batch: Batch<'_>, found: &mut FoundMolecules| {
                    if let Ok(batches) = &mut found.0 {
                        let molecules = worker.survey(batch);
                        let located = |error| match error {
                            Error::Alignments(error) => {
                                Error::from(batch.located(error).in_input(&input))
                            }
                            error => error,
                        };
                        match molecules {
                            Ok(molecules) => batches.push(molecules),
                            Err(error) => found.0 = Err(located(error)),
                        }
                    }
                },
                |found: Option<FoundMolecules>, decided: &mut Vec<(u64, Vec<BatchMolecules>)>| {
                    let Some(found) = found else { return Ok(()) };
                    let batches = found.0?;
                    let first = next;
                    next += batches.iter().map(|batch| batch.molecules).sum::<u64>();
                    decided.push((first, batches));
                    Ok(())
                },
            ),
            |worker: &mut MoleculeWorker<'_>,
             batch: Batch<'_>,
             (first, batches): &(u64, Vec<BatchMolecules>),
             texts: &mut [Vec<u8>],
             copies: &mut [Copies]| {
                let mut number = *first;
                for found in batches {
                    if found.first == batch.first_record() {
                        for (index, molecule) in &found.records {
                            let Some(record) = batch.get(*index as usize) else { continue };
                            let shown = molecule.shown(number);
                            let tagged = tagged(&record, shown.as_bytes(), &mut worker.room)?;
                            format.put(&tagged, batch, &mut texts[0], copies)?;
                        }
                    }
                    number += found.molecules;
                }
                Ok::<_, Error>(())
            },
            |worker, other| worker.counts.merge(other.counts),
        )?;
        let MoleculeCounts { accepted, without_umi, n_in_umi, short_umi, .. } = worker.counts;
        if without_umi > 0 && accepted + n_in_umi + short_umi == 0 {
            let tag = String::from_utf8_lossy(&self.rules.umi_tag).into_owned();
            let sought = format!("a UMI in the tag {tag}");
            return Err(Refusal::NoUmis { input: name, reads: without_umi, sought }.into());
        }
        Ok(worker.counts)
    }
}

impl Molecule {
    fn shown(&self, first: u64) -> String {
        let number = first + self.number;
        match self.strand {
            MoleculeStrand::Any => number.to_string(),
            MoleculeStrand::A => format!("{number}/A"),
            MoleculeStrand::B => format!("{number}/B"),
        }
    }
}

/// The record with its molecule, in the place of one it had.
fn tagged<'r>(
    record: &Record<'_>,
    molecule: &[u8],
    room: &'r mut Vec<u8>,
) -> Result<Record<'r>, bam::Error> {
    let bytes = record.as_bytes();
    room.clear();
    let found = stored_tags(record).find(|(tag, _)| tag.name == *b"MI").map(|(_, stored)| stored);
    let stored = found.unwrap_or(bytes.len()..bytes.len());
    room.extend_from_slice(&bytes[..stored.start]);
    append_text(*b"MI", molecule, room);
    room.extend_from_slice(&bytes[stored.end..]);
    made(record, room)
}

/// A template of a place: the indexes of its reads in the batch.
struct Template {
    first: Option<u32>,
    second: Option<u32>,
}

/// What a worker has.
struct MoleculeWorker<'a> {
    grouper: &'a MoleculeGrouper,
    assigner: MoleculeAssigner,
    counts: MoleculeCounts,
    room: Vec<u8>,
}

impl<'a> MoleculeWorker<'a> {
    fn new(grouper: &'a MoleculeGrouper) -> MoleculeWorker<'a> {
        let rules = &grouper.rules;
        let min_len = rules.min_umi_len.filter(|_| !rules.ignore_umi);
        let assigner = MoleculeAssigner::new(rules.strategy, rules.edits, min_len);
        let counts = MoleculeCounts::default();
        MoleculeWorker { grouper, assigner, counts, room: Vec::new() }
    }

    /// The molecules of a batch, which begins and ends between places.
    fn survey(&mut self, batch: Batch<'_>) -> Result<BatchMolecules, Error> {
        let mut found =
            BatchMolecules { first: batch.first_record(), records: Vec::new(), molecules: 0 };
        let mut place = None;
        let mut templates: Vec<Template> = Vec::new();
        let mut name: Option<&[u8]> = None;
        for (index, record) in batch.iter().enumerate() {
            record.check()?;
            self.counts.records += 1;
            let of_record = RecordPlace::of(&record, &self.grouper.libraries);
            if of_record == RecordPlace::Skipped {
                continue;
            }
            if of_record == RecordPlace::NoMateCigar {
                return Err(bad_tags(&record, NO_MATE_CIGAR).into());
            }
            if name != Some(record.name()) {
                if place.is_some_and(|place| place != of_record) {
                    self.group(batch, &mut templates, &mut found)?;
                }
                (place, name) = (Some(of_record), Some(record.name()));
                templates.push(Template { first: None, second: None });
            }
            let Some(template) = templates.last_mut() else { continue };
            let flags = record.flags();
            let is_first = flags & flag::PAIRED == 0 || flags & flag::READ1 != 0;
            let slot = if is_first { &mut template.first } else { &mut template.second };
            if slot.replace(index as u32).is_some() {
                let why = "there are several primary records of this read";
                return Err(record.ungroupable(why).into());
            }
        }
        self.group(batch, &mut templates, &mut found)?;
        Ok(found)
    }

    /// Groups the templates of one place.
    fn group(
        &mut self,
        batch: Batch<'_>,
        templates: &mut Vec<Template>,
        found: &mut BatchMolecules,
    ) -> Result<(), Error> {
        let rules = &self.grouper.rules;
        let record = |index: Option<u32>| batch.get(index? as usize);
        let mut kept: Vec<(TemplateUmi, (bool, bool), Template)> = Vec::new();
        for template in templates.drain(..) {
            let (first, second) = (record(template.first), record(template.second));
            let reads = u64::from(first.is_some()) + u64::from(second.is_some());
            match self.grouper.fate(first, second)? {
                TemplateFate::Dropped(counter) => *counter(&mut self.counts) += reads,
                TemplateFate::WithoutUmi => {
                    self.counts.poor_alignment += reads;
                    self.counts.without_umi += reads;
                }
                TemplateFate::Kept(umi) => {
                    self.counts.accepted += reads;
                    let orientation = match rules.strategy {
                        MoleculeStrategy::Paired => (true, true),
                        _ => (is_forward(first), is_forward(second)),
                    };
                    kept.push((umi, orientation, template));
                }
            }
        }
        let mut molecules: Vec<(Molecule, Template)> = Vec::with_capacity(kept.len());
        let mut next = 0;
        // Reads that point elsewhere are of another molecule. False comes first.
        kept.sort_by_key(|(_, orientation, _)| *orientation);
        while !kept.is_empty() {
            let same = kept.iter().take_while(|(_, other, _)| *other == kept[0].1).count();
            let rest = kept.split_off(same);
            let class = std::mem::replace(&mut kept, rest);
            let (mut umis, class): (Vec<TemplateUmi>, Vec<Template>) =
                class.into_iter().map(|(umi, _, template)| (umi, template)).unzip();
            let assigned = self.assigner.assign(&mut umis, &mut next).map_err(|fault| {
                let index = match fault {
                    AssignFault::NotPaired(index) => index,
                    AssignFault::Unequal(_) => 0,
                };
                let of = record(class[index].first.or(class[index].second));
                fault.of(of)
            })?;
            molecules.extend(assigned.into_iter().zip(class));
        }
        let name = |template: &Template| {
            record(template.first.or(template.second)).map(|record| record.name())
        };
        molecules
            .sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| name(a).cmp(&name(b))));
        for family in molecules.chunk_by(|one, other| one.0 == other.0) {
            *self.counts.family_sizes.entry(family.len() as u64).or_default() += 1;
        }
        for (molecule, template) in &molecules {
            let number = found.molecules + molecule.number;
            let reads = [template.first, template.second].into_iter().flatten();
            found.records.extend(reads.map(|index| (index, Molecule { number, ..*molecule })));
        }
        found.molecules += next;
        self.counts.molecules += next;
        Ok(())
    }
}

fn is_forward(record: Option<Record<'_>>) -> bool {
    record.is_none_or(|record| record.flags() & flag::REVERSE == 0)
}

/// Why a pair can't be placed.
const NO_MATE_CIGAR: &str = "the mate is mapped but its CIGAR (MC) is missing";

fn bad_tags(record: &Record<'_>, reason: &'static str) -> bam::Error {
    let name = biofast_io::Shown(record.name()).to_string();
    bam::Error::new(bam::ErrorKind::BadTags { name, reason }, biofast_io::Location::default())
}

impl AssignFault {
    /// The error about a template, of which this is a record.
    fn of(self, record: Option<Record<'_>>) -> bam::Error {
        let name = record.map(|record| biofast_io::Shown(record.name()).to_string());
        let reason = match self {
            AssignFault::NotPaired(_) => {
                "its UMI doesn't have two parts with one '-' between them".into()
            }
            AssignFault::Unequal(UnequalLengths(one, other)) => format!(
                "UMIs at its position have {one} and {other} bases, which can't be compared"
            ),
        };
        let kind =
            bam::ErrorKind::Ungroupable { name: name.unwrap_or_default(), reason: reason.into() };
        bam::Error::new(kind, biofast_io::Location::default())
    }
}

/// What becomes of a template.
enum TemplateFate {
    /// It is left out, and its reads are counted there.
    Dropped(fn(&mut MoleculeCounts) -> &mut u64),
    /// It is left out, as a read has no UMI.
    WithoutUmi,
    /// It is grouped by this UMI.
    Kept(TemplateUmi),
}

impl MoleculeGrouper {
    fn fate(
        &self,
        first: Option<Record<'_>>,
        second: Option<Record<'_>>,
    ) -> Result<TemplateFate, Error> {
        let rules = &self.rules;
        let poor = || TemplateFate::Dropped(|counts| &mut counts.poor_alignment);
        let reads = || [&first, &second].into_iter().flatten();
        let is_mapped = |record: &Record<'_>| record.flags() & flag::UNMAPPED == 0;
        if !reads().any(is_mapped) && !rules.allow_unmapped {
            return Ok(poor());
        }
        for record in reads() {
            if !rules.include_qc_fail && record.flags() & flag::QC_FAIL != 0 {
                return Ok(TemplateFate::Dropped(|counts| &mut counts.qc_fail));
            }
            if is_mapped(record) && record.mapping_quality() < rules.min_mapq {
                return Ok(poor());
            }
        }
        let mut umi: Option<&[u8]> = None;
        for record in reads() {
            let (mut found, mut mate_quality) = (None, None);
            for tag in record.tags() {
                if tag.name == rules.umi_tag && tag.kind == b'Z' {
                    found = tag.as_text();
                } else if tag.name == *b"MQ" && record.flags() & flag::MATE_UNMAPPED == 0 {
                    mate_quality = tag.as_int();
                }
            }
            if mate_quality.is_some_and(|quality| quality < i64::from(rules.min_mapq)) {
                return Ok(poor());
            }
            if rules.ignore_umi {
                continue;
            }
            let Some(found) = found else { return Ok(TemplateFate::WithoutUmi) };
            if found.iter().any(|byte| matches!(byte, b'N' | b'n')) {
                return Ok(TemplateFate::Dropped(|counts| &mut counts.n_in_umi));
            }
            let bases = found.iter().filter(|byte| b"ACGTacgt".contains(byte)).count();
            if rules.min_umi_len.is_some_and(|least| bases < least) {
                return Ok(TemplateFate::Dropped(|counts| &mut counts.short_umi));
            }
            umi = umi.or(Some(found));
        }
        let is_forward = match (&first, &second) {
            (Some(one), Some(other)) if rules.strategy == MoleculeStrategy::Paired => {
                let ends = (read_end(one), read_end(other));
                let (one, other) = ((ends.0.0, ends.0.1), (ends.1.0, ends.1.1));
                if one == other { !ends.0.2 } else { one < other }
            }
            _ => true,
        };
        Ok(TemplateFate::Kept(TemplateUmi {
            text: umi.unwrap_or_default().to_ascii_uppercase(),
            is_forward,
        }))
    }
}

/// The end of a read; unmapped ones are at 0.
fn read_end(record: &Record<'_>) -> PlaceEnd {
    match record.flags() & flag::UNMAPPED {
        0 => own_end(record),
        _ => (record.reference_id(), 0, record.flags() & flag::REVERSE != 0),
    }
}
