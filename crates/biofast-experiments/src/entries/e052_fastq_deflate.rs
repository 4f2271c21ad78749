//! 052: BGZF blocks of FASTQ and BAM written at the toolkit's own levels and at libdeflate's.

use biofast_io::bgzf::{self, Deflater};
use biofast_io::output::Level;
use libdeflater::Decompressor;

use super::prelude::*;
use crate::files;
use crate::limits::find_blocks;

/// Names the folder of the real sets, which are no part of the repository.
const REAL: &str = "BIOFAST_LAB_READS";

pub(super) struct FastqDeflate;

impl Entry for FastqDeflate {
    fn applies(&self, cell: &Cell) -> bool {
        !cell.get("data").starts_with("real-") || real(cell.get("data")).is_some()
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let text = text(cell.get("data"), lab)?;
        let usual: usize = deflate(&mut deflater("1")?, &text).iter().map(Vec::len).sum();
        let mut deflater = deflater(cell.get("level"))?;
        let mut blocks = Vec::new();
        Ok(Box::new(move |calls| {
            if calls > 0 {
                blocks = repeat(calls, || deflate(&mut deflater, &text));
                return Ok(Outcome::deferred());
            }
            let size: usize = blocks.iter().map(Vec::len).sum();
            Ok(Outcome::hashed(inflate(&blocks)?, text.len())
                .with("size", size as f64)
                .with("size_to_level_1", size as f64 / usual as f64))
        }))
    }
}

fn deflater(level: &str) -> Result<Deflater> {
    Ok(Deflater::new(match level {
        "fast" => Level::Fast,
        "small" => Level::Small,
        number => Level::Number(number.parse().context("no such level")?),
    }))
}

/// BGZF blocks with their checksums.
fn deflate(deflater: &mut Deflater, text: &[u8]) -> Vec<Vec<u8>> {
    let mut spare = Vec::new();
    let block = |text| {
        let mut block = Vec::with_capacity(bgzf::BLOCK_TEXT);
        deflater.deflate(text, &mut block, &mut spare);
        block
    };
    text.chunks(bgzf::BLOCK_TEXT).map(block).collect()
}

/// The text of blocks, by libdeflate.
fn inflate(blocks: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    let mut codec = Decompressor::new();
    for block in blocks {
        let [found] = &find_blocks(block)?[..] else { bail!("no BGZF block") };
        let len = found.inflated_len;
        let stream = &block[found.header.header_len..found.header.block_len - 8];
        let start = all.len();
        all.resize(start + len, 0);
        let n = codec.deflate_decompress(stream, &mut all[start..])?;
        ensure!(n == len, "{n} bytes instead of {len}");
    }
    Ok(all)
}

/// The file of a real set, where there is one.
fn real(data: &str) -> Option<PathBuf> {
    let name = match data {
        "real-50" => "chipseq_SRR5204809-10_R1.fastq.gz",
        "real-binned" => "novaseq_binned.fastq.gz",
        "real-nanopore" => "ont_mix_permissive.fastq.gz",
        "real-4" => "novaseq4_metagenome_R1.fastq.gz",
        "real-6" => "bacteroides_6level_R1.fastq.gz",
        "real-10x-3" => "tenx_flex_3level_R2.fastq.gz",
        "real-10x-tags" => "tenx_antibody_3level_R2.fastq.gz",
        "real-10x-4" => "tenx_visium_4level.fastq.gz",
        "real-nanopore-r10" => "ont_r10_subset.fastq.gz",
        "real-hifi" => "hifi_ecoli.fastq.gz",
        _ => return None,
    };
    let path = Path::new(&std::env::var_os(REAL)?).join(name);
    path.exists().then_some(path)
}

/// The first bytes of a set.
fn text(data: &str, lab: &Lab) -> Result<Vec<u8>> {
    let quick = lab.scale == Scale::Quick;
    let most = if quick { 1 << 20 } else { 8 << 20 };
    let path = match data {
        "hiseq" => lab.file(if quick { "medium" } else { "large" }, Format::Fastq)?,
        "binned" => lab.file("novaseq_100k", Format::Fastq)?,
        "long" => lab.file("long_10k", Format::Fastq)?,
        "bam" => lab.file("aln_50k", Format::Bam)?,
        "amplicons" => return Ok(amplicons(most)),
        other => real(other).with_context(|| format!("no set is called {other:?}"))?,
    };
    files::read_text(&path, most as u64)
}

/// Reads of one template of 250 bases with an error in a hundred; scores as a walk.
fn amplicons(most: usize) -> Vec<u8> {
    let mut random = Rng::new(52, 0, 0);
    let template: Vec<u8> = (0..250).map(|_| b"ACGT"[random.below(4) as usize]).collect();
    let mut text = Vec::with_capacity(most + 1024);
    for read in 0.. {
        if text.len() >= most {
            break;
        }
        let place = (random.below(30_000), 1000 + read / 20);
        text.extend_from_slice(
            format!("@SIM:1:FCX:1:1101:{}:{} 1:N:0:ACGT\n", place.0, place.1).as_bytes(),
        );
        for &base in &template {
            text.push(if random.below(100) == 0 {
                b"ACGT"[random.below(4) as usize]
            } else {
                base
            });
        }
        text.extend_from_slice(b"\n+\n");
        let mut score = 35;
        for _ in 0..template.len() {
            if random.below(4) == 0 {
                score = (score + random.below(5)).saturating_sub(2).clamp(2, 40);
            }
            text.push(b'!' + score as u8);
        }
        text.push(b'\n');
    }
    text.truncate(most);
    text
}
