//! Integrity of one input: containers, FASTQ, and alignments by the rules of the SAM
//! specification. What is a fault and what a warning is listed in docs/check.md.
//!
//! Everything is looked at on all threads, and the first fault in the order of the file is the
//! one that is named, whatever the number of threads.
//!
//! ```
//! use biofast_io::Source;
//! use biofast_ops::check::{Options, check};
//!
//! let io = biofast_io::Options::default();
//! let source = Source::from_reader("two.fq", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nI\n"[..]);
//! let outcome = check(source, &Options::new(&io))?;
//! let fault = outcome.fault.expect("a quality is missing");
//! assert_eq!((fault.at.record, fault.at.line), (Some(2), Some(8)));
//! # Ok::<(), biofast_ops::check::Error>(())
//! ```

mod alignments;
mod doubts;
mod format;
mod header;
mod order;
mod partial;
mod reads;
mod record;
pub mod report;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use biofast_io::splice::Places;
use biofast_io::{Container, ErrorKind, Location, Notes, Source};
use serde::{Deserialize, Serialize};

pub use format::Format;
pub use partial::{Apart, Partial, check_shard};

use crate::measure::reads::PairCheck;
use crate::measure::records::{RecordSum, Sum};

/// How to check.
///
/// ```
/// use biofast_ops::check::{Format, Options};
///
/// let io = biofast_io::Options::default();
/// // Must be BAM, and may end without its marker.
/// let options = Options::new(&io).with_allow_missing_eof(true).with_expected(Format::Bam);
/// assert!(!options.pairs && !options.checksum);
/// ```
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// How to read; `strict` is set by the check itself, and so are `notes` where there are none.
    pub io: &'a biofast_io::Options,
    /// A FASTA file with the reference sequences of CRAM.
    pub reference: Option<PathBuf>,
    /// Whether the end-of-file marker of BGZF and CRAM may be missing.
    pub allow_missing_eof: bool,
    /// Whether to gather what the check of pairs needs.
    pub pairs: bool,
    /// Whether to gather number and checksum of the records. CRAM then needs its reference.
    pub checksum: bool,
    /// What the input must hold; by default what its content says.
    pub expected: Option<Format>,
}

impl<'a> Options<'a> {
    /// The strictest check that reads as `io` says.
    pub fn new(io: &'a biofast_io::Options) -> Options<'a> {
        Options {
            io,
            reference: None,
            allow_missing_eof: false,
            pairs: false,
            checksum: false,
            expected: None,
        }
    }

    /// Takes the reference sequences of CRAM from this FASTA file.
    #[must_use]
    pub fn with_reference(mut self, path: impl Into<PathBuf>) -> Options<'a> {
        self.reference = Some(path.into());
        self
    }

    /// Whether the end-of-file marker of BGZF and CRAM may be missing.
    #[must_use]
    pub fn with_allow_missing_eof(mut self, allow: bool) -> Options<'a> {
        self.allow_missing_eof = allow;
        self
    }

    /// Whether to gather what the check of pairs needs.
    #[must_use]
    pub fn with_pairs(mut self, pairs: bool) -> Options<'a> {
        self.pairs = pairs;
        self
    }

    /// Whether to gather number and checksum of the records.
    #[must_use]
    pub fn with_checksum(mut self, checksum: bool) -> Options<'a> {
        self.checksum = checksum;
        self
    }

    /// What the input must hold.
    #[must_use]
    pub fn with_expected(mut self, format: Format) -> Options<'a> {
        self.expected = Some(format);
        self
    }
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Compression: checksums, lengths, ends.
    Container,
    /// The end-of-file marker of BGZF and CRAM.
    EndMarker,
    /// Which format the data are of.
    Format,
    /// FASTQ records.
    Fastq,
    /// FASTA records.
    Fasta,
    /// Mates of FASTQ.
    Pairs,
    /// What a summary of `biofast filter` says of the file.
    Summary,
    /// The header of alignments.
    Header,
    /// The fields of an alignment record taken together: lengths, indices, lines.
    Record,
    /// QNAME.
    Name,
    /// FLAG.
    Flags,
    /// RNAME and POS.
    Position,
    /// RNEXT and PNEXT.
    Mate,
    /// CIGAR.
    Cigar,
    /// QUAL.
    Qualities,
    /// Optional fields.
    Tags,
    /// The order of records.
    Order,
    /// Something that was not looked at.
    Unchecked,
}

