//! BAM files, or FASTQ, one behind the other: blocks and members of gzip are copied as they are, and everything in them is checked
//! on the way.
//!
//! ```
//! use biofast_bam::Reader;
//! use biofast_io::output::{Compression, Output, commit};
//! use biofast_io::{Options, bgzf};
//! use biofast_ops::cat::{Cat, CatInput};
//!
//! # let folder = std::env::temp_dir().join(format!("biofast-ops-doc-cat-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("all.fq.gz");
//! let mut cat = Cat::new(Output::create_with(&path, Compression::default())?);
//! for reads in [b"@a\nA\n+\nI\n", b"@b\nC\n+\nI\n"] {
//!     let part = CatInput::from_reader("example", std::io::Cursor::new(bgzf::compress(reads)));
//!     cat.add(part, &Options::default())?;
//! }
//! let (output, summary) = cat.finish()?;
//! commit(vec![output], false)?;
//! assert_eq!(summary.records, 2);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod content;
mod copier;
mod text;

use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use biofast_bam::{self as bam, Header};
use biofast_io::output::{Compression, Format, Output};
use biofast_io::{Container, Location, MateNaming, Options, Reader, Shown, Source, bgzf, remote};
use serde::Serialize;

use crate::measure::reads::PairCheck;
use crate::{Error, Refusal};
pub use content::CatContent;
use copier::{Copier, CopyFault};
use text::{BlocksOfText, TextSink, TextTee, lock};

/// A file that is a part of the whole.
pub struct CatInput {
    name: Arc<str>,
    reader: Box<dyn Read + Send>,
}

impl CatInput {
    /// Opens the file or address at `path`.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<CatInput, biofast_io::Error> {
        let name: Arc<str> = biofast_io::display_name(path.as_ref()).into();
        let named = |error| {
            biofast_io::Error::new(biofast_io::ErrorKind::Io(error), Location::in_input(&name))
        };
        Ok(CatInput { reader: remote::stream(path.as_ref()).map_err(named)?, name })
    }

    /// What a reader gives.
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static) -> CatInput {
        CatInput { name: name.into(), reader: Box::new(reader) }
    }

    /// The compression around it, as its first bytes say, which are read.
    ///
    /// # Errors
    /// If they can't be.
    pub fn container(&mut self) -> Result<Container, biofast_io::Error> {
        /// As many bytes as tell BGZF from other gzip.
        const START: u64 = 64;
        let mut start = Vec::new();
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        let mut rest = reader.take(START);
        rest.read_to_end(&mut start).map_err(|error| {
            biofast_io::Error::new(biofast_io::ErrorKind::Io(error), Location::in_input(&self.name))
        })?;
        let container = Container::sniff(&start);
        self.reader = Box::new(Cursor::new(start).chain(rest.into_inner()));
        Ok(container)
    }
}

/// Summary of a concatenation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatSummary {
    /// What the parts hold; nothing before the first.
    pub content: Option<CatContent>,
    /// Parts.
    pub parts: u64,
    /// Records of all parts.
    pub records: u64,
    /// Blocks that were copied.
    pub blocks: u64,
    /// IDs of read groups that other headers than the first have; records may name them.
    pub lost_read_groups: Vec<String>,
}

impl CatSummary {
    /// Adds what was joined to another file.
    pub fn add(&mut self, other: CatSummary) {
        self.content = self.content.or(other.content);
        self.parts += other.parts;
        self.records += other.records;
        self.blocks += other.blocks;
        self.lost_read_groups.extend(other.lost_read_groups);
    }
}

/// Joins parts.
pub struct Cat {
    copier: Arc<Mutex<Copier>>,
    summary: CatSummary,
    sorted: bool,
    /// Whether the header is that of no part.
    has_header: bool,
    /// The place of the last record.
    last: u64,
    /// Where the text of parts goes, if it is written: to the output.
    text: Option<Arc<Mutex<TextSink>>>,
    /// Whether what is written is BGZF, once there is any.
    is_bgzf: Option<bool>,
    /// What is known of the names of the last part.
    pairs: Option<PairCheck>,
}

