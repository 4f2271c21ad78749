//! Whole records of damaged files in BGZF or ordinary gzip: what `biofast check --repair` writes.
//!
//! Blocks are found behind damage by their headers, lengths and checksums, and records in them by their structure: those of BAM by
//! their fields, those of FASTQ by their lines, and both by the records that follow. Of ordinary gzip, members are inflated as far as
//! that goes and records can be read; as a member has one checksum at its end, those of a damaged one may be altered.
//!
//! ```
//! use biofast_io::bgzf;
//! use biofast_io::output::{Compression, Output, commit};
//! use biofast_ops::salvage::Salvage;
//!
//! # let folder = std::env::temp_dir().join(format!("biofast-ops-doc-salvage-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("salvaged.fq");
//! let mut damaged = bgzf::compress(b"@a\nA\n+\nI\n");
//! damaged.extend_from_slice(&bgzf::compress(b"@b\nC\n+\nI\n@c\nG\n+\nI\n"));
//! damaged[20] ^= 0xff;
//! let salvage = Salvage::open("example.fq.gz", std::io::Cursor::new(damaged))?;
//! let mut output = Output::create_with(&path, Compression::default())?;
//! let summary = salvage.run(&mut output)?;
//! commit(vec![output], false)?;
//! assert_eq!((summary.records, summary.missing.len()), (2, 1));
//! assert_eq!(std::fs::read(&path)?, b"@b\nC\n+\nI\n@c\nG\n+\nI\n");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod format;
mod members;

use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use biofast_bam::{Header, HeaderParser};
use biofast_io::bgzf::VirtualOffset;
use biofast_io::output::Output;
use biofast_io::{Container, ErrorKind, Location};
use serde::Serialize;

use crate::cat::CatContent;
use crate::{Error, Refusal};
pub use blocks::DamagedBytes;
use blocks::{Blocks, FilePiece};
pub use format::NeighborRecord;
use format::{RecordFormat, Step};
use members::Members;

/// Bytes of records that are written at once.
const WRITE: usize = 1 << 18;
/// How long the text of one record may be that is only searched for: no program writes longer ones, but other bytes may claim to be.
const MAX_SOUGHT: usize = 1 << 28;

/// An interval of a file whose records are missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingInterval {
    /// The virtual offset behind the last record before it; in ordinary gzip, with the start of the member for that of the block.
    pub from: u64,
    /// The virtual offset of the first record behind it; none at the end of the file.
    pub to: Option<u64>,
    /// The bytes of the file in it that are damaged; none if its blocks are intact, but hold no record, as where a block is gone.
    pub damaged: Vec<DamagedBytes>,
    /// The last record before it.
    pub after: Option<NeighborRecord>,
    /// The first record behind it.
    pub before: Option<NeighborRecord>,
}

/// What was salvaged of a file, and what is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SalvageSummary {
    /// What the file holds.
    pub content: CatContent,
    /// Records that were written.
    pub records: u64,
    /// Whether the file ends with the end-of-file block. If it doesn't, more may be missing at its end. Ordinary gzip has none, and
    /// needs none.
    pub has_end_marker: bool,
    /// What is missing, in the order of the file.
    pub missing: Vec<MissingInterval>,
}

impl SalvageSummary {
    /// Whether nothing is known to be missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.has_end_marker
    }
}

/// A damaged file, of which the start has been looked at.
pub struct Salvage {
    name: Arc<str>,
    pieces: SalvageSource,
    /// What has been read to see what the file holds.
    first: Vec<FilePiece>,
    content: CatContent,
    /// Whether the start of the file, which says what it holds, is damaged.
    is_guessed: bool,
    header: Option<Header>,
}

/// What a file consists of.
enum SalvageSource {
    Blocks(Blocks),
    Members(Box<Members>),
}

impl SalvageSource {
    fn next(&mut self) -> io::Result<Option<FilePiece>> {
        match self {
            SalvageSource::Blocks(blocks) => blocks.next(),
            SalvageSource::Members(members) => members.next(),
        }
    }
}

