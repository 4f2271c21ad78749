//! Numbers at the front of a stream.

use crate::error::Error;

/// What is left of a stream.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

/// Eight bytes from `at` on, where fewer are left: zeros stand in for the others. By value, so that a caller's place stays in a register.
#[cold]
pub(crate) fn last_eight(bytes: &[u8], at: usize) -> Result<[u8; 8], Error> {
    let rest = bytes.get(at..).ok_or(Error::Truncated)?;
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    Ok(eight)
}

impl<'a> Input<'a> {
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        let (&byte, rest) = self.0.split_first().ok_or(Error::Truncated)?;
        self.0 = rest;
        Ok(byte)
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(Error::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of up to 32 bits, seven a byte, the highest first.
    pub(crate) fn uint7(&mut self) -> Result<u32, Error> {
        let mut value = 0u64;
        loop {
            let byte = self.byte()?;
            value = value << 7 | u64::from(byte & 0x7f);
            if value > u32::MAX.into() {
                return Err(Error::Invalid("a number of more than 32 bits"));
            }
            if byte & 0x80 == 0 {
                return Ok(value as u32);
            }
        }
    }

    /// As many bytes as a number of [`Input::uint7`] before them says.
    pub(crate) fn u7_slice(&mut self) -> Result<&'a [u8], Error> {
        let len = self.uint7()? as usize;
        self.take(len)
    }

    /// A number of 32 bits, the lowest byte first.
    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        let (&bytes, rest) = self.0.split_first_chunk().ok_or(Error::Truncated)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// Appends a number as [`Input::uint7`] reads it.
pub(crate) fn put_uint7(out: &mut Vec<u8>, value: u32) {
    for group in (1..5).rev().filter(|group| value >> (7 * group) != 0) {
        out.push(0x80 | (value >> (7 * group)) as u8);
    }
    out.push(value as u8 & 0x7f);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_read_back(value: u32, bits in 0..32) {
            let (mut out, value) = (Vec::new(), value >> bits);
            put_uint7(&mut out, value);
            prop_assert_eq!(out.len(), (38 - value.leading_zeros() as usize).max(7) / 7);
            prop_assert_eq!(Input(&out).uint7(), Ok(value));
        }
    }
}
