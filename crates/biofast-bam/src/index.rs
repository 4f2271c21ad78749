//! Indexes of coordinate-sorted BAM: BAI and CSI, read, asked and built.
//!
//! Formats: SAM specification, section 5, and the CSI specification (CSIv1). Both put every
//! record into the smallest *bin* that holds it, of a tree in which each bin has eight children,
//! and list for each bin the *chunks* of the file that hold its records.

mod assemble;
mod bins;
mod build;
mod fit;
mod hash_order;
mod lines;
mod query;
mod read;
mod serial;
mod written;

use std::path::Path;

pub use build::{BuildOptions, Built, build};
pub(crate) use fit::{Expected, follows};
pub use lines::LineIndexer;
pub(crate) use serial::Serial;
pub use written::Indexer;

use bins::Scheme;
use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;

/// The format of an index.
///
/// ```
/// use biofast_bam::index::Format;
///
/// assert_eq!((Format::Bai.extension(), Format::Csi.extension()), ("bai", "csi"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// BAI: references of at most 2^29 − 1 bases, smallest bins of 2^14 bases.
    Bai,
    /// CSI: any references, smallest bins of any size; compressed.
    Csi,
}

impl Format {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Bai => "bai",
            Format::Csi => "csi",
        }
    }
}

/// An index that has been read.
///
/// ```
/// use biofast_bam::index::{BuildOptions, Index, build};
/// use biofast_io::{Options, Source};
/// # use biofast_bam::{Header, RecordBuf, Writer};
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-index-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.bam");
/// # let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// # let mut writer = Writer::create(&path, &header)?;
/// # writer.write(&RecordBuf::mapped("r", 0, 9, "1M".parse()?).sequence(b"A").build()?)?;
/// # writer.finish()?;
///
/// let built = build(Source::open(&path)?, BuildOptions::default(), &Options::default())?;
/// std::fs::write(folder.join("x.bam.bai"), built.bytes)?;
/// let index = Index::open(folder.join("x.bam.bai"))?;
/// assert_eq!(index.metadata(0).map(|counts| counts.mapped), Some(1));
/// assert_eq!(index.unplaced(), Some(0));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Index {
    format: Format,
    scheme: Scheme,
    /// The file, decompressed. References are decoded when they are asked for.
    bytes: Vec<u8>,
    /// Where each reference starts in the bytes.
    starts: Vec<usize>,
    /// Where the first record of each reference starts in the file; the largest offset where there is none.
    firsts: Vec<VirtualOffset>,
    /// Where the first record with a reference starts and the last one ends; `None` if there is no such record.
    span: Option<Segment>,
    /// Why the references can't all be those of one sorted file, if they can't.
    misfit: Option<&'static str>,
    unplaced: Option<u64>,
}

/// The most bytes an index may have, decompressed.
///
/// ```
/// assert_eq!(biofast_bam::index::MAX_INDEX, 1 << 30);
/// ```
pub const MAX_INDEX: u64 = 1 << 30;

/// What an index says of one reference.
#[derive(Clone, Debug, Default)]
struct ReferenceIndex {
    /// Sorted by number, without the bin that holds the counts.
    bins: Vec<Bin>,
    /// The chunks of all bins.
    chunks: Vec<Segment>,
    /// BAI: for each window of 2^14 bases the first record that overlaps it.
    linear: Vec<VirtualOffset>,
    metadata: Option<Metadata>,
}

#[derive(Clone, Debug)]
struct Bin {
    number: u32,
    /// CSI: the first record that overlaps the bin's start.
    first: VirtualOffset,
    chunks: std::ops::Range<usize>,
}

/// What an index counts of one reference.
///
/// ```
/// use biofast_bam::index::{Format, Index};
/// # use biofast_bam::{Header, RecordBuf, Writer};
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-metadata-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.bam");
/// # let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// # let mut writer = Writer::create(&path, &header)?;
/// # writer.write(&RecordBuf::mapped("r", 0, 9, "1M".parse()?).sequence(b"A").build()?)?;
/// # writer.finish()?;
///
/// let writer = Writer::builder(&header).index(Format::Bai).create(&path)?;
/// writer.finish()?;
/// // There are no records.
/// assert_eq!(Index::open(folder.join("x.bam.bai"))?.metadata(0), None);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Where the records of the reference are.
    pub segment: Segment,
    /// Mapped records.
    pub mapped: u64,
    /// Unmapped records that have a place on the reference.
    pub unmapped: u64,
}

impl Index {
    /// Reads a BAI or CSI file, which of them it is decided by content.
    ///
    /// # Errors
    /// If the file can't be read, is cut short, contradicts itself, or has more than [`MAX_INDEX`] bytes. No length in it is
    /// believed before the bytes it speaks of are there.
    pub fn open(path: impl AsRef<Path>) -> Result<Index, crate::Error> {
        read::open(path.as_ref())
    }

    /// Reads BAI or CSI from anything, under the given label in messages. It is read to its end, and decompressed if need be.
    ///
    /// # Errors
    /// As [`open`](Index::open).
    pub fn read(label: &str, reader: impl std::io::Read) -> Result<Index, crate::Error> {
        read::read(label, reader)
    }

    /// The format it was read from.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The size of the smallest bins, as a power of 2.
    pub fn min_shift(&self) -> u8 {
        self.scheme.min_shift
    }

    /// The levels of bins below the largest one.
    pub fn depth(&self) -> u8 {
        self.scheme.depth
    }

    /// How many references it covers.
    pub fn reference_count(&self) -> usize {
        self.starts.len()
    }

    /// The counts of a reference, if the index has them.
    pub fn metadata(&self, reference: usize) -> Option<Metadata> {
        self.reference(reference)?.metadata
    }

    /// How many records have no reference, if the index says so.
    pub fn unplaced(&self) -> Option<u64> {
        self.unplaced
    }
}
