//! In place of a decoder that this build doesn't have.

use std::io;

use super::decode::Opened;

pub(super) fn open() -> io::Result<Opened> {
    Ok(None)
}
