//! Which symbol a number stands for.

use crate::error::Error;
use crate::input::Input;
use crate::range::LOW;

/// A range, and where in it the number lies.
pub(crate) struct RangeDecoder<'a> {
    bytes: &'a [u8],
    /// Bytes taken; more than there are if the stream is truncated, which [`finish`](Self::finish) finds.
    at: usize,
    range: u32,
    code: u32,
}

impl<'a> RangeDecoder<'a> {
    /// Reads the first bytes of the number. The highest is always 0.
    pub(crate) fn start(mut input: Input<'a>) -> Result<RangeDecoder<'a>, Error> {
        input.byte()?;
        let (bytes, mut code) = (input.take(4)?, 0);
        bytes.iter().for_each(|&byte| code = code << 8 | u32::from(byte));
        Ok(RangeDecoder { bytes: input.0, at: 0, range: u32::MAX, code })
    }

    /// Divides the range into `total` parts, at most 2^16, and says in which the number lies; in none if it is `total` or more.
    #[inline(always)]
    pub(crate) fn part(&mut self, total: u32) -> u32 {
        self.range /= total;
        self.code / self.range
    }

    /// Narrows the range to `count` of these parts from `start` on, of which the number is in one.
    #[inline(always)]
    pub(crate) fn narrow(&mut self, start: u32, count: u32) {
        self.code -= start * self.range;
        self.range *= count;
        while self.range < LOW {
            let next = self.bytes.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            self.code = self.code << 8 | u32::from(next);
            self.range <<= 8;
        }
    }

    /// Whether the stream ended too early.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        if self.at > self.bytes.len() { Err(Error::Truncated) } else { Ok(()) }
    }
}
