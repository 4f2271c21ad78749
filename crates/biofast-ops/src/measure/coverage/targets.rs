//! The depth of each target of a BED file, and of all of them together.

use biofast_bam::Header;

use super::regions::{RegionDepth, Regions};
use super::run::{DepthRun, DepthSink};
use super::{Distribution, Intervals};

/// A target and its depth.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDepth {
    /// The index of its reference in the header.
    pub reference: usize,
    /// The first position, from 0.
    pub start: u32,
    /// The first position behind it.
    pub end: u32,
    /// Its name in the BED file; empty if it has none.
    pub name: String,
    /// How deep its positions are on the average.
    pub mean: f64,
    /// How many positions have at least one aligned base.
    pub covered: u64,
}

impl TargetDepth {
    /// How many positions.
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> u64 {
        u64::from(self.end) - u64::from(self.start)
    }

    /// Covered positions among all, in percent.
    pub fn covered_percent(&self) -> f64 {
        100.0 * self.covered as f64 / self.len() as f64
    }
}

/// The depths of targets.
pub struct TargetDepths {
    references: Vec<(Vec<u8>, u64)>,
    intervals: Intervals,
    only: Option<Vec<u8>>,
    /// Those of the reference whose runs come, once there was one.
    current: Option<Regions>,
    reference: usize,
    targets: Vec<TargetDepth>,
    together: Distribution,
}

impl TargetDepths {
    /// For the intervals on the references of this header, or on the `only` one.
    pub fn new(header: &Header, intervals: Intervals, only: Option<&[u8]>) -> TargetDepths {
        let references = header.references().iter();
        TargetDepths {
            references: references.map(|one| (one.name.to_vec(), one.length)).collect(),
            intervals,
            only: only.map(<[u8]>::to_vec),
            current: None,
            reference: 0,
            targets: Vec::new(),
            together: Distribution::default(),
        }
    }

    /// The targets in the order of the header's references, and of their starts. Empty intervals aren't among them.
    pub fn targets(&self) -> &[TargetDepth] {
        &self.targets
    }

    /// The depths of all targets together: a position that several have counts for each.
    pub fn together(&self) -> &Distribution {
        &self.together
    }

    /// The name of a target's reference.
    pub fn reference(&self, target: &TargetDepth) -> &[u8] {
        self.references.get(target.reference).map_or(b"", |(name, _)| name)
    }

    /// Takes the regions of the reference, at its first run.
    fn regions(&mut self) -> Regions {
        self.current.take().unwrap_or_else(|| {
            let (name, length) = &self.references[self.reference];
            let is_wanted = self.only.as_ref().is_none_or(|only| only == name);
            let own = is_wanted.then(|| self.intervals.of(name, *length));
            Regions::new(own.into_iter().flatten(), &[1], false)
        })
    }

    fn add(&mut self, run: DepthRun) {
        let mut regions = self.regions();
        let (reference, targets) = (self.reference, &mut self.targets);
        regions.add(run, &mut self.together, |region| targets.extend(target(reference, &region)));
        self.current = Some(regions);
    }
}

impl DepthSink for TargetDepths {
    fn run(&mut self, run: DepthRun) {
        self.add(run);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        let length = self.references[reference].1;
        if !has_records && length > 0 {
            self.add(DepthRun { from: 0, to: length, depth: 0 });
        }
        let targets = &mut self.targets;
        if let Some(regions) = &mut self.current {
            regions.end(|region| targets.extend(target(reference, &region)));
        }
        self.current = None;
        self.reference = reference + 1;
    }
}

fn target(reference: usize, region: &RegionDepth) -> Option<TargetDepth> {
    let interval = &region.interval;
    (interval.start < interval.end).then(|| TargetDepth {
        reference,
        start: interval.start,
        end: interval.end,
        name: String::from_utf8_lossy(&interval.name).into_owned(),
        mean: region.depth(),
        covered: region.counts.first().copied().unwrap_or(0),
    })
}
