//! 029: inflating BGZF on one thread and on several, by the number of blocks. Everything is inside the timer:
//! opening, reading, finding the blocks, inflating, checking CRC-32, looking at every byte.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use biofast::io::bgzf::{self, Block, Inflater, Parsed};
use biofast::io::{Options, Source};
use flate2::bufread::MultiGzDecoder;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::stream::{self, Seen};
use super::{kernel, sized};
use crate::core::cell::Cell;
use crate::core::entry::{Cache, Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;

pub(super) struct ParallelBgzf;

impl Entry for ParallelBgzf {
    fn id(&self) -> &'static str {
        "029"
    }

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
            "gzip" => Box::new(move |calls| {
                Ok(Outcome::new(repeat(calls, || as_gzip(&path))?, bytes))
            }),
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

/// The blocks of a file in memory.
pub(super) fn find_blocks(file: &[u8]) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < file.len() {
        let Parsed::Block(header) = bgzf::parse_header(&file[at..]) else {
            bail!("no block at byte {at}");
        };
        if file.len() - at < header.block_len {
            bail!("the block at byte {at} is cut");
        }
        blocks.push(Block::new(file, at, header, at as u64).map_err(|reason| anyhow!(reason))?);
        at += header.block_len;
    }
    Ok(blocks)
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
        match inflater.inflate(&file, std::slice::from_ref(block), &mut text) {
            Ok(_) => Ok(text),
            Err(fault) => bail!("block at byte {}: {:?}", block.file_offset, fault.error),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_agree_up_to_the_largest_block() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file.bgz");
        let text: Vec<u8> = (0..400_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let mut stored = Vec::new();
        bgzf::store(&text, &mut stored);
        stored.extend_from_slice(&bgzf::EOF_BLOCK);
        assert_eq!(stored[16..18], [0xff, 0xff], "BSIZE 65,535");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for file in [bgzf::compress(&text), stored, bgzf::EOF_BLOCK.to_vec()] {
            std::fs::write(&path, &file).expect("writes");
            let expected = as_gzip(&path).expect("reads");
            assert_eq!(expected.bytes as usize, text_len(&path).expect("length"));
            assert_eq!(concat(&path, &pool).expect("inflates"), expected);
            for threads in [1, 3] {
                let options = Options { threads, ..Options::serial() };
                let source = Source::open(&path).expect("opens");
                assert_eq!(stream::inflate(source, &options).expect("inflates"), expected);
            }
        }
    }

    #[test]
    fn a_cut_file_is_an_error() {
        let file = bgzf::compress(&[b'A'; 1000]);
        assert!(find_blocks(&file[..file.len() - 1]).is_err());
        assert!(find_blocks(&file[1..]).is_err());
    }
}
