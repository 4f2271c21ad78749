//! Whether an index can be that of a file: what it says of itself has to agree, and where it says that records start, records must be.
//!
//! Neither BAI nor CSI says which file it is of, and BAI has no checksum. What shows that one is another file's, or damaged: in a sorted
//! file the records of one reference follow those of another without a gap, and so do chunks; records of a bin come before those of
//! each bin to the right of it.

use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;

use super::bins::Scheme;
use super::tables::{Bin, Index, ReferenceIndex};
use crate::region::{Interval, Regions};

/// The most bytes between the end of a record and the start of the next one: that of the block they are in, and an empty one.
const FARTHEST: u64 = 2 << 16;

/// So many intervals are looked at in the file: a block is read for each of the records that are expected around them.
const PROBED: usize = 8;

/// What is expected of the record that starts at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) at: VirtualOffset,
    pub(crate) reference: usize,
    /// It starts in these positions.
    pub(crate) positions: Interval,
}

/// Whether nothing can be between a record that ends and one that starts.
pub(crate) fn follows(end: VirtualOffset, start: VirtualOffset) -> bool {
    end == start
        || end < start
            && start.within() == 0
            && start.compressed() > end.compressed()
            && start.compressed() - end.compressed() <= FARTHEST
}

/// From the first start to the last end of parts that have to follow each other, and what is wrong if they don't.
pub(super) fn in_order(mut spans: Vec<Segment>) -> (Option<Segment>, Option<&'static str>) {
    // References may come in any order.
    if !spans.is_sorted() {
        spans.sort_unstable();
    }
    let (Some(first), Some(end)) = (spans.first(), spans.iter().map(|span| span.end).max()) else {
        return (None, None);
    };
    let all = Segment { start: first.start, end };
    let misfit = spans.windows(2).find_map(|pair| match follows(pair[0].end, pair[1].start) {
        true => None,
        false if pair[1].start < pair[0].end => Some("the records of two references overlap"),
        false => Some("it omits records between two references"),
    });
    (Some(all), misfit)
}

impl Index {
    /// What of the index itself shows that it is damaged, as far as that matters for some regions.
    pub(crate) fn contradiction(&self, regions: &Regions) -> Option<&'static str> {
        let mut regions = regions.references();
        self.misfit.or_else(|| {
            regions.find_map(|(reference, intervals)| {
                self.reference(reference)?.disorder(self.scheme, intervals)
            })
        })
    }

    /// Where the first record with a reference starts; `None` if there is no such record.
    pub(crate) fn start(&self) -> Option<VirtualOffset> {
        self.span.map(|span| span.start)
    }

    /// Records that must be in the file around the first intervals of the regions, and where.
    pub(crate) fn expected(&self, regions: &Regions) -> Vec<Expected> {
        let mut all = Vec::new();
        let intervals = regions.references().flat_map(|(reference, intervals)| {
            intervals.iter().map(move |interval| (reference, *interval))
        });
        let mut last = None;
        for (reference, interval) in intervals.take(PROBED) {
            if last.as_ref().is_none_or(|(index, _)| *index != reference) {
                last = self.reference(reference).map(|found| (reference, found));
            }
            let Some((_, found)) = &last else { continue };
            if found.chunks.is_empty() {
                // The nearest ones that have records show whether references are counted as in the file.
                let is_some = |at: &&VirtualOffset| **at != VirtualOffset::MAX;
                let before = self.firsts.iter().take(reference);
                let left = before.enumerate().rev().find(|(_, at)| is_some(at));
                let behind = self.firsts.iter().enumerate().skip(reference);
                let right = behind.into_iter().find(|(_, at)| is_some(at));
                for (reference, &at) in left.into_iter().chain(right) {
                    all.push(Expected { at, reference, positions: Interval::ALL });
                }
            }
            found.expected(self.scheme, interval, &mut |at, positions| {
                all.push(Expected { at, reference, positions });
            });
        }
        all.sort_unstable_by_key(|expected| (expected.at, expected.reference));
        all.dedup();
        all
    }
}

