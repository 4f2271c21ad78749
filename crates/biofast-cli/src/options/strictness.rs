//! `--strict` and `--allow-missing-eof`.

use biofast_io::Options;

use super::GENERAL;

/// What is done about inputs that break a rule but can be read.
#[derive(clap::Args)]
pub(crate) struct Strictness {
    /// Accept BAM and CRAM files without an end-of-file marker
    #[arg(long, help_heading = GENERAL)]
    pub(crate) allow_missing_eof: bool,

    /// Treat format violations as errors instead of warnings, even if no data are lost
    #[arg(long, help_heading = GENERAL)]
    strict: bool,
}

impl Strictness {
    /// Options for alignments, where a missing end-of-file marker is an error unless it is allowed.
    pub(crate) fn alignments(&self, options: Options) -> Options {
        let allow_missing_eof = self.allow_missing_eof;
        Options { allow_missing_eof, pedantic: self.strict, ..options }
    }

    /// Options for FASTQ.
    pub(crate) fn reads(&self, options: Options) -> Options {
        Options { strict: self.strict, ..options }
    }
}
