//! `--strict` and `--allow-missing-eof`.

use biofast::io::Options;

/// What is done about inputs that break a rule but can be read.
#[derive(clap::Args)]
pub(crate) struct Strictness {
    /// Accept BAM or CRAM without its end-of-file marker
    #[arg(long)]
    pub(crate) allow_missing_eof: bool,

    /// Treat as errors what otherwise gives a warning: input that breaks a rule of its format without losing anything
    #[arg(long)]
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
