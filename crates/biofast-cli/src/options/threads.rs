//! `--threads`, and how much each of them takes.

use std::num::NonZeroUsize;

use biofast_io::Options;

use super::GENERAL;

/// How many threads there are, and what each takes at once.
#[derive(clap::Args)]
pub(crate) struct Threads {
    /// Number of threads [default: all CPUs available to the process]
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = number, help_heading = GENERAL)]
    threads: Option<NonZeroUsize>,

    /// Decompressed bytes per chunk of work; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<NonZeroUsize>,
}

impl Threads {
    /// The number that was asked for.
    pub(crate) fn asked(&self) -> Option<NonZeroUsize> {
        self.threads
    }

    /// The number there are.
    pub(crate) fn total(&self) -> usize {
        self.threads.map_or_else(biofast_io::available_threads, usize::from)
    }

    /// Options for a reader that has all of them.
    pub(crate) fn options(&self) -> Options {
        // The system is asked how many threads it allows only if nobody says.
        let options = match self.threads {
            Some(threads) => Options::serial().with_threads(threads.into()),
            None => Options::default(),
        };
        Options { chunk_size: self.chunk_size.map_or(options.chunk_size, usize::from), ..options }
    }
}

/// More threads than any machine has use for are a slip of the finger.
const MOST_THREADS: usize = 1024;

/// A number of threads as typed.
fn number(typed: &str) -> Result<NonZeroUsize, String> {
    let number = typed.parse().ok().filter(|number: &NonZeroUsize| number.get() <= MOST_THREADS);
    number.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
}
