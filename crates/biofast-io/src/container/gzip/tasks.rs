//! Chunks of a gzip input that are inflated before their turn, by whichever thread has nothing else to do.
//!
//! A task is to find the start of a block in one chunk of the compressed input and to inflate from there to the first
//! start of a block in the next chunk. Whether that was right, and what its matches into the bytes before it mean, is known
//! when its turn comes (`speculate`).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use biofast_deflate::{SpeculativeInflater, Symbols};

use crate::input::Map;

/// What inflates to more than so many times the length of its chunk ends early: this bounds memory.
const MOST_GROWTH: usize = 10;

/// False starts of blocks before a chunk is given up.
const MOST_TRIES: usize = 4;

/// Bytes of the input as they are stored.
pub(super) enum CompressedBytes {
    Map(Arc<Map>, Range<usize>),
    Copy(Box<[u8]>),
}

impl CompressedBytes {
    fn get(&self) -> &[u8] {
        match self {
            CompressedBytes::Map(map, range) => &map.bytes()[range.clone()],
            CompressedBytes::Copy(bytes) => bytes,
        }
    }
}

/// A chunk of the input to be inflated before its turn.
pub(super) struct InflateTask {
    /// Where the chunk begins in the input, in bytes.
    begin: u64,
    /// Bytes before the next chunk begins.
    len: usize,
    /// These, and some of those behind them.
    bytes: CompressedBytes,
    /// Set when the task is done: nothing, if no block was found.
    result: OnceLock<Option<Arc<DecodedChunk>>>,
}

/// The blocks of a chunk, inflated before their turn.
pub(super) struct DecodedChunk {
    /// Where they are, in bits of the input.
    pub(super) bits: Range<u64>,
    /// Their bytes, with markers for those that depend on what is before the chunk.
    pub(super) symbols: Symbols,
    tasks: Arc<TaskQueue>,
}

impl Drop for DecodedChunk {
    fn drop(&mut self) {
        self.tasks.pool().symbols.push(std::mem::take(&mut self.symbols));
    }
}

impl InflateTask {
    pub(super) fn new(begin: u64, len: usize, bytes: CompressedBytes) -> Arc<InflateTask> {
        Arc::new(InflateTask { begin, len, bytes, result: OnceLock::new() })
    }

    /// The bits of the input at which the first block may start.
    pub(super) fn bits(&self) -> Range<u64> {
        8 * self.begin..8 * (self.begin + self.len as u64)
    }

    /// What came of it: `None` if that isn't known yet, `Some(None)` if it is nothing.
    pub(super) fn result(&self) -> Option<Option<&Arc<DecodedChunk>>> {
        self.result.get().map(Option::as_ref)
    }

    /// Does the task.
    fn inflate(&self, tasks: &Arc<TaskQueue>) -> Option<Arc<DecodedChunk>> {
        let (inflater, symbols) = {
            let mut pool = tasks.pool();
            (pool.inflaters.pop(), pool.symbols.pop())
        };
        let (mut inflater, mut symbols) =
            (inflater.unwrap_or_default(), symbols.unwrap_or_default());
        let bytes = self.bytes.get();
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
        tasks.pool().inflaters.push(inflater);
        let chunk =
            DecodedChunk { bits: found.clone().unwrap_or_default(), symbols, tasks: tasks.clone() };
        found.map(|_| Arc::new(chunk))
    }
}

/// The tasks that no thread has taken yet, and buffers to be used again.
#[derive(Default)]
pub(crate) struct TaskQueue {
    tasks: Mutex<VecDeque<Arc<InflateTask>>>,
    changed: Condvar,
    pool: Mutex<Pool>,
}

#[derive(Default)]
struct Pool {
    inflaters: Vec<SpeculativeInflater>,
    symbols: Vec<Symbols>,
}

impl TaskQueue {
    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, VecDeque<Arc<InflateTask>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task.
    pub(super) fn add(&self, task: Arc<InflateTask>) {
        self.tasks().push_back(task);
        self.changed.notify_all();
    }

    /// Drops all tasks that nobody has taken.
    pub(super) fn clear(&self) {
        for task in self.tasks().drain(..) {
            let _ = task.result.set(None);
        }
        self.changed.notify_all();
    }

    /// Does one task; `false` if there is none.
    pub(crate) fn run_one(self: &Arc<Self>) -> bool {
        let Some(task) = self.tasks().pop_front() else { return false };
        // Something is set whatever happens: others wait for it.
        let done = Done { task: &task, tasks: self };
        let _ = done.task.result.set(task.inflate(self));
        true
    }

    /// Does one task, or waits until there is one or `task` is done.
    fn help(self: &Arc<Self>, task: &InflateTask) {
        if task.result.get().is_some() || self.run_one() {
            return;
        }
        let mut tasks = self.tasks();
        while tasks.is_empty() && task.result.get().is_none() {
            tasks = self.changed.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

struct Done<'a> {
    task: &'a InflateTask,
    tasks: &'a TaskQueue,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let _ = self.task.result.set(None);
        // Whoever has looked in vain waits by now.
        drop(self.tasks.tasks());
        self.tasks.changed.notify_all();
    }
}

/// A task that is not done although its turn has come.
pub(crate) struct PendingTask {
    pub(super) tasks: Arc<TaskQueue>,
    pub(super) task: Arc<InflateTask>,
}

impl PendingTask {
    /// Does something that helps, or waits until something can be done.
    pub(crate) fn help(&self) {
        self.tasks.help(&self.task);
    }
}
