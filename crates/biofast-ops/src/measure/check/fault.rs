//! What is wrong with a file, and which rule says so.

use std::fmt;

use biofast_io::{ErrorKind, Location};
use serde::{Deserialize, Serialize};

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CheckRule {
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

impl CheckRule {
    /// A short name: `container`, `tags`, …
    pub fn name(self) -> &'static str {
        match self {
            CheckRule::Container => "container",
            CheckRule::EndMarker => "end-marker",
            CheckRule::Format => "format",
            CheckRule::Fastq => "fastq",
            CheckRule::Fasta => "fasta",
            CheckRule::Pairs => "pairs",
            CheckRule::Summary => "summary",
            CheckRule::Header => "header",
            CheckRule::Record => "record",
            CheckRule::Name => "name",
            CheckRule::Flags => "flags",
            CheckRule::Position => "position",
            CheckRule::Mate => "mate",
            CheckRule::Cigar => "cigar",
            CheckRule::Qualities => "qualities",
            CheckRule::Tags => "tags",
            CheckRule::Order => "order",
            CheckRule::Unchecked => "unchecked",
        }
    }
}

/// What is wrong with an input: the first fault in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which rule is broken.
    pub rule: CheckRule,
    /// What was expected and found.
    pub message: String,
    /// Where, without the input's name.
    pub at: Location,
}

/// Something odd that doesn't make the input unusable. One for each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub rule: CheckRule,
    /// What is odd.
    pub message: String,
    /// Where it was seen first, without the input's name.
    pub at: Location,
    /// How often it was seen; `None` if a fault ended the reading before all was seen.
    pub count: Option<u64>,
}

/// An input couldn't be read, so that nothing can be said about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to give the bytes.
    #[error(transparent)]
    Io(biofast_io::Error),
    /// Alignments can't be decoded without something else, such as a reference.
    #[error(transparent)]
    Alignments(biofast_bam::Error),
    /// The plan has no such shard, or it can't be opened.
    #[error(transparent)]
    Shard(#[from] crate::measure::shards::Error),
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
    pub(super) fn new(rule: CheckRule, message: impl Into<String>, at: Location) -> Fault {
        Fault { rule, message: message.into(), at: Location { name: None, ..at } }
    }

    /// A fault of the byte layer, or the error that there are no bytes to judge.
    pub(super) fn of_bytes(error: biofast_io::Error) -> Result<Fault, Error> {
        let rule = match error.kind() {
            ErrorKind::Io(_) | ErrorKind::NotAFile(_) | ErrorKind::Shrunk | ErrorKind::NoInput => {
                return Err(Error::Io(error));
            }
            ErrorKind::MissingEofBlock => CheckRule::EndMarker,
            _ => CheckRule::Container,
        };
        Ok(Fault::new(rule, error.kind().to_string(), error.at().clone()))
    }
}

impl Warning {
    pub(super) fn new(rule: CheckRule, message: impl Into<String>) -> Warning {
        Warning { rule, message: message.into(), at: Location::default(), count: Some(1) }
    }
}
