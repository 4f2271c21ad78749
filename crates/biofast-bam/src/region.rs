//! Regions: parts of reference sequences, as people write them and as records are tested against
//! them.
//!
//! As written (`chr1:100-200`) positions are counted from 1 and the end is included, as in
//! samtools; a BED file's, and every position in the API, are counted from 0 and the end is not included.

mod bed;
mod names;
mod set;

use std::path::Path;

#[doc(hidden)]
pub use bed::{IntervalFile, IntervalLine};
pub use set::{Interval, Regions};

use biofast_io::{Location, Shown};

use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::note::Note;
use names::Names;
pub(crate) use names::ReferenceNames;

/// A part of one reference sequence, or the records without one.
///
/// ```
/// use biofast_bam::{Header, Interval, Region};
///
/// let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// let interval = Interval { start: 99, end: 200 };
/// assert_eq!(Region::parse("chr1:100-200", &header)?, Region::Placed { reference: 0, interval });
/// assert_eq!(Region::parse("*", &header)?, Region::Unplaced);
/// assert!(Region::parse("chr2", &header).is_err());
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Records without a reference: `*`.
    Unplaced,
    /// An interval of a reference.
    Placed {
        /// The index of the reference in the header.
        reference: usize,
        /// Positions, counted from 0, the end not included.
        interval: Interval,
    },
}

impl Region {
    /// Reads a region: `*`, `name`, `name:start`, `name:start-`, `name:start-end` or `name:-end`,
    /// positions from 1 with both ends included, commas in numbers allowed.
    ///
    /// A name may contain colons. If the whole text and the part before its last colon are both
    /// names of references, the text is ambiguous, and braces decide: `{name}` or
    /// `{name}:start-end`.
    ///
    /// # Errors
    /// If the text is malformed, ambiguous or empty, or no such reference exists.
    pub fn parse(text: &str, header: &Header) -> Result<Region, Error> {
        parse(text, &Names::few(header))
    }
}

/// [`Region::parse`] for what has names of references.
pub(crate) fn parse_among(text: &str, all: &dyn ReferenceNames) -> Result<Region, Error> {
    parse(text, &Names::few(all))
}

fn bad(region: &str, reason: impl Into<String>) -> Error {
    let kind = ErrorKind::BadRegion { region: region.into(), reason: reason.into() };
    Error::new(kind, Location::default())
}

/// The region names a reference that isn't there.
fn unknown(region: &str, reason: String) -> Error {
    let kind = ErrorKind::UnknownReference { region: region.into(), reason };
    Error::new(kind, Location::default())
}

fn parse(text: &str, names: &Names<'_>) -> Result<Region, Error> {
    if text == "*" {
        return Ok(Region::Unplaced);
    }
    let whole = |reference| Region::Placed { reference, interval: Interval::ALL };
    let find = |name: &str| {
        names.find(name.as_bytes()).ok_or_else(|| unknown(text, names.unknown(name.as_bytes())))
    };
    let (reference, range) = if let Some(rest) = text.strip_prefix('{') {
        let (name, rest) = rest.split_once('}').ok_or_else(|| bad(text, "missing '}'"))?;
        let reference = find(name)?;
        if rest.is_empty() {
            return Ok(whole(reference));
        }
        let range = rest.strip_prefix(':');
        (reference, range.ok_or_else(|| bad(text, "expected ':' or nothing after '}'"))?)
    } else {
        let Some((name, range)) = text.rsplit_once(':') else {
            return Ok(whole(find(text)?));
        };
        match (names.find(text.as_bytes()), names.find(name.as_bytes())) {
            (Some(_), Some(_)) => {
                let reason = format!(
                    "ambiguous: references '{text}' and '{name}' both exist; write {{{text}}} or {{{name}}}:{range}"
                );
                return Err(bad(text, reason));
            }
            (Some(reference), None) => return Ok(whole(reference)),
            (None, Some(reference)) => (reference, range),
            (None, None) => return Err(unknown(text, names.unknown(name.as_bytes()))),
        }
    };
    let interval = parse_range(range).map_err(|reason| bad(text, reason))?;
    Ok(Region::Placed { reference, interval })
}

