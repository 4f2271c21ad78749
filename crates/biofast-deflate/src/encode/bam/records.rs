//! Records of BAM in a text: where their parts lie, and where the first of them begins.

use crate::encode::simd::Simd;
use crate::encode::text::{MAX_TEXT, Text, sixty_four, word};

/// Bytes of a record before its name.
pub(super) const HEAD: usize = 36;
/// The most that a length in a head may say: sums of them stay within any integer used here.
const MOST: usize = 1 << 28;
/// What a name may be made of.
const NAME: std::ops::RangeInclusive<u8> = b'!'..=b'~';
/// The highest quality.
const QUALITY: u8 = 93;
/// The shortest stretches of packed bases and of qualities that are taken for the rest of a record.
const BASES: usize = 64;
const QUALITIES: usize = 256;

/// Where the parts of a record begin. Its head is all there; the others may lie behind the text.
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub(super) start: usize,
    pub(super) name: usize,
    pub(super) cigar: usize,
    pub(super) bases: usize,
    pub(super) qualities: usize,
    pub(super) tags: usize,
    pub(super) end: usize,
    /// How many bases there are.
    pub(super) length: usize,
    /// Operations of the CIGAR.
    pub(super) operations: usize,
    pub(super) flag: u16,
    pub(super) reference: i32,
    pub(super) position: i32,
}

#[inline(always)]
pub(super) fn four(text: &Text, at: usize) -> u32 {
    word(text, at) as u32
}

impl Record {
    /// The record that begins at `start`; `None` if its head isn't all in the first `n` bytes, or its lengths contradict
    /// each other.
    #[inline(always)]
    pub(super) fn read(text: &Text, n: usize, start: usize) -> Option<Record> {
        if start + HEAD > n {
            return None;
        }
        let size = four(text, start) as usize;
        let name_length = (four(text, start + 12) & 0xff) as usize;
        let [operations, flag] =
            [0, 16].map(|shift| (four(text, start + 16) >> shift & 0xffff) as u16);
        let length = four(text, start + 20) as usize;
        if size > MOST || length > MOST || name_length == 0 {
            return None;
        }
        let name = start + HEAD;
        let cigar = name + name_length;
        let bases = cigar + 4 * usize::from(operations);
        let qualities = bases + length.div_ceil(2);
        let (tags, end) = (qualities + length, start + 4 + size);
        (tags <= end).then(|| Record {
            start,
            name,
            cigar,
            bases,
            qualities,
            tags,
            end,
            length,
            operations: usize::from(operations),
            flag,
            reference: four(text, start + 4).cast_signed(),
            position: four(text, start + 8).cast_signed(),
        })
    }

    /// Whether what begins at `start` is a record rather than anything else.
    fn is_likely(text: &Text, n: usize, start: usize) -> Option<Record> {
        let record = Self::read(text, n, start)?;
        let from = |at: usize| four(text, start + at).cast_signed() >= -1;
        let name = text.get(record.name..record.cigar.min(n))?;
        let (last, letters) = name.split_last()?;
        let named = letters.iter().all(|letter| NAME.contains(letter))
            && (*last == 0 || record.cigar > n && NAME.contains(last));
        (named && [4, 8, 24, 28].into_iter().all(from)).then_some(record)
    }

    /// The place where base 0 would lie on the reference if there were neither insertions nor deletions, seen from the
    /// left end and from the right end of the read.
    pub(super) fn ends(&self, text: &Text, n: usize) -> (i32, i32) {
        const LONGEST: usize = 64;
        let position = self.position;
        if self.operations < 2 || self.bases > n {
            return (position, position);
        }
        let operation = |i: usize| {
            let operation = four(text, self.cigar + 4 * i);
            (operation & 15, (operation >> 4).cast_signed())
        };
        // A soft clip at either end, within a hard clip or not.
        let clip = |outer: usize, inner: usize| match (operation(outer), operation(inner)) {
            ((4, n), _) | ((5, _), (4, n)) => n,
            _ => 0,
        };
        let left = position.wrapping_sub(clip(0, 1));
        if self.operations > LONGEST {
            return (left, left);
        }
        let (mut on_reference, mut in_read) = (position, 0i32);
        for (kind, n) in (0..self.operations).map(operation) {
            let (reference, read) = match kind {
                0 | 7 | 8 => (n, n),
                2 | 3 => (n, 0),
                1 | 4 => (0, n),
                _ => (0, 0),
            };
            on_reference = on_reference.wrapping_add(reference);
            in_read = in_read.wrapping_add(read);
        }
        let tail = clip(self.operations - 1, self.operations - 2);
        (left, on_reference.wrapping_add(tail).wrapping_sub(in_read))
    }
}

/// Where the first record begins that the next one, if it isn't behind the text, confirms.
#[inline(always)]
pub(super) fn first<S: Simd>(text: &Text, n: usize) -> Option<usize> {
    let mut at = 0;
    while at < n.min(MAX_TEXT) {
        // Records have less than 16 MiB, so their fourth byte is 0; in names, bases and most qualities there is none.
        let mut zeros = S::equal(sixty_four(text, at), &[0; 64]);
        while zeros != 0 {
            let zero = at + zeros.trailing_zeros() as usize;
            zeros &= zeros - 1;
            if let Some(start) = zero.checked_sub(3)
                && let Some(record) = Record::is_likely(text, n, start)
                && (record.end + HEAD > n || Record::is_likely(text, n, record.end).is_some())
            {
                return Some(start);
            }
        }
        at += 64;
    }
    None
}

/// Whether the first `n` bytes are no text of letters: one byte in so many is none.
pub(super) fn is_binary(text: &Text, n: usize) -> bool {
    const PART: usize = 16;
    let control = |byte: &&u8| **byte < 32 && !matches!(**byte, b'\t' | b'\n' | b'\r');
    text[..n].iter().filter(control).count() * PART > n
}

/// Where the bases begin and end, and the qualities end, in a text that begins in a long record, whose head isn't there,
/// and is of it up to `end`. Guessed from their values: what is wrong only costs size.
pub(super) fn rest_of_long(text: &Text, end: usize) -> (usize, usize, usize) {
    let text = &text[..end];
    let is_base = |n: u8| matches!(n, 1 | 2 | 4 | 8 | 15);
    let are_bases = |&pair: &u8| is_base(pair >> 4) && is_base(pair & 15);
    // What doesn't begin in the qualities may begin in the CIGAR.
    let begins = text.iter().take(QUALITIES).any(|&byte| byte > QUALITY);
    let stretch = |stretch: &[u8]| stretch.iter().all(are_bases);
    let found = if begins { text.chunks_exact(BASES).position(stretch) } else { None };
    let (start, bases) = found.map_or((0, 0), |i| {
        let inside = BASES * i;
        let before = text[..inside].iter().rev().take_while(|&pair| are_bases(pair)).count();
        (
            inside - before,
            inside + text[inside..].iter().take_while(|&pair| are_bases(pair)).count(),
        )
    });
    let qualities = text[bases..].iter().take_while(|&&quality| quality <= QUALITY).count();
    (start, bases, bases + if qualities < QUALITIES { 0 } else { qualities })
}
