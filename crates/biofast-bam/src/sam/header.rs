//! The header lines of SAM text, and the binary header made of them.

use std::collections::HashMap;
use std::io::{self, BufRead};

use super::fault::LineFault;
use crate::error::{Error, ErrorKind};
use biofast_io::Location;

/// What is wrong with a header that would be cut.
pub(crate) const NUL_INSIDE: &str = "a NUL byte inside the text";

/// Header lines, each with its line feed and without a carriage return.
pub(crate) struct Text {
    bytes: Vec<u8>,
    lines: u64,
}

/// Reference sequences by name.
#[derive(Debug, Default)]
pub(crate) struct References {
    indices: HashMap<Box<[u8]>, i32>,
}

/// Looks names up; most are the same as the one before.
pub(crate) struct Lookup<'a> {
    references: &'a References,
    last: Option<(&'a [u8], i32)>,
}

impl Text {
    /// Text that has been read elsewhere.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Text {
        let mut text = Text { bytes: Vec::with_capacity(bytes.len() + 1), lines: 0 };
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            text.push(line);
        }
        text
    }

    /// Takes the lines that start with `@`.
    pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Text> {
        let mut text = Text { bytes: Vec::new(), lines: 0 };
        let mut line = Vec::new();
        while reader.fill_buf()?.first() == Some(&b'@') {
            line.clear();
            loop {
                let bytes = reader.fill_buf()?;
                let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
                let n = end.unwrap_or(bytes.len());
                if text.bytes.len() + line.len() + n > MAX_TEXT {
                    let kind = ErrorKind::BadHeader(TOO_MUCH_TEXT);
                    return Err(Error::new(kind, Location::default()).into());
                }
                line.extend_from_slice(&bytes[..n]);
                reader.consume(n);
                if end.is_some() || n == 0 {
                    break;
                }
            }
            text.push(&line);
        }
        Ok(text)
    }

    fn push(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
        self.lines += 1;
    }

    /// How many lines.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// The lines, each with its line feed.
    #[cfg(feature = "cram")]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends the BAM header: magic, text and the list of the `@SQ` lines' sequences.
    ///
    /// # Errors
    /// What is wrong with which line, counted from 0.
    pub(crate) fn write_bam(&self, out: &mut Vec<u8>) -> Result<References, (u64, ErrorKind)> {
        let mut references = References::default();
        let mut list = Vec::new();
        let mut count = 0i32;
        let mut aliases = Vec::new();
        for (number, line) in (0..).zip(self.bytes.split(|&b| b == b'\n')) {
            let at = |reason| (number, ErrorKind::BadHeader(reason));
            check_line(line).map_err(|fault| (number, fault.into()))?;
            // Programs take it for the end of the text, and lose the lines behind it.
            if memchr::memchr(0, line).is_some() {
                return Err(at(NUL_INSIDE));
            }
            let Some(fields) = line.strip_prefix(b"@SQ\t") else { continue };
            let value = |tag: &[u8; 3]| {
                fields.split(|&b| b == b'\t').find_map(|field| field.strip_prefix(tag))
            };
            // A line that names no sequence declares none; samtools passes over it, too.
            let Some(name) = value(b"SN:") else { continue };
            if !is_reference_name(name) {
                return Err(at(
                    "a reference name (SN) that is empty, starts with '*' or '=', or contains a control character",
                ));
            }
            let Some(length) = value(b"LN:") else {
                return Err(at("an @SQ line without a length (LN)"));
            };
            let Some(length) = parse_length(length) else {
                return Err(at("a reference length (LN) that is not a number below 2^63"));
            };
            let others = fields.split(|&b| b == b'\t').filter_map(|f| f.strip_prefix(b"LN:"));
            if others.map(parse_length).any(|other| other != Some(length)) {
                return Err(at("an @SQ line with two lengths (LN)"));
            }
            if references.indices.insert(name.into(), count).is_some() {
                return Err(at("two @SQ lines with the same name (SN)"));
            }
            if let Some(names) = value(b"AN:") {
                aliases.extend(names.split(|&b| b == b',').map(|name| (name, count)));
            }
            // A name is no longer than the text.
            list.extend((name.len() as u32 + 1).to_le_bytes());
            list.extend_from_slice(name);
            list.push(0);
            // What doesn't fit is found in the text, see `Header::parse`.
            list.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
            count += 1;
        }
        for (alias, index) in aliases {
            references.indices.entry(alias.into()).or_insert(index);
        }
        out.extend_from_slice(b"BAM\x01");
        out.extend((self.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.bytes);
        out.extend(count.to_le_bytes());
        out.extend(list);
        Ok(references)
    }
}