impl Salvage {
    /// Looks at the first blocks of what `reader` gives. If they are damaged, the file holds FASTQ, unless its name ends in `.bam`.
    ///
    /// # Errors
    /// If it can't be read, has nothing intact, or holds something else than BAM or FASTQ.
    pub fn open(name: &str, reader: impl Read + Send + 'static) -> Result<Salvage, Error> {
        /// As many bytes as tell BGZF from other gzip.
        const START: u64 = 64;
        let name: Arc<str> = name.into();
        let (mut start, mut rest) = (Vec::new(), reader.take(START));
        rest.read_to_end(&mut start).map_err(|error| unread(error, &name))?;
        // Gzip with an extra field is BGZF whose field may be damaged.
        let has_field = start.get(3).is_some_and(|flags| flags & 4 != 0);
        let is_gzip = Container::sniff(&start) == Container::Gzip && !has_field;
        let reader = Box::new(Cursor::new(start).chain(rest.into_inner()));
        let mut pieces = match is_gzip {
            true => {
                let members = Members::new(&name, reader).map_err(biofast_bam::Error::from)?;
                SalvageSource::Members(Box::new(members))
            }
            false => SalvageSource::Blocks(Blocks::new(reader)),
        };
        let mut first = Vec::new();
        let (content, is_guessed) = loop {
            let piece = pieces.next().map_err(|error| unread(error, &name))?;
            let start = match &piece {
                // Other bytes may stand before all blocks.
                Some(FilePiece::Block(at, text)) => Some((*at == 0, &text[..])),
                Some(FilePiece::Text(at, text)) => Some((*at == Some(0), &text[..])),
                Some(FilePiece::Damaged(_)) => None,
                None if first.iter().any(|piece| !matches!(piece, FilePiece::Damaged(_))) => {
                    break (CatContent::Fastq, false);
                }
                None => return Err(refused(&name, NOTHING)),
            };
            let content = match start {
                None | Some((_, [])) => None,
                Some((is_first, text @ [b'B', ..])) if is_first || text.starts_with(b"BAM\x01") => {
                    Some((CatContent::Bam, false))
                }
                Some((true, [b'@', ..])) => Some((CatContent::Fastq, false)),
                Some((true, _)) => return Err(refused(&name, NEITHER)),
                Some(_) if name.ends_with(".bam") => Some((CatContent::Bam, true)),
                Some(_) => Some((CatContent::Fastq, true)),
            };
            first.extend(piece);
            if let Some(content) = content {
                break content;
            }
        };
        Ok(Salvage { name, pieces, first, content, is_guessed, header: None })
    }

    /// Writes this header if that of the file is damaged. What is damaged at its start is taken for BAM.
    #[must_use]
    pub fn with_header(self, header: Header) -> Salvage {
        let content = if self.is_guessed { CatContent::Bam } else { self.content };
        Salvage { header: Some(header), content, ..self }
    }

    /// Whether it is ordinary gzip, whose records may be altered where a member is damaged.
    pub fn is_gzip(&self) -> bool {
        matches!(self.pieces, SalvageSource::Members(_))
    }

    /// What the file holds.
    pub fn content(&self) -> CatContent {
        self.content
    }

