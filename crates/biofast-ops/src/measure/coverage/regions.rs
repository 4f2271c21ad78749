//! The depth of intervals, from runs.

use std::collections::VecDeque;

use super::run::DepthRun;
use super::{Distribution, Interval};

/// Depths from this one on are one of a median.
const DEEPEST_MEDIAN: u32 = 65_535;

/// The intervals of a reference while its runs come.
pub struct Regions {
    upcoming: std::iter::Peekable<Box<dyn Iterator<Item = Interval> + Send>>,
    active: VecDeque<RegionDepth>,
    /// What is to be counted of each.
    thresholds: Vec<u32>,
    median: bool,
}

/// An interval with its depth.
pub struct RegionDepth {
    pub interval: Interval,
    /// The mean so far.
    mean: f64,
    /// How many positions are at least as deep as each threshold.
    pub counts: Vec<u64>,
    /// Positions by depth, for the median.
    by_depth: Option<Vec<u64>>,
}

impl Regions {
    pub fn new(
        upcoming: impl Iterator<Item = Interval> + Send + 'static,
        thresholds: &[u32],
        median: bool,
    ) -> Regions {
        let upcoming: Box<dyn Iterator<Item = Interval> + Send> = Box::new(upcoming);
        Regions {
            upcoming: upcoming.peekable(),
            active: VecDeque::new(),
            thresholds: thresholds.to_vec(),
            median,
        }
    }

    /// Adds a run, also to `all` for each interval, and gives those that are complete.
    pub fn add(
        &mut self,
        run: DepthRun,
        all: &mut Distribution,
        mut each: impl FnMut(RegionDepth),
    ) {
        while let Some(interval) = self.upcoming.next_if(|next| u64::from(next.start) < run.to) {
            self.begin(interval);
        }
        for region in &mut self.active {
            let (start, end) = (region.interval.start.into(), region.interval.end.into());
            let part = DepthRun { from: run.from.max(start), to: run.to.min(end), ..run };
            if part.from < part.to {
                all.add(part);
                region.add(part, &self.thresholds);
            }
        }
        while let Some(front) = self.active.front()
            && u64::from(front.interval.end) <= run.to
        {
            self.active.pop_front().into_iter().for_each(&mut each);
        }
    }

    fn begin(&mut self, interval: Interval) {
        self.active.push_back(RegionDepth {
            interval,
            mean: 0.0,
            counts: vec![0; self.thresholds.len()],
            by_depth: self.median.then(Vec::new),
        });
    }

    /// Gives those that are left at the end of the reference.
    pub fn end(&mut self, each: impl FnMut(RegionDepth)) {
        while let Some(interval) = self.upcoming.next() {
            self.begin(interval);
        }
        self.active.drain(..).for_each(each);
    }
}

impl RegionDepth {
    fn add(&mut self, run: DepthRun, thresholds: &[u32]) {
        for (count, &threshold) in self.counts.iter_mut().zip(thresholds) {
            if run.depth < threshold {
                break;
            }
            *count += run.len();
        }
        match &mut self.by_depth {
            Some(by_depth) => {
                let depth = run.depth.min(DEEPEST_MEDIAN) as usize;
                if depth >= by_depth.len() {
                    by_depth.resize(depth + 1, 0);
                }
                by_depth[depth] += run.len();
            }
            None if run.depth > 0 => {
                // Position by position, as the sum is rounded each time: in mosdepth, too.
                let length = f64::from(self.interval.end - self.interval.start);
                let share = f64::from(run.depth) / length;
                for _ in 0..run.len() {
                    self.mean += share;
                }
            }
            None => {}
        }
    }

    /// Its mean, or the median if that is wanted.
    pub fn depth(&self) -> f64 {
        let Some(by_depth) = &self.by_depth else { return self.mean };
        let half = by_depth.iter().sum::<u64>().div_ceil(2);
        let mut sum = 0;
        let found = by_depth.iter().position(|positions| {
            sum += positions;
            sum >= half
        });
        found.unwrap_or(0) as f64
    }
}
