//! 031: which types of deflate blocks BGZF files hold, by decoding their headers; and the inflate libraries on the
//! same files.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use biofast::io::bgzf::{self, Deflater, EOF_BLOCK, Parsed};
use biofast::io::output::Level;
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;
use rayon::prelude::*;

use crate::limits::block_types;
use crate::datasets::Format;
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;

pub(super) struct BlockTypes;

impl Entry for BlockTypes {
    fn id(&self) -> &'static str {
        "031"
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell.get("file"), lab)?;
        let file = std::fs::read(&path).with_context(|| format!("{}", path.display()))?;
        let streams = streams(&file)?;
        let mut texts: Vec<Vec<u8>> = streams.iter().map(|(_, len)| vec![0; *len]).collect();
        let bytes = texts.iter().map(Vec::len).sum();
        if cell.get("method") == "walk" {
            return Ok(Box::new(move |calls| {
                let types = repeat(calls, || block_types::of_bgzf(&file))?;
                let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
                let found: u64 = types.bytes.iter().sum();
                Ok(Outcome::new(found, bytes)
                    .with("bgzf_blocks", types.bgzf as f64)
                    .with("empty_blocks", types.empty as f64)
                    .with("deflate_blocks", types.deflate() as f64)
                    .with("stored_percent", share(types.stored, types.deflate()))
                    .with("fixed_percent", share(types.fixed, types.deflate()))
                    .with("dynamic_percent", share(types.dynamic, types.deflate()))
                    .with("dynamic_bytes_percent", share(types.bytes[2], found)))
            }));
        }
        let streams: Vec<Vec<u8>> = streams.into_iter().map(|(data, _)| data.to_vec()).collect();
        let mut inflate: Inflate = match cell.get("method") {
            "libdeflate" => libdeflate(),
            "own" => own(),
            "zlib-rs" => zlib_rs(),
            other => bail!("no library is called {other:?}"),
        };
        Ok(Box::new(move |calls| {
            repeat(calls, || inflate(&streams, &mut texts))?;
            Ok(Outcome::new(texts.iter().map(Vec::len).sum::<usize>(), bytes))
        }))
    }
}

/// Inflates each stream to exactly its text, or fails.
type Inflate = Box<dyn FnMut(&[Vec<u8>], &mut [Vec<u8>]) -> Result<()>>;

fn libdeflate() -> Inflate {
    let mut codec = Decompressor::new();
    Box::new(move |streams, texts| {
        for (stream, text) in streams.iter().zip(texts) {
            let n = codec.deflate_decompress(stream, text)?;
            ensure!(n == text.len(), "{n} bytes instead of {}", text.len());
        }
        Ok(())
    })
}

/// In groups of eight, as the library has them.
fn own() -> Inflate {
    let mut codec = biofast_deflate::Inflater::new();
    Box::new(move |streams, texts| {
        for (streams, texts) in streams.chunks(8).zip(texts.chunks_mut(8)) {
            let jobs = streams
                .iter()
                .zip(texts)
                .map(|(input, output)| biofast_deflate::Block { input, output });
            codec.inflate_blocks(jobs).map_err(|fault| anyhow!("{fault}"))?;
        }
        Ok(())
    })
}

fn zlib_rs() -> Inflate {
    let mut codec = Decompress::new(false);
    Box::new(move |streams, texts| {
        for (stream, text) in streams.iter().zip(texts) {
            codec.reset(false);
            let status = codec.decompress(stream, text, FlushDecompress::Finish)?;
            let n = codec.total_out();
            ensure!(n == text.len() as u64, "{n} bytes instead of {}", text.len());
            ensure!(status == Status::StreamEnd, "the stream doesn't end");
        }
        Ok(())
    })
}

/// Each block's deflate stream, and what it inflates to.
fn streams(file: &[u8]) -> Result<Vec<(&[u8], usize)>> {
    let mut streams = Vec::new();
    let mut at = 0;
    while at < file.len() {
        let Parsed::Block(header) = bgzf::parse_header(&file[at..]) else {
            bail!("no BGZF block at byte {at}");
        };
        let block = bgzf::Block::new(file, at, header, at as u64).map_err(|reason| anyhow!(reason))?;
        let end = at + header.block_len;
        streams.push((&file[at + header.header_len..end - 8], block.inflated_len));
        at = end;
    }
    Ok(streams)
}

