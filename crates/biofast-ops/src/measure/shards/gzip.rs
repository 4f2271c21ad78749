//! The seek index of ordinary gzip, FILE.bsi: where inflating can start, and where records start in the text. docs/shards.md
//! describes its bytes.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use biofast_io::remote::{self, Ranged};
use biofast_io::{GzipPart, GzipPoint, Options, Origin, Reader, Source, display_name};

use super::error::{Error, ErrorKind};
use super::input::{ShardInput, is_gzip};
use super::marks::wrapped;
use super::state::{Fnv, State};

/// What is appended, with a dot, to the name of a file for that of its seek index.
pub const GZIP_EXTENSION: &str = "bsi";

/// The first bytes, and the last ones.
pub(super) const MAGIC: [u8; 8] = *b"BFSEEK\x01\n";

/// Bytes of a point.
pub(super) const ENTRY_LEN: usize = 32;

/// Numbers of the footer, which its hash and the magic bytes follow.
pub(super) const NUMBERS: usize = 9;
const FOOTER_LEN: usize = 8 * NUMBERS + 16;

/// The longest text window of a point.
const WINDOW: usize = 32 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GzipEntry {
    pub(super) bit: u64,
    pub(super) offset: u64,
    pub(super) window_at: u64,
    pub(super) window_len: u32,
    pub(super) crc32: u32,
}

pub(super) fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.add(bytes);
    hash.value()
}

/// The seek index of a file of ordinary gzip, which is beside it, with `.bsi` behind its name.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-seek-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fq.gz");
/// use biofast_io::Options;
/// use biofast_io::output::{Compression, Format, Output, commit};
/// use biofast_ops::shards::{GzipIndex, ShardInput, ShardSizing, index_gzip, make};
///
/// # let text = b"@a\nA\n+\nI\n";
/// # let mut gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x09\0\xf6\xff".to_vec();
/// # gzip.extend_from_slice(text);
/// # gzip.extend_from_slice(&biofast_io::crc32(text).to_le_bytes());
/// # gzip.extend_from_slice(&9u32.to_le_bytes());
/// # std::fs::write(&path, gzip)?;
/// let options = Options::default();
/// let plain = Compression::new(Format::Plain, None)?;
/// let index = Output::create_with(&GzipIndex::path_of(&path), plain)?;
/// let (index, records) = index_gzip(&ShardInput::new(&path), &options, index)?;
/// assert_eq!(records, 1);
/// commit(vec![index], false)?;
/// // Nothing but the index is read for the plan.
/// let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(2), &options)?;
/// assert_eq!(plan.records, 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GzipIndex {
    file: Ranged,
    name: String,
    pub(super) state: State,
    pub(super) records: u64,
    pub(super) text: u64,
    pub(super) stride: u64,
    crc32: u32,
    pub(super) entries: Vec<GzipEntry>,
    pub(super) marks: Vec<u64>,
}

impl GzipIndex {
    /// Where the index of a file is.
    pub fn path_of(path: &Path) -> PathBuf {
        remote::beside(path, &format!(".{GZIP_EXTENSION}"))
    }

    /// Whether there is one; also if nobody can tell, so that it is an error when it is opened.
    pub fn is_beside(path: &Path) -> bool {
        let index = GzipIndex::path_of(path);
        match remote::address(&index) {
            Some(_) => remote::is_there(&index).unwrap_or(true),
            None => index.exists(),
        }
    }

