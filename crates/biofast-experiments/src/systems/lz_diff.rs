//! A segment of a genome as its differences from a reference segment: runs of bytes as they are, and matches with
//! the reference, which are looked up by k-mer. What assembly compressors do before a general compressor.
//!
//! Encoded: the length; then in turns the length of a run of literals, the literals and, unless the end is reached,
//! a match: its place less the expected one, and its length beyond the least. Numbers are LEB128, signed ones
//! in zigzag. A place is expected where the last match would go on had the literals been substitutions, so
//! that a single-base difference costs four bytes.

use anyhow::{Context as _, Result, ensure};

use super::kmer_table::Table;

/// Bases of a k-mer, which is the shortest match.
pub(crate) const K: usize = 17;

/// The low bits of a number of K bases.
const MASK: u64 = (1 << (2 * K)) - 1;

/// The k-mer that ends at the last byte taken, of upper-case A, C, G and T only.
#[derive(Default)]
struct Rolling {
    kmer: u64,
    valid: usize,
}

impl Rolling {
    #[inline]
    fn take(&mut self, base: u8) -> Option<u64> {
        let code = match base {
            b'A' => 0,
            b'C' => 1,
            b'G' => 2,
            b'T' => 3,
            _ => {
                self.valid = 0;
                return None;
            }
        };
        self.kmer = (self.kmer << 2 | code) & MASK;
        self.valid += 1;
        (self.valid >= K).then_some(self.kmer)
    }
}

/// Puts the k-mers at every `step`th place of a reference into a table.
pub(crate) fn index(reference: &[u8], step: usize, table: &mut impl Table) {
    let places = (reference.len() + 1).saturating_sub(K).div_ceil(step);
    table.begin(places);
    let mut rolling = Rolling::default();
    for (end, base) in reference.iter().enumerate() {
        let kmer = rolling.take(*base);
        if let Some(kmer) = kmer.filter(|_| (end + 1 - K).is_multiple_of(step)) {
            table.insert(kmer, (end + 1 - K) as u32);
        }
    }
}

/// Appends a segment, coded against the reference that `table` was made of.
pub(crate) fn encode(segment: &[u8], reference: &[u8], table: &impl Table, out: &mut Vec<u8>) {
    put(segment.len() as u64, out);
    let mut rolling = Rolling::default();
    // Where literals that are not written yet begin, and where the reference is expected to go on.
    let (mut from, mut expected) = (0, 0usize);
    let mut end = 0;
    while end < segment.len() {
        let kmer = rolling.take(segment[end]);
        end += 1;
        let Some(at) = kmer.and_then(|kmer| table.first(kmer)) else { continue };
        let (mut start, mut at) = (end - K, at as usize);
        let same = |a: &[u8], b: &[u8]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
        end += same(&segment[end..], &reference[at + K..]);
        while start > from && at > 0 && segment[start - 1] == reference[at - 1] {
            start -= 1;
            at -= 1;
        }
        put((start - from) as u64, out);
        out.extend_from_slice(&segment[from..start]);
        put(zigzag(at as i64 - (expected + start - from) as i64), out);
        put((end - start - K) as u64, out);
        expected = at + (end - start);
        from = end;
        rolling = Rolling::default();
    }
    if from < segment.len() {
        put((segment.len() - from) as u64, out);
        out.extend_from_slice(&segment[from..]);
    }
}

/// Appends the segment that was encoded against `reference`.
pub(crate) fn decode(mut coded: &[u8], reference: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut left = get(&mut coded)?;
    let mut expected = 0i64;
    while left > 0 {
        let run = get(&mut coded)?;
        ensure!(run <= left, "a run is longer than the rest of the segment");
        let (literals, rest) = coded.split_at_checked(run as usize).context(CUT)?;
        out.extend_from_slice(literals);
        coded = rest;
        left -= run;
        if left == 0 {
            break;
        }
        let at = expected + run as i64 + unzigzag(get(&mut coded)?);
        let len = get(&mut coded)? + K as u64;
        ensure!(len <= left, "a match is longer than the rest of the segment");
        let end = at + len as i64;
        let same = reference.get(at as usize..end as usize);
        out.extend_from_slice(same.context("a match lies outside the reference")?);
        expected = end;
        left -= len;
    }
    ensure!(coded.is_empty(), "bytes follow the end of the segment");
    Ok(())
}

const CUT: &str = "the segment ends too early";

fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn get(coded: &mut &[u8]) -> Result<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = coded.split_first().context(CUT)?;
        *coded = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Ok(number)
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
