//! Stretches of the sequences of a FASTA file, those of an alignment's references among them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::remote::{Ranged, beside, is_there};
use biofast_io::{Container, Jumper, Location, Options, Reader, Shown, Source};

use crate::error::{Error, ErrorKind};
use crate::header::Header;
use digest::Digest;
use entry::Entry;

#[cfg(feature = "cram")]
mod digest;
#[cfg(not(feature = "cram"))]
#[path = "fasta/no_digest.rs"]
mod digest;
mod entry;
mod index;
mod lines;

pub use index::{FastaIndex, UnindexedSequence};

/// A FASTA file opened for random access. Clones share the file.
///
/// It may be compressed with bgzip. The indexes beside it (`.fai`, and `.gzi` for BGZF) are used if they exist;
/// otherwise the file is read once to find its sequences.
///
/// When a sequence is first used, it is compared with the header: its length must be that of the `@SQ` line (`LN`), and
/// its MD5 sum must equal `M5`, if there is one.
#[derive(Clone)]
pub struct Fasta(Arc<Shared>);

struct Shared {
    bytes: Bytes,
    name: String,
    index: FastaIndex,
    /// Sequences by number that are where the index says.
    verified: Mutex<HashSet<usize>>,
    /// The sequences in the order of the alignment's references.
    bound: OnceLock<Vec<Bound>>,
}

/// The text of the file.
enum Bytes {
    Plain(Ranged),
    /// Where each block starts, in the file and in its text.
    Blocks(Box<Mutex<Jumper>>, Vec<(u64, u64)>),
    Memory(Vec<u8>),
}

struct Bound {
    name: Vec<u8>,
    /// What the header says.
    len: u64,
    md5: Option<[u8; 16]>,
    entry: Option<Entry>,
    /// What was found when length and layout were compared, and when the bases were.
    layout: OnceLock<Result<(), Misfit>>,
    bases: OnceLock<Result<(), Misfit>>,
}

/// Why a sequence can't be used. It is told to everyone who asks for it.
#[derive(Clone)]
enum Misfit {
    /// It isn't the one of the header.
    Other {
        expected: String,
        found: String,
    },
    /// It isn't where the index says.
    Index(&'static str),
    Io(io::ErrorKind, String),
}

impl From<io::Error> for Misfit {
    fn from(error: io::Error) -> Misfit {
        Misfit::Io(error.kind(), error.to_string())
    }
}

/// Bases that are read at once.
const STRETCH: u64 = 1 << 20;

impl Fasta {
    /// Opens a FASTA file, plain or compressed with bgzip.
    ///
    /// # Errors
    /// If it or its index can't be read, or it is compressed otherwise or not FASTA.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Fasta> {
        Fasta::open_as(path.as_ref(), false)
    }

