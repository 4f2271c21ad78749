//! Other formats as streams of BAM bytes: what the adapters share.

use std::io::{self, Read};

use crate::error::Error;

/// Makes BAM bytes, some at a time.
pub(crate) trait Produce {
    /// Fills `out`, which is empty, perhaps with nothing; `false` if there are no more bytes.
    ///
    /// # Errors
    /// What is wrong after all bytes made before.
    fn produce(&mut self, out: &mut Vec<u8>) -> Result<bool, Error>;
}

/// Reads what is produced.
pub(crate) struct Adapter<P> {
    producer: P,
    /// BAM bytes that are ready, and how many of them have been taken.
    ready: Vec<u8>,
    taken: usize,
}

impl<P: Produce> Adapter<P> {
    pub(crate) fn new(producer: P) -> Adapter<P> {
        Adapter { producer, ready: Vec::new(), taken: 0 }
    }
}

impl<P: Produce> Read for Adapter<P> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            if !self.producer.produce(&mut self.ready)? {
                return Ok(0);
            }
        }
        let n = out.len().min(self.ready.len() - self.taken);
        out[..n].copy_from_slice(&self.ready[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}
