//! BAM, SAM and CRAM: every record by the rules, in parallel, and their order.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use biofast_bam::{Batch, Detail, ErrorKind, InputOptions};
use biofast_io::splice::Places;
use biofast_io::{Location, Options as Io, Source};

use super::CheckedFormat;
use super::doubts::Doubts;
use super::fault::{CheckRule, Error, Fault, Warning};
use super::header::Facts;
use super::options::Options;
use super::order::{Break, ChunkEnds, RecordOffset, Track};
use super::outcome::Outcome;
use super::record::{RecordFinding, RecordRules};
use super::remains::Remains;
use crate::measure::records::{Amount, Sum};

/// What one chunk leaves.
#[derive(Default)]
struct ChunkFindings {
    /// Good records.
    records: u64,
    doubts: Doubts,
    /// Of all records, if that was asked for.
    sum: Sum,
    ends: ChunkEnds,
    /// What is wrong with the record after them, and where it starts.
    fault: Option<(RecordFinding, Option<RecordOffset>)>,
}

/// What has been found, in the order of the file.
#[derive(Default)]
struct OrderedFindings {
    records: u64,
    doubts: Doubts,
    sum: Sum,
    track: Track,
    /// Where records are in no order of names that is known.
    disorder: Option<Break>,
    fault: Option<Fault>,
}

pub(super) fn check(
    source: Source,
    format: CheckedFormat,
    io: &Io,
    options: &Options<'_>,
    remains: &mut Remains,
) -> Result<Outcome, Error> {
    let (first, places) = (source.origin().records, source.places());
    let mut outcome = Outcome::new(format);
    let named = CheckedFormat::of_name(source.name()).filter(|_| options.expected.is_none());
    let with_bases = options.reference.is_some() || options.checksum;
    let opening = InputOptions {
        io,
        reference: options.reference.clone(),
        detail: match with_bases {
            true => Detail::Full,
            false => Detail::Alignment,
        },
    };
    // Of a part it is known that it is BAM; where its first block is damaged is told by who reads it.
    let source = match places.is_some() {
        true => source,
        false => match biofast_bam::Input::open_to_check(source, &opening) {
            Ok(input) => input.source,
            Err(error) => {
                outcome.fault = Some(fault_of(error)?);
                return Ok(outcome);
            }
        },
    };
    if format == CheckedFormat::Cram && !with_bases {
        let message =
            "no reference was given, so bases stored as differences from it were not decoded";
        outcome.warnings.push(Warning::new(CheckRule::Unchecked, message));
    }
    // Programs that go by names would take it for reads.
    if let Some(named @ (CheckedFormat::Fastq | CheckedFormat::Fasta)) = named {
        let message = format!(
            "the file extension says {}, but the file holds {}",
            named.name(),
            format.name()
        );
        outcome.warnings.push(Warning::new(CheckRule::Format, message));
    }
    // Every worker sees the same header; the first one looks at it.
    let facts: OnceLock<Facts> = OnceLock::new();
    let mut found = OrderedFindings { records: first, ..OrderedFindings::default() };
    let result = biofast_bam::Fold::new(source).options(io).ordered(
        || (RecordRules::default(), Default::default()),
        |(rules, scratch), batch, left: &mut ChunkFindings| {
            if !batch.is_empty() {
                let facts = facts.get_or_init(|| Facts::of(batch.header()));
                if facts.fault.is_none() {
                    check_batch(rules, batch, facts, places.as_ref(), left);
                    if options.checksum {
                        let amounts =
                            batch.iter().map(|record| Amount::of_alignment(&record, scratch));
                        amounts.for_each(|amount| left.sum.add(Sum::from(&amount)));
                    }
                }
            }
        },
        |_, _| {},
        |left| match facts.get() {
            Some(facts) => found.take(left, facts, format),
            None => ControlFlow::Continue(()),
        },
    );
    let ended_early = found.fault.is_some();
    let fault = match result {
        Ok((header, _)) => {
            let facts = facts.get_or_init(|| Facts::of(&header));
            facts.fault.clone().or(found.fault)
        }
        // What was found in the records before comes first.
        Err(fault) => match facts.get().and_then(|facts| facts.fault.clone()).or(found.fault) {
            Some(earlier) => Some(earlier),
            None => Some(fault_of(fault.error)?),
        },
    };
    let facts = facts.into_inner().unwrap_or_default();
    let complete = fault.is_none();
    outcome.warnings.extend(facts.warnings.iter().cloned());
    remains.header.clone_from(&outcome.warnings);
    for (rule, message, record, count) in found.doubts.iter() {
        // The chunk with the fault may hold records behind it.
        if !ended_early || record < found.records {
            let at = locate(record, None, &facts, format);
            let count = complete.then_some(count);
            remains.doubts.push(Warning { rule, message: message.into(), at, count });
        }
    }
    outcome.warnings.extend(remains.doubts.iter().cloned());
    remains.order = found.track.edges(facts.claim, &facts.references);
    if let Some(Break { record, place, message }) = found.disorder
        && record < found.records
    {
        let at = locate(record, place, &facts, format);
        outcome.warnings.push(Warning { at, ..Warning::new(CheckRule::Order, message) });
    }
    outcome.records = Some(found.records - first);
    outcome.sum = (complete && options.checksum).then_some(found.sum);
    outcome.fault = fault;
    Ok(outcome)
}