/// The files: datasets as they are, and their text as other writers would compress it.
fn path(level: &str, lab: &Lab) -> Result<PathBuf> {
    let quick = lab.scale == Scale::Quick;
    let dataset = if quick { "medium" } else { "large" };
    let text = || Ok::<_, anyhow::Error>(std::fs::read(lab.file(dataset, Format::Fastq)?)?);
    match level {
        "fastq" => lab.file(dataset, Format::Bgzf),
        "novaseq" => lab.file("novaseq_100k", Format::Bgzf),
        "bam" => lab.file("aln_50k", Format::Bam),
        "fastq-1" | "fastq-12" => lab.scratch_file(&format!("{dataset}-{level}.bgz"), |file| {
            let text = text()?;
            let level = if level == "fastq-1" { 1 } else { 12 };
            let blocks = text.par_chunks(bgzf::BLOCK_TEXT).map(|text| {
                let mut block = Vec::new();
                Deflater::new(Level::Number(level)).deflate(text, &mut block, &mut Vec::new());
                block
            });
            let blocks: Vec<Vec<u8>> = blocks.collect();
            file.write_all(&blocks.concat())?;
            Ok(file.write_all(&EOF_BLOCK)?)
        }),
        "fastq-zlib" => lab.scratch_file(&format!("{dataset}-zlib.bgz"), |file| {
            let text = text()?;
            let blocks: Vec<Vec<u8>> =
                text.par_chunks(bgzf::BLOCK_TEXT).map(zlib_block).collect::<Result<_>>()?;
            file.write_all(&blocks.concat())?;
            Ok(file.write_all(&EOF_BLOCK)?)
        }),
        other => bail!("no file is called {other:?}"),
    }
}

/// A block whose stream zlib-rs wrote at level 6, which cuts deflate blocks elsewhere than libdeflate.
fn zlib_block(text: &[u8]) -> Result<Vec<u8>> {
    let mut block = EOF_BLOCK[..18].to_vec();
    let mut encoder =
        flate2::write::DeflateEncoder::new(&mut block, flate2::Compression::new(6));
    encoder.write_all(text)?;
    encoder.finish()?;
    block.extend_from_slice(&biofast::io::crc32(text).to_le_bytes());
    block.extend_from_slice(&(text.len() as u32).to_le_bytes());
    let size = u16::try_from(block.len() - 1).context("a block that doesn't fit")?;
    block[16..18].copy_from_slice(&size.to_le_bytes());
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_agree_and_refuse_damage() {
        let text = b"@r\nACGTACGGTCAN\n+\nIIIIIII#####\n".repeat(6000);
        let mut file: Vec<u8> = text
            .chunks(bgzf::BLOCK_TEXT)
            .flat_map(|part| zlib_block(part).expect("a block"))
            .collect();
        file.extend_from_slice(&bgzf::compress(&text));
        let types = block_types::of_bgzf(&file).expect("BGZF");
        assert_eq!(types.bytes.iter().sum::<u64>(), 2 * text.len() as u64);
        let parts = streams(&file).expect("BGZF");
        let mut streams: Vec<Vec<u8>> = parts.iter().map(|(data, _)| data.to_vec()).collect();
        for make in [libdeflate, own, zlib_rs] {
            let mut texts: Vec<Vec<u8>> = parts.iter().map(|(_, len)| vec![0; *len]).collect();
            make()(&streams, &mut texts).expect("inflates");
            assert_eq!(texts.concat(), text.repeat(2));
        }
        streams[1].pop();
        for make in [libdeflate, own, zlib_rs] {
            let mut texts: Vec<Vec<u8>> = parts.iter().map(|(_, len)| vec![0; *len]).collect();
            assert!(make()(&streams, &mut texts).is_err());
        }
    }
}
