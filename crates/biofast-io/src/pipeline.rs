//! The one pipeline: pieces → decompress → frame in order → use, on the same worker.
//!
//! A worker takes a piece of the input (short and serial), decompresses it and does what needs
//! no order ([`Framer::scan`]); then, when its turn comes, frames it exactly from the state its
//! predecessor left ([`Framer::frame`]), hands the new state on, and only then does the heavy
//! work on the records. So framing never guesses, every record is used exactly once, and
//! workers don't wait for each other's analysis. Where the turn of a piece hasn't come, the worker
//! puts it by and takes another one meanwhile. Memory is bounded by 2 × threads × chunk plus the
//! longest record.
//!
//! A fault anywhere stops the pipeline at that point of the data: every record before it has
//! been used, none after it, whatever the number of threads.

mod lockstep;
mod transform;

pub use lockstep::{CountRecords, Group, Part, Plan};
pub use transform::{Ending, Failure, Input, transform};

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Scope, ScopedJoinHandle};

use crate::bgzf::Inflater;
use crate::chunk::Chunk;
use crate::container::Container;
use crate::error::Error;
use crate::feed::{Feed, Pull};
use crate::input::Witness;
use crate::ordered::Ordered;
use crate::pieces::{Load, Pieces};
use crate::source::{Notes, Options, Source};
use crate::turn::{Ticket, Token, Turns};

/// What follows the bytes that are being framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// More data.
    More,
    /// Nothing: the data are complete.
    Data,
    /// A fault: what is incomplete is not an error of its own.
    Fault,
}

/// Finds where records begin and end: the state that passes from chunk to chunk.
pub trait Framer: Send + 'static {
    /// What is found in one chunk. Workers reuse it: [`scan`](Framer::scan) must clear it.
    type Frame: Default + Send;
    /// The format's error.
    type Error: From<Error> + Send;

    /// Work on a chunk's own bytes that needs no knowledge of what came before.
    fn scan(frame: &mut Self::Frame, bytes: &[u8]);

    /// Frames the records of `chunk` in turn: joins the carried bytes in front, lists the
    /// complete records in `frame`, and cuts off and keeps the unfinished rest.
    ///
    /// # Errors
    /// The first fault of the format. `frame` then lists the records before it.
    fn frame(
        &mut self,
        chunk: &mut Chunk,
        frame: &mut Self::Frame,
        end: End,
    ) -> Result<(), Self::Error>;

    /// Adds what the framer knows (record, line) to a fault that comes right after the bytes
    /// framed so far.
    fn locate(&self, error: Error) -> Self::Error {
        error.into()
    }
}

/// A fault, and what had been gathered from the records before it.
#[derive(Debug)]
pub struct Fault<C, E> {
    /// What went wrong.
    pub error: E,
    /// The result over exactly the records before the fault.
    pub so_far: C,
}

/// Folds all records of `source` on `options.threads` threads.
///
/// Each worker starts from `init()`, calls `accept` once per chunk, and the workers' results
/// are merged. Which worker sees which chunk is not determined, so `merge` must not depend on
/// order; [`fold_ordered`] is for what does.
///
/// A fault is returned when the workers have ended. One that waits for more of a stalled stream
/// ends when the stream moves or closes.
///
/// # Errors
/// The first fault in the order of the data, with the result over the records before it.
pub fn fold<F, C>(
    source: Source,
    options: &Options,
    framer: F,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, &Chunk, &F::Frame) + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Fault<C, F::Error>>
where
    F: Framer,
    C: Send,
{
    let accept = |so_far: &mut C, _, chunk: &Chunk, frame: &F::Frame| {
        accept(so_far, chunk, frame);
        ControlFlow::Continue(())
    };
    run(source, options, framer, init, accept, merge, || {})
}

/// [`fold`], and beside it what depends on order: `accept` also fills a `T` for each chunk, and
/// `sink` gets them one after the other in the order of the data.
///
/// The sink runs on whichever worker has the next `T`, while the others work on; it should be
/// short beside `accept`. A `T` is used again after the sink: `accept` finds what the sink left
/// of it. `Break` ends the reading early and is not a fault; chunks after it may have been
/// accepted already.
///
/// # Errors
/// As [`fold`].
pub fn fold_ordered<F, C, T>(
    source: Source,
    options: &Options,
    framer: F,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, &Chunk, &F::Frame, &mut T) + Sync,
    merge: impl Fn(&mut C, C),
    sink: impl FnMut(&mut T) -> ControlFlow<()> + Send,
) -> Result<C, Fault<C, F::Error>>
where
    F: Framer,
    C: Send,
    T: Default + Send,
{
    let ordered = Ordered::new(options.threads.max(1), sink);
    let accept = |so_far: &mut C, piece: u64, chunk: &Chunk, frame: &F::Frame| {
        let mut result = ordered.blank();
        accept(so_far, chunk, frame, &mut result);
        ordered.deliver(piece, result)
    };
    run(source, options, framer, init, accept, merge, || ordered.stop())
}

