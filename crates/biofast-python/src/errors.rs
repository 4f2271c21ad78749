//! Errors of the toolkit as exceptions of `biofast._errors`.

use std::io;

use biofast::io::Location;
use biofast_cli::{Fault, FaultKind};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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