    /// The same; what is compressed otherwise is read into memory if `any` is set.
    pub(crate) fn open_as(path: &Path, any: bool) -> io::Result<Fasta> {
        let name = biofast_io::display_name(path);
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let why = "FASTA must be a regular file: its sequences are read in any order";
            return Err(invalid(&name, why));
        }
        let mut source = Source::open(path)?;
        match source.peek(1)?.first() {
            Some(b'>') => {}
            None => return Err(invalid(&name, "not FASTA: it is empty")),
            _ => return Err(invalid(&name, "not FASTA: it doesn't start with '>'")),
        }
        let named = |error| located(&name, error);
        let file = Ranged::open(path).map_err(named)?;
        let bytes = match container_of(&file).map_err(named)? {
            Container::Plain => Bytes::Plain(file),
            Container::Bgzf => {
                let gzi = match is_there(&beside(path, ".gzi"))? {
                    true => biofast_io::remote::read(&beside(path, ".gzi"))?,
                    false => biofast_io::gzi::build(source, &Options::default())?,
                };
                Bytes::blocks(path, &gzi)?
            }
            _ if any => {
                let mut text = Vec::new();
                Reader::new(source, &Options::default())?.read_to_end(&mut text)?;
                Bytes::Memory(text)
            }
            other => return Err(other_container(&name, other)),
        };
        let index_path = beside(path, ".fai");
        let index = match &bytes {
            Bytes::Memory(text) => FastaIndex::build(&name, &text[..])?,
            _ if is_there(&index_path)? => FastaIndex::read(&index_path)?,
            _ => {
                let reader = Reader::new(Source::open(path)?, &Options::default())?;
                FastaIndex::build(&name, reader)?
            }
        };
        Ok(Fasta::new(bytes, name, index))
    }

    /// Opens a FASTA or FASTQ file, plain or compressed with bgzip, with its index; and with that of its blocks (`.gzi`) if it is
    /// compressed.
    ///
    /// # Errors
    /// If it can't be read or is compressed otherwise; if an index doesn't fit it.
    pub fn open_indexed(
        path: impl AsRef<Path>,
        index: FastaIndex,
        gzi: Option<&[u8]>,
    ) -> Result<Fasta, Error> {
        let path = path.as_ref();
        let name = biofast_io::display_name(path);
        let open = || {
            let file = Ranged::open(path)?;
            match (container_of(&file)?, gzi) {
                (Container::Plain, None) => Ok(Bytes::Plain(file)),
                (Container::Bgzf, Some(gzi)) => Bytes::blocks(path, gzi),
                (Container::Bgzf, None) => Err(invalid(&name, BAD_GZI)),
                (Container::Plain, Some(_)) => Err(invalid(&name, BAD_GZI)),
                (other, _) => Err(other_container(&name, other)),
            }
        };
        let bytes = open().map_err(|e| Error::from_io(e, &name[..].into()))?;
        Ok(Fasta::new(bytes, name, index))
    }

    fn new(bytes: Bytes, name: String, index: FastaIndex) -> Fasta {
        let (verified, bound) = (Mutex::default(), OnceLock::new());
        Fasta(Arc::new(Shared { bytes, name, index, verified, bound }))
    }

    /// The index.
    pub fn index(&self) -> &FastaIndex {
        &self.0.index
    }

    /// Appends bases or qualities of the sequence with this number in the index, at these positions, of which those behind its end are
    /// passed over.
    ///
    /// # Errors
    /// If there is no such sequence or it has no qualities, if it isn't where the index says, or if it can't be read.
    pub fn append(
        &self,
        number: usize,
        part: SequencePart,
        positions: Range<u64>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut append = || {
            let absent = || io::Error::new(io::ErrorKind::NotFound, "no such sequence");
            let (name, entry) = self.0.index.numbered(number).ok_or_else(absent)?;
            let judge = |verdict: Result<(), Misfit>| {
                verdict.map_err(|misfit| self.misfit(misfit, name, entry))
            };
            let verified = || self.0.verified.lock().unwrap_or_else(PoisonError::into_inner);
            if !verified().contains(&number) {
                judge(self.check_layout(name, entry))?;
                verified().insert(number);
            }
            let read = match part {
                SequencePart::Bases => entry,
                SequencePart::Qualities => entry.of_qualities().ok_or_else(absent)?,
            };
            let (start, end) = (positions.start.min(entry.len), positions.end.min(entry.len));
            let text = if start < end { self.read(read, start, end, out) } else { Ok(()) };
            judge(text)
        };
        append().map_err(|e| Error::from_io(e, &self.0.name[..].into()))
    }

    /// Finds the references of `header` among the sequences. The first header counts.
    pub fn bind(&self, header: &Header) {
        self.0.bound.get_or_init(|| {
            let sums = md5_sums(header.text());
            let bind = |reference: &crate::Reference| Bound {
                name: reference.name.clone(),
                len: reference.length,
                md5: sums.get(&reference.name[..]).copied(),
                entry: self.0.index.entry(&reference.name),
                layout: OnceLock::new(),
                bases: OnceLock::new(),
            };
            header.references().iter().map(bind).collect()
        });
    }

    fn bound(&self, reference: i32) -> io::Result<(&Bound, Entry)> {
        let bound = self.0.bound.get().map_or(&[][..], |bound| bound);
        let bound = usize::try_from(reference).ok().and_then(|index| bound.get(index));
        bound.and_then(|bound| Some((bound, bound.entry?))).ok_or_else(|| {
            let name = bound.map_or(&b"*"[..], |bound| &bound.name);
            let message = format!("{}: no sequence is named '{}'", self.0.name, Shown(name));
            io::Error::new(io::ErrorKind::NotFound, message)
        })
    }

    /// A sequence that is the header's as far as length and layout tell.
    fn laid_out(&self, reference: i32) -> io::Result<(&Bound, Entry)> {
        let (bound, entry) = self.bound(reference)?;
        let verdict = bound.layout.get_or_init(|| {
            if entry.len != bound.len {
                return Err(Misfit::Other {
                    expected: format!("{} bases (LN of its @SQ line)", bound.len),
                    found: format!("{}", entry.len),
                });
            }
            self.check_layout(&bound.name, entry)
        });
        self.judge(verdict, bound, entry)?;
        Ok((bound, entry))
    }

    /// A sequence that is the header's.
    fn known(&self, reference: i32) -> io::Result<Entry> {
        let (bound, entry) = self.laid_out(reference)?;
        let verdict = bound.bases.get_or_init(|| {
            let Some(expected) = bound.md5 else { return Ok(()) };
            compare(expected, self.digest(entry)?)
        });
        self.judge(verdict, bound, entry)?;
        Ok(entry)
    }

    fn judge(&self, verdict: &Result<(), Misfit>, bound: &Bound, entry: Entry) -> io::Result<()> {
        verdict.clone().map_err(|misfit| self.misfit(misfit, &bound.name, entry))
    }

    fn misfit(&self, misfit: Misfit, name: &[u8], entry: Entry) -> io::Error {
        let (fasta, name) = (self.0.name.clone(), Shown(name).to_string());
        let kind = match misfit {
            Misfit::Io(kind, message) => {
                return io::Error::new(kind, format!("{fasta}: {message}"));
            }
            Misfit::Other { expected, found } => {
                ErrorKind::OtherReference { fasta, name, expected, found }
            }
            Misfit::Index(reason) => {
                ErrorKind::FastaIndex { fasta, name, line: entry.line, reason }
            }
        };
        Error::new(kind, Location::default()).into()
    }

    /// Checks that a sequence begins behind its header line and ends where the next one begins.
    fn check_layout(&self, name: &[u8], entry: Entry) -> Result<(), Misfit> {
        let (marker, next) = match entry.qualities {
            Some(_) => (b'@', b'+'),
            None => (b'>', b'>'),
        };
        let name_line = |line: &[u8]| {
            let found = line.strip_prefix(&[marker]).unwrap_or_default().trim_ascii_start();
            let end = found.iter().position(u8::is_ascii_whitespace).unwrap_or(found.len());
            found[..end] == *name
        };
        self.follows(entry.offset, name_line)?;
        let end = |entry: Entry| match entry.len {
            0 => entry.offset,
            len => entry.place(len - 1) + 1,
        };
        let behind = |end: u64, next: u8| -> Result<(), Misfit> {
            let mut behind = [0; 64];
            let n = self.0.bytes.read_at(&mut behind, end)?;
            match behind[..n].trim_ascii_start().first() {
                Some(found) if *found == next => Ok(()),
                None if next != b'+' => Ok(()),
                _ => Err(Misfit::Index("the sequence has a different length")),
            }
        };
        behind(end(entry), next)?;
        match entry.of_qualities() {
            Some(qualities) => {
                self.follows(qualities.offset, |line| line.first() == Some(&b'+'))?;
                behind(end(qualities), marker)
            }
            None => Ok(()),
        }
    }

    /// Checks that the line before this place of the text is one that is expected there.
    fn follows(&self, place: u64, is_expected: impl Fn(&[u8]) -> bool) -> Result<(), Misfit> {
        /// Longer header lines aren't looked at.
        const WINDOW: u64 = 64 << 10;
        let start = place.saturating_sub(WINDOW);
        let mut before = vec![0; (place - start) as usize];
        let n = self.0.bytes.read_at(&mut before, start)?;
        if n < before.len() {
            return Err(Misfit::Index("it points past the end of the file"));
        }
        let outside = Misfit::Index("it doesn't point to the line after the sequence name");
        if before.last() != Some(&b'\n') {
            return Err(outside);
        }
        let before = before.trim_ascii_end();
        let line = memchr::memrchr(b'\n', before).map(|at| at + 1);
        match line.or((start == 0).then_some(0)) {
            Some(line) if !is_expected(&before[line..]) => Err(outside),
            _ => Ok(()),
        }
    }

    /// Appends the bases from `start` to `end`, both within the sequence.
    fn read(&self, entry: Entry, start: u64, end: u64, out: &mut Vec<u8>) -> Result<(), Misfit> {
        let (mut at, mut raw) = (start, Vec::new());
        out.reserve((end - start) as usize);
        while at < end {
            let until = end.min(at + STRETCH);
            let (first, last) = (entry.place(at), entry.place(until - 1));
            raw.resize((last + 1 - first) as usize, 0);
            if self.0.bytes.read_at(&mut raw, first)? < raw.len() {
                return Err(Misfit::Index("the file ends before the sequence does"));
            }
            let mut rest = &raw[..];
            let from = out.len();
            while at < until {
                let len = (entry.bases_a_line - at % entry.bases_a_line).min(until - at);
                let (bases, behind) = rest.split_at(len as usize);
                out.extend_from_slice(bases);
                at += len;
                let ends = behind.len().min((entry.bytes_a_line - entry.bases_a_line) as usize);
                if at < until && !behind[..ends].iter().all(u8::is_ascii_whitespace) {
                    return Err(Misfit::Index("its lines have a different length"));
                }
                rest = &behind[ends..];
            }
            if out[from..].iter().any(|&base| base <= b' ' || base == b'>') {
                return Err(Misfit::Index("its lines have a different length"));
            }
        }
        Ok(())
    }

    /// The length in bases of a reference, given by its index in the header.
    ///
    /// # Errors
    /// If the file doesn't have it, which is [`NotFound`](io::ErrorKind::NotFound), or has another one of this name.
    pub fn len(&self, reference: i32) -> io::Result<u64> {
        self.known(reference).map(|entry| entry.len)
    }

    /// The MD5 sum of a reference's bases in capitals.
    #[cfg(feature = "cram")]
    pub(crate) fn md5(&self, reference: i32) -> io::Result<[u8; 16]> {
        let (bound, entry) = self.laid_out(reference)?;
        let sum = self.digest(entry);
        match sum {
            Ok(sum) => Ok(sum),
            Err(misfit) => Err(self.misfit(misfit, &bound.name, entry)),
        }
    }

    fn digest(&self, entry: Entry) -> Result<[u8; 16], Misfit> {
        let (mut digest, mut bases) = (Digest::new()?, Vec::new());
        let mut start = 0;
        while start < entry.len {
            let end = entry.len.min(start + STRETCH);
            bases.clear();
            self.read(entry, start, end, &mut bases)?;
            bases.make_ascii_uppercase();
            digest.update(&bases);
            start = end;
        }
        Ok(digest.finish())
    }

    /// Replaces `out` by the bases from `start` (from 0) on: `len` of them, or fewer at the end
    /// of the sequence.
    ///
    /// # Errors
    /// If the file doesn't have the sequence, has another one of this name, or can't be read.
    pub fn fetch(
        &self,
        reference: i32,
        start: u64,
        len: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let entry = self.known(reference)?;
        let end = entry.len.min(start.saturating_add(len as u64));
        out.clear();
        if start >= end {
            return Ok(());
        }
        let (bound, _) = self.bound(reference)?;
        self.judge(&self.read(entry, start, end, out), bound, entry)
    }

    /// All bases of a reference, in capitals.
    #[cfg(feature = "cram")]
    pub(crate) fn load(&self, reference: i32) -> io::Result<Vec<u8>> {
        let (bound, entry) = self.laid_out(reference)?;
        let mut bases = Vec::new();
        self.judge(&self.read(entry, 0, entry.len, &mut bases), bound, entry)?;
        bases.make_ascii_uppercase();
        let verdict = bound.bases.get_or_init(|| {
            let Some(expected) = bound.md5 else { return Ok(()) };
            compare(expected, md5(&bases)?)
        });
        self.judge(verdict, bound, entry)?;
        Ok(bases)
    }
}