/// Reads `start`, `start-`, `start-end` or `-end`.
fn parse_range(range: &str) -> Result<Interval, String> {
    let (start, end) = match range.split_once('-') {
        Some((start, end)) => (start, end),
        None => (range, ""),
    };
    if start.is_empty() && end.is_empty() {
        return Err("expected a position after ':'".into());
    }
    let position = |text: &str| -> Result<Option<i64>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let digits: String = text.chars().filter(|&c| c != ',').collect();
        let good = digits.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with(',');
        match digits.parse() {
            Ok(0) => Err("positions are counted from 1".into()),
            Ok(value) if good => Ok(Some(value)),
            _ => Err(match text.trim_end_matches(['k', 'K', 'm', 'M', 'b', 'B']) {
                number if number.parse::<f64>().is_ok() && number != text => {
                    format!("'{text}' is not a position: write all digits, such as 1,500,000")
                }
                _ => format!("'{text}' is not a position"),
            }),
        }
    };
    let (typed_start, typed_end) = (start, end);
    let start = position(start)?.unwrap_or(1) - 1;
    let end = position(end)?.unwrap_or(i64::MAX);
    if start >= end {
        return Err(format!("the start ({typed_start}) is after the end ({typed_end})"));
    }
    Ok(Interval { start, end })
}

/// Regions as asked for, before a header says which references there are.
///
/// An empty selection selects no records, not all of them: a program whose user may name no regions asks
/// [`is_empty`](Self::is_empty) and then opens the input without a selection.
///
/// ```
/// use biofast_bam::{Header, Selection};
///
/// let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// let mut selection = Selection::new();
/// assert!(selection.is_empty() && selection.resolve(&header)?.on(0).is_empty());
/// selection.add("chr1:1-100").add("chr1:50-200");
/// assert_eq!(selection.resolve(&header)?.on(0).len(), 1);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    regions: Vec<String>,
    beds: Vec<bed::Bed>,
    within: Vec<Selection>,
}

impl Selection {
    /// Nothing yet.
    pub fn new() -> Selection {
        Selection::default()
    }

    /// Adds a region as [`Region::parse`] reads it.
    pub fn add(&mut self, region: impl Into<String>) -> &mut Selection {
        self.regions.push(region.into());
        self
    }

    /// Adds the intervals of a BED file: name, start and end, separated by tabs or spaces,
    /// positions counted from 0, the end not included. It may be compressed in any way biofast
    /// reads; `-` is not special. Empty lines, comments and `track` and `browser` lines are
    /// passed over; an interval of length 0 selects nothing. Picard's interval lists are read, too.
    ///
    /// # Errors
    /// If the file can't be read; the first line that is malformed.
    pub fn add_bed(&mut self, path: impl AsRef<Path>) -> Result<&mut Selection, Error> {
        self.beds.push(bed::Bed::read(path.as_ref())?);
        Ok(self)
    }

    /// Restricts the selection to positions that are also in `other`.
    pub fn within(mut self, other: Selection) -> Selection {
        self.within.push(other);
        self
    }

