//! Bases in two bits each, 32 to a word, the first in the lowest bits: A 0, C 1, T 2, G 3. Shared by the entries that
//! compare this encoding with ASCII. There is no room for N or lower case, so that these entries work on reads where
//! such bases have been replaced.

use std::sync::Arc;

use biofast_kernels::BaseCounts;

use super::isa::for_avx2;
use super::kernel;
use super::prelude::*;
use crate::core::inputs::{Lab, Reads};

pub(super) const PER_WORD: usize = 32;

/// The bases of the cell's reads in upper case, everything but A, C, G and T replaced by one of these.
pub(super) fn plain_bases(cell: &Cell, lab: &Lab) -> Result<(Vec<u8>, usize)> {
    let reads: Arc<Reads> = lab.reads(kernel::dataset(cell.get("reads"))?)?;
    let letter = |(i, base): (usize, &u8)| match base & 0xdf {
        base @ (b'A' | b'C' | b'G' | b'T') => base,
        _ => b"ACGT"[i % 4],
    };
    Ok((reads.bases.iter().enumerate().map(letter).collect(), reads.len))
}

/// Words needed for so many bases.
pub(super) fn words(bases: usize) -> usize {
    bases.div_ceil(PER_WORD)
}

/// Packs A, C, G and T; unused bits of the last word are 0.
#[inline(always)]
fn encode_plain(bases: &[u8], out: &mut [u64]) {
    let (blocks, rest) = bases.as_chunks::<PER_WORD>();
    for (block, word) in blocks.iter().zip(out.iter_mut()) {
        *word = encode_block(block);
    }
    if !rest.is_empty() {
        let mut block = [b'A'; PER_WORD];
        block[..rest.len()].copy_from_slice(rest);
        out[blocks.len()] = encode_block(&block);
    }
}

for_avx2! {
    pub(super) fn encode(bases: &[u8], out: &mut [u64]) = encode_plain
}

#[inline(always)]
fn encode_block(block: &[u8; PER_WORD]) -> u64 {
    let (octets, _) = block.as_chunks::<8>();
    let mut word = 0;
    for (i, octet) in octets.iter().enumerate() {
        // Bits 1 and 2 of a letter are its code; they move together in three steps.
        let mut x = u64::from_le_bytes(*octet) >> 1 & 0x0303_0303_0303_0303;
        x = (x | x >> 6) & 0x000f_000f_000f_000f;
        x = (x | x >> 12) & 0x0000_00ff_0000_00ff;
        x = (x | x >> 24) & 0xffff;
        word |= x << (16 * i);
    }
    word
}

/// Unpacks as many bases as `out` has room for.
pub(super) fn decode(words: &[u64], out: &mut [u8]) {
    const LETTERS: [[u8; 4]; 256] = {
        let mut table = [[0; 4]; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut i = 0;
            while i < 4 {
                table[byte][i] = b"ACTG"[byte >> (2 * i) & 3];
                i += 1;
            }
            byte += 1;
        }
        table
    };
    for (block, word) in out.chunks_mut(PER_WORD).zip(words) {
        for (quad, byte) in block.chunks_mut(4).zip(word.to_le_bytes()) {
            let len = quad.len();
            quad.copy_from_slice(&LETTERS[usize::from(byte)][..len]);
        }
    }
}

/// Counts the bases of a packed sequence.
#[inline(always)]
fn count_plain(words: &[u64], bases: usize) -> BaseCounts {
    const LOW: u64 = 0x5555_5555_5555_5555;
    let (mut c, mut t, mut g) = (0u64, 0u64, 0u64);
    for &word in words {
        let (low, high) = (word & LOW, word >> 1 & LOW);
        c += u64::from((low & !high).count_ones());
        t += u64::from((high & !low).count_ones());
        g += u64::from((low & high).count_ones());
    }
    // Unused bits look like A and are not counted as such.
    BaseCounts { a: bases as u64 - c - t - g, c, g, t, ..BaseCounts::default() }
}

for_avx2! {
    pub(super) fn count(words: &[u64], bases: usize) -> BaseCounts = count_plain
}

/// The reverse complement of a packed sequence, packed.
#[inline(always)]
fn reverse_complement_plain(words: &[u64], bases: usize, out: &mut [u64]) {
    let reversed = |word: u64| {
        // Complement: A and T, C and G differ in the higher bit. Then the order of bytes, of halves, of codes.
        let x = (word ^ 0xaaaa_aaaa_aaaa_aaaa).swap_bytes();
        let x = x >> 4 & 0x0f0f_0f0f_0f0f_0f0f | (x & 0x0f0f_0f0f_0f0f_0f0f) << 4;
        x >> 2 & 0x3333_3333_3333_3333 | (x & 0x3333_3333_3333_3333) << 2
    };
    // The unused bits of the last word become the first ones of the result, which therefore moves down by them.
    let unused = 2 * (words.len() * PER_WORD - bases) as u32;
    let mut reversed_words = words.iter().rev().map(|word| reversed(*word));
    if unused == 0 {
        for (word, out) in reversed_words.zip(out) {
            *out = word;
        }
        return;
    }
    let mut current = reversed_words.next().unwrap_or(0);
    for (next, out) in reversed_words.chain([0]).zip(out) {
        *out = current >> unused | next << (64 - unused);
        current = next;
    }
}

for_avx2! {
    pub(super) fn reverse_complement(words: &[u64], bases: usize, out: &mut [u64]) = reverse_complement_plain
}
