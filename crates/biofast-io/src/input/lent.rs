//! A reader that is lent for the time of a call.
#![allow(unsafe_code)]

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::source::Source;

/// Where the reader is until the call ends.
type LentReader = Arc<Mutex<Option<Box<dyn Read + Send>>>>;

/// The end of the source, which may outlive the call.
struct Lent(LentReader);

/// Takes the reader back, however the call ends.
struct Borrow(LentReader);

impl Source {
    /// Calls `work` with a source that reads from something borrowed: a slice of bytes, a `&mut` of a
    /// reader.
    ///
    /// A read of the source after the call (if `work` has kept it, or a thread that still uses it) fails.
    ///
    /// ```
    /// use biofast_io::{Options, Reader, Source};
    ///
    /// let fastq = b"@r\nACGT\n+\nIIII\n".to_vec();
    /// let text = Source::lend("memory", &fastq[..], |source| {
    ///     std::io::read_to_string(Reader::new(source, &Options::default())?)
    /// })?;
    /// assert_eq!(text.as_bytes(), fastq);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn lend<R>(label: &str, reader: impl Read + Send, work: impl FnOnce(Source) -> R) -> R {
        let reader: Box<dyn Read + Send + '_> = Box::new(reader);
        // SAFETY: only the lifetime changes. The box never leaves the slot and is used under its lock alone;
        // `borrow` empties the slot before this function returns, also when `work` panics, and waits
        // for a read in progress by that lock. So nothing uses what is borrowed after the call.
        let reader = unsafe {
            std::mem::transmute::<Box<dyn Read + Send + '_>, Box<dyn Read + Send + 'static>>(reader)
        };
        let borrow = Borrow(Arc::new(Mutex::new(Some(reader))));
        work(Source::from_reader(label, Lent(Arc::clone(&borrow.0))))
    }
}

fn lock(slot: &LentReader) -> MutexGuard<'_, Option<Box<dyn Read + Send>>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Read for Lent {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match lock(&self.0).as_mut() {
            Some(reader) => reader.read(out),
            None => Err(std::io::Error::other("it was lent for a call that has ended")),
        }
    }
}

impl Drop for Borrow {
    fn drop(&mut self) {
        // Dropped under the lock, as its own destructor may use what it borrows.
        *lock(&self.0) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Reader};

    #[test]
    fn a_source_that_outlives_its_call_fails_and_touches_nothing() {
        let bytes = b"ACGT".to_vec();
        let kept = Source::lend("x", &bytes[..], |source| source);
        drop(bytes);
        let error = Reader::new(kept, &Options::serial()).err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some("x: it was lent for a call that has ended"));
    }

    #[test]
    fn what_was_lent_to_a_call_that_panics_is_free_again() {
        let mut left = &b"ACGT"[..];
        let mut kept = None;
        let call = std::panic::AssertUnwindSafe(|| {
            Source::lend("x", left.by_ref(), |source| {
                kept = Some(source);
                panic!("on purpose");
            })
        });
        assert!(std::panic::catch_unwind(call).is_err());
        assert_eq!(left, b"ACGT");
        assert!(Reader::new(kept.expect("it was kept"), &Options::serial()).is_err());
    }
}
