//! Numbers of variable length and other small parts (CRAM specification, section 2.3).

use crate::error::ErrorKind;

pub(super) type Result<T> = std::result::Result<T, ErrorKind>;

/// A fault of the CRAM structure.
pub(super) fn bad<T>(reason: &'static str) -> Result<T> {
    Err(ErrorKind::BadCram(reason.into()))
}

/// Takes parts from the front of some bytes; never beyond their end.
#[derive(Clone, Copy, Default)]
pub(super) struct ByteCursor<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteCursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        ByteCursor { bytes }
    }

    /// Bytes that are left.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8> {
        match self.bytes.split_first() {
            Some((byte, rest)) => {
                self.bytes = rest;
                Ok(*byte)
            }
            None => bad("a block ends before its data do"),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.bytes.split_at_checked(n) {
            Some((taken, rest)) => {
                self.bytes = rest;
                Ok(taken)
            }
            None => bad("a block ends before its data do"),
        }
    }

    /// The bytes before the next `stop`, which is passed over.
    #[inline]
    pub(super) fn until(&mut self, stop: u8) -> Result<&'a [u8]> {
        match memchr::memchr(stop, self.bytes) {
            Some(at) => {
                let taken = &self.bytes[..at];
                self.bytes = &self.bytes[at + 1..];
                Ok(taken)
            }
            None => bad("a byte array without its stop byte"),
        }
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        let b = self.take(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    #[inline]
    pub(super) fn itf8(&mut self) -> Result<i32> {
        // Most numbers are small.
        if let [first @ 0..0x80, rest @ ..] = self.bytes {
            self.bytes = rest;
            return Ok(i32::from(*first));
        }
        self.long_itf8()
    }

    #[cold]
    fn long_itf8(&mut self) -> Result<i32> {
        itf8(|| self.byte())
    }

    pub(super) fn ltf8(&mut self) -> Result<i64> {
        ltf8(|| self.byte())
    }

    /// A length or count, which must not be negative.
    pub(super) fn length(&mut self) -> Result<usize> {
        length(self.itf8()?)
    }
}

pub(super) fn length(n: i32) -> Result<usize> {
    usize::try_from(n).or_else(|_| bad("a negative length"))
}

/// ITF-8: the leading ones of the first byte count the bytes that follow, up to four; the last
/// of four gives its low half.
#[inline]
pub(super) fn itf8(mut byte: impl FnMut() -> Result<u8>) -> Result<i32> {
    let first = u32::from(byte()?);
    let mut next = || byte().map(u32::from);
    let value = match first {
        0..0x80 => first,
        0x80..0xc0 => (first & 0x3f) << 8 | next()?,
        0xc0..0xe0 => (first & 0x1f) << 16 | next()? << 8 | next()?,
        0xe0..0xf0 => (first & 0x0f) << 24 | next()? << 16 | next()? << 8 | next()?,
        _ => (first & 0x0f) << 28 | next()? << 20 | next()? << 12 | next()? << 4 | next()? & 0x0f,
    };
    Ok(value as i32)
}

/// LTF-8: the same for 64 bits.
pub(super) fn ltf8(mut byte: impl FnMut() -> Result<u8>) -> Result<i64> {
    let first = byte()?;
    let more = first.leading_ones();
    let mut value = if more >= 7 { 0 } else { u64::from(first) & (0x7f >> more) };
    for _ in 0..more {
        value = value << 8 | u64::from(byte()?);
    }
    Ok(value as i64)
}

/// Appends a number as ITF-8.
#[inline]
pub(super) fn put_itf8(value: i32, out: &mut Vec<u8>) {
    let n = value as u32;
    match n {
        0..0x80 => out.push(n as u8),
        0x80..0x4000 => out.extend([0x80 | (n >> 8) as u8, n as u8]),
        0x4000..0x20_0000 => out.extend([0xc0 | (n >> 16) as u8, (n >> 8) as u8, n as u8]),
        0x20_0000..0x1000_0000 => {
            out.extend([0xe0 | (n >> 24) as u8, (n >> 16) as u8, (n >> 8) as u8, n as u8]);
        }
        _ => {
            let (first, last) = (0xf0 | (n >> 28) as u8, n as u8 & 0x0f);
            out.extend([first, (n >> 20) as u8, (n >> 12) as u8, (n >> 4) as u8, last]);
        }
    }
}

