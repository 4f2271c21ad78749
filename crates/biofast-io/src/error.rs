//! Errors of the byte layer, and what every format's error is: a kind that is [`Located`].

use std::fmt;
use std::sync::Arc;

/// An error: what went wrong, and where. Each format has its own kinds, and the bytes below have [`ErrorKind`].
pub struct Located<K>(Box<LocatedParts<K>>);

struct LocatedParts<K> {
    kind: K,
    at: Location,
    /// Of an error of a record that doesn't know its place: the address of its bytes, by which its batch finds it.
    record: Option<usize>,
}

/// What a [`Located`] error is about.
pub trait Kind: fmt::Debug + fmt::Display {
    /// What caused it, beyond what its own text says.
    fn cause(&self) -> Option<&(dyn std::error::Error + 'static)>;

    /// The kind of the [`std::io::Error`] that an error of this kind becomes.
    fn system_kind(&self) -> std::io::ErrorKind;

    /// Whether the whole input is at fault, so that its name is the place and no record or line of it.
    fn is_of_whole_input(&self) -> bool {
        false
    }
}

/// Kinds of a format, whose errors may be those of the bytes below it.
#[doc(hidden)]
pub trait OverBytes: Kind + Send + Sync + Sized + 'static {
    fn of_bytes(error: Error) -> Located<Self>;
}

/// Kinds with numbers of which a header knows the names.
#[doc(hidden)]
pub trait Named {
    type Names;
    fn name(&mut self, names: &Self::Names);
}

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
pub type Error = Located<ErrorKind>;

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

impl<K> Located<K> {
    /// An error of `kind` at `at`.
    pub fn new(kind: K, at: Location) -> Self {
        Located(Box::new(LocatedParts { kind, at, record: None }))
    }

    /// An error of `kind` of the record with these bytes, whose place its batch knows.
    #[doc(hidden)]
    pub fn of_record(kind: K, bytes: &[u8]) -> Self {
        let record = Some(bytes.as_ptr() as usize);
        Located(Box::new(LocatedParts { kind, at: Location::default(), record }))
    }

    /// What went wrong.
    pub fn kind(&self) -> &K {
        &self.0.kind
    }

    /// Where it went wrong.
    pub fn at(&self) -> &Location {
        &self.0.at
    }

    /// What went wrong, and where.
    pub fn into_parts(self) -> (K, Location) {
        let LocatedParts { kind, at, .. } = *self.0;
        (kind, at)
    }

    /// The address of the record, if it is an error of one and doesn't know its place.
    #[doc(hidden)]
    pub fn address(&self) -> Option<usize> {
        self.0.record.filter(|_| self.0.at == Location::default())
    }

    /// The same error at another place.
    #[doc(hidden)]
    #[must_use]
    pub fn with_at(self, at: Location) -> Self {
        Located::new(self.into_parts().0, at)
    }

    /// The same error at another place, if it names none.
    #[doc(hidden)]
    #[must_use]
    pub fn or_at(self, at: Location) -> Self {
        let is_named = self.at().name.is_some() || self.at().record.is_some();
        let at = if is_named { self.at().clone() } else { at };
        self.with_at(at)
    }

    /// The same error in the input of this name, if it names none.
    #[doc(hidden)]
    #[must_use]
    pub fn in_input(self, name: &Arc<str>) -> Self {
        if self.at().name.is_some() {
            return self;
        }
        let at = Location { name: Some(Arc::clone(name)), ..self.at().clone() };
        self.with_at(at)
    }

    /// The same error with reference names from this header, if it is about references.
    #[must_use]
    #[doc(hidden)]
    pub fn naming(mut self, header: &K::Names) -> Self
    where
        K: Named,
    {
        self.0.kind.name(header);
        self
    }

    /// An error of a format or of the bytes below it that came through [`std::io::Read`].
    #[doc(hidden)]
    pub fn from_io(error: std::io::Error, name: &Arc<str>) -> Self
    where
        K: OverBytes,
    {
        error.downcast::<Self>().unwrap_or_else(|error| Error::io(error, name).into())
    }
}