    /// Writes all whole records, those of BAM behind the header of the file.
    ///
    /// # Errors
    /// If the file can't be read, the header of BAM is damaged and no other one was [given](Self::with_header) or the other way round,
    /// there is no whole record in a damaged file, or the output can't be written.
    pub fn run(mut self, output: &mut Output) -> Result<SalvageSummary, Error> {
        let is_gzip = self.is_gzip();
        let mut pieces = std::mem::take(&mut self.first).into_iter();
        let mut next = || match pieces.next() {
            Some(piece) => Ok(Some(piece)),
            None => self.pieces.next().map_err(|error| unread(error, &self.name)),
        };
        let mut has_end_marker = is_gzip;
        let format = match self.content {
            CatContent::Fastq => RecordFormat::Fastq,
            CatContent::Bam => RecordFormat::Bam(Header::default()),
        };
        let mut finder = Finder::new(format, is_gzip);
        // The header is in the first blocks.
        let mut parser = HeaderParser::default();
        let mut needs_header = self.content == CatContent::Bam;
        let mut given = self.header.take();
        let has_other = given.is_some();
        let mut other_header = |finder: &mut Finder, output: &mut Output| {
            let header = given.take().ok_or_else(|| damaged_header(&self.name))?;
            let mut start = Vec::new();
            header.write_bam(&mut start)?;
            output.append(&start)?;
            finder.go_on_with(header);
            Ok::<_, Error>(())
        };
        while let Some(piece) = next()? {
            match piece {
                FilePiece::Block(at, text) => {
                    has_end_marker = text.is_empty();
                    finder.add(Some(at), &text);
                }
                FilePiece::Text(start, text) => finder.add(start, &text),
                FilePiece::Damaged(damaged) => {
                    has_end_marker = is_gzip;
                    if needs_header && !finder.text.is_empty() {
                        other_header(&mut finder, output)?;
                        needs_header = false;
                    }
                    finder.end();
                    finder.damaged(damaged);
                }
            }
            if needs_header {
                match parser.from_bam(&finder.text) {
                    Ok(None) => continue,
                    Ok(Some(_)) if has_other => return Err(refused(&self.name, OWN_HEADER)),
                    Ok(Some((header, len))) => {
                        output.append(&finder.text[..len])?;
                        finder.format = RecordFormat::Bam(header);
                        finder.at = len;
                    }
                    Err(error) if !has_other && !self.is_guessed => {
                        return Err(error.or_at(Location::in_input(&self.name)).into());
                    }
                    Err(_) => other_header(&mut finder, output)?,
                }
                needs_header = false;
            }
            finder.advance(false);
            if finder.out.len() >= WRITE {
                output.append(&finder.out)?;
                finder.out.clear();
            }
        }
        if needs_header {
            other_header(&mut finder, output)?;
        }
        finder.end();
        if let Some(lost) = finder.lost.take() {
            finder.missed(lost);
        }
        output.append(&finder.out)?;
        let Finder { records, missing, .. } = finder;
        if records == 0 && !missing.is_empty() {
            return Err(refused(&self.name, NO_RECORD));
        }
        Ok(SalvageSummary { content: self.content, records, has_end_marker, missing })
    }
}

const NOTHING: &str = "no intact BGZF block or gzip member: only records of BAM and of compressed FASTQ can be salvaged";
const NEITHER: &str = "neither BAM nor FASTQ";
const OWN_HEADER: &str = "its header is intact, so that no other one can be used";
const NO_RECORD: &str = "no whole record is left";

fn refused(name: &str, why: &'static str) -> Error {
    Refusal::Unsalvageable { name: name.into(), why }.into()
}

fn damaged_header(name: &Arc<str>) -> Error {
    Refusal::DamagedHeader(name.to_string()).into()
}

fn unread(error: std::io::Error, name: &Arc<str>) -> Error {
    let error = biofast_io::Error::new(ErrorKind::Io(error), Location::in_input(name));
    biofast_bam::Error::from(error).into()
}

/// Finds records in the text of blocks that follow each other.
struct Finder {
    format: RecordFormat,
    text: Vec<u8>,
    /// How much of the text since the last damage is gone from the front of `text`.
    gone: u64,
    /// Where in the text since the last damage blocks start, and where in the file.
    starts: VecDeque<(u64, u64)>,
    /// Where the next record starts in `text`, or where it is searched for.
    at: usize,
    /// Where the record before it starts, which is only written when what follows is one, too: it may have been joined of two
    /// where a block is gone.
    pending: Option<usize>,
    /// The start of a block whose predecessor isn't known, where the search starts: as counted in `starts`.
    edge: Option<u64>,
    /// What is missing, until the next record is found.
    lost: Option<MissingInterval>,
    /// The record that was written last.
    last: Vec<u8>,
    out: Vec<u8>,
    records: u64,
    missing: Vec<MissingInterval>,
    /// Whether text is wrong behind damage that isn't noticed at once.
    is_gzip: bool,
    /// Whether what is left of a member is passed over.
    is_skipping: bool,
}

