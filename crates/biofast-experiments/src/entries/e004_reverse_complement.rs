//! 004: the reverse complement of reads: plain loops, words, vector code, and two bits a base.

use anyhow::{Result, bail};

use super::{reverse_simd, two_bit};
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;

pub(super) struct ReverseComplement;

impl Entry for ReverseComplement {
    fn id(&self) -> &'static str {
        "004"
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (bases, len) = two_bit::plain_bases(cell, lab)?;
        // A read, or all of them as one sequence.
        let len = if cell.get("layout") == "read" { len } else { bases.len() };
        let method: fn(&[u8], &mut [u8]) = match cell.get("method") {
            "match" => match_letters,
            "table" => table,
            "words" => words,
            "blocks" => blocks,
            "2bit" => return Ok(packed_task(bases, len, false)),
            "2bit-convert" => return Ok(packed_task(bases, len, true)),
            other => match reverse_simd::for_isa(other) {
                Some(method) => method,
                None => bail!("no method is called {other:?}"),
            },
        };
        let mut out = vec![0; bases.len()];
        Ok(Box::new(move |calls| {
            if calls == 0 {
                return Ok(Outcome::new(libdeflater::crc32(&out), out.len()));
            }
            repeat(calls, || {
                let bases = std::hint::black_box(&bases);
                for (read, out) in bases.chunks_exact(len).zip(out.chunks_exact_mut(len)) {
                    method(read, out);
                }
            });
            Ok(Outcome::deferred())
        }))
    }

    fn applies(&self, cell: &Cell) -> bool {
        let method = cell.get("method");
        !matches!(method, "avx2" | "neon") || reverse_simd::for_isa(method).is_some()
    }
}

/// Packed reads to packed reads; with `convert` from letters and back to letters.
fn packed_task<'a>(bases: Vec<u8>, len: usize, convert: bool) -> Task<'a> {
    let words = two_bit::words(len);
    let count = bases.len() / len;
    let mut packed = vec![0; count * words];
    for (read, packed) in bases.chunks_exact(len).zip(packed.chunks_exact_mut(words)) {
        two_bit::encode(read, packed);
    }
    let mut reversed = vec![0; count * words];
    let mut out = vec![0; bases.len()];
    Box::new(move |calls| {
        if calls == 0 {
            if !convert {
                for (read, out) in reversed.chunks_exact(words).zip(out.chunks_exact_mut(len)) {
                    two_bit::decode(read, out);
                }
            }
            return Ok(Outcome::new(libdeflater::crc32(&out), out.len()));
        }
        repeat(calls, || {
            if convert {
                let (mut there, mut back) = (vec![0; words], vec![0; words]);
                let bases = std::hint::black_box(&bases);
                for (read, out) in bases.chunks_exact(len).zip(out.chunks_exact_mut(len)) {
                    two_bit::encode(read, &mut there);
                    two_bit::reverse_complement(&there, len, &mut back);
                    two_bit::decode(&back, out);
                }
            } else {
                let packed = std::hint::black_box(&packed);
                for (read, out) in packed.chunks_exact(words).zip(reversed.chunks_exact_mut(words)) {
                    two_bit::reverse_complement(read, len, out);
                }
            }
        });
        Ok(Outcome::deferred())
    })
}

/// Comparisons, which a compiler is free to turn into branches or selections.
fn match_letters(bases: &[u8], out: &mut [u8]) {
    for (base, out) in bases.iter().rev().zip(out) {
        *out = match base {
            b'A' => b'T',
            b'C' => b'G',
            b'G' => b'C',
            b'T' => b'A',
            other => *other,
        };
    }
}

/// A table of complements.
fn table(bases: &[u8], out: &mut [u8]) {
    const COMPLEMENT: [u8; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            table[i] = i as u8;
            i += 1;
        }
        let mut i = 0;
        while i < 4 {
            table[b"ACGT"[i] as usize] = b"TGCA"[i];
            i += 1;
        }
        table
    };
    for (&base, out) in bases.iter().rev().zip(out) {
        *out = COMPLEMENT[usize::from(base)];
    }
}

/// Eight bases at a time in a word, as the library's search for overlaps does it.
fn words(bases: &[u8], out: &mut [u8]) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Bit 1 tells A and T (0) from C and G (1); x ^ 0x15 exchanges A and T, x ^ 4 C and G.
    let complement = |word: u64| word ^ (0x15 * ONES) ^ ((word >> 1 & ONES) * 0x11);
    let (rest, words) = bases.as_rchunks::<8>();
    let (octets, tail) = out.as_chunks_mut::<8>();
    for (word, out) in words.iter().rev().zip(octets) {
        *out = complement(u64::from_le_bytes(*word)).swap_bytes().to_le_bytes();
    }
    for (base, out) in rest.iter().rev().zip(tail) {
        *out = complement(u64::from(*base)) as u8;
    }
}


/// Plain Rust on blocks of 32 bases, which compilers turn into vector code.
fn blocks(bases: &[u8], out: &mut [u8]) {
    let complement = |base: u8| base ^ if base & 2 == 0 { 0x15 } else { 4 };
    let (rest, blocks) = bases.as_rchunks::<32>();
    let (out_blocks, tail) = out.as_chunks_mut::<32>();
    for (block, out) in blocks.iter().rev().zip(out_blocks) {
        for (base, out) in block.iter().rev().zip(out) {
            *out = complement(*base);
        }
    }
    for (base, out) in rest.iter().rev().zip(tail) {
        *out = complement(*base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_agree() {
        for len in 0..300 {
            let bases: Vec<u8> = (0..len).map(|i| b"ACGT"[(i * i + i / 3) % 4]).collect();
            let mut expected = vec![0; len];
            match_letters(&bases, &mut expected);
            for method in [table, words, blocks, reverse_simd::fastest()] {
                let mut out = vec![0; len];
                method(&bases, &mut out);
                assert_eq!(out, expected, "{len} bases");
            }
        }
    }

    #[test]
    fn the_definition() {
        let mut out = [0; 6];
        match_letters(b"AACGTC", &mut out);
        assert_eq!(&out, b"GACGTT");
    }
}
