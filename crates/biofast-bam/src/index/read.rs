//! Reads BAI and CSI. Everything is taken from bytes at hand, so a length that lies is an error
//! and never an allocation.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;
use biofast_io::{Container, Location, Options, Reader, Source, display_name};

use super::bins::Scheme;
use super::fit;
use super::tables::{Bin, Index, IndexFormat, MAX_INDEX, Metadata, ReferenceIndex};
use crate::error::{Error, ErrorKind};

pub(super) fn open(path: &Path) -> Result<Index, Error> {
    let name: Arc<str> = display_name(path).into();
    let stream = biofast_io::remote::stream(path).map_err(|e| io_error(e, &name))?;
    decode(name, stream)
}

pub(super) fn read(label: &str, reader: impl Read) -> Result<Index, Error> {
    decode(label.into(), reader)
}

fn io_error(error: std::io::Error, name: &Arc<str>) -> Error {
    match error.downcast::<biofast_io::Error>() {
        Ok(own) => own.into(),
        Err(error) => {
            let kind = biofast_io::ErrorKind::Io(error);
            biofast_io::Error::new(kind, Location::in_input(name)).into()
        }
    }
}

/// Bytes that tell whether this is an index at all.
const START: u64 = 64;

fn decode(name: Arc<str>, mut reader: impl Read) -> Result<Index, Error> {
    let bad = |why: &str| Error::new(ErrorKind::BadIndex(why.into()), Location::in_input(&name));
    let mut bytes = Vec::new();
    let mut more = |bytes: &mut Vec<u8>, most| -> Result<(), Error> {
        let most = most - bytes.len() as u64;
        reader.by_ref().take(most).read_to_end(bytes).map_err(|e| io_error(e, &name))?;
        Ok(())
    };
    more(&mut bytes, START)?;
    let is_plain = Container::sniff(&bytes) == Container::Plain;
    if is_plain {
        // Of another file no more is read.
        check_magic(&bytes).map_err(bad)?;
    }
    more(&mut bytes, MAX_INDEX + 1)?;
    if bytes.len() as u64 > MAX_INDEX {
        return Err(bad(TOO_LONG));
    }
    if !is_plain {
        // Without its end-of-file block it may have been cut.
        let options = Options { strict: true, ..Options::serial() };
        let source = Source::from_reader(&name, std::io::Cursor::new(bytes));
        let mut reader = Reader::new(source, &options)?;
        bytes = Vec::new();
        let mut more = |bytes: &mut Vec<u8>, most| -> Result<(), Error> {
            let most = most - bytes.len() as u64;
            reader.by_ref().take(most).read_to_end(bytes).map_err(|e| io_error(e, &name))?;
            Ok(())
        };
        more(&mut bytes, START)?;
        check_magic(&bytes).map_err(bad)?;
        more(&mut bytes, MAX_INDEX + 1)?;
        if bytes.len() as u64 > MAX_INDEX {
            return Err(bad(TOO_LONG));
        }
    }
    parse(bytes).map_err(bad)
}

const TOO_LONG: &str = "it is larger than 1 GiB";
const CUT: &str = "it is truncated";
const NEGATIVE: &str = "a count is negative";

fn check_magic(bytes: &[u8]) -> Result<IndexFormat, &'static str> {
    match bytes.first_chunk() {
        Some(b"BAI\x01") => Ok(IndexFormat::Bai),
        Some(b"CSI\x01") => Ok(IndexFormat::Csi),
        Some(_) => Err("neither BAI nor CSI"),
        None if bytes.is_empty() => Err("it is empty"),
        None => Err(CUT),
    }
}

/// Reads the bytes of an index, decompressed.
fn parse(bytes: Vec<u8>) -> Result<Index, &'static str> {
    let mut cursor = IndexCursor(&bytes);
    let format = check_magic(cursor.take(4)?)?;
    let scheme = match format {
        IndexFormat::Bai => Scheme::BAI,
        IndexFormat::Csi => {
            let (min_shift, depth) = (cursor.count()?, cursor.count()?);
            if depth > usize::from(Scheme::DEEPEST) || min_shift + 3 * depth > 62 {
                return Err("the sizes of its bins are impossible");
            }
            let metadata_len = cursor.count()?;
            cursor.take(metadata_len)?;
            Scheme { min_shift: min_shift as u8, depth: depth as u8 }
        }
    };
    let count = cursor.count()?;
    let (mut starts, mut firsts) = (Vec::new(), Vec::new());
    let mut spans = Vec::new();
    let mut misfit = None;
    // One after the other in the same memory.
    let mut reference = ReferenceIndex::default();
    for _ in 0..count {
        starts.push(bytes.len() - cursor.0.len());
        read_reference(&mut cursor, format, scheme, &mut reference)?;
        misfit = misfit.or(reference.contradiction());
        let span = reference.span();
        firsts.push(span.map_or(VirtualOffset::MAX, |span| span.start));
        spans.extend(span);
    }
    let unplaced = match cursor.0 {
        // The last field is optional.
        [] => None,
        _ => Some(cursor.u64()?),
    };
    if !cursor.0.is_empty() {
        return Err("garbage after its end");
    }
    let (span, gap) = fit::in_order(spans);
    Ok(Index { format, scheme, bytes, starts, firsts, span, misfit: misfit.or(gap), unplaced })
}

impl Index {
    /// What the index has of a reference.
    pub(super) fn reference(&self, index: usize) -> Option<ReferenceIndex> {
        let start = *self.starts.get(index)?;
        let mut reference = ReferenceIndex::default();
        // All of them could be read when the index was opened.
        read_reference(
            &mut IndexCursor(&self.bytes[start..]),
            self.format,
            self.scheme,
            &mut reference,
        )
        .ok()?;
        Some(reference)
    }
}

/// Reads what there is of a reference, in the memory of another one.
fn read_reference(
    cursor: &mut IndexCursor<'_>,
    format: IndexFormat,
    scheme: Scheme,
    reference: &mut ReferenceIndex,
) -> Result<(), &'static str> {
    reference.bins.clear();
    reference.chunks.clear();
    reference.linear.clear();
    reference.metadata = None;
    for _ in 0..cursor.count()? {
        let number = cursor.u32()?;
        let first = match format {
            IndexFormat::Bai => VirtualOffset::default(),
            IndexFormat::Csi => cursor.u64()?.into(),
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
        return Err("a bin occurs twice");
    }
    if format == IndexFormat::Bai {
        let count = cursor.count()?;
        let offsets = cursor.take(count.checked_mul(8).ok_or(CUT)?)?.as_chunks::<8>().0;
        reference
            .linear
            .extend(offsets.iter().map(|b| VirtualOffset::from(u64::from_le_bytes(*b))));
    }
    Ok(())
}

struct IndexCursor<'a>(&'a [u8]);

impl<'a> IndexCursor<'a> {
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

impl Index {
    /// Reads a BAI or CSI file, which of them it is decided by content.
    ///
    /// # Errors
    /// If the file can't be read, is cut short, contradicts itself, or has more than [`MAX_INDEX`] bytes. No length in it is
    /// believed before the bytes it speaks of are there.
    pub fn open(path: impl AsRef<Path>) -> Result<Index, crate::Error> {
        open(path.as_ref())
    }

    /// Reads BAI or CSI from anything, under the given label in messages. It is read to its end, and decompressed if need be.
    ///
    /// # Errors
    /// As [`open`](Index::open).
    pub fn read(label: &str, reader: impl std::io::Read) -> Result<Index, crate::Error> {
        read(label, reader)
    }
}
