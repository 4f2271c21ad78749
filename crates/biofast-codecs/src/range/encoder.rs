//! The number that symbols make.

use crate::range::LOW;

/// A range and its lower end.
pub(crate) struct RangeEncoder<'a> {
    out: &'a mut Vec<u8>,
    /// 33 bits: a carry into bytes that aren't written yet.
    low: u64,
    range: u32,
    /// The byte before `low`, and how many of 0xff follow it, which a carry would change.
    last: u8,
    full: usize,
}

impl<'a> RangeEncoder<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> RangeEncoder<'a> {
        RangeEncoder { out, low: 0, range: u32::MAX, last: 0, full: 0 }
    }

    /// Divides the range into `total` parts, at most 2^16, and narrows it to `count` of them from `start` on.
    #[inline(always)]
    pub(crate) fn narrow(&mut self, start: u32, count: u32, total: u32) {
        self.range /= total;
        self.low += u64::from(start * self.range);
        self.range *= count;
        while self.range < LOW {
            self.range <<= 8;
            self.shift();
        }
    }

    /// Moves the highest byte of `low` out.
    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry == 0 && self.low >= 0xff00_0000 {
            self.full += 1;
        } else {
            self.out.push(self.last.wrapping_add(carry));
            self.out.resize(self.out.len() + self.full, carry.wrapping_sub(1));
            self.full = 0;
            self.last = (self.low >> 24) as u8;
        }
        self.low = self.low << 8 & 0xffff_ffff;
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) {
        (0..5).for_each(|_| self.shift());
    }
}