/// Whether this is a header line and no record: `@`, two letters, and fields; or a comment. A record's second field is a
/// number.
pub(super) fn is_header_line(line: &[u8]) -> bool {
    match line {
        [b'@', b'C', b'O', b'\t' | b' ', ..] => true,
        [b'@', a, b, b'\t', fields @ ..] => {
            let end = memchr::memchr(b'\t', fields).unwrap_or(fields.len());
            let is_number = end > 0 && fields[..end].iter().all(u8::is_ascii_digit);
            let is_known = matches!(&[*a, *b], b"HD" | b"SQ" | b"RG" | b"PG");
            let is_named = a.is_ascii_alphabetic() && b.is_ascii_alphabetic();
            is_known && !is_number || is_named && fields.get(2) == Some(&b':')
        }
        [b'@', a, b] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Checks a line of the header, which may be the empty one behind the last line feed.
fn check_line(line: &[u8]) -> Result<(), LineFault> {
    if let Some(at) = memchr::memchr(b'\r', line)
        && line.get(at + 1) == Some(&b'@')
    {
        return Err(LineFault::new(CR_INSIDE, line));
    }
    if line.is_empty() || is_header_line(line) {
        return Ok(());
    }
    let expected = "a header line, which is '@', two letters, a tab and fields such as SN:chr1 between tabs, or a \
                    record, whose name doesn't start with '@'";
    Err(LineFault::new(expected, line))
}

/// Why programs refuse a header that has this line, if they do: samtools 1.16 and 1.24, and by the specification.
pub(crate) fn why_unreadable(line: &[u8]) -> Option<&'static str> {
    let [b'@', kind @ .., b'\t'] = &line[..line.len().min(4)] else {
        return match line {
            b"@CO" => None,
            b"" => Some("an empty line"),
            _ => Some(OTHER_LINE),
        };
    };
    if kind == b"CO" {
        return None;
    }
    let fields = || line[4..].split(|&b| b == b'\t');
    if !fields().all(|field| field.get(2) == Some(&b':')) {
        return Some("a field that isn't two characters, a colon and a value");
    }
    let value = |tag: &[u8]| fields().find_map(|field| field.strip_prefix(tag));
    match kind {
        b"SQ" if value(b"SN:").is_none() => Some("an @SQ line without a name (SN)"),
        b"SQ" if value(b"LN:").and_then(parse_length) == Some(0) => {
            Some("an @SQ line with length 0 (LN:0)")
        }
        b"RG" if value(b"ID:").is_none() => Some("an @RG line without an ID"),
        b"PG" if value(b"ID:").is_none() => Some("a @PG line without an ID"),
        b"HD" | b"SQ" | b"RG" | b"PG" => None,
        _ => Some(OTHER_LINE),
    }
}

const OTHER_LINE: &str = "a line that doesn't start with @HD, @SQ, @RG, @PG or @CO and a tab";

/// What a line with a carriage return inside should be.
pub(super) const CR_INSIDE: &str = "line ends LF or CR LF, not CR alone (old Macintosh)";

/// A length (LN), with any number of zeros before it.
pub(crate) fn parse_length(digits: &[u8]) -> Option<u64> {
    let digits =
        std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok().filter(|&n: &u64| i64::try_from(n).is_ok())
}

impl References {
    /// A lookup for one thread.
    pub(crate) fn lookup(&self) -> Lookup<'_> {
        Lookup { references: self, last: None }
    }
}

impl Lookup<'_> {
    /// Whether the header has no reference sequences.
    pub(crate) fn is_empty(&self) -> bool {
        self.references.indices.is_empty()
    }

    /// The index of the reference sequence called `name`.
    #[inline]
    pub(crate) fn index(&mut self, name: &[u8]) -> Option<i32> {
        if let Some((last, index)) = self.last
            && last == name
        {
            return Some(index);
        }
        let (name, &index) = self.references.indices.get_key_value(name)?;
        self.last = Some((name, index));
        Some(index)
    }
}

/// Whether a name of a reference sequence can stand in a line and is no other field's sign.
pub(super) fn is_reference_name(name: &[u8]) -> bool {
    !matches!(name, [] | [b'*' | b'=', ..]) && !name.iter().any(u8::is_ascii_control)
}

/// The most bytes of text that are read or written: ten million `@SQ` lines of 50 bytes.
pub(crate) const MAX_TEXT: usize = 512 << 20;

pub(crate) const TOO_MUCH_TEXT: &str = "more than 512 MiB of text, which is the limit";
