//! What can be wrong with BAM.

use std::fmt;

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
}

impl From<biofast_io::Error> for Error {
    fn from(error: biofast_io::Error) -> Self {
        let at = error.at().clone();
        Error::new(ErrorKind::Io(error), at)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(e) => write!(f, "{}", e.kind()),
            ErrorKind::NotBam(what) => write!(f, "expected BAM, found {what}"),
            ErrorKind::BadHeader(reason) => write!(f, "invalid BAM header: {reason}"),
            ErrorKind::Truncated(what) => write!(f, "truncated: the input ends inside {what}"),
            ErrorKind::BadRecord { expected, found } => {
                write!(f, "invalid BAM record: expected {expected}, found {found}")
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
