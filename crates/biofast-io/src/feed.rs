//! Where the workers of a pipeline get their pieces from.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::JoinHandle;

use crate::gzip::Crew;
use crate::pieces::{Load, Pieces};

/// Where workers get pieces: straight from the input, or from a thread that decompresses ahead.
pub(crate) struct Feed {
    supply: Mutex<Supply>,
    /// What threads with nothing to do can work at.
    crew: Option<Arc<Crew>>,
    decoder: Mutex<Option<JoinHandle<()>>>,
}

/// What came of an attempt to get a piece.
pub(crate) enum Pull {
    /// The number of the piece; `None`: no more.
    Piece(Option<u64>),
    /// The next piece has to wait for others.
    Later,
}

enum Supply {
    Inline { pieces: Box<Pieces>, next: u64 },
    Ahead { full: Receiver<Load>, empty: Sender<Load>, next: u64 },
    Closed,
}

impl Feed {
    pub(crate) fn inline(pieces: Pieces) -> Feed {
        Feed {
            crew: pieces.crew(),
            supply: Mutex::new(Supply::Inline { pieces: Box::new(pieces), next: 0 }),
            decoder: Mutex::new(None),
        }
    }

    /// As [`inline`](Self::inline) if the system has no thread for it.
    pub(crate) fn ahead(pieces: Pieces, threads: usize) -> Feed {
        let (full_in, full): (SyncSender<Load>, _) = sync_channel(threads.min(4));
        let (empty, empty_out) = channel::<Load>();
        // Handed over when the thread is there: a thread that can't be made drops what it has.
        let (hand_over, taken_over) = channel::<Pieces>();
        let decode = move || {
            let Ok(mut pieces) = taken_over.recv() else { return };
            loop {
                let mut load = empty_out.try_recv().unwrap_or_else(|_| Load::new());
                if !pieces.pull(&mut load) || full_in.send(load).is_err() {
                    break;
                }
            }
        };
        let Ok(decoder) = std::thread::Builder::new().spawn(decode) else {
            return Feed::inline(pieces);
        };
        if let Err(back) = hand_over.send(pieces) {
            return Feed::inline(back.0);
        }
        Feed {
            crew: None,
            supply: Mutex::new(Supply::Ahead { full, empty, next: 0 }),
            decoder: Mutex::new(Some(decoder)),
        }
    }

    /// Fills `load` with the next piece and returns its number.
    pub(crate) fn pull(&self, load: &mut Load) -> Option<u64> {
        loop {
            if let Pull::Piece(piece) = self.try_pull(load, true) {
                return piece;
            }
        }
    }

    /// [`pull`](Self::pull), unless the next piece has to wait for others.
    pub(crate) fn pull_ready(&self, load: &mut Load) -> Pull {
        self.try_pull(load, false)
    }

    /// If the next piece has to wait, helps or waits for once, if wanted.
    fn try_pull(&self, load: &mut Load, help: bool) -> Pull {
        // A panic while pulling leaves the input in an unknown state: nothing more is taken.
        let supply = match self.supply.try_lock() {
            Ok(supply) => Ok(supply),
            // The error holds the lock.
            Err(TryLockError::Poisoned(_)) => return Pull::Piece(None),
            Err(TryLockError::WouldBlock) => {
                if let Some(crew) = &self.crew
                    && help
                    && crew.work()
                {
                    return Pull::Later;
                }
                self.supply.lock()
            }
        };
        let Ok(mut supply) = supply else { return Pull::Piece(None) };
        let piece = match &mut *supply {
            Supply::Inline { pieces, next } => {
                if let Some(obstacle) = pieces.obstacle() {
                    drop(supply);
                    if help {
                        obstacle.help();
                    }
                    return Pull::Later;
                }
                if !pieces.pull(load) {
                    return Pull::Piece(None);
                }
                next
            }
            Supply::Ahead { full, empty, next } => {
                let Ok(fresh) = full.recv() else { return Pull::Piece(None) };
                let used = std::mem::replace(load, fresh);
                // The decoder may have ended already; then nobody needs the buffer.
                let _ = empty.send(used);
                next
            }
            Supply::Closed => return Pull::Piece(None),
        };
        *piece += 1;
        Pull::Piece(Some(*piece - 1))
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