impl Cat {
    /// Writes to `output`, which adds no compression: parts are copied as they are stored. FASTQ that isn't gzip, or would make other
    /// gzip of BGZF, is compressed to BGZF.
    pub fn new(output: Output) -> Cat {
        Cat {
            copier: Arc::new(Mutex::new(Copier::new(output))),
            summary: CatSummary::default(),
            sorted: false,
            has_header: false,
            last: 0,
            text: None,
            is_bgzf: None,
            pairs: None,
        }
    }

    /// Writes the text of FASTQ to `output`, compressed as that says.
    ///
    /// # Errors
    /// If the compression can't be started.
    pub fn of_text(output: Output, threads: usize) -> Result<Cat, Error> {
        let sink = TextSink::new(Some(output), threads)?;
        let mut cat = Cat::new(Output::stream("", io::sink(), Compression::default()));
        cat.lock().output = None;
        cat.text = Some(Arc::new(Mutex::new(sink)));
        Ok(cat)
    }

    /// Gathers what the [check of pairs](Cat::pairs) needs, by this rule.
    #[must_use]
    pub fn of_mates(self, rule: MateNaming) -> Cat {
        Cat { pairs: Some(PairCheck::new(rule)), ..self }
    }

    /// What the last part has of mates, if that was [asked for](Cat::of_mates).
    pub fn pairs(&self) -> Option<&PairCheck> {
        self.pairs.as_ref()
    }

    /// Refuses parts with read groups that the header of the whole lacks.
    #[must_use]
    pub fn needs_read_groups(self) -> Cat {
        self.lock().needs_groups = true;
        self
    }

    /// What is made of the first header, to be that of the whole.
    #[must_use]
    pub fn header(self, make: impl FnOnce(&Header) -> Header + Send + 'static) -> Cat {
        self.lock().make_header = Some(Box::new(make));
        self
    }

    /// Writes this header instead of the first part's. Every part must have its reference sequences.
    #[must_use]
    pub fn with_header(self, header: Header) -> Cat {
        self.lock().given = Some(header);
        Cat { has_header: true, ..self }
    }

    /// Writes this header instead of the first part's. Every part must have as many reference sequences, of the same lengths, but
    /// their names may differ: records refer to them by number.
    #[must_use]
    pub fn with_renaming_header(self, header: Header) -> Cat {
        self.lock().renames = true;
        self.with_header(header)
    }

