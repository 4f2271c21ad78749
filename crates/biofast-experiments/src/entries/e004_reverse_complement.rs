//! 004: the reverse complement of reads: plain loops, words, vector code, and two bits a base.

use super::packed_reads::Data;
use super::prelude::*;
use super::{reverse_simd, two_bit};

pub(super) struct ReverseComplement;

impl Entry for ReverseComplement {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (bases, len) = two_bit::plain_bases(cell, lab)?;
        // A read, or all of them as one sequence.
        let len = if cell.get("layout") == "read" { len } else { bases.len() };
        let method: fn(&[u8], &mut [u8]) = match cell.get("method") {
            "match" => match_letters,
            "table" => table,
            "words" => words,
            "blocks" => blocks,
            "2bit" => return Ok(Data::new(bases, len).task(Data::reverse_packed)),
            "2bit-convert" => return Ok(Data::new(bases, len).task(Data::encode_and_reverse)),
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
