//! Pieces of a gzip input that are inflated before their turn, by whichever thread has nothing better to do.
//!
//! A piece's task is to find a start of a block in its part of the input and to inflate from there to the first
//! start of a block in the next part. Whether that was right, and what its matches into the bytes before it mean, is known
//! when its turn comes (`speculate`).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use biofast_deflate::{PieceInflater, Symbols};

#[cfg(all(feature = "mmap", unix))]
use crate::map::Map;

/// A piece that inflates to more than so many times its part's length ends early: this bounds memory.
const MOST_GROWTH: usize = 10;

/// Starts of blocks that turn out to be none before a part is given up.
const MOST_TRIES: usize = 4;

/// Bytes of the input.
pub(super) enum Stretch {
    #[cfg(all(feature = "mmap", unix))]
    Map(Arc<Map>, Range<usize>),
    Copy(Box<[u8]>),
}

impl Stretch {
    fn bytes(&self) -> &[u8] {
        match self {
            #[cfg(all(feature = "mmap", unix))]
            Stretch::Map(map, range) => &map.bytes()[range.clone()],
            Stretch::Copy(bytes) => bytes,
        }
    }
}

/// A part of the input that is inflated before its turn.
pub(super) struct Slot {
    /// Where it begins in the input, in bytes.
    begin: u64,
    /// Bytes before the next part begins.
    len: usize,
    /// These, and some of those behind them.
    stretch: Stretch,
    /// Set when the task is done: nothing, if no block was found.
    result: OnceLock<Option<Arc<Piece>>>,
}

/// Blocks that were inflated before their turn.
pub(super) struct Piece {
    /// Where they are, in bits of the input.
    pub(super) bits: Range<u64>,
    pub(super) symbols: Symbols,
    crew: Arc<Crew>,
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.crew.tools().symbols.push(std::mem::take(&mut self.symbols));
    }
}

impl Slot {
    pub(super) fn new(begin: u64, len: usize, stretch: Stretch) -> Arc<Slot> {
        Arc::new(Slot { begin, len, stretch, result: OnceLock::new() })
    }

    /// The bits of the input where a piece of it may start.
    pub(super) fn bits(&self) -> Range<u64> {
        8 * self.begin..8 * (self.begin + self.len as u64)
    }

    /// What came of it: `None` if that isn't known yet, `Some(None)` if it is nothing.
    pub(super) fn result(&self) -> Option<Option<&Arc<Piece>>> {
        self.result.get().map(Option::as_ref)
    }

    /// Does the task.
    fn inflate(&self, crew: &Arc<Crew>) -> Option<Arc<Piece>> {
        let (inflater, symbols) = {
            let mut tools = crew.tools();
            (tools.inflaters.pop(), tools.symbols.pop())
        };
        let (mut inflater, mut symbols) =
            (inflater.unwrap_or_default(), symbols.unwrap_or_default());
        let bytes = self.stretch.bytes();
        let (until, most) = (8 * self.len, MOST_GROWTH * self.len);
        let (mut found, mut from) = (None, 0);
        for _ in 0..MOST_TRIES {
            let Some(start) = inflater.find(bytes, from..until) else { break };
            let end = inflater.inflate(bytes, start, until, most, &mut symbols);
            if end > start {
                let first = 8 * self.begin;
                found = Some(first + start as u64..first + end as u64);
                break;
            }
            // It was none, or it is too long.
            from = start + 1;
        }
        crew.tools().inflaters.push(inflater);
        let piece = Piece { bits: found.clone().unwrap_or_default(), symbols, crew: crew.clone() };
        found.map(|_| Arc::new(piece))
    }
}

/// The tasks that nobody has taken yet, and what is used for them again and again.
#[derive(Default)]
pub(crate) struct Crew {
    tasks: Mutex<VecDeque<Arc<Slot>>>,
    changed: Condvar,
    tools: Mutex<Tools>,
}

#[derive(Default)]
struct Tools {
    inflaters: Vec<PieceInflater>,
    symbols: Vec<Symbols>,
}

impl Crew {
    fn tools(&self) -> MutexGuard<'_, Tools> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, VecDeque<Arc<Slot>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task.
    pub(super) fn add(&self, slot: Arc<Slot>) {
        self.tasks().push_back(slot);
        self.changed.notify_all();
    }

    /// Drops all tasks that nobody has taken.
    pub(super) fn clear(&self) {
        for slot in self.tasks().drain(..) {
            let _ = slot.result.set(None);
        }
        self.changed.notify_all();
    }

    /// Does one task; `false` if there is none.
    pub(crate) fn work(self: &Arc<Self>) -> bool {
        let Some(slot) = self.tasks().pop_front() else { return false };
        // Something is set whatever happens: others wait for it.
        let done = Done { slot: &slot, crew: self };
        let _ = done.slot.result.set(slot.inflate(self));
        true
    }

    /// Does one task, or waits until there is one or `slot` is done.
    fn help(self: &Arc<Self>, slot: &Slot) {
        if slot.result.get().is_some() || self.work() {
            return;
        }
        let mut tasks = self.tasks();
        while tasks.is_empty() && slot.result.get().is_none() {
            tasks = self.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Done<'a> {
    slot: &'a Slot,
    crew: &'a Crew,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let _ = self.slot.result.set(None);
        // Whoever has looked in vain waits by now.
        drop(self.crew.tasks());
        self.crew.changed.notify_all();
    }
}

/// A piece whose turn has come before it was done.
pub(crate) struct Obstacle {
    pub(super) crew: Arc<Crew>,
    pub(super) slot: Arc<Slot>,
}

impl Obstacle {
    /// Does something that helps, or waits until something can be done.
    pub(crate) fn help(&self) {
        self.crew.help(&self.slot);
    }
}
