//! Read buffers sized by the file, as an rsync clone has them: small for small files, never above 256 KB.
//! Used by entry 035.

use std::fs::File;
use std::io::{self, Read as _};

/// The buffer for a file of `len` bytes: 4 KB up to 64 KB, 64 KB up to 1 MB, 256 KB beyond.
pub(crate) fn buffer_size(len: u64) -> usize {
    match len {
        0..=0x1_0000 => 4 << 10,
        0x1_0001..=0x10_0000 => 64 << 10,
        _ => 256 << 10,
    }
}

/// Reads a file to its end through a buffer and returns how many calls of `read` that took, the last one, which
/// finds nothing, included.
pub(crate) fn read_through(
    file: &mut File,
    buffer: &mut [u8],
    mut take: impl FnMut(&[u8]),
) -> io::Result<u64> {
    let mut calls = 0;
    loop {
        let read = match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        calls += 1;
        if read == 0 {
            return Ok(calls);
        }
        take(&buffer[..read]);
    }
}
