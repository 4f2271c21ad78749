//! In place of a decoder that this build doesn't have.

use std::io;

use super::Opened;

pub(super) fn open() -> io::Result<Opened> {
    Ok(None)
}
