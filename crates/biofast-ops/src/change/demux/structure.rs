//! What the bases of a read are: the read structures of fgbio and fqtk.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// What a stretch of a read is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SegmentKind {
    /// Bases of the template: `T`.
    Template,
    /// A sample's barcode, or a part of it: `B`.
    Barcode,
    /// A unique molecular identifier: `M`.
    Umi,
    /// A cell's barcode: `C`.
    Cell,
    /// Nothing that is wanted: `S`.
    Skip,
}

impl SegmentKind {
    /// The letter of this kind in a read structure.
    pub fn letter(self) -> char {
        match self {
            SegmentKind::Template => 'T',
            SegmentKind::Barcode => 'B',
            SegmentKind::Umi => 'M',
            SegmentKind::Cell => 'C',
            SegmentKind::Skip => 'S',
        }
    }

    /// The kind of a letter, in upper or lower case.
    pub fn from_letter(letter: char) -> Option<SegmentKind> {
        let kinds = [
            SegmentKind::Template,
            SegmentKind::Barcode,
            SegmentKind::Umi,
            SegmentKind::Cell,
            SegmentKind::Skip,
        ];
        kinds.into_iter().find(|kind| kind.letter() == letter.to_ascii_uppercase())
    }
}

/// A stretch of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// What it is.
    pub kind: SegmentKind,
    /// Where it starts, counted from 0.
    pub start: usize,
    /// How many bases; `None`: all that are left, and at least one.
    pub len: Option<usize>,
}

impl Segment {
    /// Where it is in a read of this length, which must be long enough.
    pub fn of(&self, len: usize) -> Range<usize> {
        let end = self.len.map_or(len, |own| self.start + own).min(len);
        self.start.min(end)..end
    }
}

/// What the bases of a read are, from its first base on: lengths, each with the letter of a [`SegmentKind`], such as `8B3S+T`.
/// The last length may be `+`, for all remaining bases. The grammar is that of fgbio (its wiki, "Read Structures").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadStructure(Vec<Segment>);

/// What is wrong with a read structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a valid read structure: {why}", biofast_io::Escaped(.text.as_bytes()))]
pub struct StructureError {
    text: String,
    why: String,
}

impl FromStr for ReadStructure {
    type Err = StructureError;

    fn from_str(text: &str) -> Result<ReadStructure, StructureError> {
        let error = |why: String| StructureError { text: text.to_owned(), why };
        let mut segments: Vec<Segment> = Vec::new();
        let mut start = 0usize;
        let mut rest = text.trim();
        while !rest.is_empty() {
            if segments.last().is_some_and(|last| last.len.is_none()) {
                return Err(error("'+' is allowed only before the last letter".into()));
            }
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (mut number, mut after) = rest.split_at(end);
            if number.is_empty() && after.starts_with('+') {
                (number, after) = rest.split_at(1);
            }
            let Some(letter) = after.chars().next() else {
                return Err(error(format!("missing letter after {number}")));
            };
            let Some(kind) = SegmentKind::from_letter(letter) else {
                let letter = letter.escape_default();
                return Err(error(format!("expected T, B, M, C or S, found '{letter}'")));
            };
            let len = match number {
                "+" => None,
                "" => return Err(error(format!("missing number before {letter}"))),
                number => match number.parse::<u32>() {
                    Ok(0) => return Err(error(format!("{letter} has 0 bases"))),
                    Ok(len) => Some(len as usize),
                    Err(_) => return Err(error(format!("{number} bases are too many"))),
                },
            };
            segments.push(Segment { kind, start, len });
            start += len.unwrap_or(1);
            rest = &after[1..];
        }
        if segments.is_empty() {
            return Err(error("it is empty".into()));
        }
        Ok(ReadStructure(segments))
    }
}

impl fmt::Display for ReadStructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|segment| {
            match segment.len {
                Some(len) => write!(f, "{len}")?,
                None => f.write_str("+")?,
            }
            write!(f, "{}", segment.kind.letter())
        })
    }
}

impl ReadStructure {
    /// All bases of a read are the template's.
    pub fn template() -> ReadStructure {
        ReadStructure(vec![Segment { kind: SegmentKind::Template, start: 0, len: None }])
    }

    /// Its stretches in their order.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The fewest bases that a read must have.
    pub fn shortest(&self) -> usize {
        self.0.iter().map(|segment| segment.len.unwrap_or(1)).sum()
    }
}
