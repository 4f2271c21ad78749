//! The one pipeline: cut into chunks → decompress → frame in order → use, on the same worker.
//!
//! A worker takes a chunk of the input (short and serial), decompresses it and does what needs
//! no order ([`Framer::scan`]); then, when its turn comes, frames it exactly from the state its
//! predecessor left ([`Framer::frame`]), hands the new state on, and only then does the heavy
//! work on the records. So framing never guesses, every record is used exactly once, and
//! workers don't wait for each other's analysis. Where the turn of a chunk hasn't come, the worker
//! sets it aside and takes another one meanwhile. Memory is bounded by 2 × threads × chunk plus the
//! longest record.
//!
//! A fault anywhere stops the pipeline at that point of the data: every record before it has
//! been used, none after it, whatever the number of threads.

mod chunk;
mod chunker;
mod copies;
mod feed;
mod framer;
pub mod gzi;
mod lockstep;
mod ordered;
mod outcome;
mod peek;
mod reader;
mod text;
mod threads;
mod transform;
mod turn;

pub use chunk::{BlockData, Carry, Chunk};
pub use copies::Copies;
pub use framer::{End, Framer};
pub use lockstep::{CountRecords, Group, Part, Plan, TransformInput};
pub use outcome::Outcome;
pub use reader::Reader;
pub use text::{TextBounds, TextLines, read_text};
pub use transform::{Ending, Failure, transform, transform_surveyed};

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::container::bgzf::Inflater;
use crate::error::Located;
use crate::input::{Container, Notes, Options, SerialPart, Source, Witness};
use chunker::{ChunkBuffer, Chunker};
use feed::{Feed, Pull};
use framer::{begin, frame_in_turn, options_of};
use ordered::Ordered;
use threads::{OnPanic, on_threads};
use turn::{Ticket, Token, Turns};

/// A fault, and the result over the records before it. As an error it displays like the fault alone, which is also its
/// [source](std::error::Error::source): whoever has boxed it finds the format's own error there.
pub struct Fault<C, E> {
    /// What went wrong.
    pub error: E,
    /// The result over exactly the records before the fault.
    pub so_far: C,
}

impl<C, E: fmt::Debug> fmt::Debug for Fault<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<C, E: fmt::Display> fmt::Display for Fault<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<C, E: std::error::Error + 'static> std::error::Error for Fault<C, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<C, E> Fault<C, E> {
    /// What went wrong, without what was gathered before: `map_err(Fault::into_error)`.
    pub fn into_error(self) -> E {
        self.error
    }
}

impl<C, K> From<Fault<C, Located<K>>> for Located<K> {
    /// The error alone; what had been gathered before it is dropped.
    fn from(fault: Fault<C, Located<K>>) -> Self {
        fault.error
    }
}

