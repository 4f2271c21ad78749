//! 015: edit distance of pairs of sequences: dynamic programming against Myers' bit-parallel algorithm.

use anyhow::{Result, bail};

use crate::core::cell::Cell;
use crate::core::entry::{Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;
use crate::rng::Rng;

pub(super) struct EditDistance;

impl Entry for EditDistance {
    fn id(&self) -> &'static str {
        "015"
    }

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

/// Memory kept between calls.
#[derive(Default)]
struct Scratch {
    row: Vec<u32>,
    /// For every byte, where it occurs in the pattern, 64 places to a word.
    masks: Vec<u64>,
    plus: Vec<u64>,
    minus: Vec<u64>,
}

/// The textbook: a row of the matrix at a time.
fn by_rows(scratch: &mut Scratch, a: &[u8], b: &[u8]) -> usize {
    let row = &mut scratch.row;
    row.clear();
    row.extend(0..=b.len() as u32);
    for (i, &x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u32 + 1;
        let mut left = row[0];
        for (cell, &y) in row[1..].iter_mut().zip(b) {
            let best = (diagonal + u32::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().map_or(0, |distance| *distance as usize)
}

/// As [`by_rows`], but only where a distance of at most `k` is possible; `k` doubles until the distance fits.
fn by_band(scratch: &mut Scratch, a: &[u8], b: &[u8]) -> usize {
    let mut k = a.len().abs_diff(b.len()).max(8);
    loop {
        if let Some(distance) = within(scratch, a, b, k) {
            return distance;
        }
        k *= 2;
    }
}

/// The distance if it is at most `k`.
fn within(scratch: &mut Scratch, a: &[u8], b: &[u8], k: usize) -> Option<usize> {
    const FAR: u32 = u32::MAX / 2;
    let row = &mut scratch.row;
    row.clear();
    row.extend((0..=b.len()).map(|j| if j <= k { j as u32 } else { FAR }));
    for (i, &x) in a.iter().enumerate() {
        let (first, last) = ((i + 1).saturating_sub(k), (i + 1 + k).min(b.len()));
        if first > b.len() {
            return None;
        }
        let start = first.max(1);
        let mut diagonal = row[start - 1];
        row[start - 1] = if first == 0 { i as u32 + 1 } else { FAR };
        let mut left = row[start - 1];
        for j in start..=last {
            let best = (diagonal + u32::from(x != b[j - 1])).min(left + 1).min(row[j] + 1);
            diagonal = row[j];
            row[j] = best;
            left = best;
        }
        if last < b.len() {
            row[last + 1] = FAR;
        }
    }
    let distance = row[b.len()] as usize;
    (distance <= k).then_some(distance)
}

/// Myers 1999 in the block form of Hyyrö: the differences between neighbouring cells of a column are bits, 64 rows to
/// a word; a carry goes from block to block.
fn bit_parallel(scratch: &mut Scratch, pattern: &[u8], text: &[u8]) -> usize {
    if pattern.is_empty() {
        return text.len();
    }
    let blocks = pattern.len().div_ceil(64);
    let Scratch { masks, plus, minus, .. } = scratch;
    masks.clear();
    masks.resize(256 * blocks, 0);
    for (i, &x) in pattern.iter().enumerate() {
        masks[usize::from(x) * blocks + i / 64] |= 1 << (i % 64);
    }
    plus.clear();
    plus.resize(blocks, !0);
    minus.clear();
    minus.resize(blocks, 0);
    let last_bit = (pattern.len() - 1) % 64;
    let mut distance = pattern.len();
    for &y in text {
        let masks = &masks[usize::from(y) * blocks..][..blocks];
        // The row above the first one grows by one with every column.
        let (mut carry_plus, mut carry_minus) = (1u64, 0u64);
        let columns = masks.iter().zip(plus.iter_mut()).zip(minus.iter_mut());
        for (block, ((&mask, plus), minus)) in columns.enumerate() {
            let (pv, mv) = (*plus, *minus);
            let xv = mask | mv;
            let eq = mask | carry_minus;
            let xh = ((eq & pv).wrapping_add(pv) ^ pv) | eq;
            let ph = mv | !(xh | pv);
            let mh = pv & xh;
            if block + 1 == blocks {
                distance += (ph >> last_bit & 1) as usize;
                distance -= (mh >> last_bit & 1) as usize;
            }
            let (out_plus, out_minus) = (ph >> 63, mh >> 63);
            let (ph, mh) = (ph << 1 | carry_plus, mh << 1 | carry_minus);
            *plus = mh | !(xv | ph);
            *minus = ph & xv;
            (carry_plus, carry_minus) = (out_plus, out_minus);
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition.
    fn by_definition(a: &[u8], b: &[u8]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                let same = by_definition(a_rest, b_rest) + usize::from(x != y);
                same.min(by_definition(a_rest, b) + 1).min(by_definition(a, b_rest) + 1)
            }
        }
    }

    #[test]
    fn methods_agree_with_the_definition_on_short_sequences() {
        let mut scratch = Scratch::default();
        let mut rng = Rng::new(1, 2, 3);
        for _ in 0..300 {
            let mut draw = || -> Vec<u8> {
                let len = rng.below(7);
                (0..len).map(|_| b"ACG"[rng.below(3) as usize]).collect()
            };
            let (a, b) = (draw(), draw());
            let expected = by_definition(&a, &b);
            for method in [by_rows, by_band, bit_parallel] {
                assert_eq!(method(&mut scratch, &a, &b), expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn methods_agree_across_block_boundaries() {
        let mut scratch = Scratch::default();
        let mut rng = Rng::new(4, 5, 6);
        for len in [1, 63, 64, 65, 127, 128, 129, 150, 192, 300] {
            for percent in [0, 5, 30, 100] {
                let a: Vec<u8> = (0..len).map(|_| b"ACGT"[rng.below(4) as usize]).collect();
                let b = with_errors(&a, percent, &mut rng);
                let expected = by_rows(&mut scratch, &a, &b);
                assert_eq!(bit_parallel(&mut scratch, &a, &b), expected, "{len} {percent}");
                assert_eq!(bit_parallel(&mut scratch, &b, &a), expected, "{len} {percent}");
                assert_eq!(by_band(&mut scratch, &a, &b), expected, "{len} {percent}");
            }
        }
    }
}
