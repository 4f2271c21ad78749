//! What is found out about an input beside its data: progress, warnings, its container.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::container::Container;
use crate::error::Location;

/// Bytes consumed so far, to be looked at from another thread or told to a callback.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use biofast_io::{Options, Progress, Reader, Source};
///
/// let told = Arc::new(AtomicU64::new(0));
/// let progress = {
///     let told = Arc::clone(&told);
///     Arc::new(Progress::with_callback(move |bytes| told.store(bytes, Ordering::Relaxed)))
/// };
/// let options = Options { progress: Some(Arc::clone(&progress)), ..Options::default() };
/// let source = Source::from_reader("example", &b"ACGT\n"[..]);
/// std::io::copy(&mut Reader::new(source, &options)?, &mut std::io::sink())?;
/// assert_eq!((progress.bytes(), told.load(Ordering::Relaxed)), (5, 5));
/// assert_eq!(progress.input().as_deref(), Some("example"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Default)]
pub struct Progress {
    bytes: AtomicU64,
    phase: Mutex<Option<Phase>>,
    done: AtomicU64,
    input: Mutex<Option<Arc<str>>>,
    callback: Option<Box<dyn Fn(u64) + Send + Sync>>,
}

impl Progress {
    /// Tells `callback` the bytes so far, each time some are handed to a worker. It runs on the
    /// thread that reads, between two chunks, and should be short; calls of several inputs that
    /// share it may overlap.
    pub fn with_callback(callback: impl Fn(u64) + Send + Sync + 'static) -> Progress {
        Progress { callback: Some(Box::new(callback)), ..Progress::default() }
    }

    /// Bytes of the input as stored that have been handed to workers.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The name of the input that was begun last, once one was.
    pub fn input(&self) -> Option<Arc<str>> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins a phase of a run that has several, such as reading and writing.
    #[doc(hidden)]
    pub fn begin_phase(&self, phase: Phase) {
        let mut now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.store(0, Ordering::Relaxed);
        *now = Some(phase);
    }

    /// Counts records of the phase as done.
    #[doc(hidden)]
    pub fn advance(&self, records: u64) {
        self.done.fetch_add(records, Ordering::Relaxed);
    }

    /// The phase, and how many of its records are done; none of a run that has one phase alone.
    pub fn phase(&self) -> Option<(Phase, u64)> {
        let phase = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        phase.map(|phase| (phase, self.done.load(Ordering::Relaxed)))
    }

    pub(crate) fn begin(&self, input: &Arc<str>) {
        *self.input.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(input));
    }

    pub(crate) fn add(&self, n: u64) {
        let before = self.bytes.fetch_add(n, Ordering::Relaxed);
        if let Some(callback) = &self.callback {
            callback(before + n);
        }
    }
}

/// A part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What is done in it.
    pub name: &'static str,
    /// How many records it has to do; none where the [bytes](Progress::bytes) of the input say how far it is.
    pub total: Option<u64>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Ends reading from another thread. Clones are the same token.
