//! Which bytes of a text repeat the one before: a bit each.

use super::simd::Simd;
use super::tokens::{MAX_TEXT, Text};

/// Words of a bitmap: a power of two, so that no access need be checked.
const WORDS: usize = 2 * MAX_TEXT / 64;

/// A bit for each byte of a text, and zeros.
type Bitmap = [u64; WORDS];

/// Where a text repeats itself.
pub(super) struct Runs {
    bitmap: Box<Bitmap>,
}

impl Runs {
    pub(super) fn new() -> Self {
        Self { bitmap: Box::new([0; WORDS]) }
    }

    /// Looks at the first `n` bytes.
    #[inline(always)]
    pub(super) fn find<S: Simd>(&mut self, text: &Text, n: usize) {
        fill::<S>(text, n, &mut self.bitmap);
        // Nothing repeats what is before the text, and what is behind it doesn't count. Windows see two words more.
        self.bitmap[0] &= !1;
        let end = (n / 64).min(self.bitmap.len() - 1);
        self.bitmap[end] &= (1 << (n % 64)) - 1;
        self.bitmap[end + 1..(end + 3).min(WORDS)].fill(0);
    }

    /// The bits of 64 bytes from `at` on, lowest first.
    #[inline(always)]
    pub(super) fn window(&self, at: usize) -> u64 {
        let (i, shift) = (at / 64, at % 64);
        let word = |i: usize| self.bitmap[i % WORDS];
        word(i) >> shift | word(i + 1) << 1 << (63 - shift)
    }

    /// How many bytes of `start..end` repeat the one before.
    #[inline(always)]
    pub(super) fn count(&self, start: usize, end: usize) -> usize {
        let mut count = 0;
        for at in (start..end).step_by(64) {
            let mut window = self.window(at);
            if end - at < 64 {
                window &= (1 << (end - at)) - 1;
            }
            count += window.count_ones() as usize;
        }
        count
    }

    /// How many bytes from `at` on repeat the one before.
    #[inline(always)]
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

/// Fills the words of `bitmap` that the first `n` bytes, at most [`MAX_TEXT`], have bits in. What it says of the first
/// byte doesn't matter.
#[inline(always)]
fn fill<S: Simd>(text: &Text, n: usize, bitmap: &mut Bitmap) {
    let (first, _) = text.as_chunks::<64>();
    // The first byte has none before: shift within the first 64.
    let mut before = [0; 64];
    before[1..].copy_from_slice(&text[..63]);
    if let (Some(bits), Some(bytes)) = (bitmap.first_mut(), first.first()) {
        *bits = S::equal(bytes, &before);
    }
    let (shifted, _) = text[63..].as_chunks::<64>();
    let words = bitmap[1..].iter_mut().zip(first[1..].iter().zip(shifted));
    for (bits, (bytes, before)) in words.take(n / 64) {
        *bits = S::equal(bytes, before);
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Portable;
    use super::super::tokens::PADDING;
    use super::*;

    #[test]
    fn a_bit_says_that_a_byte_is_that_before() {
        let mut text = Box::new([0; MAX_TEXT + PADDING]);
        let mut state = 1u64;
        for byte in &mut text[..MAX_TEXT] {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = b"\0\0AA\x80\xff\n"[(state >> 40) as usize % 7];
        }
        for n in [1, 2, 63, 64, 65, 127, 128, 129, 5000, MAX_TEXT - 1, MAX_TEXT] {
            let mut runs = Runs::new();
            runs.find::<Portable>(&text, n);
            for at in 0..MAX_TEXT {
                let expected = at > 0 && at < n && text[at] == text[at - 1];
                assert_eq!(runs.window(at) & 1 == 1, expected, "{at} of {n}");
            }
            assert_eq!(runs.length(n), 0);
        }
    }

    #[test]
    fn a_run_may_be_as_long_as_the_text() {
        let text = Box::new([b'I'; MAX_TEXT + PADDING]);
        let mut runs = Runs::new();
        runs.find::<Portable>(&text, MAX_TEXT);
        assert_eq!((runs.count(0, 100), runs.count(1, 65), runs.count(70, 71)), (99, 64, 1));
        assert_eq!((runs.length(1), runs.length(1000)), (MAX_TEXT - 1, MAX_TEXT - 1000));
    }
}
