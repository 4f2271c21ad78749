//! Writes bits, lowest first, through a 64-bit word.

/// More bytes than a stream under construction ever has: a power of two, so that staying within them takes no branch.
pub(super) const MAX_STREAM: usize = 1 << 18;

/// Where a stream is written, with room for the last word.
pub(super) type Out = [u8; MAX_STREAM + 8];

/// A stream of bits under construction. At most 56 bits may be put between two flushes.
#[derive(Clone, Copy)]
pub(super) struct BitWriter {
    /// Whole bytes written.
    pub(super) at: usize,
    word: u64,
    used: u32,
}

impl BitWriter {
    pub(super) fn new() -> Self {
        Self { at: 0, word: 0, used: 0 }
    }

    /// Adds the low `n` bits of `value`, which has no others.
    #[inline(always)]
    pub(super) fn put(&mut self, value: u64, n: u32) {
        self.word |= value << (self.used & 63);
        self.used += n;
    }

    /// Adds a code.
    #[inline(always)]
    pub(super) fn put_code(&mut self, code: u32) {
        self.put(u64::from(code & 0xffff), code >> 16);
    }

    /// As [`put`](Self::put) of up to 56 bits, but flushes before it where there is no room. [`flush`](Self::flush) after the last.
    #[inline(always)]
    pub(super) fn put_with_room(&mut self, value: u64, n: u32, out: &mut Out) {
        if self.used + n > 63 {
            self.flush(out);
        }
        self.put(value, n);
    }

    /// Moves whole bytes to `out`; fewer than 8 bits stay.
    #[inline(always)]
    pub(super) fn flush(&mut self, out: &mut Out) {
        if let Some(to) = out[self.at % MAX_STREAM..].first_chunk_mut() {
            *to = self.word.to_le_bytes();
        }
        self.at += (self.used >> 3) as usize;
        self.word >>= self.used & 56;
        self.used &= 7;
    }

    /// As [`put`](Self::put) and [`flush`](Self::flush).
    #[inline(always)]
    pub(super) fn put_flushed(&mut self, value: u64, n: u32, out: &mut Out) {
        self.put(value, n);
        self.flush(out);
    }

    /// An empty stored block: what follows begins with a whole byte.
    pub(super) fn align(&mut self, out: &mut Out) {
        self.flush(out);
        self.put(0, 3);
        self.finish(out);
        self.put_flushed(0xffff_0000, 32, out);
    }

    /// Fills the last byte with zeros.
    pub(super) fn finish(&mut self, out: &mut Out) {
        self.used = self.used.next_multiple_of(8);
        self.flush(out);
    }
}
