//! Records in, bytes out: one or more inputs read in step, outputs compressed by the workers
//! that made them, everything in the order of the data.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::lockstep::{CountRecords, Group, Part, Plan, Puller, Schedule, Task, Verdict};
use super::{OnPanic, spawn};
use crate::ordered::Ordered;
use crate::output::{self, Encoded, Encoder, Output, Splice};
use crate::source::{Options, Source};
use crate::turn::{Token, Turns};

/// One input of a [`transform`].
pub struct Input<F> {
    /// Where its bytes come from.
    pub source: Source,
    /// How they are read; `threads` has no meaning here.
    pub options: Options,
    /// What finds its records.
    pub framer: F,
}

/// How the inputs of a [`transform`] ended.
pub enum Ending<F: super::Framer> {
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

impl<E: std::fmt::Display> std::fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Input(e) => e.fmt(f),
            Failure::Output(e) => e.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for Failure<E> {}

/// Reads `inputs` in step and writes what `work` makes of their records to `outputs`, on
/// `plan.threads` threads.
///
/// Each worker starts from `init()`; `work` gets a group of records and an empty text for each
/// output, and appends to the texts. Texts reach the outputs in the order of the groups, so the
/// outputs don't depend on threads or chunks. If `work` fails, what it has appended is still
/// written, nothing after it is, and no group after it counts. The workers' results are merged
/// in no particular order.
///
/// The outputs are complete after a success, and become files by
/// [`commit`](crate::output::commit); after a failure they lack the end of their format and can't be committed.
///
/// Memory is bounded by (threads + 2) chunks an input and four compressed stretches a thread.
///
/// # Errors
/// The first fault in the order of the data, or the failure of an output.
pub fn transform<F, C>(
    inputs: Vec<Input<F>>,
    plan: Plan,
    outputs: &mut [Output],
    init: impl Fn() -> C + Sync,
    work: impl Fn(&mut C, &Group<F>, &mut [Vec<u8>]) -> Result<(), F::Error> + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<(C, Ending<F>), Failure<F::Error>>
where
    F: CountRecords,
    F::Frame: Sync,
    C: Send,
{
    let threads = plan.threads.max(1);
    for output in outputs.iter_mut() {
        output.check_open().map_err(Failure::Output)?;
        // Until its end is written.
        output.abandon();
    }
    let units: Vec<Option<usize>> = outputs.iter().map(|o| o.compression().unit()).collect();
    // Made here, where a failure is simple to report.
    let mut codecs = Vec::new();
    for _ in 0..threads {
        let encoders: Result<Vec<Encoder>, _> = outputs.iter().map(Output::encoder).collect();
        codecs.push(encoders.map_err(Failure::Output)?);
    }
    let codecs = Mutex::new(codecs);
    let schedule = Schedule::new(inputs, plan).map_err(Failure::Input)?;
    // Text appended before goes on here.
    let carries: Vec<Vec<u8>> = outputs.iter_mut().map(Output::take_carry).collect();
    let chain = Turns::new(threads, carries);
    let fault = Mutex::new(None);
    let write_fault = Mutex::new(None);
    let sink = |stretch: &mut Stretch| {
        for (output, (encoded, fault)) in outputs.iter_mut().zip(stretch) {
            let written = match fault.take() {
                Some(error) => Err(output.fault(error)),
                None => output.write(encoded),
            };
            if let Err(error) = written {
                keep(&write_fault, error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    };
    let ordered = Ordered::new(threads, sink);

    let run = || {
        let _guard = OnPanic(&|| {
            schedule.stop();
            ordered.stop();
        });
        let mut so_far = init();
        let mut puller = Puller::new();
        let mut encoders =
            codecs.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let mut texts = vec![Vec::new(); units.len()];
        let mut splices: Vec<Splice> = units.iter().map(|_| Splice::default()).collect();
        loop {
            let group = match schedule.next_task() {
                Task::Done => break,
                Task::Pull(input) => {
                    puller.pull(&schedule, input);
                    continue;
                }
                Task::Work(group) => group,
            };
            let number = group.number;
            let mut ticket = chain.ticket(number);
            texts.iter_mut().for_each(Vec::clear);
            let result = work(&mut so_far, &group, &mut texts);
            schedule.release(group);
            let Token::Go(mut carries) = ticket.wait() else { break };
            let parts = splices.iter_mut().zip(&mut carries).zip(&texts).zip(&units);
            for (((splice, carry), text), unit) in parts {
                splice.take(carry, text, *unit);
            }
            let failed = result.is_err();
            if let Err(error) = result {
                keep(&fault, error);
            }
            ticket.pass(if failed { Token::Stop } else { Token::Go(carries) });
            let mut stretch = ordered.blank();
            stretch.resize_with(units.len(), Default::default);
            let parts = splices.iter().zip(&mut encoders).zip(&mut texts).zip(&mut stretch);
            for (((splice, encoder), text), (encoded, fault)) in parts {
                *fault = splice.encode(encoder, text, encoded).err();
            }
            if ordered.deliver(number, stretch).is_break() || failed {
                break;
            }
        }
        // A worker ends because nothing is left or because something went wrong: either way
        // nobody needs another task.
        schedule.stop();
        so_far
    };
    let so_far = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map_while(|_| spawn(scope, run)).collect();
        let mut result = run();
        for other in others {
            match other.join() {
                Ok(theirs) => merge(&mut result, theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    });
    drop(ordered);
    if let Some(error) = take(write_fault) {
        return Err(Failure::Output(error));
    }
    if let Err(error) = schedule.check_intact() {
        return Err(Failure::Input(error.into()));
    }
    if let Some(error) = take(fault) {
        return Err(Failure::Input(error));
    }
    let groups = schedule.groups();
    let ending = match schedule.verdict() {
        Verdict::Even => Ending::Even,
        Verdict::Uneven { ended, input, left } => {
            return Ok((so_far, Ending::Uneven { ended, input, left }));
        }
        Verdict::Fault(error) => return Err(Failure::Input(error)),
        Verdict::Abandoned => {
            let at = crate::Location::default();
            let kind = crate::ErrorKind::Io(std::io::Error::other("reading was abandoned"));
            return Err(Failure::Input(crate::Error::new(kind, at).into()));
        }
    };
    if let Token::Go(carries) = chain.ticket(groups).wait() {
        for (output, carry) in outputs.iter_mut().zip(&carries) {
            output.end(carry).map_err(Failure::Output)?;
        }
    }
    Ok((so_far, ending))
}

/// What a group adds to each output, or why it couldn't be encoded.
type Stretch = Vec<(Encoded, Option<std::io::Error>)>;

fn keep<T>(slot: &Mutex<Option<T>>, value: T) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(value);
}

fn take<T>(slot: Mutex<Option<T>>) -> Option<T> {
    slot.into_inner().unwrap_or_else(PoisonError::into_inner)
}
