//! What the encoder does many bytes at a time, and how it is done without SIMD: the reference.

use super::tokens::Item;

/// The operations of an instruction set.
///
/// Their bodies become part of the function compiled for it.
pub(super) trait Simd {
    /// Which bytes are the same: a bit each, lowest first.
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64;

    /// Moves the items that `keep` has bits for to the front of `to`, in their order, and says how many these are. What is
    /// behind them there is not defined.
    fn pick(items: &[Item; 64], keep: u64, to: &mut [Item; 64]) -> usize;
}

/// No SIMD.
pub(super) struct Portable;

impl Simd for Portable {
    #[inline(always)]
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
        words.rev().fold(0, |bits, (a, b)| {
            let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            let same = !(((differ & LOW) + LOW) | differ | LOW) >> 7;
            bits << 8 | same.wrapping_mul(0x0102_0408_1020_4080) >> 56
        })
    }

    #[inline(always)]
    fn pick(items: &[Item; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let mut n = 0;
        for (i, &item) in items.iter().enumerate() {
            to[n % 64] = item;
            n += (keep >> i & 1) as usize;
        }
        n
    }
}