/// What an index of blocks is that isn't that of the file.
const BAD_GZI: &str = "its index (.gzi) is damaged or belongs to another file";

fn invalid(name: &str, what: &str) -> io::Error {
    located(name, io::Error::new(io::ErrorKind::InvalidData, what))
}

/// The error with the name, which nobody adds again.
fn located(name: &str, error: io::Error) -> io::Error {
    match error.downcast::<biofast_io::Error>() {
        Ok(own) => own.into(),
        Err(error) => {
            let at = Location::in_input(&name.into());
            biofast_io::Error::new(biofast_io::ErrorKind::Io(error), at).into()
        }
    }
}

fn other_container(name: &str, found: Container) -> io::Error {
    invalid(name, &format!("compressed as {}: expected plain or bgzip", found.name()))
}

fn container_of(file: &Ranged) -> io::Result<Container> {
    let mut start = [0; 18];
    let n = file.read_at(&mut start, 0)?;
    Ok(Container::sniff(&start[..n]))
}

/// The MD5 sum of each reference that the header has one of.
#[cfg(feature = "cram")]
pub(crate) fn md5_sums_of(header: &Header) -> Vec<Option<[u8; 16]>> {
    let sums = md5_sums(header.text());
    header.references().iter().map(|reference| sums.get(&reference.name[..]).copied()).collect()
}

