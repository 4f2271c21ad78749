//! Where a read has N: of most reads there is nothing to do, so 16 bases are looked at together.

use std::ops::Range;

use biofast_bam::Record;

/// The code of N.
pub(super) const N: u8 = 15;

/// The lowest bit of each of 16 codes.
const LOWEST: u64 = 0x1111_1111_1111_1111;

/// Whether a base is N.
pub(super) fn is_n(record: &Record<'_>, at: usize) -> bool {
    record.packed_sequence()[at / 2] >> (4 * (1 - at % 2)) & 15 == N
}

/// Whether a record may have any N: nearly all have none, and need not be looked at base by base.
#[inline]
pub(super) fn has_n(record: &Record<'_>) -> bool {
    may_have_n(record.packed_sequence())
}

#[inline]
fn may_have_n(packed: &[u8]) -> bool {
    let of_word = |word: u64| word & word >> 1 & word >> 2 & word >> 3 & LOWEST;
    let (words, rest) = packed.as_chunks::<8>();
    let found = words.iter().fold(0, |all, word| all | of_word(u64::from_be_bytes(*word)));
    let last = rest.iter().fold(0, |word, &two| word << 8 | u64::from(two));
    found | of_word(last) != 0
}

/// Calls `found` for each base of the range that is N, in order.
#[inline]
pub(super) fn each_n(record: &Record<'_>, range: Range<usize>, found: impl FnMut(usize)) {
    each_n_of(record.packed_sequence(), range, found);
}

#[inline]
fn each_n_of(packed: &[u8], range: Range<usize>, mut found: impl FnMut(usize)) {
    let mut start = 0;
    for part in packed[..range.end.div_ceil(2)].chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        // The first base is highest.
        let word = u64::from_be_bytes(word);
        let mut lowest = word & word >> 1 & word >> 2 & word >> 3 & LOWEST;
        while lowest != 0 {
            let zeros = lowest.leading_zeros();
            let at = start + zeros as usize / 4;
            // Of an odd number of bases the last byte has a code too many.
            if range.contains(&at) {
                found(at);
            }
            lowest &= !(1 << (63 - zeros));
        }
        start += 16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::random::Random;

    #[test]
    fn every_n_of_a_range_is_found_once() {
        let mut random = Random(1);
        for _ in 0..500 {
            let len = random.below(70);
            let share = [1, 50, 99][random.below(3)];
            let mut code =
                |_| if random.chance(share) { N } else { [1, 2, 4, 8, 7, 14][random.below(6)] };
            let codes: Vec<u8> = (0..len.next_multiple_of(2)).map(&mut code).collect();
            let packed: Vec<u8> = codes.chunks(2).map(|two| two[0] << 4 | two[1]).collect();
            let start = random.below(len + 1);
            let end = start + random.below(len - start + 1);
            let mut found = Vec::new();
            each_n_of(&packed, start..end, |at| found.push(at));
            let expected: Vec<usize> = (start..end).filter(|&at| codes[at] == N).collect();
            assert_eq!(found, expected);
            assert_eq!(may_have_n(&packed), codes.contains(&N));
        }
    }
}
