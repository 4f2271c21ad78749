//! What can be wrong with plans of shards.

use std::fmt;

use biofast_io::{Escaped, Location};

use super::schema::{MAX_SHARDS, SCHEMA_VERSION};

/// What is wrong with a plan, or with the file to be split.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, Location)>);

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    #[error("{0}")]
    Io(#[source] std::io::Error),
    /// The bytes of the file can't be read as a part.
    #[error("{0}")]
    Bytes(#[source] biofast_io::Error),
    /// The reads can't be read.
    #[error("{0}")]
    Reads(#[source] biofast_fastq::Error),
    /// The alignments can't be read.
    #[error("{0}")]
    Alignments(#[source] biofast_bam::Error),
    /// No place of this can be jumped to.
    #[error("can't start reading in the middle of {0}")]
    NoPlaces(&'static str),
    /// A record of FASTQ in more than four lines, or blank lines before it: it has no place of its own to cut at.
    #[error("expected FASTQ with four lines per read and no blank lines")]
    Wrapped,
    /// Files of mates have different numbers of reads.
    #[error("it has {other} reads, but {} has {}", Escaped(.first.0.as_bytes()), .first.1)]
    Uneven {
        /// The first file and its reads.
        first: (String, u64),
        /// Those of the other one.
        other: u64,
    },
    /// Both mates are to be in one file, which has an odd number of reads.
    #[error("it has {0} reads, an odd number: the last one has no mate")]
    Odd(u64),
    /// Mates are two files of reads; these are others.
    #[error("two files must be FASTQ mates; alignments are divided one file at a time")]
    NotMates,
    /// Templates are kept together in BAM; this is what it says.
    #[error("only BAM can be divided between templates, and this is {0}")]
    NoTemplates(&'static str),
    /// Regions are of BAM; this is what it says.
    #[error("shards by region need BAM sorted by coordinate, and this is {0}")]
    NoRegions(&'static str),
    /// More shards than a plan can have.
    #[error("{0} shards requested, but a plan has at most {MAX_SHARDS}")]
    TooMany(u64),
    /// The plan isn't what was made.
    #[error("not a shard plan, or damaged: {0}")]
    Damaged(&'static str),
    /// It is of a later version.
    #[error("the plan has schema version {0}; this biofast reads version {SCHEMA_VERSION}")]
    Version(u32),
    /// The seek index of ordinary gzip isn't there, or not that of the file as it is.
    #[error("the seek index can't be used: {0}")]
    GzipIndex(&'static str),
    /// A seek index is of FASTQ in ordinary gzip; this is something else.
    #[error("a seek index needs FASTQ in ordinary gzip, and this is {0}")]
    NotForSeekIndex(&'static str),
    /// No seek index can be made of what was read.
    #[error("can't build a seek index: {0}")]
    NoSeekIndex(&'static str),
    /// There is no record of this number (from 1).
    #[error("no record {number}: the file has records 1 to {records}")]
    NoRecord {
        /// The number.
        number: u64,
        /// How many there are.
        records: u64,
    },
    /// The index can't be written.
    #[error("{0}")]
    Output(#[source] biofast_io::output::Error),
    /// There is no such shard.
    #[error("no shard {number}: the plan has shards 1 to {shards}")]
    NoShard {
        /// The number asked for.
        number: u64,
        /// How many there are.
        shards: u64,
    },
    /// The file isn't what it was when the plan was made.
    #[error("the file has changed since the plan was made: {what} was {} and is {}", .was_is[0], .was_is[1])]
    Changed {
        /// What differs: the size, the time of the last change, or the content.
        what: &'static str,
        /// What it was, and what it is.
        was_is: [String; 2],
    },
}

impl Error {
    pub(super) fn new(kind: ErrorKind, at: Location) -> Error {
        Error(Box::new((kind, at)))
    }

    /// An error of an input.
    pub(crate) fn of(kind: ErrorKind, name: &str) -> Error {
        Error::new(kind, Location::in_input(&name.into()))
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// Where.
    pub fn at(&self) -> &Location {
        &self.0.1
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, at) = &*self.0;
        match kind {
            // These name their places themselves.
            ErrorKind::Bytes(_)
            | ErrorKind::Reads(_)
            | ErrorKind::Alignments(_)
            | ErrorKind::Output(_) => kind.fmt(f),
            _ if *at == Location::default() => kind.fmt(f),
            _ => write!(f, "{at}: {kind}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.kind())
    }
}

impl From<biofast_io::Error> for Error {
    fn from(error: biofast_io::Error) -> Error {
        let at = error.at().clone();
        Error::new(ErrorKind::Bytes(error), at)
    }
}

impl From<biofast_fastq::Error> for Error {
    fn from(error: biofast_fastq::Error) -> Error {
        let at = error.at().clone();
        Error::new(ErrorKind::Reads(error), at)
    }
}

impl From<biofast_bam::Error> for Error {
    fn from(error: biofast_bam::Error) -> Error {
        let at = error.at().clone();
        Error::new(ErrorKind::Alignments(error), at)
    }
}
