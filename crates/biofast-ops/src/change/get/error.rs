//! What can be wrong with indexes of names.

use std::fmt;

use biofast_io::{Location, output};

use crate::measure::shards;

/// What is wrong with a name index, or with the file to be indexed.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, Location)>);

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    #[error("{0}")]
    Io(#[source] std::io::Error),
    /// The bytes of the file can't be read.
    #[error("{0}")]
    Bytes(#[source] biofast_io::Error),
    /// The file can't be read, or its records can't be jumped to.
    #[error("{0}")]
    File(#[source] shards::Error),
    /// The index can't be written.
    #[error("{0}")]
    Output(#[source] output::Error),
    /// A temporary file can't be written or read.
    #[error("temporary files: {0}")]
    Temporary(#[source] std::io::Error),
    /// This is no index, or a damaged one.
    #[error("not a name index, or damaged")]
    NotAnIndex,
    /// This is an index of names of another version than this one reads.
    #[error("a name index of an unsupported version")]
    OtherVersion,
    /// The index isn't that of the file as it is now.
    #[error("the name index is stale: {0}")]
    Stale(&'static str),
    /// There is no record of this number (from 1).
    #[error(
        "no record {number}: the file has {}",
        if *.records == 0 { "none".into() } else { format!("records 1 to {records}") }
    )]
    NoRecord {
        /// The number.
        number: u64,
        /// How many there are.
        records: u64,
    },
}

impl Error {
    pub(super) fn of(kind: ErrorKind, name: &str) -> Error {
        Error(Box::new((kind, Location::in_input(&name.into()))))
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
            ErrorKind::Bytes(_) | ErrorKind::File(_) | ErrorKind::Output(_) => kind.fmt(f),
            _ => write!(f, "{at}: {kind}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.kind())
    }
}

impl From<shards::Error> for Error {
    fn from(error: shards::Error) -> Error {
        let at = error.at().clone();
        Error(Box::new((ErrorKind::File(error), at)))
    }
}

impl From<biofast_io::Error> for Error {
    fn from(error: biofast_io::Error) -> Error {
        let at = error.at().clone();
        Error(Box::new((ErrorKind::Bytes(error), at)))
    }
}

impl From<output::Error> for Error {
    fn from(error: output::Error) -> Error {
        Error(Box::new((ErrorKind::Output(error), Location::default())))
    }
}
