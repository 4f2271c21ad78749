//! How many positions have which depth.

use biofast_bam::Header;

use super::{Depths, Run};

/// Depths from this one on are counted together, by mosdepth as one less than ten below it.
const MAX_DEPTH: u32 = 400_000;

/// Positions by depth, and their sums: of a reference, of regions, or of all.
///
/// ```
/// use biofast_ops::coverage::{Distribution, Run};
///
/// let mut depths = Distribution::default();
/// depths.add(Run { from: 0, to: 90, depth: 0 });
/// depths.add(Run { from: 90, to: 100, depth: 30 });
/// assert_eq!((depths.mean(), depths.median(), depths.at_least(20)), (3.0, 0, 10));
/// ```
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
    pub fn add(&mut self, run: Run) {
        let class = match run.depth > MAX_DEPTH {
            true => MAX_DEPTH - 10,
            false => run.depth,
        } as usize;
        if class >= self.by_depth.len() {
            self.by_depth.resize(class + 1, 0);
        }
        self.by_depth[class] += run.len();
        self.bases += run.len() * u64::from(run.depth);
        self.min = Some(self.min.map_or(run.depth, |min| min.min(run.depth)));
        self.max = self.max.max(run.depth);
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

impl Depths for Distribution {
    fn run(&mut self, run: Run) {
        self.add(run);
    }

    fn end(&mut self, _reference: usize, _has_records: bool) {}
}

/// A [`Distribution`] for each reference.
///
/// ```
/// use biofast_bam::Header;
/// use biofast_ops::coverage::{Collector, PerReference};
///
/// let header = Header::from_text(b"@SQ\tSN:c\tLN:99\n")?;
/// let collector = Collector::new(&header, PerReference::new(&header));
/// // Without records, every position has depth 0.
/// assert_eq!(collector.finish().finish()[0].at_least(0), 99);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
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

impl Depths for PerReference {
    fn run(&mut self, run: Run) {
        self.current.add(run);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        let length = self.lengths[reference];
        if !has_records && length > 0 {
            self.current.add(Run { from: 0, to: length, depth: 0 });
        }
        self.complete.push(std::mem::take(&mut self.current));
    }
}
