//! What can be wrong with plans of shards.

use std::fmt;

use biofast_io::{Escaped, Location};

use super::schema::{MAX_SHARDS, SCHEMA_VERSION};

/// What is wrong with a plan, or with the file to be split.
pub struct Error(Box<(ErrorKind, Location)>);

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    Io(std::io::Error),
    /// The bytes of the file can't be read as a part.
    Bytes(biofast_io::Error),
    /// The reads can't be read.
    Reads(biofast_fastq::Error),
    /// The alignments can't be read.
    Alignments(biofast_bam::Error),
    /// No place of this can be jumped to.
    NoPlaces(&'static str),
    /// A record of FASTQ in more than four lines, or blank lines before it: it has no place of its own to cut at.
    Wrapped,
    /// Files of mates have different numbers of reads.
    Uneven {
        /// The first file and its reads.
        first: (String, u64),
        /// Those of the other one.
        other: u64,
    },
    /// Both mates are to be in one file, which has an odd number of reads.
    Odd(u64),
    /// Mates are two files of reads; these are others.
    NotMates,
    /// Templates are kept together in BAM; this is what it says.
    NoTemplates(&'static str),
    /// Regions are of BAM; this is what it says.
    NoRegions(&'static str),
    /// More shards than a plan can have.
    TooMany(u64),
    /// The plan isn't what was made.
    Damaged(&'static str),
    /// It is of a later version.
    Version(u32),
    /// The seek index of ordinary gzip isn't there, or not that of the file as it is.
    GzipIndex(&'static str),
    /// A seek index is of FASTQ in ordinary gzip; this is something else.
    NotForSeekIndex(&'static str),
    /// No seek index can be made of what was read.
    NoSeekIndex(&'static str),
    /// There is no record of this number (from 1).
    NoRecord {
        /// The number.
        number: u64,
        /// How many there are.
        records: u64,
    },
    /// The index can't be written.
    Output(biofast_io::output::Error),
    /// There is no such shard.
    NoShard {
        /// The number asked for.
        number: u64,
        /// How many there are.
        shards: u64,
    },
    /// The file isn't what it was when the plan was made.
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

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(error) => error.fmt(f),
            ErrorKind::Bytes(error) => error.fmt(f),
            ErrorKind::Reads(error) => error.fmt(f),
            ErrorKind::Alignments(error) => error.fmt(f),
            ErrorKind::NoPlaces(what) => {
                write!(f, "can't start reading in the middle of {what}")
            }
            ErrorKind::Wrapped => {
                f.write_str("expected FASTQ with four lines per read and no blank lines")
            }
            ErrorKind::Uneven { first: (name, reads), other } => {
                write!(f, "it has {other} reads, but {} has {reads}", Escaped(name.as_bytes()))
            }
            ErrorKind::Odd(reads) => {
                write!(f, "it has {reads} reads, an odd number: the last one has no mate")
            }
            ErrorKind::NoRecord { number, records } => {
                write!(f, "no record {number}: the file has records 1 to {records}")
            }
            ErrorKind::NoRegions(what) => {
                write!(f, "shards by region need BAM sorted by coordinate, and this is {what}")
            }
            ErrorKind::NoTemplates(what) => {
                write!(f, "only BAM can be divided between templates, and this is {what}")
            }
            ErrorKind::NotMates => f.write_str(
                "two files must be FASTQ mates; alignments are divided one file at a time",
            ),
            ErrorKind::TooMany(shards) => {
                write!(f, "{shards} shards requested, but a plan has at most {MAX_SHARDS}")
            }
            ErrorKind::Damaged(what) => write!(f, "not a shard plan, or damaged: {what}"),
            ErrorKind::Version(found) => write!(
                f,
                "the plan has schema version {found}; this biofast reads version {SCHEMA_VERSION}"
            ),
            ErrorKind::GzipIndex(what) => write!(f, "the seek index can't be used: {what}"),
            ErrorKind::Output(error) => error.fmt(f),
            ErrorKind::NotForSeekIndex(what) => {
                write!(f, "a seek index needs FASTQ in ordinary gzip, and this is {what}")
            }
            ErrorKind::NoSeekIndex(why) => write!(f, "can't build a seek index: {why}"),
            ErrorKind::NoShard { number, shards } => {
                write!(f, "no shard {number}: the plan has shards 1 to {shards}")
            }
            ErrorKind::Changed { what, was_is: [was, is] } => write!(
                f,
                "the file has changed since the plan was made: {what} was {was} and is {is}"
            ),
        }
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

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", self.kind()).field("at", self.at()).finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io(error) => Some(error),
            ErrorKind::Bytes(error) => Some(error),
            ErrorKind::Reads(error) => Some(error),
            ErrorKind::Output(error) => Some(error),
            ErrorKind::Alignments(error) => Some(error),
            _ => None,
        }
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
