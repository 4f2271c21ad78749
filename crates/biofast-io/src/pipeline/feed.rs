//! Where the workers of a pipeline get their chunks from.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::JoinHandle;

use super::chunker::{ChunkBuffer, Chunker};
use crate::container::gzip::TaskQueue;

/// Where workers get chunker: straight from the input, or from a thread that decompresses ahead.
pub(crate) struct Feed {
    supply: Mutex<Supply>,
    /// What threads with nothing to do can work at.
    tasks: Option<Arc<TaskQueue>>,
    decoder: Mutex<Option<JoinHandle<()>>>,
}

/// What came of an attempt to get a chunk.
pub(crate) enum Pull {
    /// The number of the chunk; `None`: no more.
    Chunk(Option<u64>),
    /// The next chunk has to wait for others.
    Later,
}

enum Supply {
    Inline { chunker: Box<Chunker>, next: u64 },
    Ahead { full: Receiver<ChunkBuffer>, empty: Sender<ChunkBuffer>, next: u64 },
    Closed,
}

impl Feed {
    pub(crate) fn inline(chunker: Chunker) -> Feed {
        Feed {
            tasks: chunker.tasks(),
            supply: Mutex::new(Supply::Inline { chunker: Box::new(chunker), next: 0 }),
            decoder: Mutex::new(None),
        }
    }

    /// As [`inline`](Self::inline) if the system has no thread for it.
    pub(crate) fn ahead(chunker: Chunker, threads: usize) -> Feed {
        let (full_in, full): (SyncSender<ChunkBuffer>, _) = sync_channel(threads.min(4));
        let (empty, empty_out) = channel::<ChunkBuffer>();
        // Handed over when the thread is there: a thread that can't be made drops what it has.
        let (hand_over, taken_over) = channel::<Chunker>();
        let decode = move || {
            let Ok(mut chunker) = taken_over.recv() else { return };
            loop {
                let mut buffer = empty_out.try_recv().unwrap_or_else(|_| ChunkBuffer::new());
                if !chunker.pull(&mut buffer) || full_in.send(buffer).is_err() {
                    break;
                }
            }
        };
        let Ok(decoder) = std::thread::Builder::new().spawn(decode) else {
            return Feed::inline(chunker);
        };
        if let Err(back) = hand_over.send(chunker) {
            return Feed::inline(back.0);
        }
        Feed {
            tasks: None,
            supply: Mutex::new(Supply::Ahead { full, empty, next: 0 }),
            decoder: Mutex::new(Some(decoder)),
        }
    }

    /// Fills `buffer` with the next chunk and returns its number.
    pub(crate) fn pull(&self, buffer: &mut ChunkBuffer) -> Option<u64> {
        loop {
            if let Pull::Chunk(number) = self.try_pull(buffer, true) {
                return number;
            }
        }
    }

    /// [`pull`](Self::pull), unless the next chunk has to wait for others.
    pub(crate) fn pull_ready(&self, buffer: &mut ChunkBuffer) -> Pull {
        self.try_pull(buffer, false)
    }

    /// If the next chunk has to wait, helps or waits for once, if wanted.
    fn try_pull(&self, buffer: &mut ChunkBuffer, help: bool) -> Pull {
        // A panic while pulling leaves the input in an unknown state: nothing more is taken.
        let supply = match self.supply.try_lock() {
            Ok(supply) => Ok(supply),
            // The error holds the lock.
            Err(TryLockError::Poisoned(_)) => return Pull::Chunk(None),
            Err(TryLockError::WouldBlock) => {
                if let Some(tasks) = &self.tasks
                    && help
                    && tasks.run_one()
                {
                    return Pull::Later;
                }
                self.supply.lock()
            }
        };
        let Ok(mut supply) = supply else { return Pull::Chunk(None) };
        let number = match &mut *supply {
            Supply::Inline { chunker, next } => {
                if let Some(pending) = chunker.pending() {
                    drop(supply);
                    if help {
                        pending.help();
                    }
                    return Pull::Later;
                }
                if !chunker.pull(buffer) {
                    return Pull::Chunk(None);
                }
                next
            }
            Supply::Ahead { full, empty, next } => {
                let Ok(fresh) = full.recv() else { return Pull::Chunk(None) };
                let used = std::mem::replace(buffer, fresh);
                // The decoder may have ended already; then nobody needs the buffer.
                let _ = empty.send(used);
                next
            }
            Supply::Closed => return Pull::Chunk(None),
        };
        *number += 1;
        Pull::Chunk(Some(*number - 1))
    }

    pub(crate) fn close(&self) {
        if let Ok(mut supply) = self.supply.lock() {
            *supply = Supply::Closed;
        }
    }

    /// Waits for the decompressing thread, so that it never outlives the call; its panic, if
    /// any, goes on here.
    pub(crate) fn join(&self) {
        self.close();
        let decoder = self.decoder.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(decoder) = decoder
            && let Err(panic) = decoder.join()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.close();
        if let Ok(decoder) = self.decoder.get_mut()
            && let Some(decoder) = decoder.take()
        {
            // Already unwinding or ending: the thread's own panic adds nothing.
            let _ = decoder.join();
        }
    }
}
