//! 054: how many blocks the library's decoder should inflate in one loop, by instruction set, by what is in the blocks and by
//! how much text is made before any of it is used: what the caches hold.

use biofast_deflate::{Block, Inflater, crc32};
use biofast_kernels::Isa;
use libdeflater::Decompressor;

use super::prelude::*;
use super::{kernel, sized};
use crate::limits::find_blocks;

pub(super) struct DecoderLanes;

/// Of a file, at most so many blocks: a multiple of every number of them that is inflated at once.
const BLOCKS: usize = 192;

impl Entry for DecoderLanes {
    fn applies(&self, cell: &Cell) -> bool {
        match cell.get("lanes") {
            // It picks its instructions itself.
            "libdeflate" => cell.get("isa") == "scalar",
            _ => kernel::kernels(cell.get("isa")).is_some(),
        }
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let stored = std::fs::read(path(cell, lab)?)?;
        let most = if lab.scale == Scale::Quick { 24 } else { BLOCKS };
        let parts = parts(&stored, most)?;
        let bytes: usize = parts.iter().map(|part| part.len).sum();
        let group = cell.number("group")?;
        let mut decoder = Decoder::of(cell)?;
        let longest = parts.chunks(group).map(|group| group.iter().map(|part| part.len).sum());
        let mut room = vec![0; longest.max().unwrap_or(0)];
        Ok(Box::new(move |calls| {
            if calls == 0 {
                let mut at = 0;
                for part in parts.chunks(group).last().unwrap_or_default() {
                    let text = &room[at..at + part.len];
                    ensure!(crc32(text) == part.crc32, "a block's text has another checksum");
                    at += part.len;
                }
                return Ok(Outcome::new(bytes, bytes));
            }
            repeat(calls, || {
                parts.chunks(group).try_for_each(|group| decoder.inflate(&stored, group, &mut room))
            })?;
            Ok(Outcome::deferred())
        }))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let quick = lab.scale == Scale::Quick;
    match cell.get("file") {
        "hiseq" => lab.file(if quick { "medium" } else { "large" }, Format::Bgzf),
        "novaseq" => lab.file("novaseq_100k", Format::Bgzf),
        "long" => lab.file("long_10k", Format::Bgzf),
        "bam" => lab.file("aln_50k", Format::Bam),
        // What a decoder copies, not decodes.
        "stored" => sized::largest_blocks_file(lab, if quick { "medium" } else { "large" }, 96),
        other => bail!("no file is called {other:?}"),
    }
}

/// A block of a file that is in memory.
struct Part {
    /// Where its DEFLATE stream begins and ends.
    start: usize,
    end: usize,
    /// Of its text.
    len: usize,
    crc32: u32,
}

/// The first blocks of a file, without the empty one at its end.
fn parts(stored: &[u8], most: usize) -> Result<Vec<Part>> {
    /// CRC-32 and length.
    const FOOTER: usize = 8;
    let blocks = find_blocks(stored)?;
    let blocks = blocks.iter().filter(|block| block.inflated_len > 0).take(most);
    Ok(blocks
        .map(|block| Part {
            start: block.start + block.header.header_len,
            end: block.start + block.header.block_len - FOOTER,
            len: block.inflated_len,
            crc32: block.crc32,
        })
        .collect())
}

/// Who inflates.
enum Decoder {
    Ours(Box<Inflater>),
    Libdeflate(Decompressor),
}

impl Decoder {
    fn of(cell: &Cell) -> Result<Decoder> {
        if cell.get("lanes") == "libdeflate" {
            return Ok(Decoder::Libdeflate(Decompressor::new()));
        }
        let isa: Isa = cell.get("isa").parse().map_err(|_| anyhow!("no instruction set"))?;
        let Some(mut inflater) = Inflater::with_isa(isa) else { bail!("the CPU has no {isa}") };
        inflater.set_lanes(cell.number("lanes")?);
        Ok(Decoder::Ours(Box::new(inflater)))
    }

    /// Inflates blocks one behind the other.
    fn inflate(&mut self, stored: &[u8], group: &[Part], room: &mut [u8]) -> Result<()> {
        let mut rest = room;
        let mut blocks = group.iter().map(|part| {
            let (output, more) = std::mem::take(&mut rest).split_at_mut(part.len);
            rest = more;
            Block { input: &stored[part.start..part.end], output }
        });
        match self {
            Decoder::Ours(inflater) => {
                inflater.inflate_blocks(blocks).map_err(|fault| anyhow!("{fault:?}"))
            }
            Decoder::Libdeflate(decoder) => blocks.try_for_each(|block| {
                let made = decoder.deflate_decompress(block.input, block.output)?;
                ensure!(made == block.output.len(), "a block is short");
                Ok(())
            }),
        }
    }
}