fn check_batch(
    rules: &mut RecordRules,
    batch: Batch<'_>,
    facts: &Facts,
    places: Option<&Places>,
    left: &mut ChunkFindings,
) {
    // Blocks of a part are elsewhere in the file.
    let in_file = |block| places.map_or(Some(block), |places| places.in_file(block));
    for (index, record) in batch.iter().enumerate() {
        let number = batch.first_record() + index as u64;
        let place =
            || batch.place_of(index).map(|(offset, block)| (offset, block.and_then(in_file)));
        if let Err(finding) = rules.check(&record, number, facts, &mut left.doubts) {
            left.fault = Some((finding, place()));
            return;
        }
        left.ends.add(&record, number, place, facts.claim, &facts.references);
        left.records += 1;
    }
}

impl OrderedFindings {
    /// Takes what the next chunk left, and empties it.
    fn take(
        &mut self,
        left: &mut ChunkFindings,
        facts: &Facts,
        format: CheckedFormat,
    ) -> ControlFlow<()> {
        if facts.fault.is_some() {
            return ControlFlow::Break(());
        }
        self.doubts.take(&mut left.doubts);
        self.sum.add(std::mem::take(&mut left.sum));
        let before = self.records;
        self.records += std::mem::take(&mut left.records);
        let wrong = left.fault.take();
        let found = self.track.add(&mut left.ends, facts.claim, &facts.references);
        let found = match facts.claim.is_definite() {
            true => found,
            false => {
                self.disorder = self.disorder.take().or(found);
                None
            }
        };
        // A record out of order stands among the good ones, so before a wrong one.
        if let Some(found) = found {
            self.records = found.record.max(before);
            let at = locate(found.record, found.place, facts, format);
            self.fault = Some(Fault::new(CheckRule::Order, found.message, at));
        } else if let Some(((rule, message), place)) = wrong {
            let at = locate(self.records, place, facts, format);
            self.fault = Some(Fault::new(rule, message, at));
        }
        left.ends.clear();
        match self.fault {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Where record `number` (from 0) is, in terms of the input: bytes of BAM that were made of text
/// or of CRAM are no place in it.
fn locate(
    number: u64,
    place: Option<RecordOffset>,
    facts: &Facts,
    format: CheckedFormat,
) -> Location {
    let place = place.filter(|_| format == CheckedFormat::Bam);
    Location {
        name: None,
        record: Some(number + 1),
        line: (format == CheckedFormat::Sam).then_some(facts.lines + number + 1),
        offset: place.map(|(offset, _)| offset),
        block: place.and_then(|(_, block)| block),
    }
}

/// What is wrong, or that the input can't be read.
fn fault_of(error: biofast_bam::Error) -> Result<Fault, Error> {
    let rule = match error.kind() {
        ErrorKind::Io(inner) => match inner.kind() {
            biofast_io::ErrorKind::Io(_)
            | biofast_io::ErrorKind::NotAFile(_)
            | biofast_io::ErrorKind::OtherRecords { .. }
            | biofast_io::ErrorKind::IndexMismatch(_)
            | biofast_io::ErrorKind::Shrunk => return Err(Error::Alignments(error)),
            biofast_io::ErrorKind::MissingEofBlock => CheckRule::EndMarker,
            _ => CheckRule::Container,
        },
        ErrorKind::MissingReference { .. }
        | ErrorKind::WrongReference(_)
        | ErrorKind::OtherReference { .. }
        | ErrorKind::FastaIndex { .. } => {
            return Err(Error::Alignments(error));
        }
        ErrorKind::MissingEofContainer => CheckRule::EndMarker,
        ErrorKind::BadHeader(_) => CheckRule::Header,
        ErrorKind::BadLine { .. } if error.at().record.is_none() => CheckRule::Header,
        ErrorKind::BadCram(_) | ErrorKind::UnsupportedCram(..) => CheckRule::Container,
        ErrorKind::CigarOperation { .. } | ErrorKind::CigarMisfit { .. } => CheckRule::Cigar,
        ErrorKind::NotBam(_) | ErrorKind::NotAlignments(_) => CheckRule::Format,
        _ => CheckRule::Record,
    };
    Ok(Fault::new(rule, error.kind().to_string(), error.at().clone()))
}
