//! The steps of the depth over the positions that lie ahead, and the runs made of them.

use std::collections::BTreeMap;

use super::run::DepthRun;

/// Positions whose steps are in a ring; those further ahead are in a tree.
const SIZE: usize = 1 << 16;

/// By how much each position's depth is above that of the one before: an alignment costs two additions, however long it is.
#[derive(Debug)]
pub(super) struct DepthWindow {
    /// Runs before this position are complete, up to the open one.
    start: u64,
    /// Where the open run starts, and its depth.
    run_start: u64,
    depth: u32,
    /// The step at a position, at that modulo [`SIZE`]. Sums wrap, as all are differences of depths.
    steps: Box<[u32; SIZE]>,
    /// No step of the ring lies at or behind this position.
    near: u64,
    /// Steps behind the ring.
    far: BTreeMap<u64, u32>,
}

impl Default for DepthWindow {
    fn default() -> DepthWindow {
        DepthWindow {
            start: 0,
            run_start: 0,
            depth: 0,
            steps: Box::new([0; SIZE]),
            near: 0,
            far: BTreeMap::new(),
        }
    }
}

/// Steps that are looked at together.
const GROUP: usize = 16;

impl DepthWindow {
    /// Adds a step, at the start of the window or behind it.
    #[inline]
    pub(super) fn step(&mut self, at: u64, by: i32) {
        debug_assert!(at >= self.start, "records come in order");
        if at - self.start < SIZE as u64 {
            let step = &mut self.steps[at as usize % SIZE];
            *step = step.wrapping_add(by as u32);
            self.near = self.near.max(at + 1);
        } else {
            let step = self.far.entry(at).or_default();
            *step = step.wrapping_add(by as u32);
        }
    }

    /// Gives the runs that end before `to`, where nothing can change any more, and moves the window there.
    #[inline]
    pub(super) fn advance(&mut self, to: u64, each: &mut impl FnMut(DepthRun)) {
        if self.start < to {
            self.advance_far(to, each);
        }
    }

    fn advance_far(&mut self, to: u64, each: &mut impl FnMut(DepthRun)) {
        while self.start < to {
            let until = to.min(self.near);
            if self.start < until {
                self.scan(until, each);
                self.start = until;
            }
            if self.start < to {
                // The ring is empty.
                let next = self.far.first_key_value().map_or(to, |(&at, _)| at.min(to));
                self.start = next.max(self.start);
            }
            self.fetch_far();
            if self.near <= self.start && self.far.is_empty() {
                self.start = self.start.max(to);
            }
        }
    }

    /// Takes up the steps that have come near.
    fn fetch_far(&mut self) {
        while let Some(entry) = self.far.first_entry()
            && *entry.key() - self.start < SIZE as u64
        {
            let (at, by) = entry.remove_entry();
            self.step(at, by as i32);
        }
    }

    /// Looks at the steps before `until`.
    fn scan(&mut self, until: u64, each: &mut impl FnMut(DepthRun)) {
        let mut at = self.start;
        while at < until {
            let first = at as usize % SIZE;
            let len = ((until - at) as usize).min(SIZE - first);
            let (run_start, depth) = (&mut self.run_start, &mut self.depth);
            let steps = &mut self.steps[first..first + len];
            for (group, base) in steps.chunks_mut(GROUP).zip((at..).step_by(GROUP)) {
                // Of little depth most positions have none.
                if group.iter().fold(0, |all, step| all | *step) == 0 {
                    continue;
                }
                for (step, position) in group.iter_mut().zip(base..) {
                    if *step != 0 {
                        if *run_start < position {
                            each(DepthRun { from: *run_start, to: position, depth: *depth });
                            *run_start = position;
                        }
                        *depth = depth.wrapping_add(std::mem::take(step));
                    }
                }
            }
            at += len as u64;
        }
    }

    /// Gives all runs of a reference of `length` positions, and begins the next one.
    pub(super) fn finish(&mut self, length: u64, each: &mut impl FnMut(DepthRun)) {
        self.advance(length, each);
        if self.run_start < length {
            each(DepthRun { from: self.run_start, to: length, depth: self.depth });
        }
        // What ends with the reference steps down behind it.
        for at in self.start..self.near {
            self.steps[at as usize % SIZE] = 0;
        }
        self.far.clear();
        (self.start, self.run_start, self.depth, self.near) = (0, 0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_agree_with_counting_every_position(
            mut stretches in prop::collection::vec((0u64..3000, 0u64..150_000, 1u64..300), 0..60),
            length in 1u64..160_000,
        ) {
            stretches.sort_unstable();
            let mut window = DepthWindow::default();
            // The second reference starts with what the first has left.
            for _ in 0..2 {
                let mut depths = vec![0; length as usize];
                let mut found = Vec::new();
                for &(position, gap, len) in &stretches {
                    window.advance(position.min(length), &mut |run| found.push(run));
                    for (from, len) in [(position, len), (position + gap, 2 * len)] {
                        let (from, to) = (from.min(length), (from + len).min(length));
                        window.step(from, 1);
                        window.step(to, -1);
                        depths[from as usize..to as usize].iter_mut().for_each(|depth| *depth += 1);
                    }
                }
                window.finish(length, &mut |run| found.push(run));
                let spread: Vec<u32> =
                    found.iter().flat_map(|run| (run.from..run.to).map(|_| run.depth)).collect();
                prop_assert!(spread == depths);
                let joined = |two: &[DepthRun]| two[0].to == two[1].from && two[0].depth != two[1].depth;
                prop_assert!(found.windows(2).all(joined));
            }
        }
    }
}