/// The positions of a bin, and where its records are.
#[derive(Clone, Copy)]
struct Held {
    positions: Interval,
    span: Segment,
    /// Where its last chunk starts.
    last: VirtualOffset,
}

impl ReferenceIndex {
    /// From the start of the first chunk to the end of the last one.
    pub(super) fn span(&self) -> Option<Segment> {
        span(&self.chunks)
    }

    /// Whether counts say that there are no records where there are chunks, or the other way round.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        let counts = self.metadata?;
        let counted = counts.mapped.checked_add(counts.unmapped);
        match (counted, self.chunks.is_empty()) {
            (Some(0), true) => None,
            (Some(0), false) => Some("it lists records of a reference but counts none"),
            (Some(_), false) => None,
            (Some(_), true) => Some("it counts records of a reference but doesn't list them"),
            (None, _) => Some("its counts are impossible"),
        }
    }

    fn held(&self, scheme: Scheme, bin: &Bin) -> Option<Held> {
        let chunks = &self.chunks[bin.chunks.clone()];
        let last = chunks.iter().map(|chunk| chunk.start).max()?;
        Some(Held { positions: scheme.positions(bin.number), span: span(chunks)?, last })
    }

    /// What is wrong with the order of chunks and bins, and with where reading would start for some intervals.
    fn disorder(&self, scheme: Scheme, intervals: &[Interval]) -> Option<&'static str> {
        let mut chunks = self.chunks.clone();
        chunks.sort_unstable();
        let mut end = chunks.first()?.start;
        for chunk in chunks {
            if chunk.start > end && !follows(end, chunk.start) {
                return Some("it omits records of a reference");
            }
            end = end.max(chunk.end);
        }
        // Of each level, the records of all smaller bins, too, by the bin of that level that holds them.
        let first = self.span()?.start;
        for level in 0..=scheme.depth {
            let shift = scheme.min_shift + 3 * (scheme.depth - level);
            let from = self.bins.partition_point(|bin| bin.number < Scheme::first_of_level(level));
            let held = self.bins[from..].iter().filter_map(|bin| {
                // A record without a position has a bin where nobody looks for it.
                let held = self.held(scheme, bin).filter(|held| {
                    bin.number + 1 != Scheme::first_of_level(scheme.depth)
                        || held.span.start != first
                })?;
                Some((held.positions.start >> shift, held.span))
            });
            let mut held: Vec<(i64, Segment)> = held.collect();
            held.sort_unstable_by_key(|(number, _)| *number);
            let mut before: Option<(i64, VirtualOffset)> = None;
            let mut ended = VirtualOffset::default();
            for (number, span) in held {
                if before.is_some_and(|(last, _)| last != number) {
                    ended = before.map_or(ended, |(_, end)| end.max(ended));
                    before = None;
                }
                if span.start < ended {
                    return Some("its bins are out of order");
                }
                before = Some((number, before.map_or(span.end, |(_, end)| end.max(span.end))));
            }
        }
        self.linear_disorder(scheme, intervals)
    }

    /// What is wrong with the entries of the linear index for some intervals.
    fn linear_disorder(&self, scheme: Scheme, intervals: &[Interval]) -> Option<&'static str> {
        // Old writers left records out of it.
        if self.linear.is_empty() || self.metadata.is_none_or(|counts| counts.unmapped > 0) {
            return None;
        }
        const WRONG: Option<&str> = Some("its linear index doesn't match its bins");
        let span = self.span()?;
        let set = |at: &VirtualOffset| *at != VirtualOffset::default();
        let all = self.linear.iter().copied().filter(set);
        if !all.clone().is_sorted() || all.clone().any(|at| at < span.start || at >= span.end) {
            return WRONG;
        }
        for interval in intervals {
            let start = interval.start.max(0);
            let window = (start >> scheme.min_shift) as usize;
            let low = self.linear.get(window).copied().unwrap_or_default();
            if start >= scheme.end()
                || low == VirtualOffset::default() && window < self.linear.len()
            {
                continue;
            }
            // Nothing that starts in this window or behind it comes before.
            let from = (start >> scheme.min_shift) << scheme.min_shift;
            for level in 0..=scheme.depth {
                let shift = scheme.min_shift + 3 * (scheme.depth - level);
                let number =
                    Scheme::first_of_level(level) + ((from + (1 << shift) - 1) >> shift) as u32;
                let at = self.bins.partition_point(|bin| bin.number < number);
                let next =
                    self.bins.get(at).filter(|b| b.number < Scheme::first_of_level(level + 1));
                let held = next.and_then(|bin| self.held(scheme, bin));
                let is_quirk =
                    next.is_some_and(|bin| bin.number + 1 == Scheme::first_of_level(scheme.depth));
                if held.is_some_and(|held| {
                    !is_quirk && (window >= self.linear.len() || held.span.start < low)
                }) {
                    return WRONG;
                }
            }
        }
        None
    }

    /// Tells of the record where reading starts, and of one each in the nearest bins that are left and right of an interval.
    fn expected(
        &self,
        scheme: Scheme,
        interval: Interval,
        tell: &mut impl FnMut(VirtualOffset, Interval),
    ) {
        let (mut left, mut right): (Option<Held>, Option<Held>) = (None, None);
        let (start, end) = (interval.start.max(0), interval.end);
        for level in 0..=scheme.depth {
            let shift = scheme.min_shift + 3 * (scheme.depth - level);
            let (first, next) = (Scheme::first_of_level(level), Scheme::first_of_level(level + 1));
            let bins = &self.bins[self.bins.partition_point(|bin| bin.number < first)
                ..self.bins.partition_point(|bin| bin.number < next)];
            let over = first + (start.min(scheme.end()) >> shift) as u32;
            let before = bins.partition_point(|bin| bin.number < over);
            if let Some(held) = before.checked_sub(1).and_then(|at| self.held(scheme, &bins[at]))
                && left.is_none_or(|left| left.last < held.last)
            {
                left = Some(held);
            }
            if end < scheme.end() {
                let over = first + ((end - 1) >> shift) as u32;
                let behind = bins.partition_point(|bin| bin.number <= over);
                if let Some(held) = bins.get(behind).and_then(|bin| self.held(scheme, bin))
                    && right.is_none_or(|right| held.span.start < right.span.start)
                {
                    right = Some(held);
                }
            }
        }
        if let Some(left) = left {
            tell(left.last, Interval { start: -1, end: left.positions.end });
        }
        if let Some(right) = right {
            tell(right.span.start, right.positions);
        }
        let mut found = Vec::new();
        self.chunks_over(scheme, interval, &mut found);
        if let Some(first) = found.iter().min() {
            tell(first.start, Interval::ALL);
        }
    }
}

