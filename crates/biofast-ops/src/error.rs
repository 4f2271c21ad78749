//! The one error of everything that [changes records](crate::change). A new kind of failure is a variant here, and a line in the
//! command line's table of hints if something helps.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use biofast_bam as bam;
use biofast_fastq as fastq;
use biofast_io::output;
use biofast_io::pipeline::{Failure, Fault};
use biofast_io::{Location, display_name};

use crate::cat::CatContent;

/// Why records couldn't be changed.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::Error;
/// use biofast_ops::sort::{SortLimits, Order, sort};
///
/// let bam = Source::from_reader("cut.bam", &b"BAM\x01"[..]);
/// let Err(error) = sort(bam, &Options::default(), Order::Coordinate, &SortLimits::default()) else {
///     panic!("it has no header")
/// };
/// let Error::Alignments(error) = error else { panic!("{error}") };
/// assert_eq!(error.at().name.as_deref(), Some("cut.bam"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reads can't be read, or a read can't be written so.
    #[error(transparent)]
    Reads(#[from] fastq::Error),
    /// Alignments can't be read, or a record of them can't be written or sorted.
    #[error(transparent)]
    Alignments(#[from] bam::Error),
    /// An output can't be written.
    #[error(transparent)]
    Output(#[from] output::Error),
    /// Temporary files can't be written or read.
    #[error("temporary files{}: {error}", in_folder(folder.as_deref()))]
    Scratch {
        /// Where they are, if the message says so.
        folder: Option<PathBuf>,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The same where there is only one.
    #[error("temporary file: {0}")]
    ScratchFile(io::Error),
    /// The input of this name was another when it was read again.
    #[error("{0} changed while it was being read")]
    Changed(String),
    /// One operation doesn't do this.
    #[doc(hidden)]
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// What one operation doesn't do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// [Concatenating](crate::cat): the part of this name isn't BGZF, or not all of it.
    #[error("{0}: expected BGZF, which is copied block by block")]
    NotBgzf(String),
    /// [Concatenating](crate::cat): the part of this name holds something else than those before.
    #[error("{name} {}", unlike(*.content))]
    Mixed {
        /// The part's name.
        name: String,
        /// What it holds.
        content: CatContent,
    },
    /// [Salvaging](crate::salvage): nothing can be had of the file of this name.
    #[error("{name}: {why}")]
    Unsalvageable {
        /// The file's name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// [Salvaging](crate::salvage): the header of the BAM file of this name is damaged.
    #[error("{0}: the header is damaged, and no record can be read without it")]
    DamagedHeader(String),
    /// [Concatenating](crate::cat): the part of this name is BAM, but text is to be written.
    #[error("{0}: holds BAM, but the output is to hold reads as text")]
    Alignments(String),
    /// [Concatenating](crate::cat): a part has a read group that the header of the whole lacks.
    #[error(
        "{name}: the header of the first file has no read group '{id}', which records of this one may name"
    )]
    ReadGroup {
        /// The part's name.
        name: String,
        /// The ID of the read group.
        id: String,
    },
    /// [Unique names](crate::convert::unique): what the second of this name would be called is the name of another read.
    #[error("read '{name}' occurs several times, and the new name '{new}' is already taken")]
    Taken {
        /// The name that is there more than once.
        name: String,
        /// The new name.
        new: String,
    },
    /// [Removing duplicates](crate::dedup): what is wanted can't be done together, as
    /// [`Dedup::check`](crate::dedup::Dedup::check) says.
    #[error("{0}")]
    Impossible(&'static str),
    /// [Checksums](crate::checksum): the records of the input of this name have too many read groups.
    #[error("{input}: its records have more than {most} different read groups (tag RG)")]
    TooManyGroups {
        /// The name of the input.
        input: String,
        /// How many there may be.
        most: usize,
    },
    /// [Filtering by minimizers](crate::filter::deplete): a file isn't an index of them, or is damaged.
    #[error("{name}: {why}")]
    InvalidMinimizers {
        /// The file's name.
        name: String,
        /// Why.
        why: String,
    },
    /// [Restoring sets of reads](crate::to_fastq::sets): a read of a pair is there without the other.
    #[error("{input}: the mate of read '{name}' is missing")]
    NoMate {
        /// The name of the input.
        input: String,
        /// The name of the read, fit for display.
        name: String,
    },
    /// [Sorting](crate::sort): records of a name, which [marking duplicates](crate::sort::duplicates) needs together, aren't.
    #[error("{0}")]
    NotGrouped(String),
    /// [Marking duplicates](crate::sort::duplicates): barcodes should be the same, and none of the reads looked at has one.
    #[error("{input}: none of the {reads} reads examined has a barcode {sought}")]
    NoBarcodes {
        /// The name of the input.
        input: String,
        /// How many reads there are.
        reads: u64,
        /// Where the barcode was looked for, such as "in the tag RX".
        sought: String,
    },
    /// [Grouping by UMI](crate::umi): none of the reads has a UMI in its tag.
    #[error("{input}: none of the {reads} reads has {sought}")]
    NoUmis {
        /// The name of the input.
        input: String,
        /// How many reads there are.
        reads: u64,
        /// What is missing, such as "a UMI in the tag RX".
        sought: String,
    },
    /// [Grouping by molecule](crate::umi): the input of this name isn't in template-coordinate order.
    #[error("{0}: grouping by molecule needs records in template-coordinate order")]
    NotTemplateCoordinate(String),
    /// [Consensus reads](crate::umi): records of a molecule don't stand together, or none says its molecule.
    #[error("{0}")]
    NotByMolecule(String),
    /// [Grouping by UMI](crate::umi): UMIs of a place, which are to be compared, have several lengths.
    #[error("{input}: UMIs of {} have {} and {} letters, which can't be compared", place_of(contig, *position), lengths[0], lengths[1])]
    UnequalUmis {
        /// The name of the input.
        input: String,
        /// The reference sequence.
        contig: String,
        /// The position, counted from 1, unless reads are grouped by gene.
        position: Option<i64>,
        /// Two of the lengths.
        lengths: [usize; 2],
    },
}

impl Error {
    /// An error of temporary files in this folder; or of alignments, if it is one of them that came through [`io::Read`].
    pub(crate) fn scratch_in(folder: &Path, error: io::Error) -> Error {
        match error.downcast::<bam::Error>() {
            Ok(error) => Error::Alignments(error),
            Err(error) => Error::Scratch { folder: Some(folder.to_owned()), error },
        }
    }

    /// The same of the alignment of this number, counted from 1.
    pub(crate) fn of_record(self, name: &Arc<str>, number: u64) -> Error {
        match self {
            Error::Alignments(error) => {
                let at = Location { record: Some(number), ..Location::in_input(name) };
                Error::Alignments(error.or_at(at))
            }
            error => error,
        }
    }
}

impl From<io::Error> for Error {
    /// An error of temporary files: inputs and outputs have errors of their own.
    fn from(error: io::Error) -> Error {
        Error::Scratch { folder: None, error }
    }
}

impl<E: Into<Error>> From<Failure<E>> for Error {
    fn from(failure: Failure<E>) -> Error {
        match failure {
            Failure::Input(error) => error.into(),
            Failure::Output(error) => error.into(),
        }
    }
}

impl<C, E: Into<Error>> From<Fault<C, E>> for Error {
    /// The error alone; what had been gathered before it is dropped.
    fn from(fault: Fault<C, E>) -> Error {
        fault.error.into()
    }
}

fn place_of(contig: &str, position: Option<i64>) -> String {
    match position {
        Some(position) => format!("reads at {contig}:{position}"),
        None => format!("a gene on {contig}"),
    }
}

fn in_folder(folder: Option<&Path>) -> String {
    folder.map_or_else(String::new, |folder| format!(" in {}", display_name(folder)))
}

fn unlike(content: CatContent) -> &'static str {
    match content {
        CatContent::Bam => "holds BAM, but the files before it hold FASTQ",
        CatContent::Fastq => "is not BAM, unlike the files before it",
    }
}
