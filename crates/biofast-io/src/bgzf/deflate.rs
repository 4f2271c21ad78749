//! Writing BGZF blocks.

use libdeflater::{CompressionLvl, Compressor};

use super::MAX_INFLATED;

/// Bytes of text in each block but the last: what htslib puts into one, so that even stored data
/// and header fit the 64 KiB of a block.
pub const BLOCK_TEXT: usize = 0xff00;

/// The header before the deflate data; the block's length goes into its last two bytes.
const HEADER: [u8; 18] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0, 0];
/// CRC-32 and ISIZE.
const FOOTER: usize = 8;

/// A worker's own deflater, the counterpart of [`Inflater`](super::Inflater). It takes the text
/// of several blocks at once.
///
/// Whatever encoder is behind it, a block's bytes must depend on the block's text alone:
/// otherwise the output would depend on which worker made the block before.
pub struct Deflater {
    codec: Compressor,
}

impl Deflater {
    /// A deflater of libdeflate's level 0 (stored) to 12; a higher one is taken as 12. Costs an
    /// allocation: keep it.
    pub fn new(level: u8) -> Deflater {
        let level =
            CompressionLvl::new(i32::from(level)).unwrap_or_else(|_| CompressionLvl::best());
        Deflater { codec: Compressor::new(level) }
    }

    /// Appends `text` to `out` as blocks of [`BLOCK_TEXT`] bytes, the last one shorter if need
    /// be, and the length of each block to `lengths`.
    pub fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>, lengths: &mut Vec<u32>) {
        for text in text.chunks(BLOCK_TEXT) {
            lengths.push(self.deflate_block(text, out));
        }
    }

    fn deflate_block(&mut self, text: &[u8], out: &mut Vec<u8>) -> u32 {
        let start = out.len();
        out.extend_from_slice(&HEADER);
        let body = out.len();
        out.resize(start + MAX_INFLATED - FOOTER, 0);
        match self.codec.deflate_compress(text, &mut out[body..]) {
            Ok(n) => out.truncate(body + n),
            Err(libdeflater::CompressionError::InsufficientSpace) => {
                out.truncate(body);
                store(text, out);
            }
        }
        out.extend_from_slice(&libdeflater::crc32(text).to_le_bytes());
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        let len = out.len() - start;
        out[body - 2..body].copy_from_slice(&((len - 1) as u16).to_le_bytes());
        len as u32
    }
}

/// `text` as one stored deflate block (RFC 1951, 3.2.4).
fn store(text: &[u8], out: &mut Vec<u8>) {
    let len = text.len() as u16;
    out.push(1);
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&(!len).to_le_bytes());
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bgzf::EOF_BLOCK;
    use crate::{Options, Reader, Source};
    use proptest::prelude::*;
    use std::io::{Cursor, Read};

    fn read(bytes: Vec<u8>) -> Vec<u8> {
        let options = Options { strict: true, ..Options::default() };
        let source = Source::from_reader("x", Cursor::new(bytes));
        let mut text = Vec::new();
        Reader::new(source, &options).expect("blocks").read_to_end(&mut text).expect("text");
        text
    }

    fn noise(len: usize) -> Vec<u8> {
        let mut x = 1u64;
        let mut step = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        };
        (0..len).map(|_| step()).collect()
    }

    #[test]
    fn blocks_inflate_to_their_text_at_every_level() {
        let mut text = b"@r\nACGTACGTTTGA\n+\nIIIIIIIII#II\n".repeat(5000);
        text.extend(noise(2 * BLOCK_TEXT + 17));
        for level in 0..=12 {
            let (mut out, mut lengths) = (Vec::new(), Vec::new());
            Deflater::new(level).deflate(&text, &mut out, &mut lengths);
            assert_eq!(lengths.iter().sum::<u32>() as usize, out.len());
            assert_eq!(lengths.len(), text.len().div_ceil(BLOCK_TEXT));
            assert!(lengths.iter().all(|&len| len as usize <= MAX_INFLATED));
            out.extend(EOF_BLOCK);
            assert!(read(out) == text, "level {level}");
        }
    }

    #[test]
    fn stored_blocks_are_read_back() {
        let text = noise(BLOCK_TEXT);
        let mut out = HEADER.to_vec();
        store(&text, &mut out);
        out.extend(libdeflater::crc32(&text).to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        let len = out.len() as u16 - 1;
        out[16..18].copy_from_slice(&len.to_le_bytes());
        out.extend(EOF_BLOCK);
        assert!(read(out) == text);
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in prop::collection::vec(any::<u8>(), 0..3000), level in 0u8..=12) {
            let (mut out, mut lengths) = (Vec::new(), Vec::new());
            Deflater::new(level).deflate(&text, &mut out, &mut lengths);
            out.extend(EOF_BLOCK);
            prop_assert_eq!(read(out), text);
        }
    }
}
