//! Errors of the byte layer, and the [`Location`] that every biofast error carries.

use std::fmt;
use std::sync::Arc;

/// What went wrong while bytes were read or decompressed, and where.
///
/// ```
/// use biofast_io::{ErrorKind, Options, Reader, Source, bgzf};
/// use std::io::{Cursor, Read};
///
/// let mut cut = bgzf::compress(b"@r\nACGT\n+\nIIII\n");
/// cut.truncate(30);
/// let mut reader = Reader::new(Source::from_reader("lane1", Cursor::new(cut)), &Options::default())?;
/// let error = reader.read_to_end(&mut Vec::new()).expect_err("half a block");
/// // Through `Read` it comes as an `io::Error`, which it can be got out of again.
/// let error: biofast_io::Error = error.downcast()?;
/// assert!(matches!(error.kind(), ErrorKind::Truncated(_)));
/// assert_eq!(error.at().name.as_deref(), Some("lane1"));
/// assert!(error.to_string().starts_with("lane1: "), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    at: Location,
}

/// What went wrong.
///
/// ```
/// use biofast_io::{ErrorKind, Source};
///
/// let Err(error) = Source::open("no/such/file.fq") else { panic!("it isn't there") };
/// let is_missing = match error.kind() {
///     ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
///     _ => false,
/// };
/// assert!(is_missing);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    Io(std::io::Error),
    /// The input is a directory, a socket or something else that holds no bytes to read.
    NotAFile(&'static str),
    /// The file holds no bytes, but its name ends in this, and even no data have a size there.
    Empty(&'static str),
    /// Standard input, which nobody named, holds no bytes.
    NoInput,
    /// The input ends inside the named thing.
    Truncated(&'static str),
    /// The bytes after a complete gzip member are neither a member nor zero padding.
    TrailingBytes,
    /// Data that were compressed twice.
    Nested {
        /// As what they were compressed last.
        outer: &'static str,
        /// What was found in it.
        inner: &'static str,
    },
    /// Data that need more memory to be decompressed than is allowed.
    MemoryLimit {
        /// As what they are compressed.
        format: &'static str,
        /// The limit in MiB.
        limit: u64,
    },
    /// A gzip member's header is invalid.
    BadGzipHeader(&'static str),
    /// A BGZF block's header or length fields are invalid.
    BadBlock(&'static str),
    /// Compressed data that can't be decoded.
    Corrupt {
        /// The codec: `deflate`, `zstd`, `bzip2` or `xz`.
        codec: &'static str,
        /// What the decoder said.
        reason: String,
    },
    /// The CRC-32 of the decompressed bytes differs from the stored one.
    ChecksumMismatch {
        /// The stored CRC-32.
        expected: u32,
        /// The CRC-32 of the bytes.
        found: u32,
    },
    /// The number of decompressed bytes differs from the stored one.
    LengthMismatch {
        /// The stored length, modulo 2^32 for gzip.
        expected: u64,
        /// The length found; `None` if the data go on beyond the stated length.
        found: Option<u64>,
    },
    /// A BGZF file ends without its empty end-of-file block, and the caller is strict.
    MissingEofBlock,
    /// The file became shorter while it was being read.
    Shrunk,
    /// The file isn't what it was when it was read before, in the same run; see [`Reread`](crate::Reread).
    Changed,
    /// The caller's [`CancellationToken`](crate::CancellationToken) was cancelled.
    Cancelled,
    /// The input is not BGZF but the named thing, and its blocks are needed.
    NotBgzf(&'static str),
    /// An index points to a place where the file has no such data.
    IndexMismatch(&'static str),
    /// A part of a file has another number of records than was [expected](crate::Origin::expected).
    OtherRecords {
        /// How many there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A list, a sheet or another text holds this, which text doesn't, or more than is taken.
    NotText(String),
    /// The input is of a format that this build can't read, as it was compiled without a Cargo feature.
    NotInBuild {
        /// The format: `zstd`, `bzip2`, `xz` or `CRAM`.
        format: &'static str,
        /// The feature of the crate `biofast`, and of those below it.
        feature: &'static str,
    },
}

/// Where something went wrong. Every part is optional; what is known is set.
///
/// ```
/// use biofast_io::Location;
///
/// let at = Location { record: Some(3), line: Some(11), ..Location::in_input(&"x.fq".into()) };
/// assert_eq!(at.to_string(), "x.fq: record 3, line 11");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The input's name: a path, or the label of a stream.
    pub name: Option<Arc<str>>,
    /// Record number, counted from 1.
    pub record: Option<u64>,
    /// Line number in the decompressed text, counted from 1.
    pub line: Option<u64>,
    /// Byte offset in the decompressed data, counted from 0.
    pub offset: Option<u64>,
    /// Byte offset in the file as stored, counted from 0: of a BGZF block, or of the place where
    /// decoding ordinary gzip failed.
    pub block: Option<u64>,
}

impl Location {
    /// A location that only names its input.
    pub fn in_input(name: &Arc<str>) -> Self {
        Location { name: Some(Arc::clone(name)), ..Location::default() }
    }
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
    pub fn into_parts(self) -> (ErrorKind, Location) {
        let Repr { kind, at } = *self.0;
        (kind, at)
    }

    pub(crate) fn io(error: std::io::Error, name: &Arc<str>) -> Self {
        // The byte layer's own errors come wrapped from readers that are built on it.
        match error.downcast::<Error>() {
            Ok(own) => own,
            Err(error) => Error::new(ErrorKind::Io(error), Location::in_input(name)),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sep = "";
        if let Some(name) = &self.name {
            write!(f, "{}", Escaped(name.as_bytes()))?;
            sep = ": ";
        }
        let parts = [
            ("record", self.record),
            ("line", self.line),
            ("byte", if self.line.is_none() { self.offset } else { None }),
            ("compressed byte", self.block),
        ];
        for (what, value) in parts {
            if let Some(value) = value {
                write!(f, "{sep}{what} {value}")?;
                sep = ", ";
            }
        }
        Ok(())
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(e) => write!(f, "{e}"),
            ErrorKind::NotAFile(what) => write!(f, "is {what}, not a file of reads"),
            ErrorKind::Empty(ending) => write!(
                f,
                "the file is empty, but a .{ending} without data has some bytes: it was cut off or never written"
            ),
            ErrorKind::NoInput => f.write_str("no input: standard input is empty; name a file"),
            ErrorKind::Truncated(what) => {
                write!(f, "truncated: the input ends inside {what}")
            }
            ErrorKind::TrailingBytes => write!(
                f,
                "what follows the compressed data is neither another member nor zero padding"
            ),
            ErrorKind::Nested { outer, inner } => {
                write!(f, "{inner} inside {outer}: the data were compressed twice")
            }
            ErrorKind::MemoryLimit { format, limit } => write!(
                f,
                "these {format} data need more than {limit} MiB of memory to be decompressed"
            ),
            ErrorKind::BadGzipHeader(reason) => write!(f, "invalid gzip header: {reason}"),
            ErrorKind::BadBlock(reason) => write!(f, "invalid BGZF block: {reason}"),
            ErrorKind::Corrupt { codec, reason } => {
                write!(f, "corrupt {codec} data: {reason}")
            }
            ErrorKind::ChecksumMismatch { expected, found } => write!(
                f,
                "corrupt data: the stored CRC-32 is {expected:08x}, the bytes give {found:08x}"
            ),
            ErrorKind::LengthMismatch { expected, found: Some(found) } => {
                write!(f, "corrupt data: the stored length is {expected} bytes, found {found}")
            }
            ErrorKind::LengthMismatch { expected, found: None } => {
                write!(f, "corrupt data: the stored length is {expected} bytes, found more")
            }
            ErrorKind::MissingEofBlock => {
                write!(f, "the BGZF end-of-file block is missing; the file may be truncated")
            }
            ErrorKind::Shrunk => write!(f, "the file became shorter while it was being read"),
            ErrorKind::Changed => f.write_str("changed while it was read"),
            ErrorKind::Cancelled => f.write_str("reading was cancelled"),
            ErrorKind::NotBgzf(found) => {
                write!(f, "expected BGZF, found {found}; only BGZF can be indexed")
            }
            ErrorKind::IndexMismatch(what) => {
                write!(f, "the index doesn't fit the file: {what}; it is stale or damaged")
            }
            ErrorKind::OtherRecords { expected, found } => write!(
                f,
                "this part should have {expected} records and has {found}: the file isn't what it was when it was \
                 cut into parts"
            ),
            ErrorKind::NotText(found) => write!(f, "expected text, found {found}"),
            ErrorKind::NotInBuild { format, feature } => write!(
                f,
                "this is {format}, and this build of biofast can't read it: it was built without the feature '{feature}'"
            ),
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
            ErrorKind::Io(e) => Some(e),
            _ => None,
        }
    }
}

impl ErrorKind {
    /// The kind of the [`std::io::Error`] that an error of this kind becomes, also inside an error of a format.
    pub fn system_kind(&self) -> std::io::ErrorKind {
        match self {
            ErrorKind::Io(e) => e.kind(),
            ErrorKind::Truncated(_) => std::io::ErrorKind::UnexpectedEof,
            // Not `Interrupted`, after which callers of `Read` try again.
            ErrorKind::Cancelled => std::io::ErrorKind::Other,
            ErrorKind::NotInBuild { .. } => std::io::ErrorKind::Unsupported,
            _ => std::io::ErrorKind::InvalidData,
        }
    }
}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        std::io::Error::new(error.kind().system_kind(), error)
    }
}

/// Bytes as they may be shown on a terminal or in a table: control characters and what is not
/// UTF-8 are escaped.
///
/// ```
/// use biofast_io::Escaped;
///
/// // No name of a read clears the user's screen.
/// assert_eq!(Escaped(b"r1\x1b[2J \xff").to_string(), "r1\\u{1b}[2J \\xff");
/// ```
pub struct Escaped<'a>(pub &'a [u8]);

/// Like [`Escaped`], cut after 240 bytes: for parts of the input in messages.
///
/// ```
/// use biofast_io::Shown;
///
/// assert_eq!(Shown(b"@r1").to_string(), "@r1");
/// assert_eq!(Shown(&[b'A'; 5000]).to_string().chars().count(), 241);
/// assert_eq!(Shown(&[0; 5000]).to_string(), r"\u{0}".repeat(16) + "…");
/// ```
pub struct Shown<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.utf8_chunks() {
            for c in part.valid().chars() {
                if c.is_control() {
                    write!(f, "{}", c.escape_default())?;
                } else {
                    write!(f, "{c}")?;
                }
            }
            for byte in part.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of what is no text, a start is enough to see that.
        const LONGEST: usize = 240;
        const LONGEST_BINARY: usize = 16;
        let start = &self.0[..self.0.len().min(LONGEST_BINARY)];
        let is_text = |part: std::str::Utf8Chunk<'_>| {
            !part.valid().contains(|c: char| c.is_control() && c != '\t' && c != '\r')
                // A letter of several bytes may be cut.
                && (part.invalid().is_empty() || start.ends_with(part.invalid()))
        };
        if self.0.len() > LONGEST_BINARY && !start.utf8_chunks().all(is_text) {
            return write!(f, "{}…", Escaped(start));
        }
        match self.0.get(..LONGEST) {
            Some(start) if self.0.len() > LONGEST => write!(f, "{}…", Escaped(start)),
            _ => write!(f, "{}", Escaped(self.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_control_characters_is_shown_escaped() {
        let shown = Shown(b"a\nb\x1b[31m\xff").to_string();
        assert_eq!(shown, "a\\nb\\u{1b}[31m\\xff");
    }

    #[test]
    fn a_location_names_what_it_knows() {
        let at = Location {
            name: Some("x.fq".into()),
            record: Some(3),
            line: Some(11),
            offset: Some(500),
            block: None,
        };
        assert_eq!(at.to_string(), "x.fq: record 3, line 11");
        let at = Location { offset: Some(7), ..Location::default() };
        assert_eq!(at.to_string(), "byte 7");
    }
}