impl Finder {
    fn new(format: RecordFormat, is_gzip: bool) -> Finder {
        Finder {
            format,
            is_gzip,
            is_skipping: false,
            text: Vec::new(),
            gone: 0,
            starts: VecDeque::new(),
            at: 0,
            pending: None,
            edge: None,
            lost: None,
            last: Vec::new(),
            out: Vec::new(),
            records: 0,
            missing: Vec::new(),
        }
    }

    /// Searches for records with this header in what there is instead of the file's own.
    fn go_on_with(&mut self, header: Header) {
        self.format = RecordFormat::Bam(header);
        if self.lost.is_none() {
            self.lose(0);
        }
        self.at = 0;
    }

    /// Adds the text of the block at `place` of the file; without one it goes on.
    fn add(&mut self, place: Option<u64>, text: &[u8]) {
        // Where it is searched for, a record of FASTQ is known by the line end in front of it.
        let keep = match self.lost {
            Some(_) => self.at.saturating_sub(1),
            None => self.pending.unwrap_or(self.at),
        };
        self.text.drain(..keep);
        self.gone += keep as u64;
        self.at -= keep;
        self.pending = self.pending.map(|start| start - keep);
        while self.starts.get(1).is_some_and(|(start, _)| *start <= self.gone) {
            self.starts.pop_front();
        }
        if let Some(place) = place {
            self.starts.push_back((self.gone + self.text.len() as u64, place));
        }
        self.text.extend_from_slice(text);
    }

    /// The place of the text at `at` in the file.
    fn place(&self, at: usize) -> VirtualOffset {
        let at = self.gone + at as u64;
        // Of empty blocks in the same place, the last has what follows.
        let start = self.starts.iter().rev().find(|(start, _)| *start <= at);
        let (start, block) = start.copied().unwrap_or_default();
        // Behind the last byte of a whole block only where no other follows.
        VirtualOffset::new(block, u16::try_from(at - start).unwrap_or(u16::MAX))
    }

    /// The first start of a block in the text behind `from` and up to `to`.
    fn edge_between(&self, from: usize, to: usize) -> Option<usize> {
        let starts = self.starts.iter().map(|(start, _)| start.checked_sub(self.gone));
        let mut starts = starts.flatten().map(|start| start as usize);
        starts.find(|&start| from < start && start <= to)
    }

