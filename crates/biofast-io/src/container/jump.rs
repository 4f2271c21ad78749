//! Decompressed bytes from any place of a file: one block is read and inflated at a time.

use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;

use super::bgzf::{self, Block, Inflater, MAX_INFLATED, Parsed, VirtualOffset};
use crate::error::{Error, ErrorKind, Location};
use crate::input::display_name;
use crate::input::remote::Ranged;

/// Bytes of a plain file that are read at once.
const WINDOW: usize = 16 << 10;

/// A regular file or an object at an [address](crate::remote::address), plain or BGZF, that is read from any place on. Where a place lies in the block, or the few kilobytes, read
/// last, nothing is read again.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-jumper-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.gz");
/// use biofast_io::bgzf::{self, VirtualOffset};
/// use biofast_io::Jumper;
/// use std::io::BufRead;
///
/// std::fs::write(&path, bgzf::compress(b"one\ntwo\n"))?;
/// let mut jumper = Jumper::blocks(&path)?;
/// jumper.jump(VirtualOffset::new(0, 4).into())?;
/// let mut line = String::new();
/// jumper.read_line(&mut line)?;
/// assert_eq!(line, "two\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Jumper {
    file: Ranged,
    name: Arc<str>,
    is_blocks: bool,
    /// The stored bytes of a block.
    stored: Vec<u8>,
    /// Decompressed bytes.
    bytes: Vec<u8>,
    /// How many of them have been taken.
    taken: usize,
    /// Where in the file they are …
    start: u64,
    /// … and what follows them.
    next: u64,
    inflater: Inflater,
}

impl Jumper {
    /// A plain file, whose places are bytes.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn plain(path: impl AsRef<Path>) -> Result<Jumper, Error> {
        Jumper::open(path.as_ref(), false)
    }

    /// A BGZF file, whose places are virtual offsets.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn blocks(path: impl AsRef<Path>) -> Result<Jumper, Error> {
        Jumper::open(path.as_ref(), true)
    }

    fn open(path: &Path, is_blocks: bool) -> Result<Jumper, Error> {
        let name: Arc<str> = display_name(path).into();
        let file = Ranged::open(path).map_err(|error| Error::io(error, &name))?;
        Ok(Jumper {
            file,
            name,
            is_blocks,
            stored: Vec::new(),
            bytes: Vec::new(),
            taken: 0,
            start: 0,
            next: 0,
            inflater: Inflater::new(),
        })
    }

    /// The bytes that come next are those at `place`.
    ///
    /// # Errors
    /// If there is no such place.
    pub fn jump(&mut self, place: u64) -> Result<(), Error> {
        let (at, within) = match self.is_blocks {
            true => {
                let place = VirtualOffset::from(place);
                (place.compressed(), usize::from(place.within()))
            }
            false => {
                let held = self.start..self.start + self.bytes.len() as u64;
                match held.contains(&place) {
                    true => (self.start, (place - self.start) as usize),
                    false => (place, 0),
                }
            }
        };
        if self.bytes.is_empty() || at != self.start {
            self.load(at)?;
        }
        if within > self.bytes.len() {
            return Err(self
                .fault(at, ErrorKind::IndexMismatch("it points past the end of a block's data")));
        }
        self.taken = within;
        Ok(())
    }

    /// The place of the byte that comes next.
    pub fn place(&self) -> u64 {
        let taken = self.taken as u64;
        match (self.is_blocks, self.taken == self.bytes.len()) {
            (false, _) => self.start + taken,
            (true, false) => VirtualOffset::new(self.start, self.taken as u16).into(),
            (true, true) => VirtualOffset::new(self.next, 0).into(),
        }
    }

    fn fault(&self, at: u64, kind: ErrorKind) -> Error {
        Error::new(kind, Location { block: Some(at), ..Location::in_input(&self.name) })
    }

    /// Reads what is at a byte of the file: a block, or a window.
    fn load(&mut self, at: u64) -> Result<(), Error> {
        self.bytes.clear();
        (self.taken, self.start) = (0, at);
        let io = |error| Error::io(error, &self.name);
        if !self.is_blocks {
            self.bytes.resize(WINDOW, 0);
            let read = self.file.read_at(&mut self.bytes, at);
            self.bytes.truncate(read.as_ref().map_or(0, |&n| n));
            read.map_err(io)?;
            self.next = at + self.bytes.len() as u64;
            return Ok(());
        }
        self.stored.resize(MAX_INFLATED, 0);
        let n = self.file.read_at(&mut self.stored, at).map_err(io)?;
        self.stored.truncate(n);
        if self.stored.is_empty() {
            self.next = at;
            return Ok(());
        }
        let header = match bgzf::parse_header(&self.stored) {
            Parsed::Block(header) if header.block_len <= self.stored.len() => header,
            Parsed::Block(_) | Parsed::NeedMore(_) => {
                return Err(self.fault(at, ErrorKind::Truncated("a BGZF block")));
            }
            Parsed::Invalid(why) => return Err(self.fault(at, ErrorKind::BadBlock(why))),
            Parsed::OtherGzip | Parsed::NotGzip => {
                let kind =
                    ErrorKind::IndexMismatch("it points to a position where no BGZF block starts");
                return Err(self.fault(at, kind));
            }
        };
        self.next = at + header.block_len as u64;
        let block = Block::new(&self.stored, 0, header, at)
            .map_err(|why| self.fault(at, ErrorKind::BadBlock(why)))?;
        self.bytes.resize(block.inflated_len, 0);
        let inflated = self.inflater.inflate(&self.stored, &[block], &mut self.bytes);
        inflated.map(|_| ()).map_err(|fault| self.fault(at, fault.error.into()))
    }
}

