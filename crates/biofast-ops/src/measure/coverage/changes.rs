//! The depths of a batch's records alone, which its worker finds: in order only what reaches over the ends of batches is added.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use biofast_bam::Reference;

use super::edge::Mate;
use super::low::Low;
use super::mates::correct;
use super::run::{DepthChange, DepthRun, take_first};
use super::span::{MateRole, RecordSpan, SpanGroup};
use super::window::DepthWindow;

/// Which depths are made of spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DepthKinds {
    /// Every record counts.
    pub(crate) each: bool,
    /// Where mates overlap, one of them does.
    pub(crate) once: bool,
}

/// The depths of one kind of a batch: of each [`SpanGroup`] in turn.
#[derive(Debug, Default)]
pub(crate) struct BatchDepths {
    /// Whether they were wanted.
    pub(super) are_found: bool,
    pub(crate) groups: Vec<GroupDepths>,
    /// Where the depth of a group's own records changes, and to what, from 0 to 0.
    pub(crate) changes: Vec<DepthChange>,
    /// Positions by depth.
    pub(crate) counts: Vec<(u32, u64)>,
    /// Records for which it matters which mates wait from the batches before: their numbers and those of their first blocks,
    /// among the group's.
    pub(super) open: Vec<(u32, u32)>,
    /// Mates that wait for later batches.
    pub(super) tail: Vec<(u128, Mate)>,
}

/// How much of each list belongs to a group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupDepths {
    pub(crate) changes: usize,
    /// The changes among these whose depths are counted, up to the last one: likely none that batches before reach.
    pub(super) counted: (usize, usize),
    pub(crate) counts: usize,
    pub(super) open: usize,
    /// Open records up to the last one whose mate may start with it.
    pub(super) together: usize,
    pub(super) tail: usize,
}

impl BatchDepths {
    /// How many changes, counts, open records and mates there are.
    fn lens(&self) -> [usize; 4] {
        [self.changes.len(), self.counts.len(), self.open.len(), self.tail.len()]
    }

    pub(crate) fn clear(&mut self) {
        self.are_found = false;
        self.groups.clear();
        self.changes.clear();
        self.counts.clear();
        self.open.clear();
        self.tail.clear();
    }
}

/// The records of a batch.
pub(super) struct BatchSpans<'b> {
    pub(super) groups: &'b mut [SpanGroup],
    pub(super) records: &'b [RecordSpan],
    pub(super) blocks: &'b [(u32, u32)],
    /// Gets the stretches that records reach over, group after group.
    pub(super) extents: &'b mut Vec<(u32, u32)>,
}

/// Finds the depths of batches.
#[derive(Debug, Default)]
pub(crate) struct DepthFinder {
    steps: GroupSteps,
    mates: BatchMates,
    /// Positions by depth.
    counts: Vec<u64>,
}

/// The steps of the depth over the records of a group.
#[derive(Debug, Default)]
struct GroupSteps {
    /// From the first record on, if that isn't far.
    near: Vec<u32>,
    first: u32,
    /// How many positions of these there are.
    len: usize,
    /// Otherwise.
    window: Option<Box<DepthWindow>>,
    is_near: bool,
}

/// The most positions that are near.
const NEAR: usize = 1 << 16;
/// Positions that are looked at together.
const GROUP: usize = 16;

impl GroupSteps {
    /// Begins with records from `start` to `end`.
    fn begin(&mut self, start: u32, end: u32) {
        (self.first, self.len) = (start, (end - start) as usize + 1);
        self.is_near = self.len <= NEAR;
        if self.is_near {
            let len = self.len.next_multiple_of(GROUP);
            self.near.resize(len.max(self.near.len()), 0);
        }
    }

    /// No record from here on starts before this position.
    #[inline]
    fn go_to(&mut self, start: u32, changes: &mut Vec<DepthChange>) {
        if !self.is_near {
            let window = self.window.get_or_insert_default();
            window.advance(start.into(), &mut |run| push_change(run, changes));
        }
    }

    #[inline]
    fn cover(&mut self, stretches: impl Iterator<Item = (u32, u32)>) {
        for (from, to) in stretches {
            self.step(from, 1);
            self.step(to, -1);
        }
    }

    #[inline]
    fn step(&mut self, at: u32, by: i32) {
        if self.is_near {
            let step = &mut self.near[(at - self.first) as usize];
            *step = step.wrapping_add(by as u32);
        } else if let Some(window) = &mut self.window {
            window.step(at.into(), by);
        }
    }

