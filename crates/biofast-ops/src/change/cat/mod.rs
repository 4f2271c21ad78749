//! BAM files, or FASTQ in BGZF, one behind the other: their blocks are copied as they are, and everything in them is checked on
//! the way.
//!
//! ```
//! use biofast_bam::Reader;
//! use biofast_io::output::{Compression, Output, commit};
//! use biofast_io::{Options, bgzf};
//! use biofast_ops::cat::{Cat, Part};
//!
//! # let folder = std::env::temp_dir().join(format!("biofast-ops-doc-cat-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("all.fq.gz");
//! let mut cat = Cat::new(Output::create_with(&path, Compression::default())?);
//! for reads in [b"@a\nA\n+\nI\n", b"@b\nC\n+\nI\n"] {
//!     let part = Part::from_reader("example", std::io::Cursor::new(bgzf::compress(reads)));
//!     cat.add(part, &Options::default())?;
//! }
//! let (output, summary) = cat.finish()?;
//! commit(vec![output], false)?;
//! assert_eq!(summary.records, 2);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod copier;

use std::fmt;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use biofast_bam::{self as bam, Header};
use biofast_io::output::{self, Output};
use biofast_io::{Location, Options, Source, bgzf, remote};
use serde::Serialize;

use copier::{Copier, Fault};

/// A file that is a part of the whole.
pub struct Part {
    name: Arc<str>,
    reader: Box<dyn Read + Send>,
}

impl Part {
    /// The file or address at `path`.
    ///
    /// ```
    /// assert!(biofast_ops::cat::Part::open("absent.bam").is_err());
    /// ```
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Part, biofast_io::Error> {
        let name: Arc<str> = biofast_io::display_name(path.as_ref()).into();
        let named = |error| {
            biofast_io::Error::new(biofast_io::ErrorKind::Io(error), Location::in_input(&name))
        };
        Ok(Part { reader: remote::stream(path.as_ref()).map_err(named)?, name })
    }

    /// What a reader gives.
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static) -> Part {
        Part { name: name.into(), reader: Box::new(reader) }
    }
}

/// What is in the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Alignments, in BAM.
    Bam,
    /// Reads.
    Fastq,
}

/// What was joined.
///
/// ```
/// assert_eq!(biofast_ops::cat::Summary::default().parts, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// What the parts hold; nothing before the first.
    pub content: Option<Content>,
    /// Parts.
    pub parts: u64,
    /// Records of all parts.
    pub records: u64,
    /// Blocks that were copied.
    pub blocks: u64,
    /// IDs of read groups that other headers than the first have; records may name them.
    pub lost_read_groups: Vec<String>,
}

/// Why it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A part of alignments can't be read, or doesn't fit those before.
    Alignments(bam::Error),
    /// A part of reads can't be read.
    Reads(biofast_fastq::Error),
    /// The part of this name isn't BGZF, or not all of it.
    NotBgzf(String),
    /// The part of this name holds something else than those before.
    Mixed(String, Content),
    /// The output can't be written.
    Output(output::Error),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Alignments(error) => error.fmt(f),
            Problem::Reads(error) => error.fmt(f),
            Problem::NotBgzf(name) => {
                write!(f, "{name}: only blocks of BGZF can be copied, and it has other data")
            }
            Problem::Mixed(name, Content::Bam) => {
                write!(f, "{name} holds BAM, and the parts before it hold FASTQ")
            }
            Problem::Mixed(name, Content::Fastq) => {
                write!(f, "{name} holds no BAM, and the parts before it do")
            }
            Problem::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Problem::Alignments(error) => error.source(),
            Problem::Reads(error) => error.source(),
            Problem::Output(error) => error.source(),
            Problem::NotBgzf(_) | Problem::Mixed(..) => None,
        }
    }
}

impl From<bam::Error> for Problem {
    fn from(error: bam::Error) -> Problem {
        Problem::Alignments(error)
    }
}

impl From<biofast_fastq::Error> for Problem {
    fn from(error: biofast_fastq::Error) -> Problem {
        Problem::Reads(error)
    }
}

impl From<output::Error> for Problem {
    fn from(error: output::Error) -> Problem {
        Problem::Output(error)
    }
}

/// Joins parts.
pub struct Cat {
    copier: Arc<Mutex<Copier>>,
    summary: Summary,
    sorted: bool,
    /// Whether the header is that of no part.
    has_header: bool,
    /// The place of the last record.
    last: u64,
}

impl Cat {
    /// Writes to `output`, which adds no compression.
    pub fn new(output: Output) -> Cat {
        let copier = Arc::new(Mutex::new(Copier::new(output)));
        Cat { copier, summary: Summary::default(), sorted: false, has_header: false, last: 0 }
    }

    /// What is made of the first header, to be that of the whole.
    #[must_use]
    pub fn header(self, make: impl FnOnce(&Header) -> Header + Send + 'static) -> Cat {
        self.lock().make_header = Some(Box::new(make));
        self
    }