/// What of a sequence is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequencePart {
    /// Its bases.
    Bases,
    /// Their qualities, in FASTQ.
    Qualities,
}

/// The MD5 sum of bytes.
///
/// # Errors
/// In a build without MD5 (the feature `cram`).
pub fn md5(bytes: &[u8]) -> io::Result<[u8; 16]> {
    let mut digest = Digest::new()?;
    digest.update(bytes);
    Ok(digest.finish())
}

impl Bytes {
    /// The text of a file of BGZF blocks.
    fn blocks(path: &Path, gzi: &[u8]) -> io::Result<Bytes> {
        let blocks =
            blocks_of(gzi).ok_or_else(|| invalid(&biofast_io::display_name(path), BAD_GZI))?;
        Ok(Bytes::Blocks(Box::new(Mutex::new(Jumper::blocks(path)?)), blocks))
    }

    /// Reads at `offset` of the text until `out` is full or the text ends; returns how many bytes that are.
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Bytes::Plain(file) => file.read_at(out, offset),
            Bytes::Memory(text) => {
                let rest = usize::try_from(offset).ok().and_then(|offset| text.get(offset..));
                let rest = rest.unwrap_or_default();
                let n = rest.len().min(out.len());
                out[..n].copy_from_slice(&rest[..n]);
                Ok(n)
            }
            Bytes::Blocks(jumper, blocks) => {
                let mut jumper = jumper.lock().unwrap_or_else(PoisonError::into_inner);
                // The first block starts at 0.
                let (block, text) = blocks[blocks.partition_point(|&(_, at)| at <= offset) - 1];
                let Ok(within) = u16::try_from(offset - text) else { return Ok(0) };
                jumper.jump(VirtualOffset::new(block, within).into())?;
                let mut n = 0;
                while n < out.len() {
                    match jumper.read(&mut out[n..])? {
                        0 => break,
                        more => n += more,
                    }
                }
                Ok(n)
            }
        }
    }
}