    /// Adds all changes of a reference of `length` positions.
    fn finish(&mut self, length: u64, changes: &mut Vec<DepthChange>) {
        if !self.is_near {
            let window = self.window.get_or_insert_default();
            return window.finish(length, &mut |run| push_change(run, changes));
        }
        let steps = &mut self.near[..self.len.next_multiple_of(GROUP)];
        let mut depth = 0u32;
        for (group, base) in
            steps.as_chunks_mut::<GROUP>().0.iter_mut().zip((self.first..).step_by(GROUP))
        {
            // Of little depth most positions have none.
            if group.iter().fold(0, |all, step| all | *step) == 0 {
                continue;
            }
            let (mut found, mut number) = ([DepthChange { at: 0, depth: 0 }; GROUP], 0);
            for (step, offset) in std::mem::take(group).into_iter().zip(0..) {
                depth = depth.wrapping_add(step);
                found[number] = DepthChange { at: base.wrapping_add(offset), depth };
                number += usize::from(step != 0);
            }
            changes.extend_from_slice(&found[..number]);
        }
    }
}

/// Notes where a run starts, unless it is the empty one at the start of a reference.
#[inline]
fn push_change(run: DepthRun, changes: &mut Vec<DepthChange>) {
    if run.from > 0 || run.depth > 0 {
        changes.push(DepthChange { at: run.from as u32, depth: run.depth });
    }
}

/// Depths from this one on aren't counted by depth.
const DEEPEST: usize = 1 << 16;

impl DepthFinder {
    /// Finds the depths of all records: each of them, and mates once.
    pub(super) fn find(
        &mut self,
        spans: BatchSpans<'_>,
        [each, once]: [&mut BatchDepths; 2],
        kinds: DepthKinds,
        references: &[Reference],
    ) {
        let BatchSpans { groups, records, blocks, extents } = spans;
        extents.clear();
        let mut all = records;
        for group in &mut *groups {
            let own = take_first(&mut all, group.spans);
            group.blocks = own.iter().map(|span| span.blocks as usize).sum();
            let first = extents.len();
            for span in own {
                match extents[first..].last_mut() {
                    Some((_, end)) if span.start <= *end => *end = span.end.max(*end),
                    _ => extents.push((span.start, span.end)),
                }
            }
            group.extents = extents.len() - first;
        }
        for (wanted, is_once, depths) in [(kinds.each, false, each), (kinds.once, true, once)] {
            depths.clear();
            depths.are_found = wanted;
            let (mut records, mut blocks) = (records, blocks);
            for group in groups.iter().filter(|_| wanted) {
                let own = take_first(&mut records, group.spans);
                let own_blocks = take_first(&mut blocks, group.blocks);
                let length = references.get(group.reference as usize).map_or(0, |r| r.length);
                self.find_group(group, (own, own_blocks), length, is_once, depths);
            }
        }
    }

    fn find_group(
        &mut self,
        group: &SpanGroup,
        (records, blocks): (&[RecordSpan], &[(u32, u32)]),
        length: u64,
        is_once: bool,
        depths: &mut BatchDepths,
    ) {
        let firsts = depths.lens();
        let Some(first) = records.first() else {
            depths.groups.push(GroupDepths::default());
            return;
        };
        let BatchDepths { changes, open, tail, .. } = &mut *depths;
        let end = records.iter().map(|span| span.end).max().unwrap_or(0);
        self.steps.begin(first.start, end);
        let (mut longest, mut block, mut together) = (0, 0, firsts[2]);
        for (number, span) in records.iter().enumerate() {
            let own = &blocks[block..block + span.blocks as usize];
            self.steps.go_to(span.start, changes);
            self.steps.cover(own.iter().copied());
            if is_once && span.role != MateRole::None {
                let (place, steps) = ((number as u32, block as u32), &mut self.steps);
                let step = &mut |at, by| steps.step(at as u32, by);
                self.mates.add(place, span, own, open, &mut together, step);
            }
            block += own.len();
            longest = longest.max(span.end - span.start);
        }
        if is_once {
            self.mates.finish(group.last, tail);
        }
        let reach = first.start.saturating_add(longest);
        self.finish_group(reach, group.last.max(0) as u32, length, firsts, depths);
        if let Some(found) = depths.groups.last_mut() {
            found.together = together - firsts[2];
        }
    }