/// What the folds share. `accept` gets the number of the piece and may end the work; `abort` is
/// called when a worker panics.
fn run<F, C>(
    source: Source,
    options: &Options,
    framer: F,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, u64, &Chunk, &F::Frame) -> ControlFlow<()> + Sync,
    merge: impl Fn(&mut C, C),
    abort: impl Fn() + Sync,
) -> Result<C, Fault<C, F::Error>>
where
    F: Framer,
    C: Send,
{
    let mut pieces = match Pieces::new(source, options) {
        Ok(pieces) => pieces,
        Err(error) => {
            return Err(Fault { error: error.into(), so_far: init() });
        }
    };
    let witness = pieces.witness();
    let threads = options.threads.max(1);
    let is_shared = pieces.share(threads);
    let (feed, workers) = if pieces.is_stream() && !is_shared && threads > 1 {
        (Feed::ahead(pieces, threads), threads - 1)
    } else {
        (Feed::inline(pieces), threads)
    };
    let turns = Turns::new(PIECES_PER_WORKER * workers, framer);
    let fault = Mutex::new(None);
    let work = || {
        let _guard = OnPanic(&abort);
        let mut so_far = init();
        let mut worker = Worker::<F>::new(&feed, &turns, options.notes.as_deref());
        while let Some((piece, error)) = worker.step() {
            let flow = accept(&mut so_far, piece, &worker.load.chunk, &worker.frame);
            if flow.is_break() {
                break;
            }
            if let Some(error) = error {
                *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                break;
            }
        }
        so_far
    };
    let so_far = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map_while(|_| spawn(scope, work)).collect();
        let mut result = work();
        for other in others {
            match other.join() {
                Ok(theirs) => merge(&mut result, theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    });
    feed.join();
    // The records of the last chunks were used after their check in the turn.
    if let Err(error) = witness.check_intact() {
        return Err(Fault { error: error.into(), so_far });
    }
    match fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(Fault { error, so_far }),
        None => Ok(so_far),
    }
}

/// Another thread for `work`, if the system has one: with fewer the work takes longer and is the same.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    std::thread::Builder::new().spawn_scoped(scope, work).ok()
}

/// Calls the function when it is dropped by a panic.
struct OnPanic<'a, A: Fn()>(&'a A);

impl<A: Fn()> Drop for OnPanic<'_, A> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0();
        }
    }
}

/// The same framing on the calling thread, a chunk at a time: for plain iterators.
pub struct Frames<F: Framer> {
    feed: Feed,
    load: Load,
    inflater: Inflater,
    framer: F,
    frame: F::Frame,
    pending: Option<F::Error>,
    ended: bool,
    container: Container,
    notes: Option<Arc<Notes>>,
    witness: Witness,
}

impl<F: Framer> Frames<F> {
    /// Opens `source`.
    ///
    /// # Errors
    /// If its first bytes can't be read.
    pub fn new(source: Source, options: &Options, framer: F) -> Result<Self, F::Error> {
        let pieces = Pieces::new(source, options)?;
        let container = pieces.container();
        let witness = pieces.witness();
        let feed = if pieces.is_stream() && options.threads > 1 {
            Feed::ahead(pieces, 1)
        } else {
            Feed::inline(pieces)
        };
        Ok(Frames {
            feed,
            load: Load::new(),
            inflater: Inflater::new(),
            framer,
            frame: F::Frame::default(),
            pending: None,
            ended: false,
            container,
            notes: options.notes.clone(),
            witness,
        })
    }

    /// The container of the input.
    pub fn container(&self) -> Container {
        self.container
    }

    /// Moves to the next chunk; `false` at the end of the data.
    ///
    /// # Errors
    /// The first fault, after the records before it have been delivered.
    pub fn advance(&mut self) -> Result<bool, F::Error> {
        if let Some(error) = self.pending.take() {
            self.ended = true;
            return Err(error);
        }
        if !self.ended && self.feed.pull(&mut self.load).is_none() {
            // A decoder that ended before the data did has panicked; that goes on here.
            self.feed.join();
            self.ended = true;
        }
        if self.ended {
            // The last records were used after their check.
            return self.witness.check_intact().map(|()| false).map_err(F::Error::from);
        }
        self.load.prepare(&mut self.inflater);
        F::scan(&mut self.frame, self.load.chunk.bytes());
        match frame_in_turn(
            &mut self.framer,
            &mut self.load,
            &mut self.frame,
            self.notes.as_deref(),
        ) {
            Ok(last) => self.ended = last,
            Err(error) => self.pending = Some(error),
        }
        Ok(true)
    }

    /// The current chunk's bytes and records.
    #[inline]
    pub fn current(&self) -> (&Chunk, &F::Frame) {
        (&self.load.chunk, &self.frame)
    }
}

