//! Makes runs of depth of alignments in order.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{Error, ErrorKind, Fold, Header, Query};
use biofast_io::{Location, Options};

use super::changes::{BatchDepths, DepthKinds};
use super::joint::JointDepth;
use super::low::Low;
use super::mates::PendingMates;
use super::run::{DepthSink, take_first};
use super::seam::MateSeam;
use super::span::{MateRole, RecordSpan, SpanGroup, SpanPosition};
use super::spans::{Counting, ReferenceSums, SpanRules, Spans};
use super::window::DepthWindow;

/// Makes depths of [`Spans`] that come in the order of the file.
pub struct DepthCollector<D> {
    lengths: Vec<u64>,
    /// The reference whose depths are being found.
    current: usize,
    /// Whether it has any records.
    has_records: bool,
    /// The place of the first record.
    pub(super) first: Option<(u32, i32)>,
    /// The place of the last record.
    last: (u32, i32),
    /// Where the record ends that reaches furthest.
    reach: u64,
    /// Of records that come one by one.
    window: DepthWindow,
    /// Whether they do.
    takes_records: bool,
    /// Of batches whose depths were found.
    joint: JointDepth,
    /// None where both mates count.
    mates: Option<PendingMates>,
    /// Where records end that the next one of their name may overlap, where that counts [behind](Counting::Behind) it. They wait to
    /// the end of the file, as in samtools.
    ends: Option<HashMap<u128, u32, BuildHasherDefault<Low>>>,
    depths: D,
}

impl<D: DepthSink> DepthCollector<D> {
    /// For records of a file with this header.
    pub fn new(header: &Header, depths: D) -> DepthCollector<D> {
        DepthCollector {
            lengths: header.references().iter().map(|reference| reference.length).collect(),
            current: 0,
            has_records: false,
            first: None,
            last: (0, i32::MIN),
            reach: 0,
            window: DepthWindow::default(),
            takes_records: false,
            joint: JointDepth::default(),
            mates: Some(PendingMates::default()),
            ends: None,
            depths,
        }
    }

    /// The same, but both mates count whatever the rules of the [`Spans`] say.
    pub(crate) fn of_each(header: &Header, depths: D) -> DepthCollector<D> {
        DepthCollector { mates: None, ..DepthCollector::new(header, depths) }
    }

    /// Adds all records of a query. Returns the sums of the references that have any, if the rules ask for them.
    ///
    /// # Errors
    /// The first fault of the input; the first record that is out of order.
    pub(super) fn read(
        &mut self,
        query: Query,
        header: &Header,
        options: &Options,
        SpanRules { rules, is_part }: &SpanRules,
    ) -> Result<Vec<ReferenceSums>, Error>
    where
        D: Send,
    {
        let name: Arc<str> = query.name().into();
        if rules.counting == Counting::Behind {
            (self.mates, self.ends) = (None, Some(HashMap::default()));
        }
        // Mates count once if there are any.
        let once = rules.counting != Counting::Behind;
        let kinds = DepthKinds { each: false, once };
        let mut fault = None;
        let result = Fold::new(query).options(options).ordered(
            Vec::new,
            |sums: &mut Vec<ReferenceSums>, batch, spans: &mut Spans| {
                spans.set_lasting(*is_part);
                spans.add_with_sums(batch, rules, sums);
                spans.find_depths(kinds, batch.header().references());
            },
            ReferenceSums::merge_all,
            |spans| {
                fault = self.take(spans).err();
                spans.clear();
                match fault.is_some() || self.depths.has_ended() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            },
        );
        match fault {
            Some(unsorted) => Err(unsorted.error(Location::in_input(&name)).naming(header)),
            None => result.map(|(_, sums)| sums).map_err(|fault| fault.error),
        }
    }

    /// Adds the records of the next batch.
    pub(crate) fn take(&mut self, spans: &Spans) -> Result<(), Unsorted> {
        // A batch of other groups' records leaves nothing.
        if spans.groups.is_empty() {
            return Ok(());
        }
        let found = if self.mates.is_some() { &spans.once } else { &spans.each };
        if found.are_found {
            self.take_found(spans, found)?
        } else {
            self.take_records(spans)?
        }
        spans
            .fault
            .map_or(Ok(()), |(record, previous, found)| Err(Unsorted { record, previous, found }))
    }

    /// Adds the records of a batch whose depths were found.
    fn take_found(&mut self, spans: &Spans, found: &BatchDepths) -> Result<(), Unsorted> {
        let mut records = &spans.records[..];
        let mut blocks = &spans.blocks[..];
        let mut extents = &spans.extents[..];
        let (mut changes, mut counts) = (&found.changes[..], &found.counts[..]);
        let (mut open, mut tail) = (&found.open[..], &found.tail[..]);
        for (group, of_group) in spans.groups.iter().zip(&found.groups) {
            self.begin(group)?;
            let own = take_first(&mut records, group.spans);
            let own = (own, take_first(&mut blocks, group.blocks));
            let extents = take_first(&mut extents, group.extents);
            let depths = (
                take_first(&mut changes, of_group.changes),
                take_first(&mut counts, of_group.counts),
            );
            let (open, tail) =
                (take_first(&mut open, of_group.open), take_first(&mut tail, of_group.tail));
            if own.0.is_empty() {
                continue;
            }
            if let Some(mates) = &mut self.mates {
                let joint = &mut self.joint;
                mates.add_batch(own, (open, of_group.together), tail, group.last, &mut |at, by| {
                    joint.step(at, by)
                });
            }
            for &(from, to) in extents {
                let (from, to) = (u64::from(from), u64::from(to));
                if to > self.reach {
                    self.depths.spanned(from.max(self.reach), to);
                    self.reach = to;
                }
            }
            let length = self.lengths[self.current];
            // Not behind the reference.
            let last = u64::from(group.last.max(0) as u32).min(length) as u32;
            self.joint.add(depths, of_group, last, &mut self.depths);
        }
        Ok(())
    }