    /// Opens the index of the file at `path`.
    ///
    /// # Errors
    /// If there is none, or it is damaged or not that of the file as it is now.
    pub fn open(path: &Path) -> Result<GzipIndex, Error> {
        let beside = GzipIndex::path_of(path);
        let name = display_name(&beside);
        let io = |error| Error::of(ErrorKind::Io(error), &name);
        let damaged = || Error::of(ErrorKind::GzipIndex("it isn't one, or is damaged"), &name);
        let mut file = Ranged::open(&beside).map_err(io)?;
        let len = file.seek(SeekFrom::End(0)).map_err(io)?;
        let footer_at = len.checked_sub(FOOTER_LEN as u64).ok_or_else(damaged)?;
        let footer = read_at(&file, footer_at, FOOTER_LEN).map_err(io)?;
        let (numbers, _) = footer.as_chunks::<8>();
        let numbers: Vec<u64> = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let [size, digest, records, text, stride, points, marks, table_at, sums, hash, magic] =
            numbers[..]
        else {
            return Err(damaged());
        };
        if magic != u64::from_le_bytes(MAGIC) || hash != hash_of(&footer[..8 * NUMBERS]) {
            return Err(damaged());
        }
        let lens = (points.checked_mul(ENTRY_LEN as u64), marks.checked_mul(8));
        let (Some(points_len), Some(marks_len)) = lens else { return Err(damaged()) };
        let table_len = footer_at.checked_sub(table_at).ok_or_else(damaged)?;
        if points_len.checked_add(marks_len) != Some(table_len) || points == 0 || stride == 0 {
            return Err(damaged());
        }
        let table = read_at(&file, table_at, table_len as usize).map_err(io)?;
        if u64::from(biofast_io::crc32(&table)) != sums >> 32 {
            return Err(damaged());
        }
        let (entries, marks) = table.split_at(points_len as usize);
        let entries: Vec<GzipEntry> =
            entries.as_chunks::<ENTRY_LEN>().0.iter().map(entry).collect();
        let marks: Vec<u64> =
            marks.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let in_order = entries.is_sorted_by(|a, b| a.offset < b.offset && a.bit < b.bit)
            && marks.is_sorted_by(|a, b| a < b);
        let inside = entries.iter().all(|entry| {
            entry.offset <= text
                && entry.window_at.saturating_add(u64::from(entry.window_len)) <= table_at
        });
        let starts = entries.first().is_some_and(|entry| entry.offset == 0);
        let counted = marks.len() as u64 == records.div_ceil(stride)
            && marks.last().is_none_or(|mark| *mark < text);
        if !(in_order && inside && starts && counted) {
            return Err(damaged());
        }
        let state = State::of(path)?;
        if state.size != size || u64::from_str_radix(&state.digest, 16) != Ok(digest) {
            let kind = ErrorKind::GzipIndex("the file has changed since it was made");
            return Err(Error::of(kind, &name));
        }
        let crc32 = sums as u32;
        Ok(GzipIndex { file, name, state, records, text, stride, crc32, entries, marks })
    }

    /// Whether the file at `path` is ordinary gzip, as files with such an index are.
    ///
    /// # Errors
    /// If its first bytes can't be read.
    pub fn is_for(path: &Path) -> Result<bool, Error> {
        is_gzip(&ShardInput::new(path))
    }

    /// How many reads the file has.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How much text it has, in bytes.
    pub fn text_len(&self) -> u64 {
        self.text
    }

    /// How to read the text from one byte up to another one, which is not included. What is behind the last point is compared with
    /// a checksum only if the text ends there: else who reads on from there inflates all of it.
    ///
    /// # Errors
    /// If the index can't be read or is damaged, or the text doesn't reach that far.
    pub fn part(&mut self, from: u64, to: u64) -> Result<GzipPart, Error> {
        let mut part = self.checked_part(from, to)?;
        part.stretches.retain(|(end, _)| *end <= to);
        part.to_end = to == self.text;
        Ok(part)
    }

    /// The same with the whole stretch that the part ends in, so that all of its text is compared with checksums.
    fn checked_part(&mut self, from: u64, to: u64) -> Result<GzipPart, Error> {
        let damaged = || Error::of(ErrorKind::GzipIndex("it isn't one, or is damaged"), &self.name);
        let first = self.entries.partition_point(|entry| entry.offset <= from).checked_sub(1);
        let first = first.ok_or_else(damaged)?;
        if from > to || to > self.text {
            let kind = ErrorKind::GzipIndex("the text is shorter than the plan says");
            return Err(Error::of(kind, &self.name));
        }
        let (before, behind) = self.entries.split_at(first + 1);
        let entry = before.last().copied().ok_or_else(damaged)?;
        let stored = read_at(&self.file, entry.window_at, entry.window_len as usize)
            .map_err(|error| Error::of(ErrorKind::Io(error), &self.name))?;
        let source = Source::from_reader(&self.name, Cursor::new(stored));
        let mut window = Vec::new();
        Reader::new(source, &Options::serial())?
            .take(WINDOW as u64)
            .read_to_end(&mut window)
            .map_err(|error| Error::of(ErrorKind::Io(error), &self.name))?;
        let last = behind.iter().position(|entry| entry.offset >= to);
        let needed = behind.get(..last.map_or(behind.len(), |last| last + 1)).unwrap_or(behind);
        let mut stretches: Vec<(u64, u32)> =
            needed.iter().map(|entry| (entry.offset, entry.crc32)).collect();
        let to_end = last.is_none() || to == self.text;
        if to_end {
            stretches.push((self.text, self.crc32));
        }
        let start = GzipPoint { bit: entry.bit, offset: entry.offset, crc32: entry.crc32, window };
        Ok(GzipPart { start, text: (from, to), stretches, to_end })
    }

