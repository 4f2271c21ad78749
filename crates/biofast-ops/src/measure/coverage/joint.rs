//! Depths of batches added up in their order, where records of one reach into the next.

use super::changes::GroupDepths;
use super::run::{DepthChange, DepthRun, DepthSink, RunBatch};

/// The depth along a reference, up to the start of the last record so far.
#[derive(Debug, Default)]
pub(crate) struct JointDepth {
    /// Where the open run starts, and its depth.
    run_start: u32,
    depth: u32,
    /// The depth that records of batches before have here, and by how much it changes further on, in the order of positions.
    /// Sums wrap, as all are differences of depths.
    before: u32,
    ahead: Vec<(u32, u32)>,
    is_ahead_sorted: bool,
    /// Buffer for what lies ahead.
    merged: Vec<(u32, u32)>,
    /// Buffer for positions by depth.
    counts: Vec<(u32, u64)>,
}

impl JointDepth {
    /// Adds a step ahead, where mates of different batches overlap.
    pub(super) fn step(&mut self, at: u64, by: i32) {
        // Positions of references of BAM.
        self.ahead.push((at as u32, by as u32));
        self.is_ahead_sorted = false;
    }

    /// Adds the depths of a batch, and gives the runs that end before the start of its `last` record.
    pub(crate) fn add(
        &mut self,
        (changes, counts): (&[DepthChange], &[(u32, u64)]),
        found: &GroupDepths,
        last: u32,
        sink: &mut impl DepthSink,
    ) {
        if !self.is_ahead_sorted {
            self.ahead.sort_unstable_by_key(|step| step.0);
            self.is_ahead_sorted = true;
        }
        let (mut own, mut step, mut depth) = (0, 0, 0u32);
        loop {
            let next = self.ahead.get(step).map_or(last, |step| step.0.min(last));
            if self.before == 0 {
                // Only records of this batch lie here.
                let to = own + changes[own..].partition_point(|change| change.at < next);
                if own < to {
                    self.take(&changes[..to], own, (found.counted, counts), sink);
                    depth = self.depth;
                    own = to;
                }
            }
            let at = changes.get(own).map_or(next, |change| change.at.min(next));
            if at >= last {
                break;
            }
            if let Some(change) = changes.get(own).filter(|change| change.at == at) {
                depth = change.depth;
                own += 1;
            }
            while let Some((_, by)) = self.ahead.get(step).filter(|step| step.0 == at) {
                self.before = self.before.wrapping_add(*by);
                step += 1;
            }
            self.change(at, self.before.wrapping_add(depth), sink);
        }
        self.keep(step, &changes[own..], depth);
    }

    /// Goes over changes from `own` on, where their depths are those of all records.
    fn take(
        &mut self,
        changes: &[DepthChange],
        mut own: usize,
        ((from, to), counts): ((usize, usize), &[(u32, u64)]),
        sink: &mut impl DepthSink,
    ) {
        let end = changes.len();
        let is_counted = own <= from && from + 1 < to && to <= end;
        // Records from before that reach further than was likely: the counts are of others, too.
        let (from, to) = if is_counted { (from, to) } else { (own, end) };
        while own <= from.min(end - 1) {
            let DepthChange { at, depth } = changes[own];
            self.change(at, depth, sink);
            own += 1;
        }
        if from + 1 < to {
            let own = &changes[from..to];
            self.counts.clear();
            if !is_counted {
                let runs =
                    own.windows(2).map(|two| (two[0].depth, u64::from(two[1].at - two[0].at)));
                self.counts.extend(runs);
            }
            let counts = if is_counted { counts } else { &self.counts };
            sink.batch(&RunBatch { changes: own, counts });
            let last = own[own.len() - 1];
            (self.run_start, self.depth) = (last.at, last.depth);
        }
        for &DepthChange { at, depth } in &changes[to.max(own)..] {
            self.change(at, depth, sink);
        }
    }

    /// The depth is another one from here on.
    #[inline]
    fn change(&mut self, at: u32, depth: u32, sink: &mut impl DepthSink) {
        if depth != self.depth {
            if self.run_start < at {
                sink.run(DepthRun {
                    from: self.run_start.into(),
                    to: at.into(),
                    depth: self.depth,
                });
                self.run_start = at;
            }
            self.depth = depth;
        }
    }

    /// Keeps what lies ahead: the steps from this number on, and changes from this depth on.
    fn keep(&mut self, step: usize, changes: &[DepthChange], mut depth: u32) {
        self.before = self.before.wrapping_add(depth);
        self.merged.clear();
        let mut steps = self.ahead[step..].iter().copied().peekable();
        for change in changes {
            while let Some(step) = steps.next_if(|step| step.0 <= change.at) {
                self.merged.push(step);
            }
            self.merged.push((change.at, change.depth.wrapping_sub(depth)));
            depth = change.depth;
        }
        self.merged.extend(steps);
        std::mem::swap(&mut self.ahead, &mut self.merged);
    }

    /// Gives all runs of a reference of `length` positions, and begins the next one.
    pub(crate) fn finish(&mut self, length: u64, sink: &mut impl DepthSink) {
        let last = u32::try_from(length).unwrap_or(u32::MAX);
        self.add((&[], &[]), &GroupDepths::default(), last, sink);
        if u64::from(self.run_start) < length {
            sink.run(DepthRun { from: self.run_start.into(), to: length, depth: self.depth });
        }
        self.ahead.clear();
        (self.run_start, self.depth, self.before) = (0, 0, 0);
    }
}
