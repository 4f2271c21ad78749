//! A set of regions that records are tested against: per reference, sorted intervals that
//! neither overlap nor touch.

use crate::record::Record;

/// Positions on a reference, counted from 0, end excluded: the region that samtools calls 100-200 is 99 to 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The first position.
    pub start: i64,
    /// The position after the last one.
    pub end: i64,
}

impl Interval {
    /// All positions of a reference, however long.
    pub const ALL: Interval = Interval { start: 0, end: i64::MAX };
}

/// Regions on the references of one header, in order; overlapping and adjacent ones are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions {
    intervals: Vec<Interval>,
    /// For each reference with intervals, in order: its index and where they are.
    references: Vec<(usize, std::ops::Range<usize>)>,
    unplaced: bool,
}

impl Regions {
    /// The union of intervals on references, given by index, and of the records without a
    /// reference if `unplaced`.
    pub fn new(mut all: Vec<(usize, Interval)>, unplaced: bool) -> Regions {
        all.retain(|(_, interval)| interval.start < interval.end);
        all.sort_unstable();
        let mut regions = Regions { unplaced, ..Regions::default() };
        for (reference, interval) in all {
            match regions.references.last_mut() {
                Some((last, range)) if *last == reference => {
                    // The range of a reference is never empty.
                    match regions.intervals.last_mut() {
                        Some(before) if before.end >= interval.start => {
                            before.end = before.end.max(interval.end);
                        }
                        _ => {
                            regions.intervals.push(interval);
                            range.end += 1;
                        }
                    }
                }
                _ => {
                    let at = regions.intervals.len();
                    regions.intervals.push(interval);
                    regions.references.push((reference, at..at + 1));
                }
            }
        }
        regions
    }

    /// The intervals on a reference, sorted, with gaps between them.
    #[inline]
    pub fn on(&self, reference: usize) -> &[Interval] {
        let found = match &self.references[..] {
            [(only, range)] if *only == reference => Some(range),
            [_] => None,
            many => many
                .binary_search_by_key(&reference, |(index, _)| *index)
                .ok()
                .map(|index| &many[index].1),
        };
        found.map_or(&[], |range| &self.intervals[range.clone()])
    }

    /// The references with intervals, by index and in order.
    pub fn references(&self) -> impl ExactSizeIterator<Item = (usize, &[Interval])> {
        self.references.iter().map(|(index, range)| (*index, &self.intervals[range.clone()]))
    }

    /// The positions that are in both sets.
    pub fn intersection(&self, other: &Regions) -> Regions {
        let mut all = Vec::new();
        for (reference, mine) in self.references() {
            let mut theirs = other.on(reference).iter().peekable();
            for interval in mine {
                while let Some(found) = theirs.peek() {
                    let (start, end) =
                        (interval.start.max(found.start), interval.end.min(found.end));
                    all.push((reference, Interval { start, end }));
                    if found.end > interval.end {
                        break;
                    }
                    theirs.next();
                }
            }
        }
        // What is empty is left out there.
        Regions::new(all, self.unplaced && other.unplaced)
    }

    /// Whether records without a reference are in the set.
    pub fn has_unplaced(&self) -> bool {
        self.unplaced
    }

    /// Whether any region is on a reference, given by index; −1 is none.
    #[inline]
    pub(crate) fn touches(&self, reference: i32) -> bool {
        match usize::try_from(reference) {
            Ok(reference) => !self.on(reference).is_empty(),
            Err(_) => self.unplaced,
        }
    }

    /// Whether a record overlaps a region: it is on the region's reference, and one of the
    /// positions its alignment spans is in an interval. A record without an alignment but with a
    /// position counts as one base long; one without a reference is in `*` alone.
    #[inline]
    pub fn overlaps(&self, record: &Record<'_>) -> bool {
        let Ok(reference) = usize::try_from(record.reference_id()) else {
            return self.unplaced;
        };
        let intervals = self.on(reference);
        let position = i64::from(record.position());
        let next = intervals.partition_point(|interval| interval.end <= position);
        match intervals.get(next) {
            None => false,
            Some(interval) if interval.start <= position => true,
            Some(interval) => record.alignment_end() > interval.start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::bam::{Aligned, aligned};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_intersection_has_the_positions_of_both(
            mine in prop::collection::vec((0usize..3, 0i64..60, 0i64..20), 0..12),
            theirs in prop::collection::vec((0usize..3, 0i64..60, 0i64..20), 0..12),
        ) {
            let set = |all: &[(usize, i64, i64)]| {
                let place = |&(r, start, len): &(usize, i64, i64)| (r, Interval { start, end: start + len });
                Regions::new(all.iter().map(place).collect(), false)
            };
            let (mine, theirs) = (set(&mine), set(&theirs));
            let both = mine.intersection(&theirs);
            for reference in 0..3 {
                for at in 0..90 {
                    let has = |set: &Regions| {
                        set.on(reference).iter().any(|i| i.start <= at && at < i.end)
                    };
                    prop_assert_eq!(has(&both), has(&mine) && has(&theirs));
                }
            }
        }

        #[test]
        fn the_set_says_what_every_interval_alone_says(
            all in prop::collection::vec((0usize..4, -1i64..60, 0i64..12), 0..12),
            unplaced: bool,
            reference in -1i32..4,
            position in -1i32..60,
            cigar in prop::collection::vec((0u32..9, 0u32..9), 0..4),
            unmapped: bool,
        ) {
            let all: Vec<_> = all.into_iter()
                .map(|(reference, start, len)| (reference, Interval { start, end: start + len }))
                .collect();
            let cigar: Vec<u32> = cigar.into_iter().map(|(op, len)| len << 4 | op).collect();
            let mut len = 0;
            for word in &cigar {
                // M, D, N, = and X.
                if !unmapped && [0, 2, 3, 7, 8].contains(&(word & 15)) {
                    len += i64::from(word >> 4);
                }
            }
            let start = i64::from(position);
            let end = start + if len == 0 { 1 } else { len };
            let expected = if reference < 0 { unplaced } else {
                all.iter().any(|(on, interval)| {
                    *on == reference as usize
                        && (interval.start..interval.end).any(|p| start <= p && p < end)
                })
            };
            let flags = if unmapped { 4 } else { 0 };
            let bytes = aligned(&Aligned { reference, position, flags, cigar, ..Aligned::default() });
            let regions = Regions::new(all, unplaced);
            prop_assert_eq!(regions.overlaps(&Record::new(&bytes[4..])), expected);
            for (reference, intervals) in regions.references() {
                prop_assert!(intervals.windows(2).all(|w| w[0].end < w[1].start));
                prop_assert_eq!(intervals, regions.on(reference));
            }
        }
    }
}
