//! 063: BGZF blocks of real reads and alignments inflated by biofast's decoder, libdeflate and zlib-rs.

use biofast_deflate::{Block, Inflater};
use biofast_io::bgzf;
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;

use super::bgzf_blocks::{deflate, deflater, stream};
use super::prelude::*;
use super::real_sets;
use crate::files;

/// Blocks that biofast inflates together, as in a chunk of its pipeline.
const GROUP: usize = 8;

pub(super) struct InflateRealReads;

impl Entry for InflateRealReads {
    fn applies(&self, cell: &Cell) -> bool {
        real_sets::is_here(cell.get("data"))
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let quick = lab.scale == Scale::Quick;
        let path = match cell.get("data") {
            "generated" => lab.file(if quick { "medium" } else { "large" }, Format::Fastq)?,
            real => real_sets::path(real)?,
        };
        let text = files::read_text(&path, if quick { 1 << 20 } else { 8 << 20 })?;
        let blocks = deflate(&mut deflater(cell.get("written"))?, &text);
        let mut decoder = Decoder::named(cell.get("decoder"))?;
        let mut room = vec![0; text.len()];
        Ok(Box::new(move |calls| {
            if calls > 0 {
                repeat(calls, || decoder.inflate(&blocks, &mut room))?;
                return Ok(Outcome::deferred());
            }
            ensure!(room == text, "another text comes back");
            Ok(Outcome::hashed(&room, room.len()))
        }))
    }
}

/// Who inflates.
enum Decoder {
    Biofast(Inflater),
    Libdeflate(Decompressor),
    ZlibRs(Decompress),
}

impl Decoder {
    fn named(name: &str) -> Result<Decoder> {
        Ok(match name {
            "biofast" => Decoder::Biofast(Inflater::new()),
            "libdeflate" => Decoder::Libdeflate(Decompressor::new()),
            "zlib-rs" => Decoder::ZlibRs(Decompress::new(false)),
            other => bail!("no decoder is called {other:?}"),
        })
    }

    /// Inflates blocks one behind the other; all but the last have as much text as a block holds.
    fn inflate(&mut self, blocks: &[Vec<u8>], room: &mut [u8]) -> Result<()> {
        let texts = room.chunks_mut(bgzf::BLOCK_TEXT);
        let mut pairs = blocks.iter().map(|block| stream(block)).zip(texts);
        match self {
            Decoder::Biofast(inflater) => loop {
                let group = pairs.by_ref().take(GROUP);
                let mut group = group.map(|(input, output)| Block { input, output }).peekable();
                if group.peek().is_none() {
                    return Ok(());
                }
                inflater.inflate_blocks(group).map_err(|fault| anyhow!("{fault:?}"))?;
            },
            Decoder::Libdeflate(decoder) => pairs.try_for_each(|(input, output)| {
                let made = decoder.deflate_decompress(input, output)?;
                ensure!(made == output.len(), "a block is short");
                Ok(())
            }),
            Decoder::ZlibRs(decoder) => pairs.try_for_each(|(input, output)| {
                decoder.reset(false);
                let status = decoder.decompress(input, output, FlushDecompress::Finish)?;
                let made = decoder.total_out();
                ensure!(status == Status::StreamEnd && made == output.len() as u64, "{status:?}");
                Ok(())
            }),
        }
    }
}
