//! What is kept of records until their place is complete.

use biofast_bam::{Batch, Error, ErrorKind, Header, Record, flag};
use biofast_io::Location;

use super::codes::{Numbered, OddBarcodes};
use super::rules::{RecordFate, UmiReadCounts, UmiRules, UmiTask};
use crate::change::sort::duplicates::gate::hash_of_name;

/// A read that is grouped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The number of the record.
    pub(super) record: u64,
    pub(super) umi: u64,
    pub(super) cell: u64,
    /// Of its mate, if that is to be written, the place and a hash of the name. Where names are kept, where its own is among them, and its
    /// position.
    pub(super) mate: MateKey,
    /// Where it is, as an unsigned number; or its gene.
    pub(super) position: u32,
    pub(super) splice: u32,
    pub(super) template_len: i32,
    /// Its length, if that matters.
    pub(super) len: u32,
    pub(super) multimapping: i32,
    pub(super) mapping_quality: u8,
    pub(super) is_reverse: bool,
}

/// A record at a place with a hash of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MateKey {
    pub(super) place: u64,
    pub(super) hash: u64,
}

impl MateKey {
    /// That of a mate that isn't written.
    pub(super) const NONE: MateKey = MateKey { place: u64::MAX, hash: 0 };

    fn new(reference: i32, position: i32, name: &[u8]) -> MateKey {
        match reference {
            ..0 => MateKey::NONE,
            reference => MateKey { place: place(reference, position), hash: hash_of_name(name) },
        }
    }

    /// That of a record that may be a mate.
    pub(super) fn of_mate(record: &Record<'_>) -> Option<MateKey> {
        let no_mate = flag::UNMAPPED | flag::MATE_UNMAPPED | flag::READ1;
        let is_mate = record.flags() & no_mate == 0 && record.reference_id() >= 0;
        is_mate.then(|| MateKey::new(record.reference_id(), record.position(), record.name()))
    }
}

/// A place in the order of coordinates; those without one come last.
fn place(reference: i32, position: i32) -> u64 {
    u64::from(reference as u32) << 32 | u64::from(position.wrapping_add(1) as u32)
}

fn place_of(record: &Record<'_>) -> u64 {
    match record.reference_id() {
        ..0 => u64::MAX,
        reference => place(reference, record.position()),
    }
}

/// What is added to positions, which are negative where bases are clipped, to make them unsigned.
pub(super) const OFFSET: i64 = 1 << 30;

/// What was found in a batch of records.
#[derive(Default)]
pub(super) struct SurveyedReads {
    pub(super) candidates: Vec<Candidate>,
    /// Where those of a reference sequence end in them, the number of the reference, and the last position of a record that was read of it.
    pub(super) runs: Vec<(usize, i32, i32)>,
    pub(super) odd: OddBarcodes,
    pub(super) genes: Numbered,
    /// Names, each behind its length.
    pub(super) names: Vec<u8>,
    /// Records that are written without being grouped.
    pub(super) plain: Vec<u64>,
    pub(super) counts: UmiReadCounts,
    /// The places of the first and the last record, and the number of the first.
    places: Option<(u64, u64, u64)>,
    /// The first record that lies before the one in front of it, with its number and both places.
    unsorted: Option<(u64, u64, u64)>,
}

impl SurveyedReads {
    /// Forgets all of a batch.
    pub(super) fn clear(&mut self) {
        let SurveyedReads { mut candidates, mut names, .. } = std::mem::take(self);
        candidates.clear();
        names.clear();
        (self.candidates, self.names) = (candidates, names);
    }

    /// Checks that all records come in the order of coordinates; `last` is the place of the last one before the batch.
    pub(super) fn check_order(&self, last: &mut u64) -> Result<(), Error> {
        let Some((first, end, number)) = self.places else { return Ok(()) };
        let unsorted = match first < *last {
            true => Some((number, *last, first)),
            false => self.unsorted,
        };
        *last = end;
        let Some((number, previous, found)) = unsorted else { return Ok(()) };
        let shown = |place: u64| match place {
            u64::MAX => (-1, -1),
            place => ((place >> 32) as i32, (place as u32).wrapping_sub(1) as i32),
        };
        let (previous, found) = (shown(previous), shown(found));
        let kind = ErrorKind::Unsorted { previous, found, names: [None, None] };
        Err(Error::new(kind, Location { record: Some(number + 1), ..Location::default() }))
    }
}

