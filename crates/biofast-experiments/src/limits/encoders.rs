//! `biofast-lab limit deflate`: blocks of a file deflated by libdeflate and by biofast-deflate, in turns, on one thread;
//! sizes and speeds. And what BAM would gain if its sequences and qualities were literals under codes of their own.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use biofast_deflate::{Effort, FastqDeflater};
use biofast_io::bgzf::BLOCK_TEXT;
use libdeflater::{CompressionLvl, Compressor, Decompressor};

use crate::files;
use crate::limits::bam::records;

/// Blocks an encoder takes before it is the next one's turn.
const TURN: usize = 16;
/// Header and footer of a BGZF block.
const AROUND: usize = 26;

/// How blocks are deflated.
enum Encoder {
    Libdeflate(Compressor),
    /// What it declines goes to libdeflate.
    Own(Box<FastqDeflater>, Compressor),
}

struct Contestant {
    name: String,
    encoder: Encoder,
    size: usize,
    declined: usize,
    /// Of each repetition.
    times: Vec<Duration>,
}

pub(crate) fn libdeflate(level: i32) -> Result<Compressor> {
    let level = CompressionLvl::new(level).map_err(|_| anyhow!("no such level: {level}"))?;
    Ok(Compressor::new(level))
}

impl Contestant {
    fn new(name: &str) -> Result<Self> {
        let encoder = match name {
            "fast" => Encoder::Own(Box::new(FastqDeflater::new(Effort::Fast)), libdeflate(1)?),
            "more" => Encoder::Own(Box::new(FastqDeflater::new(Effort::Balanced)), libdeflate(1)?),
            level => {
                let level = level.parse().with_context(|| format!("unknown encoder '{level}'"))?;
                Encoder::Libdeflate(libdeflate(level)?)
            }
        };
        Ok(Self { name: name.to_owned(), encoder, size: 0, declined: 0, times: Vec::new() })
    }

    /// Deflates a block behind what is in `out`.
    fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let codec = match &mut self.encoder {
            Encoder::Libdeflate(codec) => codec,
            Encoder::Own(own, codec) => {
                if own.deflate(text, out) {
                    return Ok(());
                }
                self.declined += 1;
                codec
            }
        };
        let start = out.len();
        out.resize(start + codec.deflate_compress_bound(text.len()), 0);
        let n = codec.deflate_compress(text, &mut out[start..])?;
        out.truncate(start + n);
        Ok(())
    }

    fn median(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64)
    }
}

/// The first bytes of the text of a plain, BGZF or gzip file.
pub(crate) fn read(path: &Path, most: usize) -> Result<Vec<u8>> {
    let text = files::read_text(path, most as u64)?;
    ensure!(!text.is_empty(), "{} is empty", path.display());
    Ok(text)
}

/// Prints a row for each encoder: size and speed, and both relative to the first one's.
///
/// `names` are libdeflate's levels, `fast` and `more` (Effort::Balanced alone, without the comparison with level 6 that
/// `--level small` makes). Each stream is inflated once and compared.
pub fn compare(path: &Path, names: &[String], reps: usize, most: usize) -> Result<()> {
    let text = read(path, most)?;
    let mut all = names.iter().map(|name| Contestant::new(name)).collect::<Result<Vec<_>>>()?;
    let mut out = Vec::with_capacity(2 * BLOCK_TEXT * TURN);
    let mut back = vec![0; BLOCK_TEXT];
    for rep in 0..=reps {
        for one in &mut all {
            (one.size, one.declined) = (0, 0);
            // The first round warms up and checks.
            if rep > 0 {
                one.times.push(Duration::ZERO);
            }
        }
        for turn in text.chunks(BLOCK_TEXT * TURN) {
            for one in &mut all {
                out.clear();
                let mut ends = Vec::with_capacity(TURN);
                let start = Instant::now();
                for block in turn.chunks(BLOCK_TEXT) {
                    one.deflate(block, &mut out)?;
                    ends.push(out.len());
                }
                if let Some(time) = one.times.last_mut() {
                    *time += start.elapsed();
                }
                one.size += out.len() + AROUND * ends.len();
                if rep == 0 {
                    let mut start = 0;
                    for (block, end) in turn.chunks(BLOCK_TEXT).zip(ends) {
                        let n = Decompressor::new()
                            .deflate_decompress(&out[start..end], &mut back[..block.len()])?;
                        ensure!(back[..n] == *block, "{}: another text comes back", one.name);
                        start = end;
                    }
                }
            }
        }
    }
    println!(
        "{}: {} bytes, {} blocks",
        path.display(),
        text.len(),
        text.len().div_ceil(BLOCK_TEXT)
    );
    println!("encoder      bytes    size    MB/s   speed  declined");
    let Some((size, time)) = all.first().map(|one| (one.size as f64, one.median())) else {
        return Ok(());
    };
    for one in &all {
        let median = one.median();
        println!(
            "{:<6} {:>11} {:>7.4} {:>7.0} {:>7.2} {:>9}",
            one.name,
            one.size,
            one.size as f64 / size,
            text.len() as f64 / median / 1e6,
            time / median,
            one.declined
        );
    }
    Ok(())
}

