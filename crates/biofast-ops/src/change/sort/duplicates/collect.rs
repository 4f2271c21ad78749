//! What is gathered of each group: its records, and what decides about duplicates.

use std::sync::Arc;

use biofast_bam::{Record, flag};

use super::clear::{cleared, is_of_mark};
use super::finder::{Candidates, DuplicateFinder, TemplateGroup};
use super::gate::GroupBatch;
use super::libraries::DuplicateLibraries;
use super::mates::{self, GroupMember};
use super::primary::{MateRules, Primary, is_primary};
use super::rule::{DuplicateRule, Marking};
use super::signature::ReadSignature;
use crate::Error;
use crate::change::sort::key::Order;
use crate::change::sort::sorter::{SortLimits, Sorter};
use crate::sanitize::{SanitizeRules, SanitizedRecords};

pub(super) struct DuplicateCollector {
    lengths: Arc<[u64]>,
    sorter: Sorter,
    finder: DuplicateFinder,
    members: Vec<GroupMember>,
    record: Vec<u8>,
}

impl DuplicateCollector {
    /// `beside`: records are stored by a thread of its own.
    pub(super) fn new(
        limits: &SortLimits,
        beside: bool,
        marking: &Marking,
        lengths: &Arc<[u64]>,
        libraries: &Arc<DuplicateLibraries>,
    ) -> DuplicateCollector {
        // What tells optical duplicates takes some, too.
        let of_records = if marking.optical_distance().is_some() { 11 } else { 12 };
        let memory = limits.memory / 16 * of_records;
        let sorter = Sorter::new(Order::Coordinate, &SortLimits { memory, ..limits.clone() });
        DuplicateCollector {
            lengths: Arc::clone(lengths),
            sorter: if beside { sorter.storing_beside() } else { sorter },
            // Keys take a third of what records take, or less.
            finder: DuplicateFinder::new(limits, [3, 1], marking, libraries),
            members: Vec::new(),
            record: Vec::new(),
        }
    }

    /// Adds the groups of a batch.
    ///
    /// # Errors
    /// If a record can't be written, with its number counted from 1, or a temporary file.
    pub(super) fn add(&mut self, batch: &GroupBatch) -> Result<(), (u64, Error)> {
        let mut records = Vec::new();
        for range in batch.groups() {
            let first = batch.first + range.start as u64;
            records.clear();
            for index in range {
                let record = batch.record(index);
                let number = batch.first + index as u64 + 1;
                record.check().map_err(|error| (number, error.into()))?;
                records.push(record);
            }
            self.add_group(first, &records).map_err(|problem| (first + 1, problem))?;
        }
        Ok(())
    }

    fn add_group(&mut self, first: u64, records: &[Record<'_>]) -> Result<(), Error> {
        if self.finder.marking.rule == DuplicateRule::Picard {
            return self.add_sanitized(first, records);
        }
        let sanitized = SanitizedRecords::new(records, &self.lengths, SanitizeRules::default());
        self.add_sanitized(first, &sanitized.of(records))
    }

    fn add_sanitized(&mut self, first: u64, records: &[Record<'_>]) -> Result<(), Error> {
        let mut members = std::mem::take(&mut self.members);
        let primary = records
            .iter()
            .enumerate()
            .map(|(index, record)| is_primary(record.flags()).then(|| Primary::new(index, record)));
        let (marking, libraries) = (&self.finder.marking, &self.finder.libraries);
        let mut reads = Vec::with_capacity(records.len());
        match marking.rule {
            DuplicateRule::Samtools => {
                mates::mate(primary, MateRules::MARKING, &mut members);
                mates::tell_supplementary(records, &mut members);
                if !marking.clear {
                    share_marks(&mut members, marking.remove);
                }
            }
            DuplicateRule::Picard => members.extend(primary.map(GroupMember::from)),
        }
        reads.extend(records.iter().zip(&members).map(|(record, member)| {
            let of = |primary| ReadSignature::new(record, primary, marking, libraries);
            member.primary().map(of).unwrap_or_default()
        }));
        if marking.rule == DuplicateRule::Picard {
            mates::as_picard(&mut members, |index| reads[index].group_hash);
        }
        for (index, member) in members.iter().enumerate() {
            let number = first + index as u64;
            match member {
                GroupMember::Primary(to) | GroupMember::Supplementary(to)
                    if self.finder.marking.rule == DuplicateRule::Samtools =>
                {
                    self.add_changed(number, records, to)?;
                }
                _ => self.add_unchanged(number, &records[index])?,
            }
        }
        let group = TemplateGroup { first, offsets: None, members: &members, reads: &reads };
        self.finder.look(&group)?;
        members.clear();
        self.members = members;
        Ok(())
    }

    /// Adds a record of which only the mark is changed, and tags that say what it was about.
    fn add_unchanged(&mut self, number: u64, record: &Record<'_>) -> Result<(), Error> {
        match cleared(record, &self.finder.marking, &mut self.record) {
            false => self.sorter.add_checked(number, record),
            true => self.sorter.add_checked(number, &Record::from_checked(&self.record)),
        }
    }

    /// Adds a record that is told of its mate.
    fn add_changed(
        &mut self,
        number: u64,
        records: &[Record<'_>],
        to: &Primary,
    ) -> Result<(), Error> {
        self.record.clear();
        let mut to = *to;
        let clears = self.finder.marking.clears(to.flags);
        if clears {
            to.flags &= !flag::DUPLICATE;
        }
        let without = |name: [u8; 2]| clears && is_of_mark(name);
        mates::write(records, &to, without, &mut self.record);
        self.sorter.add_checked(number, &Record::from_checked(&self.record))
    }

    /// Takes over what another one gathered.
    pub(super) fn merge(&mut self, other: DuplicateCollector) {
        self.sorter.merge(other.sorter);
        self.finder.merge(other.finder);
    }

    pub(super) fn into_parts(self) -> (Sorter, Candidates) {
        (self.sorter, self.finder.candidates)
    }
}

/// A mark that one of two mates has in the input is that of both. One that isn't aligned needs none, unless marked records are left
/// out, so that it doesn't stay alone.
fn share_marks(members: &mut [GroupMember], are_removed: bool) {
    let primary = || members.iter().filter_map(GroupMember::primary);
    let is_marked = |one: &Primary| one.flags & flag::DUPLICATE != 0;
    if primary().count() != 2 || !primary().any(is_marked) {
        return;
    }
    for member in members {
        if let GroupMember::Primary(one) = member
            && (are_removed || one.flags & flag::UNMAPPED == 0)
        {
            one.flags |= flag::DUPLICATE;
        }
    }
}