/// Looks at batches of records.
pub(super) struct ReadSurveyor<'a> {
    rules: &'a UmiRules,
    task: UmiTask,
    keeps_names: bool,
    umi: Vec<u8>,
    cell: Vec<u8>,
}

impl<'a> ReadSurveyor<'a> {
    pub(super) fn new(rules: &'a UmiRules, task: UmiTask, keeps_names: bool) -> ReadSurveyor<'a> {
        ReadSurveyor { rules, task, keeps_names, umi: Vec::new(), cell: Vec::new() }
    }

    /// Adds what is found in a batch.
    pub(super) fn survey(
        &mut self,
        batch: &Batch<'_>,
        found: &mut SurveyedReads,
    ) -> Result<(), Error> {
        for (number, record) in batch.numbered() {
            record.check()?;
            found.counts.records += 1;
            let place = place_of(&record);
            let (first, before, from) = found.places.unwrap_or((place, place, number));
            if place < before && found.unsorted.is_none() {
                found.unsorted = Some((number, before, place));
            }
            found.places = Some((first, place, from));
            match self.rules.fate(&record, self.task == UmiTask::Group) {
                RecordFate::Dropped => {}
                RecordFate::Plain => found.plain.push(number),
                RecordFate::Grouped => self.add(number, &record, batch.header(), found)?,
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        number: u64,
        record: &Record<'_>,
        header: &Header,
        found: &mut SurveyedReads,
    ) -> Result<(), Error> {
        let rules = self.rules;
        if !rules.barcodes(record, &mut self.umi, &mut self.cell)? {
            found.counts.without_umi += 1;
            return Ok(());
        }
        let flags = record.flags();
        let mut candidate = Candidate {
            record: number,
            umi: 0,
            cell: 0,
            mate: MateKey::NONE,
            position: 0,
            splice: 0,
            template_len: 0,
            len: 0,
            multimapping: rules.multimapping_of(record)?,
            mapping_quality: record.mapping_quality(),
            is_reverse: false,
        };
        let position = rules.position_of(record);
        let shifted = (position.position + OFFSET).clamp(0, i64::from(u32::MAX)) as u32;
        if rules.gene.is_some() {
            let Some(gene) = rules.gene_of(record, header)? else {
                found.counts.without_gene += 1;
                return Ok(());
            };
            candidate.position = found.genes.number(gene);
        } else {
            candidate.position = shifted;
            candidate.splice = position.splice;
            candidate.is_reverse = flags & flag::REVERSE != 0;
            if rules.paired && !rules.ignore_tlen {
                candidate.template_len = record.template_len();
            }
            if rules.read_length {
                candidate.len = record.sequence_len() as u32;
            }
        }
        candidate.umi = found.odd.number(&self.umi);
        if rules.per_cell {
            candidate.cell = found.odd.number(&self.cell);
        }
        if self.keeps_names {
            candidate.mate = MateKey { place: found.names.len() as u64, hash: u64::from(shifted) };
            found.names.push(record.name().len() as u8);
            found.names.extend_from_slice(record.name());
        } else if rules.paired && self.task == UmiTask::Dedup && flags & flag::MATE_UNMAPPED == 0 {
            let (reference, position) = (record.mate_reference_id(), record.mate_position());
            candidate.mate = MateKey::new(reference, position, record.name());
        }
        found.counts.grouped += 1;
        let (reference, position) = (record.reference_id(), record.position());
        found.candidates.push(candidate);
        let end = found.candidates.len();
        match found.runs.last_mut().filter(|(_, last, _)| *last == reference) {
            Some(run) => *run = (end, reference, position),
            None => found.runs.push((end, reference, position)),
        }
        Ok(())
    }
}
