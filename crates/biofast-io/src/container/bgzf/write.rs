//! BGZF blocks from bytes: compressed for files, stored for streams that are read at once.

use super::Deflater;
use super::constants::EOF_BLOCK;
use crate::container::Level;

const HEADER: usize = 18;
const FOOTER: usize = 8;
/// The header of a stored deflate block.
const STORED_HEADER: usize = 5;
/// The most bytes a stored block can hold within 65,536 bytes.
const STORED_DATA: usize = 65_536 - HEADER - STORED_HEADER - FOOTER;

/// The level of [`compress`]: libdeflate's default.
const LEVEL: Level = Level::Number(6);

/// Compresses `data` to a complete BGZF file, end-of-file block included.
pub fn compress(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() / 3 + EOF_BLOCK.len());
    Deflater::new(LEVEL).deflate(data, &mut out, &mut Vec::new());
    out.extend_from_slice(&EOF_BLOCK);
    out
}

/// Appends `data` to `out` as BGZF blocks that are not compressed.
#[doc(hidden)]
pub fn store(data: &[u8], out: &mut Vec<u8>) {
    for part in data.chunks(STORED_DATA) {
        let start = out.len();
        out.resize(start + HEADER, 0);
        // At most STORED_DATA, so it fits.
        let len = part.len() as u16;
        out.push(1);
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&(!len).to_le_bytes());
        out.extend_from_slice(part);
        finish_block(out, start, part);
    }
}

/// Fills in the header at `start` and appends the footer.
fn finish_block(out: &mut Vec<u8>, start: usize, data: &[u8]) {
    out.extend_from_slice(&libdeflater::crc32(data).to_le_bytes());
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    let size = (out.len() - start - 1) as u16;
    out[start..start + HEADER].copy_from_slice(&EOF_BLOCK[..HEADER]);
    out[start + 16..start + HEADER].copy_from_slice(&size.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Container, Options, Reader, Source};
    use proptest::prelude::*;
    use std::io::{Cursor, Read};

    fn read(file: Vec<u8>) -> Result<Vec<u8>, std::io::Error> {
        let options = Options { strict: true, ..Options::default() };
        let mut reader = Reader::new(Source::from_reader("x", Cursor::new(file)), &options)?;
        assert_eq!(reader.container(), Container::Bgzf);
        let mut out = Vec::new();
        reader.read_to_end(&mut out)?;
        Ok(out)
    }

    fn noise(len: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(len in 0usize..200_000, is_noise: bool) {
            let data = if is_noise { noise(len) } else { vec![b'A'; len] };
            prop_assert_eq!(&read(compress(&data))?, &data);
            let mut stored = Vec::new();
            store(&data, &mut stored);
            stored.extend(EOF_BLOCK);
            prop_assert_eq!(&read(stored)?, &data);
        }
    }
}
