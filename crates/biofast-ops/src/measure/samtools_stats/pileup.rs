//! Coverage and GC-depth as `samtools stats` computes them, its deviations from the true
//! depth included, so that its numbers can be checked against.
//!
//! The depths are kept in a ring of five times the longest read so far. A block that lies further
//! ahead (behind a long skip) is wrapped to an earlier position; when a longer read makes the ring
//! grow, only a quarter of the depths in it is kept; and when the ring is passed over, its last
//! place is not counted. [`crate::measure::alignments`] has the true depths.

use std::ops::ControlFlow;

use crate::measure::alignments::in_order::{InOrder, RecordParts};
use crate::measure::compat::SamtoolsVersion;
use crate::measure::coverage::{DepthRun, DepthSink, JointDepth, RunBatch, take_first};

use super::batch_pile::{BatchPile, PileGroup};
use super::mismatches::Mismatches;
use super::reference::ReferenceReader;

/// Depths from 1 to this one are counted one by one.
pub const MAX_DEPTH: usize = 1000;

/// The length of read the first ring is made for.
pub const FIRST_READ_LEN: i64 = 300;

/// Reference bases to a bin of the GC-depth table.
pub const BIN: i64 = 20_000;

/// A bin of the reference: its GC content, and records that start in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GcBin {
    /// The sum of the records' GC, or with a reference that of the bin itself.
    pub gc: f32,
    pub depth: u32,
}

/// The state that records of the file pass through one by one.
pub struct Pileup {
    ring: Ring,
    /// Instead of the ring, as long as it would hold the true depths.
    joint: Option<JointDepth>,
    /// Positions by depth; depths above [`MAX_DEPTH`] in the last entry.
    pub depths: Vec<u64>,
    pub sorted: bool,
    /// Reads of this length make the ring grow.
    read_limit: i64,
    reference: i32,
    last_position: i64,
    bin_start: i64,
    /// The first one stays empty.
    pub bins: Vec<GcBin>,
    window: Option<ReferenceWindow>,
    /// Of the records before the first one out of order.
    pub mismatches: Mismatches,
    /// Why the reference can't be read.
    pub(crate) fault: Option<std::io::Error>,
}

/// The part of the reference that samtools would hold.
struct ReferenceWindow {
    bases: ReferenceReader,
    start: i64,
    len: i64,
    capacity: i64,
    /// Since 1.17 it holds the whole of the record it is read for.
    grows: bool,
}

struct Ring {
    position: i64,
    start: usize,
    depths: Vec<i32>,
}

impl Pileup {
    pub(super) fn new(version: SamtoolsVersion, reference: Option<ReferenceReader>) -> Pileup {
        let grows = version >= SamtoolsVersion::V1_24;
        let window = reference.map(|bases| ReferenceWindow {
            bases,
            start: -1,
            len: 0,
            capacity: BIN,
            grows,
        });
        Pileup {
            ring: Ring { position: 0, start: 0, depths: vec![0; 5 * FIRST_READ_LEN as usize] },
            joint: window.is_none().then(JointDepth::default),
            depths: vec![0; MAX_DEPTH + 2],
            sorted: true,
            read_limit: FIRST_READ_LEN,
            reference: -1,
            last_position: 0,
            bin_start: -1,
            bins: vec![GcBin::default()],
            window,
            mismatches: Mismatches::default(),
            fault: None,
        }
    }

