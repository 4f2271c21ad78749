//! Named pipes, each opened and emptied by a thread of its own.
//!
//! A program that feeds two of them, such as first and second reads in turn, waits when one is
//! full, and opening waits for the other end. Whoever reads one before the other would then wait
//! for ever. Here bytes are taken from each pipe as they come, up to a bound.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The most bytes that are held: one of two pipes may be so far ahead of the other.
pub(crate) const BOUND: usize = 16 << 20;

/// Bytes read at once: as many as a pipe of Linux holds.
const READ_SIZE: usize = 64 << 10;

/// The reader's end.
pub(crate) struct Pipe {
    shared: Arc<PipeBuffer>,
    /// The buffer at hand, and how much of it has been taken.
    buffer: Vec<u8>,
    taken: usize,
}

#[derive(Default)]
struct PipeBuffer {
    state: Mutex<PipeState>,
    changed: Condvar,
}

#[derive(Default)]
struct PipeState {
    buffers: VecDeque<Vec<u8>>,
    /// Bytes of the buffers.
    held: usize,
    /// How the pipe ended.
    end: Option<io::Result<()>>,
    /// Whether nobody reads any more.
    abandoned: bool,
}

impl PipeBuffer {
    fn state(&self) -> MutexGuard<'_, PipeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, PipeState>) -> MutexGuard<'a, PipeState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Empties the pipe into the buffers.
    fn drain(&self, path: &std::path::Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        loop {
            let mut buffer = vec![0; READ_SIZE];
            let n = match file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            buffer.truncate(n);
            if n < READ_SIZE / 2 {
                buffer.shrink_to_fit();
            }
            let mut state = self.state();
            while state.held >= BOUND && !state.abandoned {
                state = self.wait(state);
            }
            if state.abandoned {
                return Ok(());
            }
            state.held += n;
            state.buffers.push_back(buffer);
            self.changed.notify_all();
        }
    }
}

impl Pipe {
    /// Reads the pipe at `path`. What is wrong with it is said by the first read.
    ///
    /// # Errors
    /// If there can't be another thread.
    pub(crate) fn open(path: PathBuf) -> io::Result<Pipe> {
        let shared = Arc::<PipeBuffer>::default();
        let of_thread = Arc::clone(&shared);
        // Nobody waits for it: it may be held up by the other end for as long as that likes.
        std::thread::Builder::new().name("pipe".into()).spawn(move || {
            let end = of_thread.drain(&path);
            of_thread.state().end = Some(end);
            of_thread.changed.notify_all();
        })?;
        Ok(Pipe { shared, buffer: Vec::new(), taken: 0 })
    }
}

impl Read for Pipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.buffer.len() && !out.is_empty() {
            let mut state = self.shared.state();
            self.buffer = loop {
                if let Some(buffer) = state.buffers.pop_front() {
                    break buffer;
                }
                match &mut state.end {
                    None => state = self.shared.wait(state),
                    Some(end) => {
                        // Told once; then it is at its end.
                        std::mem::replace(end, Ok(()))?;
                        return Ok(0);
                    }
                }
            };
            self.taken = 0;
            state.held -= self.buffer.len();
            self.shared.changed.notify_all();
        }
        let rest = &self.buffer[self.taken..];
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        self.taken += n;
        Ok(n)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.shared.state().abandoned = true;
        self.shared.changed.notify_all();
    }
}
