//! Whole records of damaged files in BGZF or ordinary gzip, and of FASTQ with broken records: what `biofast check --repair` writes.
//!
//! Blocks are found behind damage by their headers, lengths and checksums, and records in them by their structure: those of BAM by
//! their fields, those of FASTQ by their lines, and both by the records that follow. Of ordinary gzip, members are inflated as far as
//! that goes and records can be read; as a member has one checksum at its end, those of a damaged one may be altered. In text that is
//! known to be [intact](Salvage::of_reads), only broken records are left out.
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
//! let summary = salvage.run(&mut output, None)?;
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
use biofast_io::{Container, ErrorKind, Location, Options, Reader, Shown, Source};
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
#[non_exhaustive]
pub struct MissingInterval {
    /// The virtual offset behind the last record before it; in ordinary gzip, with the start of the member for that of the block. In
    /// intact text, the offset in it, decompressed.
    pub from: u64,
    /// The virtual offset of the first record behind it; none at the end of the file.
    pub to: Option<u64>,
    /// The bytes of the file in it that are damaged; none if its blocks are intact, but hold no record, as where a block is gone.
    pub damaged: Vec<DamagedBytes>,
    /// In intact text, the first and the last line that are left out, counted from 1.
    pub lines: Option<(u64, u64)>,
    /// In intact text, what is wrong with the first record that is left out.
    pub reason: Option<String>,
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
    /// Text whose container is intact.
    Text(Box<dyn Read + Send>),
}

impl SalvageSource {
    fn next(&mut self) -> io::Result<Option<FilePiece>> {
        match self {
            SalvageSource::Blocks(blocks) => blocks.next(),
            SalvageSource::Members(members) => members.next(),
            SalvageSource::Text(text) => {
                let mut piece = Vec::new();
                text.by_ref().take(WRITE as u64).read_to_end(&mut piece)?;
                Ok((!piece.is_empty()).then_some(FilePiece::Text(None, piece)))
            }
        }
    }
}

impl Salvage {
    /// Looks at the first blocks of what `reader` gives. If they are damaged, the file holds FASTQ, unless its name ends in `.bam`. What
    /// is neither BGZF nor gzip is read like [intact text](Self::of_reads).
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
        let container = Container::sniff(&start);
        let is_gzip = container == Container::Gzip && !has_field;
        let is_text = match container {
            Container::Plain => start.first() == Some(&b'@'),
            Container::Gzip | Container::Bgzf => false,
            _ => true,
        };
        let is_empty = start.is_empty();
        let reader = Box::new(Cursor::new(start).chain(rest.into_inner()));
        if is_text {
            let source = Source::from_reader(&name, reader);
            let text = Reader::new(source, &Options::serial()).map_err(biofast_bam::Error::from)?;
            return Salvage::of_reads(&name, text);
        }
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
                None if is_empty => return Err(refused(&name, "it is empty")),
                None if container == Container::Plain => return Err(refused(&name, NOT_EVEN)),
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

    /// Finds whole reads in FASTQ that is known to be read as it was written, so that only records can be broken: those on either side
    /// are believed. `text` is decompressed.
    ///
    /// # Errors
    /// If it can't be read, or doesn't begin with `@`.
    pub fn of_reads(name: &str, text: impl Read + Send + 'static) -> Result<Salvage, Error> {
        let name: Arc<str> = name.into();
        let mut pieces = SalvageSource::Text(Box::new(text));
        let first = pieces.next().map_err(|error| unread(error, &name))?;
        if let Some(FilePiece::Text(_, text)) = &first
            && text[0] != b'@'
        {
            return Err(refused(&name, NEITHER));
        }
        let (first, content) = (first.into_iter().collect(), CatContent::Fastq);
        Ok(Salvage { name, pieces, first, content, is_guessed: false, header: None })
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

    /// Writes all whole records, those of BAM behind the header of the file, and to `skipped` the text of reads that is left out: each
    /// piece behind a line that begins with `#` and says where it was and what is wrong.
    ///
    /// # Errors
    /// If the file can't be read, the header of BAM is damaged and no other one was [given](Self::with_header) or the other way round,
    /// there is no whole record in a damaged file, or the output can't be written.
    pub fn run(
        mut self,
        output: &mut Output,
        mut skipped: Option<&mut Output>,
    ) -> Result<SalvageSummary, Error> {
        let is_gzip = self.is_gzip();
        let is_text = matches!(self.pieces, SalvageSource::Text(_));
        let mut pieces = std::mem::take(&mut self.first).into_iter();
        let mut next = || match pieces.next() {
            Some(piece) => Ok(Some(piece)),
            None => self.pieces.next().map_err(|error| unread(error, &self.name)),
        };
        let mut has_end_marker = is_gzip || is_text;
        let format = match self.content {
            CatContent::Fastq => RecordFormat::Fastq,
            CatContent::Bam => RecordFormat::Bam(Header::default()),
        };
        let mut finder = Finder::new(&self.name, format);
        (finder.is_gzip, finder.line) = (is_gzip, is_text.then_some((0, 1)));
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
            finder.hand_over(skipped.as_deref_mut())?;
        }
        if needs_header {
            other_header(&mut finder, output)?;
        }
        finder.end();
        if let Some(lost) = finder.lost.take() {
            finder.missed(lost, &[]);
        }
        output.append(&finder.out)?;
        finder.hand_over(skipped)?;
        let Finder { records, missing, .. } = finder;
        if records == 0 && !missing.is_empty() {
            return Err(refused(&self.name, NO_RECORD));
        }
        Ok(SalvageSummary { content: self.content, records, has_end_marker, missing })
    }
}

