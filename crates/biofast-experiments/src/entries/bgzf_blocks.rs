//! What entries 052, 060, 062 and 063 share: BGZF blocks made of a text at some level, and their text again.

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

/// The DEFLATE stream of a block as `deflate` makes them: between the header, without other fields than that of BGZF, and
/// CRC-32 and length.
pub(super) fn stream(block: &[u8]) -> &[u8] {
    const HEADER: usize = 18;
    const FOOTER: usize = 8;
    &block[HEADER..block.len() - FOOTER]
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

/// Deflates `text`, which is what entries 052 and 062 time. The answer is what libdeflate inflates, with the size as it is
/// and as a part of level 1's.
pub(super) fn deflating<'a>(mut deflater: Deflater, text: Vec<u8>) -> Result<Task<'a>> {
    let size = |blocks: &[Vec<u8>]| blocks.iter().map(Vec::len).sum::<usize>() as f64;
    let usual = size(&deflate(&mut self::deflater("1")?, &text));
    let mut blocks = Vec::new();
    Ok(Box::new(move |calls| {
        if calls > 0 {
            blocks = repeat(calls, || deflate(&mut deflater, &text));
            return Ok(Outcome::deferred());
        }
        Ok(Outcome::hashed(inflate(&blocks)?, text.len())
            .with("size", size(&blocks))
            .with("size_to_level_1", size(&blocks) / usual))
    }))
}
