//! Which parts of a file can hold the records of some regions.

use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;

use super::bins::Scheme;
use super::tables::{Bin, Index, ReferenceIndex};
use crate::region::{Interval, Regions};

/// Parts of one reference closer together than this in the file are read as one: going around
/// the gap would cost more than inflating it.
pub(super) const GAP: u64 = 1 << 15;

/// When so many parts have been found, those that are the same are joined.
const MERGED_AT: usize = 1 << 14;

impl Index {
    /// The parts of the file that hold every record overlapping `regions`, in the order of the
    /// file and without overlaps. They hold other records too, but only of the references that
    /// `regions` are on. `records` is where the first record of the file starts.
    ///
    /// Beside them the place that no wanted record starts at or after: reference and position.
    pub(crate) fn segments(
        &self,
        regions: &Regions,
        records: VirtualOffset,
    ) -> (Vec<Segment>, Option<(usize, i64)>) {
        let mut all = Vec::new();
        let mut last = (VirtualOffset::default(), None);
        for (reference, intervals) in regions.references() {
            let Some(index) = self.reference(reference) else { continue };
            let mut found = Vec::new();
            let mut enough = MERGED_AT;
            for interval in intervals {
                index.chunks_over(self.scheme, *interval, &mut found);
                // Large bins are over many of the intervals.
                if found.len() >= enough {
                    found.sort_unstable();
                    found = merged(found, 0);
                    enough = 2 * found.len() + MERGED_AT;
                }
            }
            found.sort_unstable();
            let mut found = merged(found, GAP);
            if let (Some(segment), Some(interval)) = (found.last(), intervals.last()) {
                last = last.max((segment.end, Some((reference, interval.end))));
            }
            all.append(&mut found);
        }
        if regions.has_unplaced() {
            // They come after all others.
            let start = self.end().unwrap_or_default().max(records);
            all.push(Segment { start, end: VirtualOffset::MAX });
            last.1 = None;
        }
        all.sort_unstable();
        (merged(all, 0), last.1)
    }

    /// Where the last record with a reference ends; `None` if there is no such record.
    pub(crate) fn end(&self) -> Option<VirtualOffset> {
        self.span.map(|span| span.end)
    }
}

/// Joins parts, sorted by start, that overlap, touch or have less than `gap` bytes of the file
/// between them.
fn merged(sorted: Vec<Segment>, gap: u64) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    for next in sorted {
        match out.last_mut() {
            Some(last)
                if next.start <= last.end
                    || next.start.compressed() - last.end.compressed() < gap =>
            {
                last.end = last.end.max(next.end);
            }
            _ => out.push(next),
        }
    }
    out
}

impl ReferenceIndex {
    pub(super) fn find(&self, number: u32) -> Option<&Bin> {
        let index = self.bins.binary_search_by_key(&number, |bin| bin.number).ok()?;
        Some(&self.bins[index])
    }

    /// Appends the chunks of the bins over an interval, cut to where its records can be.
    pub(super) fn chunks_over(&self, scheme: Scheme, interval: Interval, found: &mut Vec<Segment>) {
        let start = interval.start.max(0);
        if start >= interval.end.min(scheme.end()) {
            return;
        }
        let (low, high) = (self.lowest(scheme, start), self.highest(scheme, interval.end));
        for numbers in scheme.bins_over(start, interval.end) {
            let from = self.bins.partition_point(|bin| bin.number < numbers.start);
            for bin in self.bins[from..].iter().take_while(|bin| bin.number < numbers.end) {
                for chunk in &self.chunks[bin.chunks.clone()] {
                    // Where that is near, the whole chunk is read: its start is certain to be a record's.
                    let is_near = chunk.start.compressed() + GAP > low.compressed();
                    let start = if is_near { chunk.start } else { chunk.start.max(low) };
                    let part = Segment { start, end: chunk.end.min(high) };
                    if part.start < part.end {
                        found.push(part);
                    }
                }
            }
        }
    }

    /// A record that no record overlapping `start` or later positions comes before.
    pub(super) fn lowest(&self, scheme: Scheme, start: i64) -> VirtualOffset {
        let window = (start >> scheme.min_shift) as usize;
        if let Some(&first) = self.linear.get(window) {
            if self.metadata.is_some_and(|m| m.unmapped == 0) {
                return first;
            }
            // Old writers left unmapped records with a place out of the linear index; those
            // before the first mapped one of this window come after that of an earlier window.
            let before = &self.linear[..window];
            return before.iter().rev().find(|&&at| at < first).copied().unwrap_or_default();
        }
        // The smallest bin at the place, or the next one to the left or above.
        let mut number = Scheme::first_of_level(scheme.depth) + window as u32;
        loop {
            if let Some(bin) = self.find(number) {
                return bin.first;
            }
            match number {
                0 => return VirtualOffset::default(),
                first if first % 8 == 1 => number = Scheme::parent(number),
                _ => number -= 1,
            }
        }
    }

    /// A record that no record overlapping positions before `end` comes after: one in a bin that
    /// lies to the right of all of them.
    fn highest(&self, scheme: Scheme, end: i64) -> VirtualOffset {
        if end >= scheme.end() {
            return VirtualOffset::MAX;
        }
        let window = ((end - 1) >> scheme.min_shift) as u32;
        let mut number = Scheme::first_of_level(scheme.depth) + window + 1;
        if number >= scheme.bin_count() {
            return VirtualOffset::MAX;
        }
        loop {
            // The next bin to the right of a last child is the one to the right of its parent;
            // behind the last bin of a level this leads up to bin 0.
            while number % 8 == 1 {
                number = Scheme::parent(number);
            }
            if number == 0 {
                return VirtualOffset::MAX;
            }
            let chunks = self.find(number).map(|bin| &self.chunks[bin.chunks.clone()]);
            if let Some(start) = chunks.and_then(|all| all.iter().map(|chunk| chunk.start).min()) {
                return start;
            }
            number += 1;
        }
    }
}
