//! Constants for CRC-32 by carry-less multiplication.
//!
//! Bytes are a polynomial over GF(2), of which the CRC is the remainder modulo P. 128 bits a lie n bits before 128
//! bits b: a·x^n + b has the remainder of the whole. Its halves high·x^(n+64) + low·x^n can be replaced by products
//! with the remainders of those powers, which fit 128 bits again. With reversed bits (as gzip has them) the half of
//! higher degree comes first, and a product comes out one bit too low, hence the shift; hence, too, the powers
//! x^(n+32) and x^(n−32): a remainder has 32 bits and stands in the upper half of 64.
#![cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]

/// The polynomial without its x^32.
const POLYNOMIAL: u32 = 0x04c1_1db7;

/// x^`n` mod P, reversed.
const fn power(n: u32) -> u64 {
    let mut remainder = 1u32;
    let mut i = 0;
    while i < n {
        let carry = remainder >> 31;
        remainder = (remainder << 1) ^ (POLYNOMIAL * carry);
        i += 1;
    }
    (remainder.reverse_bits() as u64) << 1
}

/// The two factors (for the first and the last eight bytes) that move 16 bytes by `bits`.
pub(super) const fn factors(bits: u32) -> [u64; 2] {
    [power(bits + 32), power(bits - 32)]
}
