//! 015: edit distance of pairs of sequences: dynamic programming against Myers' bit-parallel algorithm.

use super::prelude::*;
use crate::systems::edit_distance::{Scratch, bit_parallel, by_band, by_rows};

pub(super) struct EditDistance;

impl Entry for EditDistance {
    /// No stable interface to a matrix unit exists on any system.
    fn applies(&self, cell: &Cell) -> bool {
        cell.get("method") != "matrix"
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let pairs = make_pairs(cell, lab)?;
        let distance: fn(&mut Scratch, &[u8], &[u8]) -> usize = match cell.get("method") {
            "dp" => by_rows,
            "dp-band" => by_band,
            "myers" => bit_parallel,
            other => bail!("no method is called {other:?}"),
        };
        let bytes = pairs.iter().map(|(a, b)| a.len() + b.len()).sum();
        let mut scratch = Scratch::default();
        Ok(Box::new(move |calls| {
            // A checksum of all distances in order, not just their sum.
            let all = repeat(calls, || {
                let pairs = std::hint::black_box(&pairs);
                pairs.iter().fold(0u64, |sum, (a, b)| {
                    sum.wrapping_mul(1_000_003).wrapping_add(distance(&mut scratch, a, b) as u64)
                })
            });
            Ok(Outcome::new(format!("{all:x}"), bytes))
        }))
    }
}

/// Pairs of a sequence of the dataset and a copy of it with errors.
fn make_pairs(cell: &Cell, lab: &Lab) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let reads = lab.reads("large")?;
    let (len, count) = (cell.number("length")?, cell.number("pairs")?);
    let percent = cell.number("errors")? as u64;
    let mut rng = Rng::new(15, len as u64, percent);
    let sequences = reads.bases.chunks_exact(len).cycle().take(count);
    Ok(sequences.map(|a| (a.to_vec(), with_errors(a, percent, &mut rng))).collect())
}

/// Substitutions, insertions and deletions in equal parts.
fn with_errors(sequence: &[u8], percent: u64, rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::with_capacity(sequence.len() + sequence.len() / 4);
    for &base in sequence {
        if rng.below(100) >= percent {
            out.push(base);
            continue;
        }
        let other = b"ACGT"[rng.below(4) as usize];
        match rng.below(3) {
            0 => out.push(other),
            1 => out.extend([other, base]),
            _ => {}
        }
    }
    out
}
