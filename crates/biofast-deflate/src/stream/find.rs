//! Finds where in the middle of a stream a block may start: at any bit, and nothing marks it. Only dynamic blocks that
//! aren't the last one are looked for: their headers have much that must be right, and most streams consist of them.
//!
//! The cheapest test comes first: 64 places at a time by their first 13 bits, of which one in nine passes; of these, one
//! in some hundreds has the lengths of a complete code for the code lengths. The rest is read as any header is.

use std::ops::Range;

use crate::bits::BitReader;
use crate::fault::FaultKind;
use crate::header::{self, Build};
use crate::huffman::HuffmanCode;
use crate::instructions::Isa;
use crate::isa::Portable;

/// Bits before the lengths of the code lengths' code: last block, type, three counts.
const COUNTS: usize = 17;

/// What codes of the four lengths (3 bits each) in an index take of all codes, in 128ths.
static SHARES: [u16; 1 << 12] = {
    let mut shares = [0; 1 << 12];
    let mut index = 0;
    while index < shares.len() {
        let mut rest = index;
        while rest > 0 {
            if rest & 7 > 0 {
                shares[index] += 128 >> (rest & 7);
            }
            rest >>= 3;
        }
        index += 1;
    }
    shares
};

/// The first bit of `input` in the range where a dynamic block seems to start whose header is complete in `input`.
pub(super) fn find(input: &[u8], range: Range<usize>) -> Option<usize> {
    let mut at = range.start;
    while at < range.end {
        let mut places = starts(input, at);
        while places != 0 {
            let place = at + places.trailing_zeros() as usize;
            if place >= range.end {
                return None;
            }
            if has_complete_lengths(input, place) && is_header(input, place) {
                return Some(place);
            }
            places &= places - 1;
        }
        at += 64;
    }
    None
}

/// At which of the 64 bits from `at` on a block may start: not the last one, of type 2, with at most 286 symbols and 30
/// distances.
#[inline(always)]
fn starts(input: &[u8], at: usize) -> u64 {
    let word = word(input, at);
    let low = u128::from(word) | u128::from(self::word(input, at + 64)) << 64;
    let bit = |n: u32| (low >> n) as u64;
    let many_symbols = bit(4) & bit(5) & bit(6) & bit(7);
    let many_distances = bit(9) & bit(10) & bit(11) & bit(12);
    !word & !bit(1) & bit(2) & !many_symbols & !many_distances
}

/// The 64 bits from `at` on, zeros past the end.
#[inline(always)]
fn word(input: &[u8], at: usize) -> u64 {
    let (byte, odd) = (at / 8, at % 8);
    match input.get(byte..byte + 16) {
        Some(bytes) => {
            let bytes = bytes.first_chunk::<16>().copied().unwrap_or_default();
            (u128::from_le_bytes(bytes) >> odd) as u64
        }
        None => {
            let rest = input.get(byte..).unwrap_or_default();
            let value = rest.iter().take(9).rev().fold(0, |v: u128, &b| v << 8 | u128::from(b));
            (value >> odd) as u64
        }
    }
}

/// Whether the lengths of the code lengths' code are those of a complete code.
#[inline(always)]
fn has_complete_lengths(input: &[u8], place: usize) -> bool {
    let count = (word(input, place + COUNTS - 4) & 15) + 4;
    let lengths = word(input, place + COUNTS) & ((1 << (3 * count)) - 1);
    let share = |n: u32| SHARES[(lengths >> (12 * n)) as usize & 0xfff];
    share(0) + share(1) + share(2) + share(3) + share(4) == 128
}

fn is_header(input: &[u8], place: usize) -> bool {
    let mut bits = BitReader { bytes: input, at: place };
    header::read::<Portable>(&mut bits, &mut Usual).is_ok()
}

/// Accepts what a writer of blocks would write.
struct Usual;

impl Build for Usual {
    fn build<I: Isa>(&mut self, symbols: &[u8], distances: &[u8]) -> Result<(), FaultKind> {
        HuffmanCode::new(symbols)?;
        HuffmanCode::new(distances)?;
        let has_end = symbols.get(256).is_some_and(|&length| length > 0);
        let several = symbols.iter().filter(|&&length| length > 0).nth(1).is_some();
        if has_end && several { Ok(()) } else { Err(FaultKind::Code) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`find`]'s first tests, in the words of the RFC.
    fn may_start(input: &[u8], place: usize) -> bool {
        let bit = |n: usize| input.get((place + n) / 8).map_or(0, |b| b >> ((place + n) % 8) & 1);
        let number = |at: usize, bits: usize| {
            (0..bits).map(|i| usize::from(bit(at + i)) << i).sum::<usize>()
        };
        number(0, 1) == 0
            && number(1, 2) == 2
            && number(3, 5) + 257 <= 286
            && number(8, 5) < 30
            && (0..number(13, 4) + 4)
                .map(|i| number(17 + 3 * i, 3))
                .filter(|&length| length > 0)
                .map(|length| 128 >> length)
                .sum::<usize>()
                == 128
    }

    #[test]
    fn cheap_tests_keep_what_the_rfc_says() {
        let mut state = 1u64;
        let bytes: Vec<u8> = (0..40_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let mut found = 0;
        for at in (0..8 * bytes.len() + 128).step_by(64) {
            let places = starts(&bytes, at);
            for n in 0..64 {
                let passes = places >> n & 1 == 1 && has_complete_lengths(&bytes, at + n);
                assert_eq!(passes, may_start(&bytes, at + n), "bit {}", at + n);
                found += usize::from(passes);
            }
        }
        assert!(found > 20, "{found}: the test is blind");
    }
}
