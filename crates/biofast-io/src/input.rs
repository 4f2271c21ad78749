//! The stored bytes of a source, mapped or buffered, taken from the front.

use std::io::Read;
#[cfg(all(feature = "mmap", unix))]
use std::ops::Range;
#[cfg(all(feature = "mmap", unix))]
use std::sync::Arc;

use crate::ahead;
use crate::error::{Error, ErrorKind, Location};
#[cfg(all(feature = "mmap", unix))]
use crate::map::Map;
use crate::source::{Backing, Options, Source, promised_container};
#[cfg(all(feature = "mmap", unix))]
use crate::source::{IoMode, MMAP_THRESHOLD};

/// Buffers are at least one page …
const SMALLEST_BUFFER: usize = 4 << 10;
/// … and at most this: larger ones gain nothing and leave the cache.
const LARGEST_BUFFER: usize = 1 << 20;

pub(crate) struct Input {
    pub(crate) name: std::sync::Arc<str>,
    kind: Kind,
    /// Whether an adapter makes the bytes from another input.
    derived: bool,
    /// Bytes consumed.
    position: u64,
    /// Why no more can be read, until it is taken.
    fault: Option<Error>,
    /// Mapped bytes that workers are done with, until they are taken.
    #[cfg(all(feature = "mmap", unix))]
    behind: Option<Range<usize>>,
    options: Options,
}

enum Kind {
    #[cfg(all(feature = "mmap", unix))]
    Map(Arc<Map>),
    Buffered(Buffered),
}

struct Buffered {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// The length when opened; a regular file that ends before it has been cut.
    expected: Option<u64>,
    /// Bytes read from the reader.
    read: u64,
}

impl Input {
    pub(crate) fn new(source: Source, options: &Options) -> Result<Input, Error> {
        let Source { name, backing } = source;
        let mut options = options.clone();
        options.chunk_size = options.chunk_size.clamp(1, Options::MAX_CHUNK_SIZE);
        #[cfg(all(feature = "mmap", unix))]
        let (io, advice) = (options.io, options.advice);
        if let Backing::File(_, 0) = backing
            && let Some(ending) = promised_container(&name)
        {
            return Err(Error::new(ErrorKind::Empty(ending), Location::in_input(&name)));
        }
        let derived = matches!(backing, Backing::Derived(_));
        if derived {
            options.progress = None;
        }
        let of = |kind| Input {
            name,
            kind,
            derived,
            position: 0,
            fault: None,
            #[cfg(all(feature = "mmap", unix))]
            behind: None,
            options,
        };
        let kind = match backing {
            Backing::File(file, len) => {
                #[cfg(all(feature = "mmap", unix))]
                let file = match wants_map(io, len) {
                    true => match Map::new(file, len, advice) {
                        Ok(map) => return Ok(of(Kind::Map(Arc::new(map)))),
                        Err(file) => file,
                    },
                    false => file,
                };
                Kind::Buffered(Buffered::new(ahead::reader(file, len), Some(len)))
            }
            Backing::Stream(reader) | Backing::Derived(reader) => {
                Kind::Buffered(Buffered::new(reader, None))
            }
        };
        Ok(of(kind))
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The map, if this input is one.
    #[cfg(all(feature = "mmap", unix))]
    pub(crate) fn map(&self) -> Option<&Arc<Map>> {
        match &self.kind {
            Kind::Map(map) => Some(map),
            Kind::Buffered(_) => None,
        }
    }

    /// The length in bytes, where it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match &self.kind {
            #[cfg(all(feature = "mmap", unix))]
            Kind::Map(map) => Some(map.bytes().len() as u64),
            Kind::Buffered(b) => b.expected,
        }
    }

    pub(crate) fn is_mapped(&self) -> bool {
        !matches!(self.kind, Kind::Buffered(_))
    }

    /// Whether an adapter makes the bytes from another input.
    pub(crate) fn is_derived(&self) -> bool {
        self.derived
    }

    /// Bytes consumed so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// At least `want` bytes, or all that are left.
    pub(crate) fn fill(&mut self, want: usize) -> Result<&[u8], Error> {
        match &mut self.kind {
            #[cfg(all(feature = "mmap", unix))]
            Kind::Map(map) => Ok(&map.bytes()[self.position as usize..]),
            Kind::Buffered(b) => b.fill(want).map_err(|e| located(e, &self.name)),
        }
    }

    /// At least `want` bytes, or all that can be read: for decoders, which give what they can make of these before
    /// they ask [`take_fault`](Self::take_fault) why there are no more.
    pub(crate) fn look(&mut self, want: usize) -> &[u8] {
        if self.fault.is_none() {
            self.fault = self.fill(want).err();
        }
        match &self.kind {
            #[cfg(all(feature = "mmap", unix))]
            Kind::Map(map) => &map.bytes()[self.position as usize..],
            Kind::Buffered(b) => &b.buffer[b.start..b.end],
        }
    }

    /// Why [`look`](Self::look) had fewer bytes than wanted, if not because the input has ended.
    pub(crate) fn take_fault(&mut self) -> Option<Error> {
        self.fault.take()
    }

    /// Drops `n` bytes that [`fill`](Self::fill) returned.
    pub(crate) fn consume(&mut self, n: usize) {
        self.position += n as u64;
        if let Some(progress) = &self.options.progress {
            progress.add(n as u64);
        }
        match &mut self.kind {
            #[cfg(all(feature = "mmap", unix))]
            Kind::Map(map) => {
                if let Some(more) = windows_behind(self.position - n as u64, self.position)
                    && let Some(behind) = self.behind.replace(more)
                {
                    map.release(behind);
                }
            }
            Kind::Buffered(b) => b.start += n,
        }
    }

    /// The part of the map that nobody needs any more, since the last call. Letting go of it takes so long that it
    /// should not hold up who else wants a piece.
    #[cfg(all(feature = "mmap", unix))]
    pub(crate) fn take_behind(&mut self) -> Option<(Arc<Map>, Range<usize>)> {
        let behind = self.behind.take()?;
        self.map().map(|map| (Arc::clone(map), behind))
    }

    /// Fills `out` as far as the input goes, without a copy through the buffer; the bytes
    /// before a fault are counted beside it.
    pub(crate) fn read_full(&mut self, out: &mut [u8]) -> (usize, Option<Error>) {
        let mut n = 0;
        while n < out.len() {
            let got = match &mut self.kind {
                #[cfg(all(feature = "mmap", unix))]
                Kind::Map(map) => {
                    let rest = &map.bytes()[self.position as usize..];
                    let got = rest.len().min(out.len() - n);
                    out[n..n + got].copy_from_slice(&rest[..got]);
                    got
                }
                Kind::Buffered(b) => match b.read(&mut out[n..]) {
                    Ok(got) => got,
                    Err(fault) => return (n, Some(located(fault, &self.name))),
                },
            };
            if got == 0 {
                break;
            }
            n += got;
            self.position += got as u64;
            if let Some(progress) = &self.options.progress {
                progress.add(got as u64);
            }
        }
        (n, None)
    }

    /// What can say later whether the file was cut under the map.
    pub(crate) fn witness(&self) -> Witness {
        Witness {
            #[cfg(all(feature = "mmap", unix))]
            map: self.map().map(|map| (Arc::clone(map), Arc::clone(&self.name))),
        }
    }
}

