//! The extension module of the Python package `biofast`: commands, batches and records for the Python code in `python/biofast`,
//! which has the public names and their documentation.
//!
//! Nothing is computed here. Whatever takes long runs detached from the interpreter, and looks for signals meanwhile
//! ([`attended`]).

mod attended;
mod batch;
mod command;
mod ending;
mod errors;
mod process;
mod records;
mod scan;
mod source;
mod writer;

use pyo3::prelude::*;

/// What the Python package needs of the toolkit.
#[pymodule(gil_used = false)]
mod _biofast {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::command::{main, page, run};
    #[pymodule_export]
    use super::records::{AlignedSegment, Alignments, Read, Reads, open};
    #[pymodule_export]
    use super::scan::{Scan, columns};
    #[pymodule_export]
    use super::source::{is_object, object_name, parts_of_plan};
    #[pymodule_export]
    use super::writer::{AlignmentWriter, ReadWriter};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// To be told when the interpreter begins to end.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let ends = wrap_pyfunction!(crate::ending::ends, module)?;
        module.py().import("atexit")?.call_method1("register", (ends,)).map(drop)
    }
}
