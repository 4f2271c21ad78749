//! Runs of equal depth, and what takes them.

/// Adjacent positions of equal depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRun {
    /// The first position, from 0.
    pub from: u64,
    /// The first position behind it.
    pub to: u64,
    /// How many alignments lie on each of them.
    pub depth: u32,
}

impl DepthRun {
    /// How many positions.
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> u64 {
        self.to - self.from
    }
}

/// Takes the first so many items off.
#[inline]
pub(crate) fn take_first<'a, T>(all: &mut &'a [T], number: usize) -> &'a [T] {
    let (own, later) = all.split_at(number);
    *all = later;
    own
}

/// A position from which on the depth is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthChange {
    /// The first position of this depth, from 0.
    pub at: u32,
    /// The depth.
    pub depth: u32,
}

/// Runs that follow one another: from each change to the next one.
#[derive(Clone, Copy, Debug)]
pub struct RunBatch<'a> {
    pub(super) changes: &'a [DepthChange],
    pub(super) counts: &'a [(u32, u64)],
}

impl<'a> RunBatch<'a> {
    /// Where the runs begin, and where the last one ends.
    pub fn changes(&self) -> &'a [DepthChange] {
        self.changes
    }

    /// The runs.
    pub fn runs(&self) -> impl Iterator<Item = DepthRun> + use<'a> {
        self.changes.windows(2).map(|two| DepthRun {
            from: two[0].at.into(),
            to: two[1].at.into(),
            depth: two[0].depth,
        })
    }

    /// How many positions have which depth.
    pub fn counts(&self) -> &'a [(u32, u64)] {
        self.counts
    }
}

/// Receives depths.
///
/// For a reference with records, [`run`](DepthSink::run) is called for all its runs, from position 0 to its end, then
/// [`end`](DepthSink::end). Adjacent runs differ in depth. For a reference without records only `end` is called.
/// References come in header order.
pub trait DepthSink {
    /// The next run of the reference.
    fn run(&mut self, run: DepthRun);

    /// The next runs of the reference. What counts positions can take them together.
    #[doc(hidden)]
    fn batch(&mut self, runs: &RunBatch<'_>) {
        runs.runs().for_each(|run| self.run(run));
    }

    /// The reference of this index is complete. Whether it has any records, counted or not.
    fn end(&mut self, reference: usize, has_records: bool);

    /// A counted record reaches over these positions, and none before reached that far: told before their runs.
    fn spanned(&mut self, _from: u64, _to: u64) {}

    /// Whether nothing more is wanted.
    fn has_ended(&self) -> bool {
        false
    }
}

impl<A: DepthSink, B: DepthSink> DepthSink for (A, B) {
    fn run(&mut self, run: DepthRun) {
        self.0.run(run);
        self.1.run(run);
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        self.0.batch(runs);
        self.1.batch(runs);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        self.0.end(reference, has_records);
        self.1.end(reference, has_records);
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.0.spanned(from, to);
        self.1.spanned(from, to);
    }

    fn has_ended(&self) -> bool {
        self.0.has_ended() && self.1.has_ended()
    }
}

impl<D: DepthSink + ?Sized> DepthSink for &mut D {
    fn run(&mut self, run: DepthRun) {
        (**self).run(run);
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        (**self).batch(runs);
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        (**self).end(reference, has_records);
    }

    fn spanned(&mut self, from: u64, to: u64) {
        (**self).spanned(from, to);
    }

    fn has_ended(&self) -> bool {
        (**self).has_ended()
    }
}

impl<A: DepthSink> DepthSink for Option<A> {
    fn run(&mut self, run: DepthRun) {
        self.iter_mut().for_each(|depths| depths.run(run));
    }

    fn batch(&mut self, runs: &RunBatch<'_>) {
        self.iter_mut().for_each(|depths| depths.batch(runs));
    }

    fn end(&mut self, reference: usize, has_records: bool) {
        self.iter_mut().for_each(|depths| depths.end(reference, has_records));
    }

    fn spanned(&mut self, from: u64, to: u64) {
        self.iter_mut().for_each(|depths| depths.spanned(from, to));
    }

    fn has_ended(&self) -> bool {
        self.as_ref().is_none_or(DepthSink::has_ended)
    }
}
