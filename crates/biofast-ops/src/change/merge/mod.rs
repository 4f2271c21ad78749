//! Sorted alignments of several inputs to one, as `samtools merge`.
//!
//! Of each input a few blocks are in memory. At most [`MOST_OPEN`] inputs are open at once: of more, so many at a time are merged to
//! temporary files first. Records that are equal come in the order of the inputs.
//!
//! ```
//! use biofast_io::{Options, Source};
//! use biofast_ops::merge::{Merge, MergeRules, SortedInput};
//!
//! let one = b"@SQ\tSN:c\tLN:99\nx\t0\tc\t3\t60\t1M\t*\t0\t0\tA\tI\nz\t0\tc\t9\t60\t1M\t*\t0\t0\tA\tI\n";
//! let other = b"@SQ\tSN:c\tLN:99\ny\t0\tc\t7\t60\t1M\t*\t0\t0\tA\tI\n";
//! let inputs = [&one[..], &other[..]]
//!     .map(|sam| SortedInput::from_source(Source::from_reader("example", sam), &Options::default()));
//! let merge = Merge::new(inputs.into(), MergeRules::default())?;
//! assert_eq!(merge.header().references().len(), 1);
//! let mut merged = merge.start(1)?;
//! let mut names = Vec::new();
//! while let Some(record) = merged.next_record()? {
//!     names.push(record.name().to_vec());
//! }
//! assert_eq!(names, [b"x", b"y", b"z"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod headers;
mod piece;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use biofast_bam::query::Note;
use biofast_bam::{self as bam, ErrorKind, Header, Reader, Record, Selection};
use biofast_io::{Location, Options, Source};
use serde::Serialize;

use super::sort::Order;
use super::sort::merge::{RunMerge as Runs, SortedRun};
use super::sort::stored::Storer;
use super::sort::template::LibraryRanks;
use crate::Error;
use headers::{Combine, Joined, Translation};
use piece::MergeReader;

/// Inputs that are open at once.
pub const MOST_OPEN: usize = 200;

/// Bytes of records of one input that are read at once: of few inputs more than of many.
const LARGEST_BLOCK: usize = 128 << 10;
const SMALLEST_BLOCK: usize = 32 << 10;
/// Bytes that are inflated at once of each of many inputs: a BGZF block.
const SMALLEST_CHUNK: usize = 64 << 10;
/// What the blocks of all inputs shall not be more than, nor what is inflated of them at once.
const BLOCKS: usize = 16 << 20;

/// How inputs are merged.
#[derive(Clone, Debug)]
pub struct MergeRules {
    /// The order that all inputs have.
    pub order: Order,
    /// Whether read groups of the same ID are one, that of the first input; else all but the first get another ID.
    pub combine_read_groups: bool,
    /// The same of programs.
    pub combine_programs: bool,
    /// Whether all records of an input get its name as their read group, without folders and the ending `.bam`, `.sam` or `.cram`. Of
    /// its read groups the header has the first one, under this ID.
    pub read_groups_by_name: bool,
    /// Only records that overlap these regions; an index beside a file is used.
    pub regions: Option<Selection>,
    /// What the common header begins with: the lines of all inputs are put behind it.
    pub header: Option<Header>,
    /// A FASTA file with the reference sequences, for CRAM.
    pub reference: Option<PathBuf>,
    /// The folder of temporary files, for more inputs than are opened at once.
    pub folder: PathBuf,
}

impl Default for MergeRules {
    /// By coordinate, nothing combined, and the system's folder of temporary files.
    fn default() -> MergeRules {
        MergeRules {
            order: Order::Coordinate,
            combine_read_groups: false,
            combine_programs: false,
            read_groups_by_name: false,
            regions: None,
            header: None,
            reference: None,
            folder: std::env::temp_dir(),
        }
    }
}

/// A sorted input: BAM, SAM or CRAM.
pub struct SortedInput {
    place: MergeSource,
    options: Options,
}

enum MergeSource {
    /// A file that can be opened again.
    File(PathBuf),
    Source(Source),
    /// It was closed, and its header has this sum.
    Again(PathBuf, u32),
    Reader(Box<Reader>),
}

