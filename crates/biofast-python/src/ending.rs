//! The interpreter's end, for threads of ours that call into it.
//!
//! A run that is interrupted leaves the thread behind that reads a Python object: it may be within `read()`. Before Python 3.14 an
//! interpreter that ends also ends each thread that waits for it then, by unwinding its stack, which frames of Rust don't survive.
//! So such threads no longer call into it from when it begins to end, and it waits a moment for those that are there.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Whether the interpreter has begun to end.
static ENDS: AtomicBool = AtomicBool::new(false);

/// How many threads are in it by [`attach`].
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// How long the interpreter waits for these: one that sleeps in a `read()` doesn't keep it.
const PATIENCE: Duration = Duration::from_millis(300);

/// Does this with the interpreter, from a thread that it doesn't know of; nothing once it ends.
pub(crate) fn attach<R>(call: impl FnOnce(Python<'_>) -> R) -> Option<R> {
    struct Inside;
    impl Drop for Inside {
        fn drop(&mut self) {
            INSIDE.fetch_sub(1, Ordering::SeqCst);
        }
    }
    // First counted, then looked: who ends sees the one or we see the other.
    INSIDE.fetch_add(1, Ordering::SeqCst);
    let _inside = Inside;
    match ENDS.load(Ordering::SeqCst) {
        true => None,
        false => Python::try_attach(call),
    }
}

/// Called by `atexit`, when the other threads still run.
#[pyfunction]
pub(crate) fn ends(py: Python<'_>) {
    ENDS.store(true, Ordering::SeqCst);
    py.detach(|| {
        let begin = Instant::now();
        while INSIDE.load(Ordering::SeqCst) > 0 && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}