    /// Adds the records of the next chunk.
    pub(crate) fn add(&mut self, records: &InOrder, pile: &BatchPile) -> ControlFlow<()> {
        if records.records.is_empty() {
            return ControlFlow::Continue(());
        }
        if self.is_plain(pile)
            && let Some(mut joint) = self.joint.take()
        {
            self.add_pile(pile, &mut joint);
            self.joint = Some(joint);
            return ControlFlow::Continue(());
        }
        self.fill_ring();
        records.each(|own| {
            let len = i64::from(own.record.unclipped_len);
            if len >= self.read_limit {
                self.grow(len);
            }
            if own.record.mapped && self.fault.is_none() {
                self.fault = self.add_record(&own).err();
            }
        });
        if self.fault.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether the ring would hold the true depths of these records.
    fn is_plain(&self, pile: &BatchPile) -> bool {
        let is_behind = |group: &PileGroup| {
            group.reference == self.reference && i64::from(group.first) < self.last_position
        };
        pile.is_plain
            && self.sorted
            && i64::from(pile.longest) < self.read_limit
            && pile.farthest < self.ring.depths.len() as i64 - 1
            && !pile.groups.first().is_some_and(is_behind)
    }

    /// Adds records in order whose depths are found.
    fn add_pile(&mut self, pile: &BatchPile, joint: &mut JointDepth) {
        let mut starts = &pile.starts[..];
        let (mut changes, mut counts) = (&pile.depths.changes[..], &pile.depths.counts[..]);
        for (group, depths) in pile.groups.iter().zip(&pile.depths.groups) {
            if self.reference != group.reference {
                joint.finish(u32::MAX.into(), &mut DepthCounts(&mut self.depths));
            }
            for &(start, gc) in take_first(&mut starts, group.records) {
                let position = i64::from(start);
                let is_new = self.bin_start == -1
                    || self.reference != group.reference
                    || position - self.bin_start > BIN;
                if is_new {
                    (self.reference, self.bin_start) = (group.reference, position);
                    self.bins.push(GcBin::default());
                }
                if let Some(bin) = self.bins.last_mut() {
                    bin.depth = bin.depth.wrapping_add(1);
                    bin.gc += gc;
                }
            }
            let own =
                (take_first(&mut changes, depths.changes), take_first(&mut counts, depths.counts));
            joint.add(own, depths, group.last, &mut DepthCounts(&mut self.depths));
            self.last_position = group.last.into();
        }
    }

    /// From here on the ring is needed: it takes the depths from the last record on.
    fn fill_ring(&mut self) {
        let Some(mut joint) = self.joint.take() else { return };
        let Pileup { ring, depths, last_position, .. } = self;
        let start = *last_position as u64;
        if self.reference != -1 {
            ring.position = *last_position;
        }
        let mut sink = RingFiller { start, counts: DepthCounts(depths), ring };
        joint.finish(u32::MAX.into(), &mut sink);
    }

    /// Whether there is a reference.
    pub fn has_reference(&self) -> bool {
        self.window.is_some()
    }

    /// Counts what is in the ring.
    pub(crate) fn finish(&mut self) {
        match &mut self.joint {
            Some(joint) => joint.finish(u32::MAX.into(), &mut DepthCounts(&mut self.depths)),
            None => self.ring.flush(-1, &mut self.depths),
        }
    }

    fn grow(&mut self, read_len: i64) {
        self.read_limit = 2 * (1 + read_len) - self.read_limit;
        self.ring.grow(5 * read_len as usize);
        if let Some(window) = &mut self.window {
            window.capacity = window.capacity.max(10 * self.read_limit);
        }
    }

    fn add_record(&mut self, own: &RecordParts<'_>) -> std::io::Result<()> {
        let record = own.record;
        let position = i64::from(record.position);
        if self.reference == record.reference && position < self.last_position {
            self.sorted = false;
        }
        self.last_position = position;
        if !self.sorted {
            return Ok(());
        }
        if self.reference == -1 || self.reference != record.reference {
            self.ring.flush(-1, &mut self.depths);
        }
        let new_bin = match &mut self.window {
            Some(window) => {
                let end = position + i64::from(record.len_with_deletions);
                let elsewhere = window.start == -1 || self.reference != record.reference;
                let held = window.start + window.len;
                let beyond_bin = self.bin_start + BIN < end;
                let read = elsewhere || held < end || (beyond_bin && held < position + BIN);
                if read {
                    if window.grows {
                        window.capacity = window.capacity.max(end - position);
                    }
                    window.len = window.bases.remaining(record.reference, position)?;
                    window.len = window.len.min(window.capacity);
                    window.start = position;
                    self.reference = record.reference;
                }
                let new_bin = elsewhere || held < end || beyond_bin;
                if new_bin {
                    self.bin_start = position;
                    let len = (window.start + window.len - position).min(BIN);
                    let gc = window.bases.gc(record.reference, position, len)?;
                    self.bins.push(GcBin { gc, depth: 0 });
                }
                new_bin
            }
            None => {
                let new_bin = self.bin_start == -1
                    || self.reference != record.reference
                    || position - self.bin_start > BIN;
                if new_bin {
                    self.reference = record.reference;
                    self.bin_start = position;
                    self.bins.push(GcBin::default());
                }
                new_bin
            }
        };
        debug_assert!(new_bin || self.bins.len() > 1, "the first record starts a bin");
        if let Some(bin) = self.bins.last_mut() {
            bin.depth = bin.depth.wrapping_add(1);
            if self.window.is_none() {
                bin.gc += record.gc;
            }
        }
        self.ring.flush(position, &mut self.depths);
        self.mismatches.add(own.mismatches);
        for &(from, to) in own.blocks {
            self.ring.cover(from, to);
        }
        Ok(())
    }
}

/// Counts positions by depth.
struct DepthCounts<'a>(&'a mut [u64]);

