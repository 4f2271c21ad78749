//! Workers, and what happens when one panics.

use std::thread::{Scope, ScopedJoinHandle};

/// What `work` returns on each of `threads` threads, this one among them, merged. A panic goes on here.
pub(super) fn on_threads<C: Send>(
    threads: usize,
    work: impl Fn() -> C + Sync,
    merge: impl Fn(&mut C, C),
) -> C {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map_while(|_| spawn(scope, &work)).collect();
        let mut result = work();
        for other in others {
            match other.join() {
                Ok(theirs) => merge(&mut result, theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    })
}

/// Another thread for `work`, if the system has one: with fewer the work takes longer and is the same.
fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    std::thread::Builder::new().spawn_scoped(scope, work).ok()
}

/// Calls the function when it is dropped by a panic.
pub(super) struct OnPanic<'a, A: Fn()>(pub(super) &'a A);

impl<A: Fn()> Drop for OnPanic<'_, A> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0();
        }
    }
}
