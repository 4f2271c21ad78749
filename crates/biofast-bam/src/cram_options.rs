//! How CRAM is written, and what of the records is lost.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::output::Level;

/// The version of CRAM that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CramVersion {
    /// 3.0, which all readers know.
    #[default]
    V3_0,
    /// 3.1: smaller. htslib reads it from 1.12 on; Picard 3.4 doesn't.
    V3_1,
}

/// How CRAM is written.
///
/// ```
/// use biofast_bam::CramOptions;
///
/// let options = CramOptions::default().threads(4);
/// assert_eq!(options.reference_path(), None);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CramOptions {
    pub(crate) version: CramVersion,
    reference: Option<PathBuf>,
    pub(crate) bases: StoredBases,
    pub(crate) effort: Effort,
    pub(crate) threads: usize,
    pub(crate) losses: Arc<Mutex<Losses>>,
}

/// How the bases of aligned reads are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredBases {
    /// As differences from a reference that readers have.
    Differences,
    /// The same, and with the reference.
    WithReference,
    /// As they are.
    AsTheyAre,
}

impl Default for CramOptions {
    fn default() -> CramOptions {
        CramOptions {
            version: CramVersion::default(),
            reference: None,
            bases: StoredBases::Differences,
            effort: Effort::Balanced,
            threads: biofast_io::available_threads(),
            losses: Arc::default(),
        }
    }
}

impl CramOptions {
    /// The version of the format.
    pub fn version(mut self, version: CramVersion) -> Self {
        self.version = version;
        self
    }

    /// The FASTA file of the reference sequences: only what differs from them is stored. A header with reference sequences needs one,
    /// unless the file is to be [without](Self::without_reference), or the environment says where they are, as it does for htslib
    /// (`REF_CACHE`, `REF_PATH`): in files named by their MD5 sums, which the header then has to have. Nothing is downloaded.
    pub fn reference(mut self, fasta: impl Into<PathBuf>) -> Self {
        self.reference = Some(fasta.into());
        self
    }

    /// Also stores the bases of the reference that reads are aligned to, so that the file can be read without it. Records must be
    /// sorted by coordinate, as the header has to say.
    pub fn embed_reference(mut self) -> Self {
        self.bases = StoredBases::WithReference;
        self
    }

    /// Stores the bases of aligned reads as they are: larger, and to be read without a reference.
    pub fn without_reference(mut self) -> Self {
        self.bases = StoredBases::AsTheyAre;
        self
    }

    /// How hard to compress: fast, balanced (the default) or small. A number is the nearest of these: up to 3 fast, from 8 on small.
    pub fn level(mut self, level: Level) -> Self {
        self.effort = match level {
            Level::Fast | Level::Number(..=3) => Effort::Fast,
            Level::Small | Level::Number(8..) => Effort::Small,
            Level::Balanced | Level::Number(_) => Effort::Balanced,
        };
        self
    }

    /// Threads that make containers; with fewer than two, the one that writes does.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The FASTA file of the reference.
    pub fn reference_path(&self) -> Option<&Path> {
        self.reference.as_deref()
    }

    /// What was lost of the records written so far.
    pub fn losses(&self) -> Losses {
        *self.losses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to search for what is short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    Fast,
    Balanced,
    Small,
}

/// How many records have something that CRAM doesn't hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// A CIGAR with `=`, `X`, neighbouring operations of one kind or such of length 0, or of an unmapped read.
    pub cigars: u64,
    /// An unmapped read's mapping quality.
    pub mapping_qualities: u64,
    /// Flags above 0xfff.
    pub flags: u64,
    /// A mate's reference, of a read that isn't paired.
    pub mates: u64,
}

impl Losses {
    /// Adds those of other records.
    pub fn add(&mut self, other: Losses) {
        self.cigars += other.cigars;
        self.mapping_qualities += other.mapping_qualities;
        self.flags += other.flags;
        self.mates += other.mates;
    }
}
