//! What the programs share: their command line and what they print, the same as `biofast-lab count`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

/// What to count.
pub struct Call {
    /// A FASTQ or BAM file.
    pub file: PathBuf,
    /// Threads that may be used.
    pub threads: usize,
}

/// Records and bases.
#[derive(Clone, Copy, Default)]
pub struct Counted {
    /// Reads, or alignment records of every kind.
    pub records: u64,
    /// Of all records.
    pub bases: u64,
}

impl Counted {
    /// Adds a record of so many bases.
    pub fn add(&mut self, bases: usize) {
        self.records += 1;
        self.bases += bases as u64;
    }
}

/// The lock file, which has the versions these programs were built with.
const LOCK: &str = include_str!("../Cargo.lock");

/// Runs a program: `--version`, or `[-@N] FILE`.
///
/// # Errors
/// What `count` says, and a command line that can't be used.
pub fn run(library: &str, count: impl FnOnce(&Call) -> Result<Counted>) -> Result<()> {
    let mut call = Call { file: PathBuf::new(), threads: 1 };
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--version") => {
                println!("{library} {}", version(library).context("not in the lock file")?);
                return Ok(());
            }
            Some(option) if option.starts_with('-') => {
                let threads = option.strip_prefix("-@").context("unknown option")?;
                call.threads = threads.parse().context("-@ wants a number")?;
            }
            _ => call.file = argument.into(),
        }
    }
    if call.file.as_os_str() == OsString::new() {
        bail!("no file is given");
    }
    let Counted { records, bases } = count(&call)?;
    println!("{{\"records\":{records},\"bases\":{bases}}}");
    Ok(())
}

fn version(library: &str) -> Option<&'static str> {
    let mut lines = LOCK.lines().skip_while(|line| *line != format!("name = \"{library}\""));
    Some(lines.nth(1)?.strip_prefix("version = ")?.trim_matches('"'))
}