impl Error {
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
            match name.as_ref() {
                "-" => f.write_str("standard input")?,
                name => write!(f, "{}", Escaped(name.as_bytes()))?,
            }
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
            ErrorKind::NotAFile(what) => write!(f, "is {what}, not a file"),
            ErrorKind::Empty(ending) => write!(
                f,
                "the file is empty (0 bytes), but even a .{ending} file without records has a header: it was truncated or never written"
            ),
            ErrorKind::NoInput => f.write_str("no input: standard input is empty"),
            ErrorKind::Truncated(what) => {
                write!(f, "file is truncated: it ends inside {what}")
            }
            ErrorKind::TrailingBytes => write!(f, "garbage after the end of the compressed data"),
            ErrorKind::Nested { outer, inner } => {
                write!(f, "{inner} inside {outer}: the file was compressed twice")
            }
            ErrorKind::MemoryLimit { format, limit } => {
                write!(f, "decompressing this {format} file needs more than {limit} MiB of memory")
            }
            ErrorKind::BadGzipHeader(reason) => write!(f, "invalid gzip header: {reason}"),
            ErrorKind::BadBlock(reason) => write!(f, "invalid BGZF block: {reason}"),
            ErrorKind::Corrupt { codec, reason } => {
                write!(f, "corrupt {codec} data: {reason}")
            }
            ErrorKind::ChecksumMismatch { expected, found } => write!(
                f,
                "corrupt data: the stored CRC-32 is {expected:08x}, but the data have {found:08x}"
            ),
            ErrorKind::LengthMismatch { expected, found: Some(found) } => {
                write!(
                    f,
                    "corrupt data: the stored length is {expected} bytes, but the data have {found}"
                )
            }
            ErrorKind::LengthMismatch { expected, found: None } => {
                write!(
                    f,
                    "corrupt data: the stored length is {expected} bytes, but the data have more"
                )
            }
            ErrorKind::MissingEofBlock => {
                write!(f, "the BGZF end-of-file block is missing; the file may be truncated")
            }
            ErrorKind::Shrunk => write!(f, "the file was truncated while it was being read"),
            ErrorKind::Changed => f.write_str("changed while it was being read"),
            ErrorKind::Cancelled => f.write_str("cancelled"),
            ErrorKind::NotBgzf(found) => {
                write!(f, "expected BGZF, found {found}")
            }
            ErrorKind::IndexMismatch(what) => {
                write!(f, "the index doesn't match the file: {what}; it is stale or damaged")
            }
            ErrorKind::OtherRecords { expected, found } => write!(
                f,
                "this shard has {found} records, but the plan says {expected}: the file has changed"
            ),
            ErrorKind::NotText(found) => write!(f, "expected text, found {found}"),
            ErrorKind::NotInBuild { format, feature } => {
                write!(f, "this build can't read {format} (feature '{feature}' is off)")
            }
        }
    }
}

impl<K: Kind> fmt::Display for Located<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |at: &Location| Location { name: at.name.clone(), ..Location::default() };
        let at = self.kind().is_of_whole_input().then(|| name(self.at()));
        let at = at.as_ref().unwrap_or(self.at());
        if at != &Location::default() {
            write!(f, "{at}: ")?;
        }
        fmt::Display::fmt(self.kind(), f)
    }
}

impl<K: Kind> fmt::Debug for Located<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", self.kind()).field("at", self.at()).finish()
    }
}

impl<K: Kind> std::error::Error for Located<K> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.kind().cause()
    }
}

impl<K: OverBytes> From<Error> for Located<K> {
    fn from(error: Error) -> Self {
        K::of_bytes(error)
    }
}

impl<K: Kind + Send + Sync + 'static> From<Located<K>> for std::io::Error {
    /// Of the kind the system gave, such as "not found" or "storage full", where the system reported the error.
    fn from(error: Located<K>) -> Self {
        std::io::Error::new(error.kind().system_kind(), error)
    }
}

impl Kind for ErrorKind {
    fn cause(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ErrorKind::Io(e) => Some(e),
            _ => None,
        }
    }

    fn system_kind(&self) -> std::io::ErrorKind {
        self.system_kind()
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
