//! Files of intervals: BED, and Picard's interval lists.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use biofast_io::{Location, Shown, Source, TextBounds, TextLines};

use super::names::Names;
use super::set::Interval;
use crate::error::{Error, ErrorKind};
use crate::note::Note;

/// An interval, as a line of a file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalLine<'a> {
    /// The line, counted from 1.
    pub line: u64,
    /// The name of the reference.
    pub reference: &'a [u8],
    /// The first position, counted from 0.
    pub start: u32,
    /// The position after the last one; not less than `start`.
    pub end: u32,
    /// The name of the interval; empty if it has none.
    pub name: &'a [u8],
}

/// A file of intervals that was read.
#[derive(Clone, Debug)]
pub struct IntervalFile {
    name: Arc<str>,
    /// How many intervals of length 0 there are, and the first one's line.
    empty: Option<(u64, u64)>,
}

impl IntervalFile {
    /// Hands out the intervals of a BED file or an interval list, plain or compressed, in the order of its lines.
    ///
    /// Empty lines, comments (`#`), and `track` and `browser` lines are passed over. Header lines (`@SQ` and so on)
    /// make an interval list of the file, whose positions are counted from 1 with the end included. Tabs or spaces
    /// separate the first three columns. The fourth one of BED, and the fifth one of a list, is the interval's name.
    ///
    /// # Errors
    /// If the file can't be read; at the first line that is no interval.
    pub fn read(
        path: &Path,
        mut accept: impl FnMut(IntervalLine<'_>),
    ) -> Result<IntervalFile, Error> {
        let source = Source::open(path)?;
        let mut file = IntervalFile { name: source.name().into(), empty: None };
        let mut lines = TextLines::new(source, TextBounds::LINES)?;
        let (mut text, mut is_list) = (Vec::new(), false);
        while lines.next_line(&mut text)? {
            let line = lines.number();
            is_list |= is_header(&text);
            let found = parse(line, &text, is_list)
                .map_err(|reason| file.error(line, String::new(), reason))?;
            let Some(found) = found else { continue };
            if found.start == found.end {
                file.empty.get_or_insert((0, line)).0 += 1;
            }
            accept(found);
        }
        Ok(file)
    }

    /// The name of the file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// A note about the intervals of length 0; `None` if there are none.
    pub fn note(&self) -> Option<Note> {
        let (count, line) = self.empty?;
        Some(Note::EmptyIntervals { file: self.name.to_string(), line, count })
    }

    /// What is wrong with the interval of a line; `region` may be empty.
    pub fn error(&self, line: u64, region: String, reason: String) -> Error {
        Error::new(ErrorKind::BadRegion { region, reason }, self.at(line))
    }

    fn at(&self, line: u64) -> Location {
        Location { line: Some(line), ..Location::in_input(&self.name) }
    }
}

/// Whether a line belongs to the header of an interval list.
fn is_header(line: &[u8]) -> bool {
    matches!(line, [b'@', b'A'..=b'Z', b'A'..=b'Z', b'\t', ..] | [b'@', b'A'..=b'Z', b'A'..=b'Z'])
}

/// The interval of a line; `None` if the line holds none.
fn parse(number: u64, text: &[u8], is_list: bool) -> Result<Option<IntervalLine<'_>>, String> {
    let mut rest = text.trim_ascii();
    if rest.is_empty() || rest.starts_with(b"#") || is_header(text) {
        return Ok(None);
    }
    let is_separator = |byte: &u8| matches!(byte, b'\t' | b' ');
    let mut column = || {
        let start = rest.iter().position(|byte| !is_separator(byte)).unwrap_or(rest.len());
        let len = rest[start..].iter().position(is_separator);
        let (column, after) = rest[start..].split_at(len.unwrap_or(rest.len() - start));
        rest = after;
        column
    };
    let reference = column();
    let mut position = || std::str::from_utf8(column()).ok()?.parse::<u32>().ok();
    let (start, end) = match (position(), position()) {
        (Some(0), Some(_)) if is_list => {
            return Err("positions of an interval list are counted from 1".into());
        }
        (Some(start), Some(end)) => (start - u32::from(is_list), end),
        // A reference may have one of these names; its lines have positions.
        _ if matches!(reference, b"track" | b"browser") => return Ok(None),
        _ => {
            let what = if is_list { "interval list" } else { "BED" };
            return Err(format!(
                "expected a line of {what}: name, start and end, separated by tabs, found '{}'",
                Shown(text)
            ));
        }
    };
    if start > end {
        let start = u64::from(start) + u64::from(is_list);
        return Err(format!("start {start} is greater than end {end}"));
    }
    // The names of intervals may hold spaces if there are tabs.
    let separator = if rest.starts_with(b"\t") { b'\t' } else { b' ' };
    let rest = if separator == b' ' { rest.trim_ascii_start() } else { &rest[1..] };
    let name = rest.split(|byte| *byte == separator).nth(usize::from(is_list)).unwrap_or_default();
    Ok(Some(IntervalLine { line: number, reference, start, end, name }))
}

