//! 060: flags of BAM records changed inside the DEFLATE streams of BGZF blocks, or by inflating, changing and deflating them.

use biofast_deflate::{Block, Change, Inflater, Splicer, StreamMap};
use biofast_io::bgzf;
use libdeflater::{Decompressor, crc32};

use super::bgzf_blocks::{deflate, deflater, inflate};
use super::prelude::*;
use super::real_sets;
use crate::files;

/// Blocks that are inflated together, as in a chunk of the pipeline.
const GROUP: usize = 8;
/// Of a BGZF block, and the longest stream between them.
const HEADER: usize = 18;
const FOOTER: usize = 8;
const LONGEST: usize = (1 << 16) - HEADER - FOOTER;
/// Where a record has the byte of its flags with the mark, behind its length; and the mark.
const FLAGS: usize = 19;
const MARK: u8 = 4;

pub(super) struct SplicedFlags;

impl Entry for SplicedFlags {
    fn applies(&self, cell: &Cell) -> bool {
        real_sets::is_here(cell.get("data"))
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let most = if lab.scale == Scale::Quick { 1 << 20 } else { 8 << 20 };
        let path = match cell.get("data") {
            "generated" => lab.file("aln_50k", Format::Bam)?,
            real => real_sets::path(real)?,
        };
        let text = files::read_text(&path, most)?;
        let stored = deflate(&mut deflater(cell.get("input"))?, &text);
        let changed = changes(&text, stored.len(), cell.number("marked")? as u64)?;
        let (mut way, mut made) = (Way::of(cell.get("way"))?, Vec::new());
        Ok(Box::new(move |calls| {
            if calls > 0 {
                made = repeat(calls, || way.change(&stored, &changed))?;
                return Ok(Outcome::deferred());
            }
            let size = |blocks: &[Vec<u8>]| blocks.iter().map(Vec::len).sum::<usize>() as f64;
            Ok(Outcome::hashed(inflate(&made)?, text.len())
                .with("size_to_input", size(&made) / size(&stored)))
        }))
    }
}

/// What changes in each block where so many percent of the records, as drawn, are marked.
fn changes(text: &[u8], blocks: usize, percent: u64) -> Result<Vec<Vec<Change>>> {
    let (mut changed, mut random) = (vec![Vec::new(); blocks], Rng::new(60, 0, 0));
    let mut at = biofast_bam::Header::from_bam(text)?.context("the header is longer")?.1;
    while let Some(len) = text.get(at..at + 4).and_then(|len| len.first_chunk()) {
        let flags = at + FLAGS;
        let is_drawn = random.below(100) < percent;
        if let Some(byte) = text.get(flags).filter(|byte| is_drawn && **byte & MARK == 0) {
            let change = Change { at: (flags % bgzf::BLOCK_TEXT) as u16, byte: byte | MARK };
            changed[flags / bgzf::BLOCK_TEXT].push(change);
        }
        at += 4 + u32::from_le_bytes(*len) as usize;
    }
    Ok(changed)
}

/// The stream of a block, and CRC-32 and length of its text.
fn parts(block: &[u8]) -> (&[u8], u32, usize) {
    let (stream, footer) = block[HEADER..].split_at(block.len() - HEADER - FOOTER);
    let number = |at| u32::from_le_bytes([0_usize, 1, 2, 3].map(|byte| footer[at + byte]));
    (stream, number(0), number(4) as usize)
}

/// How blocks are changed. Either way, the checksums of what was stored are checked.
enum Way {
    Splice { inflater: Inflater, splicer: Box<Splicer>, texts: Vec<Vec<u8>>, maps: Vec<StreamMap> },
    Deflate { codec: Decompressor, deflater: bgzf::Deflater, text: Vec<u8>, spare: Vec<u32> },
}

impl Way {
    fn of(name: &str) -> Result<Way> {
        Ok(match name {
            "splice" => Way::Splice {
                inflater: Inflater::new(),
                splicer: Box::new(Splicer::new()),
                texts: vec![Vec::new(); GROUP],
                maps: (0..GROUP).map(|_| StreamMap::new()).collect(),
            },
            level => Way::Deflate {
                codec: Decompressor::new(),
                deflater: deflater(level)?,
                text: Vec::new(),
                spare: Vec::new(),
            },
        })
    }

    /// Blocks with these changes in their texts.
    fn change(&mut self, stored: &[Vec<u8>], changed: &[Vec<Change>]) -> Result<Vec<Vec<u8>>> {
        let mut made = Vec::with_capacity(stored.len());
        match self {
            Way::Splice { inflater, splicer, texts, maps } => {
                for (blocks, changed) in stored.chunks(GROUP).zip(changed.chunks(GROUP)) {
                    let jobs = blocks.iter().zip(&mut *texts).map(|(block, text)| {
                        let (input, _, len) = parts(block);
                        text.resize(len, 0);
                        Block { input, output: text }
                    });
                    let inflated = inflater.inflate_mapped(jobs.zip(&mut *maps));
                    inflated.map_err(|fault| anyhow!("{fault:?}"))?;
                    let inflated = texts.iter_mut().zip(&*maps).zip(blocks.iter().zip(changed));
                    for ((text, map), (block, changes)) in inflated {
                        let ((stream, crc, len), mut new) = (parts(block), block[..HEADER].to_vec());
                        let done =
                            splicer.splice(stream, map, text, crc, changes, LONGEST, &mut new)?;
                        ensure!(done.declined.is_none(), "a block isn't spliced");
                        new.extend([done.crc, len as u32].iter().flat_map(|n| n.to_le_bytes()));
                        let size = (new.len() - 1) as u16;
                        new[16..HEADER].copy_from_slice(&size.to_le_bytes());
                        made.push(new);
                    }
                }
            }
            Way::Deflate { codec, deflater, text, spare } => {
                for (block, changes) in stored.iter().zip(changed) {
                    let ((stream, crc, len), mut new) = (parts(block), Vec::with_capacity(1 << 16));
                    text.resize(len, 0);
                    let n = codec.deflate_decompress(stream, text)?;
                    ensure!(n == len && crc32(text) == crc, "a block is damaged");
                    changes.iter().for_each(|change| text[usize::from(change.at)] = change.byte);
                    deflater.deflate(text, &mut new, spare);
                    made.push(new);
                }
            }
        }
        Ok(made)
    }
}
