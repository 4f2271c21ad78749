//! Bytes that are read in parts: those of a file, or of an object.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::address::{address, without_query};
use super::opened;
use super::store::Object;

/// A file, or an object at an address, read in parts.
///
/// Of an object, reading on from a place fetches ahead, carefully at first; bytes that were just read are at hand.
///
/// ```
/// use std::io::{Read, Seek, SeekFrom};
///
/// use biofast_io::remote::Ranged;
///
/// let mut manifest = Ranged::open("Cargo.toml".as_ref())?;
/// let mut start = [0; 9];
/// assert_eq!(manifest.read_at(&mut start, 0)?, 9);
/// assert_eq!(&start, b"[package]");
/// manifest.seek(SeekFrom::End(-1))?;
/// let mut end = Vec::new();
/// manifest.read_to_end(&mut end)?;
/// assert_eq!(end, b"\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Ranged(RangedSource);

enum RangedSource {
    File(File),
    Object {
        object: Arc<dyn Object>,
        len: u64,
        position: u64,
        /// What reads on, and where it is.
        stream: Mutex<Option<(u64, Box<dyn Read + Send>)>>,
        parts: Parts,
    },
}

impl std::fmt::Debug for Ranged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.0 {
            RangedSource::File(_) => "file",
            RangedSource::Object { .. } => "object",
        };
        f.debug_struct("Ranged").field("kind", &kind).finish_non_exhaustive()
    }
}

/// The parts that will be read, as far as that is known. Clones are the same.
#[derive(Clone, Default)]
pub struct Parts(Arc<Mutex<Vec<Range<u64>>>>);

impl Parts {
    /// Says what will be read; more may be.
    pub fn announce(&self, parts: Vec<Range<u64>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = parts;
    }

    /// Where the part ends that `position` is in.
    fn end_of(&self, position: u64) -> Option<u64> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().filter(|part| part.contains(&position)).map(|part| part.end).max()
    }
}

impl Ranged {
    /// Opens a file or an address.
    ///
    /// # Errors
    /// If it can't be opened, or is an object of which only the whole can be had.
    pub fn open(path: &Path) -> io::Result<Ranged> {
        let Some(address) = address(path) else {
            opened::announce(path)?;
            return File::open(path).map(RangedSource::File).map(Ranged);
        };
        let object = super::store::open(address)?;
        let Some(len) = object.len().filter(|_| object.has_ranges()) else {
            let why = "random access is needed, but the server doesn't support range requests: download the file first";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        };
        let (stream, parts) = (Mutex::default(), Parts::default());
        Ok(Ranged(RangedSource::Object { object, len, position: 0, stream, parts }))
    }

    /// To tell which parts will be read.
    pub fn parts(&self) -> Parts {
        match &self.0 {
            RangedSource::File(_) => Parts::default(),
            RangedSource::Object { parts, .. } => parts.clone(),
        }
    }

    /// Reads at `offset` until `out` is full or the data end; returns how many bytes that are.
    ///
    /// # Errors
    /// If they can't be read.
    pub fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let file = match &self.0 {
            RangedSource::File(file) => file,
            RangedSource::Object { object, .. } => return object.read_at(out, offset),
        };
        let mut n = 0;
        while n < out.len() {
            #[cfg(unix)]
            let result =
                std::os::unix::fs::FileExt::read_at(file, &mut out[n..], offset + n as u64);
            #[cfg(windows)]
            let result =
                std::os::windows::fs::FileExt::seek_read(file, &mut out[n..], offset + n as u64);
            match result {
                Ok(0) => break,
                Ok(got) => n += got,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(n)
    }
}

impl Read for Ranged {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (object, len, position, stream, parts) = match &mut self.0 {
            RangedSource::File(file) => return file.read(out),
            RangedSource::Object { object, len, position, stream, parts } => {
                (object, *len, position, stream, parts)
            }
        };
        if out.is_empty() || *position >= len {
            return Ok(0);
        }
        let stream = stream.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (at, reader) = match stream {
            Some((at, reader)) if at == position => (at, reader),
            stream => {
                let reader = Arc::clone(object).read_from(*position, parts.end_of(*position));
                let (at, reader) = stream.insert((*position, reader));
                (at, reader)
            }
        };
        let n = reader.read(out)?;
        *at += n as u64;
        *position = *at;
        Ok(n)
    }
}

impl Seek for Ranged {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            RangedSource::File(file) => file.seek(to),
            RangedSource::Object { len, position, .. } => {
                let sought = match to {
                    SeekFrom::Start(at) => Some(at),
                    SeekFrom::End(by) => len.checked_add_signed(by),
                    SeekFrom::Current(by) => position.checked_add_signed(by),
                };
                *position = sought.ok_or(io::ErrorKind::InvalidInput)?;
                Ok(*position)
            }
        }
    }
}

/// A reader of the stored bytes of a file or an object, from the start.
///
/// # Errors
/// If it can't be opened.
pub fn stream(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    match address(path) {
        Some(address) => Ok(super::store::open(address)?.read_from(0, None)),
        None => {
            opened::announce(path)?;
            Ok(Box::new(File::open(path)?))
        }
    }
}

/// All bytes of a small file or object, such as an index or a list.
///
/// # Errors
/// If they can't be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if address(path).is_none() {
        opened::announce(path)?;
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    stream(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a regular file or an object exists. At a URL, an object that may not be read counts as missing, because
/// stores report it as such.
///
/// # Errors
/// If an address can't be asked.
pub fn is_there(path: &Path) -> io::Result<bool> {
    use io::ErrorKind::{NotFound, PermissionDenied};
    let Some(address) = address(path) else { return Ok(path.is_file()) };
    match super::store::open(address) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), NotFound | PermissionDenied) => Ok(false),
        Err(error) => {
            let name = super::display_name(&without_query(path));
            Err(io::Error::new(error.kind(), format!("{name}: {error}")))
        }
    }
}

/// Whether a path can be opened and read again: a regular file, or an object that supports ranges.
pub fn can_reopen(path: &Path) -> bool {
    match address(path) {
        Some(address) => super::store::open(address).is_ok_and(|object| object.has_ranges()),
        None => path.is_file(),
    }
}

/// The length of a regular file, or of an object whose length is known.
pub fn open_len(path: &Path) -> Option<u64> {
    match address(path) {
        Some(address) => super::store::open(address).ok()?.len(),
        None => std::fs::metadata(path).ok().filter(|m| m.is_file()).map(|m| m.len()),
    }
}

/// Fails if a file or an object can't be opened.
///
/// # Errors
/// Why it can't.
pub fn probe(path: &Path) -> io::Result<()> {
    match address(path) {
        Some(address) => super::store::open(address).map(drop),
        None => File::open(path).map(drop),
    }
}

/// How an object has been fetched so far, to be read by people; `None` for a file.
pub fn describe(path: &Path) -> Option<String> {
    super::store::open(address(path)?).ok()?.describe()
}

/// When a file or an object was last changed, if that is known.
pub fn modified(path: &Path) -> Option<SystemTime> {
    match address(path) {
        Some(address) => super::store::open(address).ok()?.modified(),
        None => std::fs::metadata(path).ok()?.modified().ok(),
    }
}
