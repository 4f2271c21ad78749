//! The regions whose depth is asked for: intervals of a BED file with their names, or windows of one length.

use std::collections::HashMap;
use std::path::Path;

use biofast_bam::query::Note;
use biofast_bam::region::IntervalFile;
use biofast_bam::{Error, ErrorKind, Header};
use biofast_io::Location;

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
    Bed {
        file: IntervalFile,
        by_name: HashMap<Vec<u8>, Vec<Interval>>,
    },
}

impl Intervals {
    /// Windows of this length, the last one of a reference shorter; `None` of length 0.
    pub fn windows(length: u32) -> Option<Intervals> {
        (length > 0).then_some(Intervals(IntervalSource::Windows(length)))
    }

    /// The intervals of a BED file or an interval list.
    ///
    /// # Errors
    /// If it can't be read; at the first line that is none of BED.
    pub fn bed(path: impl AsRef<Path>) -> Result<Intervals, Error> {
        let mut by_name: HashMap<Vec<u8>, Vec<Interval>> = HashMap::new();
        let file = IntervalFile::read(path.as_ref(), |line| {
            let name = line.name.to_vec();
            let interval = Interval { start: line.start, end: line.end, name };
            match by_name.get_mut(line.reference) {
                Some(intervals) => intervals.push(interval),
                None => {
                    by_name.insert(line.reference.to_vec(), vec![interval]);
                }
            }
        })?;
        by_name.values_mut().for_each(|all| all.sort_by_key(|interval| interval.start));
        Ok(Intervals(IntervalSource::Bed { file, by_name }))
    }

    /// Whether they are windows.
    pub fn are_windows(&self) -> bool {
        matches!(self.0, IntervalSource::Windows(_))
    }

    /// A note about those of length 0; `None` if there are none.
    pub fn note(&self) -> Option<Note> {
        match &self.0 {
            IntervalSource::Windows(_) => None,
            IntervalSource::Bed { file, .. } => file.note(),
        }
    }

    /// Refuses the intervals of a file if there are some, but none is on a reference of the header.
    ///
    /// # Errors
    /// If that is so; `alignments` is the name of what the header belongs to.
    pub fn check(&self, header: &Header, alignments: &str) -> Result<(), Error> {
        let IntervalSource::Bed { file, by_name } = &self.0 else { return Ok(()) };
        let are_known = header.references().iter().any(|known| self.are_on(&known.name));
        if by_name.is_empty() || are_known {
            return Ok(());
        }
        let count: usize = by_name.values().map(Vec::len).sum();
        let reason = format!(
            "none of the {count} intervals is on a reference of {alignments}; is the file for another assembly (chr1 or 1)?"
        );
        let kind = ErrorKind::BadRegion { region: String::new(), reason };
        Err(Error::new(kind, Location::in_input(file.name())))
    }

    /// Whether there may be any on the reference of this name.
    pub fn are_on(&self, reference: &[u8]) -> bool {
        match &self.0 {
            IntervalSource::Windows(_) => true,
            IntervalSource::Bed { by_name, .. } => by_name.contains_key(reference),
        }
    }

    /// The names of references that a BED file has, sorted.
    pub fn references(&self) -> Vec<&[u8]> {
        let IntervalSource::Bed { by_name, .. } = &self.0 else { return Vec::new() };
        let mut names: Vec<&[u8]> = by_name.keys().map(Vec::as_slice).collect();
        names.sort_unstable();
        names
    }

    /// How many of a BED file end past the end of a reference of this length.
    pub fn past_end(&self, reference: &[u8], length: u64) -> usize {
        match &self.0 {
            IntervalSource::Windows(_) => 0,
            IntervalSource::Bed { by_name, .. } => {
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
            IntervalSource::Bed { by_name, .. } => {
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

#[cfg(test)]
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
        for line in ["c\t5", "c\t5\t4", "c\t-1\t4", "c 1"] {
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
