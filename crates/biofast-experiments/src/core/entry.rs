//! What an entry's code provides: for each condition, something to call. Implemented by the files under
//! `entries/`, called by the runner.

use std::path::PathBuf;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::cell::Cell;
use super::inputs::Lab;
use super::page_cache::Fill;
use crate::datasets::to_hex;

/// What one call of a condition found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The answer in full or as a checksum; conditions that do the same work must agree on it.
    pub(crate) answer: String,
    /// Bytes of input worked on.
    pub(crate) bytes: u64,
    /// What the entry measured itself, by name: further columns of the measurements.
    pub(crate) values: Vec<(String, f64)>,
    /// The answer takes time to find: the task is called again with 0 calls, off the clock, and then
    /// answers from what it kept, without doing the work again.
    pub(crate) deferred: bool,
}

impl Outcome {
    /// An answer about so many bytes.
    pub(crate) fn new(answer: impl ToString, bytes: usize) -> Self {
        Outcome { answer: answer.to_string(), bytes: bytes as u64, ..Outcome::default() }
    }

    /// An answer too long to be kept: its checksum.
    pub(crate) fn hashed(answer: impl AsRef<[u8]>, bytes: usize) -> Self {
        let digest = Sha256::digest(answer.as_ref());
        Outcome::new(to_hex(&digest[..8]), bytes)
    }

    /// The answer comes when the task is called with 0 calls.
    pub(crate) fn deferred() -> Self {
        Outcome { deferred: true, ..Outcome::default() }
    }

    /// With a value the entry measured.
    pub(crate) fn with(mut self, name: &str, value: f64) -> Self {
        self.values.push((name.to_owned(), value));
        self
    }
}

/// A condition ready to be timed, called with how often to do its work before it returns the last outcome.
/// What it borrows or owns was made before the clock starts.
pub(crate) type Task<'a> = Box<dyn FnMut(u64) -> Result<Outcome> + 'a>;

/// Does the work `calls` times and returns the last result. Results are looked at, so that no call is left out.
pub(crate) fn repeat<R>(calls: u64, mut work: impl FnMut() -> R) -> R {
    for _ in 1..calls {
        std::hint::black_box(work());
    }
    work()
}

/// The page cache before a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cache {
    /// The files' pages are resident, which is verified; plain reads from front to back brought them there.
    Warm,
    /// None of them is, which is verified.
    Cold,
    /// They are resident, and this brought them there.
    Filled(Fill),
}

/// One entry of the notebook as code.
pub(crate) trait Entry: Sync {
    /// Whether this machine can run a condition, and whether the combination makes sense.
    fn applies(&self, _cell: &Cell) -> bool {
        true
    }

    /// Makes a condition ready. In a child process this is part of what is measured.
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>>;

    /// Environment variables of the child process that runs a condition, where conditions run in such.
    fn environment(&self, _cell: &Cell) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The files a condition reads, and the state of the page cache it needs. They are built and verified
    /// before the run.
    fn files(&self, _cell: &Cell, _lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(Vec::new())
    }
}