const NOTHING: &str =
    "no intact BGZF block or gzip member: only records of BAM and of FASTQ can be salvaged";
const NOT_EVEN: &str = "neither BAM nor FASTQ, and without an intact BGZF block";
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
    name: Arc<str>,
    format: RecordFormat,
    text: Vec<u8>,
    /// In intact text, a place of `text`, and the number of the line that it is in, from 1.
    line: Option<(usize, u64)>,
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
    /// Where in `text` what is left out starts, or goes on; `left_out` has what is gone of it.
    lost_from: usize,
    left_out: SkippedText,
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

/// Text that is left out.
#[derive(Default)]
struct SkippedText {
    /// Of the interval that goes on.
    piece: Vec<u8>,
    /// Whether its beginning has been shown.
    is_shown: bool,
    /// What is to be written.
    out: Vec<u8>,
}

/// As much of an interval as is kept until its end is known.
const MOST_LEFT_OUT: usize = 1 << 20;

impl Finder {
    fn new(name: &Arc<str>, format: RecordFormat) -> Finder {
        Finder {
            name: Arc::clone(name),
            line: None,
            format,
            is_gzip: false,
            is_skipping: false,
            lost_from: 0,
            left_out: SkippedText::default(),
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
        if self.lost.is_some() {
            self.leave_out(keep);
            self.lost_from -= keep.min(self.lost_from);
        }
        self.line_at(keep);
        self.line = self.line.map(|(at, line)| (at - keep, line));
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
    fn place(&self, at: usize) -> u64 {
        let at = self.gone + at as u64;
        if self.line.is_some() {
            return at;
        }
        // Of empty blocks in the same place, the last has what follows.
        let start = self.starts.iter().rev().find(|(start, _)| *start <= at);
        let (start, block) = start.copied().unwrap_or_default();
        // Behind the last byte of a whole block only where no other follows.
        VirtualOffset::new(block, u16::try_from(at - start).unwrap_or(u16::MAX)).into()
    }

    /// In intact text, the number of the line that `at` of the text is in. Lines before the last place that was asked for aren't
    /// counted again.
    fn line_at(&mut self, at: usize) -> Option<u64> {
        let (from, line) = self.line.as_mut()?;
        if *from < at {
            *line += lines_in(&self.text[*from..at]);
            *from = at;
        }
        Some(*line)
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
        self.leave_out(self.text.len());
        if let Some(line) = self.line_at(self.text.len())
            && let Some((_, last)) = self.lost.as_mut().and_then(|lost| lost.lines.as_mut())
        {
            let is_cut = self.text.last().is_some_and(|byte| *byte != b'\n');
            *last = (line + u64::from(is_cut)).saturating_sub(1);
        }
        self.text.clear();
        (self.at, self.lost_from) = (0, 0);
    }

    /// These bytes of the file follow what has ended.
    fn damaged(&mut self, damaged: DamagedBytes) {
        let place = VirtualOffset::new(damaged.from, 0).into();
        let after = self.last_record();
        let lost = self.lost.get_or_insert_with(|| MissingInterval::new(place, None, after));
        lost.damaged.push(damaged);
        self.gone = 0;
        self.starts.clear();
        self.is_skipping = false;
        self.edge = Some(0);
    }

    /// Records from `at` on are missing.
    fn lose(&mut self, at: usize) {
        let after = self.last_record();
        self.lost = Some(MissingInterval::new(self.place(at), self.line_at(at), after));
        self.lost_from = at;
    }

    /// The record that was written last.
    fn last_record(&self) -> Option<NeighborRecord> {
        (self.records > 0).then(|| self.format.describe(&self.last))
    }

    /// What is lost goes on up to `to` of the text.
    fn leave_out(&mut self, to: usize) {
        if self.lost.is_some() && self.lost_from < to && matches!(self.format, RecordFormat::Fastq)
        {
            self.left_out.piece.extend_from_slice(&self.text[self.lost_from..to]);
            self.lost_from = to;
        }
        if self.left_out.piece.len() > MOST_LEFT_OUT
            && let Some(mut lost) = self.lost.take()
        {
            self.show(&mut lost, &[]);
            self.lost = Some(lost);
        }
    }

    /// Shows the text that is left out as far as it is known. `next` follows it.
    fn show(&mut self, lost: &mut MissingInterval, next: &[u8]) {
        let SkippedText { piece, is_shown, out } = &mut self.left_out;
        if !std::mem::replace(is_shown, true) {
            if lost.lines.is_some() {
                lost.reason = fault_of([&piece[..], next].concat());
            }
            let (name, words) = (Shown(self.name.as_bytes()), lost.in_words(self.is_gzip));
            out.extend_from_slice(format!("# {name}: {words}\n").as_bytes());
        }
        out.append(piece);
        if out.last().is_some_and(|byte| *byte != b'\n') {
            out.push(b'\n');
        }
    }

    /// Writes the text that has been left out so far, if it is wanted.
    fn hand_over(&mut self, skipped: Option<&mut Output>) -> Result<(), Error> {
        if let Some(skipped) = skipped {
            skipped.append(&self.left_out.out)?;
        }
        self.left_out.out.clear();
        Ok(())
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
            // Intact text is believed.
            if good == RecordFormat::CHAIN || (good == 1 && self.line.is_some()) {
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
        self.leave_out(self.at);
        if let Some(mut lost) = self.lost.take() {
            lost.to = Some(self.place(self.at));
            lost.before = Some(self.format.describe(&self.text[self.at..self.at + len]));
            if let (Some((_, last)), Some(line)) = (&mut lost.lines, self.line_at(self.at)) {
                *last = line - 1;
            }
            let next = self.text[self.at..self.at + len].to_vec();
            self.missed(lost, &next);
        }
        self.edge = None;
    }

    /// An interval ends in front of the record `next`. No record has been written since it began.
    fn missed(&mut self, mut lost: MissingInterval, next: &[u8]) {
        if matches!(self.format, RecordFormat::Fastq) {
            self.show(&mut lost, next);
        }
        self.left_out.is_shown = false;
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
    fn new(from: u64, line: Option<u64>, after: Option<NeighborRecord>) -> MissingInterval {
        let (to, before, reason) = (None, None, None);
        let lines = line.map(|line| (line, 0));
        MissingInterval { from, to, damaged: Vec::new(), lines, reason, after, before }
    }

    /// What a message says. `is_gzip` is that of the [`Salvage`].
    pub fn in_words(&self, is_gzip: bool) -> String {
        let from = VirtualOffset::from(self.from);
        let mut text = match (self.lines, self.to) {
            (Some((first, last)), _) if first == last => format!("line {first} is left out"),
            // Its end isn't known yet.
            (Some((first, last)), _) if last < first => {
                format!("lines from {first} on are left out")
            }
            (Some((first, last)), _) => format!("lines {first} to {last} are left out"),
            // It has no virtual offsets.
            (None, Some(_)) if is_gzip => "records are missing".to_owned(),
            (None, None) if is_gzip => "records are missing at the end".to_owned(),
            (None, Some(to)) => {
                format!("records are missing between {from} and {}", VirtualOffset::from(to))
            }
            (None, None) => format!("records are missing from {from} to the end"),
        };
        let neighbor = |record: &NeighborRecord| match &record.position {
            Some(position) => format!("{} at {position}", record.name),
            None => record.name.clone(),
        };
        match (&self.after, &self.before) {
            (Some(after), Some(before)) => {
                text += &format!(", after {} and before {}", neighbor(after), neighbor(before));
            }
            (Some(after), None) => text += &format!(", after {}", neighbor(after)),
            (None, Some(before)) => text += &format!(", before {}", neighbor(before)),
            (None, None) => {}
        }
        let damaged = self.damaged.iter().map(|damaged| {
            format!("bytes {} to {} are damaged: {}", damaged.from, damaged.to, damaged.reason)
        });
        let damaged: Vec<String> = damaged.collect();
        match (damaged.is_empty(), &self.reason) {
            (true, Some(reason)) => format!("{text}: {reason}"),
            (true, None) if self.lines.is_some() => format!("{text}: no record"),
            (true, None) if is_gzip => {
                text + " (the rest of a member behind what is no whole record)"
            }
            (true, None) => {
                text + " (the blocks are intact, but what they hold is no whole record)"
            }
            (false, _) => format!("{text} ({})", damaged.join("; ")),
        }
    }
}

/// What a reader of FASTQ says of the first record here that it refuses.
fn fault_of(text: Vec<u8>) -> Option<String> {
    let source = Source::from_reader("", Cursor::new(text));
    let mut reader = biofast_fastq::Reader::new(source, &Options::serial()).ok()?;
    loop {
        match reader.next_record() {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => return Some(error.kind().to_string()),
        }
    }
}

fn lines_in(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

#[cfg(test)]
mod tests;
