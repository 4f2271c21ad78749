//! No compression: text as it is, and its CRC-32. The same functions as `enabled.rs` has.

use std::io;

pub(crate) struct Compressor;

impl Compressor {
    pub(crate) fn new() -> io::Result<Compressor> {
        Ok(Compressor)
    }

    /// Replaces `out` by what `text` becomes.
    pub(crate) fn compress(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        out.extend_from_slice(text);
        out.extend(biofast_io::crc32(text).to_le_bytes());
        Ok(())
    }
}

pub(crate) struct Decompressor;

impl Decompressor {
    pub(crate) fn new() -> io::Result<Decompressor> {
        Ok(Decompressor)
    }

    /// Fills `out` with the text that became `stored`.
    pub(crate) fn decompress(&mut self, stored: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        match stored.split_last_chunk() {
            Some((text, &sum)) if biofast_io::crc32(text) == u32::from_le_bytes(sum) => {
                out.extend_from_slice(text);
                Ok(())
            }
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "a block of other bytes")),
        }
    }
}