/// The parts of BAM records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Other,
    Bases,
    Qualities,
}

/// Bytes that a change to other codes and back takes: the headers of two DEFLATE blocks.
const CHANGE: f64 = 100.0;

/// Prints how large a BAM file would be if bases, qualities or both were literals under codes of their own, at best: their
/// entropy block by block and libdeflate's size of all else, without and with the headers that the codes take.
pub fn bound_bam(path: &Path, most: usize) -> Result<()> {
    let text = read(path, most)?;
    let parts = parts(&text).context("not BAM")?;
    let mut codecs = [libdeflate(1)?, libdeflate(6)?];
    let mut out = vec![0; 2 * BLOCK_TEXT];
    let mut sizes = [[0.0; 4]; 2];
    let mut changes = 0.0;
    for (block, parts) in text.chunks(BLOCK_TEXT).zip(parts.chunks(BLOCK_TEXT)) {
        let variants =
            [&[][..], &[Part::Bases], &[Part::Qualities], &[Part::Bases, Part::Qualities]];
        let runs = parts.chunk_by(|a, b| a == b);
        changes += runs.filter(|run| run[0] == Part::Qualities).count() as f64;
        for (i, literal) in variants.into_iter().enumerate() {
            let of = |wanted: &dyn Fn(Part) -> bool| -> Vec<u8> {
                let both = block.iter().zip(parts);
                both.filter(|(_, part)| wanted(**part)).map(|(byte, _)| *byte).collect()
            };
            let entropy: f64 = literal.iter().map(|l| entropy(&of(&|part| part == *l))).sum();
            let rest = of(&|part| !literal.contains(&part));
            for (codec, sizes) in codecs.iter_mut().zip(&mut sizes) {
                sizes[i] += codec.deflate_compress(&rest, &mut out)? as f64 + entropy;
            }
        }
    }
    println!("{}: {} bytes", path.display(), text.len());
    println!("size ÷ all by libdeflate, at best; with the headers of two blocks a record");
    println!("level  bases as literals          qualities               both");
    for (level, [all, bases, qualities, both]) in [1, 6].into_iter().zip(sizes) {
        let row = [bases, qualities, both]
            .map(|size| format!("{:.3}; {:.3}", size / all, (size + CHANGE * changes) / all));
        println!("{level:<6} {:>17} {:>18} {:>18}", row[0], row[1], row[2]);
    }
    Ok(())
}

/// Bytes that an optimal code takes at least.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let total = bytes.len() as f64;
    let used = counts.iter().filter(|&&n| n > 0).map(|&n| f64::from(n));
    used.map(|n| n * (total / n).log2()).sum::<f64>() / 8.0
}

/// What each byte of a BAM stream is, as far as records are whole; `None` if it isn't one.
fn parts(text: &[u8]) -> Option<Vec<Part>> {
    let mut parts = vec![Part::Other; text.len()];
    for record in records(text)? {
        parts[record.bases..record.qualities].fill(Part::Bases);
        parts[record.qualities..record.tags].fill(Part::Qualities);
    }
    Some(parts)
}
