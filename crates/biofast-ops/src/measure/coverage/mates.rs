//! Mates that overlap: where both lie, one of them is taken off again.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::edge::{EdgeMate, Event, Mate, MateEdge};
use super::low::Low;
use super::span::{MateRole, RecordSpan};

/// Mates from which on those are forgotten that nothing can overlap any more.
const FEW: usize = 1024;

/// First mates that wait for the second one, by the hash of their names.
pub(super) struct PendingMates {
    waiting: HashMap<u128, Mate, BuildHasherDefault<Low>>,
    /// When to look for those that wait in vain.
    limit: usize,
    /// Of a part of a file: what mates before it may change.
    pub(super) edge: Option<Box<MateEdge>>,
}

impl Default for PendingMates {
    fn default() -> PendingMates {
        PendingMates { waiting: HashMap::default(), limit: FEW, edge: None }
    }
}

impl PendingMates {
    /// Looks for the mate of a record that lies on `blocks`, and corrects the depth where both lie; or lets it wait.
    #[inline]
    pub(super) fn add(
        &mut self,
        span: &RecordSpan,
        blocks: &[(u32, u32)],
        step: &mut impl FnMut(u64, i32),
    ) {
        if let Some(edge) = &mut self.edge
            && edge.takes(span, blocks, |key| self.waiting.contains_key(&key))
        {
            return;
        }
        let wait = match span.role {
            MateRole::None | MateRole::Opens | MateRole::Closes => return,
            MateRole::First => true,
            // Of mates that start together the first one waits.
            MateRole::Together => {
                self.waiting.get(&span.key).is_none_or(|mate| mate.end <= span.start)
            }
            MateRole::Other => false,
        };
        if wait {
            self.wait(span, blocks);
        } else if let Some(mate) = self.waiting.remove(&span.key)
            && mate.end > span.start
        {
            correct(span, blocks, &mate, step);
        }
    }

    fn wait(&mut self, span: &RecordSpan, blocks: &[(u32, u32)]) {
        if self.waiting.len() >= self.limit {
            self.waiting.retain(|_, mate| mate.end > span.start);
            self.limit = FEW.max(2 * self.waiting.len());
        }
        self.waiting.insert(span.key, Mate::of(span, blocks));
    }

    /// Takes the mates of a batch that could not find each other in it, which are `open` and `tail`, where the last one of all its
    /// `records` on the reference lies at `last`.
    pub(super) fn add_batch(
        &mut self,
        (records, blocks): (&[RecordSpan], &[(u32, u32)]),
        (open, together): (&[(u32, u32)], usize),
        tail: &[(u128, Mate)],
        last: i32,
        step: &mut impl FnMut(u64, i32),
    ) {
        let mut reach = self.waiting.values().map(|mate| mate.end).max().unwrap_or(0);
        for (number, &(record, block)) in open.iter().enumerate() {
            let span = &records[record as usize];
            // Nothing waits that reaches so far.
            if span.role == MateRole::Other && span.start >= reach {
                if number >= together {
                    break;
                }
                continue;
            }
            let block = block as usize;
            self.add(span, &blocks[block..block + span.blocks as usize], step);
            reach = reach.max(span.end);
        }
        self.waiting.retain(|_, mate| i64::from(mate.end) > i64::from(last));
        if !self.waiting.is_empty() {
            // Of a name it is the last one that waits, which the batch knows.
            for span in records.iter().filter(|span| span.role == MateRole::First) {
                self.waiting.remove(&span.key);
            }
        }
        self.waiting.extend(tail.iter().map(|(key, mate)| (*key, mate.clone())));
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.edge.iter_mut().for_each(|edge| edge.leave());
    }

    /// Looks at the first records of the next part.
    pub(super) fn enter(&mut self, events: &[Event], step: &mut impl FnMut(u64, i32)) {
        for Event { key, span, blocks } in events {
            match span {
                Some(span) => self.add(span, blocks, step),
                None => {
                    self.waiting.remove(key);
                }
            }
        }
    }

    /// Goes behind a part whose last record lies at this position, and where those in `tail` wait.
    pub(super) fn leave(&mut self, position: i32, tail: &[EdgeMate]) {
        self.waiting.retain(|_, mate| i64::from(mate.end) > i64::from(position));
        self.waiting.extend(tail.iter().map(|own| (own.key, own.mate.clone())));
    }

    /// Those that wait and end behind this position, by their keys.
    pub(super) fn waiting_behind(&self, position: i32) -> Vec<EdgeMate> {
        let reach = |mate: &Mate| i64::from(mate.end) > i64::from(position);
        let waiting = self.waiting.iter().filter(|(_, mate)| reach(mate));
        let waiting = waiting.map(|(key, mate)| EdgeMate { key: *key, mate: mate.clone() });
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable_by_key(|own| own.key);
        waiting
    }
}

/// Takes the second mate off where both lie.
pub(super) fn correct(
    span: &RecordSpan,
    blocks: &[(u32, u32)],
    mate: &Mate,
    step: &mut impl FnMut(u64, i32),
) {
    let mut take_off = |from: u32, to: u32| {
        step(from.into(), -1);
        step(to.into(), 1);
    };
    let Some(theirs) = &mate.blocks else {
        if span.is_single {
            // As mosdepth does it: up to the end of the first mate, even where the second one ends before it.
            return take_off(span.start, mate.end);
        }
        // It started before the window or with it.
        for &(from, to) in blocks {
            if from < mate.end {
                take_off(from, to.min(mate.end));
            }
        }
        return;
    };
    let mut theirs = theirs.iter().copied().peekable();
    let mut mine = blocks.iter().copied().peekable();
    while let (Some((from, to)), Some((mate_from, mate_to))) = (mine.peek(), theirs.peek()) {
        let (start, end) = ((*from).max(*mate_from), (*to).min(*mate_to));
        if start < end {
            take_off(start, end);
        }
        if to < mate_to {
            mine.next()
        } else {
            theirs.next()
        };
    }
}
