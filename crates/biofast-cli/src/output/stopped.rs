//! How a run ends whose outputs may have been closed by their readers.

use std::process::ExitCode;

use anyhow::Result;
use biofast::io::output;
use biofast::io::pipeline::Failure;

/// The result of a run whose outputs may have been closed by their reader.
pub(crate) enum Stopped {
    /// What reads from us has had enough, and nothing else was promised.
    ByReader,
    /// Something went wrong.
    By(anyhow::Error),
}

impl Stopped {
    /// The failure of an output. Where something else was promised, the outputs outlast their readers.
    pub(crate) fn output(error: output::Error) -> Stopped {
        match error.is_closed_pipe() {
            true => Stopped::ByReader,
            false => Stopped::By(error.into()),
        }
    }

    /// The same of a [`Failure`].
    pub(crate) fn failure<E>(failure: Failure<E>) -> Stopped
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        match failure {
            Failure::Input(error) => Stopped::By(error.into()),
            Failure::Output(error) => Stopped::output(error),
        }
    }

    /// The exit code, or the error.
    pub(crate) fn code(self) -> Result<ExitCode> {
        match self {
            Stopped::ByReader => Ok(ExitCode::SUCCESS),
            Stopped::By(error) => Err(error),
        }
    }
}
