//! Quality scores as Python has them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Phred scores as a numpy array of bytes, which can't be written to.
pub(super) fn scores<'py>(py: Python<'py>, scores: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    numpy.call_method1("frombuffer", (PyBytes::new(py, scores), "uint8"))
}
