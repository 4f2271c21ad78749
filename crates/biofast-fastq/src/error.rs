//! What can be wrong with FASTQ, said so that a user finds the place.

use std::{fmt, io};

use biofast_io::output;
use biofast_io::{Kind, Located, OverBytes, Shown};

/// What went wrong in a FASTQ input, and where.
///
/// ```
/// use biofast_fastq::Reader;
/// use biofast_io::{Options, Source};
///
/// let text = &b"@a\nACGT\n+\nIIII\n@b\nACGT\n"[..];
/// let mut reader = Reader::new(Source::from_reader("lane1.fq", text), &Options::default())?;
/// reader.next_record()?;
/// let error = reader.next_record().expect_err("b has no qualities");
/// assert_eq!((error.at().record, error.at().name.as_deref()), (Some(2), Some("lane1.fq")));
/// assert!(error.to_string().starts_with("lane1.fq: record 2"), "{error}");
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
pub type Error = Located<ErrorKind>;

/// What went wrong.
///
/// ```
/// use biofast_fastq::{ErrorKind, Reader};
/// use biofast_io::{Options, Source};
///
/// let text = &b"@a\nAC-GT!\n+\nIIIIII\n"[..];
/// let mut reader = Reader::new(Source::from_reader("example", text), &Options::default())?;
/// let error = reader.next_record().expect_err("no base is written so");
/// let ErrorKind::InvalidBase { found, column } = error.kind() else { panic!("{error}") };
/// assert_eq!((*found, *column), (b'!', 6));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or decompressing failed.
    Io(biofast_io::Error),
    /// An output can't be written.
    Output(output::Error),
    /// The data are another format.
    OtherFormat {
        /// Its name.
        format: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// What the reads are for can't take this one.
    Refused(String),
    /// A record does not start with `@`.
    ExpectedAt {
        /// The line found.
        found: Vec<u8>,
    },
    /// The first record does not start with `@` or `>`, where [FASTA](crate::fasta) is read, too.
    ExpectedHeader {
        /// The line found.
        found: Vec<u8>,
    },
    /// The line after the sequence does not start with `+`.
    ExpectedPlus {
        /// The line found.
        found: Vec<u8>,
    },
    /// The text after `+` is not the text after `@`.
    CaptionDiffers {
        /// The text after `@`.
        name: Vec<u8>,
        /// The text after `+`.
        caption: Vec<u8>,
    },
    /// Sequence and quality have different lengths.
    LengthsDiffer {
        /// The read's name.
        name: Vec<u8>,
        /// Characters of sequence.
        sequence: u64,
        /// Characters of quality.
        qualities: u64,
    },
    /// A character that no sequence has.
    InvalidBase {
        /// The byte found.
        found: u8,
        /// Its place in the line, counted from 1.
        column: u64,
    },
    /// A character outside ASCII 33 to 126 in a quality line.
    InvalidQuality {
        /// The byte found.
        found: u8,
        /// Its place in the line, counted from 1.
        column: u64,
    },
    /// A control character other than a tab in a header line.
    ControlInHeader {
        /// The byte found.
        found: u8,
        /// Its place in the line, counted from 1.
        column: u64,
    },
    /// A header line of FASTA has no name.
    EmptyName,
    /// A blank line between records or inside of one, where [strict](biofast_io::Options::strict)
    /// reading was asked for.
    BlankLine,
    /// The data end inside a record.
    Truncated {
        /// What should have come.
        expected: &'static str,
    },
    /// A record is longer than [`MAX_RECORD_LEN`](crate::MAX_RECORD_LEN).
    RecordTooLong,
    /// The two mates of a pair have different names.
    MateNamesDiffer {
        /// The name of the first mate.
        first: Vec<u8>,
        /// The name of the second mate.
        second: Vec<u8>,
    },
    /// A read says it is the other mate.
    WrongMate {
        /// Its name.
        name: Vec<u8>,
        /// The mate expected here: 1 or 2.
        expected: u8,
        /// The mate it says it is.
        found: u8,
    },
    /// A read has no mate.
    MateMissing {
        /// Its name.
        name: Vec<u8>,
        /// The input that ended too early.
        missing_in: String,
    },
}

fn byte(found: u8) -> String {
    match found {
        b' ' => "a space".into(),
        b'\t' => "a tab".into(),
        b'!'..=b'~' => format!("'{}'", found as char),
        _ => format!("byte 0x{found:02x}"),
    }
}

