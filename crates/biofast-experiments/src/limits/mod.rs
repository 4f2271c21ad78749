//! Limits of the machine that no tool can beat with libdeflate: inflating every block of a BGZF file and throwing the
//! result away, the same and deflating it again, deflating a plain file, and reading it.
//! `biofast-lab limit inflate | recode | compress | read`; the benchmark runs them as
//! child processes like any contestant. `datasets verify` uses the plain loops.

pub(crate) mod bam;
pub mod bam_regions;
pub mod block_types;
pub mod encoders;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context as _, Result, anyhow, bail, ensure};

use crate::files;
use biofast_io::bgzf::{self, BLOCK_TEXT, Block, MAX_INFLATED, Parsed};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

/// A decoder with room for a block.
struct Codec {
    codec: Decompressor,
    room: Vec<u8>,
}

impl Codec {
    fn new() -> Self {
        Codec { codec: Decompressor::new(), room: vec![0; MAX_INFLATED] }
    }

    fn inflate(&mut self, data: &[u8], block: &Block, check: bool) -> Result<&[u8]> {
        let text = &mut self.room[..block.inflated_len];
        let end = block.start + block.header.block_len - 8;
        let stream = &data[block.start + block.header.header_len..end];
        let n = self.codec.deflate_decompress(stream, text).context("invalid deflate data")?;
        ensure!(n == text.len(), "block inflates to {n} bytes instead of {}", text.len());
        ensure!(!check || libdeflater::crc32(text) == block.crc32, "CRC-32 differs");
        Ok(text)
    }
}

/// The block at `at`, as far as the file goes on so long; `None` if it is cut there.
fn parse_block(data: &[u8], at: usize) -> Result<Option<Block>> {
    match bgzf::parse_header(&data[at..]) {
        Parsed::Block(header) if header.block_len <= data.len() - at => {
            Block::new(data, at, header, at as u64).map(Some).map_err(|reason| anyhow!(reason))
        }
        Parsed::Block(_) | Parsed::NeedMore(_) => Ok(None),
        other => bail!("no BGZF block: {other:?}"),
    }
}

pub(crate) fn find_blocks(file: &[u8]) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < file.len() {
        let block = parse_block(file, at).with_context(|| format!("at byte {at}"))?;
        let block = block.with_context(|| format!("the block at byte {at} is cut"))?;
        at += block.header.block_len;
        blocks.push(block);
    }
    Ok(blocks)
}

/// What `limit compress` found.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub struct Bytes {
    /// Bytes of text.
    pub bytes: u64,
}

/// What `limit read` found.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub struct Summed {
    /// Bytes of the file.
    pub bytes: u64,
    /// Of its 64-bit words.
    pub sum: u64,
}

/// What `limit inflate` and `limit recode` found.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Inflated {
    /// Blocks, empty ones included.
    pub blocks: usize,
    /// Bytes after inflation.
    pub bytes: u64,
}

/// `limit inflate`: `threads` threads take turns reading about 1 MB of whole blocks into a buffer of their
/// own, inflate them one by one into another and discard the result. Nothing is allocated after the start.
pub fn inflate(path: &Path, threads: usize, check: bool) -> Result<Inflated> {
    each_block(path, threads, check, || {
        |text: &[u8]| {
            std::hint::black_box(text.len());
        }
    })
}

/// `limit recode`: as `inflate`, and each block's text is deflated again at `level` with a CRC-32 of its
/// own, into a buffer: what any filter has to do that keeps everything.
pub fn recode(path: &Path, threads: usize, level: i32) -> Result<Inflated> {
    let level = CompressionLvl::new(level).map_err(|_| anyhow!("no such level: {level}"))?;
    each_block(path, threads, true, || deflater(level))
}

/// `limit compress`: `threads` threads take turns reading 1 MB, deflate it at `level` in blocks as large as
/// htslib's, each with its CRC-32, and discard the result. Returns the bytes read.
pub fn compress(path: &Path, threads: usize, level: i32) -> Result<Bytes> {
    let level = CompressionLvl::new(level).map_err(|_| anyhow!("no such level: {level}"))?;
    let file = files::open(path)?;
    let file = Mutex::new(file);
    on_threads(threads, || {
        let mut deflate = deflater(level);
        let mut data = Vec::with_capacity(READ_SIZE);
        let mut bytes = 0;
        loop {
            data.clear();
            let wanted = (READ_SIZE - READ_SIZE % BLOCK_TEXT) as u64;
            let file = file.lock().map_err(|_| anyhow!("a worker panicked"))?;
            let n = (&*file).take(wanted).read_to_end(&mut data).context("cannot read")?;
            drop(file);
            if n == 0 {
                return Ok(bytes);
            }
            data.chunks(BLOCK_TEXT).for_each(&mut deflate);
            bytes += n as u64;
        }
    })
    .map(|bytes| Bytes { bytes: bytes.into_iter().sum() })
    .with_context(|| format!("{}", path.display()))
}

