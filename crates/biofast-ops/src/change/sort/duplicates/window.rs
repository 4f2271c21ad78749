//! Duplicates among records in coordinate order, decided while they come: by the rule of samtools, with what the tags of `samtools fixmate
//! -m` say of mates.
//!
//! Duplicates have a place in common, and a read lies within [`SPAN`] bases of its own. So all that are at a place have come once a
//! record is further on than that. Most places lie within a batch of records, and whoever has the batch decides about them. What is
//! near its ends is decided about in turn.

use std::collections::VecDeque;
use std::sync::Arc;

use biofast_bam::{Batch, Header, Record};

use super::anywhere::look_by_tags;
use super::decide::decide_few;
use super::decisions::{DuplicateDecisions, RecordBits};
use super::entries::{DividedEntries, FewEntries};
use super::finder::{Candidates, DuplicateFinder};
use super::keys;
use super::libraries::DuplicateLibraries;
use super::marker::{MarkDecisions, MarkTally};
use super::metrics::DuplicateCounts;
use super::primary::is_primary;
use super::rule::{DuplicateRule, Marking};
use super::signature::is_examined;

/// Reads begin and end within less than so many bases of their position, clipped ones included, or they aren't decided about here.
const SPAN: u64 = 500;

/// Bytes that a record takes while it waits, by its length: it may be mapped, too.
const MEMORY: usize = 2;

/// What is behind all places.
const END: u64 = u64::MAX;

/// Looks at batches of records.
pub(in crate::change) struct WindowSurveyor {
    finder: DuplicateFinder<DividedEntries>,
    /// Memory for entries.
    spare: [FewEntries; 2],
}

/// What was found in the records of a group.
#[derive(Default)]
pub(in crate::change) struct SurveyedRecords {
    batches: Vec<SurveyedBatch>,
}

/// What was found in a batch, unless it can't be decided about here.
struct SurveyedBatch(Option<SurveyedSpan>);

struct SurveyedSpan {
    first: u64,
    records: u64,
    /// Places of the first and the last record.
    places: (u64, u64),
    /// Bytes of its records.
    bytes: usize,
    /// What was decided of them already.
    decided: RecordBits,
    /// Entries near the ends: of pairs, and of single reads.
    pairs: FewEntries,
    singles: FewEntries,
}

/// Decides about records in their order.
pub(in crate::change) struct DuplicateWindow {
    marking: Marking,
    kind_len: usize,
    /// Groups of records that wait.
    waiting: VecDeque<WaitingRecords>,
    bytes: usize,
    /// The most of them.
    memory: usize,
    /// The place of the last record.
    last: u64,
    /// Entries at places where more may come.
    pairs: FewEntries,
    singles: FewEntries,
    counts: DuplicateCounts,
}

struct WaitingRecords {
    decided: RecordBits,
    /// The number behind the last.
    end: u64,
    last: u64,
    bytes: usize,
}

/// That records can't be decided about here: they aren't in order, or lie too far from their places, tags are missing, or too many wait.
#[derive(Debug)]
pub(in crate::change) struct Undecidable;

/// The place in coordinate order.
fn place_of(record: &Record<'_>) -> u64 {
    match record.reference_id() {
        ..0 => END,
        reference => keys::place(reference, i64::from(record.position())),
    }
}

impl WindowSurveyor {
    pub(in crate::change) fn new(marking: &Marking, header: &Header) -> WindowSurveyor {
        let libraries = Arc::new(DuplicateLibraries::new(header));
        WindowSurveyor {
            finder: DuplicateFinder::of(Candidates::of_few(), marking, &libraries),
            spare: Default::default(),
        }
    }

    /// Adds what is found in a batch.
    pub(in crate::change) fn survey(&mut self, batch: &Batch<'_>, found: &mut SurveyedRecords) {
        found.batches.push(SurveyedBatch(self.survey_batch(batch)));
    }

    fn survey_batch(&mut self, batch: &Batch<'_>) -> Option<SurveyedSpan> {
        let mut records = batch.iter();
        let (first, last) = (records.next()?, batch.iter().next_back()?);
        let places = (place_of(&first), place_of(&last));
        let between = (places.0.saturating_add(SPAN), places.1.saturating_sub(SPAN));
        let [inner_pairs, inner_singles] = std::mem::take(&mut self.spare);
        let divided = |inner| DividedEntries { inner, between, ..DividedEntries::default() };
        let candidates = &mut self.finder.candidates;
        candidates.pairs = divided(inner_pairs);
        candidates.singles = divided(inner_singles);
        let (mut before, mut bytes, mut count) = (places.0, 0, 0);
        for record in batch.iter() {
            record.check().ok()?;
            let place = place_of(&record);
            if place < before {
                return None;
            }
            before = place;
            bytes += record.as_bytes().len();
            count += 1;
            let flags = record.flags();
            if !is_primary(flags) || !is_examined(flags, &self.finder.marking) {
                self.finder.candidates.counts.excluded += 1;
                continue;
            }
            let number = batch.first_record() + count - 1;
            let ends = look_by_tags(&mut self.finder, number, &record).ok()??;
            if !ends.are_near(record.position(), SPAN as i64) {
                return None;
            }
        }
        let found = std::mem::replace(&mut self.finder.candidates, Candidates::of_few());
        let Candidates { pairs, singles, filter, mut counts } = found;
        let inner = Candidates {
            pairs: pairs.inner,
            singles: singles.inner,
            filter,
            ..Candidates::of_few()
        };
        let first = batch.first_record();
        let marking = &self.finder.marking;
        let (decided, mut spare) = decide_few(inner, (first, count), marking, &mut counts).ok()?;
        spare.iter_mut().for_each(FewEntries::clear);
        self.spare = spare;
        self.finder.candidates.counts = counts;
        let (pairs, singles) = (pairs.outer, singles.outer);
        Some(SurveyedSpan { first, records: count, places, bytes, decided, pairs, singles })
    }

