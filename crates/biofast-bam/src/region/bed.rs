//! BED files of regions.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use biofast_io::{Location, Source, TextBounds, TextLines};

use super::names::Names;
use super::set::Interval;
use crate::error::{Error, ErrorKind};

/// The intervals of a BED file, not yet looked up in a header.
#[derive(Clone, Debug)]
pub(super) struct Bed {
    file: Arc<str>,
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
        let source = Source::open(path)?;
        let mut bed = Bed { file: source.name().into(), names: Vec::new(), intervals: Vec::new() };
        let mut lines = TextLines::new(source, TextBounds::LINES)?;
        let mut index = HashMap::new();
        let mut line = Vec::new();
        while lines.next_line(&mut line)? {
            let number = lines.number();
            if let Some((name, interval)) =
                parse_line(&line).map_err(|reason| bed.bad_line(number, &line, reason))?
            {
                let id = *index.entry(name.to_vec()).or_insert_with(|| {
                    bed.names.push((name.to_vec(), number));
                    bed.names.len() - 1
                });
                bed.intervals.push((id, interval));
            }
        }
        Ok(bed)
    }

    /// Appends the intervals with the indices of their references.
    pub(super) fn resolve(
        &self,
        names: &Names<'_>,
        all: &mut Vec<(usize, Interval)>,
    ) -> Result<(), Error> {
        let mut indices = Vec::with_capacity(self.names.len());
        for (name, line) in &self.names {
            let found = names.find(name);
            indices.push(found.ok_or_else(|| self.unknown(*line, name, names.unknown(name)))?);
        }
        all.extend(self.intervals.iter().map(|(id, interval)| (indices[*id], *interval)));
        Ok(())
    }

    fn bad_line(&self, line: u64, text: &[u8], reason: String) -> Error {
        let (_, at) = self.place(line, text);
        Error::new(ErrorKind::BadRegion { region: String::new(), reason }, at)
    }

    /// The line names a reference that isn't there.
    fn unknown(&self, line: u64, text: &[u8], reason: String) -> Error {
        let (region, at) = self.place(line, text);
        Error::new(ErrorKind::UnknownReference { region, reason }, at)
    }

    fn place(&self, line: u64, text: &[u8]) -> (String, Location) {
        let shown = String::from_utf8_lossy(text).into_owned();
        (shown, Location { line: Some(line), ..Location::in_input(&self.file) })
    }
}

/// The interval of a line; `None` if the line holds none.
fn parse_line(line: &[u8]) -> Result<Option<(&[u8], Interval)>, String> {
    let mut fields = line.split(|b| matches!(b, b'\t' | b' ')).filter(|field| !field.is_empty());
    let Some(name) = fields.next() else { return Ok(None) };
    if name.starts_with(b"#") {
        return Ok(None);
    }
    let mut position = || {
        let field = fields.next()?;
        std::str::from_utf8(field).ok()?.parse::<u32>().ok().map(i64::from)
    };
    match (position(), position()) {
        (Some(start), Some(end)) if start <= end => Ok(Some((name, Interval { start, end }))),
        (Some(start), Some(end)) => Err(format!("start {start} is greater than end {end}")),
        // A reference may have one of these names; its lines have positions.
        _ if matches!(name, b"track" | b"browser") => Ok(None),
        _ => Err(format!(
            "expected a BED line: name, start and end, separated by tabs, found '{}'",
            biofast_io::Shown(line)
        )),
    }
}

impl Bed {
    /// For messages and tests: how many intervals.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.intervals.len()
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
            assert_eq!(bed.len(), 2);
            assert_eq!(bed.intervals[0].1, Interval { start: 0, end: 5 });
            assert_eq!(bed.names[1], (b"chr2".to_vec(), 6));
        }
        Ok(())
    }

    #[test]
    fn a_bad_line_is_named() {
        for line in ["chr1\t5", "chr1\t5\t4", "chr1\t-1\t4", "chr1\tx\t4", "chr1"] {
            let error = read(format!("chr1\t1\t2\n{line}\n").as_bytes()).map(|_| ());
            let message = error.map_err(|e| e.to_string());
            assert!(message.as_ref().is_err_and(|m| m.contains("line 2")), "{line}: {message:?}");
        }
    }
}
