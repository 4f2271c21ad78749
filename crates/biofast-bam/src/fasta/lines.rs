//! The lines of FASTA and FASTQ, as far as an index needs them: none is kept, so that a chromosome may be one line.

use std::io::BufRead;
use std::sync::Arc;

use biofast_io::{Location, Shown};
use biofast_kernels as kernels;

use super::entry::Entry;
use crate::error::{Error, ErrorKind};

/// The lines of a text, one after the other.
pub(super) struct FastaLines<R> {
    name: Arc<str>,
    text: R,
    /// Where the next line starts, and its number, from 1.
    offset: u64,
    number: u64,
}

/// The line of a sequence or of its qualities.
struct Line {
    bases: u64,
    /// Those of the line end among them, which may be missing in the last line of the file.
    bytes: u64,
}

/// How a sequence lies in its lines, as far as they have been read.
pub(super) struct Layout {
    offset: u64,
    len: u64,
    bases_a_line: u64,
    bytes_a_line: u64,
    /// Whether a line was shorter than the first, so that none may follow.
    is_complete: bool,
}

impl Layout {
    /// Of a sequence whose first line starts there.
    pub(super) fn at(offset: u64) -> Layout {
        Layout { offset, len: 0, bases_a_line: 0, bytes_a_line: 0, is_complete: false }
    }

    /// Adds a line; says what is wrong with its length.
    fn add(&mut self, line: &Line) -> Result<(), &'static str> {
        if self.bytes_a_line == 0 {
            (self.bases_a_line, self.bytes_a_line) = (line.bases, line.bytes);
        } else if self.is_complete {
            return Err("a line follows one that is shorter");
        } else if line.bases > self.bases_a_line || line.bytes > self.bytes_a_line {
            return Err("a line is longer than the first");
        }
        self.is_complete = (line.bases, line.bytes) != (self.bases_a_line, self.bytes_a_line);
        self.len += line.bases;
        Ok(())
    }

    fn entry(&self, qualities: Option<u64>) -> Entry {
        let Layout { offset, len, bases_a_line, bytes_a_line, .. } = *self;
        Entry { len, offset, bases_a_line, bytes_a_line, qualities, line: None }
    }
}

impl<R: BufRead> FastaLines<R> {
    pub(super) fn new(name: &str, text: R) -> FastaLines<R> {
        FastaLines { name: name.into(), text, offset: 0, number: 1 }
    }

    /// The number of the next line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Where the next line starts.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The error that something is wrong with the next line.
    pub(super) fn fault(&self, what: impl Into<String>) -> Error {
        let at = Location { line: Some(self.number), ..Location::in_input(&self.name) };
        Error::new(ErrorKind::NotIndexable(what.into()), at)
    }

    /// The error that the next line starts with something else than it should.
    pub(super) fn unexpected(&self, expected: &str, found: u8) -> Error {
        self.fault(format!(
            "expected {expected} at the start of a line, found '{}'",
            Shown(&[found])
        ))
    }

    /// The first byte of the next line; `None` at the end.
    fn peek(&mut self) -> Result<Option<u8>, Error> {
        let filled = self.text.fill_buf().map_err(|e| Error::from_io(e, &self.name))?;
        Ok(filled.first().copied())
    }

    /// Reads a line, in parts and without its newline.
    fn read(&mut self, mut take: impl FnMut(&[u8])) -> Result<(), Error> {
        loop {
            let filled = self.text.fill_buf().map_err(|e| Error::from_io(e, &self.name))?;
            if filled.is_empty() {
                return Ok(());
            }
            let end = memchr::memchr(b'\n', filled);
            let len = end.unwrap_or(filled.len());
            take(&filled[..len]);
            let read = len + usize::from(end.is_some());
            self.text.consume(read);
            self.offset += read as u64;
            if end.is_some() {
                self.number += 1;
                return Ok(());
            }
        }
    }

    /// Passes over empty lines; the first byte of the line behind them.
    pub(super) fn skip_blank(&mut self) -> Result<Option<u8>, Error> {
        while let Some(first) = self.peek()? {
            if !matches!(first, b'\n' | b'\r') {
                return Ok(Some(first));
            }
            let mut is_blank = true;
            let number = self.number;
            self.read(|part| is_blank &= part.iter().all(|&b| b == b'\r'))?;
            if !is_blank {
                self.number = number;
                return Err(self.fault("a carriage return starts a line"));
            }
        }
        Ok(None)
    }

