//! Stored bytes that are read, through a buffer.

use std::io::Read;

/// Buffers are at least one page …
const SMALLEST_BUFFER: usize = 4 << 10;
/// … and at most this: larger ones gain nothing and leave the cache.
const LARGEST_BUFFER: usize = 1 << 20;
/// Who takes little at a time, as for a look at the start, reads little: so many chunks, but a BGZF block at least.
const CHUNKS: usize = 4;
const BLOCK: usize = 64 << 10;

/// A reader, and the bytes read from it that nobody has taken yet.
pub(super) struct Buffered {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// The length when opened; a regular file that ends before it has been cut.
    pub(super) expected: Option<u64>,
    /// Bytes read from the reader.
    read: u64,
}

/// What [`Buffered`] reports before the name is known.
pub(super) enum ReadFault {
    Io(std::io::Error),
    Shrunk,
}

impl Buffered {
    pub(super) fn new(
        reader: Box<dyn Read + Send>,
        expected: Option<u64>,
        chunk_size: usize,
    ) -> Buffered {
        Buffered {
            reader,
            buffer: vec![0; buffer_size(expected, chunk_size)],
            start: 0,
            end: 0,
            at_end: false,
            expected,
            read: 0,
        }
    }

    pub(super) fn fill(&mut self, want: usize) -> Result<&[u8], ReadFault> {
        if self.end - self.start < want && !self.at_end {
            // What reaches far ahead is much to move: only where there is no room behind it.
            if want <= LARGEST_BUFFER || self.buffer.len() - self.start < want {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.buffer.len() < self.start + want {
                let room = if want > LARGEST_BUFFER { 2 * want } else { want };
                self.buffer.resize(room.next_power_of_two(), 0);
            }
            while self.end - self.start < want && !self.at_end {
                let n = read_retrying(&mut *self.reader, &mut self.buffer[self.end..])?;
                self.count(n)?;
                self.end += n;
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, ReadFault> {
        let held = self.end - self.start;
        if held > 0 {
            let n = held.min(out.len());
            out[..n].copy_from_slice(&self.buffer[self.start..self.start + n]);
            self.start += n;
            return Ok(n);
        }
        if self.at_end {
            return Ok(0);
        }
        let n = read_retrying(&mut *self.reader, out)?;
        self.count(n)?;
        Ok(n)
    }

    /// What has been read and not been consumed.
    pub(super) fn held(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Drops `n` bytes that are [held](Self::held).
    pub(super) fn consume(&mut self, n: usize) {
        self.start += n;
    }

    fn count(&mut self, n: usize) -> Result<(), ReadFault> {
        self.read += n as u64;
        if n == 0 {
            self.at_end = true;
            if self.expected.is_some_and(|len| self.read < len) {
                return Err(ReadFault::Shrunk);
            }
        }
        Ok(())
    }
}

fn read_retrying(reader: &mut dyn Read, out: &mut [u8]) -> Result<usize, ReadFault> {
    loop {
        match reader.read(out) {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            result => return result.map_err(ReadFault::Io),
        }
    }
}

/// A buffer for an input of `len` bytes: as large as the file, between 4 KB and 1 MB, and less for small chunks.
fn buffer_size(len: Option<u64>, chunk_size: usize) -> usize {
    let len = len.map_or(LARGEST_BUFFER, |n| usize::try_from(n).unwrap_or(LARGEST_BUFFER));
    let largest = chunk_size.saturating_mul(CHUNKS).clamp(BLOCK, LARGEST_BUFFER);
    // One byte more than the file, so that its end shows without another buffer.
    len.saturating_add(1).clamp(SMALLEST_BUFFER, largest).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_fit_the_file() {
        let chunk = 1 << 20;
        assert_eq!(buffer_size(Some(10), chunk), 4 << 10);
        assert_eq!(buffer_size(Some(100_000), chunk), 128 << 10);
        assert_eq!(buffer_size(Some(u64::MAX), chunk), 1 << 20);
        assert_eq!(buffer_size(None, chunk), 1 << 20);
        assert_eq!(buffer_size(None, 1), 64 << 10);
        assert_eq!(buffer_size(None, usize::MAX), 1 << 20);
    }
}
