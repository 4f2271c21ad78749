//! No zstd: this build can't write it. The same functions as `enabled.rs` has, for a type that has no values.

use std::io;

/// A compressor, of which there are none.
pub(crate) enum ZstdCompressor {}

impl ZstdCompressor {
    /// # Errors
    /// Always.
    pub(crate) fn new(_level: i32) -> io::Result<ZstdCompressor> {
        let text = "this build can't write zstd (feature 'zstd' is off)";
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }

    /// Can't be called.
    pub(crate) fn compress(&mut self, _text: &[u8], _out: &mut Vec<u8>) -> io::Result<()> {
        match *self {}
    }
}