    /// Gives the reads of these numbers (from 1, ascending) of the file at `path`, each with its four lines as they are there; a last
    /// line without line feed gets one. For each stretch between two points that has some of them, the text is inflated once: 4 MiB
    /// or so, and as much until its checksum is known.
    ///
    /// # Errors
    /// If there is no such read, the file can't be read, or isn't what it was when the index was made; or the first error of `each`.
    pub fn reads<E: From<Error>>(
        &mut self,
        path: &Path,
        numbers: &[u64],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let name = display_name(path);
        let records = self.records;
        if let Some(&number) = numbers.iter().find(|number| !(1..=records).contains(*number)) {
            return Err(Error::of(ErrorKind::NoRecord { number, records }, &name).into());
        }
        let mut left = numbers;
        while let Some(&first) = left.first() {
            let (start, from) = self.mark_of(first);
            let point = self.entries.partition_point(|entry| entry.offset <= from);
            let behind = self.entries.get(point).map_or(u64::MAX, |entry| entry.offset);
            let len = left.partition_point(|&number| self.mark_of(number).1 < behind);
            let (own, later) = left.split_at(len.max(1));
            left = later;
            let last = own.last().map_or(first, |last| *last);
            let next = usize::try_from((last - 1) / self.stride + 1).unwrap_or(usize::MAX);
            let to = self.marks.get(next).copied().unwrap_or(self.text);
            let part = self.checked_part(from, to)?;
            let origin =
                Origin { records: start, lines: 4 * start, offset: from, ..Origin::default() };
            let source = Source::open_gzip_part(path, part, origin).map_err(Error::from)?;
            let mut text = Vec::new();
            Reader::new(source, &Options::serial())
                .map_err(Error::from)?
                .read_to_end(&mut text)
                .map_err(|error| match error.downcast::<biofast_io::Error>() {
                    Ok(own) => Error::from(own),
                    Err(error) => Error::of(ErrorKind::Io(error), &name),
                })?;
            let mut wanted = own.iter().copied().peekable();
            let mut at = &text[..];
            for number in start + 1..=last {
                let len = four_lines(at).ok_or_else(|| wrapped(&name, number - 1))?;
                let (read, rest) = at.split_at(len);
                at = rest;
                if wanted.next_if_eq(&number).is_none() {
                    continue;
                }
                while wanted.next_if_eq(&number).is_some() {}
                match read.ends_with(b"\n") {
                    true => each(read)?,
                    false => each(&[read, b"\n"].concat())?,
                }
            }
        }
        Ok(())
    }

    /// The mark at or before the read of this number, from 1: reads before the mark, and where it is in the text.
    fn mark_of(&self, number: u64) -> (u64, u64) {
        let index = number.saturating_sub(1) / self.stride;
        let at = usize::try_from(index).ok().and_then(|index| self.marks.get(index));
        (index * self.stride, at.copied().unwrap_or(self.text))
    }
}

/// The length of the read at the start of a text, if that has one of four lines.
fn four_lines(text: &[u8]) -> Option<usize> {
    let mut lines = [&text[..0]; 4];
    let mut at = 0;
    for line in &mut lines {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&byte| byte == b'\n');
        *line = &rest[..end.unwrap_or(rest.len())];
        at += end.map_or(rest.len(), |end| end + 1);
    }
    let len = |line: &[u8]| line.strip_suffix(b"\r").unwrap_or(line).len();
    let is_read =
        lines[0].starts_with(b"@") && lines[2].starts_with(b"+") && len(lines[1]) == len(lines[3]);
    is_read.then_some(at)
}

fn entry(bytes: &[u8; ENTRY_LEN]) -> GzipEntry {
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let last = number(24);
    GzipEntry {
        bit: number(0),
        offset: number(8),
        window_at: number(16),
        window_len: last as u32,
        crc32: (last >> 32) as u32,
    }
}

fn read_at(file: &Ranged, at: u64, len: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    match file.read_at(&mut bytes, at)? == len {
        true => Ok(bytes),
        false => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}