    /// Whether nothing was added, which selects nothing.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty() && self.beds.is_empty()
    }

    /// Whether only BED files were added, and none of them has an interval.
    #[doc(hidden)]
    pub fn has_no_intervals(&self) -> bool {
        self.regions.is_empty() && !self.beds.is_empty() && self.beds.iter().all(bed::Bed::is_empty)
    }

    /// Notes about the BED files that have intervals of length 0.
    #[doc(hidden)]
    pub fn empty_intervals(&self) -> impl Iterator<Item = Note> + '_ {
        self.beds.iter().filter_map(|bed| bed.file.note())
    }

    /// A note about the regions that start beyond the ends of their references, naming the first one; `None` if there
    /// are none.
    #[doc(hidden)]
    pub fn behind_end(&self, header: &Header) -> Option<Note> {
        let names = self.names(header);
        let mut first = None;
        let mut count = 0;
        let mut look = |reference: usize, interval: Interval, text: &dyn Fn() -> String| {
            if let Some(found) = header.references().get(reference)
                && u64::try_from(interval.start).is_ok_and(|start| start >= found.length)
                // A length of 0 is one that nobody knows.
                && found.length > 0
            {
                count += 1;
                first.get_or_insert_with(|| (text(), found));
            }
        };
        for text in &self.regions {
            if let Ok(Region::Placed { reference, interval }) = parse(text, &names) {
                look(reference, interval, &|| text.clone());
            }
        }
        for bed in &self.beds {
            let mut all = Vec::new();
            if bed.resolve(&names, &mut all).is_ok() {
                for (reference, interval) in all.into_iter().filter(|(_, i)| i.start < i.end) {
                    let name = || Shown(&header.references()[reference].name).to_string();
                    let text = || format!("{}:{}-{}", name(), interval.start + 1, interval.end);
                    look(reference, interval, &text);
                }
            }
        }
        first.map(|(region, found)| Note::BehindEnd {
            region,
            reference: Shown(&found.name).to_string(),
            length: found.length,
            count,
        })
    }

    fn names<'h>(&self, header: &'h Header) -> Names<'h> {
        let many = self.regions.len() > 4 || !self.beds.is_empty();
        if many { Names::many(header) } else { Names::few(header) }
    }

    /// The regions on the references of `header`.
    ///
    /// # Errors
    /// The first region that is malformed, ambiguous, or on a reference that isn't there.
    pub fn resolve(&self, header: &Header) -> Result<Regions, Error> {
        let names = self.names(header);
        let mut all = Vec::new();
        let mut unplaced = false;
        for text in &self.regions {
            match parse(text, &names)? {
                Region::Unplaced => unplaced = true,
                Region::Placed { reference, interval } => all.push((reference, interval)),
            }
        }
        for bed in &self.beds {
            bed.resolve(&names, &mut all)?;
        }
        let regions = Regions::new(all, unplaced);
        self.within
            .iter()
            .try_fold(regions, |regions, other| Ok(regions.intersection(&other.resolve(header)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::bam;

    fn header(names: &[&str]) -> Header {
        let references: Vec<_> = names.iter().map(|name| (*name, 1000)).collect();
        let bytes = biofast_io::bgzf::compress(&bam::header(&references));
        let source = biofast_io::Source::from_reader("x", std::io::Cursor::new(bytes));
        crate::read_header(source, &biofast_io::Options::default()).unwrap_or_default()
    }

    fn placed(reference: usize, start: i64, end: i64) -> Option<Region> {
        Some(Region::Placed { reference, interval: Interval { start, end } })
    }

    #[test]
    fn every_form_is_read() {
        let header = header(&["chr1", "chr2", "HLA:01:02"]);
        for (text, expected) in [
            ("chr1", placed(0, 0, i64::MAX)),
            ("chr1:5", placed(0, 4, i64::MAX)),
            ("chr1:5-", placed(0, 4, i64::MAX)),
            ("chr1:-7", placed(0, 0, 7)),
            ("chr2:1,000-2,000", placed(1, 999, 2000)),
            ("chr2:3-3", placed(1, 2, 3)),
            ("HLA:01:02", placed(2, 0, i64::MAX)),
            ("HLA:01:02:3-4", placed(2, 2, 4)),
            ("{HLA:01:02}", placed(2, 0, i64::MAX)),
            ("{HLA:01:02}:3-4", placed(2, 2, 4)),
            ("*", Some(Region::Unplaced)),
        ] {
            assert_eq!(Region::parse(text, &header).ok(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let header = header(&["chr1", "chr10", "chr1:10-20", "MT"]);
        for (text, expected) in [
            (
                "chr1:10-20",
                "ambiguous: references 'chr1:10-20' and 'chr1' both exist; write {chr1:10-20} or {chr1}:10-20",
            ),
            ("{chr1:10-20", "missing '}'"),
            ("{chr1}x", "expected ':' or nothing after '}'"),
            ("1", "no reference is named '1'; did you mean 'chr1'?"),
            ("chrM", "no reference is named 'chrM'; did you mean 'MT', 'chr1'"),
            ("chr1:", "expected a position after ':'"),
            ("chr1:-", "expected a position after ':'"),
            ("chr1:0-5", "positions are counted from 1"),
            ("chr1:9-5", "the start (9) is after the end (5)"),
            ("chr1:a-5", "'a' is not a position"),
            ("chr1:1-2-3", "'2-3' is not a position"),
            ("chr1:+1-2", "'+1' is not a position"),
            ("chr1:99999999999999999999", "'99999999999999999999' is not a position"),
            ("", "no reference is named ''"),
        ] {
            let error = Region::parse(text, &header).map_err(|e| e.to_string());
            assert!(error.as_ref().is_err_and(|e| e.contains(expected)), "{text}: {error:?}");
        }
        let placed = |text| Region::parse(text, &header).ok();
        assert_eq!(placed("{chr1}:10-20"), self::placed(0, 9, 20));
        assert_eq!(placed("{chr1:10-20}:5"), self::placed(2, 4, i64::MAX));
    }
}
