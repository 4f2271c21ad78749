//! One way in for all formats.

use std::path::PathBuf;

use biofast_io::{Location, Options, Origin, Source};

use crate::adapter::{Adapter, Produce};
use crate::cram::CramToBam;
use crate::error::Error;
use crate::format::Format;
use crate::sam::SamToBam;

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
///
/// ```
/// use biofast_bam::{Detail, InputOptions};
/// use biofast_io::Options;
///
/// let options = Options { threads: 2, allow_missing_eof: true, ..Options::default() };
/// let opening = InputOptions { io: &options, reference: Some("ref.fa".into()), detail: Detail::Full };
/// assert_eq!(opening.io.threads, 2);
/// ```
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

/// Alignments of any format as BAM bytes.
///
/// ```
/// use biofast_bam::{Detail, Format, Input, InputOptions, Reader};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// assert_eq!(input.format, Format::Sam);
/// assert_eq!(Reader::new(input.source, &options)?.records().count(), 2);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct Input {
    /// What the input holds.
    pub format: Format,
    /// Its records as BAM: the input itself, or what an adapter makes of it while it is read.
    pub source: Source,
}

/// Where the containers of a CRAM file are, by [`cram_containers`](crate::cram_containers).
///
/// ```
/// use biofast_bam::{CramContainer, CramContainers};
///
/// let containers = vec![CramContainer { start: 1500, records: 10_000 }];
/// let found = CramContainers { header_end: 1500, containers, size: 300_000, is_complete: true };
/// assert_eq!(found.containers[0].start, found.header_end);
/// ```
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

/// A container of a CRAM file. An example is at [`CramContainers`].
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
        let error =
            std::io::Error::new(error.kind(), format!("the reference can't be read: {error}"));
        let at = Location { name: Some(name.into()), ..Location::default() };
        Err(biofast_io::Error::new(biofast_io::ErrorKind::Io(error), at).into())
    }
}

impl Input {
    /// Recognises the format of `source` by content.
    ///
    /// # Errors
    /// If nothing can be read, or the data are of no alignment format. What is wrong with the
    /// records is said by whoever reads them, after those before have been delivered.
    pub fn open(source: Source, options: &InputOptions<'_>) -> Result<Input, Error> {
        Input::open_as(source, options, false)
    }

    /// The same for a check, which looks at records and doesn't use them: those of SAM may name reference sequences though no
    /// header line declares any, as the specification allows. They are then without one.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    #[doc(hidden)]
    pub fn open_to_check(source: Source, options: &InputOptions<'_>) -> Result<Input, Error> {
        Input::open_as(source, options, true)
    }

    fn open_as(
        mut source: Source,
        options: &InputOptions<'_>,
        checks: bool,
    ) -> Result<Input, Error> {
        let format = Format::sniff(&mut source)?;
        options.check_reference()?;
        let name = source.name().to_owned();
        let source = match format {
            Format::Bam => source,
            Format::Sam => adapted(&name, SamToBam::new(source, options.io, checks)?),
            Format::Cram => {
                // Bytes are counted where CRAM is read.
                let origin = Origin { offset: 0, ..source.origin() };
                adapted(&name, CramToBam::new(source, options)?).starting_at(origin)
            }
        };
        Ok(Input { format, source })
    }
}

fn adapted(name: &str, producer: impl Produce + Send + 'static) -> Source {
    Source::from_adapter(name, Adapter::new(producer))
}
