//! A text with room behind it, and how parts of it compare.

use super::simd::Simd;

/// The most text of a stream.
pub(super) const MAX_TEXT: usize = 65_536;
/// Zeros behind the text, so that words can be read anywhere in it.
pub(super) const PADDING: usize = 128;

/// A text and its padding.
pub(super) type Text = [u8; MAX_TEXT + PADDING];

/// The eight bytes at `at`, lowest first.
#[inline(always)]
pub(super) fn word(text: &Text, at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => 0,
    }
}

/// The 16 bytes at `at`; zeros if they aren't all there.
#[inline(always)]
pub(super) fn sixteen(text: &Text, at: usize) -> [u8; 16] {
    text.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default()
}

/// The 32 bytes at `at`; zeros if they aren't all there.
#[inline(always)]
pub(super) fn thirty_two(text: &Text, at: usize) -> &[u8; 32] {
    text.get(at..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; 32])
}

/// The 64 bytes at `at`; zeros if they aren't all there.
#[inline(always)]
pub(super) fn sixty_four(text: &Text, at: usize) -> &[u8; 64] {
    text.get(at..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; 64])
}

/// How many bytes at `a` are also at `b`, `most` at the utmost.
#[inline(always)]
pub(super) fn common<S: Simd>(text: &Text, a: usize, b: usize, most: usize) -> usize {
    let mut n = 0;
    while n < most {
        let same = S::equal_half(thirty_two(text, a + n), thirty_two(text, b + n));
        if same != u32::MAX {
            return most.min(n + same.trailing_ones() as usize);
        }
        n += 32;
    }
    most
}

/// How many of the 32 bytes before `a` are also before `b`; none if there are fewer.
#[inline(always)]
pub(super) fn common_before<S: Simd>(text: &Text, a: usize, b: usize) -> usize {
    if a < 32 || b < 32 {
        return 0;
    }
    S::equal_half(thirty_two(text, a - 32), thirty_two(text, b - 32)).leading_ones() as usize
}

/// Which of the 64 bytes from `at` on repeat the one before: a bit each, lowest first.
#[inline(always)]
pub(super) fn repeats<S: Simd>(text: &Text, at: usize) -> u64 {
    match at.checked_sub(1) {
        Some(before) => S::equal(sixty_four(text, at), sixty_four(text, before)),
        None => S::equal(sixty_four(text, 1), sixty_four(text, 0)) << 1,
    }
}

/// The next line feed from `at` on, or `end`.
#[inline(always)]
pub(super) fn newline<S: Simd>(text: &Text, mut at: usize, end: usize) -> usize {
    while at < end {
        let found = S::newlines(sixty_four(text, at));
        if found != 0 {
            return end.min(at + found.trailing_zeros() as usize);
        }
        at += 64;
    }
    end
}

/// All ones if the eight bytes from `at` on repeat the one before.
#[inline(always)]
pub(super) fn repeated(text: &Text, at: usize) -> u64 {
    let differ = match at.checked_sub(1) {
        Some(before) => word(text, at) ^ word(text, before),
        None => 1,
    };
    if differ == 0 { u64::MAX } else { 0 }
}

/// How many bytes from `at` on repeat the one before, up to `end`.
#[inline(always)]
pub(super) fn run(text: &Text, at: usize, end: usize) -> usize {
    let mut n = 0;
    while at > 0 && at + n < end {
        let differ = word(text, at + n) ^ word(text, at + n - 1);
        if differ != 0 {
            return (end - at).min(n + (differ.trailing_zeros() / 8) as usize);
        }
        n += 8;
    }
    n.min(end.saturating_sub(at))
}