    /// Puts a header in the place of the first one. All parts must have its reference sequences.
    ///
    /// ```
    /// use biofast_bam::{Header, RecordBuf, Writer};
    /// use biofast_io::output::{Compression, Output, commit};
    /// use biofast_io::Options;
    /// use biofast_ops::cat::{Cat, Part};
    ///
    /// # let folder = std::env::temp_dir().join(format!("biofast-ops-doc-cat-header-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let (part, path) = (folder.join("part.bam"), folder.join("all.bam"));
    /// let mut writer = Writer::create(&part, &Header::from_text(b"@RG\tID:a\n")?)?;
    /// writer.write(&RecordBuf::unmapped("r").build()?)?;
    /// writer.finish()?;
    /// let header = Header::from_text(b"@RG\tID:a\tSM:patient7\n")?;
    /// let mut cat = Cat::new(Output::create_with(&path, Compression::default())?).with_header(header);
    /// cat.add(Part::open(&part)?, &Options::default())?;
    /// let (output, _) = cat.finish()?;
    /// commit(vec![output], false)?;
    /// let reader = biofast_bam::Reader::open(&path)?;
    /// assert_eq!(reader.header().text(), b"@RG\tID:a\tSM:patient7\n");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_header(self, header: Header) -> Cat {
        self.lock().given = Some(header);
        Cat { has_header: true, ..self }
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
    /// If it is faulty, isn't BGZF or doesn't fit the parts before it, or the output can't be written. The output isn't complete then,
    /// and nothing can be added.
    pub fn add(&mut self, part: Part, options: &Options) -> Result<(), Problem> {
        let Part { name, reader } = part;
        let tee = Tee { reader, copier: Arc::clone(&self.copier) };
        self.lock().begin();
        let mut source = Source::from_reader(&name, tee);
        let content = match bam::Format::sniff(&mut source) {
            Ok(bam::Format::Bam) => Content::Bam,
            // SAM or CRAM.
            Ok(_) => return Err(Problem::NotBgzf(name.to_string())),
            Err(error) => match error.kind() {
                bam::ErrorKind::NotAlignments(_) => Content::Fastq,
                _ => return Err(error.into()),
            },
        };
        if self.summary.content.is_some_and(|before| before != content) {
            return Err(Problem::Mixed(name.to_string(), content));
        }
        self.summary.content = Some(content);
        self.lock().go_on(content);
        let result = match content {
            Content::Bam => self.check_alignments(source, options),
            Content::Fastq => biofast_fastq::par_fold(
                source,
                options,
                || 0,
                |records, batch| *records += batch.len() as u64,
                |records, other| *records += other,
            )
            .map_err(|fault| Problem::Reads(fault.error)),
        };
        let mut copier = self.copier.lock().unwrap_or_else(PoisonError::into_inner);
        // What stopped the reading came before what that led to.
        match copier.end() {
            Err(Fault::Output(error)) => return Err(error.into()),
            Err(Fault::References(difference)) => {
                let whose = match self.has_header {
                    true => "the header that is given",
                    false => "the first part",
                };
                let kind = bam::ErrorKind::HeadersDiffer(format!(
                    "its reference sequences are not those of {whose}: {difference}"
                ));
                return Err(bam::Error::new(kind, Location::in_input(&name)).into());
            }
            Err(Fault::NotBgzf) if result.is_ok() => {
                return Err(Problem::NotBgzf(name.to_string()));
            }
            Err(Fault::NotBgzf) | Ok(()) => {}
        }
        self.summary.records += result?;
        self.summary.parts += 1;
        Ok(())
    }

    /// Reads all records, and checks their order where that is wanted. Returns how many there are.
    fn check_alignments(&mut self, source: Source, options: &Options) -> Result<u64, Problem> {
        let name: Arc<str> = source.name().into();
        let (sorted, last) = (self.sorted, &mut self.last);
        let mut trouble = None;
        let result = bam::par_fold_ordered(
            source,
            options,
            || 0,
            |records, batch, span: &mut Span| {
                *records += batch.len() as u64;
                *span = if sorted { Span::of(&batch) } else { Span::default() };
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
        result.map(|(_, records)| records).map_err(|fault| Problem::Alignments(fault.error))
    }

    /// Ends the whole. Returns the output, to be completed, and what was joined.
    ///
    /// # Errors
    /// If the output can't be written.
    pub fn finish(mut self) -> Result<(Output, Summary), Problem> {
        let copier = Arc::try_unwrap(self.copier).map(Mutex::into_inner);
        let Ok(Ok(Copier { mut output, blocks, lost, .. })) = copier else {
            let error = io::Error::other("a part is being read still");
            let kind = biofast_io::ErrorKind::Io(error);
            return Err(bam::Error::from(biofast_io::Error::new(kind, Location::default())).into());
        };
        output.append(&bgzf::EOF_BLOCK)?;
        self.summary.blocks = blocks;
        self.summary.lost_read_groups =
            lost.iter().map(|id| String::from_utf8_lossy(id).into_owned()).collect();
        Ok((output, self.summary))
    }
}

/// The places of the records of a batch.
#[derive(Default)]
struct Span {
    /// The number of the first record, and its place.
    record: u64,
    first: Option<u64>,
    last: u64,
    /// The first record that comes before the one in front of it: its number, that one's place and its own.
    fall: Option<(u64, u64, u64)>,
}

impl Span {
    fn of(batch: &bam::Batch<'_>) -> Span {
        let mut span = Span { record: batch.first_record(), ..Span::default() };
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
#[allow(clippy::unwrap_used)]
mod tests;
