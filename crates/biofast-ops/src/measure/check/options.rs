//! What is checked, and how files are read for it.

use std::path::PathBuf;
use std::sync::Arc;

use biofast_io::Notes;

use super::format::CheckedFormat;
use super::outcome::Outcome;

/// How to check.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// How to read; `strict` is set by the check itself, and so are `notes` where there are none.
    pub io: &'a biofast_io::Options,
    /// A FASTA file with the reference sequences of CRAM.
    pub reference: Option<PathBuf>,
    /// Whether the end-of-file marker of BGZF and CRAM may be missing.
    pub allow_missing_eof: bool,
    /// Whether to gather what the check of pairs needs.
    pub pairs: bool,
    /// Whether to gather number and checksum of the records. CRAM then needs its reference.
    pub checksum: bool,
    /// What the input must hold; by default what its content says.
    pub expected: Option<CheckedFormat>,
}

impl<'a> Options<'a> {
    /// The strictest check that reads as `io` says.
    pub fn new(io: &'a biofast_io::Options) -> Options<'a> {
        Options {
            io,
            reference: None,
            allow_missing_eof: false,
            pairs: false,
            checksum: false,
            expected: None,
        }
    }

    /// Takes the reference sequences of CRAM from this FASTA file.
    #[must_use]
    pub fn with_reference(mut self, path: impl Into<PathBuf>) -> Options<'a> {
        self.reference = Some(path.into());
        self
    }

    /// Whether the end-of-file marker of BGZF and CRAM may be missing.
    #[must_use]
    pub fn with_allow_missing_eof(mut self, allow: bool) -> Options<'a> {
        self.allow_missing_eof = allow;
        self
    }

    /// Whether to gather what the check of pairs needs.
    #[must_use]
    pub fn with_pairs(mut self, pairs: bool) -> Options<'a> {
        self.pairs = pairs;
        self
    }

    /// Whether to gather number and checksum of the records.
    #[must_use]
    pub fn with_checksum(mut self, checksum: bool) -> Options<'a> {
        self.checksum = checksum;
        self
    }

    /// What the input must hold.
    #[must_use]
    pub fn with_expected(mut self, format: CheckedFormat) -> Options<'a> {
        self.expected = Some(format);
        self
    }
}

/// What was noticed of the bytes. How much of what stands behind a fault was read depends on the threads.
pub(super) fn noted(notes: &Notes, outcome: &Outcome) -> Vec<biofast_io::Warning> {
    use biofast_io::Warning::{BlankLines, Noticed, Tolerated};
    let mut all = notes.warnings();
    if outcome.fault.is_some() {
        let good = outcome.records.unwrap_or(0);
        all.retain(|note| match note {
            BlankLines { .. } => true,
            Noticed { first, .. } | Tolerated { first, .. } => {
                first.record.is_none_or(|record| record <= good)
            }
            _ => false,
        });
    }
    all
}

/// How the bytes are read, and what is noticed then.
pub(super) fn reading(options: &Options<'_>) -> (biofast_io::Options, Arc<Notes>) {
    let notes = options.io.notes.clone().unwrap_or_default();
    let io = biofast_io::Options {
        strict: !options.allow_missing_eof,
        allow_missing_eof: options.allow_missing_eof,
        pedantic: true,
        notes: Some(Arc::clone(&notes)),
        ..options.io.clone()
    };
    (io, notes)
}