    /// Adds records one by one.
    fn take_records(&mut self, spans: &Spans) -> Result<(), Unsorted> {
        self.takes_records = true;
        let mut blocks = &spans.blocks[..];
        let mut records = &spans.records[..];
        for group in &spans.groups {
            self.begin(group)?;
            for span in take_first(&mut records, group.spans) {
                self.add_span(span, take_first(&mut blocks, span.blocks as usize));
            }
        }
        Ok(())
    }

    /// Goes to the reference of records that stand together.
    fn begin(&mut self, group: &SpanGroup) -> Result<(), Unsorted> {
        let first = (group.reference, group.first);
        if first < self.last {
            return Err(Unsorted { record: group.record, previous: self.last, found: first });
        }
        self.first.get_or_insert(first);
        self.last = (group.reference, group.last);
        let reference = (group.reference as usize).min(self.lengths.len());
        while self.current < reference {
            self.end_reference();
        }
        self.has_records |= group.has_inside && self.current < self.lengths.len();
        Ok(())
    }

    fn add_span(&mut self, span: &RecordSpan, blocks: &[(u32, u32)]) {
        let depths = &mut self.depths;
        let start = u64::from(span.start);
        self.window.advance(start, &mut |run| depths.run(run));
        let behind = self.ends.as_mut().map_or(0, |ends| match span.role {
            MateRole::Opens | MateRole::Closes => match ends.remove(&span.key) {
                Some(end) => end,
                None if span.role == MateRole::Opens => {
                    ends.insert(span.key, span.end);
                    0
                }
                None => 0,
            },
            _ => 0,
        });
        for &(from, to) in blocks {
            if to > behind {
                self.window.step(from.max(behind).into(), 1);
                self.window.step(to.into(), -1);
            }
        }
        if let Some(mates) = &mut self.mates {
            // A mate before the part can't be behind its first record, counted or not, nor of a later reference.
            if let (Some(edge), Some((reference, first))) = (&mut mates.edge, self.first)
                && reference as usize == self.current
            {
                edge.see(reference, first.max(0) as u32);
            }
            let window = &mut self.window;
            mates.add(span, blocks, &mut |at, by| window.step(at, by));
        }
        let end = u64::from(span.end);
        if end > self.reach {
            depths.spanned(start.max(self.reach), end);
            self.reach = end;
        }
    }

    fn end_reference(&mut self) {
        let length = self.lengths[self.current];
        if self.has_records {
            let depths = &mut self.depths;
            match self.takes_records {
                true => self.window.finish(length, &mut |run| depths.run(run)),
                false => self.joint.finish(length, depths),
            }
        }
        self.depths.end(self.current, self.has_records);
        self.mates.iter_mut().for_each(PendingMates::clear);
        self.reach = 0;
        self.has_records = false;
        self.current += 1;
    }

    /// What is made of the depths.
    pub(crate) fn depths_mut(&mut self) -> &mut D {
        &mut self.depths
    }

    /// The records are a part of a file, whose [`MateSeam`] is wanted.
    pub(crate) fn keep_edge(&mut self) {
        self.mates.iter_mut().for_each(|mates| mates.edge = Some(Box::default()));
    }

    /// The place of the last record: reference, −1 for none, and position.
    pub(crate) fn last_place(&self) -> Option<(i32, i32)> {
        self.first.map(|_| (self.last.0 as i32, self.last.1))
    }

    /// The ends of the part, when all records have been added.
    pub(crate) fn take_seam(&mut self) -> Option<MateSeam> {
        let last = self.last_place()?;
        let (mut head, mut tail) = (None, Vec::new());
        if let Some(mates) = &mut self.mates {
            if last.0 as u32 as usize == self.current {
                tail = mates.waiting_behind(last.1);
            }
            if let Some(edge) = mates.edge.take() {
                head = edge.reference().map(|reference| (reference, edge.head));
            }
        }
        Some(MateSeam { last, head, tail })
    }

    /// What was made of the depths, when all records have been added.
    pub fn finish(mut self) -> D {
        while self.current < self.lengths.len() {
            self.end_reference();
        }
        self.depths
    }
}

/// The first record out of order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unsorted {
    /// Its number, from 0.
    record: u64,
    previous: SpanPosition,
    found: SpanPosition,
}

impl Unsorted {
    /// A record of this number, from 0, that lies before the one before it.
    pub(crate) fn new(record: u64, previous: (u32, i32), found: (u32, i32)) -> Unsorted {
        Unsorted { record, previous, found }
    }

    /// What it means for the reading of records.
    pub(crate) fn flow(result: Result<(), Unsorted>) -> ControlFlow<Option<Error>> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(unsorted) => ControlFlow::Break(Some(unsorted.error(Location::default()))),
        }
    }

    /// The error, in that input.
    pub(crate) fn error(self, input: Location) -> Error {
        // Without a reference comes last: −1 as the largest unsigned number.
        let signed = |(reference, position): SpanPosition| (reference as i32, position);
        let (previous, found) = (signed(self.previous), signed(self.found));
        let kind = ErrorKind::Unsorted { previous, found, names: [None, None] };
        Error::new(kind, Location { record: Some(self.record + 1), ..input })
    }
}
