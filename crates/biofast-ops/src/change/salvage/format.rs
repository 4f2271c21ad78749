//! Where records of BAM and FASTQ start and end in text whose beginning or end is lost.

use biofast_bam::{self as bam, Header, Record};
use biofast_io::Shown;
use biofast_kernels::{find_control, find_invalid_base, find_invalid_quality, find_newline};
use memchr::memchr_iter;
use serde::Serialize;

/// What is at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A whole record of so many bytes.
    Record(usize),
    /// What may become a record with more text.
    More,
    /// No record.
    Bad,
}

/// A record beside what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NeighborRecord {
    /// Its name.
    pub name: String,
    /// Of alignments: the reference sequence and the position, counted from 1, such as `chr1:100`; none if it has no position.
    pub position: Option<String>,
}

/// What records are like.
pub(super) enum RecordFormat {
    /// Alignments with this header.
    Bam(Header),
    /// Reads of four lines each.
    Fastq,
}

impl RecordFormat {
    /// How many records must follow each other before one is believed that was searched for.
    pub(super) const CHAIN: usize = 8;

    /// What is at the start of `text`. If it `ended`, nothing follows.
    pub(super) fn step(&self, text: &[u8], ended: bool) -> Step {
        match self {
            RecordFormat::Bam(header) => match Record::from_bam(text, header) {
                Ok((record, rest)) if record.check().is_ok() => {
                    Step::Record(text.len() - rest.len())
                }
                Err(error) if matches!(error.kind(), bam::ErrorKind::Truncated(_)) => Step::More,
                _ => Step::Bad,
            },
            RecordFormat::Fastq => step_of_lines(text, ended),
        }
    }

    /// The first place from `from` on where a record may start. `is_edge` says that `from` is the start of a block whose
    /// predecessor isn't known.
    pub(super) fn candidate(&self, text: &[u8], from: usize, is_edge: bool) -> Option<usize> {
        match self {
            RecordFormat::Bam(_) => (from < text.len()).then_some(from),
            RecordFormat::Fastq if is_edge && text.get(from) == Some(&b'@') => Some(from),
            RecordFormat::Fastq => {
                let before = from.saturating_sub(1);
                let ends = memchr_iter(b'\n', text.get(before..)?);
                let mut starts = ends.map(|end| before + end + 1);
                starts.find(|&start| start >= from && text.get(start) == Some(&b'@'))
            }
        }
    }

    /// Whether a record that was searched for is believed, given the one behind it. `is_edge` as above.
    pub(super) fn believes(&self, record: &[u8], next: Option<&[u8]>, is_edge: bool) -> bool {
        match self {
            RecordFormat::Bam(header) => {
                let Ok((record, _)) = Record::from_bam(record, header) else { return false };
                let is_on = |reference: i32, position: i32| {
                    let known = usize::try_from(reference).ok();
                    let len = known.and_then(|id| header.references().get(id)).map(|r| r.length);
                    position >= -1 && len.is_none_or(|len| i64::from(position) < len as i64)
                };
                let name = record.name();
                !name.is_empty()
                    && name.iter().all(u8::is_ascii_graphic)
                    && is_on(record.reference_id(), record.position())
                    && is_on(record.mate_reference_id(), record.mate_position())
            }
            // An '@' inside of a name begins a line, too, where the line before it is lost: names of a file have the same
            // punctuation.
            RecordFormat::Fastq => {
                !is_edge || next.is_some_and(|next| punctuation(record).eq(punctuation(next)))
            }
        }
    }

    /// The record as reports show it.
    pub(super) fn describe(&self, record: &[u8]) -> NeighborRecord {
        match self {
            RecordFormat::Bam(header) => {
                let record = Record::from_checked(&record[4..]);
                let position = record.reference_name(header).map(|reference| {
                    format!("{}:{}", Shown(reference), i64::from(record.position()) + 1)
                });
                NeighborRecord { name: Shown(record.name()).to_string(), position }
            }
            RecordFormat::Fastq => {
                NeighborRecord { name: Shown(name_of(record)).to_string(), position: None }
            }
        }
    }
}

/// The name in the header line of a read.
fn name_of(read: &[u8]) -> &[u8] {
    let line = &read[1..find_newline(read).unwrap_or(read.len())];
    line.split(u8::is_ascii_whitespace).next().unwrap_or(line)
}

fn punctuation(read: &[u8]) -> impl Iterator<Item = &u8> {
    name_of(read).iter().filter(|byte| byte.is_ascii_punctuation())
}

/// A read of four lines at the start of `text`.
fn step_of_lines(text: &[u8], ended: bool) -> Step {
    let mut at = 0;
    let mut next = || {
        let rest = text.get(at..).unwrap_or_default();
        let end = find_newline(rest);
        let line = &rest[..end.unwrap_or(rest.len())];
        at += line.len() + 1;
        (line.strip_suffix(b"\r").unwrap_or(line), end.is_some())
    };
    let (header, is_whole) = next();
    if header.first().is_some_and(|first| *first != b'@') || find_control(header).is_some() {
        return Step::Bad;
    }
    if !is_whole {
        return Step::More;
    }
    if header.is_empty() {
        return Step::Bad;
    }
    let (bases, is_whole) = next();
    if find_invalid_base(bases).is_some() {
        return Step::Bad;
    }
    if !is_whole {
        return Step::More;
    }
    let (plus, is_whole) = next();
    let is_plus = plus.first().is_none_or(|first| *first == b'+');
    let repeats = plus.len() < 2 || header[1..].starts_with(&plus[1..]);
    if !is_plus || !repeats || (is_whole && !matches!(plus.len(), 1) && plus.len() != header.len())
    {
        return Step::Bad;
    }
    if !is_whole {
        return Step::More;
    }
    let (qualities, is_whole) = next();
    if find_invalid_quality(qualities).is_some() || qualities.len() > bases.len() {
        return Step::Bad;
    }
    match (is_whole, qualities.len() == bases.len()) {
        (true, true) => Step::Record(at),
        (true, false) => Step::Bad,
        // Its line end is lost, or was never there.
        (false, true) if ended => Step::Record(text.len()),
        (false, _) => Step::More,
    }
}