/// The ordered part, the same for a worker and for [`Frames`]. `Ok(true)` after the last bytes.
fn frame_in_turn<F: Framer>(
    framer: &mut F,
    load: &mut Load,
    frame: &mut F::Frame,
    notes: Option<&Notes>,
) -> Result<bool, F::Error> {
    let fault = load.fault.take();
    let end = match (&fault, load.last) {
        (Some(_), _) => End::Fault,
        (None, true) => End::Data,
        (None, false) => End::More,
    };
    let framed = framer.frame(&mut load.chunk, frame, end);
    // Before any finding is believed: were the bytes those of the file?
    if let Err(error) = load.check_intact() {
        return Err(framer.locate(error));
    }
    framed?;
    match fault {
        Some(error) => Err(framer.locate(error)),
        None => {
            if let (Some(warning), Some(notes)) = (load.warning.take(), notes) {
                notes.warn(warning);
            }
            Ok(load.last)
        }
    }
}

/// The one that it works on, and one put by.
const PIECES_PER_WORKER: usize = 2;

struct Worker<'a, F: Framer> {
    feed: &'a Feed,
    turns: &'a Turns<F>,
    notes: Option<&'a Notes>,
    load: Load,
    inflater: Inflater,
    frame: F::Frame,
    /// The right to the turn of the piece put by, if there is one.
    waiting: Option<Ticket<'a, F>>,
    /// The piece put by; or buffers for one.
    other: (Load, F::Frame),
    /// The piece put by has been framed, with this outcome.
    framed: Option<Framed<F>>,
}

/// A framed piece: its number, and the fault if its records are the last ones before one.
type Framed<F> = (u64, Option<<F as Framer>::Error>);

impl<'a, F: Framer> Worker<'a, F> {
    fn new(feed: &'a Feed, turns: &'a Turns<F>, notes: Option<&'a Notes>) -> Self {
        Worker {
            feed,
            turns,
            notes,
            load: Load::new(),
            inflater: Inflater::new(),
            frame: F::Frame::default(),
            waiting: None,
            other: (Load::new(), F::Frame::default()),
            framed: None,
        }
    }

    /// The next piece to be framed, inflated and scanned; it's in `load` and `frame`.
    fn prepare(&mut self) -> Option<Ticket<'a, F>> {
        while !self.waiting.as_ref().is_some_and(Ticket::has_come) {
            // Others wait for a piece put by: nothing long may come before it.
            let pull = match self.waiting {
                None => Pull::Piece(self.feed.pull(&mut self.load)),
                Some(_) => self.feed.pull_ready(&mut self.load),
            };
            let Pull::Piece(Some(piece)) = pull else { break };
            let ticket = self.turns.ticket(piece);
            self.load.prepare(&mut self.inflater);
            F::scan(&mut self.frame, self.load.chunk.bytes());
            if self.waiting.is_none() && ticket.has_come() {
                return Some(ticket);
            }
            // It is put by; what was so before comes first, and must be waited for now.
            self.exchange();
            let before = self.waiting.replace(ticket);
            if before.is_some() {
                return before;
            }
        }
        self.exchange();
        self.waiting.take()
    }

    fn exchange(&mut self) {
        std::mem::swap(&mut self.load, &mut self.other.0);
        std::mem::swap(&mut self.frame, &mut self.other.1);
    }

    /// Takes and frames the next piece. `None`: no more.
    fn step(&mut self) -> Option<Framed<F>> {
        if let Some(framed) = self.framed.take() {
            self.exchange();
            return Some(framed);
        }
        let ticket = self.prepare()?;
        let (piece, fault) = frame_at_turn(ticket, &mut self.load, &mut self.frame, self.notes)?;
        // If the one put by is next, the others would wait for it while this one is being used.
        if fault.is_none()
            && let Some(next) = self.waiting.take_if(|next| next.piece() == piece + 1)
        {
            let (load, frame) = &mut self.other;
            self.framed = frame_at_turn(next, load, frame, self.notes);
        }
        Some((piece, fault))
    }
}

/// Waits for the turn of a piece, frames it and starts the next turn. `None` if framing has ended before.
fn frame_at_turn<F: Framer>(
    mut ticket: Ticket<'_, F>,
    load: &mut Load,
    frame: &mut F::Frame,
    notes: Option<&Notes>,
) -> Option<Framed<F>> {
    let piece = ticket.piece();
    let Token::Go(mut framer) = ticket.wait() else {
        return None;
    };
    let (token, fault) = match frame_in_turn(&mut framer, load, frame, notes) {
        Ok(false) => (Token::Go(framer), None),
        Ok(true) => (Token::Stop, None),
        Err(error) => (Token::Stop, Some(error)),
    };
    ticket.pass(token);
    Some((piece, fault))
}

impl<F: Framer> Drop for Worker<'_, F> {
    /// A worker ends because nothing is left or because something went wrong: either way
    /// nobody needs another piece.
    fn drop(&mut self) {
        self.feed.close();
    }
}
