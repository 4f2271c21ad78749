//! BAM files, or FASTQ in BGZF, one behind the other: their blocks are copied as they are, and everything in them is checked on
//! the way.
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

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use biofast_bam::{self as bam, Header};
use biofast_io::output::Output;
use biofast_io::{Location, Options, Source, bgzf, remote};
use serde::Serialize;

use crate::{Error, Refusal};
pub use content::CatContent;
use copier::{Copier, CopyFault};

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

/// Joins parts.
pub struct Cat {
    copier: Arc<Mutex<Copier>>,
    summary: CatSummary,
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
        Cat { copier, summary: CatSummary::default(), sorted: false, has_header: false, last: 0 }
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
    /// If it is faulty, isn't BGZF or doesn't fit the parts before it, or the output can't be written. The output isn't complete then,
    /// and nothing can be added.
    pub fn add(&mut self, part: CatInput, options: &Options) -> Result<(), Error> {
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
        self.lock().go_on(content);
        let result = match content {
            CatContent::Bam => self.check_alignments(source, options),
            CatContent::Fastq => biofast_fastq::Fold::new(source)
                .options(options)
                .run(
                    || 0,
                    |records, batch| *records += batch.len() as u64,
                    |records, other| *records += other,
                )
                .map_err(Error::from),
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
            Err(CopyFault::NotBgzf) if result.is_ok() => {
                return Err(Refusal::NotBgzf(name.to_string()).into());
            }
            Err(CopyFault::NotBgzf) | Ok(()) => {}
        }
        self.summary.records += result?;
        self.summary.parts += 1;
        Ok(())
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
#[allow(clippy::unwrap_used)]
mod tests;
