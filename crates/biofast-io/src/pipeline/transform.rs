//! Records in, bytes out: one or more inputs read in step, outputs compressed by the workers
//! that made them, everything in the order of the data.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::copies::Copies;
use super::framer::Framer;
use super::lockstep::{
    CountRecords, Group, LockstepTask, Part, Plan, Puller, Schedule, TransformInput, Verdict,
};
use super::ordered::Ordered;
use super::outcome::Outcome;
use super::threads::{OnPanic, on_threads};
use super::turn::{Token, Turns};
use crate::error::Located;
use crate::input::{Notes, SerialPart};
use crate::output::{self, BlockReuse, Carried, CopyCutter, Encoded, Encoder, Output, UnitCutter};

/// How the inputs of a [`transform`] ended.
pub enum Ending<F: Framer> {
    /// Together, or at the limit.
    Even,
    /// Input `ended` ended where `input` has more records (the same input if its records don't
    /// fill the multiple): `left` is the first of them.
    Uneven {
        /// The input that ended.
        ended: usize,
        /// The input that has a record left.
        input: usize,
        /// That record.
        left: Part<F>,
    },
}

/// Why a [`transform`] failed.
#[derive(Debug)]
pub enum Failure<E> {
    /// An input can't be read, or a record of it is wrong.
    Input(E),
    /// An output can't be written.
    Output(output::Error),
}

impl<E: From<output::Error>> Failure<E> {
    /// The error, of the input or of an output: `map_err(Failure::into_error)`.
    pub fn into_error(self) -> E {
        match self {
            Failure::Input(error) => error,
            Failure::Output(error) => error.into(),
        }
    }
}

impl<E: std::fmt::Display> std::fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Input(e) => e.fmt(f),
            Failure::Output(e) => e.fmt(f),
        }
    }
}

impl<K: From<output::Error>> From<Failure<Located<K>>> for Located<K> {
    fn from(failure: Failure<Located<K>>) -> Self {
        failure.into_error()
    }
}

/// The error of the input or output is the [source](std::error::Error::source), so that a caller that has boxed a failure finds it.
impl<E: std::error::Error + 'static> std::error::Error for Failure<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            Failure::Input(error) => error,
            Failure::Output(error) => error,
        })
    }
}

