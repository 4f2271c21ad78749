//! `--quiet` and `--verbose`.

use super::GENERAL;

/// How much is said on standard error.
#[derive(clap::Args)]
pub(crate) struct Messages {
    /// Don't print progress, notes, warnings or the summary
    #[arg(short, long, help_heading = GENERAL)]
    pub(crate) quiet: bool,

    /// Report how each input is read: source, container, decoder, threads, kernels
    #[arg(short, long, help_heading = GENERAL)]
    pub(crate) verbose: bool,
}
