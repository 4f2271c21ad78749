//! How deep the reference is covered, from records in the order of their positions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::in_order::{InOrder, Own};
use super::partial::{Kind, Partial, Place, kept_until};
use super::runs::Runs;

/// Depths from this one on are counted together.
pub(crate) const MAX_DEPTH: usize = 1000;

/// Positions whose depth is still growing, and one behind them. Blocks that reach further wait.
const WINDOW: usize = 1 << 16;

/// How far records go before the positions behind them are counted.
const STRIDE: i64 = WINDOW as i64 / 4;

/// The depth of coverage: how many aligned bases lie on a position. Secondary alignments are left
/// out, deletions and skipped stretches count nothing.
#[derive(Clone, Debug)]
pub(crate) struct Depth {
    reference: i32,
    /// The first position of the window.
    start: i64,
    /// The depth before that position.
    depth: u32,
    /// By how much the depth of a position, at that modulo [`WINDOW`], is above the one before: a block costs two
    /// additions, however long it is. Sums wrap, as all are differences of depths.
    steps: Box<[u32; WINDOW]>,
    /// The end of the last block in the window.
    reach: i64,
    /// Blocks, or ends of blocks, beyond the window.
    later: BinaryHeap<Reverse<(i64, i64)>>,
    /// The position of the last record.
    last: (u32, i32),
    sorted: bool,
    /// Positions by depth; the first entry stays 0.
    positions: Box<[u64; MAX_DEPTH + 1]>,
    /// Covered positions and aligned bases of each reference.
    by_reference: Vec<(u64, u64)>,
    /// The place of the first record.
    first: Option<Place>,
    kept: Option<Kept>,
}

/// The depths that are kept for other parts.
#[derive(Clone, Debug)]
struct Kept {
    kind: Kind,
    /// Whether all records have come, so that what is left lies behind the last one.
    at_end: bool,
    runs: Runs,
}

/// What became of [`Depth`].
#[derive(Clone)]
pub(crate) struct Depths {
    /// Positions by depth, those of [`MAX_DEPTH`] and more in the last entry; the first entry is 0.
    pub(crate) positions: Box<[u64; MAX_DEPTH + 1]>,
    /// Covered positions and aligned bases of each reference.
    pub(crate) by_reference: Vec<(u64, u64)>,
}

impl Depths {
    /// Covered positions and aligned bases of a reference.
    pub(crate) fn of_reference(&self, index: usize) -> (u64, u64) {
        self.by_reference.get(index).copied().unwrap_or_default()
    }
}

impl Default for Depth {
    fn default() -> Self {
        Depth {
            reference: -1,
            start: 0,
            depth: 0,
            steps: Box::new([0; WINDOW]),
            reach: 0,
            later: BinaryHeap::new(),
            last: (0, 0),
            sorted: true,
            positions: Box::new([0; MAX_DEPTH + 1]),
            by_reference: Vec::new(),
            first: None,
            kept: None,
        }
    }
}

impl Depth {
    /// The depth of a part, whose [`Partial`] is wanted.
    pub(crate) fn of_part(kind: Kind) -> Depth {
        let kept = Some(Kept { kind, at_end: false, runs: Runs::default() });
        Depth { kept, ..Depth::default() }
    }

    /// Adds the records of the next chunk.
    pub(crate) fn add(&mut self, records: &InOrder) {
        if let (None, Some(record)) = (self.first, records.records.first()) {
            self.first = Some((record.reference, record.position));
        }
        records.each(|Own { record, blocks, .. }| {
            // Without a reference comes last: −1 as the largest unsigned number.
            let place = (record.reference as u32, record.position);
            self.sorted &= place >= self.last;
            self.last = place;
            if !record.mapped || !self.sorted || record.reference < 0 {
                return;
            }
            if record.reference != self.reference {
                self.flush(i64::MAX);
                self.reference = record.reference;
                self.start = 0;
                self.reach = 0;
            }
            // Counting many positions at once costs less than a few for each record.
            let position = i64::from(record.position);
            if position - self.start >= STRIDE {
                self.flush(position);
            }
            for &(from, to) in blocks {
                // A mapped record without a position would start before the reference; others go on behind its end.
                self.cover(from.min(record.length).max(self.start), to.min(record.length));
            }
        });
    }