impl Rule {
    /// A short name: `container`, `tags`, …
    pub fn name(self) -> &'static str {
        match self {
            Rule::Container => "container",
            Rule::EndMarker => "end-marker",
            Rule::Format => "format",
            Rule::Fastq => "fastq",
            Rule::Fasta => "fasta",
            Rule::Pairs => "pairs",
            Rule::Summary => "summary",
            Rule::Header => "header",
            Rule::Record => "record",
            Rule::Name => "name",
            Rule::Flags => "flags",
            Rule::Position => "position",
            Rule::Mate => "mate",
            Rule::Cigar => "cigar",
            Rule::Qualities => "qualities",
            Rule::Tags => "tags",
            Rule::Order => "order",
            Rule::Unchecked => "unchecked",
        }
    }
}

/// What is wrong with an input: the first fault in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which rule is broken.
    pub rule: Rule,
    /// What was expected and found.
    pub message: String,
    /// Where, without the input's name.
    pub at: Location,
}

/// Something odd that doesn't make the input unusable. One for each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub rule: Rule,
    /// What is odd.
    pub message: String,
    /// Where it was seen first, without the input's name.
    pub at: Location,
    /// How often it was seen; `None` if a fault ended the reading before all was seen.
    pub count: Option<u64>,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What the input holds.
    pub format: Format,
    /// What it is wrapped in.
    pub container: Option<Container>,
    /// Good records, up to the fault if there is one; `None` of other data.
    pub records: Option<u64>,
    /// The first fault; without one the input is good.
    pub fault: Option<Fault>,
    /// What is odd.
    pub warnings: Vec<Warning>,
    /// What the check of pairs needs, if it was asked for and the input is FASTQ.
    pub pairs: Option<PairCheck>,
    /// Number and checksum of the records, if they were asked for and the input is good.
    pub sum: Option<Sum>,
}

/// An input couldn't be read, so that nothing can be said about it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to give the bytes.
    Io(biofast_io::Error),
    /// Alignments can't be decoded without something else, such as a reference.
    Alignments(biofast_bam::Error),
    /// The plan has no such shard, or it can't be opened.
    Shard(crate::measure::shards::Error),
}

impl From<crate::measure::shards::Error> for Error {
    fn from(error: crate::measure::shards::Error) -> Error {
        Error::Shard(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Alignments(error) => error.fmt(f),
            Error::Shard(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => std::error::Error::source(error),
            Error::Alignments(error) => std::error::Error::source(error),
            Error::Shard(error) => std::error::Error::source(error),
        }
    }
}

/// What is wrong with a header that is to be written, if anything is.
pub(crate) fn header_fault(header: &biofast_bam::Header) -> Option<String> {
    header::Facts::of(header).fault.map(|fault| fault.message)
}

/// `place: message`, or the message alone.
fn located(f: &mut fmt::Formatter<'_>, at: &Location, message: &str) -> fmt::Result {
    match *at == Location::default() {
        true => f.write_str(message),
        false => write!(f, "{at}: {message}"),
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        located(f, &self.at, &self.message)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        located(f, &self.at, &self.message)?;
        match self.count {
            Some(count) if count > 1 => write!(f, " ({count} times)"),
            _ => Ok(()),
        }
    }
}

impl Fault {
    fn new(rule: Rule, message: impl Into<String>, at: Location) -> Fault {
        Fault { rule, message: message.into(), at: Location { name: None, ..at } }
    }

    /// A fault of the byte layer, or the error that there are no bytes to judge.
    fn of_bytes(error: biofast_io::Error) -> Result<Fault, Error> {
        let rule = match error.kind() {
            ErrorKind::Io(_) | ErrorKind::NotAFile(_) | ErrorKind::Shrunk | ErrorKind::NoInput => {
                return Err(Error::Io(error));
            }
            ErrorKind::MissingEofBlock => Rule::EndMarker,
            _ => Rule::Container,
        };
        Ok(Fault::new(rule, error.kind().to_string(), error.at().clone()))
    }
}

impl Warning {
    fn new(rule: Rule, message: impl Into<String>) -> Warning {
        Warning { rule, message: message.into(), at: Location::default(), count: Some(1) }
    }
}

impl Outcome {
    fn new(format: Format) -> Outcome {
        Outcome {
            format,
            container: None,
            records: None,
            fault: None,
            warnings: Vec::new(),
            pairs: None,
            sum: None,
        }
    }