    /// Whether alignments must be sorted by coordinate, also from part to part.
    #[must_use]
    pub fn sorted(self, sorted: bool) -> Cat {
        Cat { sorted, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, Copier> {
        self.copier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a part.
    ///
    /// # Errors
    /// If it is faulty, is BAM without BGZF or doesn't fit the parts before it, or the output can't be written. The output isn't complete then,
    /// and nothing can be added.
    pub fn add(&mut self, part: CatInput, options: &Options) -> Result<(), Error> {
        let mut part = part;
        let container = part.container().map_err(bam::Error::from)?;
        let CatInput { name, reader } = part;
        let tee = Tee { reader, copier: Arc::clone(&self.copier) };
        self.lock().begin();
        let mut source = Source::from_reader(&name, tee);
        let content = match bam::Format::sniff(&mut source) {
            Ok(bam::Format::Bam) => CatContent::Bam,
            // SAM or CRAM.
            Ok(_) => return Err(Refusal::NotBgzf(name.to_string()).into()),
            Err(error) => match error.kind() {
                bam::ErrorKind::NotAlignments(_) => CatContent::Fastq,
                _ => return Err(error.into()),
            },
        };
        if self.summary.content.is_some_and(|before| before != content) {
            return Err(Refusal::Mixed { name: name.to_string(), content }.into());
        }
        self.summary.content = Some(content);
        let is_copied = match (content, container) {
            (CatContent::Bam, _) if self.text.is_some() => {
                return Err(Refusal::Alignments(name.to_string()).into());
            }
            (CatContent::Bam, _) => true,
            (CatContent::Fastq, Container::Bgzf) => self.text.is_none(),
            (CatContent::Fastq, _) => false,
        };
        if is_copied {
            self.is_bgzf.get_or_insert(true);
            self.lock().go_on(content);
        }
        let result = match content {
            CatContent::Bam => self.check_alignments(source, options),
            CatContent::Fastq if is_copied => self.check_reads(source, options),
            CatContent::Fastq => self.write_text(source, container, options),
        };
        let mut copier = self.copier.lock().unwrap_or_else(PoisonError::into_inner);
        // What stopped the reading came before what that led to.
        match copier.end() {
            Err(CopyFault::Output(error)) => return Err(error.into()),
            Err(CopyFault::References(difference)) => {
                let whose = match self.has_header {
                    true => "the given header",
                    false => "the first file",
                };
                let kind = bam::ErrorKind::HeadersDiffer(format!(
                    "reference sequences differ from those of {whose}: {difference}"
                ));
                return Err(bam::Error::new(kind, Location::in_input(&name)).into());
            }
            Err(CopyFault::ReadGroup(id)) => {
                let (name, id) = (name.to_string(), Shown(&id).to_string());
                return Err(Refusal::ReadGroup { name, id }.into());
            }
            Err(CopyFault::NotBgzf) if result.is_ok() => {
                return Err(Refusal::NotBgzf(name.to_string()).into());
            }
            Err(CopyFault::NotBgzf) | Ok(()) => {}
        }
        self.summary.records += result?;
        self.summary.parts += 1;
        Ok(())
    }

    /// Reads all reads; returns how many there are.
    fn check_reads(&mut self, source: Source, options: &Options) -> Result<u64, Error> {
        let start = self.pairs.map(|_| PairCheck::new(options.mates));
        let (reads, pairs) = biofast_fastq::Fold::new(source).options(options).run(
            || (0u64, start),
            |(reads, pairs), batch| {
                *reads += batch.len() as u64;
                pairs.iter_mut().for_each(|pairs| pairs.accept(batch));
            },
            |(reads, pairs), other| {
                *reads += other.0;
                if let (Some(mine), Some(theirs)) = (pairs, other.1) {
                    mine.merge(&theirs);
                }
            },
        )?;
        self.pairs = pairs;
        Ok(reads)
    }

    /// The same of what isn't copied block by block: its text, or members of gzip, is written.
    fn write_text(
        &mut self,
        source: Source,
        container: Container,
        options: &Options,
    ) -> Result<u64, Error> {
        let name = source.name().to_owned();
        let sink = match (&self.text, container, self.is_bgzf) {
            (Some(sink), ..) => {
                self.lock().ignore();
                Arc::clone(sink)
            }
            // Behind BGZF it would keep readers from what makes that BGZF.
            (None, Container::Gzip, None | Some(false)) => {
                self.is_bgzf = Some(false);
                self.lock().go_on_with_members();
                Arc::new(Mutex::new(TextSink::new(None, 1)?))
            }
            _ => {
                self.is_bgzf.get_or_insert(true);
                self.lock().ignore();
                let compression = Compression::new(Format::Bgzf, None).map_err(io::Error::other)?;
                let blocks = BlocksOfText(Arc::clone(&self.copier));
                let output = Output::stream(&name, blocks, compression);
                Arc::new(Mutex::new(TextSink::new(Some(output), options.threads)?))
            }
        };
        let reader = Reader::new(source, options).map_err(biofast_fastq::Error::from)?;
        let tee = TextTee { reader, sink: Arc::clone(&sink) };
        // What the reader of the stored bytes notices is noticed once.
        let of_text = Options { progress: None, notes: None, ..options.clone() };
        let result = self.check_reads(Source::from_adapter(&name, tee), &of_text);
        // What stopped the reading came before what that led to.
        let is_open = lock(&sink).end_part()?;
        let reads = result?;
        // The text of the whole goes on.
        let Ok(sink) = Arc::try_unwrap(sink) else { return Ok(reads) };
        let sink = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
        match sink.into_output()? {
            Some(mut blocks) => blocks.finish()?,
            None if is_open => self.lock().end_line(),
            None => {}
        }
        Ok(reads)
    }

    /// Reads all records, and checks their order where that is wanted. Returns how many there are.
    fn check_alignments(&mut self, source: Source, options: &Options) -> Result<u64, Error> {
        let name: Arc<str> = source.name().into();
        let (sorted, last) = (self.sorted, &mut self.last);
        let mut trouble = None;
        let result = bam::Fold::new(source).options(options).ordered(
            || 0,
            |records, batch, span: &mut BatchSpan| {
                *records += batch.len() as u64;
                *span = if sorted { BatchSpan::of(&batch) } else { BatchSpan::default() };
            },
            |records, other| *records += other,
            |span| {
                let first = match span.first {
                    Some(first) if first < *last => Some((span.record, *last, first)),
                    _ => span.fall,
                };
                if let Some((record, previous, found)) = first {
                    let kind = bam::ErrorKind::Unsorted {
                        previous: place_of(previous),
                        found: place_of(found),
                        names: [None, None],
                    };
                    let at = Location { record: Some(record + 1), ..Location::in_input(&name) };
                    trouble = Some(bam::Error::new(kind, at));
                    return ControlFlow::Break(());
                }
                *last = span.last.max(*last);
                ControlFlow::Continue(())
            },
        );
        if let Some(error) = trouble {
            return Err(match &result {
                Ok((header, _)) => error.naming(header),
                Err(_) => error,
            }
            .into());
        }
        Ok(result?.1)
    }

    /// Ends the whole. Returns the output, to be completed, and what was joined.
    ///
    /// # Errors
    /// If the output can't be written.
    pub fn finish(mut self) -> Result<(Output, CatSummary), Error> {
        let copier = Arc::try_unwrap(self.copier).map(Mutex::into_inner);
        let Ok(Ok(Copier { output, blocks, lost, .. })) = copier else {
            return Err(still_read());
        };
        let written = match (output, self.text.take().map(Arc::try_unwrap)) {
            (Some(mut output), _) => {
                if self.is_bgzf != Some(false) {
                    output.append(&bgzf::EOF_BLOCK)?;
                }
                Some(output)
            }
            (None, Some(Ok(sink))) => {
                sink.into_inner().unwrap_or_else(PoisonError::into_inner).into_output()?
            }
            (None, _) => None,
        };
        let Some(output) = written else { return Err(still_read()) };
        self.summary.blocks = blocks;
        self.summary.lost_read_groups =
            lost.iter().map(|id| String::from_utf8_lossy(id).into_owned()).collect();
        Ok((output, self.summary))
    }
}

fn still_read() -> Error {
    let error = io::Error::other("a part is being read still");
    let kind = biofast_io::ErrorKind::Io(error);
    bam::Error::from(biofast_io::Error::new(kind, Location::default())).into()
}

/// The places of the records of a batch.
#[derive(Default)]
struct BatchSpan {
    /// The number of the first record, and its place.
    record: u64,
    first: Option<u64>,
    last: u64,
    /// The first record that comes before the one in front of it: its number, that one's place and its own.
    fall: Option<(u64, u64, u64)>,
}

impl BatchSpan {
    fn of(batch: &bam::Batch<'_>) -> BatchSpan {
        let mut span = BatchSpan { record: batch.first_record(), ..BatchSpan::default() };
        for (number, record) in (batch.first_record()..).zip(batch.iter()) {
            let place = u64::from(record.reference_id() as u32) << 32
                | u64::from((record.position().wrapping_add(1)) as u32);
            if span.first.is_none() {
                span.first = Some(place);
            } else if place < span.last && span.fall.is_none() {
                span.fall = Some((number, span.last, place));
            }
            span.last = place;
        }
        span
    }
}

/// Reference and position, as records have them.
fn place_of(place: u64) -> (i32, i32) {
    ((place >> 32) as i32, (place as u32 as i32).wrapping_sub(1))
}

/// Gives the bytes of a part, of which the copier gets all.
struct Tee {
    reader: Box<dyn Read + Send>,
    copier: Arc<Mutex<Copier>>,
}

impl Read for Tee {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        let mut copier = self.copier.lock().unwrap_or_else(PoisonError::into_inner);
        match copier.take(&out[..n]) {
            true => Ok(n),
            // It knows why.
            false => Err(io::Error::other("the part can't be copied")),
        }
    }
}

#[cfg(test)]
mod tests;
