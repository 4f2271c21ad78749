//! Long work beside an interpreter that still notices Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use biofast_io::CancellationToken;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long a signal may wait to be seen.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long cancelled work is waited for. Only work that waits itself takes longer, such as for a pipe that nobody writes to:
/// it ends when that does.
const WAIT: Duration = Duration::from_millis(800);

/// Does `work` on a thread of its own, detached from the interpreter. If a signal raises an exception meanwhile, the work is
/// cancelled, and the exception is the result.
pub(crate) fn attended<T: Send + 'static>(
    py: Python<'_>,
    cancellation: &CancellationToken,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    let receiver = Mutex::new(receiver);
    std::thread::Builder::new().name("biofast".into()).spawn(move || {
        // Nobody may wait for it any more.
        let _ = sender.send(work());
    })?;
    match received(py, &receiver) {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(PyRuntimeError::new_err("a thread of biofast ended too early")),
        Err(error) => {
            cancellation.cancel();
            py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                drop(receiver.recv_timeout(WAIT));
            });
            Err(error)
        }
    }
}

/// The next thing of a channel; none where there will be no more.
pub(crate) fn received<T: Send>(
    py: Python<'_>,
    receiver: &Mutex<Receiver<T>>,
) -> PyResult<Option<T>> {
    loop {
        // Also while things come one after the other: a loop in C, such as that of `list`, looks for no signals itself.
        py.check_signals()?;
        let result = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(LOOK_AGAIN)
        });
        match result {
            Ok(thing) => return Ok(Some(thing)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
