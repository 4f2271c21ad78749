//! The tree of bins: numbers, sizes, and which bins a range can be in.

use std::ops::Range;

use crate::region::Interval;

/// How positions are put into bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    /// The size of the smallest bins, as a power of 2.
    pub(super) min_shift: u8,
    /// Levels below the largest bin, number 0.
    pub(super) depth: u8,
}

impl Scheme {
    pub(super) const BAI: Scheme = Scheme { min_shift: 14, depth: 5 };

    /// The deepest tree whose bins have 32-bit numbers.
    pub(super) const DEEPEST: u8 = 9;

    /// The scheme htslib takes for references of at most `longest` bases; `None` if the smallest
    /// bins are too small for that.
    pub(super) fn for_length(min_shift: u8, longest: u64) -> Option<Scheme> {
        let longest = longest + 256;
        let depth = (0..=Scheme::DEEPEST).find(|d| longest <= 1 << (min_shift + 3 * d))?;
        Some(Scheme { min_shift, depth })
    }

    /// The number of the first bin of a level; level 0 is bin 0.
    pub(super) fn first_of_level(level: u8) -> u32 {
        (((1u64 << (3 * level)) - 1) / 7) as u32
    }

    /// One more than the largest number of a bin.
    pub(super) fn bin_count(self) -> u32 {
        Scheme::first_of_level(self.depth + 1)
    }

    /// The number under which the counts are stored, where a bin would be.
    pub(super) fn metadata_bin(self) -> u32 {
        self.bin_count() + 1
    }

    /// The end of the positions that can be binned.
    pub(super) fn end(self) -> i64 {
        1 << (self.min_shift + 3 * self.depth).min(62)
    }

    /// The smallest bin that holds the positions `start..end`, which must not be empty.
    #[inline]
    pub(super) fn bin_of(self, start: i64, end: i64) -> u32 {
        let last = end - 1;
        let mut shift = self.min_shift;
        for level in (1..=self.depth).rev() {
            if start >> shift == last >> shift {
                return Scheme::first_of_level(level) + (start >> shift) as u32;
            }
            shift += 3;
        }
        0
    }

    pub(super) fn parent(bin: u32) -> u32 {
        (bin - 1) >> 3
    }

    /// The first window of the smallest size in a bin.
    pub(super) fn first_window(self, bin: u32) -> u64 {
        let mut level = 0;
        while level < self.depth && bin >= Scheme::first_of_level(level + 1) {
            level += 1;
        }
        u64::from(bin - Scheme::first_of_level(level)) << (3 * (self.depth - level))
    }

    /// The positions that a bin is over.
    pub(super) fn positions(self, bin: u32) -> Interval {
        let mut level = 0;
        while level < self.depth && bin >= Scheme::first_of_level(level + 1) {
            level += 1;
        }
        let shift = self.min_shift + 3 * (self.depth - level);
        let number = i64::from(bin - Scheme::first_of_level(level));
        Interval { start: number << shift, end: (number + 1) << shift }
    }

    /// The bins that hold positions of `start..end`, as a range of numbers for each level.
    pub(super) fn bins_over(self, start: i64, end: i64) -> impl Iterator<Item = Range<u32>> {
        let last = end.min(self.end()) - 1;
        (0..=self.depth).filter(move |_| start <= last).map(move |level| {
            let shift = self.min_shift + 3 * (self.depth - level);
            let first = Scheme::first_of_level(level);
            first + (start >> shift) as u32..first + (last >> shift) as u32 + 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_specification() {
        let bai = Scheme::BAI;
        assert_eq!(bai.bin_count(), 37_449);
        assert_eq!(bai.metadata_bin(), 37_450);
        assert_eq!(bai.bin_of(0, 1), 4681);
        assert_eq!(bai.bin_of(0, 1 << 14), 4681);
        assert_eq!(bai.bin_of(0, (1 << 14) + 1), 585);
        assert_eq!(bai.bin_of((1 << 26) - 1, (1 << 26) + 1), 0);
        assert_eq!(bai.bin_of((1 << 29) - 1, 1 << 29), 37_448);
        assert_eq!(Scheme::parent(4681), 585);
        assert_eq!(bai.first_window(586), 8);
    }

    #[test]
    fn a_record_is_in_a_bin_over_every_range_it_overlaps() {
        let small = Scheme { min_shift: 2, depth: 2 };
        for start in 0..small.end() {
            for end in start + 1..=(start + 40).min(small.end()) {
                let bin = small.bin_of(start, end);
                for position in 0..small.end() {
                    let listed =
                        small.bins_over(position, position + 1).any(|range| range.contains(&bin));
                    if start <= position && position < end {
                        assert!(listed, "{start}..{end} at {position}");
                    }
                }
            }
        }
    }

    #[test]
    fn depth_follows_the_longest_reference() {
        assert_eq!(Scheme::for_length(14, 1000), Some(Scheme { min_shift: 14, depth: 0 }));
        assert_eq!(Scheme::for_length(14, (1 << 29) - 256).map(|s| s.depth), Some(5));
        assert_eq!(Scheme::for_length(14, (1 << 29) - 255).map(|s| s.depth), Some(6));
        assert_eq!(Scheme::for_length(1, u32::MAX.into()), None);
    }
}
