//! Numbers as text.

use std::io::Write as _;

/// Numbers below this one have at most eight digits: one word.
pub const WORD: u64 = 100_000_000;

/// Appends the first `len` bytes of a word, which has eight: storing all of them costs less than asking for the length.
#[inline(always)]
pub fn write_word(word: u64, len: usize, out: &mut Vec<u8>) {
    let end = out.len() + len;
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}

/// The eight digits of a number below 100,000,000, zeros in front, as bytes from the first to the last: pairs of parts are
/// divided at once.
#[inline]
pub fn digits(value: u64) -> u64 {
    let halves = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (halves - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// What turns digits into characters.
pub const ASCII: u64 = 0x3030_3030_3030_3030;

/// The characters of the numbers below 1,000, which most are, with their number in the last byte.
static SMALL: [u32; 1000] = {
    let mut small = [0; 1000];
    let mut n = 0;
    while n < small.len() {
        let (mut rest, mut len) = (n as u32, 0);
        while rest > 0 || len == 0 {
            small[n] = small[n] << 8 | (rest % 10 + b'0' as u32);
            rest /= 10;
            len += 1;
        }
        small[n] |= len << 24;
        n += 1;
    }
    small
};

/// The characters of a number below 1,000, and how many they are.
#[inline(always)]
fn small(value: u64) -> Option<(u64, usize)> {
    let small = *SMALL.get(usize::try_from(value).ok()?)?;
    Some((u64::from(small & 0xff_ffff), (small >> 24) as usize))
}

/// The characters of a number below 100,000,000, and how many they are.
#[inline]
fn word(value: u64) -> (u64, usize) {
    let digits = digits(value);
    // The last one is there even if it is 0.
    let zeros = ((digits | 1 << 56).trailing_zeros() / 8) as usize;
    ((digits | ASCII) >> (8 * zeros), 8 - zeros)
}

/// Appends a number in decimal digits.
#[inline(always)]
pub fn write_unsigned(value: u64, out: &mut Vec<u8>) {
    match small(value) {
        Some((word, len)) => write_word(word, len, out),
        None => write_large(value, out),
    }
}

/// [`write_unsigned`] of any number.
#[inline(never)]
fn write_large(value: u64, out: &mut Vec<u8>) {
    if value < WORD {
        let (word, len) = word(value);
        return write_word(word, len, out);
    }
    write_large(value / WORD, out);
    write_word(digits(value % WORD) | ASCII, 8, out);
}

/// Appends a number and a character.
#[inline(always)]
pub fn write_ended(value: u64, end: u8, out: &mut Vec<u8>) {
    match small(value) {
        Some((word, len)) => write_word(word | u64::from(end) << (8 * len), len + 1, out),
        None => write_large_ended(value, end, out),
    }
}

/// [`write_ended`] of any number.
#[inline(never)]
fn write_large_ended(value: u64, end: u8, out: &mut Vec<u8>) {
    if value < WORD / 10 {
        let (word, len) = word(value);
        return write_word(word | u64::from(end) << (8 * len), len + 1, out);
    }
    write_large(value, out);
    out.push(end);
}

/// Appends a number with its sign, if that is a minus, and a character.
#[inline]
pub fn write_signed_ended(value: i64, end: u8, out: &mut Vec<u8>) {
    write_sign(value, out);
    write_ended(value.unsigned_abs(), end, out);
}

/// Appends the sign of a number, if that is a minus. It can't be foreseen: no branch.
#[inline]
fn write_sign(value: i64, out: &mut Vec<u8>) {
    let end = out.len() + usize::from(value < 0);
    out.push(b'-');
    out.truncate(end);
}

/// Appends a number with its sign, if that is a minus.
#[inline]
pub fn write_signed(value: i64, out: &mut Vec<u8>) {
    write_sign(value, out);
    write_unsigned(value.unsigned_abs(), out);
}

/// Appends what `{value:.decimals$}` prints; where `value` is between 0 and 2^40 and has at most three decimals, in a fraction
/// of its time.
///
/// ```
/// use biofast_kernels::decimal::write_fixed;
///
/// let mut text = Vec::new();
/// write_fixed(12.345, 1, &mut text);
/// assert_eq!(text, b"12.3");
/// ```
pub fn write_fixed(value: f64, decimals: usize, out: &mut Vec<u8>) {
    const SCALES: [u64; 4] = [1, 10, 100, 1000];
    const BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let is_common = value.is_sign_positive() && value < (1_u64 << 40) as f64;
    let Some(&scale) = SCALES.get(decimals).filter(|_| is_common) else {
        // Vectors take all that is written.
        let _ = write!(out, "{value:.decimals$}");
        return;
    };
    // The value is `mantissa` / 2^`shift`, of at least 12; times 1000 the mantissa is below 2^63.
    let exponent = (value.to_bits() >> BITS) as u32;
    let mantissa = value.to_bits() & ((1 << BITS) - 1) | u64::from(exponent > 0) << BITS;
    let shift = 1075 - exponent.max(1);
    let scaled = mantissa * scale;
    // Behind 63 places, less than half is left.
    let (units, is_up) = match shift {
        ..64 => {
            let (units, rest) = (scaled >> shift, scaled & ((1 << shift) - 1));
            let half = 1 << (shift - 1);
            // Half to even.
            (units, rest > half || (rest == half && units & 1 == 1))
        }
        _ => (0, false),
    };
    let units = units + u64::from(is_up);
    write_unsigned(units / scale, out);
    if decimals > 0 {
        out.push(b'.');
        write_word((digits(units % scale) | ASCII) >> (8 * (8 - decimals)), decimals, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn integers_of_every_length() {
        let mut value = 1u64;
        while let Some(next) = value.checked_mul(10) {
            for n in [value - 1, value, value + 1, value * 3] {
                let mut out = Vec::new();
                write_unsigned(n, &mut out);
                write_ended(n, b';', &mut out);
                assert_eq!(out, format!("{n}{n};").as_bytes());
                for n in [n as i64, (n as i64).wrapping_neg()] {
                    let mut out = Vec::new();
                    write_signed(n, &mut out);
                    write_signed_ended(n, b';', &mut out);
                    assert_eq!(out, format!("{n}{n};").as_bytes());
                }
            }
            value = next;
        }
        for n in [i64::MIN, -10, -1, 0, i64::MAX] {
            let mut out = Vec::new();
            write_signed(n, &mut out);
            write_signed_ended(n, b';', &mut out);
            assert_eq!(out, format!("{n}{n};").as_bytes());
        }
    }

    proptest! {
        #[test]
        fn integers_as_the_standard_library_prints_them(n in any::<u64>(), shift in 0..64) {
            let n = n >> shift;
            let mut out = Vec::new();
            write_unsigned(n, &mut out);
            write_signed_ended(n as i64, b'M', &mut out);
            write_ended(n, b'M', &mut out);
            prop_assert_eq!(String::from_utf8_lossy(&out), format!("{n}{}M{n}M", n as i64));
        }
    }

    #[test]
    fn every_number_of_up_to_four_digits() {
        for n in 0..10_000u64 {
            let mut out = Vec::new();
            write_unsigned(n, &mut out);
            write_unsigned(n * 10_000 + 9_999 - n, &mut out);
            assert_eq!(out, format!("{n}{}", n * 10_000 + 9_999 - n).as_bytes());
        }
    }

    #[test]
    fn ties_and_extremes_as_the_standard_library_prints_them() {
        let common = [0.0, 0.5, 1.5, 2.5, 0.125, 0.375, 0.0625, 9.995, 99.995, 0.0005, 1e12];
        let rare = [-0.0, 1e-310, 5e-324, 1e300, f64::NAN, f64::INFINITY, -1.25];
        for value in
            common.into_iter().chain(rare).chain([1_099_511_627_775.9, 1_099_511_627_776.0])
        {
            (0..6).for_each(|decimals| check(value, decimals));
        }
    }

    fn check(value: f64, decimals: usize) {
        let mut out = Vec::new();
        write_fixed(value, decimals, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), format!("{value:.decimals$}"), "{value:e}");
    }

    proptest! {
        #[test]
        fn fixed_decimals_as_the_standard_library_prints_them(
            part in 0u32..1 << 20, whole in 1u32..1000, scale in 0..12, bits in any::<u64>(), decimals in 0usize..5,
        ) {
            let tie = f64::from(part) / f64::from(1u32 << scale);
            let ratio = f64::from(part) / f64::from(whole);
            for value in [tie, ratio, 100.0 * ratio, f64::from_bits(bits >> 1)] {
                check(value, decimals);
            }
        }
    }
}