    /// Finds the depths of records on one reference, by where they start and the stretches they lie on: the first and the last one
    /// start at `first` and `last`, and none reaches further than so many positions.
    pub(crate) fn find_stretches<'a>(
        &mut self,
        records: impl Iterator<Item = (u32, &'a [(i64, i64)])>,
        (first, last): (u32, u32),
        longest: u32,
        depths: &mut BatchDepths,
    ) {
        depths.are_found = true;
        let firsts = depths.lens();
        let changes = &mut depths.changes;
        self.steps.begin(first, last.saturating_add(longest));
        for (start, stretches) in records {
            self.steps.go_to(start, changes);
            self.steps.cover(stretches.iter().map(|&(from, to)| (from as u32, to as u32)));
        }
        let reach = first.saturating_add(longest);
        self.finish_group(reach, last, u32::MAX.into(), firsts, depths);
    }

    fn finish_group(
        &mut self,
        reach: u32,
        last: u32,
        length: u64,
        firsts: [usize; 4],
        depths: &mut BatchDepths,
    ) {
        let changes = &mut depths.changes;
        self.steps.finish(length, changes);
        let own = &changes[firsts[0]..];
        // What ends with the reference has no run behind it.
        if own.last().is_some_and(|last| last.depth > 0) {
            changes.push(DepthChange { at: length as u32, depth: 0 });
        }
        let own = &changes[firsts[0]..];
        let from = own.partition_point(|change| change.at < reach);
        let to = own.partition_point(|change| change.at < last).max(from);
        self.count(&own[from..to], &mut depths.counts);
        let [changes, counts, open, tail] = depths.lens();
        depths.groups.push(GroupDepths {
            changes: changes - firsts[0],
            counted: (from, to),
            counts: counts - firsts[1],
            open: open - firsts[2],
            together: 0,
            tail: tail - firsts[3],
        });
    }

    /// Counts the positions between changes by their depth.
    fn count(&mut self, changes: &[DepthChange], out: &mut Vec<(u32, u64)>) {
        for two in changes.windows(2) {
            let (depth, len) = (two[0].depth, u64::from(two[1].at - two[0].at));
            let class = depth as usize;
            if class >= DEEPEST {
                out.push((depth, len));
                continue;
            }
            if class >= self.counts.len() {
                self.counts.resize(class + 1, 0);
            }
            self.counts[class] += len;
        }
        let all = self.counts.iter_mut().zip(0..).filter(|(positions, _)| **positions > 0);
        out.extend(all.map(|(positions, depth)| (depth, std::mem::take(positions))));
    }
}

/// The mates of a group, as far as it knows them.
#[derive(Debug, Default)]
struct BatchMates {
    /// By the hash of a name of which it is known whether a mate waits.
    known: HashMap<u128, Option<Mate>, BuildHasherDefault<Low>>,
}

impl BatchMates {
    /// Does with a record what [`PendingMates::add`](super::mates::PendingMates::add) does, or leaves it `open`.
    #[inline]
    fn add(
        &mut self,
        place: (u32, u32),
        span: &RecordSpan,
        blocks: &[(u32, u32)],
        open: &mut Vec<(u32, u32)>,
        together: &mut usize,
        step: &mut impl FnMut(u64, i32),
    ) {
        match (span.role, self.known.get_mut(&span.key)) {
            (MateRole::None | MateRole::Opens | MateRole::Closes, _) => {}
            (MateRole::First, Some(waiting)) => *waiting = Some(Mate::of(span, blocks)),
            (MateRole::First, None) => {
                self.known.insert(span.key, Some(Mate::of(span, blocks)));
            }
            (role, Some(waiting)) => match waiting.take() {
                Some(mate) if mate.end > span.start => correct(span, blocks, &mate, step),
                _ if role == MateRole::Together => *waiting = Some(Mate::of(span, blocks)),
                _ => {}
            },
            // Of mates that start together the first one waits if none did.
            (role, None) => {
                open.push(place);
                *together = if role == MateRole::Together { open.len() } else { *together };
            }
        }
    }

    /// Forgets all; what waits behind the last record goes to `tail`.
    fn finish(&mut self, last: i32, tail: &mut Vec<(u128, Mate)>) {
        let waiting = self.known.drain().filter_map(|(key, mate)| Some((key, mate?)));
        tail.extend(waiting.filter(|(_, mate)| i64::from(mate.end) > i64::from(last)));
    }
}
