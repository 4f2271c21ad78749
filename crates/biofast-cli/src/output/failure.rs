//! Errors of what reads and writes at once.

use biofast_io::pipeline::Failure;
use biofast_ops as ops;

/// An error of a run, which may be that of its reader or its writer. Hints are found by the type of these.
pub(crate) trait RunError {
    /// The reader's or the writer's error itself, or that of the run.
    fn cause(self) -> anyhow::Error;
}

/// The error of a run that reads and writes at once.
pub(crate) fn failed(error: impl RunError) -> anyhow::Error {
    error.cause()
}

impl<E> RunError for Failure<E>
where
    E: std::error::Error + Send + Sync + 'static,
{
    fn cause(self) -> anyhow::Error {
        match self {
            Failure::Input(error) => error.into(),
            Failure::Output(error) => error.into(),
        }
    }
}

impl RunError for ops::Error {
    fn cause(self) -> anyhow::Error {
        match self {
            ops::Error::Reads(error) => error.into(),
            ops::Error::Alignments(error) => error.into(),
            ops::Error::Output(error) => error.into(),
            error => error.into(),
        }
    }
}

/// Of a run that may also fail to do what the command asked it to.
impl RunError for anyhow::Error {
    fn cause(self) -> anyhow::Error {
        self.downcast::<ops::Error>().map_or_else(|error| error, RunError::cause)
    }
}
