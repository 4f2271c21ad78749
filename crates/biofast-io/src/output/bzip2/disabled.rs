//! No bzip2: this build can't write it. The same functions as `enabled.rs` has, for a type that has no values.

use std::io;

/// A compressor, of which there are none.
pub(crate) enum Bzip2Compressor {}

impl Bzip2Compressor {
    /// # Errors
    /// Always.
    pub(crate) fn new(_level: u8) -> io::Result<Bzip2Compressor> {
        let text = "this build can't write bzip2 (feature 'bzip2' is off)";
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }

    /// Can't be called.
    pub(crate) fn compress(&mut self, _text: &[u8], _out: &mut Vec<u8>) -> io::Result<()> {
        match *self {}
    }
}
