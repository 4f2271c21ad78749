//! The header that alignments are of.

use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::Header;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::errors::ReadFailure;

/// A header that others are made under.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct SharedHeader(pub(super) Arc<Header>);

/// The header that a text, or a reading, has.
pub(crate) fn header_of(header: &Bound<'_, PyAny>) -> PyResult<Arc<Header>> {
    /// The text that was read last: alignments are made one after the other.
    static READ: Mutex<Option<(String, Arc<Header>)>> = Mutex::new(None);
    if let Ok(shared) = header.getattr("_header") {
        return Ok(Arc::clone(&shared.cast::<SharedHeader>()?.borrow().0));
    }
    let text: &str = header.extract()?;
    let mut read = READ.lock_py_attached(header.py()).unwrap_or_else(PoisonError::into_inner);
    if let Some((last, header)) = &*read
        && last == text
    {
        return Ok(Arc::clone(header));
    }
    let header = Arc::new(Header::from_text(text.as_bytes()).map_err(ReadFailure::from)?);
    *read = Some((text.to_owned(), Arc::clone(&header)));
    Ok(header)
}
