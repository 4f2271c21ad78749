//! The conditions, and a worker that applies them and counts.

use std::cell::RefCell;
use std::collections::HashSet;

use biofast_bam::{Error, Header, Record, Regions, flag};

use super::sample::NameSample;
use super::tags::TagFilter;
use super::tally::{AlignmentTally, Reason};
use crate::change::filter::expression::Expression;
use crate::change::filter::names::{ListedNames, NameList};
use crate::measure::records::Amount;

/// Conditions on alignments that all have to hold.
#[derive(Debug, Default)]
pub struct Choice {
    flags: flag::Filter,
    regions: Option<Regions>,
    sample: Option<NameSample>,
    read_groups: Option<HashSet<Vec<u8>>>,
    tag: Option<TagFilter>,
    names: Option<NameList>,
    expression: Option<Expression>,
}

impl Choice {
    /// Wants every record.
    pub fn new() -> Choice {
        Choice::default()
    }

    /// Wants some flags, and a lowest mapping quality.
    pub fn flags(mut self, flags: flag::Filter) -> Choice {
        self.flags = flags;
        self
    }

    /// Wants records that overlap one of these regions.
    pub fn regions(mut self, regions: Regions) -> Choice {
        self.regions = Some(regions);
        self
    }

    /// Wants a sample of the names.
    pub fn sample(mut self, sample: NameSample) -> Choice {
        self.sample = Some(sample);
        self
    }

    /// Wants records of these read groups, or without any, as samtools 1.16.1. Groups of several
    /// calls add up.
    pub fn read_groups(mut self, ids: impl IntoIterator<Item = Vec<u8>>) -> Choice {
        self.read_groups.get_or_insert_default().extend(ids);
        self
    }

    /// Wants records with an optional field.
    pub fn tag(mut self, tag: TagFilter) -> Choice {
        self.tag = Some(tag);
        self
    }

    /// Wants records of these names. Names of several calls add up.
    pub fn names(mut self, names: impl IntoIterator<Item = Vec<u8>>) -> Choice {
        let list = self.names.get_or_insert_default();
        for name in names {
            list.add(&name);
        }
        self
    }

    /// How many of the names were found so far, if there are any.
    pub fn listed_names(&self) -> Option<ListedNames> {
        self.names.as_ref().map(NameList::summary)
    }

    /// The read groups that are wanted and not in this header.
    pub fn absent_read_groups(&self, header: &Header) -> Vec<Vec<u8>> {
        let Some(ids) = &self.read_groups else { return Vec::new() };
        let known = RefCell::new(HashSet::new());
        let _ = header.with_read_groups(|id| known.borrow_mut().insert(id.to_vec()));
        let mut absent: Vec<Vec<u8>> = ids.difference(&known.into_inner()).cloned().collect();
        absent.sort_unstable();
        absent
    }

    /// Wants records for which an expression holds. It is asked last.
    pub fn expression(mut self, expression: Expression) -> Choice {
        self.expression = Some(expression);
        self
    }

    /// The header of the records that are left: without the read groups that aren't wanted.
    pub fn header(&self, header: &Header) -> Header {
        match &self.read_groups {
            Some(ids) => header.with_read_groups(|id| ids.contains(id)),
            None => header.clone(),
        }
    }

    /// Why a record is not wanted, if it isn't.
    ///
    /// # Errors
    /// If the expression has no answer for it.
    #[inline]
    pub fn objection(&self, record: &Record<'_>, header: &Header) -> Result<Option<Reason>, Error> {
        // First, so that names are found of records that other conditions don't want.
        let has_name = self.names.as_ref().is_none_or(|names| names.contains(record.name()));
        let (flags, quality) = (record.flags(), record.mapping_quality());
        Ok(if !self.flags.accepts(flags, quality) {
            // Flags are named first, whatever the quality.
            Some(match self.flags.accepts(flags, u8::MAX) {
                true => Reason::MappingQuality,
                false => Reason::Flags,
            })
        } else if self.regions.as_ref().is_some_and(|regions| !regions.overlaps(record)) {
            Some(Reason::Region)
        } else if self.sample.is_some_and(|sample| !sample.takes(record.name())) {
            Some(Reason::NotSampled)
        } else if self.read_groups.as_ref().is_some_and(|ids| !is_of(ids, record)) {
            Some(Reason::ReadGroup)
        } else if self.tag.as_ref().is_some_and(|tag| !tag.wants(record)) {
            Some(Reason::Tag)
        } else if !has_name {
            Some(Reason::Name)
        } else if let Some(expression) = &self.expression {
            let holds = expression.matches(record, header);
            (!holds.map_err(|error| record.undecided(error))?).then_some(Reason::Expression)
        } else {
            None
        })
    }

    /// Whether nothing is asked of records, so that all are wanted.
    pub fn wants_all(&self) -> bool {
        let Choice { flags, regions, sample, read_groups, tag, names, expression } = self;
        *flags == flag::Filter::default()
            && regions.is_none()
            && sample.is_none()
            && read_groups.is_none()
            && tag.is_none()
            && names.is_none()
            && expression.is_none()
    }

    /// Whether its flags alone speak against a record that is no primary one, whatever becomes of its template.
    pub(super) fn drops(&self, flags: u16) -> bool {
        let others = flag::SECONDARY | flag::SUPPLEMENTARY;
        flags & self.flags.none_of & others != 0
    }

    /// A worker's own counts and buffers.
    pub fn worker(&self) -> ChoiceWorker<'_> {
        ChoiceWorker {
            choice: self,
            tally: AlignmentTally::default(),
            scratch: [Vec::new(), Vec::new()],
        }
    }
}

/// Whether the record is of one of the groups, or of none at all.
fn is_of(ids: &HashSet<Vec<u8>>, record: &Record<'_>) -> bool {
    match record.tags().find(|tag| tag.name == *b"RG") {
        Some(tag) => tag.as_text().is_some_and(|id| ids.contains(id)),
        None => true,
    }
}

/// Applies a [`Choice`] and counts.
pub struct ChoiceWorker<'c> {
    choice: &'c Choice,
    tally: AlignmentTally,
    /// Letters and qualities of the record at hand.
    scratch: [Vec<u8>; 2],
}

impl ChoiceWorker<'_> {
    /// The counts so far.
    pub fn tally(&self) -> &AlignmentTally {
        &self.tally
    }

    /// Adds the counts of another worker of the same choice.
    pub fn merge(&mut self, other: &ChoiceWorker<'_>) {
        self.tally.merge(&other.tally);
    }

    /// Whether a record is wanted; counts it.
    ///
    /// # Errors
    /// If the expression has no answer for it.
    #[inline]
    pub fn keeps(&mut self, record: &Record<'_>, header: &Header) -> Result<bool, Error> {
        let objection = self.choice.objection(record, header)?;
        self.book(record, objection);
        Ok(objection.is_none())
    }

    /// Counts a record that is kept, or not for this reason.
    #[inline]
    pub(super) fn book(&mut self, record: &Record<'_>, objection: Option<Reason>) {
        let mate = usize::from(record.flags() & flag::READ2 != 0);
        let amount = Amount::of_alignment(record, &mut self.scratch);
        self.tally.book(mate, &amount, objection);
    }
}