impl SortedInput {
    /// The file at `path`, which isn't opened yet.
    pub fn open(path: impl Into<PathBuf>, options: &Options) -> SortedInput {
        SortedInput { place: MergeSource::File(path.into()), options: options.clone() }
    }

    /// What a source gives.
    pub fn from_source(source: Source, options: &Options) -> SortedInput {
        SortedInput { place: MergeSource::Source(source), options: options.clone() }
    }
}

/// Summary of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergeSummary {
    /// Records written.
    pub records: u64,
    /// Fields RG and PG that were dropped, as their IDs are not in the header of their input.
    pub dropped_fields: u64,
}

type NamedInput = (SortedInput, Arc<str>);

/// Inputs whose headers have been read.
pub struct Merge {
    inputs: Vec<NamedInput>,
    translations: Vec<Arc<Translation>>,
    notes: Vec<Note>,
    header: Header,
    rules: MergeRules,
    /// How many inputs are read between temporary files.
    round: usize,
}

impl Merge {
    /// Reads the headers and puts them together.
    ///
    /// # Errors
    /// If an input can't be opened, its header can't be read, or headers contradict each other.
    pub fn new(inputs: Vec<SortedInput>, rules: MergeRules) -> Result<Merge, bam::Error> {
        Merge::in_rounds(inputs, rules, MOST_OPEN)
    }

