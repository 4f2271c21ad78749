//! In place of `index.rs` in a build that reads no FASTA: the same functions, which fail.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::Entry;

/// # Errors
/// Always.
pub(super) fn read(_path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this build of biofast can't read FASTA: it was built without the feature 'cram'",
    ))
}

/// # Errors
/// Always.
pub(super) fn of(path: &Path) -> io::Result<HashMap<Vec<u8>, Entry>> {
    read(path)
}
