//! The regions whose depth is asked for: intervals of a BED file with their names, or windows of one length.

use std::collections::HashMap;
use std::path::Path;

use biofast_bam::{Error, ErrorKind};
use biofast_io::{Location, Source, TextBounds, TextLines};

/// An interval of a reference, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first position, from 0.
    pub start: u32,
    /// The first position behind it.
    pub end: u32,
    /// Its name; empty if it has none.
    pub name: Vec<u8>,
}

/// The intervals to compute depth for.
#[derive(Clone, Debug)]
pub struct Intervals(IntervalSource);

#[derive(Clone, Debug)]
enum IntervalSource {
    Windows(u32),
    /// By the names of references, sorted by their starts.
    Bed(HashMap<Vec<u8>, Vec<Interval>>),
}

impl Intervals {
    /// Windows of this length, the last one of a reference shorter; `None` of length 0.
    pub fn windows(length: u32) -> Option<Intervals> {
        (length > 0).then_some(Intervals(IntervalSource::Windows(length)))
    }

    /// The intervals of a BED file, plain or compressed. Comments, blank lines and lines of `track` and `browser` are
    /// passed over. The fourth column is the name.
    ///
    /// # Errors
    /// If it can't be read; at the first line that is none of BED.
    pub fn bed(path: impl AsRef<Path>) -> Result<Intervals, Error> {
        let source = Source::open(path.as_ref())?;
        let name = source.name().to_owned();
        let mut lines = TextLines::new(source, TextBounds::LINES)?;
        let mut by_name: HashMap<Vec<u8>, Vec<Interval>> = HashMap::new();
        let mut line = Vec::new();
        while lines.next_line(&mut line)? {
            let number = lines.number();
            let parsed = parse(line.trim_ascii_end()).map_err(|reason| {
                let kind = ErrorKind::BadRegion { region: String::new(), reason };
                let at =
                    Location { line: Some(number), ..Location::in_input(&name.as_str().into()) };
                Error::new(kind, at)
            })?;
            if let Some((reference, interval)) = parsed {
                match by_name.get_mut(reference) {
                    Some(intervals) => intervals.push(interval),
                    None => {
                        by_name.insert(reference.to_vec(), vec![interval]);
                    }
                }
            }
        }
        by_name.values_mut().for_each(|all| all.sort_by_key(|interval| interval.start));
        Ok(Intervals(IntervalSource::Bed(by_name)))
    }

    /// Whether they are windows.
    pub fn are_windows(&self) -> bool {
        matches!(self.0, IntervalSource::Windows(_))
    }

    /// Whether there may be any on the reference of this name.
    pub fn are_on(&self, reference: &[u8]) -> bool {
        match &self.0 {
            IntervalSource::Windows(_) => true,
            IntervalSource::Bed(by_name) => by_name.contains_key(reference),
        }
    }

    /// The names of references that a BED file has, sorted.
    pub fn references(&self) -> Vec<&[u8]> {
        let IntervalSource::Bed(by_name) = &self.0 else { return Vec::new() };
        let mut names: Vec<&[u8]> = by_name.keys().map(Vec::as_slice).collect();
        names.sort_unstable();
        names
    }

    /// How many of a BED file end past the end of a reference of this length.
    pub fn past_end(&self, reference: &[u8], length: u64) -> usize {
        match &self.0 {
            IntervalSource::Windows(_) => 0,
            IntervalSource::Bed(by_name) => {
                let all = by_name.get(reference).into_iter().flatten();
                all.filter(|interval| u64::from(interval.end) > length).count()
            }
        }
    }

    /// Those of a reference, sorted by their starts.
    pub fn of(
        &self,
        reference: &[u8],
        length: u64,
    ) -> impl Iterator<Item = Interval> + Send + use<> {
        let (window, listed) = match &self.0 {
            IntervalSource::Windows(window) => (Some(u64::from(*window)), Vec::new()),
            IntervalSource::Bed(by_name) => {
                (None, by_name.get(reference).cloned().unwrap_or_default())
            }
        };
        let windows = window.into_iter().flat_map(move |window| {
            (0..length.div_ceil(window)).map(move |number| Interval {
                start: (number * window) as u32,
                end: ((number + 1) * window).min(length) as u32,
                name: Vec::new(),
            })
        });
        windows.chain(listed)
    }
}

/// The interval of a line; `None` if the line holds none.
fn parse(line: &[u8]) -> Result<Option<(&[u8], Interval)>, String> {
    if line.is_empty() || line.starts_with(b"#") {
        return Ok(None);
    }
    let mut fields = line.split(|&b| b == b'\t');
    let name = fields.next().unwrap_or_default();
    let mut position = || {
        let field = fields.next()?;
        std::str::from_utf8(field).ok()?.parse::<u32>().ok()
    };
    match (position(), position()) {
        (Some(start), Some(end)) if start <= end => {
            let label = fields.next().unwrap_or_default().to_vec();
            Ok(Some((name, Interval { start, end, name: label })))
        }
        (Some(start), Some(end)) => Err(format!("start {start} is greater than end {end}")),
        // A reference may have one of these names; its lines have positions.
        _ if line.starts_with(b"track") || line.starts_with(b"browser") => Ok(None),
        _ => Err(format!(
            "expected a BED line: name, start and end, separated by tabs, found '{}'",
            biofast_io::Shown(line)
        )),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> Result<Intervals, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.bed");
        std::fs::write(&path, content).unwrap();
        Intervals::bed(path)
    }

    #[test]
    fn intervals_are_sorted_by_start_and_keep_their_names() {
        let bed =
            read(b"track name=x\n#c\n\nc\t5\t9\tlate\nc\t0\t7\r\nd\t1\t1\tempty\t0\n").unwrap();
        let found: Vec<_> = bed.of(b"c", 100).collect();
        assert_eq!((found[0].end, &found[1].name[..]), (7, &b"late"[..]));
        assert_eq!(bed.references(), [b"c", b"d"]);
        assert_eq!(bed.of(b"e", 100).count(), 0);
    }

    #[test]
    fn a_bad_line_is_named() {
        for line in ["c\t5", "c\t5\t4", "c\t-1\t4", "c 1 4"] {
            let error = read(format!("c\t1\t2\n{line}\n").as_bytes()).unwrap_err();
            assert!(error.to_string().contains("line 2"), "{error}");
        }
    }

    #[test]
    fn windows_end_with_the_reference() {
        let ends = |length| {
            let windows = Intervals::windows(10).unwrap();
            windows.of(b"c", length).map(|window| window.end).collect::<Vec<_>>()
        };
        assert_eq!((ends(0), ends(10), ends(11)), (vec![], vec![10], vec![10, 11]));
    }
}
