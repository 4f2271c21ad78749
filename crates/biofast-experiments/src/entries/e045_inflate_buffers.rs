//! 045: where the text of BGZF blocks goes, one thread, and what that costs under several allocators; a process for each
//! measurement.

use std::fs;

use biofast_io::bgzf::{Block, Inflater};

use super::allocators;
use super::prelude::*;
use super::stream::{self, Seen};
use crate::limits::find_blocks;

pub(super) struct InflateBuffers;

impl Entry for InflateBuffers {
    fn applies(&self, cell: &Cell) -> bool {
        allocators::exists(cell)
    }

    fn environment(&self, cell: &Cell) -> Vec<(&'static str, String)> {
        allocators::environment(cell, &[])
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        allocators::verify(cell)?;
        let path = path(cell, lab)?;
        let buffers = cell.get("buffers").to_owned();
        let calls = if lab.scale == Scale::Quick { 1 } else { 3 };
        Ok(Box::new(move |_| inflate_all(calls, &buffers, &path)))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    lab.file(super::kernel::dataset(cell.get("reads"))?, Format::Bgzf)
}

fn inflate_all(calls: usize, buffers: &str, path: &Path) -> Result<Outcome> {
    let file = fs::read(path)?;
    let blocks = find_blocks(&file)?;
    let mut inflater = Blocks { file: &file, inflater: Inflater::new() };
    let mut seen = Seen::default();
    let mut reused = Vec::new();
    let costs = allocators::measure(calls, |_| {
        seen = match buffers {
            "concat" => concat(&mut inflater, &blocks)?,
            "fresh" => in_batches(&mut inflater, &blocks, 1)?,
            "batch-64" => in_batches(&mut inflater, &blocks, 64)?,
            "reused" => reuse(&mut inflater, &blocks, &mut reused)?,
            other => bail!("no way is called {other:?}"),
        };
        Ok(())
    })?;
    Ok(costs.of(Outcome::new(seen, seen.bytes as usize)))
}

/// The blocks of a file in memory, inflated by one decoder.
struct Blocks<'a> {
    file: &'a [u8],
    inflater: Inflater,
}

impl Blocks<'_> {
    fn inflate(&mut self, block: &Block, text: &mut [u8]) -> Result<()> {
        stream::inflate_block(&mut self.inflater, self.file, block, text)
    }

    fn fresh(&mut self, block: &Block) -> Result<Vec<u8>> {
        let mut text = vec![0; block.inflated_len];
        self.inflate(block, &mut text)?;
        Ok(text)
    }
}

/// A vector for each block, all kept, put together, and only then looked at.
fn concat(blocks: &mut Blocks<'_>, all: &[Block]) -> Result<Seen> {
    let texts: Vec<Vec<u8>> = all.iter().map(|block| blocks.fresh(block)).collect::<Result<_>>()?;
    Ok(Seen::of(&texts.concat()))
}

/// A vector for each block; so many are held at a time.
fn in_batches(blocks: &mut Blocks<'_>, all: &[Block], batch: usize) -> Result<Seen> {
    let mut seen = Seen::default();
    for some in all.chunks(batch) {
        let texts: Vec<Vec<u8>> =
            some.iter().map(|block| blocks.fresh(block)).collect::<Result<_>>()?;
        texts.iter().for_each(|text| seen.add(text));
    }
    Ok(seen)
}

fn reuse(blocks: &mut Blocks<'_>, all: &[Block], text: &mut Vec<u8>) -> Result<Seen> {
    let mut seen = Seen::default();
    for block in all {
        if text.len() < block.inflated_len {
            text.resize(block.inflated_len, 0);
        }
        blocks.inflate(block, &mut text[..block.inflated_len])?;
        seen.add(&text[..block.inflated_len]);
    }
    Ok(seen)
}
