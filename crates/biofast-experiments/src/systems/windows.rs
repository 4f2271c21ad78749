//! Ways to get bytes at a position of a file: two system calls, one, a buffered window, a memory map. All give the
//! same bytes and count what they asked the system for. Used by entry 034.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;

use biofast::io::{Map, MapAdvice};

/// What a way to read asked the system for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// System calls that read or seek.
    pub(crate) calls: u64,
    /// Bytes they brought.
    pub(crate) bytes: u64,
}

/// Bytes by position.
pub(crate) trait Positioned {
    /// `len` bytes at `at`. Fewer are an error.
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]>;

    /// What was asked for so far.
    fn asked(&self) -> Asked;
}

/// `lseek` and `read` for each request.
pub(crate) struct SeekRead {
    file: File,
    buffer: Vec<u8>,
    asked: Asked,
}

impl SeekRead {
    pub(crate) fn new(file: File) -> Self {
        SeekRead { file, buffer: Vec::new(), asked: Asked::default() }
    }
}

impl Positioned for SeekRead {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        self.file.seek(SeekFrom::Start(at))?;
        self.asked.calls += 1;
        let buffer = front(&mut self.buffer, len);
        let mut filled = 0;
        while filled < len {
            let read = match self.file.read(&mut buffer[filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            self.asked.calls += 1;
            self.asked.bytes += read as u64;
            filled += read;
            if read == 0 {
                return Err(ends(at + filled as u64));
            }
        }
        Ok(buffer)
    }

    fn asked(&self) -> Asked {
        self.asked
    }
}

/// `pread` for each request.
pub(crate) struct Pread {
    file: File,
    buffer: Vec<u8>,
    asked: Asked,
}

impl Pread {
    pub(crate) fn new(file: File) -> Self {
        Pread { file, buffer: Vec::new(), asked: Asked::default() }
    }
}

impl Positioned for Pread {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let buffer = front(&mut self.buffer, len);
        if read_up_to(&self.file, at, buffer, len, &mut self.asked)? < len {
            return Err(ends(at));
        }
        Ok(buffer)
    }

    fn asked(&self) -> Asked {
        self.asked
    }
}

/// Keeps a window of the file: a request inside it costs no system call, one outside moves the window, which is
/// then read whole.
pub(crate) struct Window {
    file: File,
    buffer: Vec<u8>,
    size: usize,
    start: u64,
    filled: usize,
    asked: Asked,
}

impl Window {
    /// A window of `size` bytes. It grows if a request is larger.
    pub(crate) fn new(file: File, size: usize) -> Self {
        Window { file, buffer: Vec::new(), size, start: 0, filled: 0, asked: Asked::default() }
    }
}

impl Positioned for Window {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let end = at.checked_add(len as u64).ok_or_else(|| ends(u64::MAX))?;
        if at < self.start || end > self.start + self.filled as u64 {
            let size = self.size.max(len);
            // Nothing is in the window if reading fails.
            (self.start, self.filled) = (at, 0);
            let buffer = front(&mut self.buffer, size);
            self.filled = read_up_to(&self.file, at, buffer, len, &mut self.asked)?;
            if self.filled < len {
                return Err(ends(at + self.filled as u64));
            }
        }
        let from = (at - self.start) as usize;
        Ok(&self.buffer[from..from + len])
    }

    fn asked(&self) -> Asked {
        self.asked
    }
}

/// The file mapped whole, without advice: the kernel reads what is touched, and around it.
pub(crate) struct Mapped(Map);

impl Mapped {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        let map = Map::new(file, len, MapAdvice::NONE);
        Ok(Mapped(map.map_err(|_| io::Error::other("the file can't be mapped"))?))
    }
}

impl Positioned for Mapped {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let start = usize::try_from(at).map_err(|_| ends(at))?;
        let range = start..start.checked_add(len).ok_or_else(|| ends(at))?;
        self.0.bytes().get(range).ok_or_else(|| ends(at))
    }

    fn asked(&self) -> Asked {
        Asked::default()
    }
}

/// The front of a vector that only ever grows.
fn front(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}

/// Reads at `at` until `buffer` is full or, with at least `enough` bytes, a read came short.
fn read_up_to(
    file: &File,
    at: u64,
    buffer: &mut [u8],
    enough: usize,
    asked: &mut Asked,
) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        let read = match file.read_at(&mut buffer[filled..], at + filled as u64) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        asked.calls += 1;
        asked.bytes += read as u64;
        filled += read;
        if read == 0 || filled >= enough {
            return Ok(filled);
        }
    }
}

fn ends(at: u64) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, format!("the file ends at or before byte {at}"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::rng::Rng;

    fn all(path: &Path) -> Vec<Box<dyn Positioned>> {
        let file = || File::open(path).expect("opens");
        vec![
            Box::new(SeekRead::new(file())),
            Box::new(Pread::new(file())),
            Box::new(Window::new(file(), 1000)),
            Box::new(Window::new(file(), 64 << 10)),
            Box::new(Mapped::new(file()).expect("maps")),
        ]
    }

    fn sample() -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let mut rng = Rng::new(1, 2, 3);
        let bytes: Vec<u8> = (0..300_001).map(|_| rng.next() as u8).collect();
        std::fs::write(&path, &bytes).expect("writes");
        (dir, path, bytes)
    }

    #[test]
    fn every_way_gives_the_bytes_of_the_file_or_an_error() {
        let (_dir, path, bytes) = sample();
        let mut rng = Rng::new(4, 5, 6);
        let mut ways = all(&path);
        for _ in 0..2000 {
            let at = rng.below(301_000);
            let len = rng.below(5000) as usize;
            let expected = bytes.get(at as usize..at as usize + len);
            for (i, way) in ways.iter_mut().enumerate() {
                let got = way.get(at, len);
                match expected {
                    Some(expected) => assert_eq!(got.expect("reads"), expected, "{i} {at} {len}"),
                    None if len > 0 => {
                        let kind = got.expect_err("beyond the end").kind();
                        assert_eq!(kind, io::ErrorKind::UnexpectedEof, "{i} {at} {len}");
                    }
                    None => {}
                }
            }
        }
    }

    #[test]
    fn calls_and_bytes_are_counted() {
        let (_dir, path, _) = sample();
        let mut ways = all(&path);
        for way in &mut ways {
            for _ in 0..10 {
                way.get(128 << 10, 500).expect("reads");
            }
        }
        let asked: Vec<(u64, u64)> =
            ways.iter().map(|w| (w.asked().calls, w.asked().bytes)).collect();
        assert_eq!(asked, [(20, 5000), (10, 5000), (1, 1000), (1, 64 << 10), (0, 0)]);
    }
}