fn line(found: &[u8]) -> String {
    if found.is_empty() { "an empty line".into() } else { format!("'{}'", Shown(found)) }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(e) => write!(f, "{}", e.kind()),
            ErrorKind::Output(e) => e.fmt(f),
            ErrorKind::Refused(reason) => f.write_str(reason),
            ErrorKind::OtherFormat { format, hint } => match *hint {
                "" => write!(f, "this is {format}, not FASTQ"),
                hint => write!(f, "this is {format}, not FASTQ; {hint}"),
            },
            ErrorKind::ExpectedAt { found } => {
                write!(f, "expected a header line starting with '@', found {}", line(found))
            }
            ErrorKind::ExpectedHeader { found } => {
                write!(f, "expected a header line starting with '@' or '>', found {}", line(found))
            }
            ErrorKind::ExpectedPlus { found } => {
                write!(f, "expected a separator line starting with '+', found {}", line(found))
            }
            ErrorKind::CaptionDiffers { name, caption } => write!(
                f,
                "the text after '+' must be empty or repeat the header: expected '{}', found '{}'",
                Shown(name),
                Shown(caption)
            ),
            ErrorKind::LengthsDiffer { name, sequence, qualities } => write!(
                f,
                "read '{}': expected {sequence} quality characters for {sequence} bases, found \
                 {qualities}",
                Shown(name)
            ),
            ErrorKind::InvalidBase { found, column } => write!(
                f,
                "expected a base (a letter, a digit, '-', '.' or '*'), found {} in column {column}",
                byte(*found)
            ),
            ErrorKind::InvalidQuality { found, column } => write!(
                f,
                "expected a quality character ('!' to '~'), found {} in column {column}",
                byte(*found)
            ),
            ErrorKind::ControlInHeader { found, column } => write!(
                f,
                "expected text in the header line, found {} in column {column}",
                byte(*found)
            ),
            ErrorKind::EmptyName => f.write_str("expected a name after '>', found none"),
            ErrorKind::BlankLine => {
                f.write_str("expected the next line of the record, found a blank line")
            }
            ErrorKind::Truncated { expected } => {
                write!(f, "file is truncated: it ends inside this record (expected {expected})")
            }
            ErrorKind::RecordTooLong => {
                write!(f, "the record is longer than {} bytes", crate::MAX_RECORD_LEN)
            }
            ErrorKind::MateNamesDiffer { first, second } => write!(
                f,
                "the mates of this pair have different names: '{}' and '{}'",
                Shown(first),
                Shown(second)
            ),
            ErrorKind::WrongMate { name, expected, found } => {
                let [expected, found] =
                    [*expected, *found].map(|mate| if mate == 1 { "first" } else { "second" });
                write!(
                    f,
                    "read '{}' is a {found} read, but a {expected} read was expected",
                    Shown(name)
                )
            }
            ErrorKind::MateMissing { name, missing_in } => write!(
                f,
                "read '{}' has no mate: {} ends before it",
                Shown(name),
                Shown(missing_in.as_bytes())
            ),
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
            _ => io::ErrorKind::InvalidData,
        }
    }

    fn is_of_whole_input(&self) -> bool {
        // What isn't text has neither lines nor reads.
        matches!(self, ErrorKind::OtherFormat { format: "BAM" | "CRAM", .. })
    }
}

impl From<output::Error> for ErrorKind {
    fn from(error: output::Error) -> Self {
        ErrorKind::Output(error)
    }
}

impl OverBytes for ErrorKind {
    fn of_bytes(error: biofast_io::Error) -> Error {
        let at = error.at().clone();
        Error::new(ErrorKind::Io(error), at)
    }
}

/// Bytes of a wrong line kept for the message.
pub(crate) const LINE_SHOWN: usize = 300;

/// As much of a line as an error message needs.
pub(crate) fn cut(line: &[u8]) -> Vec<u8> {
    line[..line.len().min(LINE_SHOWN)].to_vec()
}

/// The error for a line that should be a header, naming formats that are often passed instead.
pub(crate) fn expected_at(found: &[u8]) -> ErrorKind {
    let (format, hint) = match found {
        [b'>', ..] => ("FASTA", "qualities are needed, but FASTA has none"),
        [b'B', b'A', b'M', 1, ..] => ("BAM", ""),
        [b'C', b'R', b'A', b'M', ..] => ("CRAM", ""),
        [0xef, 0xbb, 0xbf, ..] => ("text with a byte-order mark", "remove its first three bytes"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("UTF-16 text", "convert it to ASCII"),
        [b'P', b'K', 3, 4, ..] => ("a ZIP archive", "unpack it first with unzip"),
        [b'N', b'C', b'B', b'I', b'.', b's', b'r', b'a', ..] => {
            ("an SRA archive", "convert it with fasterq-dump")
        }
        _ if found.get(257..262) == Some(b"ustar") => {
            ("a tar archive", "unpack it first with tar -xf")
        }
        _ if is_web_page(found) => ("a web page", "read it: it may say why the download failed"),
        _ => return ErrorKind::ExpectedAt { found: cut(found) },
    };
    ErrorKind::OtherFormat { format, hint }
}

fn is_web_page(found: &[u8]) -> bool {
    let starts = |tag: &[u8]| found.get(..tag.len()).is_some_and(|it| it.eq_ignore_ascii_case(tag));
    starts(b"<!doctype html") || starts(b"<html") || starts(b"<?xml")
}

#[cfg(test)]
mod tests {
    use biofast_io::Location;
    use biofast_io::pipeline::{Failure, Fault};

    use super::*;

    /// What each kind of function of this crate and of `biofast-io` may fail with.
    fn failing(which: u8) -> Result<(), Error> {
        let broken = || Error::new(ErrorKind::BlankLine, Location::default());
        match which {
            0 => Err(biofast_io::Error::new(
                biofast_io::ErrorKind::Io(io::ErrorKind::NotFound.into()),
                Location::default(),
            ))?,
            1 => Err(Fault { error: broken(), so_far: 3 })?,
            2 => Err(Failure::Input(broken()))?,
            _ => {
                let compression = output::Compression::default();
                let missing = "there/is/no/such/folder/out.fq".as_ref();
                let _ =
                    output::Output::create_with(missing, compression).map_err(Failure::Output)?;
            }
        }
        Ok(())
    }

    #[test]
    fn failures_become_one_error_by_the_question_mark_and_keep_the_systems_kind() {
        let kinds = [
            io::ErrorKind::NotFound,
            io::ErrorKind::InvalidData,
            io::ErrorKind::InvalidData,
            io::ErrorKind::NotFound,
        ];
        for (which, expected) in (0..).zip(kinds) {
            let error = failing(which).expect_err("it fails");
            assert_eq!(io::Error::from(error).kind(), expected, "{which}");
        }
        assert!(failing(3).expect_err("it fails").to_string().contains("out.fq"));
    }
}
