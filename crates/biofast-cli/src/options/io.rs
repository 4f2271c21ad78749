//! `--io`.

use biofast_io::{IoMode, Options};
use clap::ValueEnum;

use super::GENERAL;

/// How files are read.
#[derive(clap::Args)]
pub(crate) struct Io {
    /// How to read input files
    #[arg(long, value_enum, default_value_t = Mode::Auto, value_name = "MODE", help_heading = GENERAL)]
    io: Mode,
}

impl Io {
    /// Options that read so.
    pub(crate) fn apply(&self, options: Options) -> Options {
        let io = match self.io {
            Mode::Auto => IoMode::Auto,
            Mode::Mmap => IoMode::Mmap,
            Mode::Read => IoMode::Read,
        };
        Options { io, ..options }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    /// Map files of 50 MB or more into memory, and read others
    Auto,
    /// Map all files into memory
    Mmap,
    /// Read all files
    Read,
}
