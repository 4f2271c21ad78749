//! How inputs are read.

use biofast::io::{IoMode, Options};
use clap::ValueEnum;

use crate::watch::Watch;

/// How an input is read.
#[derive(clap::Args)]
pub(crate) struct Reading {
    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<std::num::NonZeroUsize>,

    /// Accept a file without its end-of-file block (BAM) or container (CRAM)
    #[arg(long)]
    pub(crate) allow_missing_eof: bool,

    /// Make an error of what breaks the rules of the format but loses nothing, and is read with a warning otherwise
    #[arg(long)]
    strict: bool,

    /// No progress bar, no notes and no summary
    #[arg(long)]
    pub(crate) quiet: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<std::num::NonZeroUsize>,
}

impl Reading {
    /// Options for an input, and what watches it.
    pub(crate) fn watch(&self) -> Watch {
        Watch::new(Options {
            strict: !self.allow_missing_eof,
            pedantic: self.strict,
            ..options(self.threads, self.chunk_size)
        })
    }
}

/// More threads than any machine has use for are a slip of the finger.
const MOST_THREADS: usize = 1024;

/// A number of threads as typed.
pub(crate) fn threads(typed: &str) -> Result<std::num::NonZeroUsize, String> {
    let number =
        typed.parse().ok().filter(|number: &std::num::NonZeroUsize| number.get() <= MOST_THREADS);
    number.ok_or_else(|| {
        let all = biofast::io::available_threads();
        format!("a number from 1 to {MOST_THREADS} is needed; without -@ all {all} of this machine are used")
    })
}

/// The options as typed; the defaults for what isn't.
pub(crate) fn options(
    threads: Option<std::num::NonZeroUsize>,
    chunk_size: Option<std::num::NonZeroUsize>,
) -> Options {
    let defaults = Options::default();
    Options {
        threads: threads.map_or(defaults.threads, usize::from),
        chunk_size: chunk_size.map_or(defaults.chunk_size, usize::from),
        ..defaults
    }
}

/// `--io`, as typed.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Io {
    /// Map files of 50 MB and more
    Auto,
    /// Map every file
    Mmap,
    /// Read every file
    Read,
}

impl From<Io> for IoMode {
    fn from(io: Io) -> IoMode {
        match io {
            Io::Auto => IoMode::Auto,
            Io::Mmap => IoMode::Mmap,
            Io::Read => IoMode::Read,
        }
    }
}