///
/// What is read with it in [`Options::cancellation`](crate::Options::cancellation) fails with
/// [`Cancelled`](crate::ErrorKind::Cancelled) at the next chunk, as at a fault of the data in that
/// place: everything before has been used, folds return their result so far, outputs are not
/// committed. A read that waits for a pipe isn't interrupted: the token is looked at when it returns.
///
/// ```
/// use std::io::Read;
///
/// use biofast_io::{CancellationToken, Options, Reader, Source};
///
/// let token = CancellationToken::new();
/// let options = Options { cancellation: Some(token.clone()), ..Options::default() };
/// let mut reader = Reader::new(Source::from_reader("example", &b"ACGT"[..]), &options)?;
/// std::thread::spawn(move || token.cancel()).join().expect("no panic");
/// let error = reader.read(&mut [0; 4]).unwrap_err();
/// assert_eq!(error.to_string(), "example: cancelled");
/// # Ok::<(), biofast_io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// One that isn't cancelled.
    pub fn new() -> CancellationToken {
        CancellationToken::default()
    }

    /// Cancels what is read with this token or a clone of it, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A finding that is worth reporting but doesn't make the data wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A BGZF input ended without its end-of-file block.
    MissingEofBlock,
    /// A CRAM input ended without its end-of-file container.
    MissingEofContainer,
    /// Members of ordinary gzip follow BGZF blocks, from this byte of the file on.
    GzipAfterBlocks(u64),
    /// Blank lines between the records of FASTQ, or inside of one.
    BlankLines {
        /// How many.
        count: u64,
        /// The record the first one comes before or is in, counted from 1.
        record: u64,
        /// Its line, counted from 1.
        line: u64,
    },
    /// Something that breaks the rules of the format was read all the same, as nothing is lost by that.
    Tolerated {
        /// What it is.
        what: &'static str,
        /// How often.
        count: u64,
        /// Where it was seen first.
        first: Location,
    },
    /// Something odd about the records that changes what is counted, or what is kept of them.
    Noticed {
        /// What it is.
        what: &'static str,
        /// How often.
        count: u64,
        /// Where it was seen first.
        first: Location,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::MissingEofBlock => f.write_str(
                "the BGZF end-of-file block is missing: all blocks are intact, but the file may have been truncated at a block boundary",
            ),
            Warning::MissingEofContainer => f.write_str(
                "the CRAM end-of-file container is missing: the file may have been truncated at a container boundary",
            ),
            Warning::GzipAfterBlocks(at) => write!(
                f,
                "ordinary gzip follows BGZF at compressed byte {at}: tools that need BGZF can't read past it"
            ),
            Warning::BlankLines { count, record, line } => write!(
                f,
                "record {record}, line {line}: {} ignored",
                match count {
                    1 => "blank line".to_owned(),
                    n => format!("{n} blank lines, starting here,"),
                }
            ),
            Warning::Tolerated { what, count, first } | Warning::Noticed { what, count, first } => {
                located(f, first, what)?;
                match count {
                    0 | 1 => Ok(()),
                    n => write!(f, " ({n} times)"),
                }
            }
        }
    }
}

/// `place: what`, without the input's name.
fn located(f: &mut std::fmt::Formatter<'_>, at: &Location, what: &str) -> std::fmt::Result {
    let at = Location { name: None, ..at.clone() };
    if at != Location::default() {
        write!(f, "{at}: ")?;
    }
    f.write_str(what)
}

/// Chunks of a gzip input that several threads have inflated ahead of the decoder. There are none in other inputs, in
/// short ones, or on few threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GzipChunks {
    /// Chunks whose bytes were used.
    pub used: u64,
    /// Chunks in which no block was found, or whose first block was none.
    pub dropped: u64,
}

/// The decoder that inflates the blocks of a BGZF input. All give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockDecoder {
    /// `biofast-deflate`.
    Own {
        /// Blocks inflated at once on each thread.
        lanes: usize,
    },
    /// libdeflate, one block after the other.
    Libdeflate,
}

impl BlockDecoder {
    /// Blocks inflated at once.
    pub(crate) fn lanes(self) -> usize {
        match self {
            BlockDecoder::Own { lanes } => lanes.max(1),
            BlockDecoder::Libdeflate => 1,
        }
    }
}

impl std::fmt::Display for BlockDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BlockDecoder::Own { lanes: 1 } => f.write_str("own, one block at a time"),
            BlockDecoder::Own { lanes } => write!(f, "own, {lanes} blocks at once"),
            BlockDecoder::Libdeflate => f.write_str("libdeflate"),
        }
    }
}

/// How long the serial parts took, in which only one thread works at a time: the longest of them limits the speed that
/// more threads can give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SerialTimes {
    /// Bytes framed, as they are decompressed.
    pub bytes: u64,
    /// Taking chunks: reading or slicing them; of what isn't in blocks, decompressing them, too.
    pub taking: Duration,
    /// Framing chunks in their order.
    pub framing: Duration,
    /// Writing results in their order.
    pub writing: Duration,
}

/// The time this thread has spent on a processor, from any start: what others do there meanwhile doesn't count.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // Neither is negative.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The time from any start.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// A part that one thread at a time does.
#[derive(Clone, Copy)]
pub(crate) enum SerialPart {
    Taking,
    Framing,
    Writing,
}