    /// The figures, unless records were out of order; and what a part carries for others.
    pub(crate) fn finish(mut self) -> (Option<Depths>, Option<Partial>) {
        let last = (self.last.0 as i32, self.last.1);
        if last.0 == self.reference {
            self.flush(i64::from(last.1));
            if let Some(kept) = &mut self.kept {
                kept.at_end = true;
            }
        }
        self.flush(i64::MAX);
        let partial = self.kept.map(|Kept { kind, runs, .. }| {
            let depths = if self.sorted { runs.finish() } else { Vec::new() };
            Partial::new(kind, self.first, self.first.map(|_| last), depths)
        });
        let depths = Depths { positions: self.positions, by_reference: self.by_reference };
        (self.sorted.then_some(depths), partial)
    }

    /// Up to where the depths of this reference are kept.
    fn kept_until(&self) -> i64 {
        match (&self.kept, self.first) {
            (Some(Kept { at_end: true, .. } | Kept { kind: Kind::Lane, .. }), _) => i64::MAX,
            (Some(_), Some(first)) if first.0 == self.reference => i64::from(kept_until(first)),
            _ => 0,
        }
    }

    /// The end of the window; what a block takes back there needs a place, too.
    fn end(&self) -> i64 {
        self.start + WINDOW as i64 - 1
    }

    /// Adds a block, which doesn't start before the window.
    fn cover(&mut self, from: i64, to: i64) {
        let end = self.end();
        let near = to.min(end);
        if from < near {
            self.reach = self.reach.max(near);
            let (rise, fall) = (from as usize % WINDOW, near as usize % WINDOW);
            self.steps[rise] = self.steps[rise].wrapping_add(1);
            self.steps[fall] = self.steps[fall].wrapping_sub(1);
        }
        if to > end {
            self.later.push(Reverse((from.max(end), to)));
        }
    }

    /// Counts the positions before `position` and moves the window there.
    fn flush(&mut self, position: i64) {
        while self.start < position {
            let until = position.min(self.reach);
            let kept = until.min(self.kept_until());
            if self.start < kept {
                self.count::<true>(kept);
                self.start = kept;
            }
            if self.start < until {
                self.count::<false>(until);
                self.start = until;
            }
            match self.later.peek() {
                None => {
                    self.start = position;
                    break;
                }
                // Nothing is left in the window.
                Some(&Reverse((from, _))) if self.start >= self.reach => {
                    self.start = position.min(from.max(self.start));
                }
                Some(_) => {}
            }
            self.fetch_later();
        }
    }

    /// Takes up the blocks that have come near.
    fn fetch_later(&mut self) {
        while let Some(&Reverse((from, to))) = self.later.peek()
            && from < self.end()
        {
            self.later.pop();
            self.cover(from.max(self.start), to);
        }
    }

