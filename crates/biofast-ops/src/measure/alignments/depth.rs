//! How deep the references are covered: the depths of [`coverage`](crate::measure::coverage), by its rules, counted by depth.

use biofast_bam::Header;
use biofast_io::{Location, Options, Warning};

use super::partial::{PartKind, PartialAlignments, ReferencePosition, kept_until};
use super::runs::DepthRuns;
use crate::measure::coverage::{self, DepthCollector, DepthRun, MateSeam, RunBatch, Spans};

/// Depths from this one on are counted together.
pub(crate) const MAX_DEPTH: usize = 1000;

/// Positions by depth.
#[derive(Clone, Debug)]
pub(crate) struct DepthHistogram {
    /// Positions by depth, those of [`MAX_DEPTH`] and more in the last entry; the first entry is 0.
    pub(crate) positions: Box<[u64; MAX_DEPTH + 1]>,
    /// Covered positions and the sum of their depths, of each reference.
    pub(crate) by_reference: Vec<(u64, u64)>,
}

impl Default for DepthHistogram {
    fn default() -> DepthHistogram {
        DepthHistogram { positions: Box::new([0; MAX_DEPTH + 1]), by_reference: Vec::new() }
    }
}

impl DepthHistogram {
    /// Covered positions and the sum of their depths.
    pub(crate) fn of_reference(&self, index: usize) -> (u64, u64) {
        self.by_reference.get(index).copied().unwrap_or_default()
    }
}

/// Counts the depths of sorted records.
pub(crate) struct SortedDepth {
    /// None from the first record out of order on.
    collector: Option<DepthCollector<Counter>>,
    first: Option<ReferencePosition>,
    part: Option<PartKind>,
    /// Records that extend past the end of their reference: the number of the first one, from 0, and how many.
    beyond: Option<(u64, u64)>,
}

impl SortedDepth {
    /// For the records of a whole, or of a part, whose [`PartialAlignments`] is wanted.
    pub(crate) fn new(header: &Header, part: Option<PartKind>) -> SortedDepth {
        let kept = part.map(|kind| PartDepths {
            kind,
            first: None,
            last: None,
            runs: DepthRuns::default(),
        });
        let mut collector = DepthCollector::new(header, Counter { kept, ..Counter::default() });
        if part == Some(PartKind::Shard) {
            collector.keep_edge();
        }
        SortedDepth { collector: Some(collector), first: None, part, beyond: None }
    }

    /// Adds the records of the next chunk.
    pub(crate) fn add(&mut self, spans: &Spans) {
        if let Some((number, count)) = spans.beyond() {
            self.beyond.get_or_insert((number, 0)).1 += count;
        }
        let Some(collector) = &mut self.collector else { return };
        if self.first.is_none()
            && let Some(first) = spans.first_place()
        {
            self.first = Some(first);
            if let Some(kept) = &mut collector.depths_mut().kept {
                kept.first = Some(first);
            }
        }
        if collector.take(spans).is_err() {
            self.collector = None;
        }
    }

    /// The depths, unless records were out of order; and what a part carries for others.
    pub(crate) fn finish(
        self,
        options: &Options,
    ) -> (Option<DepthHistogram>, Option<PartialAlignments>) {
        let SortedDepth { collector, first, part, beyond } = self;
        if let (Some((number, count)), Some(notes)) = (beyond, &options.notes) {
            let what = "the alignment extends past the end of its reference; bases past the end were not counted as covered";
            let first = Location { record: Some(number + 1), ..Location::default() };
            notes.warn(Warning::Noticed { what, count, first });
        }
        let Some(mut collector) = collector else {
            return (None, part.map(|kind| PartialAlignments::new(kind, first, first, Vec::new())));
        };
        let last = collector.last_place();
        let seam = match part {
            Some(PartKind::Shard) => collector.take_seam(),
            _ => None,
        };
        if let Some(kept) = &mut collector.depths_mut().kept {
            kept.last = last;
        }
        let Counter { found, kept, .. } = collector.finish();
        let partial = kept.map(|PartDepths { kind, runs, .. }| {
            let seams: Vec<MateSeam> = seam.into_iter().collect();
            PartialAlignments { seams, ..PartialAlignments::new(kind, first, last, runs.finish()) }
        });
        (Some(found), partial)
    }
}

/// Counts runs.
#[derive(Default)]
struct Counter {
    found: DepthHistogram,
    /// The reference of the next runs.
    reference: u32,
    kept: Option<PartDepths>,
}

/// The depths that are kept for other parts.
struct PartDepths {
    kind: PartKind,
    /// The place of the first record.
    first: Option<ReferencePosition>,
    /// That of the last one, once all records have come.
    last: Option<ReferencePosition>,
    runs: DepthRuns,
}

impl coverage::DepthSink for Counter {
    fn run(&mut self, run: DepthRun) {
        if run.depth == 0 {
            return;
        }
        self.add(run.depth, run.len());
        if let Some(kept) = &mut self.kept {
            kept.push(self.reference, run);
        }
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        match self.kept {
            Some(_) => runs.runs().for_each(|run| self.run(run)),
            None => {
                let covered = runs.counts().iter().filter(|(depth, _)| *depth > 0);
                covered.for_each(|&(depth, positions)| self.add(depth, positions));
            }
        }
    }

    fn end(&mut self, reference: usize, _has_records: bool) {
        self.reference = reference as u32 + 1;
    }
}

impl Counter {
    /// Counts positions of a depth above 0.
    #[inline]
    fn add(&mut self, depth: u32, positions: u64) {
        self.found.positions[(depth as usize).min(MAX_DEPTH)] += positions;
        let reference = self.reference as usize;
        let sums = &mut self.found.by_reference;
        if sums.len() <= reference {
            sums.resize(reference + 1, (0, 0));
        }
        sums[reference].0 += positions;
        sums[reference].1 += positions * u64::from(depth);
    }
}

impl PartDepths {
    /// Keeps what other parts may change of a run.
    fn push(&mut self, reference: u32, run: DepthRun) {
        let on =
            |place: Option<ReferencePosition>| place.filter(|place| place.0 as u32 == reference);
        let position = |at: i32| u64::from(at.max(0) as u32);
        let (until, from) = match self.kind {
            PartKind::Lane => (u64::MAX, u64::MAX),
            PartKind::Shard => (
                on(self.first).map_or(0, |first| position(kept_until(first))),
                on(self.last).map_or(u64::MAX, |last| position(last.1)),
            ),
        };
        let mut keep = |from: u64, to: u64| {
            if from < to {
                self.runs.push(reference, from as i64, to - from, run.depth);
            }
        };
        keep(run.from, run.to.min(until));
        keep(run.from.max(until).max(from), run.to);
    }
}
