//! Limits of the machine that no tool can beat with libdeflate: inflating every block of a BGZF file and throwing the
//! result away, the same and deflating it again, deflating a plain file, and reading it.
//! `biofast-lab limit inflate | recode | compress | read`; the benchmark runs them as
//! child processes like any contestant. `datasets verify` uses the plain loops.

pub mod bam_regions;
pub mod block_types;
pub mod encoders;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use libdeflater::{CompressionLvl, Compressor, Crc, Decompressor};

use encoders::BLOCK;

/// The largest uncompressed size of a BGZF block.
const MAX_BLOCK: usize = 65_536;

/// Where one block's parts lie in the file.
#[derive(Clone, Copy)]
struct Block {
    /// The deflate stream.
    start: usize,
    end: usize,
    crc: u32,
    size: usize,
}

impl Block {
    /// Inflates into the front of `out` and returns the text.
    fn inflate<'a>(
        &self,
        data: &[u8],
        check: bool,
        codec: &mut Decompressor,
        out: &'a mut [u8],
    ) -> Result<&'a [u8]> {
        let text = &mut out[..self.size];
        let n = codec
            .deflate_decompress(&data[self.start..self.end], text)
            .context("invalid deflate data")?;
        ensure!(n == self.size, "block inflates to {n} bytes instead of {}", self.size);
        if check {
            let mut crc = Crc::new();
            crc.update(text);
            ensure!(crc.sum() == self.crc, "CRC-32 differs");
        }
        Ok(text)
    }
}

/// Splits a BGZF file at its block headers.
fn find_blocks(data: &[u8]) -> Result<Vec<Block>> {
    let mut blocks = Vec::with_capacity(data.len() / 16_384);
    let mut at = 0;
    while at < data.len() {
        let (block, next) = parse_block(data, at).with_context(|| format!("at byte {at}"))?;
        blocks.push(block);
        at = next;
    }
    Ok(blocks)
}

/// Reads the block header at `at`; returns the block and where the next one starts.
fn parse_block(data: &[u8], at: usize) -> Result<(Block, usize)> {
    let head = data.get(at..at + 12).context("truncated header")?;
    ensure!(head[..4] == [0x1f, 0x8b, 8, 4], "not a BGZF block");
    let extra_len = usize::from(u16::from_le_bytes([head[10], head[11]]));
    let mut extra = data.get(at + 12..at + 12 + extra_len).context("truncated header")?;
    let mut size = None;
    while let [id1, id2, low, high, rest @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*low, *high]));
        let field = rest.get(..len).context("truncated extra field")?;
        if (*id1, *id2, len) == (b'B', b'C', 2) {
            size = Some(usize::from(u16::from_le_bytes([field[0], field[1]])) + 1);
        }
        extra = &rest[len..];
    }
    let Some(size) = size else { bail!("no BC extra field") };
    let start = at + 12 + extra_len;
    let next = at + size;
    ensure!(next <= data.len() && start + 8 <= next, "truncated block");
    let word = |i: usize| u32::from_le_bytes([data[i], data[i + 1], data[i + 2], data[i + 3]]);
    let inflated = word(next - 4) as usize;
    ensure!(inflated <= MAX_BLOCK, "block of {inflated} bytes");
    Ok((Block { start, end: next - 8, crc: word(next - 8), size: inflated }, next))
}

/// Inflates all blocks of `data` in order and hands each to `sink`.
pub(crate) fn inflate_blocks(data: &[u8], check: bool, mut sink: impl FnMut(&[u8])) -> Result<()> {
    let mut codec = Decompressor::new();
    let mut out = vec![0; MAX_BLOCK];
    for block in find_blocks(data)? {
        sink(block.inflate(data, check, &mut codec, &mut out)?);
    }
    Ok(())
}

/// Inflates a file that is one gzip member of less than 4 GiB.
pub(crate) fn inflate_member(data: &[u8]) -> Result<Vec<u8>> {
    let footer = data.last_chunk::<4>().context("truncated gzip member")?;
    let mut text = vec![0; u32::from_le_bytes(*footer) as usize];
    let n = Decompressor::new().gzip_decompress(data, &mut text).context("invalid gzip data")?;
    ensure!(n == text.len(), "gzip member inflates to {n} bytes instead of {}", text.len());
    Ok(text)
}

/// What `limit inflate` found.
#[derive(Debug, PartialEq, Eq)]
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
pub fn compress(path: &Path, threads: usize, level: i32) -> Result<u64> {
    let level = CompressionLvl::new(level).map_err(|_| anyhow!("no such level: {level}"))?;
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let file = Mutex::new(file);
    on_threads(threads, || {
        let mut deflate = deflater(level);
        let mut data = Vec::with_capacity(READ_SIZE);
        let mut bytes = 0;
        loop {
            data.clear();
            let wanted = (READ_SIZE - READ_SIZE % BLOCK) as u64;
            let file = file.lock().map_err(|_| anyhow!("a worker panicked"))?;
            let n = (&*file).take(wanted).read_to_end(&mut data).context("cannot read")?;
            drop(file);
            if n == 0 {
                return Ok(bytes);
            }
            data.chunks(BLOCK).for_each(&mut deflate);
            bytes += n as u64;
        }
    })
    .map(|bytes| bytes.into_iter().sum())
    .with_context(|| format!("{}", path.display()))
}

/// Deflates a block of up to [`MAX_BLOCK`] bytes and discards the result.
fn deflater(level: CompressionLvl) -> impl FnMut(&[u8]) {
    let mut codec = Compressor::new(level);
    let mut out = vec![0; codec.deflate_compress_bound(MAX_BLOCK)];
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
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let feeder = Mutex::new(Feeder { file, carry: Vec::new(), at: 0 });
    let parts = on_threads(threads, || {
        let mut sink = init();
        let mut codec = Decompressor::new();
        let mut data = Vec::with_capacity(READ_SIZE + MAX_BLOCK);
        let mut blocks = Vec::new();
        let mut out = vec![0; MAX_BLOCK];
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
                let text = block.inflate(&data, check, &mut codec, &mut out)?;
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
        let wanted = READ_SIZE.saturating_sub(data.len()).max(MAX_BLOCK) as u64;
        let n = (&self.file).take(wanted).read_to_end(data).context("cannot read")?;
        let mut end = 0;
        while end < data.len() {
            match parse_block(data, end) {
                Ok((block, next)) => {
                    blocks.push(block);
                    end = next;
                }
                // The rest of the block may come with the next read.
                Err(_) if n > 0 && data.len() - end < MAX_BLOCK => break,
                Err(error) => {
                    return Err(error.context(format!("at byte {}", self.at + end as u64)));
                }
            }
        }
        self.carry.extend_from_slice(&data[end..]);
        data.truncate(end);
        self.at += end as u64;
        Ok(n > 0 || end > 0)
    }
}

/// `limit read`: reads the file 1 MB at a time and adds up its bytes as 64-bit words.
pub fn read(path: &Path) -> Result<(u64, u64)> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut buffer = vec![0u8; 1 << 20];
    let (mut bytes, mut sum) = (0u64, 0u64);
    loop {
        let n =
            file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if n == 0 {
            return Ok((bytes, sum));
        }
        bytes += n as u64;
        let (words, rest) = buffer[..n].as_chunks::<8>();
        let words = words.iter().fold(0u64, |s, w| s.wrapping_add(u64::from_le_bytes(*w)));
        sum = rest.iter().fold(sum.wrapping_add(words), |s, &b| s.wrapping_add(u64::from(b)));
    }
}