    /// Finds records as far as the text goes. If it `ended`, nothing follows.
    fn advance(&mut self, ended: bool) {
        loop {
            if self.lost.is_some() && !self.search(ended) {
                return;
            }
            match self.format.step(&self.text[self.at..], ended) {
                Step::Record(len) => {
                    self.write_pending();
                    self.pending = Some(self.at);
                    self.at += len;
                }
                Step::More => return,
                Step::Bad => {
                    // A damaged member gives wrong text, so that the one before may be good.
                    let suspect = self.pending.filter(|_| !self.is_gzip);
                    let crossed = suspect.and_then(|start| {
                        Some((start, self.edge_between(start, self.at.checked_sub(1)?)?))
                    });
                    match crossed {
                        // A block is gone between them, and the record in front of this is joined of two.
                        Some((start, edge)) => {
                            self.pending = None;
                            self.lose(start);
                            self.at = edge;
                            self.edge = Some(self.gone + edge as u64);
                        }
                        None => {
                            self.write_pending();
                            self.lose(self.at);
                            let at = self.gone + self.at as u64;
                            match self.starts.iter().any(|(start, _)| *start == at) {
                                // It may be a block that is gone.
                                true => self.edge = Some(at),
                                false => {
                                    self.at += 1;
                                    // It goes on with copies of what is wrong.
                                    self.is_skipping = self.is_gzip;
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// No more text follows what is there.
    fn end(&mut self) {
        self.advance(true);
        self.write_pending();
        if self.lost.is_none() && self.at < self.text.len() {
            self.lose(self.at);
        }
        self.text.clear();
        self.at = 0;
    }

    /// These bytes of the file follow what has ended.
    fn damaged(&mut self, damaged: DamagedBytes) {
        let place = VirtualOffset::new(damaged.from, 0);
        self.lost.get_or_insert_with(|| MissingInterval::new(place)).damaged.push(damaged);
        self.gone = 0;
        self.starts.clear();
        self.is_skipping = false;
        self.edge = Some(0);
    }

    /// Records from `at` on are missing.
    fn lose(&mut self, at: usize) {
        self.lost = Some(MissingInterval::new(self.place(at)));
    }

    /// Searches for a record; whether there is one.
    fn search(&mut self, ended: bool) -> bool {
        if self.is_skipping {
            let Some(start) = self.edge_between(self.at - 1, self.text.len()) else {
                self.at = self.text.len();
                return false;
            };
            (self.at, self.edge) = (start, Some(self.gone + start as u64));
            self.is_skipping = false;
        }
        loop {
            let is_edge = self.edge == Some(self.gone + self.at as u64);
            let Some(start) = self.format.candidate(&self.text, self.at, is_edge) else {
                self.at = self.text.len();
                return false;
            };
            let is_edge = is_edge && start == self.at;
            self.at = start;
            match self.chain(is_edge, ended) {
                Some(0) => self.at += 1,
                Some(len) => {
                    self.found(len);
                    return true;
                }
                None => return false,
            }
        }
    }

    /// The length of the record that starts here, 0 if there is none, as those behind it say; `None` if more text is needed to tell.
    fn chain(&self, is_edge: bool, ended: bool) -> Option<usize> {
        let (mut at, mut last, mut good, mut first) = (self.at, self.at, 0, 0);
        let is_chain = loop {
            if good == RecordFormat::CHAIN {
                break true;
            }
            match self.format.step(&self.text[at..], ended) {
                Step::Record(len) => {
                    first = if good == 0 { len } else { first };
                    (last, at, good) = (at, at + len, good + 1);
                }
                Step::More if ended => break good > 0,
                Step::More if self.text.len() - at > MAX_SOUGHT => break false,
                Step::More => return None,
                Step::Bad if good == 0 => break false,
                Step::Bad => {
                    // Where a block is gone, the records before it are good, but for the one that is joined of two.
                    let is_joined = self.edge_between(last, at - 1).is_some();
                    break match is_joined {
                        true => good > 1,
                        false => self.edge_between(at - 1, at).is_some(),
                    };
                }
            }
        };
        let (record, rest) = self.text[self.at..].split_at(first);
        let next = Some(rest).filter(|rest| rest.contains(&b'\n'));
        let other = next.or((self.records > 0).then_some(&*self.last));
        let is_believed = is_chain && self.format.believes(record, other, is_edge);
        Some(if is_believed { first } else { 0 })
    }

    /// A record of this length has been found.
    fn found(&mut self, len: usize) {
        if let Some(mut lost) = self.lost.take() {
            lost.to = Some(self.place(self.at).into());
            lost.before = Some(self.format.describe(&self.text[self.at..self.at + len]));
            self.missed(lost);
        }
        self.edge = None;
    }

    /// An interval ends. No record has been written since it began.
    fn missed(&mut self, mut lost: MissingInterval) {
        lost.after = (self.records > 0).then(|| self.format.describe(&self.last));
        self.missing.push(lost);
    }

    fn write_pending(&mut self) {
        let Some(start) = self.pending.take() else { return };
        let record = &self.text[start..self.at];
        self.out.extend_from_slice(record);
        if matches!(self.format, RecordFormat::Fastq) && !record.ends_with(b"\n") {
            self.out.push(b'\n');
        }
        self.last.clear();
        self.last.extend_from_slice(record);
        self.records += 1;
    }
}

impl MissingInterval {
    fn new(from: VirtualOffset) -> MissingInterval {
        let (to, after, before) = (None, None, None);
        MissingInterval { from: from.into(), to, damaged: Vec::new(), after, before }
    }
}

#[cfg(test)]
mod tests;
