//! Where outputs write to: memory that can be looked at, and a disk that is full.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Bytes that all clones share, so that what an output took can be looked at.
#[derive(Clone, Default)]
pub struct SharedBytes(Arc<Mutex<Vec<u8>>>);

impl SharedBytes {
    /// What was written so far, which is then gone.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// The same as text.
    pub fn take_text(&self) -> String {
        String::from_utf8(self.take()).unwrap()
    }
}

impl Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A disk with room for so many bytes.
pub struct FullDisk(pub usize);

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n = bytes.len().min(self.0);
        self.0 -= n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
