//! `--quiet` and `--verbose`.

use super::GENERAL;
use crate::console::Console;
use crate::session::Session;

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

impl Messages {
    /// Where notes and warnings go, if they are wanted.
    pub(crate) fn console<'s>(&self, session: &'s Session) -> Option<&'s Console> {
        self.of(&session.console)
    }

    /// A console, if notes and warnings are wanted.
    pub(crate) fn of<'s>(&self, console: &'s Console) -> Option<&'s Console> {
        (!self.quiet).then_some(console)
    }
}
