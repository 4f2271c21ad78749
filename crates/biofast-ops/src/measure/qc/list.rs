//! Measures of different kinds in one list: all that is done with each of them, once a batch without knowing which it is.

use std::any::Any;
use std::marker::PhantomData;

use biofast_bam::{Batch, Header};

use super::measure::{
    FindingTypes, Findings, Finished, Flow, Measure, Ordered, Piece, ReadingEnd, Tally,
    TallyMeasure,
};
use crate::measure::coverage::{Counting, DepthKinds, DepthRules, ReferenceSums, SpanRules, Spans};
use crate::measure::failure::Failure;

/// The measures of a reading, in the order in which they finish: one may take what those before it find.
#[derive(Default)]
pub struct MeasureList {
    list: Vec<Listed>,
    given: FindingTypes,
    /// Findings of measures that aren't counted, since others give them.
    wanted: FindingTypes,
    /// The rules of spans that measures share, and the depths these make of them.
    spans: Vec<(SpanRules, DepthKinds)>,
}

struct Listed {
    measure: Box<dyn AnyMeasure>,
    /// The number of its spans.
    spans: Option<usize>,
}

/// The counts of one measure, its piece of a batch, or what it makes in order.
type Erased = Box<dyn Any + Send>;

/// What a thread counts of all records, or of a group.
pub(super) struct PartCounts {
    pub(super) records: u64,
    counts: Vec<Erased>,
    /// Of each kind of spans.
    sums: Vec<Vec<ReferenceSums>>,
}

/// What a batch leaves of them; nothing if none of its records was among them.
#[derive(Default)]
pub(super) struct PartPieces {
    pieces: Vec<Erased>,
    spans: Vec<Spans>,
}

/// What is made of them in order.
pub(super) struct PartOrdered(Vec<Erased>);

impl MeasureList {
    /// An empty list.
    pub fn new() -> MeasureList {
        MeasureList::default()
    }

    /// Adds a measure. If those before it give all that it gives, they do so instead.
    pub fn add<M: Measure>(&mut self, mut measure: M) {
        let gives = measure.gives();
        if !gives.is_empty() && gives.iter().all(|finding| self.given.0.contains(finding)) {
            self.wanted.0.extend(gives);
            return;
        }
        measure.follow(&self.given);
        let spans = measure.spans().map(|rules| self.share(rules));
        self.list.push(Listed { measure: Box::new(measure), spans });
        self.given.0.extend(gives);
    }

    /// Adds counts that are found as they are.
    pub fn tally<T: Tally>(&mut self) {
        self.add(TallyMeasure::<T>(PhantomData));
    }

    /// The number of spans that serve these rules, too.
    fn share(&mut self, wanted: SpanRules) -> usize {
        let rules = &wanted.rules;
        let each = rules.counting != Counting::Once;
        match self.spans.iter().position(|(other, _)| are_alike(&other.rules, rules)) {
            Some(place) => {
                let (shared, kinds) = &mut self.spans[place];
                kinds.each |= each;
                kinds.once |= !each;
                shared.is_part |= wanted.is_part;
                shared.rules.sums |= rules.sums;
                if rules.counting == Counting::Once {
                    shared.rules.counting = Counting::Once;
                }
                place
            }
            None => {
                self.spans.push((wanted, DepthKinds { each, once: !each }));
                self.spans.len() - 1
            }
        }
    }

    pub(super) fn start(&self) -> PartCounts {
        PartCounts {
            records: 0,
            counts: self.list.iter().map(|one| one.measure.start()).collect(),
            sums: vec![Vec::new(); self.spans.len()],
        }
    }

    pub(super) fn begin(&mut self, header: &Header, part: usize) -> PartOrdered {
        PartOrdered(self.list.iter_mut().map(|one| one.measure.begin(header, part)).collect())
    }

    pub(super) fn accept(&self, part: &mut PartCounts, batch: Batch<'_>, left: &mut PartPieces) {
        if left.pieces.is_empty() {
            left.pieces = self.list.iter().map(|one| one.measure.piece()).collect();
            left.spans.resize_with(self.spans.len(), Spans::default);
        }
        part.records += batch.len() as u64;
        for ((one, counts), piece) in self.list.iter().zip(&mut part.counts).zip(&mut left.pieces) {
            one.measure.accept(counts, batch, piece);
        }
        let of_each = self.spans.iter().zip(&mut left.spans).zip(&mut part.sums);
        for (((wanted, kinds), spans), sums) in of_each {
            spans.set_lasting(wanted.is_part);
            spans.add_with_sums(batch, &wanted.rules, sums);
            spans.find_depths(*kinds, batch.header().references());
        }
    }

