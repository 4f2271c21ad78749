//! Which tags have checksums, and how they are written for it.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use biofast_bam::{Record, Tag};

/// The tags that count: those of a list, one after the other, or all but those of a list, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChecksumTags {
    /// As it is typed.
    text: String,
    /// Whether the listed ones are left out.
    are_others: bool,
    /// The listed ones, each with its last place in the list.
    listed: HashMap<[u8; 2], usize>,
    /// A bit for each name of two of the characters from `0` to `z` that is listed.
    is_listed: Vec<u64>,
}

/// The characters of a name, from `0` to `z`.
const CHARACTERS: usize = (b'z' - b'0' + 1) as usize;

/// A list of tags that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a tag: expected a list such as BC,QT, or * for all and then those to leave out, such as *,MD,NM"
)]
pub struct InvalidTagList(String);

impl Default for ChecksumTags {
    /// Those that an instrument or a demultiplexer gives reads.
    fn default() -> ChecksumTags {
        let names = [*b"BC", *b"FI", *b"QT", *b"RT", *b"TC"];
        ChecksumTags::new("BC,FI,QT,RT,TC".into(), false, &names)
    }
}

/// A list as samtools takes it: names, separated by commas, or `*` and those to leave out.
impl FromStr for ChecksumTags {
    type Err = InvalidTagList;

    fn from_str(text: &str) -> Result<ChecksumTags, InvalidTagList> {
        let mut names = Vec::new();
        for name in text.split_terminator(',') {
            match name.as_bytes() {
                b"*" => {}
                &[a, b] if place([a, b]).is_some() => names.push([a, b]),
                _ => return Err(InvalidTagList(name.to_owned())),
            }
        }
        Ok(ChecksumTags::new(text.to_owned(), text.starts_with('*'), &names))
    }
}

impl fmt::Display for ChecksumTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The place of a name in a table of all names; `None` if it has other characters.
#[inline]
fn place([a, b]: [u8; 2]) -> Option<usize> {
    let is_in = |byte: u8| (b'0'..=b'z').contains(&byte);
    let index = |byte: u8| usize::from(byte - b'0');
    (is_in(a) && is_in(b)).then(|| index(a) * CHARACTERS + index(b))
}

impl ChecksumTags {
    /// All tags but these.
    pub fn all_but<const N: usize>(names: [[u8; 2]; N]) -> ChecksumTags {
        let listed = names.iter().map(|name| format!(",{}", String::from_utf8_lossy(name)));
        ChecksumTags::new(format!("*{}", listed.collect::<String>()), true, &names)
    }

    fn new(text: String, are_others: bool, names: &[[u8; 2]]) -> ChecksumTags {
        let mut is_listed = vec![0; (CHARACTERS * CHARACTERS).div_ceil(64)];
        for place in names.iter().filter_map(|name| place(*name)) {
            is_listed[place / 64] |= 1 << (place % 64);
        }
        let listed = names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
        ChecksumTags { text, are_others, listed, is_listed }
    }

    /// Whether a tag counts.
    #[inline]
    fn counts(&self, name: [u8; 2]) -> bool {
        place(name)
            .is_some_and(|at| (self.is_listed[at / 64] >> (at % 64) & 1 != 0) != self.are_others)
    }
}

/// The tags of a record that count, as they enter its checksum.
#[derive(Default)]
pub(super) struct CountedTags {
    /// Those found, each with what it is ordered by.
    found: Vec<(u32, usize, std::ops::Range<usize>)>,
    /// Their bytes, in the order of the record …
    stored: Vec<u8>,
    /// … and in that of the checksum.
    bytes: Vec<u8>,
}

impl CountedTags {
    /// Looks at the tags of a record, and returns its read group.
    ///
    /// # Errors
    /// If tags can't be read.
    #[inline]
    pub(super) fn read<'r>(
        &mut self,
        record: &Record<'r>,
        wanted: &ChecksumTags,
    ) -> Result<Option<&'r [u8]>, biofast_bam::Error> {
        self.found.clear();
        self.stored.clear();
        self.bytes.clear();
        let mut read_group = None;
        let mut tags = record.tags();
        for tag in tags.by_ref() {
            if tag.name == *b"RG" && tag.kind == b'Z' {
                read_group = Some(tag.value);
            }
            if wanted.counts(tag.name) {
                self.add(&tag, record, wanted);
            }
        }
        if tags.is_malformed() {
            record.check_tags()?;
        }
        if wanted.are_others {
            self.found.sort_unstable_by_key(|(name, number, _)| (*name, *number));
        } else if self.found.len() > 1 {
            // Of a tag that is there twice the last one counts.
            self.found.sort_unstable_by_key(|(place, number, _)| (*place, usize::MAX - number));
            self.found.dedup_by_key(|(place, ..)| *place);
        }
        for (.., range) in &self.found {
            self.bytes.extend_from_slice(&self.stored[range.clone()]);
        }
        Ok(read_group)
    }

    fn add(&mut self, tag: &Tag<'_>, record: &Record<'_>, wanted: &ChecksumTags) {
        // It is the CIGAR, and no tag of its own.
        if tag.name == *b"CG" && record.has_long_cigar() {
            return;
        }
        let start = self.stored.len();
        append(tag, &mut self.stored);
        let by = match wanted.are_others {
            true => u16::from_be_bytes(tag.name).into(),
            false => wanted.listed.get(&tag.name).map_or(0, |&place| place as u32),
        };
        self.found.push((by, self.found.len(), start..self.stored.len()));
    }

    /// What they are.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Appends a tag as BAM stores it, an integer in the smallest type that holds it, unsigned if it isn't negative.
fn append(tag: &Tag<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(&tag.name);
    let Some(value) = tag.as_int() else {
        out.push(tag.kind);
        out.extend_from_slice(tag.value);
        if matches!(tag.kind, b'Z' | b'H') {
            out.push(0);
        }
        return;
    };
    let (kind, len) = match value {
        0..=0xff => (b'C', 1),
        0x100..=0xffff => (b'S', 2),
        0x1_0000.. => (b'I', 4),
        -0x80..=-1 => (b'c', 1),
        -0x8000..=-0x81 => (b's', 2),
        _ => (b'i', 4),
    };
    out.push(kind);
    out.extend_from_slice(&value.to_le_bytes()[..len]);
}
