//! A segment of a genome as its differences from a reference segment: runs of bytes as they are, and matches with
//! the reference, which are looked up by k-mer. What assembly compressors do before a general compressor.
//!
//! Encoded: the length; then in turns the length of a run of literals, the literals and, unless the end is reached,
//! a match: its place less the expected one, and its length beyond the least. Numbers are LEB128, signed ones
//! in zigzag. A place is expected where the last match would go on had the literals been substitutions, so
//! that a single-base difference costs four bytes.

use std::fmt;

use super::kmer_table::Table;

/// Bases of a k-mer, which is the shortest match.
pub(crate) const K: usize = 17;

/// The low bits of a number of K bases.
const MASK: u64 = (1 << (2 * K)) - 1;

/// Why something can't be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// It ends too early.
    Cut,
    /// A number has too many digits.
    Number,
    /// A run is longer than what is left of the segment.
    TooLong,
    /// A match lies outside the reference.
    Outside,
    /// Something follows the end.
    Trailing,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damage::Cut => "the segment ends too early",
            Damage::Number => "a number has more than 64 bits",
            Damage::TooLong => "a run is longer than the rest of the segment",
            Damage::Outside => "a match lies outside the reference",
            Damage::Trailing => "bytes follow the end of the segment",
        })
    }
}

impl std::error::Error for Damage {}

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
pub(crate) fn decode(mut coded: &[u8], reference: &[u8], out: &mut Vec<u8>) -> Result<(), Damage> {
    let mut left = get(&mut coded)?;
    // A damaged length is no reason to ask for much memory.
    out.reserve(left.min(1 << 20) as usize);
    let mut expected = 0i64;
    while left > 0 {
        let run = get(&mut coded)?;
        if run > left {
            return Err(Damage::TooLong);
        }
        let (literals, rest) = coded.split_at_checked(run as usize).ok_or(Damage::Cut)?;
        out.extend_from_slice(literals);
        coded = rest;
        left -= run;
        if left == 0 {
            break;
        }
        let shift = unzigzag(get(&mut coded)?);
        let len = get(&mut coded)?.checked_add(K as u64).ok_or(Damage::TooLong)?;
        if len > left {
            return Err(Damage::TooLong);
        }
        let at = expected
            .checked_add_unsigned(run)
            .and_then(|place| place.checked_add(shift))
            .and_then(|place| usize::try_from(place).ok())
            .ok_or(Damage::Outside)?;
        let end = at.checked_add(len as usize).ok_or(Damage::Outside)?;
        out.extend_from_slice(reference.get(at..end).ok_or(Damage::Outside)?);
        expected = end as i64;
        left -= len;
    }
    if coded.is_empty() { Ok(()) } else { Err(Damage::Trailing) }
}

fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn get(coded: &mut &[u8]) -> Result<u64, Damage> {
    let mut number = 0u64;
    for shift in (0..).step_by(7) {
        let (byte, rest) = coded.split_first().ok_or(Damage::Cut)?;
        *coded = rest;
        let digits = u64::from(byte & 0x7f);
        if shift > 63 || digits << shift >> shift != digits {
            return Err(Damage::Number);
        }
        number |= digits << shift;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::kmer_table::{Map, Open, Policy};
    use super::super::segments::Segments;
    use super::*;

    fn coded(segment: &[u8], reference: &[u8], step: usize) -> Vec<u8> {
        let (mut table, mut other) = (Open::new(true), Map::new(Policy::New));
        index(reference, step, &mut table);
        index(reference, step, &mut other);
        let (mut out, mut same) = (Vec::new(), Vec::new());
        encode(segment, reference, &table, &mut out);
        encode(segment, reference, &other, &mut same);
        assert_eq!(out, same, "every table gives the same code");
        out
    }

    fn decoded(coded: &[u8], reference: &[u8]) -> Result<Vec<u8>, Damage> {
        let mut out = Vec::new();
        decode(coded, reference, &mut out).map(|()| out)
    }

    proptest! {
        #[test]
        fn what_was_encoded_comes_back(
            reference in "[ACGT]{0,400}",
            // A segment is made of parts of the reference and of anything else.
            parts in prop::collection::vec((0usize..400, 0usize..200, "[ACGTNacgt*]{0,30}"), 0..6),
            step in 1usize..6,
        ) {
            let reference = reference.as_bytes();
            let mut segment = Vec::new();
            for (at, len, other) in parts {
                let at = at.min(reference.len());
                segment.extend_from_slice(&reference[at..(at + len).min(reference.len())]);
                segment.extend_from_slice(other.as_bytes());
            }
            let code = coded(&segment, reference, step);
            prop_assert_eq!(decoded(&code, reference).expect("decodes"), segment);
            // A part of it is never taken for the whole.
            for end in 0..code.len() {
                prop_assert!(decoded(&code[..end], reference).is_err());
            }
        }

        #[test]
        fn any_bytes_decode_or_fail(code in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(out) = decoded(&code, &[b'A'; 300]) {
                prop_assert!(out.len() <= 300 * code.len());
            }
        }
    }

    #[test]
    fn a_copy_costs_a_few_bytes_and_a_substitution_four_more() {
        let segments = Segments::new(1);
        let reference = segments.reference(0);
        let copy = coded(reference, reference, 4);
        assert!(copy.len() <= 8, "{}", copy.len());
        let mut other = reference.to_vec();
        other[5000] = if other[5000] == b'A' { b'C' } else { b'A' };
        let code = coded(&other, reference, 4);
        assert!(code.len() <= copy.len() + 5, "{} {}", code.len(), copy.len());
        assert_eq!(decoded(&code, reference).expect("decodes"), other);
    }

    #[test]
    fn damage_is_named() {
        let reference = [b'C'; 40];
        // Length 30, no literals, a match of 30 at place 11.
        assert_eq!(decoded(&[30, 0, 22, 13], &reference), Err(Damage::Outside));
        assert_eq!(decoded(&[30, 0, 1, 13], &reference), Err(Damage::Outside));
        assert_eq!(decoded(&[30, 0, 20, 13], &reference).expect("decodes"), [b'C'; 30]);
        assert_eq!(decoded(&[30, 0, 20, 14], &reference), Err(Damage::TooLong));
        assert_eq!(decoded(&[30, 31], &reference), Err(Damage::TooLong));
        assert_eq!(decoded(&[2, 2, b'A'], &reference), Err(Damage::Cut));
        assert_eq!(decoded(&[1, 1, b'A', 0], &reference), Err(Damage::Trailing));
        assert_eq!(decoded(&[0xff; 11], &reference), Err(Damage::Number));
    }
}