    /// Counts the positions before `until`, which is not beyond `reach`, and keeps their depths if they are `KEPT`.
    fn count<const KEPT: bool>(&mut self, until: i64) {
        let at = self.start as usize % WINDOW;
        let len = (until - self.start) as usize;
        let straight = len.min(WINDOW - at);
        let (mut covered, mut bases) = (0u64, 0u64);
        let mut depth = self.depth;
        let positions = &mut self.positions;
        let (kept, mut at_position) = (&mut self.kept, self.start);
        let mut count = |depth: u32, len: u64| {
            if KEPT && let Some(kept) = kept {
                kept.runs.push(self.reference as u32, at_position, len, depth);
                at_position += len as i64;
            }
            positions[(depth as usize).min(MAX_DEPTH)] += len;
            covered += if depth > 0 { len } else { 0 };
            bases += u64::from(depth) * len;
        };
        let (low, high) = self.steps.split_at_mut(at);
        for steps in [&mut high[..straight], &mut low[..len - straight]] {
            let (eights, rest) = steps.as_chunks_mut::<8>();
            for steps in eights {
                // Where coverage is low, most positions are as deep as the one before.
                if steps.iter().fold(0, |any, step| any | step) == 0 {
                    count(depth, 8);
                    continue;
                }
                for step in std::mem::take(steps) {
                    depth = depth.wrapping_add(step);
                    count(depth, 1);
                }
            }
            for step in rest {
                depth = depth.wrapping_add(std::mem::take(step));
                count(depth, 1);
            }
        }
        self.positions[0] = 0;
        if until == self.reach {
            // Where the last block ends; the window may go anywhere from here.
            depth = depth.wrapping_add(std::mem::take(&mut self.steps[until as usize % WINDOW]));
            debug_assert_eq!(depth, 0, "nothing reaches beyond `reach`");
        }
        self.depth = depth;
        let reference = self.reference as usize;
        if self.by_reference.len() <= reference {
            self.by_reference.resize(reference + 1, (0, 0));
        }
        self.by_reference[reference].0 += covered;
        self.by_reference[reference].1 += bases;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::in_order::Placed;
    use super::*;
    use proptest::prelude::*;

    fn placed(reference: i32, position: i32, blocks: u32) -> Placed {
        Placed {
            reference,
            position,
            length: i64::MAX,
            unclipped_len: 0,
            len_with_deletions: 0,
            gc: 0.0,
            blocks,
            mismatches: 0,
            mapped: true,
        }
    }

    proptest! {
        #[test]
        fn depths_agree_with_counting_every_base(
            mut reads in prop::collection::vec(
                (
                    0i32..3,
                    prop_oneof![0i32..2000, 0i32..200_000],
                    prop::collection::vec((0i64..90_000, 1i64..300), 1..4),
                ),
                0..60,
            ),
            chunk in 1usize..20,
        ) {
            reads.sort_by_key(|(reference, position, _)| (*reference, *position));
            let mut expected = std::collections::BTreeMap::<(i32, i64), u64>::new();
            let mut depth = Depth::default();
            for chunk in reads.chunks(chunk) {
                let mut records = InOrder::default();
                for (reference, position, blocks) in chunk {
                    let mut at = i64::from(*position);
                    // The first block starts at the position, the others after a gap.
                    for (n, &(gap, len)) in blocks.iter().enumerate() {
                        at += if n == 0 { 0 } else { gap };
                        records.blocks.push((at, at + len));
                        (at..at + len).for_each(|p| *expected.entry((*reference, p)).or_default() += 1);
                        at += len;
                    }
                    records.records.push(placed(*reference, *position, blocks.len() as u32));
                }
                depth.add(&records);
            }
            let Depths { positions, by_reference } = depth.finish().0.unwrap();
            let mut by_depth = [0; MAX_DEPTH + 1];
            let mut sums = [(0, 0); 3];
            for ((reference, _), n) in expected {
                by_depth[n as usize] += 1;
                sums[reference as usize].0 += 1;
                sums[reference as usize].1 += n;
            }
            prop_assert_eq!(&positions[..], &by_depth[..]);
            for (reference, sum) in sums.iter().enumerate() {
                let found = by_reference.get(reference).copied().unwrap_or((0, 0));
                prop_assert_eq!(found, *sum);
            }
        }
    }

    #[test]
    fn records_out_of_order_are_noticed() {
        let mut records = InOrder::default();
        records.records.extend([placed(0, 5, 0), placed(0, 4, 0)]);
        let mut depth = Depth::default();
        depth.add(&records);
        assert!(depth.finish().0.is_none());
    }
}