/// Deflates a block of up to [`MAX_INFLATED`] bytes and discards the result.
fn deflater(level: CompressionLvl) -> impl FnMut(&[u8]) {
    let mut codec = Compressor::new(level);
    let mut out = vec![0; codec.deflate_compress_bound(MAX_INFLATED)];
    move |text| {
        // The buffer is as large as the bound, so this cannot fail.
        let n = codec.deflate_compress(text, &mut out).unwrap_or(0);
        std::hint::black_box((n, libdeflater::crc32(text)));
    }
}

/// Runs `worker` on `threads` threads, this one among them.
fn on_threads<T: Send>(threads: usize, worker: impl Fn() -> Result<T> + Sync) -> Result<Vec<T>> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(&worker)).collect();
        let mut results = vec![worker()?];
        for handle in others {
            results.push(handle.join().map_err(|_| anyhow!("a worker panicked"))??);
        }
        Ok(results)
    })
}

/// Inflates all blocks on `threads` threads; each thread's own `init()` gets their texts.
fn each_block<F: FnMut(&[u8])>(
    path: &Path,
    threads: usize,
    check: bool,
    init: impl Fn() -> F + Sync,
) -> Result<Inflated> {
    let file = files::open(path)?;
    let feeder = Mutex::new(Feeder { file, carry: Vec::new(), at: 0 });
    let parts = on_threads(threads, || {
        let mut sink = init();
        let mut codec = Codec::new();
        let mut data = Vec::with_capacity(READ_SIZE + MAX_INFLATED);
        let mut blocks = Vec::new();
        let mut found = Inflated { blocks: 0, bytes: 0 };
        loop {
            let turn = feeder
                .lock()
                .map_err(|_| anyhow!("a worker panicked"))?
                .fill(&mut data, &mut blocks);
            if !turn? {
                return Ok(found);
            }
            for block in &blocks {
                let text = codec.inflate(&data, block, check)?;
                sink(text);
                found.bytes += text.len() as u64;
            }
            found.blocks += blocks.len();
        }
    })
    .with_context(|| format!("{}", path.display()))?;
    Ok(parts.into_iter().fold(Inflated { blocks: 0, bytes: 0 }, |total, part| Inflated {
        blocks: total.blocks + part.blocks,
        bytes: total.bytes + part.bytes,
    }))
}

/// Bytes a worker takes at a time.
const READ_SIZE: usize = 1 << 20;

/// Hands out runs of whole blocks.
struct Feeder {
    file: File,
    /// The start of a block that the last read did not complete.
    carry: Vec<u8>,
    /// Bytes handed out so far.
    at: u64,
}

impl Feeder {
    /// Fills `data` with whole blocks and `blocks` with where they lie; false at the end of the file.
    fn fill(&mut self, data: &mut Vec<u8>, blocks: &mut Vec<Block>) -> Result<bool> {
        data.clear();
        blocks.clear();
        data.append(&mut self.carry);
        let wanted = READ_SIZE.saturating_sub(data.len()).max(MAX_INFLATED) as u64;
        let n = (&self.file).take(wanted).read_to_end(data).context("cannot read")?;
        let mut end = 0;
        while end < data.len() {
            let block = parse_block(data, end)
                .with_context(|| format!("at byte {}", self.at + end as u64))?;
            let Some(block) = block else {
                // The rest of the block may come with the next read.
                ensure!(n > 0, "the block at byte {} is cut", self.at + end as u64);
                break;
            };
            end += block.header.block_len;
            blocks.push(block);
        }
        self.carry.extend_from_slice(&data[end..]);
        data.truncate(end);
        self.at += end as u64;
        Ok(n > 0 || end > 0)
    }
}

/// `limit read`: reads the file 1 MB at a time and adds up its bytes as 64-bit words.
pub fn read(path: &Path) -> Result<Summed> {
    let mut file = files::open(path)?;
    let mut buffer = vec![0u8; 1 << 20];
    let (mut bytes, mut sum) = (0u64, 0u64);
    loop {
        let n =
            file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if n == 0 {
            return Ok(Summed { bytes, sum });
        }
        bytes += n as u64;
        let (words, rest) = buffer[..n].as_chunks::<8>();
        let words = words.iter().fold(0u64, |s, w| s.wrapping_add(u64::from_le_bytes(*w)));
        sum = rest.iter().fold(sum.wrapping_add(words), |s, &b| s.wrapping_add(u64::from(b)));
    }
}
