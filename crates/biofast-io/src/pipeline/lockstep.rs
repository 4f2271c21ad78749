//! What the workers of a transform do next: inputs framed chunk by chunk, each in its own order,
//! and records of the same number in all inputs handed out together.
//!
//! A worker either takes a chunk of the input that is behind, inflates it and frames it in turn,
//! or takes the next group of records that are framed in every input. Records are never copied:
//! a group borrows ranges of chunks, and a chunk is used again when its last group is done.
//! An input may be ahead of the others by a bounded number of chunks.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::chunk::Chunk;
use super::chunker::{ChunkBuffer, Chunker};
use super::feed::Feed;
use super::framer::{Framer, frame_in_turn};
use super::turn::{Token, Turns};
use crate::container::bgzf::Inflater;
use crate::error::Error;
use crate::input::{Notes, Options, Source, Witness};

/// A framer whose records can be counted, so that inputs can be read in step.
pub trait CountRecords: Framer {
    /// How many records were found in a chunk.
    fn count(frame: &Self::Frame) -> usize;
}

/// A range of records of one chunk.
pub struct Part<F: Framer> {
    framed: Arc<FramedChunk<F>>,
    records: Range<usize>,
}

impl<F: Framer> Part<F> {
    /// The chunk the records are in.
    pub fn chunk(&self) -> &Chunk {
        &self.framed.chunk
    }

    /// What was found in the chunk.
    pub fn frame(&self) -> &F::Frame {
        &self.framed.frame
    }

    /// Which of the chunk's records these are.
    pub fn records(&self) -> Range<usize> {
        self.records.clone()
    }
}

/// Records of the same numbers in all inputs.
pub struct Group<F: Framer> {
    pub(super) number: u64,
    first: u64,
    inputs: Vec<Vec<Part<F>>>,
}

impl<F: Framer> Group<F> {
    /// The number of the first record in its input, counted from 0.
    pub fn first_record(&self) -> u64 {
        self.first
    }

    /// The ranges of records of one input; all inputs have the same number of records.
    pub fn input(&self, index: usize) -> &[Part<F>] {
        &self.inputs[index]
    }
}

/// A chunk with its records, shared by the groups made of it.
struct FramedChunk<F: Framer> {
    input: usize,
    chunk: Chunk,
    frame: F::Frame,
    records: usize,
}

/// How inputs are read in step.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The total number of threads, at least 1.
    pub threads: usize,
    /// Groups have a multiple of this many records: 2 for mates one after the other.
    pub multiple: usize,
    /// Stop after this many records of each input.
    pub limit: Option<u64>,
}

/// What became of the inputs.
pub(super) enum Verdict<F: Framer> {
    /// All ended together, or the limit was reached.
    Even,
    /// The first input, in their order, that has a fault at the first record not handed out.
    Fault(F::Error),
    /// One input ended, another has more.
    Uneven { ended: usize, input: usize, left: Part<F> },
    /// A thread ended without a result; its panic is on its way.
    Abandoned,
}

pub(super) enum LockstepTask<F: Framer, D> {
    Pull(usize),
    Work(Group<F>),
    /// What a group is worked on with has been decided.
    Decided(Group<F>, D),
    /// All groups, of which there are so many, have been surveyed: what is left has to be decided.
    DecideRest(u64),
    Done,
}

/// The inputs and what is known of them.
pub(super) struct Schedule<F: Framer, D = ()> {
    lanes: Vec<InputLane<F>>,
    plan: Plan,
    /// Whether groups wait for decisions.
    surveys: bool,
    /// Chunks of one input that may be in memory.
    most: usize,
    state: Mutex<LockstepState<F, D>>,
    changed: Condvar,
}

struct InputLane<F: Framer> {
    feed: Feed,
    turns: Turns<F>,
    notes: Option<Arc<Notes>>,
    witness: Witness,
    /// Getting a chunk is long serial work: only one worker tries, and it goes first.
    serial: bool,
}

struct LockstepState<F: Framer, D> {
    queues: Vec<Queue<F>>,
    survey: SurveyState<F, D>,
    /// Records before the first one, if the inputs are parts of something larger.
    before: u64,
    /// Records handed out of each input.
    taken: u64,
    groups: u64,
    spare: Vec<FramedChunk<F>>,
    stopped: bool,
}

/// Groups that wait for what others hold.
struct SurveyState<F: Framer, D> {
    /// Those of which it isn't decided yet, by their numbers.
    parked: BTreeMap<u64, Group<F>>,
    /// Those of which it is, in their order.
    decided: VecDeque<(Group<F>, D)>,
    /// The number of the next group of which it is to be decided.
    next: u64,
    /// Groups that have been surveyed.
    surveyed: u64,
    /// Whether someone decides of what is left.
    is_ending: bool,
    /// Whether all is decided.
    has_ended: bool,
}

