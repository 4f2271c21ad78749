//! FASTQ files of a wanted size, made of a dataset's records, as often as needed: plain text, or BGZF blocks that
//! hold whole records, so that every file is complete. In the scratch directory, each made once.

use std::fs;
use std::io::Write as _;

use biofast_io::bgzf::{self, BLOCK_TEXT, Deflater, EOF_BLOCK, Parsed};
use biofast_io::output::Level;
use rayon::prelude::*;

use super::prelude::*;

/// What `zlib` and most writers of BGZF take when nothing is said.
const LEVEL: u8 = 6;

/// Text of at most `bytes` bytes, in whole records of `dataset`.
pub(super) fn text_file(lab: &Lab, dataset: &str, bytes: u64) -> Result<PathBuf> {
    let unit = lab.file(dataset, Format::Fastq)?;
    lab.scratch_file(&format!("{dataset}-{bytes}.fq"), |file| {
        let unit = fs::read(&unit)?;
        let mut left = bytes;
        while left >= unit.len() as u64 {
            file.write_all(&unit)?;
            left -= unit.len() as u64;
        }
        Ok(file.write_all(&unit[..whole_records(&unit, left as usize)])?)
    })
}

/// BGZF of at most `bytes` bytes, in whole blocks, with the end-of-file block.
pub(super) fn bgzf_file(lab: &Lab, dataset: &str, bytes: u64) -> Result<PathBuf> {
    let text = lab.file(dataset, Format::Fastq)?;
    let unit = lab.scratch_file(&format!("{dataset}-unit.bgz"), |file| {
        for block in blocks_of_records(&fs::read(&text)?) {
            file.write_all(&block)?;
        }
        Ok(())
    })?;
    lab.scratch_file(&format!("{dataset}-{bytes}.fq.bgz"), |file| {
        let unit = fs::read(&unit)?;
        let room = bytes.checked_sub(EOF_BLOCK.len() as u64).context("no room for a block")?;
        let whole = (room / unit.len() as u64) as usize;
        for _ in 0..whole {
            file.write_all(&unit)?;
        }
        let rest = whole_blocks(&unit, (room % unit.len() as u64) as usize)?;
        ensure!(whole > 0 || rest > 0, "{bytes} bytes hold no block");
        file.write_all(&unit[..rest])?;
        Ok(file.write_all(&EOF_BLOCK)?)
    })
}

/// BGZF of a number of blocks of whole records, with the end-of-file block.
pub(super) fn blocks_file(lab: &Lab, dataset: &str, blocks: usize) -> Result<PathBuf> {
    let text = lab.file(dataset, Format::Fastq)?;
    lab.scratch_file(&format!("{dataset}-{blocks}-blocks.fq.bgz"), |file| {
        let unit = blocks_of_records(&fs::read(&text)?);
        for block in unit.iter().cycle().take(blocks) {
            file.write_all(block)?;
        }
        Ok(file.write_all(&EOF_BLOCK)?)
    })
}

/// A number of blocks of the largest size there is, 65,536 bytes, so that their BSIZE is 65,535: not compressed.
pub(super) fn largest_blocks_file(lab: &Lab, dataset: &str, blocks: usize) -> Result<PathBuf> {
    let text = lab.file(dataset, Format::Fastq)?;
    lab.scratch_file(&format!("{dataset}-{blocks}-largest.fq.bgz"), |file| {
        let unit = largest_blocks(&fs::read(&text)?);
        let whole = unit.len() / bgzf::MAX_INFLATED;
        for at in (0..whole).cycle().take(blocks) {
            file.write_all(&unit[at * bgzf::MAX_INFLATED..(at + 1) * bgzf::MAX_INFLATED])?;
        }
        Ok(file.write_all(&EOF_BLOCK)?)
    })
}

/// Blocks of 65,536 bytes each, but for the last one.
fn largest_blocks(text: &[u8]) -> Vec<u8> {
    let mut blocks = Vec::new();
    bgzf::store(text, &mut blocks);
    blocks
}

/// Each block holds whole records of `text`, so that any number of blocks is a valid file.
fn blocks_of_records(text: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // A record longer than a block goes on in the next one.
        let cut = match whole_records(rest, BLOCK_TEXT) {
            0 => rest.len().min(BLOCK_TEXT),
            cut => cut,
        };
        let (part, after) = rest.split_at(cut);
        parts.push(part);
        rest = after;
    }
    let compress = |part: &&[u8]| {
        let mut block = Vec::new();
        Deflater::new(Level::Number(LEVEL)).deflate(part, &mut block, &mut Vec::new());
        block
    };
    parts.par_iter().map(compress).collect()
}

/// The length of the whole four-line records within the first `limit` bytes of `text`.
fn whole_records(text: &[u8], limit: usize) -> usize {
    let mut end = 0;
    let mut lines = 0;
    for (at, _) in text.iter().enumerate().take(limit).filter(|(_, byte)| **byte == b'\n') {
        lines += 1;
        if lines % 4 == 0 {
            end = at + 1;
        }
    }
    end
}

/// The length of the whole blocks within the first `limit` bytes.
fn whole_blocks(file: &[u8], limit: usize) -> Result<usize> {
    let mut at = 0;
    loop {
        let Parsed::Block(header) = bgzf::parse_header(&file[at..]) else {
            ensure!(at == file.len(), "no block at byte {at}");
            return Ok(at);
        };
        if at + header.block_len > limit {
            return Ok(at);
        }
        at += header.block_len;
    }
}
