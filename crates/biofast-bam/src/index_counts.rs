//! How many records a file has, as its index says: only where the index is proved to be that of the file.

use std::path::Path;
use std::sync::Arc;

use biofast_io::bgzf::EOF_BLOCK;
use biofast_io::remote::{Ranged, modified, open_len};
use biofast_io::{Location, Options, Reread, Source, display_name};

use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::index::Index;
use crate::note::Note;
use crate::probe;
use crate::query::{find_index, is_of_index, is_older};
use crate::region::{Interval, Regions};
use crate::start::read_start;

/// Counts of records by reference, out of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexCounts {
    /// The header of the file.
    pub header: Header,
    /// Mapped and unmapped records of each reference.
    pub by_reference: Vec<[u64; 2]>,
    /// Records without a reference.
    pub unplaced: u64,
}

/// Whether an index has the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountedByIndex {
    /// It has.
    Counts(IndexCounts),
    /// There is none that can, or the file isn't BAM in BGZF with its end-of-file block: all of it has to be read.
    None,
    /// There is one, but it isn't proved to be that of the file; why.
    Unproved(Note),
}

impl IndexCounts {
    /// The counts of BAM that has an index beside it, if the index isn't older than the file, lists records without gaps, and
    /// records start where it says: the first and the last one, and those around the first references.
    ///
    /// # Errors
    /// If the file or its index can't be read.
    pub fn of(path: impl AsRef<Path>, options: &Options) -> Result<CountedByIndex, Error> {
        let path = path.as_ref();
        let file = Reread::new(path);
        let found = IndexCounts::of_unchecked(path, options);
        file.check()?;
        found
    }

    fn of_unchecked(path: &Path, options: &Options) -> Result<CountedByIndex, Error> {
        let source = Source::open(path)?;
        let name: Arc<str> = source.name().into();
        let io_error = |e| {
            Error::from(biofast_io::Error::new(
                biofast_io::ErrorKind::Io(e),
                Location::in_input(&name),
            ))
        };
        let Some(len) = source.len().and_then(|_| open_len(path)) else {
            return Ok(CountedByIndex::None);
        };
        let serial = Options { chunk_size: 1, io: options.io, ..Options::serial() };
        let (header, Some(records)) = (match read_start(source, &serial) {
            Ok(start) => start,
            Err(error) if matches!(error.kind(), ErrorKind::NotBam(_)) => {
                return Ok(CountedByIndex::None);
            }
            Err(error) => return Err(error),
        }) else {
            return Ok(CountedByIndex::None);
        };
        let Some((index_path, time)) = find_index(path).map_err(io_error)? else {
            return Ok(CountedByIndex::None);
        };
        let mut ranged = Ranged::open(path).map_err(io_error)?;
        let mut end = [0; EOF_BLOCK.len()];
        let from = len.saturating_sub(end.len() as u64);
        if ranged.read_at(&mut end, from).map_err(io_error)? < end.len() || end != EOF_BLOCK {
            return Ok(CountedByIndex::None);
        }
        let unproved = |reason: String| {
            let index = display_name(&index_path);
            Ok(CountedByIndex::Unproved(Note::UnusedIndex { index, reason }))
        };
        if is_older(time, modified(path)) {
            return unproved("it is older than the file".to_owned());
        }
        let index = match Index::open(&index_path) {
            Ok(index) => index,
            Err(error) if is_of_index(&error, &index_path) => {
                return unproved(error.kind().to_string());
            }
            Err(error) => return Err(error),
        };
        let references = header.references().len();
        let all = (0..references).map(|reference| (reference, Interval::ALL)).collect();
        let found = (references, records);
        let fits = probe::fits(&mut ranged, found, &index, &Regions::new(all, true));
        if let Err(why) = fits.map_err(io_error)? {
            return unproved(why);
        }
        Ok(match index.counts() {
            Some((by_reference, unplaced)) => {
                CountedByIndex::Counts(IndexCounts { header, by_reference, unplaced })
            }
            // As old programs made them.
            None => CountedByIndex::None,
        })
    }
}
