//! How alignments are opened, and the containers of CRAM.

use std::ops::Range;
use std::path::PathBuf;

use biofast_io::{Location, Options};

use crate::error::Error;

/// Which parts of records have to be right.
///
/// ```
/// use biofast_bam::{Detail, Reader};
///
/// // Flags and positions are all that will be looked at: less of CRAM is decoded.
/// let sam = b"r1\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let source = biofast_io::Source::from_reader("example", &sam[..]);
/// let mut reader = Reader::builder().detail(Detail::Placement).read(source)?;
/// assert_eq!(reader.next_record()?.map(|record| record.flags()), Some(4));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// All of them.
    #[default]
    Full,
    /// All but the sequences, and the tags MD and NM that follow from them. CRAM may do without
    /// its reference: bases that equal it are then given as `=`.
    Alignment,
    /// Flags, references, positions and mapping qualities, of the read and its mate. Of CRAM,
    /// the rest isn't decompressed where the file allows it: records may then be without name,
    /// CIGAR, sequence, qualities and tags, and no reference is needed. Every checksum is checked
    /// all the same. BAM and SAM are given whole. Not enough to
    /// select regions.
    Placement,
}

/// How to open alignments of any format.
#[derive(Clone, Debug)]
pub struct InputOptions<'a> {
    /// How to read. `threads` are shared between converting SAM or CRAM and what is done with
    /// the records. A missing end-of-file block or container is an error unless `allow_missing_eof` is set.
    pub io: &'a Options,
    /// A FASTA file with the reference sequences, for CRAM.
    pub reference: Option<PathBuf>,
    /// What will be looked at.
    pub detail: Detail,
}

/// The containers of a CRAM file, found by [`cram_containers`](crate::cram_containers).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CramContainers {
    /// The byte where the header ends.
    pub header_end: u64,
    /// Those that have records, in the order of the file.
    pub containers: Vec<CramContainer>,
    /// Bytes of the file.
    pub size: u64,
    /// Whether it ends as its version demands: from 2.1 on with an end-of-file container.
    pub is_complete: bool,
}

/// Parts of a CRAM file, in its order.
pub(crate) type CramRanges = Vec<Range<u64>>;

/// A container of a CRAM file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CramContainer {
    /// The byte of the file where it starts.
    pub start: u64,
    /// How many records it says that it has.
    pub records: u64,
}

impl<'a> InputOptions<'a> {
    /// Without reference sequences, and all of the records.
    ///
    /// ```
    /// use biofast_bam::{Detail, InputOptions};
    ///
    /// let io = biofast_io::Options::serial();
    /// let options = InputOptions::new(&io).with_reference("ref.fa").with_detail(Detail::Alignment);
    /// assert!(options.reference.is_some());
    /// ```
    pub fn new(io: &'a Options) -> InputOptions<'a> {
        InputOptions { io, reference: None, detail: Detail::Full }
    }

    /// The FASTA file with the reference sequences of CRAM.
    #[must_use]
    pub fn with_reference(mut self, path: impl Into<PathBuf>) -> Self {
        self.reference = Some(path.into());
        self
    }

    /// What will be looked at.
    #[must_use]
    pub fn with_detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// An error if the file of reference sequences can't be read, even where nothing needs it.
    pub(crate) fn check_reference(&self) -> Result<(), Error> {
        let Some(path) = &self.reference else { return Ok(()) };
        // Opening an address asks for its start.
        let error = match biofast_io::remote::probe(path) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let name = biofast_io::display_name(path);
        let error = std::io::Error::new(error.kind(), format!("can't read the reference: {error}"));
        let at = Location { name: Some(name.into()), ..Location::default() };
        Err(biofast_io::Error::new(biofast_io::ErrorKind::Io(error), at).into())
    }
}
