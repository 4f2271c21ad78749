//! Writes bits, lowest first, through a 64-bit word.

use crate::bits::BitReader;

/// More bytes than a stream under construction ever has: a power of two, so that staying within them takes no branch.
pub(crate) const MAX_STREAM: usize = 1 << 18;

/// Where a stream is written, with room for the last word.
pub(crate) type Out = [u8; MAX_STREAM + 8];

/// A stream of bits under construction. At most 56 bits may be put between two flushes.
#[derive(Clone, Copy)]
pub(crate) struct BitWriter {
    /// Whole bytes written.
    pub(crate) at: usize,
    word: u64,
    used: u32,
}

impl BitWriter {
    pub(crate) fn new() -> Self {
        Self { at: 0, word: 0, used: 0 }
    }

    /// Adds the low `n` bits of `value`, which has no others.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: u64, n: u32) {
        self.word |= value << (self.used & 63);
        self.used += n;
    }

    /// Adds a code.
    #[inline(always)]
    pub(crate) fn put_code(&mut self, code: u32) {
        self.put(u64::from(code & 0xffff), code >> 16);
    }

    /// As [`put`](Self::put) of up to 56 bits, but flushes before it where there is no room. [`flush`](Self::flush) after the last.
    #[inline(always)]
    pub(crate) fn put_with_room(&mut self, value: u64, n: u32, out: &mut Out) {
        if self.used + n > 63 {
            self.flush(out);
        }
        self.put(value, n);
    }

    /// Moves whole bytes to `out`; fewer than 8 bits stay.
    #[inline(always)]
    pub(crate) fn flush(&mut self, out: &mut Out) {
        if let Some(to) = out[self.at % MAX_STREAM..].first_chunk_mut() {
            *to = self.word.to_le_bytes();
        }
        self.at += (self.used >> 3) as usize;
        self.word >>= self.used & 56;
        self.used &= 7;
    }

    /// As [`put`](Self::put) and [`flush`](Self::flush).
    #[inline(always)]
    pub(crate) fn put_flushed(&mut self, value: u64, n: u32, out: &mut Out) {
        self.put(value, n);
        self.flush(out);
    }

    /// An empty stored block: what follows begins with a whole byte.
    pub(crate) fn align(&mut self, out: &mut Out) {
        self.flush(out);
        self.put(0, 3);
        self.finish(out);
        self.put_flushed(0xffff_0000, 32, out);
    }

    /// Bits written so far.
    pub(crate) fn bits(&self) -> usize {
        8 * self.at + self.used as usize
    }

    /// Clears a bit that was written.
    pub(crate) fn clear(&mut self, bit: usize, out: &mut Out) {
        self.flush(out);
        match bit.checked_sub(8 * self.at) {
            Some(kept) => self.word &= !(1 << (kept & 63)),
            None => out[bit / 8] &= !(1 << (bit % 8)),
        }
    }

    /// Copies the bits `from..to` of `bytes`, which has them.
    pub(crate) fn copy(&mut self, bytes: &[u8], from: usize, to: usize, out: &mut Out) {
        let mut from = BitReader { bytes, at: from };
        let left = |from: &BitReader<'_>| to.saturating_sub(from.at);
        // To a whole byte of output first, then by words.
        self.flush(out);
        let odd = (self.used.wrapping_neg() & 7).min(left(&from) as u32);
        self.put_flushed(from.take(odd) as u64, odd, out);
        if left(&from) >= 128 {
            let shift = from.at % 8;
            let words = bytes.get(from.at / 8..).unwrap_or_default().as_chunks::<8>().0;
            let n = (left(&from) / 64).min(words.len().saturating_sub(1));
            let to = &mut out[self.at..].as_chunks_mut::<8>().0[..n];
            for ((to, &low), &high) in to.iter_mut().zip(words).zip(&words[1..]) {
                let (low, high) = (u64::from_le_bytes(low), u64::from_le_bytes(high));
                *to = (low >> shift | high << 1 << (63 - shift)).to_le_bytes();
            }
            self.at += 8 * n;
            from.at += 64 * n;
        }
        while left(&from) > 0 {
            let n = left(&from).min(32) as u32;
            self.put_flushed(from.take(n) as u64, n, out);
        }
    }

    /// Fills the last byte with zeros.
    pub(crate) fn finish(&mut self, out: &mut Out) {
        self.used = self.used.next_multiple_of(8);
        self.flush(out);
    }
}
