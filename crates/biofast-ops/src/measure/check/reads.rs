//! FASTQ and FASTA, whose reader checks every record, and data of which only the container can be checked.

use biofast_fastq::fasta::Sequences;
use biofast_fastq::{ErrorKind, Readable};
use biofast_io::pipeline::{self, End};
use biofast_io::{Chunk, Container, Location, Options as Io, Source};

use super::fault::{CheckRule, Error, Fault, Warning};
use super::options::Options;
use super::outcome::Outcome;
use super::{CheckedFormat, format};
use crate::measure::reads::encoding::EncodingEvidence;
use crate::measure::reads::{Encoding, PairCheck};
use crate::measure::records::{Checksum, Sum};

/// What is counted of reads.
#[derive(Default)]
struct ReadCheckCounts {
    records: u64,
    pairs: Option<PairCheck>,
    checksum: Option<Checksum>,
    encoding: EncodingEvidence,
}

pub(super) fn check_fastq(
    source: Source,
    io: &Io,
    options: &Options<'_>,
) -> Result<Outcome, Error> {
    check_reads(source, CheckedFormat::Fastq, io, options)
}

pub(super) fn check_fasta(
    source: Source,
    io: &Io,
    options: &Options<'_>,
) -> Result<Outcome, Error> {
    check_reads(Sequences(source), CheckedFormat::Fasta, io, options)
}

/// A shard of FASTQ: that it holds no reads doesn't matter.
pub(super) fn check_part(source: Source, io: &Io, options: &Options<'_>) -> Result<Outcome, Error> {
    let mut outcome = check_reads(source, CheckedFormat::Fastq, io, options)?;
    outcome.warnings.clear();
    Ok(outcome)
}

fn check_reads(
    source: impl Readable,
    format: CheckedFormat,
    io: &Io,
    options: &Options<'_>,
) -> Result<Outcome, Error> {
    let init = || ReadCheckCounts {
        records: 0,
        pairs: options.pairs.then(|| PairCheck::new(io.mates)),
        checksum: options.checksum.then(Checksum::default),
        encoding: EncodingEvidence::default(),
    };
    let result = biofast_fastq::Fold::new(source).options(io).run(
        init,
        |counts, batch| {
            counts.records += batch.len() as u64;
            batch.qualities().for_each(|qualities| counts.encoding.add(qualities));
            if let Some(pairs) = &mut counts.pairs {
                pairs.accept(batch);
            }
            if let Some(checksum) = &mut counts.checksum {
                batch.iter().for_each(|record| checksum.add(&record));
            }
        },
        |counts, other| {
            counts.records += other.records;
            counts.encoding.merge(&other.encoding);
            if let (Some(mine), Some(theirs)) = (&mut counts.pairs, &other.pairs) {
                mine.merge(theirs);
            }
            if let (Some(mine), Some(theirs)) = (&mut counts.checksum, other.checksum) {
                mine.merge(theirs);
            }
        },
    );
    let (counts, fault) = match result {
        Ok(counts) => (counts, None),
        Err(fault) => (fault.so_far, Some(fault_of(fault.error, format)?)),
    };
    let mut outcome = Outcome { records: Some(counts.records), ..Outcome::new(format) };
    if fault.is_none() {
        outcome.pairs = counts.pairs;
        outcome.sum = counts.checksum.map(|checksum| Sum { records: counts.records, checksum });
        if counts.records == 0 {
            outcome.warnings.push(Warning::new(CheckRule::Format, "no reads"));
        }
        let odd = match counts.encoding.encoding() {
            Encoding::ProbablyPhred64 => Some("qualities look like Phred+64"),
            Encoding::ProbablySolexa64 => Some("qualities look like Solexa+64"),
            Encoding::ProbablyMixed => Some(
                "quality encodings look mixed: some reads look like Phred+64, and others are Phred+33",
            ),
            _ => None,
        };
        outcome.warnings.extend(odd.map(|odd| Warning::new(CheckRule::Qualities, odd)));
    }
    outcome.fault = fault;
    Ok(outcome)
}

/// What is wrong, or that the input can't be read.
fn fault_of(error: biofast_fastq::Error, format: CheckedFormat) -> Result<Fault, Error> {
    let at = error.at().clone();
    let rule = match error.kind() {
        ErrorKind::Io(inner) => match inner.kind() {
            biofast_io::ErrorKind::Io(reason) => {
                let reason = std::io::Error::new(reason.kind(), reason.to_string());
                let kind = biofast_io::ErrorKind::Io(reason);
                return Err(Error::Io(biofast_io::Error::new(kind, at)));
            }
            biofast_io::ErrorKind::Shrunk => {
                let kind = biofast_io::ErrorKind::Shrunk;
                return Err(Error::Io(biofast_io::Error::new(kind, at)));
            }
            // The plan is of another file, of which nothing is known then.
            &biofast_io::ErrorKind::OtherRecords { expected, found } => {
                let kind = biofast_io::ErrorKind::OtherRecords { expected, found };
                return Err(Error::Io(biofast_io::Error::new(kind, at)));
            }
            &biofast_io::ErrorKind::IndexMismatch(what) => {
                let kind = biofast_io::ErrorKind::IndexMismatch(what);
                return Err(Error::Io(biofast_io::Error::new(kind, at)));
            }
            biofast_io::ErrorKind::NoInput => {
                let kind = biofast_io::ErrorKind::NoInput;
                return Err(Error::Io(biofast_io::Error::new(kind, Location::default())));
            }
            biofast_io::ErrorKind::MissingEofBlock => CheckRule::EndMarker,
            _ => CheckRule::Container,
        },
        _ if format == CheckedFormat::Fasta => CheckRule::Fasta,
        _ => CheckRule::Fastq,
    };
    Ok(Fault::new(rule, error.kind().to_string(), at))
}

/// Reads to the end what is neither reads nor alignments.
pub(super) fn check_bytes(mut source: Source, io: &Io) -> Result<Outcome, Error> {
    let start = source.peek(1 << 10);
    let count = |n: &mut u64, chunk: &Chunk, (): &()| *n += chunk.bytes().len() as u64;
    let result = pipeline::fold(source, io, Bytes, || 0, count, |n, more| *n += more);
    let mut outcome = Outcome::new(CheckedFormat::Other);
    match result {
        Ok(0) => outcome.warnings.push(Warning::new(CheckRule::Format, "the input is empty")),
        Ok(_) => {
            let container = io.notes.as_ref().and_then(|notes| notes.container());
            if container == Some(Container::Plain) {
                outcome.fault = Some(format::unknown(&start.unwrap_or_default()));
            } else {
                let message = "neither reads nor alignments: only the compression was checked";
                outcome.warnings.push(Warning::new(CheckRule::Unchecked, message));
            }
        }
        Err(fault) => outcome.fault = Some(Fault::of_bytes(fault.error)?),
    }
    Ok(outcome)
}

/// No records, only bytes.
struct Bytes;

impl pipeline::Framer for Bytes {
    type Frame = ();
    type Error = biofast_io::Error;

    fn scan((): &mut (), _: &[u8]) {}

    fn frame(&mut self, _: &mut Chunk, (): &mut (), _: End) -> Result<(), biofast_io::Error> {
        Ok(())
    }
}

/// The fault of an input whose reads aren't the mates they should be.
impl From<biofast_fastq::Error> for Fault {
    fn from(error: biofast_fastq::Error) -> Fault {
        let at = Location { name: None, ..error.at().clone() };
        Fault::new(CheckRule::Pairs, error.kind().to_string(), at)
    }
}
