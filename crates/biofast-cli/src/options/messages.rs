//! `--quiet` and `--verbose`.

/// How much is said on standard error.
#[derive(clap::Args)]
pub(crate) struct Messages {
    /// No progress bar, no notes, no warnings and no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Say how each input was read, and why: source, container, decoder, threads, kernels
    #[arg(short, long)]
    pub(crate) verbose: bool,
}
