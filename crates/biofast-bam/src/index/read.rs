//! Reads BAI and CSI. Everything is taken from bytes at hand, so a length that lies is an error
//! and never an allocation.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;
use biofast_io::{Container, Location, Options, Reader, Source, display_name};

use super::bins::Scheme;
use super::{Bin, Format, Index, Metadata, ReferenceIndex};
use crate::error::{Error, ErrorKind};

pub(super) fn open(path: &Path) -> Result<Index, Error> {
    let name: Arc<str> = display_name(path).into();
    let bytes = biofast_io::remote::read(path).map_err(|e| io_error(e, &name))?;
    decode(name, bytes)
}

pub(super) fn read(label: &str, mut reader: impl Read) -> Result<Index, Error> {
    let name: Arc<str> = label.into();
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|e| io_error(e, &name))?;
    decode(name, bytes)
}

fn io_error(error: std::io::Error, name: &Arc<str>) -> biofast_io::Error {
    biofast_io::Error::new(biofast_io::ErrorKind::Io(error), Location::in_input(name))
}

fn decode(name: Arc<str>, mut bytes: Vec<u8>) -> Result<Index, Error> {
    if Container::sniff(&bytes) != Container::Plain {
        // Without its end-of-file block it may have been cut.
        let options = Options { strict: true, ..Options::serial() };
        let source = Source::from_reader(&name, std::io::Cursor::new(bytes));
        let mut reader = Reader::new(source, &options)?;
        bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|e| {
            e.downcast::<biofast_io::Error>().unwrap_or_else(|e| io_error(e, &name))
        })?;
    }
    parse(&bytes)
        .map_err(|why| Error::new(ErrorKind::BadIndex(why.into()), Location::in_input(&name)))
}

const CUT: &str = "it is cut short";
const NEGATIVE: &str = "a count is negative";

/// Reads the bytes of an index, decompressed.
pub(super) fn parse(bytes: &[u8]) -> Result<Index, &'static str> {
    let mut cursor = Cursor(bytes);
    let (format, scheme) = match cursor.take(4)? {
        b"BAI\x01" => (Format::Bai, Scheme::BAI),
        b"CSI\x01" => {
            let (min_shift, depth) = (cursor.count()?, cursor.count()?);
            if depth > usize::from(Scheme::DEEPEST) || min_shift + 3 * depth > 62 {
                return Err("the sizes of its bins are impossible");
            }
            let metadata_len = cursor.count()?;
            cursor.take(metadata_len)?;
            (Format::Csi, Scheme { min_shift: min_shift as u8, depth: depth as u8 })
        }
        _ => return Err("neither BAI nor CSI"),
    };
    let count = cursor.count()?;
    let mut references = Vec::new();
    for _ in 0..count {
        references.push(read_reference(&mut cursor, format, scheme)?);
    }
    let unplaced = match cursor.0 {
        // The last field is optional.
        [] => None,
        _ => Some(cursor.u64()?),
    };
    if !cursor.0.is_empty() {
        return Err("more bytes follow its end");
    }
    Ok(Index { format, scheme, references, unplaced })
}

fn read_reference(
    cursor: &mut Cursor<'_>,
    format: Format,
    scheme: Scheme,
) -> Result<ReferenceIndex, &'static str> {
    let mut reference = ReferenceIndex::default();
    for _ in 0..cursor.count()? {
        let number = cursor.u32()?;
        let first = match format {
            Format::Bai => VirtualOffset::default(),
            Format::Csi => cursor.u64()?.into(),
        };
        let count = cursor.count()?;
        let chunks = cursor.take(count.checked_mul(16).ok_or(CUT)?)?.as_chunks::<8>().0;
        let offset = |index: usize| u64::from_le_bytes(chunks[index]);
        let segment = |index: usize| Segment {
            start: offset(2 * index).into(),
            end: offset(2 * index + 1).into(),
        };
        if number == scheme.metadata_bin() {
            if count != 2 || reference.metadata.is_some() {
                return Err("the bin of the counts is malformed");
            }
            let (mapped, unmapped) = (offset(2), offset(3));
            reference.metadata = Some(Metadata { segment: segment(0), mapped, unmapped });
            continue;
        }
        if number >= scheme.bin_count() {
            return Err("a bin has an impossible number");
        }
        let start = reference.chunks.len();
        for segment in (0..count).map(segment) {
            if segment.start > segment.end {
                return Err("a chunk ends before it starts");
            }
            reference.chunks.push(segment);
        }
        reference.bins.push(Bin { number, first, chunks: start..reference.chunks.len() });
    }
    reference.bins.sort_unstable_by_key(|bin| bin.number);
    if reference.bins.windows(2).any(|pair| pair[0].number == pair[1].number) {
        return Err("a bin stands twice in it");
    }
    if format == Format::Bai {
        let count = cursor.count()?;
        let offsets = cursor.take(count.checked_mul(8).ok_or(CUT)?)?.as_chunks::<8>().0;
        reference.linear = offsets.iter().map(|b| u64::from_le_bytes(*b).into()).collect();
    }
    Ok(reference)
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], &'static str> {
        let (part, rest) = self.0.split_at_checked(len).ok_or(CUT)?;
        self.0 = rest;
        Ok(part)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (part, rest) = self.0.split_first_chunk::<N>().ok_or(CUT)?;
        self.0 = rest;
        Ok(*part)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, &'static str> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count, which must not be negative.
    fn count(&mut self) -> Result<usize, &'static str> {
        usize::try_from(self.array().map(i32::from_le_bytes)?).map_err(|_| NEGATIVE)
    }
}
