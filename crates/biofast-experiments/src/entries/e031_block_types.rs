//! 031: which types of deflate blocks BGZF files hold, by decoding their headers; and the inflate libraries on the
//! same files.

use std::io::Write as _;

use biofast_io::bgzf::{self, Deflater, EOF_BLOCK};
use biofast_io::output::Level;
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;
use rayon::prelude::*;

use super::prelude::*;
use crate::limits::block_types;
use crate::limits::find_blocks;

pub(super) struct BlockTypes;

impl Entry for BlockTypes {
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
    let stream = |block: &bgzf::Block| {
        let end = block.start + block.header.block_len - 8;
        (&file[block.start + block.header.header_len..end], block.inflated_len)
    };
    Ok(find_blocks(file)?.iter().map(stream).collect())
}

/// The files: datasets as they are, and their text as other writers would compress it.
fn path(level: &str, lab: &Lab) -> Result<PathBuf> {
    let quick = lab.scale == Scale::Quick;
    let dataset = if quick { "medium" } else { "large" };
    match level {
        "fastq" => lab.file(dataset, Format::Bgzf),
        "novaseq" => lab.file("novaseq_100k", Format::Bgzf),
        "bam" => lab.file("aln_50k", Format::Bam),
        _ if level.starts_with("fastq-") => {
            lab.scratch_file(&format!("{dataset}-{level}.bgz"), |file| {
                let text = std::fs::read(lab.file(dataset, Format::Fastq)?)?;
                let block = |text: &[u8]| match level {
                    "fastq-zlib" => zlib_block(text),
                    _ => {
                        let mut block = Vec::new();
                        let number = level.trim_start_matches("fastq-").parse()?;
                        let mut deflater = Deflater::new(Level::Number(number));
                        deflater.deflate(text, &mut block, &mut Vec::new());
                        Ok(block)
                    }
                };
                let blocks = text.par_chunks(bgzf::BLOCK_TEXT).map(block);
                file.write_all(&blocks.collect::<Result<Vec<_>>>()?.concat())?;
                Ok(file.write_all(&EOF_BLOCK)?)
            })
        }
        other => bail!("no file is called {other:?}"),
    }
}

/// A block whose stream zlib-rs wrote at level 6, which cuts deflate blocks elsewhere than libdeflate.
fn zlib_block(text: &[u8]) -> Result<Vec<u8>> {
    let mut block = EOF_BLOCK[..18].to_vec();
    let mut encoder = flate2::write::DeflateEncoder::new(&mut block, flate2::Compression::new(6));
    encoder.write_all(text)?;
    encoder.finish()?;
    block.extend_from_slice(&biofast_io::crc32(text).to_le_bytes());
    block.extend_from_slice(&(text.len() as u32).to_le_bytes());
    let size = u16::try_from(block.len() - 1).context("a block that doesn't fit")?;
    block[16..18].copy_from_slice(&size.to_le_bytes());
    Ok(block)
}
