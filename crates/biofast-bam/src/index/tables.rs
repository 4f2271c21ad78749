//! An index: its format, and the bins, chunks and offsets of each reference.

use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;

use super::bins::Scheme;

/// The format of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexFormat {
    /// BAI: references of at most 2^29 − 1 bases, smallest bins of 2^14 bases.
    Bai,
    /// CSI: any references, smallest bins of any size; compressed.
    Csi,
}

impl IndexFormat {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            IndexFormat::Bai => "bai",
            IndexFormat::Csi => "csi",
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
    pub(super) format: IndexFormat,
    pub(super) scheme: Scheme,
    /// The file, decompressed. References are decoded when they are asked for.
    pub(super) bytes: Vec<u8>,
    /// Where each reference starts in the bytes.
    pub(super) starts: Vec<usize>,
    /// Where the first record of each reference starts in the file; the largest offset where there is none.
    pub(super) firsts: Vec<VirtualOffset>,
    /// Where the first record with a reference starts and the last one ends; `None` if there is no such record.
    pub(super) span: Option<Segment>,
    /// Why the references can't all be those of one sorted file, if they can't.
    pub(super) misfit: Option<&'static str>,
    pub(super) unplaced: Option<u64>,
}

/// The maximum size of an index, decompressed: 1 GiB.
pub const MAX_INDEX: u64 = 1 << 30;

/// What an index says of one reference.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceIndex {
    /// Sorted by number, without the bin that holds the counts.
    pub(super) bins: Vec<Bin>,
    /// The chunks of all bins.
    pub(super) chunks: Vec<Segment>,
    /// BAI: for each window of 2^14 bases the first record that overlaps it.
    pub(super) linear: Vec<VirtualOffset>,
    pub(super) metadata: Option<Metadata>,
}

#[derive(Clone, Debug)]
pub(super) struct Bin {
    pub(super) number: u32,
    /// CSI: the first record that overlaps the bin's start.
    pub(super) first: VirtualOffset,
    pub(super) chunks: std::ops::Range<usize>,
}

/// The counts an index stores for a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Where the records of the reference are.
    #[doc(hidden)]
    pub segment: Segment,
    /// Mapped records.
    pub mapped: u64,
    /// Unmapped records that have a place on the reference.
    pub unmapped: u64,
}

impl Index {
    /// The format it was read from.
    pub fn format(&self) -> IndexFormat {
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

    /// Mapped and unmapped records of each reference, and how many have none, if the index counts all of them.
    pub(crate) fn counts(&self) -> Option<(Vec<[u64; 2]>, u64)> {
        let of = |reference: usize| {
            let found = self.reference(reference)?;
            match found.metadata {
                Some(counts) => Some([counts.mapped, counts.unmapped]),
                None => found.chunks.is_empty().then_some([0, 0]),
            }
        };
        let counts = (0..self.reference_count()).map(of).collect::<Option<_>>();
        counts.zip(self.unplaced)
    }

    /// How many records have no reference, if the index says so.
    pub fn unplaced(&self) -> Option<u64> {
        self.unplaced
    }
}