/// Folds all records of `source` on `options.threads` threads.
///
/// Each worker starts from `init()`, calls `accept` once per chunk, and the workers' results
/// are merged. Which worker sees which chunk is not determined, so `merge` must not depend on
/// order; [`fold_ordered`] is for what does.
///
/// `accept` may end the reading early (`Break`) or fail with an error of the caller's own type: see [`Outcome`].
/// Of several ends the first one in the order of the data counts, whatever the number of threads:
/// an input's fault behind a `Break` is none, and of two failures the one of the earlier chunk is
/// returned. Every chunk before the end has been accepted then; chunks behind a `Break` or failure may have been
/// accepted, too.
///
/// A fault is returned when the workers have ended. One that waits for more of a stalled stream
/// ends when the stream moves or closes.
///
/// ```
/// use biofast_io::pipeline::{self, End, Framer};
/// use biofast_io::{Chunk, Error, Options, Source};
/// use std::ops::ControlFlow;
///
/// /// Line feeds are counted wherever they are: nothing is carried from chunk to chunk.
/// struct Lines;
///
/// impl Framer for Lines {
///     type Frame = usize;
///     type Error = Error;
///
///     fn scan(lines: &mut usize, bytes: &[u8]) {
///         *lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
///     }
///
///     fn frame(&mut self, _: &mut Chunk, _: &mut usize, _: End) -> Result<(), Error> {
///         Ok(())
///     }
/// }
///
/// let source = || Source::from_reader("example", &b"one\ntwo!\nthree\n"[..]);
/// let options = Options { chunk_size: 4, ..Options::default() };
/// let count = |sum: &mut usize, _: &Chunk, lines: &usize| *sum += lines;
/// let add = |sum: &mut usize, other| *sum += other;
/// assert_eq!(pipeline::fold(source(), &options, Lines, || 0, count, add)?, 3);
///
/// // Whether a byte is anywhere: nothing behind it needs to be read.
/// let look = |found: &mut bool, chunk: &Chunk, _: &usize| {
///     *found |= chunk.bytes().contains(&b'!');
///     if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let either = |found: &mut bool, other| *found |= other;
/// assert!(pipeline::fold(source(), &options, Lines, || false, look, either)?);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// The first fault or failure in the order of the data. After a fault of the input the result is
/// over exactly the records before it.
pub fn fold<F, C, R>(
    source: Source,
    options: &Options,
    framer: F,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, &Chunk, &F::Frame) -> R + Sync,
    merge: impl Fn(&mut C, C),
) -> Result<C, Fault<C, R::Error>>
where
    F: Framer,
    C: Send,
    R: Outcome<F::Error>,
{
    let accept = |so_far: &mut C, _, chunk: &Chunk, frame: &F::Frame| {
        accept(so_far, chunk, frame).into_flow()
    };
    let (so_far, end) = run(source, options, framer, init, accept, merge, || {})?;
    match end.and_then(|end| end.error) {
        Some(error) => Err(Fault { error, so_far }),
        None => Ok(so_far),
    }
}

/// [`fold`], and beside it what depends on order: `accept` also fills a `T` for each chunk, and
/// `sink` gets them one after the other in the order of the data.
///
/// The sink runs on whichever worker has the next `T`, while the others work on; it should be
/// short beside `accept`. A `T` is used again after the sink: `accept` finds what the sink left
/// of it. Both may end the reading or fail. What `accept` has put into the `T` of a chunk before it breaks or fails
/// reaches the sink, and so does all before it; nothing behind it does. So what the sink has got is exact, and the same
/// at any number of threads.
///
/// ```
/// use biofast_io::pipeline::{self, End, Framer};
/// use biofast_io::{Chunk, Error, Options, Source};
/// use std::io::{self, Write};
/// # struct Bytes;
/// # impl Framer for Bytes {
/// #     type Frame = ();
/// #     type Error = Error;
/// #     fn scan(_: &mut (), _: &[u8]) {}
/// #     fn frame(&mut self, _: &mut Chunk, _: &mut (), _: End) -> Result<(), Error> {
/// #         Ok(())
/// #     }
/// # }
///
/// // Text is changed on all threads, and written in its order to something that takes six bytes.
/// let mut room = [0; 6];
/// let mut out = &mut room[..];
/// let result = pipeline::fold_ordered(
///     Source::from_reader("example", &b"one\ntwo\nthree\n"[..]),
///     &Options { chunk_size: 4, ..Options::default() },
///     Bytes,
///     || (),
///     |(), chunk, _, upper: &mut Vec<u8>| upper.extend(chunk.bytes().to_ascii_uppercase()),
///     |(), ()| (),
///     |upper| -> io::Result<()> {
///         out.write_all(upper)?;
///         upper.clear();
///         Ok(())
///     },
/// );
/// assert_eq!(result.map_err(|fault| fault.error.kind()), Err(io::ErrorKind::WriteZero));
/// assert_eq!(&room, b"ONE\nTW");
/// ```
///
/// # Errors
/// As [`fold`].
pub fn fold_ordered<F, C, T, R, S>(
    source: Source,
    options: &Options,
    framer: F,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, &Chunk, &F::Frame, &mut T) -> R + Sync,
    merge: impl Fn(&mut C, C),
    mut sink: impl FnMut(&mut T) -> S + Send,
) -> Result<C, Fault<C, S::Error>>
where
    F: Framer,
    C: Send,
    T: Default + Send,
    R: Outcome<F::Error>,
    S: Outcome<R::Error, Error: From<F::Error>>,
{
    // Why the sink took no more: `None` if it just had enough.
    let mut sink_end = None;
    let ordered = Ordered::new(options.threads.max(1), |result: &mut T| {
        let written =
            Notes::time(options.notes.as_deref(), SerialPart::Writing, || sink(result).into_flow());
        let error = match written {
            Ok(ControlFlow::Continue(())) => return ControlFlow::Continue(()),
            Ok(ControlFlow::Break(())) => None,
            Err(error) => Some(error),
        };
        sink_end = Some(error);
        ControlFlow::Break(())
    });
    let accept = |so_far: &mut C, number: u64, chunk: &Chunk, frame: &F::Frame| {
        let mut result = ordered.blank();
        let flow = accept(so_far, chunk, frame, &mut result).into_flow();
        if !matches!(flow, Ok(ControlFlow::Continue(()))) {
            ordered.end_after(number);
        }
        // A sink that wants no more has said so itself.
        match ordered.deliver(number, result) {
            ControlFlow::Break(()) if flow.is_ok() => Ok(ControlFlow::Break(())),
            _ => flow.map_err(Into::into),
        }
    };
    let (so_far, end) = run(source, options, framer, init, accept, merge, || ordered.stop())?;
    drop(ordered);
    // The sink gets nothing from behind another end, so its own is the first.
    let error = match sink_end {
        Some(error) => error,
        None => end.and_then(|end| end.error),
    };
    match error {
        Some(error) => Err(Fault { error, so_far }),
        None => Ok(so_far),
    }
}