/// What a reader finds out about its input besides the data.
///
/// ```
/// use biofast_io::{Container, Notes, Options, Reader, Source, Warning, bgzf};
/// use std::io::{Cursor, Read};
/// use std::sync::Arc;
///
/// let mut file = bgzf::compress(b"@r\nA\n+\nI\n");
/// file.truncate(file.len() - bgzf::EOF_BLOCK.len());
/// let notes = Arc::new(Notes::default());
/// let options = Options { notes: Some(Arc::clone(&notes)), ..Options::default() };
/// let mut reader = Reader::new(Source::from_reader("example", Cursor::new(file)), &options)?;
/// reader.read_to_end(&mut Vec::new())?;
/// assert_eq!(notes.container(), Some(Container::Bgzf));
/// assert_eq!(notes.warnings(), [Warning::MissingEofBlock]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Notes {
    warnings: Mutex<Vec<Warning>>,
    container: OnceLock<Container>,
    mapped: OnceLock<bool>,
    block_decoder: Mutex<Option<BlockDecoder>>,
    /// Chunks of gzip that were inflated ahead: used, and dropped.
    gzip_chunks: [AtomicU64; 2],
    /// Bytes framed, and nanoseconds of each [`SerialPart`].
    framed: AtomicU64,
    serial: [AtomicU64; 3],
}

impl Notes {
    /// Adds a warning, once.
    #[doc(hidden)]
    pub fn warn(&self, warning: Warning) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    pub(crate) fn opened(&self, container: Container, mapped: bool) {
        // One set of notes belongs to one input; a second one would keep the first's.
        let _ = self.container.set(container);
        let _ = self.mapped.set(mapped);
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The container, once the input has been opened.
    pub fn container(&self) -> Option<Container> {
        self.container.get().copied()
    }

    pub(crate) fn inflates_by(&self, decoder: BlockDecoder) {
        *self.block_decoder.lock().unwrap_or_else(PoisonError::into_inner) = Some(decoder);
    }

    /// What inflates the blocks of the input, the latest if that has changed; `None` if there are none.
    #[doc(hidden)]
    pub fn block_decoder(&self) -> Option<BlockDecoder> {
        *self.block_decoder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn gzip_chunk(&self, used: bool) {
        self.gzip_chunks[usize::from(!used)].fetch_add(1, Ordering::Relaxed);
    }

    /// How many chunks of a gzip input several threads have inflated ahead of the decoder.
    #[doc(hidden)]
    pub fn gzip_chunks(&self) -> GzipChunks {
        let [used, dropped] = self.gzip_chunks.each_ref().map(|n| n.load(Ordering::Relaxed));
        GzipChunks { used, dropped }
    }

    /// Does `work`, which is a serial part; how long it took is noted if there are notes.
    pub(crate) fn time<R>(notes: Option<&Notes>, part: SerialPart, work: impl FnOnce() -> R) -> R {
        let Some(notes) = notes else { return work() };
        let start = processor_time();
        let result = work();
        // 2^64 ns are 584 years.
        let nanos = processor_time().saturating_sub(start).as_nanos() as u64;
        notes.serial[part as usize].fetch_add(nanos, Ordering::Relaxed);
        result
    }

    pub(crate) fn framed(&self, bytes: usize) {
        self.framed.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// How long the serial parts have taken so far. What several inputs are written to is noted with the first of them.
    #[doc(hidden)]
    pub fn serial_times(&self) -> SerialTimes {
        let time = |part: SerialPart| {
            Duration::from_nanos(self.serial[part as usize].load(Ordering::Relaxed))
        };
        SerialTimes {
            bytes: self.framed.load(Ordering::Relaxed),
            taking: time(SerialPart::Taking),
            framing: time(SerialPart::Framing),
            writing: time(SerialPart::Writing),
        }
    }

    /// Whether the input is read through a memory map.
    pub fn is_mapped(&self) -> bool {
        self.mapped.get().copied().unwrap_or(false)
    }
}
