//! How many positions have which depth.

use biofast_bam::Header;

use super::run::{DepthRun, DepthSink, RunBatch};

/// Depths from this one on are counted together, by mosdepth as one less than ten below it.
const MAX_DEPTH: u32 = 400_000;

/// The number of positions at each depth, and their sums: of a reference, of regions, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Positions by depth, up to the deepest one.
    by_depth: Vec<u64>,
    bases: u64,
    min: Option<u32>,
    max: u32,
}

impl Distribution {
    /// Adds positions.
    #[inline]
    pub fn add(&mut self, run: DepthRun) {
        self.add_positions(run.depth, run.len());
    }

    /// Adds the positions of many runs.
    #[doc(hidden)]
    pub fn add_batch(&mut self, runs: &RunBatch<'_>) {
        runs.counts().iter().for_each(|&(depth, positions)| self.add_positions(depth, positions));
    }

    #[inline]
    fn add_positions(&mut self, depth: u32, positions: u64) {
        let class = if depth > MAX_DEPTH { MAX_DEPTH - 10 } else { depth } as usize;
        if class >= self.by_depth.len() {
            self.by_depth.resize(class + 1, 0);
        }
        self.by_depth[class] += positions;
        self.bases += positions * u64::from(depth);
        self.min = Some(self.min.map_or(depth, |min| min.min(depth)));
        self.max = self.max.max(depth);
    }

    /// Adds what another one counted.
    pub fn merge(&mut self, other: &Distribution) {
        let Distribution { by_depth, bases, min, max } = other;
        self.by_depth.resize(self.by_depth.len().max(by_depth.len()), 0);
        self.by_depth.iter_mut().zip(by_depth).for_each(|(mine, theirs)| *mine += theirs);
        self.bases += bases;
        self.min = match (self.min, *min) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        self.max = self.max.max(*max);
    }

    /// How many positions.
    pub fn positions(&self) -> u64 {
        self.by_depth.iter().sum()
    }

    /// How many aligned bases lie on them.
    pub fn bases(&self) -> u64 {
        self.bases
    }

    /// How many bases lie on a position, on the average; 0 of none.
    pub fn mean(&self) -> f64 {
        match self.positions() {
            0 => 0.0,
            positions => self.bases as f64 / positions as f64,
        }
    }

    /// The depth that half of the positions have at most.
    pub fn median(&self) -> u32 {
        let half = self.positions().div_ceil(2);
        let mut sum = 0;
        let found = self.by_depth.iter().position(|positions| {
            sum += positions;
            sum >= half
        });
        found.unwrap_or(0) as u32
    }

    /// The smallest depth; 0 of no positions.
    pub fn min(&self) -> u32 {
        self.min.unwrap_or(0)
    }

    /// The largest depth.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// How many positions have at least this depth.
    pub fn at_least(&self, depth: u32) -> u64 {
        self.by_depth.iter().skip(depth as usize).sum()
    }

    /// Positions by depth, those deeper than 400,000 together as 399,990.
    pub fn by_depth(&self) -> &[u64] {
        &self.by_depth
    }
}

impl DepthSink for Distribution {
    fn run(&mut self, run: DepthRun) {
        self.add(run);
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        self.add_batch(runs);
    }

    fn end(&mut self, _reference: usize, _has_records: bool) {}
}

/// A [`Distribution`] for each reference.
#[derive(Clone, Debug)]
pub struct PerReference {
    lengths: Vec<u64>,
    complete: Vec<Distribution>,
    current: Distribution,
}

impl PerReference {
    /// For the references of this header.
    pub fn new(header: &Header) -> PerReference {
        let lengths = header.references().iter().map(|reference| reference.length).collect();
        PerReference { lengths, complete: Vec::new(), current: Distribution::default() }
    }

    /// Those of all references.
    pub fn finish(self) -> Vec<Distribution> {
        self.complete
    }
}

impl DepthSink for PerReference {
    fn run(&mut self, run: DepthRun) {
        self.current.add(run);
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        self.current.add_batch(runs);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        let length = self.lengths[reference];
        if !has_records && length > 0 {
            self.current.add(DepthRun { from: 0, to: length, depth: 0 });
        }
        self.complete.push(std::mem::take(&mut self.current));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As mosdepth does, which has an array of 400,000 classes.
    #[test]
    fn the_deepest_positions_are_one_class_and_count_as_deep_as_they_are() {
        let mut all = Distribution::default();
        for (from, to, depth) in [(0, 4, 0), (4, 5, MAX_DEPTH), (5, 8, MAX_DEPTH + 1), (8, 9, 7)] {
            all.add(DepthRun { from, to, depth });
        }
        let class = |depth: u32| all.by_depth[depth as usize];
        assert_eq!([0, 7, MAX_DEPTH - 10, MAX_DEPTH].map(class), [4, 1, 3, 1]);
        assert_eq!(all.by_depth.len(), MAX_DEPTH as usize + 1);
        assert_eq!((all.min, all.max), (Some(0), MAX_DEPTH + 1));
        assert_eq!(all.bases, u64::from(MAX_DEPTH) * 4 + 3 + 7);
    }
}