/// Where reading ended before the data did.
struct Stop<E> {
    /// The number of the last chunk whose records count, not all of them perhaps.
    chunk: u64,
    /// The reason, if somebody didn't just have enough.
    error: Option<E>,
}

/// The first end in the order of the data.
struct FirstStop<E> {
    /// The number of its chunk, to look at without a lock.
    chunk: AtomicU64,
    stop: Mutex<Option<Stop<E>>>,
}

impl<E> FirstStop<E> {
    fn new() -> FirstStop<E> {
        FirstStop { chunk: AtomicU64::new(u64::MAX), stop: Mutex::new(None) }
    }

    fn is_behind(&self, chunk: u64) -> bool {
        chunk > self.chunk.load(Ordering::Relaxed)
    }

    fn add(&self, chunk: u64, error: Option<E>) {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if stop.as_ref().is_none_or(|stop| chunk < stop.chunk) {
            *stop = Some(Stop { chunk, error });
            self.chunk.store(chunk, Ordering::Relaxed);
        }
    }

    fn into_inner(self) -> Option<Stop<E>> {
        self.stop.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result over all that was accepted, and where reading ended before the data did; or a fault without a place.
type Ran<C, E> = Result<(C, Option<Stop<E>>), Fault<C, E>>;

/// What the folds share. `accept` gets the number of the chunk and may end the work; `abort` is
/// called when a worker panics.
fn run<F, C, E>(
    source: Source,
    options: &Options,
    mut framer: F,
    init: impl Fn() -> C + Sync,
    accept: impl Fn(&mut C, u64, &Chunk, &F::Frame) -> Result<ControlFlow<()>, E> + Sync,
    merge: impl Fn(&mut C, C),
    abort: impl Fn() + Sync,
) -> Ran<C, E>
where
    F: Framer,
    C: Send,
    E: From<F::Error> + Send,
{
    begin(&mut framer, &source);
    let mut chunker = match Chunker::new(source, &options_of::<F>(options)) {
        Ok(chunker) => chunker,
        Err(error) => {
            return Err(Fault { error: F::Error::from(error).into(), so_far: init() });
        }
    };
    let witness = chunker.witness();
    let threads = options.threads.max(1);
    let is_shared = chunker.share(threads);
    let (feed, workers) = if chunker.is_stream() && !is_shared && threads > 1 {
        (Feed::ahead(chunker, threads), threads - 1)
    } else {
        (Feed::inline(chunker), threads)
    };
    let turns = Turns::new(CHUNKS_PER_WORKER * workers, framer);
    let first_stop = FirstStop::new();
    let work = || {
        let _guard = OnPanic(&abort);
        let mut so_far = init();
        let mut worker = FoldWorker::<F>::new(&feed, &turns, options.notes.as_deref());
        while let Some((number, fault)) = worker.step() {
            // Whoever holds a chunk before the end goes on, so that the end is that of the data.
            if first_stop.is_behind(number) {
                break;
            }
            match accept(&mut so_far, number, &worker.buffer.chunk, &worker.frame) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => {
                    first_stop.add(number, None);
                    break;
                }
                Err(error) => {
                    first_stop.add(number, Some(error));
                    break;
                }
            }
            if let Some(fault) = fault {
                first_stop.add(number, Some(fault.into()));
                break;
            }
        }
        so_far
    };
    let so_far = on_threads(workers, work, merge);
    feed.join();
    // The records of the last chunks were used after their check in the turn.
    match witness.check_intact() {
        Err(error) => Err(Fault { error: F::Error::from(error).into(), so_far }),
        Ok(()) => Ok((so_far, first_stop.into_inner())),
    }
}

/// Tells `accept` how many of `len` records, of which the first has the number `first`, are among the first `limit` of the
/// data; breaks after the last of these. For an `accept` of [`fold`] or [`fold_ordered`].
#[doc(hidden)]
pub fn within_limit<E>(
    limit: Option<u64>,
    first: u64,
    len: usize,
    accept: impl FnOnce(usize) -> Result<ControlFlow<()>, E>,
) -> Result<ControlFlow<()>, E> {
    let left = limit.map_or(u64::MAX, |limit| limit.saturating_sub(first));
    match usize::try_from(left) {
        Ok(0) => Ok(ControlFlow::Break(())),
        Ok(left) if left <= len => accept(left).map(|_| ControlFlow::Break(())),
        _ => accept(len),
    }
}

/// The same framing on the calling thread, a chunk at a time: for plain iterators.
///
/// ```
/// use biofast_io::pipeline::{End, Framer, Frames};
/// use biofast_io::{Chunk, Error, Options, Source};
/// # struct Bytes;
/// # impl Framer for Bytes {
/// #     type Frame = ();
/// #     type Error = Error;
/// #     fn scan(_: &mut (), _: &[u8]) {}
/// #     fn frame(&mut self, _: &mut Chunk, _: &mut (), _: End) -> Result<(), Error> {
/// #         Ok(())
/// #     }
/// # }
///
/// let source = Source::from_reader("example", &b"one\ntwo\n"[..]);
/// let mut frames = Frames::new(source, &Options::serial(), Bytes)?;
/// let mut bytes = 0;
/// while frames.advance()? {
///     let (chunk, _) = frames.current();
///     bytes += chunk.bytes().len();
/// }
/// assert_eq!(bytes, 8);
/// # Ok::<(), Error>(())
/// ```
pub struct Frames<F: Framer> {
    feed: Feed,
    buffer: ChunkBuffer,
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
    pub fn new(source: Source, options: &Options, mut framer: F) -> Result<Self, F::Error> {
        begin(&mut framer, &source);
        let chunker = Chunker::new(source, &options_of::<F>(options))?;
        let container = chunker.container();
        let witness = chunker.witness();
        let feed = if chunker.is_stream() && options.threads > 1 {
            Feed::ahead(chunker, 1)
        } else {
            Feed::inline(chunker)
        };
        Ok(Frames {
            feed,
            buffer: ChunkBuffer::new(),
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
        if !self.ended && self.feed.pull(&mut self.buffer).is_none() {
            // A decoder that ended before the data did has panicked; that goes on here.
            self.feed.join();
            self.ended = true;
        }
        if self.ended {
            // The last records were used after their check.
            return self.witness.check_intact().map(|()| false).map_err(F::Error::from);
        }
        self.buffer.prepare(&mut self.inflater);
        F::scan(&mut self.frame, self.buffer.chunk.bytes());
        match frame_in_turn(
            &mut self.framer,
            &mut self.buffer,
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
        (&self.buffer.chunk, &self.frame)
    }
}

/// The one that it works on, and one set aside.
const CHUNKS_PER_WORKER: usize = 2;

struct FoldWorker<'a, F: Framer> {
    feed: &'a Feed,
    turns: &'a Turns<F>,
    notes: Option<&'a Notes>,
    buffer: ChunkBuffer,
    inflater: Inflater,
    frame: F::Frame,
    /// The right to the turn of the chunk set aside, if there is one.
    waiting: Option<Ticket<'a, F>>,
    /// The chunk set aside; or buffers for one.
    other: (ChunkBuffer, F::Frame),
    /// The chunk set aside has been framed, with this outcome.
    framed: Option<FrameResult<F>>,
}

/// A framed chunk: its number, and the fault if its records are the last ones before one.
type FrameResult<F> = (u64, Option<<F as Framer>::Error>);

impl<'a, F: Framer> FoldWorker<'a, F> {
    fn new(feed: &'a Feed, turns: &'a Turns<F>, notes: Option<&'a Notes>) -> Self {
        FoldWorker {
            feed,
            turns,
            notes,
            buffer: ChunkBuffer::new(),
            inflater: Inflater::new(),
            frame: F::Frame::default(),
            waiting: None,
            other: (ChunkBuffer::new(), F::Frame::default()),
            framed: None,
        }
    }

    /// The next chunk to be framed, inflated and scanned; it's in `buffer` and `frame`.
    fn prepare(&mut self) -> Option<Ticket<'a, F>> {
        while !self.waiting.as_ref().is_some_and(Ticket::has_come) {
            // Others wait for a chunk set aside: nothing long may come before it.
            let pull = match self.waiting {
                None => Pull::Chunk(self.feed.pull(&mut self.buffer)),
                Some(_) => self.feed.pull_ready(&mut self.buffer),
            };
            let Pull::Chunk(Some(number)) = pull else { break };
            let ticket = self.turns.ticket(number);
            self.buffer.prepare(&mut self.inflater);
            F::scan(&mut self.frame, self.buffer.chunk.bytes());
            if self.waiting.is_none() && ticket.has_come() {
                return Some(ticket);
            }
            // It is set aside; what was so before comes first, and must be waited for now.
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
        std::mem::swap(&mut self.buffer, &mut self.other.0);
        std::mem::swap(&mut self.frame, &mut self.other.1);
    }

    /// Takes and frames the next chunk. `None`: no more.
    fn step(&mut self) -> Option<FrameResult<F>> {
        if let Some(framed) = self.framed.take() {
            self.exchange();
            return Some(framed);
        }
        let ticket = self.prepare()?;
        let (number, fault) = frame_at_turn(ticket, &mut self.buffer, &mut self.frame, self.notes)?;
        // If the one set aside is next, the others would wait for it while this one is being used.
        if fault.is_none()
            && let Some(next) = self.waiting.take_if(|next| next.number() == number + 1)
        {
            let (buffer, frame) = &mut self.other;
            self.framed = frame_at_turn(next, buffer, frame, self.notes);
        }
        Some((number, fault))
    }
}

/// Waits for the turn of a chunk, frames it and starts the next turn. `None` if framing has ended before.
fn frame_at_turn<F: Framer>(
    mut ticket: Ticket<'_, F>,
    buffer: &mut ChunkBuffer,
    frame: &mut F::Frame,
    notes: Option<&Notes>,
) -> Option<FrameResult<F>> {
    let number = ticket.number();
    let Token::Go(mut framer) = ticket.wait() else {
        return None;
    };
    let (token, fault) = match frame_in_turn(&mut framer, buffer, frame, notes) {
        Ok(false) => (Token::Go(framer), None),
        Ok(true) => (Token::Stop, None),
        Err(error) => (Token::Stop, Some(error)),
    };
    ticket.pass(token);
    Some((number, fault))
}

impl<F: Framer> Drop for FoldWorker<'_, F> {
    /// A worker ends because nothing is left or because something went wrong: either way
    /// nobody needs another chunk.
    fn drop(&mut self) {
        self.feed.close();
    }
}