    /// Reads the line of a name, which ends at the first space.
    pub(super) fn name(&mut self) -> Result<Vec<u8>, Error> {
        let (mut name, mut is_complete, mut is_marker) = (Vec::new(), false, true);
        let number = self.number;
        self.read(|part| {
            let part = part.get(usize::from(is_marker)..).unwrap_or_default();
            is_marker = false;
            if is_complete {
                return;
            }
            let part = if name.is_empty() { part.trim_ascii_start() } else { part };
            let end = part.iter().position(u8::is_ascii_whitespace);
            name.extend_from_slice(&part[..end.unwrap_or(part.len())]);
            is_complete = end.is_some();
        })?;
        if name.is_empty() {
            self.number = number;
            return Err(self.fault("a sequence has no name"));
        }
        Ok(name)
    }

    /// Reads a line of bases or of qualities, which nothing but whitespace may follow.
    fn line(&mut self, name: &str, layout: &mut Layout, is_quality: bool) -> Result<(), Error> {
        let number = self.number;
        let (mut bases, mut bytes) = (0, 0);
        let mut is_behind = false;
        let mut stray = None;
        self.read(|part| {
            let rest = match is_behind {
                true => part,
                false => {
                    let end = match is_quality {
                        true => part.iter().position(|b| !b.is_ascii_graphic()),
                        false => kernels::find_invalid_base(part),
                    };
                    is_behind = end.is_some();
                    let end = end.unwrap_or(part.len());
                    bases += end as u64;
                    &part[end..]
                }
            };
            if let (None, Some(at)) = (stray, rest.iter().position(|b| !b.is_ascii_whitespace())) {
                let column = bytes + (part.len() - rest.len() + at) as u64 + 1;
                stray = Some((rest[at], column));
            }
            bytes += part.len() as u64;
        })?;
        let what = if is_quality { "qualities" } else { "sequence" };
        // One more for the line end, which the last line may lack.
        let line = Line { bases, bytes: bytes + 1 };
        let fault = match stray {
            Some((found, column)) => {
                Some(format!("found '{}' in column {column}", Shown(&[found])))
            }
            None => layout.add(&line).err().map(str::to_owned),
        };
        let Some(fault) = fault else { return Ok(()) };
        self.number = number;
        Err(self.fault(format!("{what} of '{name}': {fault}")))
    }

    /// Reads the lines of a FASTA sequence; `None` if it has none and isn't the last.
    pub(super) fn fasta(
        &mut self,
        name: &str,
        layout: &mut Layout,
    ) -> Result<Option<Entry>, Error> {
        loop {
            match self.peek()? {
                None if layout.bytes_a_line == 0 => {
                    return Err(
                        self.fault(format!("the file ends before the sequence of '{name}'"))
                    );
                }
                None | Some(b'>' | b'\n' | b'\r') => break,
                Some(_) => self.line(name, layout, false)?,
            }
        }
        Ok((layout.bytes_a_line > 0).then(|| layout.entry(None)))
    }

    /// Reads the lines of a FASTQ sequence and of its qualities.
    pub(super) fn fastq(
        &mut self,
        name: &str,
        layout: &mut Layout,
    ) -> Result<Option<Entry>, Error> {
        let ends = |lines: &Self| lines.fault(format!("the file ends inside the record '{name}'"));
        loop {
            match self.peek()? {
                None => return Err(ends(self)),
                Some(b'+') if layout.len > 0 => break,
                Some(b'+' | b'\n' | b'\r') => {
                    return Err(self.fault(format!("sequence of '{name}': a line is empty")));
                }
                Some(_) => self.line(name, layout, false)?,
            }
        }
        self.read(|_| ())?;
        let mut qualities = Layout { bytes_a_line: layout.bytes_a_line, ..Layout::at(self.offset) };
        qualities.bases_a_line = layout.bases_a_line;
        while qualities.len < layout.len {
            let number = self.number;
            match self.peek()? {
                None => return Err(ends(self)),
                Some(_) => self.line(name, &mut qualities, true)?,
            }
            if qualities.len > layout.len || (qualities.is_complete && qualities.len < layout.len) {
                let (found, expected) = (qualities.len, layout.len);
                self.number = number;
                let what = format!("qualities of '{name}': expected {expected}, found {found}");
                return Err(self.fault(what));
            }
        }
        Ok(Some(layout.entry(Some(qualities.offset))))
    }
}