/// Sees whether the mapped file of an input was cut; of an input that isn't mapped, never.
#[derive(Clone, Default)]
pub(crate) struct Witness {
    #[cfg(all(feature = "mmap", unix))]
    map: Option<(Arc<Map>, std::sync::Arc<str>)>,
}

impl Witness {
    /// An error if the file was cut under the map.
    pub(crate) fn check_intact(&self) -> Result<(), Error> {
        #[cfg(all(feature = "mmap", unix))]
        if let Some((map, name)) = &self.map
            && map.was_cut()
        {
            return Err(Error::new(ErrorKind::Shrunk, Location::in_input(name)));
        }
        Ok(())
    }
}

/// What [`Buffered`] reports before the name is known.
enum ReadFault {
    Io(std::io::Error),
    Shrunk,
}

fn located(fault: ReadFault, name: &std::sync::Arc<str>) -> Error {
    match fault {
        ReadFault::Io(e) => Error::io(e, name),
        ReadFault::Shrunk => Error::new(ErrorKind::Shrunk, Location::in_input(name)),
    }
}

impl Buffered {
    fn new(reader: Box<dyn Read + Send>, expected: Option<u64>) -> Buffered {
        Buffered {
            reader,
            buffer: vec![0; buffer_size(expected)],
            start: 0,
            end: 0,
            at_end: false,
            expected,
            read: 0,
        }
    }

    fn fill(&mut self, want: usize) -> Result<&[u8], ReadFault> {
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

    fn read(&mut self, out: &mut [u8]) -> Result<usize, ReadFault> {
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

/// A buffer for an input of `len` bytes: as large as the file, between 4 KB and 1 MB.
fn buffer_size(len: Option<u64>) -> usize {
    let len = len.map_or(LARGEST_BUFFER, |n| usize::try_from(n).unwrap_or(LARGEST_BUFFER));
    // One byte more than the file, so that its end shows without another buffer.
    len.saturating_add(1).clamp(SMALLEST_BUFFER, LARGEST_BUFFER).next_power_of_two()
}

/// Mapped pages are let go in windows of this many bytes, one window behind: workers are done
/// with them by then, or at worst map them again.
#[cfg(all(feature = "mmap", unix))]
const RELEASE_WINDOW: u64 = 8 << 20;

/// The windows to let go of when the input has moved on from `before` to `now`.
#[cfg(all(feature = "mmap", unix))]
fn windows_behind(before: u64, now: u64) -> Option<Range<usize>> {
    let (first, last) = (before / RELEASE_WINDOW, now / RELEASE_WINDOW);
    let window = |n: u64| (n.saturating_sub(1) * RELEASE_WINDOW) as usize;
    (first < last && last > 1).then(|| window(first)..window(last))
}

#[cfg(all(feature = "mmap", unix))]
fn wants_map(io: IoMode, len: u64) -> bool {
    match io {
        IoMode::Auto => len >= MMAP_THRESHOLD,
        IoMode::Mmap => len > 0,
        IoMode::Read => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_fit_the_file() {
        assert_eq!(buffer_size(Some(10)), 4 << 10);
        assert_eq!(buffer_size(Some(100_000)), 128 << 10);
        assert_eq!(buffer_size(Some(u64::MAX)), 1 << 20);
        assert_eq!(buffer_size(None), 1 << 20);
    }
}
