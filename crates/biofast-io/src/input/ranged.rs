//! Bytes that are read in parts: those of a file, or of an object.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::address::{address, without_query};
use super::opened;
use super::remote::{self, Object};

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
pub struct Ranged(Kind);

enum Kind {
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
            Kind::File(_) => "file",
            Kind::Object { .. } => "object",
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
            return File::open(path).map(Kind::File).map(Ranged);
        };
        let object = remote::open(address)?;
        let Some(len) = object.len().filter(|_| object.has_ranges()) else {
            let why = "the server gives no ranges, and parts of it are needed: download it first";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        };
        let (stream, parts) = (Mutex::default(), Parts::default());
        Ok(Ranged(Kind::Object { object, len, position: 0, stream, parts }))
    }

    /// To tell which parts will be read.
    pub fn parts(&self) -> Parts {
        match &self.0 {
            Kind::File(_) => Parts::default(),
            Kind::Object { parts, .. } => parts.clone(),
        }
    }

    /// Reads at `offset` until `out` is full or the data end; returns how many bytes that are.
    ///
    /// # Errors
    /// If they can't be read.
    pub fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let file = match &self.0 {
            Kind::File(file) => file,
            Kind::Object { object, .. } => return object.read_at(out, offset),
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
            Kind::File(file) => return file.read(out),
            Kind::Object { object, len, position, stream, parts } => {
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
            Kind::File(file) => file.seek(to),
            Kind::Object { len, position, .. } => {
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

/// What reads the stored bytes of a file or an object from the front.
///
/// ```
/// let mut text = String::new();
/// biofast_io::remote::stream("Cargo.toml".as_ref())?.read_to_string(&mut text)?;
/// assert!(text.starts_with("[package]"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If it can't be opened.
pub fn stream(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    match address(path) {
        Some(address) => Ok(remote::open(address)?.read_from(0, None)),
        None => {
            opened::announce(path)?;
            Ok(Box::new(File::open(path)?))
        }
    }
}

/// All bytes of a small file or object: an index, a list.
///
/// ```
/// assert!(biofast_io::remote::read("Cargo.toml".as_ref())?.starts_with(b"[package]"));
/// # Ok::<(), std::io::Error>(())
/// ```
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

/// Whether there is a regular file or an object. What may not be read counts as missing at an address, as stores say so
/// of what isn't there.
///
/// ```
/// assert!(biofast_io::remote::is_there("Cargo.toml".as_ref())?);
/// assert!(!biofast_io::remote::is_there("src".as_ref())?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If an address can't be asked.
pub fn is_there(path: &Path) -> io::Result<bool> {
    use io::ErrorKind::{NotFound, PermissionDenied};
    let Some(address) = address(path) else { return Ok(path.is_file()) };
    match remote::open(address) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), NotFound | PermissionDenied) => Ok(false),
        Err(error) => {
            let name = super::display_name(&without_query(path));
            Err(io::Error::new(error.kind(), format!("{name}: {error}")))
        }
    }
}

/// Whether a path leads to what can be opened and read again: a regular file, or an object of which ranges can be had.
///
/// ```
/// assert!(biofast_io::remote::can_reopen("Cargo.toml".as_ref()));
/// ```
pub fn can_reopen(path: &Path) -> bool {
    match address(path) {
        Some(address) => remote::open(address).is_ok_and(|object| object.has_ranges()),
        None => path.is_file(),
    }
}

/// The length of a regular file, or of an object whose length is known.
///
/// ```
/// assert!(biofast_io::remote::open_len("Cargo.toml".as_ref()).is_some_and(|len| len > 0));
/// ```
pub fn open_len(path: &Path) -> Option<u64> {
    match address(path) {
        Some(address) => remote::open(address).ok()?.len(),
        None => std::fs::metadata(path).ok().filter(|m| m.is_file()).map(|m| m.len()),
    }
}

/// An error if a file or an object can't be opened.
///
/// ```
/// assert!(biofast_io::remote::probe("Cargo.toml".as_ref()).is_ok());
/// ```
///
/// # Errors
/// Why it can't.
pub fn probe(path: &Path) -> io::Result<()> {
    match address(path) {
        Some(address) => remote::open(address).map(drop),
        None => File::open(path).map(drop),
    }
}

/// How an object was fetched so far, for people; nothing of a file.
///
/// ```
/// assert!(biofast_io::remote::describe("Cargo.toml".as_ref()).is_none());
/// ```
pub fn describe(path: &Path) -> Option<String> {
    remote::open(address(path)?).ok()?.describe()
}

/// When a file or an object was last changed, where that is known.
///
/// ```
/// assert!(biofast_io::remote::modified("Cargo.toml".as_ref()).is_some());
/// ```
pub fn modified(path: &Path) -> Option<SystemTime> {
    match address(path) {
        Some(address) => remote::open(address).ok()?.modified(),
        None => std::fs::metadata(path).ok()?.modified().ok(),
    }
}