/// The intervals of a file, not yet looked up in a header.
#[derive(Clone, Debug)]
pub(super) struct Bed {
    pub(super) file: IntervalFile,
    /// Each name of a reference, with the line it first stands on.
    names: Vec<(Vec<u8>, u64)>,
    /// Index in `names`, and positions.
    intervals: Vec<(usize, Interval)>,
}

impl Bed {
    pub(super) fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    pub(super) fn read(path: &Path) -> Result<Bed, Error> {
        let (mut names, mut intervals) = (Vec::new(), Vec::new());
        let mut index = HashMap::new();
        let file = IntervalFile::read(path, |found| {
            let id = *index.entry(found.reference.to_vec()).or_insert_with(|| {
                names.push((found.reference.to_vec(), found.line));
                names.len() - 1
            });
            let interval = Interval { start: found.start.into(), end: found.end.into() };
            intervals.push((id, interval));
        })?;
        Ok(Bed { file, names, intervals })
    }

    /// Appends the intervals with the indices of their references.
    pub(super) fn resolve(
        &self,
        names: &Names<'_>,
        all: &mut Vec<(usize, Interval)>,
    ) -> Result<(), Error> {
        let mut indices = Vec::with_capacity(self.names.len());
        for (name, line) in &self.names {
            indices.push(names.find(name).ok_or_else(|| {
                let region = String::from_utf8_lossy(name).into_owned();
                let kind = ErrorKind::UnknownReference { region, reason: names.unknown(name) };
                Error::new(kind, self.file.at(*line))
            })?);
        }
        all.extend(self.intervals.iter().map(|(id, interval)| (indices[*id], *interval)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::container::gzip;

    fn read(content: &[u8]) -> Result<Bed, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.bed");
        std::fs::write(&path, content)?;
        Ok(Bed::read(&path)?)
    }

    #[test]
    fn comments_and_headers_are_passed_over_plain_or_compressed()
    -> Result<(), Box<dyn std::error::Error>> {
        let text =
            b"browser position chr1:1-2\ntrack name=x\n# c\n\nchr1\t0\t5\tname\r\nchr2 7 7\n";
        for content in [text.to_vec(), gzip(text)] {
            let bed = read(&content)?;
            assert_eq!(bed.intervals.len(), 2);
            assert_eq!(bed.intervals[0].1, Interval { start: 0, end: 5 });
            assert_eq!(bed.names[1], (b"chr2".to_vec(), 6));
            let note = bed.file.note().map(|note| note.to_string());
            assert!(note.is_some_and(|note| note.contains("line 6")));
        }
        Ok(())
    }

    #[test]
    fn columns_are_those_of_the_format() {
        let line = |text: &'static str, is_list| {
            let found = parse(1, text.as_bytes(), is_list).ok().flatten();
            found.map(|found| (found.reference, found.start, found.end, found.name))
        };
        let expected = |name: &'static str| Some((&b"c"[..], 4, 9, name.as_bytes()));
        assert_eq!(line("c\t4\t9", false), expected(""));
        assert_eq!(line("c\t4\t9\ta b\t0\t+\n", false), expected("a b"));
        assert_eq!(line("c\t4\t9\t\t0", false), expected(""));
        assert_eq!(line(" c 4  9  a b", false), expected("a"));
        assert_eq!(line("c\t5\t9\t+\ta b", true), expected("a b"));
        assert_eq!(line("c\t5\t4\t+\ta", true), Some((&b"c"[..], 4, 4, &b"a"[..])));
        assert_eq!((line("c\t0\t4\t+\ta", true), line("c\t6\t4\t+\ta", true)), (None, None));
    }

    #[test]
    fn a_bad_line_is_named() {
        for line in ["chr1\t5", "chr1\t5\t4", "chr1\t-1\t4", "chr1\tx\t4", "chr1", "tracks"] {
            let error = read(format!("chr1\t1\t2\n{line}\n").as_bytes()).map(|_| ());
            let message = error.map_err(|e| e.to_string());
            assert!(message.as_ref().is_err_and(|m| m.contains("line 2")), "{line}: {message:?}");
        }
    }
}
