//! The stored bytes of a source, mapped or buffered, taken from the front.

use std::ops::Range;
use std::sync::Arc;

use super::buffered::{Buffered, ReadFault};
use super::map::Map;
use super::options::{IoMode, MMAP_THRESHOLD, Options};
use super::points::GzipPoints;
use super::read_ahead;
use super::source::{Backing, Source, promised_container};
use crate::error::{Error, ErrorKind, Location};

/// The bytes of a source as they are stored, from the front.
pub(crate) struct StoredBytes {
    pub(crate) name: Arc<str>,
    kind: ByteSource,
    /// Whether an adapter makes the bytes from another input.
    derived: bool,
    /// Bytes consumed.
    position: u64,
    /// Why no more can be read, until it is taken.
    fault: Option<Error>,
    /// Mapped bytes that workers are done with, until they are taken.
    behind: Option<Range<usize>>,
    /// Of the chunks of ordinary gzip, if a test says so.
    gzip_piece: Option<usize>,
    /// Where points of ordinary gzip are noted.
    points: Option<Arc<GzipPoints>>,
    options: Options,
}

enum ByteSource {
    Map(Arc<Map>),
    Buffered(Buffered),
}

impl StoredBytes {
    pub(crate) fn new(source: Source, options: &Options) -> Result<StoredBytes, Error> {
        let Source { name, backing, trial, points, .. } = source;
        let mut options = options.clone();
        options.chunk_size = options.chunk_size.clamp(1, Options::MAX_CHUNK_SIZE);
        let chunk_size = options.chunk_size;
        let io = options.io;
        if let Backing::File(_, 0) | Backing::Object(_, 0) = backing
            && let Some(ending) = promised_container(&name)
        {
            return Err(Error::new(ErrorKind::Empty(ending), Location::in_input(&name)));
        }
        let derived = matches!(backing, Backing::Derived(_));
        if derived {
            options.progress = None;
        }
        if let Some(progress) = &options.progress {
            progress.begin(&name);
        }
        let of = |kind| StoredBytes {
            name,
            kind,
            derived,
            position: 0,
            fault: None,
            behind: None,
            gzip_piece: trial.gzip_piece,
            points,
            options,
        };
        let kind = match backing {
            Backing::File(file, len) => {
                let file = match wants_map(io, len) {
                    true => match Map::new(file, len, trial.advice) {
                        Ok(map) => return Ok(of(ByteSource::Map(Arc::new(map)))),
                        Err(file) => file,
                    },
                    false => file,
                };
                ByteSource::Buffered(Buffered::new(
                    read_ahead::reader(file, len),
                    Some(len),
                    chunk_size,
                ))
            }
            Backing::Object(object, len) => ByteSource::Buffered(Buffered::new(
                object.read_from(0, None),
                Some(len),
                chunk_size,
            )),
            Backing::Stream(reader) | Backing::Derived(reader) => {
                ByteSource::Buffered(Buffered::new(reader, None, chunk_size))
            }
        };
        Ok(of(kind))
    }

    /// Where points of ordinary gzip are noted, if they are wanted.
    pub(crate) fn points(&self) -> Option<&Arc<GzipPoints>> {
        self.points.as_ref()
    }

    /// The same bytes of a stream, of which the first one has this number in the file.
    pub(crate) fn numbered_from(self, position: u64) -> StoredBytes {
        StoredBytes { position, ..self }
    }

    pub(crate) fn gzip_piece(&self) -> Option<usize> {
        self.gzip_piece
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The map, if this input is one.
    pub(crate) fn map(&self) -> Option<&Arc<Map>> {
        match &self.kind {
            ByteSource::Map(map) => Some(map),
            ByteSource::Buffered(_) => None,
        }
    }

    /// The length in bytes, where it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match &self.kind {
            ByteSource::Map(map) => Some(map.bytes().len() as u64),
            ByteSource::Buffered(b) => b.expected,
        }
    }

    pub(crate) fn is_mapped(&self) -> bool {
        !matches!(self.kind, ByteSource::Buffered(_))
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
            ByteSource::Map(map) => Ok(&map.bytes()[self.position as usize..]),
            ByteSource::Buffered(b) => b.fill(want).map_err(|e| located(e, &self.name)),
        }
    }

    /// At least `want` bytes, or all that can be read: for decoders, which give what they can make of these before
    /// they ask [`take_fault`](Self::take_fault) why there are no more.
    pub(crate) fn look(&mut self, want: usize) -> &[u8] {
        if self.fault.is_none() {
            self.fault = self.fill(want).err();
        }
        match &self.kind {
            ByteSource::Map(map) => &map.bytes()[self.position as usize..],
            ByteSource::Buffered(b) => b.held(),
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
            ByteSource::Map(map) => {
                if let Some(more) = windows_behind(self.position - n as u64, self.position)
                    && let Some(behind) = self.behind.replace(more)
                {
                    map.release(behind);
                }
            }
            ByteSource::Buffered(b) => b.consume(n),
        }
    }

    /// The part of the map that nobody needs any more, since the last call. Letting go of it takes so long that it
    /// should not hold up who else wants a chunk.
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
                ByteSource::Map(map) => {
                    let rest = &map.bytes()[self.position as usize..];
                    let got = rest.len().min(out.len() - n);
                    out[n..n + got].copy_from_slice(&rest[..got]);
                    got
                }
                ByteSource::Buffered(b) => match b.read(&mut out[n..]) {
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
        Witness { map: self.map().map(|map| (Arc::clone(map), Arc::clone(&self.name))) }
    }
}

/// Sees whether the mapped file of an input was cut; of an input that isn't mapped, never.
#[derive(Clone, Default)]
pub(crate) struct Witness {
    map: Option<(Arc<Map>, Arc<str>)>,
}

impl Witness {
    /// An error if the file was cut under the map.
    pub(crate) fn check_intact(&self) -> Result<(), Error> {
        if let Some((map, name)) = &self.map
            && map.was_cut()
        {
            return Err(Error::new(ErrorKind::Shrunk, Location::in_input(name)));
        }
        Ok(())
    }
}

fn located(fault: ReadFault, name: &Arc<str>) -> Error {
    match fault {
        ReadFault::Io(e) => Error::io(e, name),
        ReadFault::Shrunk => Error::new(ErrorKind::Shrunk, Location::in_input(name)),
    }
}

/// Mapped pages are let go in windows of this many bytes, one window behind: workers are done
/// with them by then, or at worst map them again.
const RELEASE_WINDOW: u64 = 8 << 20;

/// The windows to let go of when the input has moved on from `before` to `now`.
fn windows_behind(before: u64, now: u64) -> Option<Range<usize>> {
    let (first, last) = (before / RELEASE_WINDOW, now / RELEASE_WINDOW);
    let window = |n: u64| (n.saturating_sub(1) * RELEASE_WINDOW) as usize;
    (first < last && last > 1).then(|| window(first)..window(last))
}

fn wants_map(io: IoMode, len: u64) -> bool {
    match io {
        IoMode::Auto => len >= MMAP_THRESHOLD,
        IoMode::Mmap => len > 0,
        IoMode::Read => false,
    }
}
