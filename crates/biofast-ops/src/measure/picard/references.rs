//! Counting of all references of a header, on several threads.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use biofast_bam::Header;

/// Calls `add` with the number of each reference and a thread's count, which begins as `none`, and joins these.
///
/// # Errors
/// The first one of `add`, of any thread.
pub(super) fn count_each<C: Send>(
    header: &Header,
    threads: usize,
    none: impl Fn() -> C + Sync,
    add: impl Fn(i32, &mut C) -> io::Result<()> + Sync,
    join: impl Fn(&mut C, C) + Sync,
) -> io::Result<C> {
    let references = header.references().len();
    let next = AtomicUsize::new(0);
    let all = Mutex::new((none(), None));
    let count = || {
        let (mut own, mut fault) = (none(), None);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= references {
                break;
            }
            if let Err(error) = add(index as i32, &mut own) {
                fault = Some(error);
                break;
            }
        }
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        join(&mut all.0, own);
        all.1 = all.1.take().or(fault);
    };
    let others = threads.min(references).saturating_sub(1);
    std::thread::scope(|scope| {
        for _ in 0..others {
            // Without a thread to spare the others count all.
            if std::thread::Builder::new().spawn_scoped(scope, count).is_err() {
                break;
            }
        }
        count();
    });
    let (all, fault) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    fault.map_or(Ok(all), Err)
}
