//! What can be wrong with BAM.

use std::fmt;
use std::io;
use std::sync::Arc;

use biofast_io::Location;

/// What went wrong in a BAM input, and where.
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    at: Location,
}

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or decompressing failed.
    Io(biofast_io::Error),
    /// The data are another format.
    NotBam(&'static str),
    /// The data are of no alignment format.
    NotAlignments(&'static str),
    /// The header contradicts itself.
    BadHeader(&'static str),
    /// The data end inside the named thing.
    Truncated(&'static str),
    /// A record's fields contradict each other.
    BadRecord {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: i64,
    },
    /// A line of SAM text is malformed.
    BadLine {
        /// What was expected.
        expected: &'static str,
        /// What was found, fit for display.
        found: String,
    },
}

impl Error {
    /// An error of `kind` at `at`.
    pub fn new(kind: ErrorKind, at: Location) -> Self {
        Error(Box::new(Repr { kind, at }))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where it went wrong.
    pub fn at(&self) -> &Location {
        &self.0.at
    }

    /// What went wrong, and where.
    pub(crate) fn into_parts(self) -> (ErrorKind, Location) {
        let Repr { kind, at } = *self.0;
        (kind, at)
    }

    /// An error of this crate or of the byte layer that came through [`std::io::Read`].
    pub(crate) fn from_io(error: io::Error, name: &Arc<str>) -> Error {
        match error.downcast::<Error>() {
            Ok(own) => own,
            Err(error) => match error.downcast::<biofast_io::Error>() {
                Ok(error) => error.into(),
                Err(error) => {
                    let kind = biofast_io::ErrorKind::Io(error);
                    biofast_io::Error::new(kind, Location::in_input(name)).into()
                }
            },
        }
    }
}

impl From<biofast_io::Error> for Error {
    fn from(error: biofast_io::Error) -> Self {
        match error.into_parts() {
            // What an adapter above the byte layer found travels through it wrapped.
            (biofast_io::ErrorKind::Io(inner), at) => match inner.downcast::<Error>() {
                Ok(own) => own,
                Err(inner) => {
                    let kind = biofast_io::ErrorKind::Io(inner);
                    let error = biofast_io::Error::new(kind, at.clone());
                    Error::new(ErrorKind::Io(error), at)
                }
            },
            (kind, at) => Error::new(ErrorKind::Io(biofast_io::Error::new(kind, at.clone())), at),
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Truncated(_) => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(e) => write!(f, "{}", e.kind()),
            ErrorKind::NotBam(what) => write!(f, "expected BAM, found {what}"),
            ErrorKind::NotAlignments(what) => {
                write!(f, "expected BAM, SAM or CRAM, found {what}")
            }
            ErrorKind::BadHeader(reason) => write!(f, "invalid header: {reason}"),
            ErrorKind::Truncated(what) => write!(f, "truncated: the input ends inside {what}"),
            ErrorKind::BadRecord { expected, found } => {
                write!(f, "invalid BAM record: expected {expected}, found {found}")
            }
            ErrorKind::BadLine { expected, found } => {
                write!(f, "invalid SAM: expected {expected}, found {found}")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at() == &Location::default() {
            write!(f, "{}", self.kind())
        } else {
            write!(f, "{}: {}", self.at(), self.kind())
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
            ErrorKind::Io(e) => std::error::Error::source(e),
            _ => None,
        }
    }
}
