//! The extension module of the Python package `biofast`: the commands, for the Python code in `python/biofast`,
//! which has the public names and their documentation.
//!
//! Nothing is computed here. Whatever takes long runs detached from the interpreter, and looks for signals meanwhile
//! ([`attended`]).

mod attended;
mod command;
mod errors;

use pyo3::prelude::*;

/// What the Python package needs of the toolkit.
#[pymodule(gil_used = false)]
mod _biofast {
    #[pymodule_export]
    use super::command::{main, page, run};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
