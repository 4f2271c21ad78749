//! What can be wrong with BAM.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

use biofast_io::output;
use biofast_io::pipeline::{Failure, Fault};
use biofast_io::{Location, Shown};

use crate::format::Found;

/// What went wrong with alignments, and where. `?` turns what every function of this crate fails with into it, and it into
/// [`std::io::Error`].
///
/// ```
/// use biofast_bam::{Error, ErrorKind, Reader};
///
/// fn count(bytes: &'static [u8]) -> Result<u64, Error> {
///     let mut reader = Reader::from_reader("example", bytes)?;
///     while reader.next_record()?.is_some() {}
///     Ok(reader.records_read())
/// }
///
/// let error = count(b"@SQ\tSN:c\tLN:9\nr1\t0\tc\t1\n").expect_err("a line is cut off");
/// assert!(matches!(error.kind(), ErrorKind::BadLine { .. }));
/// assert_eq!((error.at().record, error.at().line), (Some(1), Some(2)));
/// assert!(error.to_string().starts_with("example: record 1, line 2: invalid SAM"));
/// assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::InvalidData);
/// ```
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    at: Location,
    /// Of an error of a record that doesn't know its place: the address of its bytes, by which its batch finds it.
    of: Option<usize>,
}

/// What went wrong.
///
/// ```
/// use biofast_bam::{ErrorKind, Reader};
///
/// let error = Reader::from_reader("example", &b"@read\nACGT\n+\nIIII\n"[..]).err().expect("FASTQ");
/// match error.kind() {
///     ErrorKind::NotAlignments(what) => assert!(what.to_string().contains("FASTQ")),
///     other => panic!("{other}"),
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or decompressing failed.
    Io(biofast_io::Error),
    /// The data are another format. If they are alignments all the same, [`Input::open`](crate::Input::open) makes BAM of them.
    NotBam(Found),
    /// The data are of no alignment format.
    NotAlignments(Found),
    /// The header contradicts itself.
    BadHeader(&'static str),
    /// The header doesn't go together with that of another input.
    HeadersDiffer(String),
    /// The header can't be written so that it is read again.
    UnwritableHeader(String),
    /// The data end inside the named thing.
    Truncated(&'static str),
    /// A record's fields contradict each other.
    BadRecord {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: i64,
    },
    /// A CIGAR has an operation that doesn't exist.
    CigarOperation {
        /// The read's name, fit for display.
        name: String,
        /// The code of the operation.
        code: u32,
    },
    /// The CIGAR of a mapped read is of another length than its sequence.
    CigarMisfit {
        /// The read's name, fit for display.
        name: String,
        /// Bases of the read by the CIGAR.
        read: u64,
        /// Bases of the sequence.
        bases: u64,
    },
    /// CRAM of a version that isn't read.
    UnsupportedCram(u8, u8),
    /// CRAM data contradict themselves, or can't be decompressed.
    BadCram(Cow<'static, str>),
    /// CRAM data end without their end-of-file container, and the caller is strict.
    MissingEofContainer,
    /// CRAM data need a reference sequence that isn't there.
    MissingReference {
        /// The sequence's name.
        name: String,
        /// Whether a file of reference sequences was given.
        given: bool,
    },
    /// The reference sequence of this name is another one than CRAM data were written with.
    WrongReference(String),
    /// A sequence of the FASTA file isn't the one of this name in the header.
    OtherReference {
        /// The FASTA file.
        fasta: String,
        /// The sequence's name, fit for display.
        name: String,
        /// What the header says.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// The index of a FASTA file doesn't fit it.
    FastaIndex {
        /// The FASTA file.
        fasta: String,
        /// The sequence's name, fit for display.
        name: String,
        /// The line of the index; `None` if there is no index and the file has changed since it was read.
        line: Option<u64>,
        /// What is wrong.
        reason: &'static str,
    },
    /// A line of SAM text is malformed.
    BadLine {
        /// What was expected.
        expected: &'static str,
        /// What was found, fit for display.
        found: String,
    },
    /// A region of a reference sequence that the header doesn't list.
    UnknownReference {
        /// The region as written.
        region: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A region that can't be understood, or not in this file.
    BadRegion {
        /// The region as written.
        region: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An index that is damaged or of another file.
    BadIndex(String),
    /// A record that can't be written in the format asked for.
    Unwritable {
        /// The read's name, fit for display.
        name: String,
        /// What is wrong with the record.
        reason: Cow<'static, str>,
    },
    /// Optional fields of a record that can't be read, contradict each other, or can't be stored.
    BadTags {
        /// The read's name, fit for display.
        name: String,
        /// What is wrong with them.
        reason: &'static str,
    },
    /// An output of this kind isn't made.
    UnsupportedOutput(Cow<'static, str>),
    /// An output can't be written.
    Output(biofast_io::output::Error),
    /// A record of which can't be said whether it is wanted.
    Undecided {
        /// The read's name, fit for display.
        name: String,
        /// Why.
        reason: String,
    },
    /// Something that can't be indexed.
    NotIndexable(String),
    /// A record that comes before the one in front of it, where records must be sorted.
    Unsorted {
        /// The place of the record before: index of the reference or −1, position from 0 or −1.
        previous: (i32, i32),
        /// The place of this record.
        found: (i32, i32),
        /// The names of both references, where they are known.
        names: [Option<Box<str>>; 2],
    },
    /// The same where they must be sorted by something else than coordinates.
    Misplaced {
        /// The read's name, fit for display.
        name: String,
        /// That of the record before.
        previous: String,
        /// What records must be sorted by.
        order: String,
    },
}

impl ErrorKind {
    /// A record found at a place (reference and position) that comes before the one in front of it.
    pub(crate) fn unsorted(previous: (i32, i32), found: (i32, i32)) -> ErrorKind {
        ErrorKind::Unsorted { previous, found, names: [None, None] }
    }
}

impl Error {
    /// The same error with the names that references have in this header, where it is about references.
    ///
    /// ```
    /// use biofast_bam::{Error, ErrorKind, Header};
    ///
    /// let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
    /// let kind = ErrorKind::Unsorted { previous: (0, 90), found: (0, 5), names: [None, None] };
    /// let error = Error::new(kind, Default::default()).naming(&header);
    /// assert_eq!(error.to_string(), "not sorted by coordinate: chr1:6 comes after chr1:91");
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn naming(mut self, header: &crate::header::Header) -> Error {
        if let ErrorKind::Unsorted { previous, found, names } = &mut self.0.kind {
            for ((reference, _), name) in [*previous, *found].into_iter().zip(names) {
                let known =
                    || header.reference_name(reference).map(|n| Shown(n).to_string().into());
                *name = name.take().or_else(known);
            }
        }
        self
    }

    /// An error of `kind` at `at`.
    pub fn new(kind: ErrorKind, at: Location) -> Self {
        Error(Box::new(Repr { kind, at, of: None }))
    }

    /// An error of `kind` of the record with these bytes, whose place [its batch](crate::Batch::located) knows.
    pub(crate) fn of_record(kind: ErrorKind, bytes: &[u8]) -> Self {
        Error(Box::new(Repr { kind, at: Location::default(), of: Some(bytes.as_ptr() as usize) }))
    }

    /// The address of the record, if it is an error of one and doesn't know its place.
    pub(crate) fn address(&self) -> Option<usize> {
        self.0.of.filter(|_| self.0.at == Location::default())
    }

    /// The same error at this place.
    pub(crate) fn located(self, at: Location) -> Error {
        Error::new(self.into_parts().0, at)
    }

    /// The same error in the input of this name, if it names none.
    #[doc(hidden)]
    pub fn in_input(self, name: &Arc<str>) -> Error {
        crate::query::in_input(self, name)
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where it went wrong.
    pub fn at(&self) -> &Location {
        &self.0.at
    }

    /// The same error at another place, if it names none.
    #[doc(hidden)]
    pub fn or_at(self, at: Location) -> Error {
        let (kind, own) = self.into_parts();
        let is_named = own.name.is_some() || own.record.is_some();
        Error::new(kind, if is_named { own } else { at })
    }

    /// What went wrong, and where.
    pub(crate) fn into_parts(self) -> (ErrorKind, Location) {
        let Repr { kind, at, of: _ } = *self.0;
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

impl From<output::Error> for Error {
    /// The output's name is part of the message.
    fn from(error: output::Error) -> Self {
        Error::new(ErrorKind::Output(error), Location::default())
    }
}

impl<C> From<Fault<C, Error>> for Error {
    /// The error alone; what had been gathered before it is dropped.
    fn from(fault: Fault<C, Error>) -> Self {
        fault.error
    }
}

impl From<Failure<Error>> for Error {
    fn from(failure: Failure<Error>) -> Self {
        match failure {
            Failure::Input(error) => error,
            Failure::Output(error) => error.into(),
        }
    }
}

impl From<Error> for io::Error {
    /// Of the kind the system gave, such as "not found" or "storage full", where it comes from there.
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Io(e) => e.kind().system_kind(),
            ErrorKind::Output(e) => e.kind(),
            ErrorKind::Truncated(_) => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}

#[cfg(feature = "cram")]
impl ErrorKind {
    /// A fault of the bytes below, whose location stays with it.
    pub(crate) fn read(error: io::Error) -> ErrorKind {
        Error::from_io(error, &"".into()).into_parts().0
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
            ErrorKind::HeadersDiffer(reason) => f.write_str(reason),
            ErrorKind::UnwritableHeader(reason) => {
                write!(f, "the header can't be written: {reason}")
            }
            ErrorKind::Truncated(what) => write!(f, "truncated: the input ends inside {what}"),
            ErrorKind::BadRecord { expected, found } => {
                write!(f, "invalid BAM record: expected {expected}, found {found}")
            }
            ErrorKind::CigarOperation { name, code } => write!(
                f,
                "invalid BAM record '{name}': expected CIGAR operations with codes 0 to 8, found {code}"
            ),
            ErrorKind::CigarMisfit { name, read, bases } => write!(
                f,
                "invalid BAM record '{name}': expected a CIGAR of as many bases as the sequence, found \
                 {read} and {bases}"
            ),
            ErrorKind::UnsupportedCram(major, minor) => {
                write!(f, "expected CRAM 2.0 to 3.1, found version {major}.{minor}")
            }
            ErrorKind::BadCram(reason) => write!(f, "invalid CRAM: {reason}"),
            ErrorKind::MissingEofContainer => {
                write!(f, "the CRAM end-of-file container is missing; the file may be truncated")
            }
            ErrorKind::MissingReference { name, given: false } => write!(
                f,
                "the reads are stored as differences from the reference sequence '{name}', and \
                 no reference is given"
            ),
            ErrorKind::MissingReference { name, given: true } => {
                write!(f, "the reference has no sequence '{name}'")
            }
            ErrorKind::WrongReference(name) => write!(
                f,
                "the sequence '{name}' of the reference is not the one the reads \
                 were stored with: the MD5 sums differ"
            ),
            ErrorKind::OtherReference { fasta, name, expected, found } => write!(
                f,
                "the reference {fasta}, sequence '{name}': expected {expected}, found {found}"
            ),
            ErrorKind::FastaIndex { fasta, name, line: Some(line), reason } => write!(
                f,
                "{fasta}.fai, line {line}, sequence '{name}': {reason}: the index doesn't fit the FASTA file"
            ),
            ErrorKind::FastaIndex { fasta, name, line: None, reason } => write!(
                f,
                "the reference {fasta}, sequence '{name}': {reason}: the file has changed since it was opened"
            ),
            ErrorKind::BadLine { expected, found } => {
                write!(f, "invalid SAM: expected {expected}, found {found}")
            }
            ErrorKind::BadRegion { region, reason }
            | ErrorKind::UnknownReference { region, reason } => {
                write!(f, "region '{}': {reason}", Shown(region.as_bytes()))
            }
            ErrorKind::BadIndex(reason) => write!(f, "unusable index: {reason}"),
            ErrorKind::Unwritable { name, reason } => {
                write!(f, "the record '{name}' can't be written: {reason}")
            }
            ErrorKind::BadTags { name, reason } => {
                write!(f, "invalid optional fields of the record '{name}': {reason}")
            }
            ErrorKind::UnsupportedOutput(why) => f.write_str(why),
            ErrorKind::Output(e) => e.fmt(f),
            ErrorKind::Undecided { name, reason } => {
                write!(f, "whether the record '{name}' is wanted can't be decided: {reason}")
            }
            ErrorKind::NotIndexable(reason) => write!(f, "can't be indexed: {reason}"),
            ErrorKind::Unsorted { previous, found, names: [before, this] } => write!(
                f,
                "not sorted by coordinate: {} comes after {}",
                Place(*found, this.as_deref()),
                Place(*previous, before.as_deref())
            ),
            ErrorKind::Misplaced { name, previous, order } => {
                write!(f, "not sorted by {order}: '{name}' comes after '{previous}'")
            }
        }
    }
}

/// A place of an alignment for people: position counted from 1.
struct Place<'a>((i32, i32), Option<&'a str>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reference, position) = self.0;
        let position = i64::from(position) + 1;
        match (reference, self.1) {
            (-1, _) => f.write_str("an unplaced record"),
            (_, Some(name)) => write!(f, "{name}:{position}"),
            (n, None) => write!(f, "reference number {} position {position}", n + 1),
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
            // The errors themselves are part of the message.
            ErrorKind::Io(e) => std::error::Error::source(e),
            ErrorKind::Output(e) => std::error::Error::source(e),
            _ => None,
        }
    }
}
