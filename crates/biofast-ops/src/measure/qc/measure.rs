//! What a measure of alignments is, and what measures find.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use biofast_bam::{Batch, Error, Fold, Header, Query};
use biofast_io::Options;
use biofast_io::pipeline::Fault;

use crate::measure::coverage::{ReferenceSums, SpanRules, Spans};
use crate::measure::failure::Failure;

/// Figures of alignments that are collected together with others in one reading: each stands in one file, and is one line in a
/// [`MeasureList`](super::MeasureList).
///
/// Every thread has its own counts, which are merged at the end. What depends on the order of records is left for each batch as
/// a [piece](Ordered::Piece), and pieces are appended in the order of the file.
pub trait Measure: Send + Sync + 'static {
    /// What a thread counts: integers, so that any order of merging gives the same.
    type Counts: Send + 'static;
    /// What is made of records in the order of the file; `()` if nothing is.
    type Ordered: Ordered;

    /// The types of the findings this measure puts. Another measure that gives nothing else is not counted if it is listed later.
    fn gives(&self) -> Vec<TypeId> {
        Vec::new()
    }

    /// The [`Spans`] it reads in order. They are made once for all measures whose rules agree.
    fn spans(&self) -> Option<SpanRules> {
        None
    }

    /// Hears what the measures listed before this one give: it needn't be counted again.
    fn follow(&mut self, _before: &FindingTypes) {}

    /// The counts of a thread.
    fn start(&self) -> Self::Counts;

    /// What is made in order of a part of the records: of all records (0), or of a group (from 1).
    fn begin(&mut self, header: &Header, part: usize) -> Self::Ordered;

    /// Counts the records of a batch.
    fn accept(&self, counts: &mut Self::Counts, batch: Batch<'_>, piece: &mut Piece<Self>);

    /// Adds what another thread counted.
    fn merge(&self, mine: &mut Self::Counts, theirs: Self::Counts);

    /// Puts what was found, of records that were all read. What measures listed before found is there.
    ///
    /// # Errors
    /// If the reference can't be read, or a record is malformed.
    fn finish(
        &self,
        counts: Self::Counts,
        ordered: Self::Ordered,
        end: &mut ReadingEnd<'_>,
    ) -> Finished;
}

/// The simplest measure: counts that no order matters to, and that are found as they are. It is listed by
/// [`MeasureList::tally`](super::MeasureList::tally).
pub trait Tally: Default + Send + 'static {
    /// Counts the records of a batch.
    fn accept(&mut self, batch: Batch<'_>);

    /// Adds what another thread counted.
    fn merge(&mut self, other: Self);

    /// Counts all records of an input, or those of a query, alone.
    ///
    /// # Errors
    /// The first fault of the input, with the counts of the records before it.
    fn collect_alone(
        input: impl Into<Query>,
        options: &Options,
    ) -> Result<(Header, Self), Fault<Self, Error>> {
        Fold::new(input).options(options).run(Self::default, Self::accept, Self::merge)
    }
}

pub(super) struct TallyMeasure<T>(pub(super) PhantomData<fn() -> T>);

impl<T: Tally> Measure for TallyMeasure<T> {
    type Counts = T;
    type Ordered = ();

    fn gives(&self) -> Vec<TypeId> {
        vec![TypeId::of::<T>()]
    }

    fn start(&self) -> T {
        T::default()
    }

    fn begin(&mut self, _: &Header, _: usize) {}

    fn accept(&self, counts: &mut T, batch: Batch<'_>, (): &mut ()) {
        counts.accept(batch);
    }

    fn merge(&self, mine: &mut T, theirs: T) {
        mine.merge(theirs);
    }

    fn finish(&self, counts: T, (): (), end: &mut ReadingEnd<'_>) -> Finished {
        end.found.put(counts);
        Ok(())
    }
}

/// What a measure leaves of a batch.
pub type Piece<M> = <<M as Measure>::Ordered as Ordered>::Piece;

/// What is made of records in the order of the file.
pub trait Ordered: Send + 'static {
    /// What a batch leaves for it.
    type Piece: Default + Send + 'static;

    /// Takes the next piece, and leaves it empty. With [`Break`](ControlFlow::Break) reading ends: at an error, or as
    /// [`finish`](Measure::finish) will fail.
    fn append(&mut self, piece: &mut Self::Piece, spans: Option<&Spans>) -> Flow;
}

/// Whether to read on.
pub type Flow = ControlFlow<Option<Error>>;

impl Ordered for () {
    type Piece = ();

    fn append(&mut self, (): &mut (), _: Option<&Spans>) -> Flow {
        Flow::Continue(())
    }
}

impl<O: Ordered> Ordered for Option<O> {
    type Piece = O::Piece;

    fn append(&mut self, piece: &mut Self::Piece, spans: Option<&Spans>) -> Flow {
        self.as_mut().map_or(Flow::Continue(()), |ordered| ordered.append(piece, spans))
    }
}

/// Whether all could be found.
pub type Finished = Result<(), Failure>;

/// What was measured, when all of it was read.
pub struct ReadingEnd<'a> {
    /// The header.
    pub header: &'a Header,
    /// How it was read.
    pub options: &'a Options,
    /// Whether all records of the file were read, not those of regions.
    pub is_everything: bool,
    /// Findings of measures that weren't counted, since those before give them.
    pub wanted: &'a FindingTypes,
    /// Sums over the [`spans`](Measure::spans) of this measure, if its rules ask for them.
    pub sums: &'a [ReferenceSums],
    /// What was found so far.
    pub found: Findings,
}

/// Types of findings.
#[derive(Clone, Debug, Default)]
pub struct FindingTypes(pub(super) Vec<TypeId>);

impl FindingTypes {
    /// Whether this type is among them.
    pub fn has<F: 'static>(&self) -> bool {
        self.0.contains(&TypeId::of::<F>())
    }
}

/// What was found of all records, or of those of a group: for each type one finding.
#[derive(Default)]
pub struct Findings {
    /// How many records were read.
    pub records: u64,
    found: HashMap<TypeId, Box<dyn Any + Send>>,
}

impl Findings {
    /// Adds a finding.
    pub fn put<F: Send + 'static>(&mut self, finding: F) {
        self.found.insert(TypeId::of::<F>(), Box::new(finding));
    }

    /// The finding of this type.
    pub fn get<F: 'static>(&self) -> Option<&F> {
        self.found.get(&TypeId::of::<F>())?.downcast_ref()
    }

    /// Takes the finding of this type.
    pub fn take<F: 'static>(&mut self) -> Option<F> {
        self.found.remove(&TypeId::of::<F>())?.downcast().ok().map(|finding| *finding)
    }
}