impl DepthCounts<'_> {
    fn add(&mut self, depth: u32, positions: u64) {
        if depth > 0 {
            self.0[(depth as usize).min(MAX_DEPTH + 1)] += positions;
        }
    }
}

impl DepthSink for DepthCounts<'_> {
    fn run(&mut self, run: DepthRun) {
        self.add(run.depth, run.len());
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        runs.counts().iter().for_each(|&(depth, positions)| self.add(depth, positions));
    }

    fn end(&mut self, _: usize, _: bool) {}
}

/// Counts positions before `start`, and gives the ring the depths of the others.
struct RingFiller<'a> {
    start: u64,
    counts: DepthCounts<'a>,
    ring: &'a mut Ring,
}

impl DepthSink for RingFiller<'_> {
    fn run(&mut self, run: DepthRun) {
        if run.depth == 0 {
            return;
        }
        self.counts.add(run.depth, run.to.min(self.start).saturating_sub(run.from));
        for position in run.from.max(self.start)..run.to {
            let place = self.ring.place(position as i64);
            // Not as deep: each is a record.
            self.ring.depths[place] = run.depth as i32;
        }
    }

    fn end(&mut self, _: usize, _: bool) {}
}

impl Ring {
    /// Where the depth of `position` is; the ring's size makes it wrap.
    fn place(&self, position: i64) -> usize {
        let size = self.depths.len();
        let ahead = position - self.position;
        // Most positions are in the ring, and a division takes its time.
        let ahead = if ahead < size as i64 { ahead as usize } else { ahead as usize % size };
        let place = self.start + ahead;
        if place < size { place } else { place - size }
    }

    /// Counts the depths before `position` and moves there; −1 counts all.
    fn flush(&mut self, position: i64, counts: &mut [u64]) {
        if position == self.position {
            return;
        }
        let size = self.depths.len() as i64;
        let passed_over = position == -1 || position - self.position >= size;
        let until = if passed_over { self.position + size - 1 } else { position };
        if until < self.position {
            return;
        }
        let (first, last) = (self.start, self.place(until - 1));
        if first > last {
            count(&mut self.depths[first..], counts);
            count(&mut self.depths[..=last], counts);
        } else {
            count(&mut self.depths[first..=last], counts);
        }
        self.start = if position == -1 { 0 } else { self.place(until) };
        self.position = position;
    }

    fn cover(&mut self, from: i64, to: i64) {
        if to - from > self.depths.len() as i64 || from < self.position {
            return;
        }
        let (first, last) = (self.place(from), self.place(to));
        let deepen = |depths: &mut [i32]| depths.iter_mut().for_each(|depth| *depth += 1);
        if first > last {
            deepen(&mut self.depths[first..]);
            deepen(&mut self.depths[..last]);
        } else {
            deepen(&mut self.depths[first..last]);
        }
    }