    fn in_rounds(
        inputs: Vec<SortedInput>,
        rules: MergeRules,
        round: usize,
    ) -> Result<Merge, bam::Error> {
        let combine =
            Combine { read_groups: rules.combine_read_groups, programs: rules.combine_programs };
        let mut joined = Joined::new(combine);
        if let Some(header) = &rules.header {
            joined.add_first(header)?;
        }
        let (mut opened, mut translations, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let stay_open = inputs.len() <= round;
        let chunk = (BLOCKS / inputs.len().clamp(1, round)).max(SMALLEST_CHUNK);
        for input in inputs {
            let SortedInput { place, mut options } = input;
            options.chunk_size = options.chunk_size.min(chunk);
            let path = match &place {
                MergeSource::File(path) if !stay_open && biofast_io::remote::can_reopen(path) => {
                    Some(path.clone())
                }
                _ => None,
            };
            let name: Arc<str> = match &place {
                MergeSource::File(path) => biofast_io::display_name(path).into(),
                MergeSource::Source(source) => source.name().into(),
                MergeSource::Reader(_) | MergeSource::Again(..) => "".into(),
            };
            let read_group = match rules.read_groups_by_name {
                true => Some(read_group_of(&place, &name)?),
                false => None,
            };
            let reader = reader(place, &name, &options, &rules)?;
            translations.push(Arc::new(joined.add(&name, reader.header(), read_group)?));
            notes.extend_from_slice(reader.notes());
            let sum = sum_of(reader.header());
            let place = match path {
                Some(path) => MergeSource::Again(path, sum),
                None => MergeSource::Reader(Box::new(reader)),
            };
            opened.push((SortedInput { place, options }, name));
        }
        let header = rules.order.header(&joined.header()?);
        Ok(Merge { inputs: opened, translations, header, notes, rules, round })
    }

    /// What is worth telling of how regions are found.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The header that the merged records have.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Begins to merge. Inputs are read by `threads` threads, with one by the thread that asks.
    ///
    /// # Errors
    /// The first fault of an input that shows, or if a temporary file can't be written.
    pub fn start(self, threads: usize) -> Result<MergedRecords, Error> {
        let Merge { inputs, translations, header, rules, round, .. } = self;
        let readers = if threads > 1 { threads } else { 0 };
        let dropped = Arc::new(AtomicU64::new(0));
        let libraries = Arc::new(LibraryRanks::of(&header));
        let count = inputs.len().clamp(1, round);
        let block = (BLOCKS / count).clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let pieces = inputs.into_iter().zip(translations).enumerate();
        let mut pieces: VecDeque<_> = pieces.collect();
        let of =
            |(index, ((input, name), translation)): (usize, (NamedInput, Arc<Translation>))| {
                let reader = reader(input.place, &name, &input.options, &rules)?;
                let place = (index, name);
                let shared = (Arc::clone(&dropped), Arc::clone(&libraries));
                let piece =
                    MergeReader::new(reader, place, rules.order, translation, block, shared);
                Ok(SortedRun::Blocks(Mutex::new(Box::new(piece))))
            };
        let failed = |error| Error::scratch_in(&rules.folder, error);
        let mut stored = Vec::new();
        while pieces.len() > round {
            let some = pieces.drain(..round).map(of).collect::<Result<Vec<_>, bam::Error>>();
            let mut runs = Runs::new(some?, rules.order, readers).map_err(failed)?;
            let mut storer = Storer::create(&rules.folder).map_err(failed)?;
            while let Some(entry) = runs.next().map_err(failed)? {
                storer.add(&entry).map_err(failed)?;
            }
            stored.push(SortedRun::Stored(storer.finish_run().map_err(failed)?));
        }
        let open = pieces.into_iter().map(of).collect::<Result<Vec<_>, bam::Error>>();
        stored.extend(open?);
        let runs = Runs::new(stored, rules.order, readers).map_err(failed)?;
        Ok(MergedRecords { runs, header, rules, dropped, records: 0 })
    }
}

/// An input's reader, which has its header.
fn reader(
    place: MergeSource,
    name: &Arc<str>,
    options: &Options,
    rules: &MergeRules,
) -> Result<Reader, bam::Error> {
    let mut builder = Reader::builder().options(Options { threads: 1, ..options.clone() });
    if let Some(reference) = &rules.reference {
        builder = builder.reference(reference);
    }
    if let Some(regions) = &rules.regions {
        builder = builder.regions(regions.clone());
    }
    let (reader, sum) = match place {
        MergeSource::File(path) => (builder.open(path)?, None),
        MergeSource::Again(path, sum) => (builder.open(path)?, Some(sum)),
        MergeSource::Source(source) => (builder.read(source)?, None),
        MergeSource::Reader(reader) => return Ok(*reader),
    };
    if sum.is_some_and(|sum| sum != sum_of(reader.header())) {
        let reason = "the header has changed since the file was first opened";
        let kind = ErrorKind::HeadersDiffer(reason.into());
        return Err(bam::Error::new(kind, Location::in_input(name)));
    }
    Ok(reader)
}

/// The name of an input as the ID of a read group.
fn read_group_of(place: &MergeSource, name: &Arc<str>) -> Result<Vec<u8>, bam::Error> {
    let name_of_file = match place {
        MergeSource::File(path) | MergeSource::Again(path, _) => path.file_name(),
        MergeSource::Source(_) | MergeSource::Reader(_) => Path::new(&**name).file_name(),
    };
    let file = name_of_file.unwrap_or_default().as_encoded_bytes();
    let endings: [&[u8]; 3] = [b".bam", b".sam", b".cram"];
    let stem = endings.iter().find_map(|ending| file.strip_suffix(*ending));
    let id = stem.filter(|stem| !stem.is_empty()).unwrap_or(file);
    if id.is_empty() || !id.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        let kind = ErrorKind::BadHeader("the file name can't be used as read group ID");
        return Err(bam::Error::new(kind, Location::in_input(name)));
    }
    Ok(id.to_vec())
}

/// A sum that tells a header from another one of the same file.
fn sum_of(header: &Header) -> u32 {
    biofast_io::crc32(header.text())
}

/// Records in order, one after the other.
pub struct MergedRecords {
    runs: Runs,
    header: Header,
    rules: MergeRules,
    dropped: Arc<AtomicU64>,
    records: u64,
}

impl MergedRecords {
    /// The header that the records have.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What was done so far.
    pub fn summary(&self) -> MergeSummary {
        MergeSummary { records: self.records, dropped_fields: self.dropped.load(Ordering::Relaxed) }
    }

    /// The next record, which has been [checked](Record::check) for writing; `None` after the last.
    ///
    /// # Errors
    /// If an input is faulty or out of order, or a temporary file can't be read.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        match self.runs.next() {
            Ok(Some(entry)) => {
                self.records += 1;
                Ok(Some(Record::from_checked(entry.record)))
            }
            Ok(None) => Ok(None),
            Err(error) => Err(Error::scratch_in(&self.rules.folder, error)),
        }
    }
}
