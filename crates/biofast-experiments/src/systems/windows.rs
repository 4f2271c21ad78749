//! Ways to get bytes at a position of a file: two system calls, one, a buffered window, a memory map. All give the
//! same bytes and count what they asked the system for. Used by entry 034.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;

use biofast_io::{Map, MapAdvice};

/// What a way to read asked the system for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// System calls that read or seek.
    pub(crate) calls: u64,
    /// Bytes they brought.
    pub(crate) bytes: u64,
}

pub(crate) trait Positioned {
    /// `len` bytes at `at`. Fewer are an error.
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]>;

    fn asked(&self) -> Asked;
}

/// A file, a buffer that only ever grows, and what was asked for.
pub(crate) struct Buffered {
    file: File,
    buffer: Vec<u8>,
    asked: Asked,
}

impl Buffered {
    fn new(file: File) -> Self {
        Buffered { file, buffer: Vec::new(), asked: Asked::default() }
    }

    /// Makes the buffer at least so long.
    fn grow(&mut self, len: usize) {
        if self.buffer.len() < len {
            self.buffer.resize(len, 0);
        }
    }

    /// Reads at `at` until the first `most` bytes of the buffer are full or a read came short with at least `enough`.
    fn read_up_to(&mut self, at: u64, enough: usize, most: usize) -> io::Result<usize> {
        self.grow(most);
        let mut filled = 0;
        loop {
            let rest = &mut self.buffer[filled..most];
            let read = match self.file.read_at(rest, at + filled as u64) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            self.asked.calls += 1;
            self.asked.bytes += read as u64;
            filled += read;
            if read == 0 && filled < enough {
                return Err(ends(at + filled as u64));
            }
            if filled >= enough {
                return Ok(filled);
            }
        }
    }
}

/// `lseek` and `read` for each request.
pub(crate) struct SeekRead(Buffered);

impl SeekRead {
    pub(crate) fn new(file: File) -> Self {
        SeekRead(Buffered::new(file))
    }
}

impl Positioned for SeekRead {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        self.0.grow(len);
        let Buffered { file, buffer, asked } = &mut self.0;
        file.seek(SeekFrom::Start(at))?;
        asked.calls += 1;
        let mut filled = 0;
        while filled < len {
            let read = match file.read(&mut buffer[filled..len]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            asked.calls += 1;
            asked.bytes += read as u64;
            filled += read;
            if read == 0 {
                return Err(ends(at + filled as u64));
            }
        }
        Ok(&buffer[..len])
    }

    fn asked(&self) -> Asked {
        self.0.asked
    }
}

/// `pread` for each request.
pub(crate) struct Pread(Buffered);

impl Pread {
    pub(crate) fn new(file: File) -> Self {
        Pread(Buffered::new(file))
    }
}

impl Positioned for Pread {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        self.0.read_up_to(at, len, len)?;
        Ok(&self.0.buffer[..len])
    }

    fn asked(&self) -> Asked {
        self.0.asked
    }
}

/// Keeps a window of the file: a request inside it costs no system call, one outside moves the window, which is
/// then read whole.
pub(crate) struct Window {
    own: Buffered,
    size: usize,
    start: u64,
    filled: usize,
}

impl Window {
    /// A window of `size` bytes. It grows if a request is larger.
    pub(crate) fn new(file: File, size: usize) -> Self {
        Window { own: Buffered::new(file), size, start: 0, filled: 0 }
    }
}

impl Positioned for Window {
    fn get(&mut self, at: u64, len: usize) -> io::Result<&[u8]> {
        let end = at.checked_add(len as u64).ok_or_else(|| ends(u64::MAX))?;
        if at < self.start || end > self.start + self.filled as u64 {
            // Nothing is in the window if reading fails.
            (self.start, self.filled) = (at, 0);
            self.filled = self.own.read_up_to(at, len, self.size.max(len))?;
        }
        let from = (at - self.start) as usize;
        Ok(&self.own.buffer[from..from + len])
    }

    fn asked(&self) -> Asked {
        self.own.asked
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

fn ends(at: u64) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, format!("the file ends at or before byte {at}"))
}