    pub(super) fn merge(&self, part: &mut PartCounts, other: PartCounts) {
        part.records += other.records;
        for ((one, mine), theirs) in self.list.iter().zip(&mut part.counts).zip(other.counts) {
            one.measure.merge(mine, theirs);
        }
        for (mine, theirs) in part.sums.iter_mut().zip(other.sums) {
            ReferenceSums::merge_all(mine, theirs);
        }
    }

    /// Appends what a batch left, and empties it.
    pub(super) fn append(&self, part: &mut PartOrdered, left: &mut PartPieces) -> Flow {
        for ((one, ordered), piece) in self.list.iter().zip(&mut part.0).zip(&mut left.pieces) {
            let spans = one.spans.and_then(|place| left.spans.get(place));
            one.measure.append(ordered, piece, spans)?;
        }
        left.spans.iter_mut().for_each(Spans::clear);
        Flow::Continue(())
    }

    /// What was found; of all parts the `end` is the same.
    pub(super) fn finish<'a>(
        &'a self,
        counts: &'a mut PartCounts,
        ordered: PartOrdered,
        mut end: ReadingEnd<'a>,
    ) -> Result<Findings, Failure> {
        end.found.records = counts.records;
        end.wanted = &self.wanted;
        for ((one, own), ordered) in self.list.iter().zip(counts.counts.drain(..)).zip(ordered.0) {
            end.sums = one.spans.map_or(&[], |place| &counts.sums[place]);
            one.measure.finish(own, ordered, &mut end)?;
        }
        Ok(end.found)
    }
}

impl<M: Measure> From<M> for MeasureList {
    fn from(measure: M) -> MeasureList {
        let mut list = MeasureList::new();
        list.add(measure);
        list
    }
}

/// Whether the same spans serve both rules: what mates count matters only to what is made of them.
fn are_alike(one: &DepthRules, other: &DepthRules) -> bool {
    // By name, so that no rule can be forgotten.
    let DepthRules { filter, read_groups, counting, min_base_quality, deletions, min_len, sums: _ } =
        one;
    (*counting == Counting::Whole) == (other.counting == Counting::Whole)
        && *filter == other.filter
        && *read_groups == other.read_groups
        && *min_base_quality == other.min_base_quality
        && *deletions == other.deletions
        && *min_len == other.min_len
}

/// A [`Measure`] of any type.
trait AnyMeasure: Send + Sync {
    fn start(&self) -> Erased;
    fn begin(&mut self, header: &Header, part: usize) -> Erased;
    fn piece(&self) -> Erased;
    fn accept(&self, counts: &mut Erased, batch: Batch<'_>, piece: &mut Erased);
    fn merge(&self, mine: &mut Erased, theirs: Erased);
    fn append(&self, ordered: &mut Erased, piece: &mut Erased, spans: Option<&Spans>) -> Flow;
    fn finish(&self, counts: Erased, ordered: Erased, end: &mut ReadingEnd<'_>) -> Finished;
}

// What a measure gets back is of its types, as it made all of it.
impl<M: Measure> AnyMeasure for M {
    fn start(&self) -> Erased {
        Box::new(Measure::start(self))
    }

    fn begin(&mut self, header: &Header, part: usize) -> Erased {
        Box::new(Measure::begin(self, header, part))
    }

    fn piece(&self) -> Erased {
        Box::new(Piece::<M>::default())
    }

    fn accept(&self, counts: &mut Erased, batch: Batch<'_>, piece: &mut Erased) {
        if let (Some(counts), Some(piece)) = (counts.downcast_mut(), piece.downcast_mut()) {
            Measure::accept(self, counts, batch, piece);
        }
    }

    fn merge(&self, mine: &mut Erased, theirs: Erased) {
        if let (Some(mine), Ok(theirs)) = (mine.downcast_mut(), theirs.downcast()) {
            Measure::merge(self, mine, *theirs);
        }
    }

    fn append(&self, ordered: &mut Erased, piece: &mut Erased, spans: Option<&Spans>) -> Flow {
        match (ordered.downcast_mut::<M::Ordered>(), piece.downcast_mut()) {
            (Some(ordered), Some(piece)) => ordered.append(piece, spans),
            _ => Flow::Continue(()),
        }
    }

    fn finish(&self, counts: Erased, ordered: Erased, end: &mut ReadingEnd<'_>) -> Finished {
        match (counts.downcast(), ordered.downcast()) {
            (Ok(counts), Ok(ordered)) => Measure::finish(self, *counts, *ordered, end),
            _ => Ok(()),
        }
    }
}
