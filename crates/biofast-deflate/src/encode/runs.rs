//! Which bytes of a text repeat the one before: a bit each.

use super::tokens::{MAX_TEXT, Text, word};

/// A bit for each byte of a text, and zeros.
pub(super) type Bitmap = [u64; MAX_TEXT / 64 + 2];

/// Fills the first `n` bits of the bitmap, rounded up to whole words.
pub(super) type Fill = fn(&Text, usize, &mut Bitmap);

/// Where a text repeats itself.
pub(super) struct Runs {
    bitmap: Box<Bitmap>,
    fill: Fill,
}

impl Runs {
    pub(super) fn new(fill: Fill) -> Self {
        Self { bitmap: Box::new([0; MAX_TEXT / 64 + 2]), fill }
    }

    /// Looks at the first `n` bytes.
    pub(super) fn find(&mut self, text: &Text, n: usize) {
        (self.fill)(text, n, &mut self.bitmap);
        // Nothing repeats what is before the text; what is behind it doesn't count.
        self.bitmap[0] &= !1;
        let end = n / 64;
        self.bitmap[end] &= (1 << (n % 64)) - 1;
        self.bitmap[end + 1..].fill(0);
    }

    /// The bits of 64 bytes from `at` on, lowest first.
    #[inline(always)]
    pub(super) fn window(&self, at: usize) -> u64 {
        let (i, shift) = (at / 64, at % 64);
        let word = |i: usize| self.bitmap.get(i).copied().unwrap_or(0);
        word(i) >> shift | word(i + 1) << 1 << (63 - shift)
    }

    /// How many bytes from `at` on repeat the one before.
    #[inline]
    pub(super) fn length(&self, at: usize) -> usize {
        let mut n = 0;
        loop {
            let more = self.window(at + n).trailing_ones() as usize;
            n += more;
            if more < 64 {
                return n;
            }
        }
    }
}

/// The reference, eight bytes at a time.
pub(super) fn fill_portable(text: &Text, n: usize, bitmap: &mut Bitmap) {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    for (i, bits) in bitmap.iter_mut().enumerate().take(n.div_ceil(64)) {
        *bits = 0;
        for j in 0..8 {
            let at = 64 * i + 8 * j;
            let before = if at == 0 { word(text, 0) << 8 } else { word(text, at - 1) };
            let differ = word(text, at) ^ before;
            let same = !(((differ & LOW) + LOW) | differ | LOW) >> 7;
            *bits |= (same.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * j);
        }
    }
}
