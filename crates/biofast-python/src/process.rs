//! Which process something belongs to: after a fork the child has no threads but one, so that whoever waits for another waits
//! for ever, and what it would clean up is the parent's.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The process in which something was made.
#[derive(Clone, Copy)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) fn current() -> Process {
        Process(std::process::id())
    }

    pub(crate) fn is_current(self) -> bool {
        self.0 == std::process::id()
    }

    /// An error in a child.
    pub(crate) fn check(self, what: &str) -> PyResult<()> {
        if self.is_current() {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(format!(
            "{what} was opened before the process was forked, and its threads aren't in the child: open it there"
        )))
    }
}