/// Appends a number as LTF-8.
pub(super) fn put_ltf8(value: i64, out: &mut Vec<u8>) {
    let n = value as u64;
    // Each byte has room for seven bits, until there are nine bytes.
    let more = (0..8).find(|more| n >> (7 * more + 7) == 0).unwrap_or(8);
    let ones = !(0xff_u32 >> more) as u8;
    let bytes = n.to_be_bytes();
    match more {
        8 => out.push(0xff),
        _ => out.push(ones | if more < 7 { (n >> (8 * more)) as u8 } else { 0 }),
    }
    out.extend_from_slice(&bytes[8 - more..]);
}

/// Appends bytes with their number before them.
pub(super) fn put_array(bytes: &[u8], out: &mut Vec<u8>) {
    put_itf8(bytes.len() as i32, out);
    out.extend_from_slice(bytes);
}

/// Bits of the core block, the highest of each byte first.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// Bits taken.
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Bits { bytes, at: 0 }
    }

    #[inline]
    pub(super) fn bit(&mut self) -> Result<u32> {
        let Some(byte) = self.bytes.get(self.at / 8) else {
            return bad("the core block ends before its data do");
        };
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Ok(u32::from(bit))
    }

    /// A number of `n` bits, at most 32.
    #[inline]
    pub(super) fn bits(&mut self, n: u32) -> Result<u32> {
        let mut value = 0;
        for _ in 0..n {
            value = value << 1 | self.bit()?;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        let itf8 = |bytes: &[u8]| ByteCursor::new(bytes).itf8().ok();
        assert_eq!(itf8(&[0x7f]), Some(127));
        assert_eq!(itf8(&[0x80, 0x80]), Some(128));
        assert_eq!(itf8(&[0xc0, 0x40, 0x00]), Some(16_384));
        assert_eq!(itf8(&[0xe0, 0x20, 0x00, 0x00]), Some(2_097_152));
        assert_eq!(itf8(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some(-1));
        assert_eq!(itf8(&[0xff, 0xff, 0xff]), None);
        let ltf8 = |bytes: &[u8]| ByteCursor::new(bytes).ltf8().ok();
        assert_eq!(ltf8(&[0x7f]), Some(127));
        assert_eq!(ltf8(&[0xf0, 0x10, 0, 0, 0]), Some(1 << 28));
        assert_eq!(ltf8(&[0xff; 9]), Some(-1));
        assert_eq!(ltf8(&[0xff; 8]), None);
    }

    #[test]
    fn numbers_are_read_again() {
        let near = |bit: u32| [-1, 0, 1].map(|n| (1_i64 << bit).wrapping_add(n));
        for value in (0..64).flat_map(near).chain([-1, i64::MIN, i64::MAX]) {
            let mut bytes = Vec::new();
            put_ltf8(value, &mut bytes);
            put_itf8(value as i32, &mut bytes);
            let mut cursor = ByteCursor::new(&bytes);
            assert_eq!(cursor.ltf8().ok(), Some(value));
            assert_eq!(cursor.itf8().ok(), Some(value as i32));
            assert!(cursor.is_empty());
        }
    }

    #[test]
    fn bits_come_highest_first() {
        let mut bits = Bits::new(&[0b1010_0000, 0b1111_1111]);
        assert_eq!(bits.bits(3).ok(), Some(5));
        assert_eq!(bits.bits(6).ok(), Some(1));
        assert_eq!(bits.bits(7).ok(), Some(127));
        assert!(bits.bit().is_err());
    }
}