/// Reads `inputs` in step and writes what `work` makes of their records to `outputs`, on
/// `plan.threads` threads.
///
/// Each worker starts from `init()`; `work` gets a group of records and an empty text for each
/// output, and appends to the texts. Texts reach the outputs in the order of the groups, so the
/// outputs don't depend on threads or chunks. If `work` [breaks or fails](Outcome), what it has appended is still
/// written, nothing after it is, and no group after it counts. The workers' results are merged
/// in no particular order. For outputs that are [`copying`](Output::copying) `work` says which bytes of a text are records
/// as they were.
///
/// The outputs are complete after a success, and become files by
/// [`commit`](crate::output::commit); after a failure they lack the end of their format and can't be committed.
///
/// Memory is bounded by (threads + 2) chunks an input and four encoded groups a thread.
///
/// ```
/// use biofast_io::output::{self, Output};
/// use biofast_io::pipeline::{self, CountRecords, End, Framer, Plan, TransformInput};
/// use biofast_io::{Carry, Chunk, Error, Options, Source};
/// use std::ops::Range;
///
/// /// A record is a line; those of a cut one are left out here.
/// #[derive(Default)]
/// struct Lines(Carry);
///
/// impl Framer for Lines {
///     type Frame = Vec<Range<usize>>;
///     type Error = Error;
///
///     fn scan(lines: &mut Self::Frame, _: &[u8]) {
///         lines.clear();
///     }
///
///     fn frame(&mut self, chunk: &mut Chunk, lines: &mut Self::Frame, _: End) -> Result<(), Error> {
///         chunk.join(&mut self.0);
///         let mut start = 0;
///         for line in chunk.bytes().split_inclusive(|&byte| byte == b'\n') {
///             if line.ends_with(b"\n") {
///                 lines.push(start..start + line.len());
///                 start += line.len();
///             }
///         }
///         chunk.cut(start, &mut self.0);
///         Ok(())
///     }
/// }
///
/// impl CountRecords for Lines {
///     fn count(lines: &Self::Frame) -> usize {
///         lines.len()
///     }
/// }
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-transform-{}", std::process::id()));
/// let mut outputs = vec![Output::create_with(&path, Default::default())?];
/// let input = |text: &'static [u8]| TransformInput {
///     source: Source::from_reader("example", text),
///     options: Options::default(),
///     framer: Lines::default(),
/// };
/// // Lines of two inputs in turn.
/// let (lines, _) = pipeline::transform(
///     vec![input(b"a\nb\n"), input(b"1\n2\n")],
///     Plan { threads: 2, multiple: 1, limit: None },
///     &mut outputs,
///     || 0,
///     |count, group, texts, _| {
///         let lines = |input| {
///             group.input(input).iter().flat_map(|part| {
///                 part.frame()[part.records()].iter().map(|line| &part.chunk().bytes()[line.clone()])
///             })
///         };
///         for (letter, digit) in lines(0).zip(lines(1)) {
///             *count += 2;
///             texts[0].extend_from_slice(letter);
///             texts[0].extend_from_slice(digit);
///         }
///     },
///     |count, other| *count += other,
/// )?;
/// output::commit(outputs, false)?;
/// assert_eq!((lines, std::fs::read(&path)?), (4, b"a\n1\nb\n2\n".to_vec()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault in the order of the data, or the failure of an output.
pub fn transform<F, C, R>(
    inputs: Vec<TransformInput<F>>,
    plan: Plan,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    work: impl Fn(&mut C, &Group<F>, &mut [Vec<u8>], &mut [Copies]) -> R + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(C, Ending<F>), Failure<R::Error>>
where
    F: CountRecords,
    F::Frame: Sync,
    C: Send,
    R: Outcome<F::Error>,
{
    let at_once = None::<(fn(&mut C, &Group<F>), fn(_, &mut Vec<()>) -> _)>;
    let work = |so_far: &mut C,
                group: &Group<F>,
                _: Option<()>,
                texts: &mut [Vec<u8>],
                copies: &mut [Copies]| work(so_far, group, texts, copies);
    run_transform(inputs, plan, outputs, init, at_once, work, merge)
}

/// [`transform`] where `work` on a group needs to know what `decide` says of it, which knows of groups further on.
///
/// `survey` tells what a group holds, on the workers. `decide` takes that in the order of the groups, and `None` after the last of
/// them, and appends decisions: one for each group, in their order, whenever it can. Groups wait in memory until then. If it
/// fails, that is the failure of all.
///
/// # Errors
/// As [`transform`], and that of `decide`.
#[doc(hidden)]
pub fn transform_surveyed<F, C, S, D, R>(
    inputs: Vec<TransformInput<F>>,
    plan: Plan,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    (survey, decide): (
        impl Fn(&mut C, &Group<F>) -> S + Sync,
        impl FnMut(Option<S>, &mut Vec<D>) -> Result<(), R::Error> + Send,
    ),
    work: impl Fn(&mut C, &Group<F>, D, &mut [Vec<u8>], &mut [Copies]) -> R + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(C, Ending<F>), Failure<R::Error>>
where
    F: CountRecords,
    F::Frame: Sync,
    C: Send,
    S: Send,
    D: Send,
    R: Outcome<F::Error>,
{
    let work = |so_far: &mut C,
                group: &Group<F>,
                decision: Option<D>,
                texts: &mut [Vec<u8>],
                copies: &mut [Copies]| match decision {
        Some(decision) => work(so_far, group, decision, texts, copies).into_flow(),
        None => Ok(ControlFlow::Continue(())),
    };
    run_transform(inputs, plan, outputs, init, Some((survey, decide)), work, merge)
}

fn run_transform<F, C, S, D, R>(
    inputs: Vec<TransformInput<F>>,
    plan: Plan,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    survey: Option<(
        impl Fn(&mut C, &Group<F>) -> S + Sync,
        impl FnMut(Option<S>, &mut Vec<D>) -> Result<(), R::Error> + Send,
    )>,
    work: impl Fn(&mut C, &Group<F>, Option<D>, &mut [Vec<u8>], &mut [Copies]) -> R + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(C, Ending<F>), Failure<R::Error>>
where
    F: CountRecords,
    F::Frame: Sync,
    C: Send,
    S: Send,
    D: Send,
    R: Outcome<F::Error>,
{
    let threads = plan.threads.max(1);
    let notes = inputs.first().and_then(|input| input.options.notes.clone());
    let (which, encoders) = open(outputs, threads).map_err(Failure::Output)?;
    let input_fault = |error: F::Error| Failure::Input(error.into());
    let schedule = Schedule::new(inputs, plan, survey.is_some()).map_err(input_fault)?;
    let units = outputs.iter().map(|output| output.compression().unit()).collect();
    let reuse = outputs.iter().map(Output::reuse).collect();
    // Text appended before goes on here.
    let carries = outputs.iter_mut().map(|output| output.take_carry().into()).collect();
    let write_fault = Mutex::new(None);
    let sink = |group: &mut EncodedGroup| {
        let written = Notes::time(notes.as_deref(), SerialPart::Writing, || write(outputs, group));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                keep(&write_fault, error);
                ControlFlow::Break(())
            }
        }
    };
    let shared = TransformShared {
        schedule,
        carries: Turns::new(threads, carries),
        ordered: Ordered::new(threads, sink),
        units,
        reuse,
        which,
        spare: Mutex::default(),
        encoders: Mutex::new(encoders),
        end: Mutex::new(None),
    };
    let (survey, decide) = survey.unzip();
    let decisions = decide.map(Decisions::new);
    let survey = survey.as_ref().zip(decisions.as_ref());
    let run = || {
        let _guard = OnPanic(&|| shared.stop());
        let mut so_far = init();
        shared.run(&mut so_far, survey, &work);
        so_far
    };
    let so_far = on_threads(threads, run, merge);
    let TransformShared { schedule, carries, ordered, which, end, .. } = shared;
    // With it goes what writes to the outputs.
    drop(ordered);
    if let Some(error) = take(write_fault) {
        return Err(Failure::Output(error));
    }
    if let Err(error) = schedule.check_intact() {
        return Err(input_fault(error.into()));
    }
    let (carries, ending) = match take(end) {
        Some(Ok(carries)) => (Token::Go(carries), Ending::Even),
        Some(Err(error)) => return Err(Failure::Input(error)),
        None => {
            let groups = schedule.groups();
            match ending(schedule).map_err(input_fault)? {
                Ending::Even => (carries.ticket(groups).wait(), Ending::Even),
                uneven => (Token::Stop, uneven),
            }
        }
    };
    if let Token::Go(carries) = carries {
        // Shared here, too: to make one takes longer than to encode the rest of an output.
        let mut encoders: Vec<Option<Encoder>> = which.iter().map(|_| None).collect();
        for ((output, carry), encoder) in outputs.iter_mut().zip(&carries).zip(which) {
            output.end(&carry.text, &mut encoders[encoder]).map_err(Failure::Output)?;
        }
    }
    Ok((so_far, ending))
}

/// Checks that all outputs can be written to, and makes the encoders of each thread: here, where a failure is simple to
/// report. Outputs of the same compression share one, as it keeps nothing between units: the first result says which.
fn open(
    outputs: &mut [Output],
    threads: usize,
) -> Result<(Vec<usize>, Vec<Vec<Encoder>>), output::Error> {
    let mut different: Vec<usize> = Vec::new();
    let mut which = Vec::with_capacity(outputs.len());
    for number in 0..outputs.len() {
        outputs[number].check_open()?;
        // Until its end is written.
        outputs[number].abandon();
        let is_like =
            |&other: &usize| outputs[other].compression() == outputs[number].compression();
        which.push(different.iter().position(is_like).unwrap_or(different.len()));
        if which[number] == different.len() {
            different.push(number);
        }
    }
    let encoders = || -> Result<Vec<Encoder>, output::Error> {
        different.iter().map(|&number| outputs[number].encoder()).collect()
    };
    Ok((which, (0..threads).map(|_| encoders()).collect::<Result<_, _>>()?))
}

/// Of more outputs than these, workers keep no buffers for each from group to group: a thousand unfinished units are
/// memory enough.
const MANY: usize = 32;
/// The longest buffer that is kept for another of many outputs.
const LONGEST_SPARE: usize = 128 << 10;

/// What the workers share.
struct TransformShared<F: Framer, D, S, E> {
    schedule: Schedule<F, D>,
    /// Hands the unfinished unit of each output from group to group.
    carries: Turns<Vec<Carried>>,
    ordered: Ordered<EncodedGroup, S>,
    /// How long the units of each output are.
    units: Vec<Option<usize>>,
    /// Which outputs copy blocks.
    reuse: Vec<BlockReuse>,
    /// Which of a worker's encoders is that of each output.
    which: Vec<usize>,
    /// Of many outputs: buffers of units that have been encoded.
    spare: Mutex<Vec<Vec<u8>>>,
    /// The encoders of workers that have not begun.
    encoders: Mutex<Vec<Vec<Encoder>>>,
    /// How `work` ended before the data did: with enough, and the unfinished units, or by a failure.
    end: Mutex<Option<Result<Vec<Carried>, E>>>,
}

/// What a group adds to each output, or why it couldn't be encoded.
type EncodedGroup = Vec<(Encoded, Option<std::io::Error>)>;

/// What a worker has for itself.
struct TransformWorker<F: Framer> {
    puller: Puller<F>,
    encoders: Vec<Encoder>,
    texts: Vec<Vec<u8>>,
    copies: Vec<Copies>,
    cutters: Vec<Cutter>,
    /// What the text of one of many outputs is encoded to: encoders want more room than they fill.
    scratch: Encoded,
}

/// What cuts the texts of an output.
enum Cutter {
    Units(UnitCutter),
    Copies(CopyCutter),
}

/// What has been found of groups, taken in their order.
struct Decisions<S, G> {
    state: Mutex<DecisionState<S, G>>,
}

struct DecisionState<S, G> {
    /// The number of the group that is next.
    next: u64,
    /// What has been found of groups behind it, or that there is none of this number.
    found: BTreeMap<u64, Option<S>>,
    decide: G,
}

impl<S, G> Decisions<S, G> {
    fn new(decide: G) -> Self {
        Decisions { state: Mutex::new(DecisionState { next: 0, found: BTreeMap::new(), decide }) }
    }

    /// Takes what was found of a group, or that there are only so many, and gives what is decided by it to `hand_out`: in order, as
    /// nobody else decides meanwhile.
    fn take<D, E>(
        &self,
        number: u64,
        found: Option<S>,
        hand_out: impl FnOnce(Vec<D>, bool),
    ) -> Result<(), E>
    where
        G: FnMut(Option<S>, &mut Vec<D>) -> Result<(), E>,
    {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let DecisionState { next, found: waiting, decide } = &mut *state;
        waiting.insert(number, found);
        let (mut decisions, mut has_ended) = (Vec::new(), false);
        while let Some(found) = waiting.remove(next) {
            *next += 1;
            has_ended |= found.is_none();
            decide(found, &mut decisions)?;
        }
        hand_out(decisions, has_ended);
        Ok(())
    }
}

impl<F, D, S, E> TransformShared<F, D, S, E>
where
    F: CountRecords,
    S: FnMut(&mut EncodedGroup) -> ControlFlow<()>,
{
    fn worker(&self) -> TransformWorker<F> {
        let encoders = self.encoders.lock().unwrap_or_else(PoisonError::into_inner).pop();
        TransformWorker {
            puller: Puller::new(self.reuse.contains(&BlockReuse::Splice)),
            encoders: encoders.unwrap_or_default(),
            texts: vec![Vec::new(); self.units.len()],
            copies: self.reuse.iter().map(|&reuse| Copies::new(reuse)).collect(),
            cutters: self.reuse.iter().map(|&reuse| Cutter::new(reuse)).collect(),
            scratch: Encoded::default(),
        }
    }

    /// Does tasks until there are no more.
    fn run<C, W, G, R: Outcome<F::Error, Error = E>>(
        &self,
        so_far: &mut C,
        survey: Option<(&impl Fn(&mut C, &Group<F>) -> W, &Decisions<W, G>)>,
        work: impl Fn(&mut C, &Group<F>, Option<D>, &mut [Vec<u8>], &mut [Copies]) -> R,
    ) where
        G: FnMut(Option<W>, &mut Vec<D>) -> Result<(), E>,
    {
        let mut worker = self.worker();
        let hand_out = |decisions, has_ended| self.schedule.decided(decisions, has_ended);
        loop {
            let (group, decision) = match (self.schedule.next_task(), survey) {
                (LockstepTask::Done, _) => break,
                (LockstepTask::Pull(input), _) => {
                    worker.puller.pull(&self.schedule, input);
                    continue;
                }
                (LockstepTask::Work(group), Some((survey, decisions))) => {
                    let number = group.number;
                    let found = survey(so_far, &group);
                    self.schedule.park(group);
                    if let Err(error) = decisions.take(number, Some(found), hand_out) {
                        keep(&self.end, Err(error));
                        break;
                    }
                    continue;
                }
                (LockstepTask::DecideRest(groups), Some((_, decisions))) => {
                    if let Err(error) = decisions.take(groups, None, hand_out) {
                        keep(&self.end, Err(error));
                        break;
                    }
                    continue;
                }
                (LockstepTask::DecideRest(_), None) => continue,
                (LockstepTask::Decided(group, decision), _) => (group, Some(decision)),
                (LockstepTask::Work(group), None) => (group, None),
            };
            let work = |group: &Group<F>, texts: &mut [Vec<u8>], copies: &mut [Copies]| {
                work(so_far, group, decision, texts, copies).into_flow()
            };
            if self.do_group(&mut worker, group, work).is_break() {
                break;
            }
        }
        // A worker ends because nothing is left or because something went wrong: either way
        // nobody needs another task.
        self.schedule.stop();
    }

    /// Makes the texts of a group, encodes them and delivers what they have become.
    fn do_group(
        &self,
        worker: &mut TransformWorker<F>,
        group: Group<F>,
        work: impl FnOnce(&Group<F>, &mut [Vec<u8>], &mut [Copies]) -> Result<ControlFlow<()>, E>,
    ) -> ControlFlow<()> {
        let TransformWorker { encoders, texts, copies, cutters, scratch, .. } = worker;
        let number = group.number;
        let mut ticket = self.carries.ticket(number);
        texts.iter_mut().for_each(Vec::clear);
        copies.iter_mut().for_each(Copies::clear);
        let flow = work(&group, texts, copies);
        self.schedule.release(group);
        let Token::Go(mut carries) = ticket.wait() else { return ControlFlow::Break(()) };
        let many = self.units.len() > MANY;
        let mut spare = many.then(|| self.spare.lock().unwrap_or_else(PoisonError::into_inner));
        let mut spare_buffers = spare.as_deref_mut();
        let outputs = cutters.iter_mut().zip(&mut carries).zip(&*texts).zip(&self.units);
        let outputs = outputs.zip(copies.iter_mut().zip(&self.which));
        for ((((cutter, carried), text), unit), (copies, &encoder)) in outputs {
            match cutter {
                Cutter::Units(cutter) => {
                    cutter.take(&mut carried.text, text, *unit, spare_buffers.as_deref_mut());
                }
                Cutter::Copies(cutter) => {
                    // There is one, as `open` counted them.
                    let Some(encoder) = encoders.get_mut(encoder) else { continue };
                    cutter.take(carried, text, &mut copies.pieces, encoder);
                }
            }
        }
        drop(spare);
        let ended = !matches!(flow, Ok(ControlFlow::Continue(())));
        ticket.pass(match flow {
            Ok(ControlFlow::Continue(())) => Token::Go(carries),
            Ok(ControlFlow::Break(())) => {
                keep(&self.end, Ok(carries));
                Token::Stop
            }
            Err(error) => {
                keep(&self.end, Err(error));
                Token::Stop
            }
        });
        let mut encoded_group = self.ordered.blank();
        encoded_group.resize_with(self.units.len(), Default::default);
        let outputs = cutters.iter_mut().zip(&self.which).zip(texts).zip(&mut encoded_group);
        for (((cutter, &encoder), text), (encoded, fault)) in outputs {
            scratch.clear();
            let out = if many { &mut *scratch } else { &mut *encoded };
            let done = match (encoders.get_mut(encoder), &mut *cutter) {
                (Some(encoder), Cutter::Units(cutter)) => cutter.encode(encoder, text, out),
                (Some(encoder), Cutter::Copies(cutter)) => cutter.encode(encoder, text, out),
                (None, _) => Err(std::io::Error::other("there is no encoder for a thread")),
            };
            *fault = done.err();
            if many {
                *encoded = scratch.clone();
                self.keep_buffer(cutter);
            }
        }
        match self.ordered.deliver(number, encoded_group) {
            ControlFlow::Continue(()) if !ended => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Takes the buffers of a cutter, which is one of many, for whichever output needs one next.
    fn keep_buffer(&self, cutter: &mut Cutter) {
        match cutter {
            Cutter::Units(units) => {
                let buffer = units.take_buffer();
                // Those of long units are better given back.
                if (1..=LONGEST_SPARE).contains(&buffer.capacity()) {
                    self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
                }
            }
            Cutter::Copies(copies) => copies.forget(),
        }
    }

    /// Lets nobody wait any more.
    fn stop(&self) {
        self.schedule.stop();
        self.ordered.stop();
    }
}

impl Cutter {
    fn new(reuse: BlockReuse) -> Cutter {
        match reuse {
            BlockReuse::Never => Cutter::Units(UnitCutter::default()),
            reuse => Cutter::Copies(CopyCutter::new(reuse)),
        }
    }
}

/// Writes what a group adds to each output.
fn write(outputs: &mut [Output], group: &mut EncodedGroup) -> Result<(), output::Error> {
    let has_many = outputs.len() > MANY;
    for (output, (encoded, fault)) in outputs.iter_mut().zip(group) {
        match fault.take() {
            Some(error) => return Err(output.fault(error)),
            None => output.write(encoded)?,
        }
        if has_many {
            *encoded = Encoded::default();
        }
    }
    Ok(())
}

/// How the inputs ended, once nothing is left to do.
fn ending<F: CountRecords, D>(schedule: Schedule<F, D>) -> Result<Ending<F>, F::Error> {
    match schedule.verdict() {
        Verdict::Even => Ok(Ending::Even),
        Verdict::Uneven { ended, input, left } => Ok(Ending::Uneven { ended, input, left }),
        Verdict::Fault(error) => Err(error),
        Verdict::Abandoned => {
            let kind = crate::ErrorKind::Io(std::io::Error::other("reading was abandoned"));
            Err(crate::Error::new(kind, crate::Location::default()).into())
        }
    }
}

fn keep<T>(slot: &Mutex<Option<T>>, value: T) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(value);
}

fn take<T>(slot: Mutex<Option<T>>) -> Option<T> {
    slot.into_inner().unwrap_or_else(PoisonError::into_inner)
}
