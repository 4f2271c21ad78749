//! Frames of zstd, with their checksums.

use std::io;

use zstd::bulk;

/// zstd's level: at this one it is faster than disks.
const LEVEL: i32 = 1;

pub(crate) struct Compressor(bulk::Compressor<'static>);

impl Compressor {
    pub(crate) fn new() -> io::Result<Compressor> {
        let mut codec = bulk::Compressor::new(LEVEL)?;
        codec.include_checksum(true)?;
        Ok(Compressor(codec))
    }

    /// Replaces `out` by what `text` becomes.
    pub(crate) fn compress(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        out.reserve(zstd::zstd_safe::compress_bound(text.len()));
        self.0.compress_to_buffer(text, out).map(|_| ())
    }
}

pub(crate) struct Decompressor(bulk::Decompressor<'static>);

impl Decompressor {
    pub(crate) fn new() -> io::Result<Decompressor> {
        bulk::Decompressor::new().map(Decompressor)
    }

    /// Fills `out`, which has room for it, with the text that became `stored`.
    pub(crate) fn decompress(&mut self, stored: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        self.0.decompress_to_buffer(stored, out).map(|_| ())
    }
}
