//! Text that people write or tables give: lists, sheets, intervals. Bytes in, clean lines out, within stated bounds.

use std::io::{self, BufRead};

use super::reader::Reader;
use crate::error::{Error, ErrorKind, Location};
use crate::input::{Options, Source};

/// The maximum size of a text and of its lines, so that an endless input ends in an error, not in exhausted memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextBounds {
    /// Bytes of all lines.
    pub bytes: u64,
    /// Bytes of a line.
    pub line: u64,
}

impl TextBounds {
    /// Lists that may name every read of a run: 4 GiB, in lines of up to 1 MiB.
    pub const LIST: TextBounds = TextBounds { bytes: 4 << 30, line: 1 << 20 };
    /// Sheets, limits, sequences of adapters, names of files: 256 MiB, in lines of up to 1 MiB.
    pub const TABLE: TextBounds = TextBounds { bytes: 256 << 20, line: 1 << 20 };
    /// Documents such as plans and reports, which may be one line: 4 GiB.
    pub const DOCUMENT: TextBounds = TextBounds { bytes: 4 << 30, line: 4 << 30 };
    /// Lines that are used one after the other, as intervals are: any number of them, of up to 1 MiB.
    pub const LINES: TextBounds = TextBounds { bytes: u64::MAX, line: 1 << 20 };
}

/// The lines of a text, plain or compressed: without a byte order mark, their ends (of Unix, Windows or old Macs) and blanks
/// before these. What can't be text is an error.
///
/// ```
/// use biofast_io::{Source, TextBounds, TextLines};
///
/// let text = Source::from_reader("list", &b"\xef\xbb\xbfa\r\nb  \n\nc"[..]);
/// let mut lines = TextLines::new(text, TextBounds::LIST)?;
/// let (mut line, mut all) = (Vec::new(), Vec::new());
/// while lines.next_line(&mut line)? {
///     all.push((lines.number(), line.clone()));
/// }
/// assert_eq!(all, [(1, b"a".to_vec()), (2, b"b".to_vec()), (3, vec![]), (4, b"c".to_vec())]);
/// # Ok::<(), biofast_io::Error>(())
/// ```
pub struct TextLines {
    reader: Reader,
    name: String,
    bounds: TextBounds,
    /// Of the last line, from 1; 0 before the first.
    number: u64,
    read: u64,
    /// The last line ended in CR, to which an LF belongs.
    after_return: bool,
}

impl TextLines {
    /// The lines of this text.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn new(source: Source, bounds: TextBounds) -> Result<TextLines, Error> {
        let name = source.name().to_owned();
        let reader = Reader::new(source, &Options::serial())?;
        Ok(TextLines { reader, name, bounds, number: 0, read: 0, after_return: false })
    }

    /// The name of the text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the line that was read last, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Where the line is that was read last.
    pub fn location(&self) -> Location {
        Location { line: Some(self.number), ..Location::in_input(&self.name.as_str().into()) }
    }

    /// Replaces `line` by the next one, and says whether there was one.
    ///
    /// # Errors
    /// If it can't be read or decompressed; at bytes that text doesn't have, and where there is more than the bounds allow.
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool, Error> {
        line.clear();
        self.number += 1;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) => return Err(self.failed(error)),
            };
            if available.is_empty() {
                // A last line without an end counts, an empty one doesn't.
                if line.is_empty() {
                    self.number -= 1;
                    return Ok(false);
                }
                break;
            }
            if std::mem::take(&mut self.after_return) && available[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            let end = available.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let len = end.unwrap_or(available.len());
            // A little more is enough to know.
            let taken = len.min((self.bounds.line - line.len() as u64) as usize + 1);
            line.extend_from_slice(&available[..taken]);
            self.after_return = end.is_some_and(|end| available[end] == b'\r');
            let is_end = end.is_some() && taken == len;
            self.reader.consume(taken + usize::from(is_end));
            if line.len() as u64 > self.bounds.line {
                return Err(self.fault(format!("a line of more than {} bytes", self.bounds.line)));
            }
            if is_end {
                break;
            }
        }
        self.read += line.len() as u64 + 1;
        if self.read > self.bounds.bytes {
            return Err(self.fault(format!("more than {} bytes", self.bounds.bytes)));
        }
        if self.number == 1 {
            if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
                return Err(self.fault("UTF-16: save it as UTF-8".into()));
            }
            if line.starts_with(b"\xef\xbb\xbf") {
                line.drain(..3);
            }
        }
        let is_odd = |byte: &u8| (byte.is_ascii_control() && *byte != b'\t') || *byte == 0x7f;
        if let Some(&byte) = line.iter().find(|byte| is_odd(byte)) {
            return Err(self.fault(format!("byte 0x{byte:02x}, which is not text")));
        }
        while line.last() == Some(&b' ') {
            line.pop();
        }
        Ok(true)
    }

    fn fault(&self, found: String) -> Error {
        Error::new(ErrorKind::NotText(found), self.location())
    }

    fn failed(&self, error: io::Error) -> Error {
        match error.downcast::<Error>() {
            Ok(own) => own,
            Err(error) => {
                Error::new(ErrorKind::Io(error), Location::in_input(&self.name.as_str().into()))
            }
        }
    }
}

/// The complete text as [`TextLines`] has it, with LF after each line.
///
/// # Errors
/// As [`TextLines::next_line`].
pub fn read_text(source: Source, bounds: TextBounds) -> Result<Vec<u8>, Error> {
    let mut lines = TextLines::new(source, bounds)?;
    let (mut all, mut line) = (Vec::new(), Vec::new());
    while lines.next_line(&mut line)? {
        all.extend_from_slice(&line);
        all.push(b'\n');
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static [u8], bounds: TextBounds) -> Result<Vec<u8>, String> {
        read_text(Source::from_reader("x", text), bounds).map_err(|error| error.to_string())
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        let of = |text| read(text, TextBounds::LIST).expect("text");
        assert_eq!(of(b"a\r\n\r\nb\rc\n\nd"), b"a\n\nb\nc\n\nd\n");
        assert_eq!(of(b"a\t\n b  "), b"a\t\n b\n");
        assert_eq!(of(b""), b"");
        assert_eq!(of(b"\xef\xbb\xbf"), b"\n");
        assert_eq!(of("Größe\n".as_bytes()), "Größe\n".as_bytes());
    }

    #[test]
    fn what_is_no_text_or_too_much_is_an_error() {
        let bounds = TextBounds { bytes: 8, line: 4 };
        assert_eq!(read(b"abcd\nab\n", bounds).as_deref(), Ok(&b"abcd\nab\n"[..]));
        let error = |text| read(text, bounds).expect_err("too much");
        assert!(error(b"abcde\n").contains("line 1: expected text, found a line of more than 4"));
        assert!(error(b"abcdeabcdeabcde").contains("a line of more than 4"));
        assert!(error(b"ab\nab\nab\n").contains("line 3: expected text, found more than 8 bytes"));
        assert!(error(b"\xff\xfea\0").contains("UTF-16"));
        assert!(error(b"a\n\x1b[0").contains("0x1b"));
    }
}
