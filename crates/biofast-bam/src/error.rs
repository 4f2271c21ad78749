//! What can be wrong with BAM.

use std::borrow::Cow;
use std::fmt;
use std::io;

use biofast_io::output;
use biofast_io::{Kind, Located, OverBytes, Shown};

use crate::format::DetectedData;

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
pub type Error = Located<ErrorKind>;

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
    NotBam(DetectedData),
    /// The data are of no alignment format.
    NotAlignments(DetectedData),
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
    /// Records that must be read together have more than 4 GiB.
    LargeGroup,
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
    /// A record that can't be put into a group.
    Ungroupable {
        /// The read's name, fit for display.
        name: String,
        /// Why.
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

#[cfg(feature = "cram")]
impl ErrorKind {
    /// A fault of the bytes below, whose location stays with it.
    pub(crate) fn read(error: io::Error) -> ErrorKind {
        Error::from_io(error, &"".into()).into_parts().0
    }
}

impl ErrorKind {
    /// Whether the data are SAM that has lost its tabs: nothing else reads it rightly.
    #[doc(hidden)]
    pub fn is_spaced_sam(&self) -> bool {
        matches!(self, ErrorKind::NotAlignments(crate::DetectedData::SpacedSam))
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(e) => write!(f, "{}", e.kind()),
            ErrorKind::NotBam(DetectedData::Nothing)
            | ErrorKind::NotAlignments(DetectedData::Nothing) => f.write_str("the file is empty"),
            ErrorKind::NotBam(what) => write!(f, "expected BAM, found {what}"),
            ErrorKind::NotAlignments(what) => {
                write!(f, "expected BAM, SAM or CRAM, found {what}")
            }
            ErrorKind::BadHeader(reason) => write!(f, "invalid header: {reason}"),
            ErrorKind::HeadersDiffer(reason) => f.write_str(reason),
            ErrorKind::UnwritableHeader(reason) => {
                write!(f, "can't write the header: {reason}")
            }
            ErrorKind::Truncated(what) => write!(f, "file is truncated: it ends inside {what}"),
            ErrorKind::BadRecord { expected, found } => {
                write!(f, "invalid BAM record: expected {expected}, found {found}")
            }
            ErrorKind::LargeGroup => {
                f.write_str("records that must be read together have more than 4 GiB")
            }
            ErrorKind::CigarOperation { name, code } => write!(
                f,
                "invalid BAM record '{name}': expected CIGAR operations with codes 0 to 8, found {code}"
            ),
            ErrorKind::CigarMisfit { name, read, bases } => write!(
                f,
                "invalid BAM record '{name}': CIGAR covers {read} bases, but the sequence has {bases}"
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
                "the reads are stored as differences from reference sequence '{name}', but no \
                 reference was given"
            ),
            ErrorKind::MissingReference { name, given: true } => {
                write!(f, "the reference has no sequence '{name}'")
            }
            ErrorKind::WrongReference(name) => write!(
                f,
                "sequence '{name}' of the reference is not the one the CRAM was written with: the MD5 sums differ"
            ),
            ErrorKind::OtherReference { fasta, name, expected, found } => write!(
                f,
                "sequence '{name}' in {fasta} doesn't match the header: expected {expected}, found {found}"
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
            // Of a line of BED, which the location has.
            ErrorKind::BadRegion { region, reason } if region.is_empty() => f.write_str(reason),
            ErrorKind::BadRegion { region, reason }
            | ErrorKind::UnknownReference { region, reason } => {
                write!(f, "region '{}': {reason}", Shown(region.as_bytes()))
            }
            ErrorKind::BadIndex(reason) => write!(f, "unusable index: {reason}"),
            ErrorKind::Unwritable { name, reason } => {
                write!(f, "can't write record '{name}': {reason}")
            }
            ErrorKind::Ungroupable { name, reason } => {
                write!(f, "can't group record '{name}': {reason}")
            }
            ErrorKind::BadTags { name, reason } => {
                write!(f, "record '{name}': invalid tags: {reason}")
            }
            ErrorKind::UnsupportedOutput(why) => f.write_str(why),
            ErrorKind::Output(e) => e.fmt(f),
            ErrorKind::Undecided { name, reason } => {
                write!(f, "can't evaluate the filter for record '{name}': {reason}")
            }
            ErrorKind::NotIndexable(reason) => write!(f, "can't be indexed: {reason}"),
            ErrorKind::Unsorted { previous, found, names: [before, this] } => write!(
                f,
                "not sorted by coordinate: {} comes after {}",
                PositionText(*found, this.as_deref()),
                PositionText(*previous, before.as_deref())
            ),
            ErrorKind::Misplaced { name, previous, order } => {
                write!(f, "not sorted by {order}: '{name}' comes after '{previous}'")
            }
        }
    }
}

/// A place of an alignment for people: position counted from 1.
struct PositionText<'a>((i32, i32), Option<&'a str>);

impl fmt::Display for PositionText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reference, position) = self.0;
        let position = i64::from(position) + 1;
        match (reference, self.1) {
            (-1, _) => f.write_str("an unplaced record"),
            (_, Some(name)) => write!(f, "{name}:{position}"),
            (n, None) => write!(f, "reference {}, position {position}", n + 1),
        }
    }
}

impl Kind for ErrorKind {
    fn cause(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The errors themselves are part of the message.
            ErrorKind::Io(e) => std::error::Error::source(e),
            ErrorKind::Output(e) => std::error::Error::source(e),
            _ => None,
        }
    }

    fn system_kind(&self) -> io::ErrorKind {
        match self {
            ErrorKind::Io(e) => e.kind().system_kind(),
            ErrorKind::Output(e) => e.kind(),
            ErrorKind::Truncated(_) => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        }
    }
}

impl From<output::Error> for ErrorKind {
    fn from(error: output::Error) -> Self {
        ErrorKind::Output(error)
    }
}

impl OverBytes for ErrorKind {
    fn of_bytes(error: biofast_io::Error) -> Error {
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
