//! Reads of a regular file that tell the system which bytes come next. Called by `stored.rs`.
//!
//! macOS reads ahead little by itself and takes advice by `F_RDADVISE`, which doesn't wait. Linux reads ahead as far as
//! it pays, so there a file is read plainly; the tests give it the advice it has instead, `POSIX_FADV_WILLNEED`.

use std::fs::File;
use std::io::Read;

/// What reads `file`, which has `len` bytes, from its position on.
pub(crate) fn reader(file: File, len: u64) -> Box<dyn Read + Send> {
    #[cfg(target_os = "macos")]
    {
        Box::new(windows::ReadAhead::new(file, len, windows::announce))
    }
    #[cfg(not(target_os = "macos"))]
    {
        let _ = len;
        Box::new(file)
    }
}

#[cfg(any(target_os = "macos", all(test, target_os = "linux")))]
mod windows {
    use std::fs::File;
    use std::io::{self, Read, Seek};

    /// Bytes announced at a time: several of the largest reads, and little beside a system's cache.
    pub(super) const WINDOW: u64 = 8 << 20;

    /// Announces the next window whenever less than one lies ahead.
    pub(super) struct ReadAhead<A> {
        file: File,
        len: u64,
        position: u64,
        announced: u64,
        /// Given the file, an offset and a length.
        announce: A,
    }

    impl<A: FnMut(&File, u64, u64)> ReadAhead<A> {
        pub(super) fn new(mut file: File, len: u64, announce: A) -> Self {
            // Reading tells what is wrong with a file that can't tell its position.
            let position = file.stream_position().unwrap_or(0);
            Self { file, len, position, announced: position, announce }
        }
    }

    impl<A: FnMut(&File, u64, u64)> Read for ReadAhead<A> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while self.announced < self.len.min(self.position.saturating_add(WINDOW)) {
                let window = WINDOW.min(self.len - self.announced);
                (self.announce)(&self.file, self.announced, window);
                self.announced += window;
            }
            let n = self.file.read(buffer)?;
            self.position += n as u64;
            Ok(n)
        }
    }

    /// Only advice: a system that can't take it reads all the same.
    pub(super) fn announce(file: &File, offset: u64, len: u64) {
        #[cfg(target_os = "macos")]
        let _ = rustix::fs::fcntl_rdadvise(file, offset, len);
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fadvise(
            file,
            offset,
            std::num::NonZero::new(len),
            rustix::fs::Advice::WillNeed,
        );
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{Seek, SeekFrom};

    use super::windows::{ReadAhead, WINDOW, announce};
    use super::*;

    /// A file of three windows and a bit.
    fn file() -> (File, Vec<u8>) {
        let bytes: Vec<u8> = (0..3 * WINDOW as usize + 777).map(|i| (i / 3) as u8).collect();
        let mut file = tempfile::tempfile().expect("temporary file");
        std::io::Write::write_all(&mut file, &bytes).expect("written");
        (file, bytes)
    }

    #[test]
    fn windows_are_announced_once_in_order_and_ahead_of_the_reads() {
        for start in [0, 5] {
            let (mut file, bytes) = file();
            file.seek(SeekFrom::Start(start)).expect("seeks");
            let mut windows = Vec::new();
            let note = |_: &File, offset, len| windows.push((offset, len));
            let mut reader = ReadAhead::new(file, bytes.len() as u64, note);
            let mut read = Vec::new();
            reader.read_to_end(&mut read).expect("reads");
            drop(reader);
            assert!(read == bytes[start as usize..]);
            let mut end = start;
            for (offset, len) in &windows {
                assert_eq!(*offset, end);
                assert!((1..=WINDOW).contains(len));
                end += len;
            }
            assert_eq!(end, bytes.len() as u64);
            assert_eq!(windows.len(), 4);
        }
    }

    #[test]
    fn advice_changes_nothing_of_what_is_read_even_of_a_file_that_was_cut() {
        let (mut file, bytes) = file();
        file.rewind().expect("seeks");
        let mut reader = ReadAhead::new(file, bytes.len() as u64 + WINDOW, announce);
        let mut read = Vec::new();
        reader.read_to_end(&mut read).expect("reads");
        assert!(read == bytes);
    }
}
