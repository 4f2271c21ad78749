//! Reads bits of a slice, lowest first, with every access checked.

use crate::fault::FaultKind;

/// A position in the bits of `bytes`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitReader<'a> {
    pub(crate) bytes: &'a [u8],
    /// Bits consumed. May pass the end; [`check`](Self::check) tells.
    pub(crate) at: usize,
}

impl BitReader<'_> {
    /// At least the next 57 bits; zeros past the end.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        let byte = self.at / 8;
        let word = match self.bytes.get(byte..byte + 8) {
            Some(&[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => self.peek_end(byte),
        };
        word >> (self.at % 8)
    }

    #[cold]
    fn peek_end(&self, byte: usize) -> u64 {
        let rest = self.bytes.get(byte..).unwrap_or_default();
        rest.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// The next `n` bits, at most 32.
    #[inline(always)]
    pub(crate) fn take(&mut self, n: u32) -> usize {
        let value = self.peek() & ((1 << n) - 1);
        self.at += n as usize;
        value as usize
    }

    pub(crate) fn skip_to_byte(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    /// Whether all bits consumed were there.
    ///
    /// # Errors
    /// [`FaultKind::InputEnds`].
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), FaultKind> {
        if self.at <= self.bytes.len() * 8 { Ok(()) } else { Err(FaultKind::InputEnds) }
    }
}
