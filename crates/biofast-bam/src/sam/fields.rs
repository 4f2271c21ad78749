//! Fields of a line and the numbers in them.

use super::fault::LineFault;

/// The tab-separated fields of a line, from the front.
pub(super) struct Fields<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Fields { rest: Some(line) }
    }

    /// The next field, or the fault that `name` is missing.
    #[inline]
    pub(super) fn required(&mut self, expected: &'static str) -> Result<&'a [u8], LineFault> {
        self.next().ok_or(LineFault { expected, found: None })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match memchr::memchr(b'\t', rest) {
            Some(at) => {
                self.rest = Some(&rest[at + 1..]);
                Some(&rest[..at])
            }
            None => {
                self.rest = None;
                Some(rest)
            }
        }
    }
}

/// A decimal number without a sign that is at most `max`, with any number of zeros before it.
#[inline]
pub(super) fn unsigned(field: &[u8], max: u32) -> Option<u32> {
    // Ten digits can't overflow 64 bits.
    if field.is_empty() || field.len() > 10 {
        return unsigned_long(field, max);
    }
    let mut value = 0u64;
    for &byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = 10 * value + u64::from(digit);
    }
    u32::try_from(value).ok().filter(|&value| value <= max)
}

/// Digits that are too many, unless the first of them are zeros.
#[cold]
fn unsigned_long(field: &[u8], max: u32) -> Option<u32> {
    let zeros = field.iter().take_while(|&&b| b == b'0').count();
    match field.len() - zeros {
        0 if zeros > 0 => Some(0),
        1..=10 => unsigned(&field[zeros..], max),
        _ => None,
    }
}

/// Whether a number has zeros before its first digit.
#[inline]
pub(super) fn has_leading_zeros(field: &[u8]) -> bool {
    matches!(field, [b'0', _, ..] | [b'-', b'0', _, ..])
}

/// A decimal number with or without a sign, from −2^31 to 2^32 − 1: what an integer tag may hold.
#[inline]
pub(super) fn integer(field: &[u8]) -> Option<i64> {
    match field {
        [b'-', digits @ ..] => unsigned(digits, 1 << 31).map(|n| -i64::from(n)),
        [b'+', digits @ ..] => unsigned(digits, u32::MAX).map(i64::from),
        digits => unsigned(digits, u32::MAX).map(i64::from),
    }
}

/// A signed 32-bit number.
#[inline]
pub(super) fn signed(field: &[u8]) -> Option<i32> {
    i32::try_from(integer(field)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_their_limits() {
        assert_eq!(unsigned(b"4294967295", u32::MAX), Some(u32::MAX));
        assert_eq!(unsigned(b"4294967296", u32::MAX), None);
        assert_eq!(unsigned(b"0256", 255), None);
        assert_eq!(unsigned(b"0255", 255), Some(255));
        assert_eq!(unsigned(b"000000000000000000000999", u32::MAX), Some(999));
        assert_eq!(unsigned(b"000000000000", u32::MAX), Some(0));
        assert_eq!(integer(b"-0000000000000005"), Some(-5));
        assert_eq!(unsigned(b"00000000004294967296", u32::MAX), None);
        assert_eq!(unsigned(b"0000000000000x1", u32::MAX), None);
        assert!(has_leading_zeros(b"01") && has_leading_zeros(b"-01") && has_leading_zeros(b"00"));
        assert!(!has_leading_zeros(b"0") && !has_leading_zeros(b"-0") && !has_leading_zeros(b"10"));
        for bad in [&b""[..], b"-1", b"+", b"1 ", b"0x1", b"99999999999"] {
            assert_eq!(unsigned(bad, u32::MAX), None);
        }
        assert_eq!(integer(b"-2147483648"), Some(i64::from(i32::MIN)));
        assert_eq!(integer(b"-2147483649"), None);
        assert_eq!(integer(b"+7"), Some(7));
        assert_eq!(integer(b"--7"), None);
        assert_eq!(signed(b"2147483648"), None);
        assert_eq!(signed(b"-2147483648"), Some(i32::MIN));
    }

    #[test]
    fn empty_fields_are_fields() {
        let fields: Vec<&[u8]> = Fields::new(b"a\t\tb\t").collect();
        assert_eq!(fields, [&b"a"[..], b"", b"b", b""]);
    }
}
