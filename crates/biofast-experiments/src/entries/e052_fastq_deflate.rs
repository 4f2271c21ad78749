//! 052: BGZF blocks of FASTQ and BAM written at the toolkit's own levels and at libdeflate's.

use super::bgzf_blocks::{deflater, deflating};
use super::prelude::*;
use super::real_sets;
use crate::files;

pub(super) struct FastqDeflate;

impl Entry for FastqDeflate {
    fn applies(&self, cell: &Cell) -> bool {
        real_sets::is_here(cell.get("data"))
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let text = text(cell.get("data"), lab)?;
        deflating(deflater(cell.get("level"))?, text)
    }
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
        real => real_sets::path(real)?,
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
