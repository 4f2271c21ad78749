//! Frames by the reference library.

use std::io;

use zstd::bulk;
use zstd::zstd_safe::{CParameter, compress_bound};

/// Makes a frame of each text.
pub(crate) struct ZstdCompressor(bulk::Compressor<'static>);

impl ZstdCompressor {
    /// # Errors
    /// If there is no memory.
    pub(crate) fn new(level: i32) -> io::Result<ZstdCompressor> {
        let mut codec = bulk::Compressor::new(level)?;
        // Frames are checked by who reads them, as BGZF blocks are.
        codec.set_parameter(CParameter::ChecksumFlag(true))?;
        Ok(ZstdCompressor(codec))
    }

    /// Appends the frame of `text` to `out`.
    pub(crate) fn compress(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let start = out.len();
        out.resize(start + compress_bound(text.len()), 0);
        let n = self.0.compress_to_buffer(text, &mut out[start..])?;
        out.truncate(start + n);
        Ok(())
    }
}
