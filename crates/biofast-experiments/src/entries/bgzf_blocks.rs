//! What entries 052 and 060 share: BGZF blocks made of a text at some level, and their text again.

use biofast_io::bgzf::{self, Deflater};
use biofast_io::output::Level;
use libdeflater::Decompressor;

use super::prelude::*;
use crate::limits::find_blocks;

/// A deflater of this level: a number is libdeflate's.
pub(super) fn deflater(level: &str) -> Result<Deflater> {
    Ok(Deflater::new(match level {
        "fast" => Level::Fast,
        "balanced" => Level::Balanced,
        "small" => Level::Small,
        number => Level::Number(number.parse().context("no such level")?),
    }))
}

/// BGZF blocks with their checksums.
pub(super) fn deflate(deflater: &mut Deflater, text: &[u8]) -> Vec<Vec<u8>> {
    let mut spare = Vec::new();
    let block = |text| {
        let mut block = Vec::with_capacity(bgzf::BLOCK_TEXT);
        deflater.deflate(text, &mut block, &mut spare);
        block
    };
    text.chunks(bgzf::BLOCK_TEXT).map(block).collect()
}

/// The text of blocks, by libdeflate.
pub(super) fn inflate(blocks: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut codec = Decompressor::new();
    for block in blocks {
        let [found] = &find_blocks(block)?[..] else { bail!("no BGZF block") };
        let len = found.inflated_len;
        let stream = &block[found.header.header_len..found.header.block_len - 8];
        let start = all.len();
        all.resize(start + len, 0);
        let n = codec.deflate_decompress(stream, &mut all[start..])?;
        ensure!(n == len, "{n} bytes instead of {len}");
    }
    Ok(all)
}
