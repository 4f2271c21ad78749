//! Records read in a thread of their own, and handed over by batches.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::{CancellationToken, Notes, Options, Progress, available_threads};
use pyo3::prelude::*;

use crate::attended::received;
use crate::errors::ReadFailure;
use crate::process::Process;

/// Batches that wait for who asked for them. Together with those in the making they are what is held of a file.
const WAITING: usize = 4;

/// Text for a worker at once. Larger than elsewhere: what takes batches has work for each.
const CHUNK: usize = 18 * 65_536;

pub(crate) type Delivery<T> = Result<T, ReadFailure>;

/// How an input is read.
#[derive(Clone, Default)]
pub(crate) struct Reading {
    pub(crate) threads: Option<usize>,
    pub(crate) reference: Option<PathBuf>,
    pub(crate) allow_missing_eof: bool,
    pub(crate) strict: bool,
    pub(crate) regions: Vec<String>,
    pub(crate) filter: Option<String>,
}

impl Reading {
    /// An error if something is asked for that only alignments have.
    pub(crate) fn is_for_reads(&self) -> Delivery<()> {
        if self.filter.is_none() && self.regions.is_empty() {
            return Ok(());
        }
        let text = "filter and region are for alignments; for reads there is biofast.filter";
        Err(ReadFailure::Usage(text.into()))
    }

    /// Options of a reader.
    pub(crate) fn options(
        &self,
        is_alignments: bool,
        cancellation: &CancellationToken,
        notes: &Arc<Notes>,
        progress: Option<Arc<Progress>>,
    ) -> Options {
        Options {
            threads: self.threads.unwrap_or_else(available_threads).clamp(1, 1024),
            chunk_size: CHUNK,
            strict: self.strict && !is_alignments,
            allow_missing_eof: self.allow_missing_eof,
            pedantic: self.strict,
            cancellation: Some(cancellation.clone()),
            notes: Some(Arc::clone(notes)),
            progress,
            ..Options::serial()
        }
    }
}

/// What comes from threads that read: in order, then perhaps an error.
pub(crate) struct Stream<T> {
    receiver: Mutex<Receiver<Delivery<T>>>,
    cancellation: CancellationToken,
    notes: Arc<Notes>,
    ended: bool,
    process: Process,
}

impl<T: Send + 'static> Stream<T> {
    /// Starts `work`, which delivers until it is told that nobody listens.
    pub(crate) fn start(
        work: impl FnOnce(&Hand<T>, &CancellationToken, &Arc<Notes>) -> Delivery<()> + Send + 'static,
    ) -> std::io::Result<Stream<T>> {
        Stream::start_with(CancellationToken::new(), Arc::default(), work)
    }

    /// The same with a token and notes that are in use already.
    pub(crate) fn start_with(
        cancellation: CancellationToken,
        notes: Arc<Notes>,
        work: impl FnOnce(&Hand<T>, &CancellationToken, &Arc<Notes>) -> Delivery<()> + Send + 'static,
    ) -> std::io::Result<Stream<T>> {
        let (sender, receiver) = sync_channel(WAITING);
        let (token, found) = (cancellation.clone(), Arc::clone(&notes));
        std::thread::Builder::new().name("biofast".into()).spawn(move || {
            let hand = Hand(sender);
            if let Err(trouble) = work(&hand, &token, &found) {
                // Nobody may listen any more.
                let _ = hand.0.send(Err(trouble));
            }
        })?;
        let (receiver, process) = (Mutex::new(receiver), Process::current());
        Ok(Stream { receiver, cancellation, notes, ended: false, process })
    }

    /// The next one; none at the end, where warnings are given.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<T>> {
        if self.ended {
            return Ok(None);
        }
        self.process.check("this reading")?;
        match received(py, &self.receiver) {
            Ok(Some(Ok(thing))) => Ok(Some(thing)),
            Ok(Some(Err(trouble))) => {
                self.ended = true;
                Err(trouble.into())
            }
            Ok(None) => {
                self.ended = true;
                self.warn(py)?;
                Ok(None)
            }
            Err(error) => {
                self.cancellation.cancel();
                self.ended = true;
                Err(error)
            }
        }
    }

    /// The same without the interpreter.
    pub(super) fn wait(&mut self) -> Option<Delivery<T>> {
        if !self.process.is_current() {
            let text =
                "this reading was opened before the process was forked: open it in the child";
            return Some(Err(ReadFailure::Usage(text.into())));
        }
        let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv().ok()
    }

    fn warn(&self, py: Python<'_>) -> PyResult<()> {
        for warning in self.notes.warnings() {
            py.import("biofast._commands")?.call_method1("warn", (warning.to_string(),))?;
        }
        Ok(())
    }
}

impl<T> Drop for Stream<T> {
    fn drop(&mut self) {
        self.cancellation.cancel();
    }
}

/// Hands things on to a [`Stream`].
pub(crate) struct Hand<T>(SyncSender<Delivery<T>>);

impl<T> Hand<T> {
    /// Whether somebody wants more.
    pub(crate) fn deliver(&self, thing: T) -> bool {
        self.0.send(Ok(thing)).is_ok()
    }
}