    /// Makes a ring of `size` places and moves the depths there, of which as many *bytes* are
    /// kept as there are places.
    fn grow(&mut self, size: usize) {
        let old: Vec<u8> = self.depths.iter().flat_map(|depth| depth.to_ne_bytes()).collect();
        let tail = self.depths.len() - self.start;
        let mut kept = vec![0u8; old.len()];
        kept[..tail].copy_from_slice(&old[4 * self.start..][..tail]);
        if self.start > 1 {
            kept[4 * tail..][..self.start].copy_from_slice(&old[..self.start]);
        }
        // Places that nothing lies on take no memory.
        self.depths = vec![0; size.max(self.depths.len())];
        for (depth, bytes) in self.depths.iter_mut().zip(kept.as_chunks::<4>().0) {
            *depth = i32::from_ne_bytes(*bytes);
        }
        self.depths.truncate(size);
        self.start = 0;
    }
}

fn count(depths: &mut [i32], counts: &mut [u64]) {
    for depth in depths {
        if *depth != 0 {
            let depth = std::mem::take(depth);
            // What is left of a depth may be anything.
            let class = if depth < 1 { 0 } else { (depth as usize).min(MAX_DEPTH + 1) };
            counts[class] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::alignments::in_order::Placed;
    use biofast_testkit::effort::times;
    use biofast_testkit::random::Random;

    /// Records as they come in a file that is sorted until `unsorted`.
    fn draw(random: &mut Random, number: usize, unsorted: usize) -> Vec<(Placed, Vec<(i64, i64)>)> {
        let (width, longest) = (1 + random.below(3000), [40, 140, 290, 700][random.below(4)]);
        let mut places: Vec<(i32, i32)> =
            (0..number).map(|_| (random.below(3) as i32, random.below(width) as i32)).collect();
        places[..unsorted].sort_unstable();
        let mut records = Vec::new();
        for (reference, position) in places {
            let mapped = !random.chance(10);
            let (mut at, mut blocks) = (i64::from(position), Vec::new());
            for _ in 0..usize::from(mapped) * (1 + random.below(3)) {
                let to = at + 1 + random.below(longest / 3) as i64;
                blocks.push((at, to));
                let skip = if random.chance(2) { 2_000 } else { 10 };
                at = to + random.below(skip) as i64;
            }
            let record = Placed {
                reference,
                position,
                unclipped_len: random.below(longest) as u32,
                len_with_deletions: 0,
                gc: random.below(100) as f32 / 100.0,
                blocks: blocks.len() as u32,
                mismatches: 0,
                mapped,
            };
            records.push((record, blocks));
        }
        records
    }

    #[test]
    fn depths_found_by_batch_are_those_of_the_ring() {
        let mut joined = 0;
        for seed in 1..=times(200).into() {
            let mut random = Random(seed);
            let number = random.below(400);
            let unsorted = if random.chance(20) { random.below(number + 1) } else { number };
            let records = draw(&mut random, number, unsorted);
            let version = SamtoolsVersion::default();
            let (mut found, mut expected) =
                (Pileup::new(version, None), Pileup::new(version, None));
            let mut rest = &records[..];
            while !rest.is_empty() {
                let len = random.below(90).min(rest.len());
                let own = take_first(&mut rest, len);
                let mut batch = InOrder::default();
                for (record, blocks) in own {
                    batch.records.push(*record);
                    batch.blocks.extend(blocks);
                }
                let mut pile = BatchPile::default();
                if !own.is_empty() {
                    pile.fill(&batch);
                }
                assert!(found.add(&batch, &pile).is_continue());
                assert!(expected.add(&batch, &BatchPile::default()).is_continue());
            }
            joined += usize::from(found.joint.is_some());
            found.finish();
            expected.finish();
            assert_eq!(found.depths, expected.depths, "seed {seed}");
            assert_eq!((found.bins, found.sorted), (expected.bins, expected.sorted), "seed {seed}");
        }
        assert!(joined > 10, "most are found by batch");
    }
}