    /// Takes over what another one counted.
    pub(in crate::change) fn merge(&mut self, other: &WindowSurveyor) {
        self.finder.candidates.counts.add(&other.finder.candidates.counts);
    }
}

impl DuplicateWindow {
    /// Whether records of an input with this header can be decided about here, as far as one can tell.
    pub(in crate::change) fn is_for(header: &Header, marking: &Marking) -> bool {
        header.is_sorted_by_coordinate()
            && marking.rule == DuplicateRule::Samtools
            && !marking.supplementary
            && marking.optical_distance().is_none()
    }

    /// Records may take so much memory while they wait.
    pub(in crate::change) fn new(marking: &Marking, memory: usize) -> DuplicateWindow {
        DuplicateWindow {
            marking: marking.clone(),
            kind_len: marking.kind_len(),
            waiting: VecDeque::new(),
            bytes: 0,
            memory,
            last: 0,
            pairs: FewEntries::default(),
            singles: FewEntries::default(),
            counts: DuplicateCounts::default(),
        }
    }

    /// Takes what was found of the next group, or that there are no more. Appends what has been decided of groups, in their order.
    ///
    /// # Errors
    /// If it can't be decided here.
    pub(in crate::change) fn take(
        &mut self,
        found: Option<SurveyedRecords>,
        decided: &mut Vec<MarkDecisions>,
    ) -> Result<(), Undecidable> {
        match found {
            Some(SurveyedRecords { batches }) => self.add(batches)?,
            None => self.last = END,
        }
        let is_end = self.last == END;
        let horizon = self.last.saturating_sub(SPAN);
        self.decide_before(horizon, is_end)?;
        while let Some(group) = self.waiting.front()
            && (is_end || group.last.saturating_add(SPAN) < horizon)
        {
            let Some(WaitingRecords { decided: reads, bytes, .. }) = self.waiting.pop_front()
            else {
                break;
            };
            self.bytes -= bytes;
            decided.push(MarkDecisions {
                decisions: DuplicateDecisions { reads, ..DuplicateDecisions::default() },
                marking: self.marking.clone(),
                tells_types: false,
            });
        }
        Ok(())
    }

    /// Adds a group.
    fn add(&mut self, batches: Vec<SurveyedBatch>) -> Result<(), Undecidable> {
        let mut group: Option<WaitingRecords> = None;
        for SurveyedBatch(span) in batches {
            let SurveyedSpan { first, records, places, bytes, decided, pairs, singles } =
                span.ok_or(Undecidable)?;
            if places.0 < self.last {
                return Err(Undecidable);
            }
            self.last = places.1;
            self.pairs.append(&pairs);
            self.singles.append(&singles);
            let end = first + records;
            group = Some(match group {
                None => WaitingRecords { decided, end, last: places.1, bytes: MEMORY * bytes },
                Some(group) => {
                    let start = group.decided.first();
                    let mut all = RecordBits::from(start, end - start);
                    all.add(&group.decided);
                    all.add(&decided);
                    let bytes = group.bytes + MEMORY * bytes;
                    WaitingRecords { decided: all, end, last: places.1, bytes }
                }
            });
        }
        let Some(group) = group else { return Err(Undecidable) };
        self.bytes += group.bytes;
        self.waiting.push_back(group);
        if self.bytes + self.pairs.memory() + self.singles.memory() > self.memory {
            return Err(Undecidable);
        }
        Ok(())
    }

    /// Decides about all entries at places before `horizon`.
    fn decide_before(&mut self, horizon: u64, of_all: bool) -> Result<(), Undecidable> {
        let (Some(first), Some(last)) = (self.waiting.front(), self.waiting.back()) else {
            return Ok(());
        };
        let (first, end) = (first.decided.first(), last.end);
        let mut now = Candidates::<FewEntries>::of_few();
        for (all, now) in [(&mut self.pairs, &mut now.pairs), (&mut self.singles, &mut now.singles)]
        {
            match of_all {
                true => std::mem::swap(all, now),
                false => all.move_before(horizon, now),
            }
        }
        now.note_singles(self.kind_len);
        let (decided, _) = decide_few(now, (first, end - first), &self.marking, &mut self.counts)
            .map_err(|_| Undecidable)?;
        self.waiting.iter_mut().for_each(|group| group.decided.add(&decided));
        Ok(())
    }

    /// Adds what was counted of so many records, here and by all surveyors.
    pub(in crate::change) fn count(
        &self,
        surveyors: &WindowSurveyor,
        records: u64,
        tally: &mut MarkTally,
    ) {
        tally.counts.read = records;
        tally.counts.add(&self.counts);
        tally.counts.add(&surveyors.finder.candidates.counts);
    }
}