fn span(chunks: &[Segment]) -> Option<Segment> {
    let start = chunks.iter().map(|chunk| chunk.start).min()?;
    let end = chunks.iter().map(|chunk| chunk.end).max()?;
    Some(Segment { start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_or_there_is_a_reason() {
        let part = |start: (u64, u16), end: (u64, u16)| Segment {
            start: VirtualOffset::new(start.0, start.1),
            end: VirtualOffset::new(end.0, end.1),
        };
        let good =
            vec![part((100, 0), (200, 50)), part((200, 50), (200, 60)), part((300, 0), (400, 0))];
        assert_eq!(in_order(good.clone()).0, Some(part((100, 0), (400, 0))));
        assert_eq!(in_order(good.clone()).1, None);
        let mut turned = good.clone();
        turned.reverse();
        assert_eq!(in_order(turned), in_order(good.clone()));
        assert_eq!(in_order(Vec::new()), (None, None));
        for (index, bad) in [
            (1, part((200, 40), (200, 60))),
            (1, part((200, 50), (9999, 60))),
            (2, part((300, 1), (400, 0))),
            (2, part((200_000, 0), (300_000, 0))),
        ] {
            let mut parts = good.clone();
            parts[index] = bad;
            assert!(in_order(parts).1.is_some(), "{bad:?}");
        }
    }
}