impl BufRead for Jumper {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // Blocks may be empty; the end is where nothing follows.
        while self.taken == self.bytes.len() {
            let (start, next) = (self.start, self.next);
            if next == start && self.bytes.is_empty() && start > 0 {
                break;
            }
            self.load(next)?;
            if self.bytes.is_empty() && self.next == self.start {
                break;
            }
        }
        Ok(&self.bytes[self.taken..])
    }

    fn consume(&mut self, n: usize) {
        self.taken += n;
    }
}

impl Read for Jumper {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let n = bytes.len().min(out.len());
        out[..n].copy_from_slice(&bytes[..n]);
        self.consume(n);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::container::{bgzf, bgzf_starts};

    #[test]
    fn all_that_follows_any_place_is_read() {
        let text: Vec<u8> = (0..9_000u32).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let (plain, blocks) = (folder.path().join("x"), folder.path().join("x.gz"));
        std::fs::write(&plain, &text).expect("a file");
        // An end-of-file block inside, as joined files have it.
        let (first, second) = text.split_at(20_000);
        let stored = [bgzf(first, 900), bgzf(second, 700)].concat();
        std::fs::write(&blocks, &stored).expect("a file");
        let rest = |jumper: &mut Jumper, place: u64| {
            jumper.jump(place).expect("a place");
            let mut out = Vec::new();
            jumper.read_to_end(&mut out).expect("bytes");
            out
        };
        let mut jumper = Jumper::plain(&plain).expect("a file");
        for at in [0, 5, 17_000, 16_384, 3, text.len()] {
            assert!(rest(&mut jumper, at as u64) == text[at..], "{at}");
        }
        let mut jumper = Jumper::blocks(&blocks).expect("a file");
        let mut data = 0;
        let starts = bgzf_starts(&stored);
        for (index, &start) in starts[..starts.len() - 1].iter().enumerate() {
            jumper.jump(VirtualOffset::new(start as u64, 0).into()).expect("a block");
            let len = jumper.bytes.len();
            if index % 7 == 0 {
                let within = (len / 2) as u16;
                let place = VirtualOffset::new(start as u64, within).into();
                assert!(rest(&mut jumper, place) == text[data + len / 2..], "{start}");
            }
            data += len;
        }
        assert_eq!(data, text.len());
        // No block starts there; and behind the data of one.
        assert!(jumper.jump(VirtualOffset::new(3, 0).into()).is_err());
        assert!(jumper.jump(VirtualOffset::new(0, 901).into()).is_err());
    }
}
