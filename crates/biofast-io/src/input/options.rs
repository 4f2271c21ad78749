//! How inputs are read, for every reader of the toolkit.

use std::sync::Arc;

use super::notes::{Notes, Progress};

/// Regular files of this many bytes and more are memory-mapped under [`IoMode::Auto`].
///
/// 50 MB is where an earlier study on macOS saw maps with advice overtake buffered reads. Entry
/// 032 of the laboratory has what was measured on Linux, by consumer and cache; macOS was not
/// measured, and the rule is kept for its sake.
pub const MMAP_THRESHOLD: u64 = 50_000_000;

/// How a regular file is read. Streams are always read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IoMode {
    /// Map files of [`MMAP_THRESHOLD`] bytes and more, read the others.
    #[default]
    Auto,
    /// Map every regular file that isn't empty, where the build and the system can.
    Mmap,
    /// Never map.
    Read,
}

/// What the system is told about a memory map. For experiments: the default is what entry 032 of
/// the laboratory bears out.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapAdvice {
    /// Read once, front to back.
    pub sequential: bool,
    /// All of it will be needed soon.
    pub will_need: bool,
    /// Text is mapped in a chunk at a time, by one call before it is touched.
    pub populate: bool,
    /// Compressed blocks are mapped in a chunk at a time, by one call before they are touched.
    pub populate_blocks: bool,
}

impl MapAdvice {
    /// Nothing: pages come in as they are touched.
    pub const NONE: MapAdvice =
        MapAdvice { sequential: false, will_need: false, populate: false, populate_blocks: false };
    /// What readers use.
    pub const DEFAULT: MapAdvice = MapAdvice {
        sequential: true,
        will_need: cfg!(target_os = "macos"),
        populate: true,
        populate_blocks: false,
    };
}

/// How to read, for every reader of the toolkit.
#[derive(Clone, Debug)]
pub struct Options {
    /// Map or read.
    pub io: IoMode,
    /// About maps; for experiments.
    #[doc(hidden)]
    pub advice: MapAdvice,
    /// Compressed bytes of the chunks in which a parallel reader inflates ordinary gzip, whatever the input and the number of
    /// threads; 0 for none. For tests; `BIOFAST_GZIP_PIECE` is for users.
    #[doc(hidden)]
    pub gzip_piece: Option<usize>,
    /// The total number of threads a parallel reader may use, at least 1.
    pub threads: usize,
    /// Decompressed bytes a worker takes at once, between 1 and
    /// [`MAX_CHUNK_SIZE`](Options::MAX_CHUNK_SIZE); a value outside is taken as the nearest one.
    /// Results never depend on it.
    pub chunk_size: usize,
    /// Treat a missing BGZF end-of-file block as an error, and blank lines inside FASTQ.
    pub strict: bool,
    /// Take alignments by the letter of their specification: what is otherwise read with a [`Warning::Tolerated`] is an
    /// error.
    pub pedantic: bool,
    /// Where to count consumed bytes.
    pub progress: Option<Arc<Progress>>,
    /// Where to leave warnings and what was found out about the input.
    pub notes: Option<Arc<Notes>>,
}

impl Options {
    /// Nine BGZF blocks: what fits beside a worker's tables in a second-level cache of 1 MB, and three times as many as
    /// `biofast-deflate` inflates at once on x86-64.
    pub const DEFAULT_CHUNK_SIZE: usize = 9 * 65_536;
    /// 1 GiB.
    pub const MAX_CHUNK_SIZE: usize = 1 << 30;

    /// The defaults for one thread. Costs nothing, while the default asks the system how many
    /// threads it allows.
    pub const fn serial() -> Options {
        Options {
            io: IoMode::Auto,
            advice: MapAdvice::DEFAULT,
            gzip_piece: None,
            threads: 1,
            chunk_size: Options::DEFAULT_CHUNK_SIZE,
            strict: false,
            pedantic: false,
            progress: None,
            notes: None,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: crate::available_threads(), ..Options::serial() }
    }
}