/// Where blocks start in the file and in its text, by a GZI; nothing if it is none.
fn blocks_of(gzi: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (count, list) = gzi.split_first_chunk::<8>()?;
    let (blocks, rest) = list.as_chunks::<16>();
    if u64::from_le_bytes(*count) != blocks.len() as u64 || !rest.is_empty() {
        return None;
    }
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    let starts = blocks.iter().map(|block| (word(&block[..8]), word(&block[8..])));
    let blocks: Vec<_> = std::iter::once((0, 0)).chain(starts).collect();
    blocks.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1).then_some(blocks)
}

fn compare(expected: [u8; 16], found: [u8; 16]) -> Result<(), Misfit> {
    if expected == found {
        return Ok(());
    }
    Err(Misfit::Other {
        expected: format!("MD5 {} (M5 of its @SQ line)", Hex(expected)),
        found: format!("MD5 {}", Hex(found)),
    })
}

struct Hex([u8; 16]);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The MD5 sums (M5) of sequences by their names. What is no sum counts as none.
fn md5_sums(text: &[u8]) -> HashMap<&[u8], [u8; 16]> {
    let lines = text.split(|&b| b == b'\n').filter_map(|line| line.strip_prefix(b"@SQ\t"));
    let sums = lines.filter_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let value = |tag: &[u8]| line.split(|&b| b == b'\t').find_map(|f| f.strip_prefix(tag));
        let digits = value(b"M5:")?;
        let (digits, &[]) = digits.as_chunks::<2>() else { return None };
        let mut sum = [0; 16];
        if digits.len() != sum.len() {
            return None;
        }
        for (byte, digits) in sum.iter_mut().zip(digits) {
            let digits = std::str::from_utf8(digits).ok()?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some((value(b"SN:")?, sum))
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::bam;

    #[test]
    fn stretches_across_lines_with_and_without_an_index() -> Result<(), Box<dyn std::error::Error>>
    {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("ref.fa");
        std::fs::write(&path, ">chr1 first\nACGTA\nCCGGT\nTT\n>chr2\nGG\n")?;
        let header = bam::header(&[("chr2", 2), ("chr1", 12), ("chr3", 5)]);
        let header = match Header::parse(&header) {
            Ok(crate::header::Parsed::Complete(header, _)) => header,
            _ => return Err("the header is complete".into()),
        };
        for indexed in [false, true] {
            if indexed {
                std::fs::write(
                    dir.path().join("ref.fa.fai"),
                    "chr1\t12\t12\t5\t6\nchr2\t2\t33\t2\t3\n",
                )?;
            }
            let fasta = Fasta::open(&path)?;
            fasta.bind(&header);
            let mut out = Vec::new();
            fasta.fetch(1, 3, 6, &mut out)?;
            assert_eq!(out, b"TACCGG");
            fasta.fetch(1, 10, 100, &mut out)?;
            assert_eq!(out, b"TT");
            fasta.fetch(0, 0, 1, &mut out)?;
            assert_eq!(out, b"G");
            assert_eq!((fasta.len(0)?, fasta.len(1)?), (2, 12));
            assert!(fasta.fetch(2, 0, 1, &mut out).is_err());
            assert!(fasta.fetch(-1, 0, 1, &mut out).is_err());
        }
        Ok(())
    }

    /// What is said when the only sequence of this FASTA file is read under this header.
    fn read(fasta: &str, fai: Option<&str>, header: &str) -> Result<String, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let path = dir.path().join("r.fa");
        std::fs::write(&path, fasta).map_err(|e| e.to_string())?;
        if let Some(fai) = fai {
            std::fs::write(dir.path().join("r.fa.fai"), fai).map_err(|e| e.to_string())?;
        }
        let shown = |e: io::Error| e.to_string().replace(dir.path().to_str().unwrap_or("?"), "");
        let fasta = Fasta::open(&path).map_err(shown)?;
        fasta.bind(&Header::from_text(header.as_bytes()).map_err(|e| e.to_string())?);
        let mut out = Vec::new();
        fasta.fetch(0, 0, 100, &mut out).map_err(shown)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn what_a_header_says_of_its_sequences_is_compared() {
        let text = ">c some\nACgt\nAC\n>d\nA\n";
        let good = "@SQ\tSN:c\tLN:6\tM5:9f7c8ac2ff9f4b5d2e2b5c9e8c8a5d2e\n";
        assert_eq!(read(text, None, "@SQ\tSN:c\tLN:6\n"), Ok("ACgtAC".into()));
        // printf ACGTAC | md5sum
        let sum = "1617b7d879d437fa4c87da5875264b14";
        let found = read(text, None, good).expect_err("another sum");
        assert!(found.contains("MD5 9f7c8ac2ff9f4b5d2e2b5c9e8c8a5d2e"), "{found}");
        assert!(found.ends_with(sum), "{found}");
        let right = format!("@SQ\tSN:c\tLN:6\tM5:{}\n", sum.to_uppercase());
        assert_eq!(read(text, None, &right), Ok("ACgtAC".into()));
        let found = read(text, None, "@SQ\tSN:c\tLN:7\n").expect_err("a different length");
        assert!(found.contains("expected 7 bases (LN of its @SQ line), found 6"), "{found}");
    }

    #[test]
    fn an_index_that_does_not_fit_is_named_with_its_line() {
        let text = ">a\nAC\n>c some\nACgt\nACgt\nAC\n>d\nA\n";
        let header = "@SQ\tSN:c\tLN:10\n";
        let with = |line: &str| read(text, Some(&format!("a\t2\t3\t2\t3\n{line}\n")), header);
        assert_eq!(with("c\t10\t14\t4\t5"), Ok("ACgtACgtAC".into()));
        for (line, expected) in [
            ("c\t10\t9\t4\t5", "line 2, sequence 'c': it doesn't point to the line after"),
            ("c\t10\t3\t4\t5", "line 2, sequence 'c': it doesn't point to the line after"),
            ("c\t10\t999\t4\t5", "line 2, sequence 'c': it points past the end"),
            ("c\t10\t14\t5\t6", "line 2, sequence 'c'"),
            ("c\t10\t14\t3\t4", "line 2, sequence 'c'"),
            ("c\t10\t14\t4\t4", "line 2, sequence 'c'"),
            ("c\t10\t14\t0\t4", "line 2: "),
            ("c\t10\t14\t4", "line 2: "),
            ("c\t10\t14\t4\t3", "line 2: "),
            ("c\t-10\t14\t4\t5", "line 2: "),
            ("c\t10\t18446744073709551615\t4\t5", "line 2: "),
        ] {
            let found = with(line).expect_err(line);
            assert!(found.contains("r.fa.fai") && found.contains(expected), "{line}: {found}");
        }
    }

    #[test]
    fn bgzip_with_and_without_indexes() -> Result<(), Box<dyn std::error::Error>> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("r.fa.gz");
        let line = "ACGTTGCAAC".repeat(6);
        let text = format!(">c\n{}>d\nGATTACA\n", format!("{line}\n").repeat(5000));
        std::fs::write(&path, biofast_io::bgzf::compress(text.as_bytes()))?;
        let header = Header::from_text(b"@SQ\tSN:c\tLN:300000\n@SQ\tSN:d\tLN:7\n")?;
        let all = line.repeat(5000);
        for indexes in [&[][..], &[".fai"], &[".fai", ".gzi"]] {
            for name in indexes {
                let content = match *name {
                    ".fai" => {
                        format!("c\t300000\t3\t60\t61\nd\t7\t{}\t7\t8\n", 3 + 5000 * 61 + 3).into()
                    }
                    _ => biofast_io::gzi::build(Source::open(&path)?, &Options::default())?,
                };
                std::fs::write(dir.path().join(format!("r.fa.gz{name}")), content)?;
            }
            let fasta = Fasta::open(&path)?;
            fasta.bind(&header);
            let mut out = Vec::new();
            for start in [0usize, 64_000, 65_500, 131_060, 299_990] {
                fasta.fetch(0, start as u64, 200, &mut out)?;
                assert_eq!(out, &all.as_bytes()[start..(start + 200).min(all.len())]);
            }
            fasta.fetch(1, 0, 9, &mut out)?;
            assert_eq!(out, b"GATTACA");
        }
        std::fs::write(dir.path().join("r.fa.gz.gzi"), [1, 0, 0, 0, 0, 0, 0, 0, 9])?;
        let error = Fasta::open(&path).err().ok_or("a .gzi that is cut")?;
        assert!(error.to_string().contains(".gzi"), "{error}");
        Ok(())
    }
}
