//! Errors of the toolkit as exceptions of `biofast._errors`.

use std::io;

use biofast_bam as bam;
use biofast_cli::{Fault, FaultKind};
use biofast_fastq as fastq;
use biofast_io as bytes;
use biofast_io::Location;
use biofast_ops::shards;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What ends a reading early.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    Bytes(bytes::Error),
    Reads(fastq::Error),
    Alignments(bam::Error),
    /// A part of a file that isn't there, or not what it was.
    Shard(shards::Error),
    /// A record that can't be what was asked for.
    Record {
        at: Location,
        text: String,
    },
    /// Something was asked for that there isn't.
    Usage(String),
}

impl ReadFailure {
    /// What a Python object raised that was read from.
    fn raised(&self, py: Python<'_>) -> Option<PyErr> {
        let bytes = match self {
            ReadFailure::Bytes(error) => error,
            ReadFailure::Reads(error) => match error.kind() {
                fastq::ErrorKind::Io(error) => error,
                _ => return None,
            },
            ReadFailure::Alignments(error) => match error.kind() {
                bam::ErrorKind::Io(error) => error,
                _ => return None,
            },
            ReadFailure::Shard(_) | ReadFailure::Record { .. } | ReadFailure::Usage(_) => {
                return None;
            }
        };
        match bytes.kind() {
            bytes::ErrorKind::Io(error) => {
                Some(error.get_ref()?.downcast_ref::<PyErr>()?.clone_ref(py))
            }
            _ => None,
        }
    }
}

impl From<bytes::Error> for ReadFailure {
    fn from(error: bytes::Error) -> ReadFailure {
        ReadFailure::Bytes(error)
    }
}

impl From<fastq::Error> for ReadFailure {
    fn from(error: fastq::Error) -> ReadFailure {
        ReadFailure::Reads(error)
    }
}

impl From<bam::Error> for ReadFailure {
    fn from(error: bam::Error) -> ReadFailure {
        ReadFailure::Alignments(error)
    }
}

impl From<shards::Error> for ReadFailure {
    fn from(error: shards::Error) -> ReadFailure {
        ReadFailure::Shard(error)
    }
}

impl From<bytes::output::Error> for ReadFailure {
    fn from(error: bytes::output::Error) -> ReadFailure {
        ReadFailure::Alignments(error.into())
    }
}

impl From<ReadFailure> for PyErr {
    fn from(trouble: ReadFailure) -> PyErr {
        let (kind, text, at) = match &trouble {
            ReadFailure::Bytes(error) => of_bytes(error),
            ReadFailure::Reads(error) => match error.kind() {
                fastq::ErrorKind::Io(error) => of_bytes(error),
                fastq::ErrorKind::Output(error) => of_output(error),
                _ => (FaultKind::Format, error.to_string(), error.at().clone()),
            },
            ReadFailure::Alignments(error) => match error.kind() {
                bam::ErrorKind::Io(error) => of_bytes(error),
                bam::ErrorKind::Output(error) => of_output(error),
                bam::ErrorKind::BadRegion { .. } | bam::ErrorKind::UnknownReference { .. } => {
                    (FaultKind::Usage, error.to_string(), error.at().clone())
                }
                _ => (FaultKind::Format, error.to_string(), error.at().clone()),
            },
            ReadFailure::Shard(error) => match error.kind() {
                shards::ErrorKind::Io(kind) => {
                    (FaultKind::System(kind.kind()), error.to_string(), error.at().clone())
                }
                shards::ErrorKind::Bytes(error) => of_bytes(error),
                _ => (FaultKind::Format, error.to_string(), error.at().clone()),
            },
            ReadFailure::Record { at, text } => {
                (FaultKind::Format, format!("{at}: {text}"), at.clone())
            }
            ReadFailure::Usage(text) => (FaultKind::Usage, text.clone(), Location::default()),
        };
        Python::attach(|py| {
            let error = exception(py, kind, &text, None, &at);
            if let Some(cause) = trouble.raised(py) {
                error.set_cause(py, Some(cause));
            }
            error
        })
    }
}

fn of_bytes(error: &bytes::Error) -> (FaultKind, String, Location) {
    let kind = match error.kind() {
        bytes::ErrorKind::Io(error) => FaultKind::System(error.kind()),
        bytes::ErrorKind::NotAFile(_) => FaultKind::System(io::ErrorKind::IsADirectory),
        bytes::ErrorKind::Cancelled => FaultKind::Cancelled,
        _ => FaultKind::Format,
    };
    (kind, error.to_string(), error.at().clone())
}

fn of_output(error: &bytes::output::Error) -> (FaultKind, String, Location) {
    let at = Location::in_input(&error.name().into());
    (FaultKind::System(error.kind()), error.to_string(), at)
}

/// The exception of a run's error.
pub(crate) fn of_fault(py: Python<'_>, fault: &Fault) -> PyErr {
    exception(py, fault.kind, &fault.text, fault.hint.as_deref(), &fault.at)
}

fn exception(
    py: Python<'_>,
    kind: FaultKind,
    text: &str,
    hint: Option<&str>,
    at: &Location,
) -> PyErr {
    let class = match kind {
        FaultKind::Usage => "UsageError",
        FaultKind::Format => "FormatError",
        FaultKind::System(kind) => match kind {
            io::ErrorKind::NotFound => "MissingFileError",
            io::ErrorKind::PermissionDenied => "AccessError",
            io::ErrorKind::IsADirectory => "FolderError",
            // What another library inflates, and finds cut or damaged.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => "FormatError",
            _ => "FileError",
        },
        FaultKind::Cancelled => return PyKeyboardInterrupt::new_err(text.to_owned()),
        _ => "Error",
    };
    let make = || -> PyResult<PyErr> {
        let class = py.import("biofast._errors")?.getattr(class)?;
        let more = PyDict::new(py);
        more.set_item("path", at.name.as_deref())?;
        more.set_item("record", at.record)?;
        more.set_item("line", at.line)?;
        more.set_item("offset", at.offset.or(at.block))?;
        more.set_item("hint", hint)?;
        Ok(PyErr::from_value(class.call((text,), Some(&more))?))
    };
    make().unwrap_or_else(|error| error)
}

/// What can't happen unless this package is wrong.
pub(crate) fn internal(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("biofast is wrong: {error}"))
}
