//! How inputs are read, for every reader of the toolkit.

use std::sync::Arc;

use super::notes::{CancellationToken, Notes, Progress};

/// Regular files of this many bytes and more are memory-mapped under [`IoMode::Auto`].
///
/// 50 MB is where an earlier study on macOS saw maps with advice overtake buffered reads. Entries
/// 032 and 055 of the laboratory have what was measured on Linux, by size, consumer and what had filled the
/// page cache: mapping gains up to a quarter on large files where the cache holds large folios, and is else equal. macOS
/// was not measured.
pub const MMAP_THRESHOLD: u64 = 50_000_000;

/// How a regular file is read. Streams are always read. [`Read`](IoMode::Read) is better for a file that another
/// program may truncate, or on a network that may fail.
///
/// The first map of a process installs a handler of SIGBUS (on Unix) for the whole process. It turns a file that is cut
/// while it is mapped into the error [`Shrunk`](crate::ErrorKind::Shrunk), and hands every other SIGBUS to the handler
/// that was there before. A program that installs its own *after* that must pass on what it doesn't know, or a cut file
/// ends the program. [`Read`](IoMode::Read), and a build without the feature `mmap`, install nothing.
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

/// What makes two reads the mates of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MateNaming {
    /// Names agree apart from `/1` and `/2`, and neither read says that it is the other mate, in its name or in its description
    /// (`2:N:0:ACGT`).
    #[default]
    Strict,
    /// Names agree apart from `/1`, `.1`, `_1`, `:1` or `-1` at the end of the first and the same with 2 at the end of the second.
    /// Descriptions don't count.
    Names,
}

/// How to read, for every reader of the toolkit.
///
/// ```
/// use biofast_io::{Notes, Options};
/// use std::sync::Arc;
///
/// // All threads, and warnings are wanted.
/// let notes = Arc::new(Notes::default());
/// let options = Options { notes: Some(Arc::clone(&notes)), ..Options::default() };
/// assert_eq!(options.threads, biofast_io::available_threads());
/// // One thread, and a missing end-of-file block is an error.
/// let strict = Options { strict: true, ..Options::serial() };
/// assert_eq!(strict.threads, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Map or read. A map installs a handler of SIGBUS: see [`IoMode`].
    pub io: IoMode,
    /// The total number of threads a parallel reader may use, at least 1.
    pub threads: usize,
    /// Decompressed bytes a worker takes at once, between 1 and
    /// [`MAX_CHUNK_SIZE`](Options::MAX_CHUNK_SIZE); a value outside is taken as the nearest one.
    /// Results never depend on it.
    pub chunk_size: usize,
    /// Treat a missing BGZF end-of-file block as an error in every format, and blank lines inside FASTQ.
    pub strict: bool,
    /// Alignments (BAM, CRAM, SAM in BGZF) without their end-of-file block or container are read with a
    /// [`Warning`](crate::Warning) in [`notes`](Options::notes). Otherwise that is an error, as they may have been cut
    /// between two blocks, which nothing else shows.
    pub allow_missing_eof: bool,
    /// Take alignments by the letter of their specification: what is otherwise read with a
    /// [`Warning::Tolerated`](crate::Warning::Tolerated) is an error.
    pub pedantic: bool,
    /// What makes mates of two reads.
    pub mates: MateNaming,
    /// Where to count consumed bytes.
    pub progress: Option<Arc<Progress>>,
    /// What ends reading before the data do.
    pub cancellation: Option<CancellationToken>,
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
            threads: 1,
            chunk_size: Options::DEFAULT_CHUNK_SIZE,
            strict: false,
            allow_missing_eof: false,
            pedantic: false,
            mates: MateNaming::Strict,
            progress: None,
            cancellation: None,
            notes: None,
        }
    }

    /// These options with [`notes`](Options::notes), which are made where there are none, and the notes.
    #[must_use]
    pub fn noted(&self) -> (Options, Arc<Notes>) {
        let notes = self.notes.clone().unwrap_or_default();
        (Options { notes: Some(Arc::clone(&notes)), ..self.clone() }, notes)
    }

    /// The options for alignments: strict about their end unless [`allow_missing_eof`](Options::allow_missing_eof) is set.
    #[must_use]
    #[doc(hidden)]
    pub fn for_alignments(&self) -> Options {
        Options { strict: self.strict || !self.allow_missing_eof, ..self.clone() }
    }
}

/// Sets one option after another. The fields can be set, too, but literals (`Options { … }`) will stop compiling when
/// there are more of them.
impl Options {
    /// Maps or reads.
    #[must_use]
    pub fn with_io(mut self, io: IoMode) -> Options {
        self.io = io;
        self
    }

    /// At most so many threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Options {
        self.threads = threads;
        self
    }

    /// So many decompressed bytes for a worker at once.
    #[must_use]
    pub fn with_chunk_size(mut self, bytes: usize) -> Options {
        self.chunk_size = bytes;
        self
    }

    /// Whether a missing end-of-file block, and blank lines inside FASTQ, are errors.
    #[must_use]
    pub fn with_strict(mut self, strict: bool) -> Options {
        self.strict = strict;
        self
    }

    /// Whether alignments may lack their end-of-file block or container.
    #[must_use]
    pub fn with_allow_missing_eof(mut self, allow: bool) -> Options {
        self.allow_missing_eof = allow;
        self
    }

    /// Whether alignments are taken by the letter of their specification.
    #[must_use]
    pub fn with_pedantic(mut self, pedantic: bool) -> Options {
        self.pedantic = pedantic;
        self
    }

    /// What makes mates of two reads.
    #[must_use]
    pub fn with_mates(mut self, mates: MateNaming) -> Options {
        self.mates = mates;
        self
    }

    /// Counts consumed bytes there.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<Progress>) -> Options {
        self.progress = Some(progress);
        self
    }

    /// Leaves warnings there, and what is found out about the input.
    #[must_use]
    pub fn with_notes(mut self, notes: Arc<Notes>) -> Options {
        self.notes = Some(notes);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: crate::threads::available_threads(), ..Options::serial() }
    }
}