struct Queue<F: Framer> {
    ready: VecDeque<Arc<FramedChunk<F>>>,
    /// Records of the first ready chunk that were handed out.
    used: usize,
    /// Records ready.
    available: u64,
    /// Chunks in memory, being made, ready or in use.
    chunks: usize,
    /// Chunker taken and not yet framed.
    in_flight: usize,
    pulling: bool,
    /// No chunk is left to be taken.
    exhausted: bool,
    /// Framing has ended, perhaps by a fault.
    ended: Option<Option<F::Error>>,
}

impl<F: CountRecords, D> Schedule<F, D> {
    /// If it `surveys`, groups are handed out a second time, with what has been [decided](Self::decided) of each.
    pub(super) fn new(
        inputs: Vec<TransformInput<F>>,
        plan: Plan,
        surveys: bool,
    ) -> Result<Self, F::Error> {
        let threads = plan.threads.max(1);
        let mut lanes = Vec::new();
        let mut queues = Vec::new();
        let mut before = None;
        for TransformInput { source, options, mut framer } in inputs {
            before.get_or_insert(source.origin().records);
            super::framer::begin(&mut framer, &source);
            let mut chunker = Chunker::new(source, &super::framer::options_of::<F>(&options))?;
            let is_shared = chunker.share(threads);
            lanes.push(InputLane {
                witness: chunker.witness(),
                serial: chunker.is_stream() && !is_shared,
                notes: options.notes.clone(),
                feed: Feed::inline(chunker),
                turns: Turns::new(threads, framer),
            });
            queues.push(Queue {
                ready: VecDeque::new(),
                used: 0,
                available: 0,
                chunks: 0,
                in_flight: 0,
                pulling: false,
                exhausted: false,
                ended: None,
            });
        }
        let before = before.unwrap_or(0);
        let survey = SurveyState {
            parked: BTreeMap::new(),
            decided: VecDeque::new(),
            next: 0,
            surveyed: 0,
            is_ending: false,
            has_ended: false,
        };
        let state = LockstepState {
            queues,
            survey,
            before,
            taken: 0,
            groups: 0,
            spare: Vec::new(),
            stopped: false,
        };
        Ok(Schedule {
            lanes,
            plan: Plan { threads, multiple: plan.multiple.max(1), ..plan },
            surveys,
            most: threads + 2,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, LockstepState<F, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody gets another task.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    /// What to do next; waits for something to do.
    pub(super) fn next_task(&self) -> LockstepTask<F, D> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return LockstepTask::Done;
            }
            if let Some((group, decision)) = state.survey.decided.pop_front() {
                return LockstepTask::Decided(group, decision);
            }
            // A serial input must never pause; small groups are not worth their overhead while
            // there is something else to do.
            if let Some(input) = self.input_to_pull(&mut state, true) {
                return LockstepTask::Pull(input);
            }
            if let Some(group) = state.take_group(&self.plan, false) {
                return LockstepTask::Work(group);
            }
            if let Some(input) = self.input_to_pull(&mut state, false) {
                return LockstepTask::Pull(input);
            }
            if let Some(group) = state.take_group(&self.plan, true) {
                return LockstepTask::Work(group);
            }
            if state.is_decided(&self.plan)
                && self.surveys
                && state.survey.surveyed == state.groups
                && !state.survey.is_ending
            {
                state.survey.is_ending = true;
                return LockstepTask::DecideRest(state.groups);
            }
            if state.is_decided(&self.plan) && (!self.surveys || state.survey.has_ended) {
                state.stopped = true;
                self.changed.notify_all();
                return LockstepTask::Done;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Of the inputs that may be pulled, the one that is most behind.
    fn input_to_pull(&self, state: &mut LockstepState<F, D>, serial: bool) -> Option<usize> {
        // Chunks of groups that wait, of which each has parts of two, aren't held against it.
        let waiting = 2 * (state.survey.parked.len() + state.survey.decided.len());
        let can = |&(index, queue): &(usize, &Queue<F>)| {
            self.lanes[index].serial == serial
                && queue.chunks < self.most + waiting
                && !(queue.pulling || queue.exhausted || queue.ended.is_some())
        };
        let candidates = state.queues.iter().enumerate().filter(can);
        let (index, _) = candidates.min_by_key(|(_, q)| (q.available, q.in_flight))?;
        let queue = &mut state.queues[index];
        queue.chunks += 1;
        queue.in_flight += 1;
        queue.pulling = serial;
        Some(index)
    }

    /// Keeps a group that has been surveyed until it is decided what it is worked on with.
    pub(super) fn park(&self, group: Group<F>) {
        let mut state = self.lock();
        state.survey.surveyed += 1;
        state.survey.parked.insert(group.number, group);
        drop(state);
        self.changed.notify_all();
    }

    /// Of the groups surveyed, in their order, the next ones are worked on with these decisions; they are all if it `has_ended`.
    pub(super) fn decided(&self, decisions: impl IntoIterator<Item = D>, has_ended: bool) {
        let mut state = self.lock();
        let survey = &mut state.survey;
        for decision in decisions {
            let group = survey.parked.remove(&survey.next);
            survey.next += 1;
            survey.decided.extend(group.map(|group| (group, decision)));
        }
        survey.has_ended |= has_ended;
        drop(state);
        self.changed.notify_all();
    }

    /// Makes the chunks of a group that is done free again.
    pub(super) fn release(&self, group: Group<F>) {
        let mut state = self.lock();
        let parts = group.inputs.into_iter().flatten();
        for framed in parts.filter_map(|part| Arc::into_inner(part.framed)) {
            state.queues[framed.input].chunks -= 1;
            state.spare.push(framed);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The number of groups handed out.
    pub(super) fn groups(&self) -> u64 {
        self.lock().groups
    }

    /// An error if a file was cut under its map.
    pub(super) fn check_intact(&self) -> Result<(), Error> {
        self.lanes.iter().try_for_each(|lane| lane.witness.check_intact())
    }

    /// How it ended, once all workers have.
    pub(super) fn verdict(self) -> Verdict<F> {
        self.lanes.iter().for_each(|lane| lane.feed.join());
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.verdict(&self.plan)
    }
}

impl<F: Framer, D> LockstepState<F, D> {
    /// The next records that are ready in all inputs: about a chunk, and not much less unless
    /// `any` number will do.
    fn take_group(&mut self, plan: &Plan, any: bool) -> Option<Group<F>> {
        let chunk = |q: &Queue<F>| q.ready.front().map_or(0, |framed| framed.records as u64);
        let multiple = plan.multiple as u64;
        let most = self.queues.iter().map(chunk).min()?.next_multiple_of(multiple);
        let ready = self.queues.iter().map(|q| q.available).min()?;
        let ready = plan.limit.map_or(ready, |limit| ready.min(limit - self.taken));
        let n = ready.min(most) / multiple * multiple;
        if n == 0 || (!any && n < most / 2) {
            return None;
        }
        let inputs = self.queues.iter_mut().map(|queue| queue.take(n)).collect();
        let group = Group { number: self.groups, first: self.before + self.taken, inputs };
        self.taken += n;
        self.groups += 1;
        Some(group)
    }

    /// Whether no more groups can come, and why is known.
    fn is_decided(&self, plan: &Plan) -> bool {
        plan.limit == Some(self.taken)
            || self.deciding(plan).is_some_and(|deciding| !matches!(deciding, Deciding::More))
    }

    /// What the inputs say in their order; `None` if that can't be said yet.
    fn deciding(&self, plan: &Plan) -> Option<Deciding> {
        let (mut shorter, mut longer) = (None, None);
        for (index, queue) in self.queues.iter().enumerate() {
            if queue.available >= plan.multiple as u64 {
                longer.get_or_insert(index);
                continue;
            }
            match &queue.ended {
                Some(Some(_)) => return Some(Deciding::Fault(index)),
                Some(None) if queue.available > 0 => {
                    return Some(Deciding::Uneven { ended: index, input: index });
                }
                Some(None) => shorter = shorter.or(Some(index)),
                None if queue.exhausted && queue.in_flight == 0 => {
                    return Some(Deciding::Abandoned);
                }
                None => return None,
            }
        }
        Some(match (shorter, longer) {
            (Some(ended), Some(input)) => Deciding::Uneven { ended, input },
            (Some(_), None) => Deciding::Even,
            (None, _) => Deciding::More,
        })
    }

    fn verdict(&mut self, plan: &Plan) -> Verdict<F> {
        if plan.limit == Some(self.taken) {
            return Verdict::Even;
        }
        match self.deciding(plan) {
            Some(Deciding::Even) => Verdict::Even,
            Some(Deciding::Fault(index)) => match self.queues[index].ended.take() {
                Some(Some(error)) => Verdict::Fault(error),
                _ => Verdict::Abandoned,
            },
            Some(Deciding::Uneven { ended, input }) => {
                match self.queues[input].take(1).into_iter().next() {
                    Some(left) => Verdict::Uneven { ended, input, left },
                    None => Verdict::Abandoned,
                }
            }
            _ => Verdict::Abandoned,
        }
    }
}

enum Deciding {
    Even,
    More,
    Fault(usize),
    Uneven { ended: usize, input: usize },
    Abandoned,
}

impl<F: Framer> Queue<F> {
    /// Takes the next `n` records, which must be available.
    fn take(&mut self, n: u64) -> Vec<Part<F>> {
        self.available -= n;
        let mut left = n as usize;
        let mut parts = Vec::with_capacity(2);
        while left > 0 {
            let Some(front) = self.ready.front() else { break };
            let end = front.records.min(self.used + left);
            left -= end - self.used;
            let records = self.used..end;
            if end == front.records {
                self.used = 0;
                parts.extend(self.ready.pop_front().map(|framed| Part { framed, records }));
            } else {
                self.used = end;
                parts.push(Part { framed: Arc::clone(front), records });
            }
        }
        parts
    }
}

/// What a worker keeps for taking and framing chunker.
pub(super) struct Puller<F: Framer> {
    buffer: ChunkBuffer,
    inflater: Inflater,
    frame: F::Frame,
}

impl<F: CountRecords> Puller<F> {
    /// One that maps blocks so that they can be spliced, or doesn't.
    pub(super) fn new(maps: bool) -> Self {
        Puller {
            buffer: ChunkBuffer::new(),
            inflater: Inflater::mapping(maps),
            frame: F::Frame::default(),
        }
    }

    /// Takes the next chunk of an input and adds its records to what is ready.
    pub(super) fn pull<D>(&mut self, schedule: &Schedule<F, D>, input: usize) {
        let lane = &schedule.lanes[input];
        let number = lane.feed.pull(&mut self.buffer);
        if lane.serial || number.is_none() {
            let mut state = schedule.lock();
            let queue = &mut state.queues[input];
            queue.pulling = false;
            if number.is_none() {
                queue.exhausted = true;
                queue.in_flight -= 1;
                queue.chunks -= 1;
            }
            drop(state);
            schedule.changed.notify_all();
        }
        let Some(number) = number else { return };
        let mut ticket = lane.turns.ticket(number);
        self.buffer.prepare(&mut self.inflater);
        self.buffer.keep_stored();
        F::scan(&mut self.frame, self.buffer.chunk.bytes());
        let Token::Go(mut framer) = ticket.wait() else {
            let mut state = schedule.lock();
            state.queues[input].in_flight -= 1;
            state.queues[input].chunks -= 1;
            drop(state);
            schedule.changed.notify_all();
            return;
        };
        let framed =
            frame_in_turn(&mut framer, &mut self.buffer, &mut self.frame, lane.notes.as_deref());
        let mut state = schedule.lock();
        // Still in turn: chunks become ready in their order.
        let records = F::count(&self.frame);
        state.add(input, &mut self.buffer.chunk, &mut self.frame, records);
        let ended = match framed {
            Ok(false) => None,
            Ok(true) => Some(None),
            Err(error) => Some(Some(error)),
        };
        let token = if ended.is_none() { Token::Go(framer) } else { Token::Stop };
        state.queues[input].ended = ended;
        drop(state);
        ticket.pass(token);
        schedule.changed.notify_all();
    }
}

impl<F: Framer, D> LockstepState<F, D> {
    /// Books a framed chunk; chunk and frame are exchanged for used ones.
    fn add(&mut self, input: usize, chunk: &mut Chunk, frame: &mut F::Frame, records: usize) {
        let queue = &mut self.queues[input];
        queue.in_flight -= 1;
        if records == 0 {
            queue.chunks -= 1;
            return;
        }
        let mut framed = self.spare.pop().unwrap_or_else(|| FramedChunk {
            input,
            chunk: Chunk::new(),
            frame: F::Frame::default(),
            records,
        });
        framed.input = input;
        framed.records = records;
        std::mem::swap(&mut framed.chunk, chunk);
        std::mem::swap(&mut framed.frame, frame);
        queue.available += records as u64;
        queue.ready.push_back(Arc::new(framed));
    }
}

/// One input of a [`transform`](super::transform()).
pub struct TransformInput<F> {
    /// Where its bytes come from.
    pub source: Source,
    /// How they are read; `threads` has no meaning here.
    pub options: Options,
    /// What finds its records.
    pub framer: F,
}
