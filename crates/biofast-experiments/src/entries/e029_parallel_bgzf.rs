//! 029: inflating BGZF on one thread and on several, by the number of blocks. Everything is inside the timer:
//! opening, reading, finding the blocks, inflating, checking CRC-32, looking at every byte.

use std::fs::{self, File};
use std::io::Read as _;

use biofast_io::bgzf::{Block, Inflater};
use biofast_io::{Options, Source};
use flate2::bufread::MultiGzDecoder;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::prelude::*;
use super::stream::{self, Seen};
use super::{kernel, sized};
use crate::limits::find_blocks;

pub(super) struct ParallelBgzf;

impl Entry for ParallelBgzf {
    fn applies(&self, cell: &Cell) -> bool {
        let serial = cell.get("method") == "gzip";
        let first = cell.get("threads") == "1";
        let content = cell.get("content") == "fastq" || cell.get("blocks") == "485";
        kernel::threads_exist(cell) && (first || !serial) && content
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let threads = cell.number("threads")?;
        let bytes = text_len(&path)?;
        Ok(match cell.get("method") {
            "library" => Box::new(move |calls| {
                let options = Options { threads, ..Options::serial() };
                let seen = repeat(calls, || stream::inflate(Source::open(&path)?, &options))?;
                Ok(Outcome::new(seen, bytes))
            }),
            "concat" => {
                let pool = lab.pool(threads)?;
                Box::new(move |calls| {
                    Ok(Outcome::new(repeat(calls, || concat(&path, &pool))?, bytes))
                })
            }
            "gzip" => {
                Box::new(move |calls| Ok(Outcome::new(repeat(calls, || as_gzip(&path))?, bytes)))
            }
            other => bail!("no method is called {other:?}"),
        })
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let blocks = cell.number("blocks")?;
    let dataset = if lab.scale == Scale::Quick { "medium" } else { "large" };
    match cell.get("content") {
        "fastq" => sized::blocks_file(lab, dataset, blocks),
        "largest" => sized::largest_blocks_file(lab, dataset, blocks),
        other => bail!("no content is called {other:?}"),
    }
}

fn text_len(path: &Path) -> Result<usize> {
    let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(find_blocks(&file)?.iter().map(|block| block.inflated_len).sum())
}

/// The earlier design, with the library's decoder: the whole file is read, each block is inflated to a vector of
/// its own, the vectors are put together, and only then is the text looked at.
fn concat(path: &Path, pool: &ThreadPool) -> Result<Seen> {
    let file = fs::read(path)?;
    let blocks = find_blocks(&file)?;
    let inflate = |inflater: &mut Inflater, block: &Block| {
        let mut text = vec![0; block.inflated_len];
        stream::inflate_block(inflater, &file, block, &mut text)?;
        Ok(text)
    };
    let texts: Vec<Vec<u8>> =
        pool.install(|| blocks.par_iter().map_init(Inflater::new, inflate).collect::<Result<_>>())?;
    Ok(Seen::of(&texts.concat()))
}

/// As any gzip reader does it, member after member: zlib-rs.
fn as_gzip(path: &Path) -> Result<Seen> {
    let file = std::io::BufReader::with_capacity(64 << 10, File::open(path)?);
    let mut decoder = MultiGzDecoder::new(file);
    let mut piece = vec![0; 64 << 10];
    let mut seen = Seen::default();
    loop {
        match decoder.read(&mut piece)? {
            0 => return Ok(seen),
            n => seen.add(&piece[..n]),
        }
    }
}
