//! Where the workers of a pipeline get their pieces from.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::pieces::{Load, Pieces};

/// Where workers get pieces: straight from the input, or from a thread that decompresses ahead.
pub(crate) struct Feed {
    supply: Mutex<Supply>,
    decoder: Mutex<Option<JoinHandle<()>>>,
}

enum Supply {
    Inline { pieces: Box<Pieces>, next: u64 },
    Ahead { full: Receiver<Load>, empty: Sender<Load>, next: u64 },
    Closed,
}

impl Feed {
    pub(crate) fn inline(pieces: Pieces) -> Feed {
        Feed {
            supply: Mutex::new(Supply::Inline { pieces: Box::new(pieces), next: 0 }),
            decoder: Mutex::new(None),
        }
    }

    pub(crate) fn ahead(mut pieces: Pieces, threads: usize) -> Feed {
        let (full_in, full): (SyncSender<Load>, _) = sync_channel(threads.min(4));
        let (empty, empty_out) = channel::<Load>();
        let decoder = std::thread::spawn(move || {
            loop {
                let mut load = empty_out.try_recv().unwrap_or_else(|_| Load::new());
                if !pieces.pull(&mut load) || full_in.send(load).is_err() {
                    break;
                }
            }
        });
        Feed {
            supply: Mutex::new(Supply::Ahead { full, empty, next: 0 }),
            decoder: Mutex::new(Some(decoder)),
        }
    }

    /// Fills `load` with the next piece and returns its number.
    pub(crate) fn pull(&self, load: &mut Load) -> Option<u64> {
        // A panic while pulling leaves the input in an unknown state: nothing more is taken.
        let mut supply = self.supply.lock().ok()?;
        let piece = match &mut *supply {
            Supply::Inline { pieces, next } => {
                if !pieces.pull(load) {
                    return None;
                }
                next
            }
            Supply::Ahead { full, empty, next } => {
                let fresh = full.recv().ok()?;
                let used = std::mem::replace(load, fresh);
                // The decoder may have ended already; then nobody needs the buffer.
                let _ = empty.send(used);
                next
            }
            Supply::Closed => return None,
        };
        *piece += 1;
        Some(*piece - 1)
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