    /// Sets the fault of a good input whose records aren't those that a summary names.
    pub fn compare(&mut self, expected: &RecordSum) {
        if self.fault.is_some() {
            return;
        }
        let message = match self.sum.map(RecordSum::from) {
            Some(found) if found == *expected => return,
            Some(found) => format!(
                "expected {} records with checksum {}, as the summary says, found {} with {}",
                expected.reads, expected.checksum, found.reads, found.checksum
            ),
            None => format!("expected records, as the summary says, found {}", self.format.name()),
        };
        self.fault = Some(Fault::new(Rule::Summary, message, Location::default()));
    }
}

impl Outcome {
    /// Adds what the byte layer found besides the data, of a part that starts with the record `first` (from 0) and whose bytes are at
    /// those `places` of the file.
    fn add_note(&mut self, note: &biofast_io::Warning, first: u64, places: Option<&Places>) {
        match note {
            biofast_io::Warning::GzipAfterBlocks(at) => {
                let message = "ordinary gzip follows BGZF blocks";
                let block = places.and_then(|places| places.in_file(*at)).unwrap_or(*at);
                let at = Location { block: Some(block), ..Location::default() };
                // BAM is BGZF (SAM specification, section 4.1); other data may be any gzip.
                if self.format == Format::Bam && self.fault.is_none() {
                    self.fault = Some(Fault::new(Rule::Container, message, at));
                } else {
                    self.warnings.push(Warning { at, ..Warning::new(Rule::Container, message) });
                }
            }
            // Only where a missing end-of-file block is allowed; else reading ends there.
            biofast_io::Warning::BlankLines { record, line, .. } => {
                let message = biofast_fastq::ErrorKind::BlankLine.to_string();
                let at =
                    Location { record: Some(*record), line: Some(*line), ..Location::default() };
                if self.fault.is_none() {
                    self.fault = Some(Fault::new(Rule::Fastq, message, at));
                    self.records = Some((record - 1).saturating_sub(first));
                }
            }
            biofast_io::Warning::Tolerated { what, count, first }
            | biofast_io::Warning::Noticed { what, count, first } => {
                let count = Some(*count);
                let at = Location { name: None, ..first.clone() };
                self.warnings.push(Warning { at, count, ..Warning::new(Rule::Record, *what) });
            }
            _ => {
                let message = "the end-of-file marker is missing: the file may have been cut";
                self.warnings.push(Warning::new(Rule::EndMarker, message));
            }
        }
    }
}

/// What was noticed of the bytes. Whether their end was seen after a fault ended the reading depends on the threads.
fn noted(notes: &Notes, outcome: &Outcome) -> Vec<biofast_io::Warning> {
    use biofast_io::Warning::{BlankLines, Noticed, Tolerated};
    let mut all = notes.warnings();
    if outcome.fault.is_some() {
        all.retain(|note| matches!(note, BlankLines { .. } | Noticed { .. } | Tolerated { .. }));
    }
    all
}

/// How the bytes are read, and what is noticed then.
fn reading(options: &Options<'_>) -> (biofast_io::Options, Arc<Notes>) {
    let notes = options.io.notes.clone().unwrap_or_default();
    let io = biofast_io::Options {
        strict: !options.allow_missing_eof,
        allow_missing_eof: options.allow_missing_eof,
        pedantic: true,
        notes: Some(Arc::clone(&notes)),
        ..options.io.clone()
    };
    (io, notes)
}

/// Checks an input from its first byte to its last, or to its first fault.
///
/// ```
/// use biofast_io::Source;
/// use biofast_ops::check::{Options, Rule, check};
///
/// let io = biofast_io::Options::default();
/// let reads = |text: &'static [u8]| Source::from_reader("example", text);
/// let good = check(reads(b"@a\nACGT\n+\nIIII\n"), &Options::new(&io))?;
/// assert_eq!((good.records, good.fault), (Some(1), None));
/// let bad = check(reads(b"@a\nACGT\n+\nIII\n"), &Options::new(&io))?;
/// let fault = bad.fault.ok_or("a quality is missing")?;
/// assert_eq!((fault.rule, fault.at.record), (Rule::Fastq, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the input can't be read. Everything that is wrong with what can be read is a
/// [`Fault`] of the [`Outcome`].
pub fn check(mut source: Source, options: &Options<'_>) -> Result<Outcome, Error> {
    let (io, notes) = reading(options);
    let mut outcome = match format::recognise(&mut source, options.expected) {
        Ok(format @ (Format::Bam | Format::Sam | Format::Cram)) => {
            alignments::check(source, format, &io, options, &mut Default::default())?
        }
        Ok(Format::Fastq) => reads::check_fastq(source, &io, options)?,
        Ok(Format::Fasta) => reads::check_fasta(source, &io, options)?,
        Ok(Format::Other) => reads::check_bytes(source, &io)?,
        Err((format, fault)) => Outcome { fault: Some(fault), ..Outcome::new(format) },
    };
    outcome.container = notes.container();
    for note in noted(&notes, &outcome) {
        outcome.add_note(&note, 0, None);
    }
    if outcome.format == Format::Bam
        && outcome.fault.is_none()
        && let Some(container) = outcome.container
        && !matches!(container, Container::Bgzf | Container::Plain)
    {
        let message = format!("BAM in {}, where tools expect BGZF", container.name());
        outcome.warnings.push(Warning::new(Rule::Container, message));
    }
    Ok(outcome)
}
