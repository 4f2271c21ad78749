//! The text of ordinary gzip: what can be inflated of its members, and what is between.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use biofast_io::{Error, ErrorKind, GzipMembers, Source};
use memchr::memmem::Finder;

use super::blocks::{DamagedBytes, FilePiece};

/// Text that is given at once.
const PIECE: usize = 1 << 16;
/// Bytes of the file that can be read again, and that are read at once.
const KEPT: usize = 1 << 24;
const READ: usize = 1 << 18;
/// How far in front of a fault the next member is looked for: what follows damage may be inflated a while before it is noticed.
const NOTICED_WITHIN: u64 = 1 << 20;

/// Inflates members, each behind the one before it, or behind damage where a search finds the next one.
pub(super) struct Members {
    name: Arc<str>,
    stored: SharedWindow,
    members: GzipMembers,
    /// Where the member starts in the file of which text was given last.
    start: Option<u64>,
    /// Text that has been inflated to see whether a member is one.
    found: Vec<u8>,
    fault: Option<Error>,
    ended: bool,
}

impl Members {
    pub(super) fn new(
        name: &Arc<str>,
        reader: Box<dyn Read + Send>,
    ) -> Result<Members, biofast_io::Error> {
        let window = StoredWindow { reader, bytes: Vec::new(), start: 0, ended: false };
        let stored = SharedWindow(Arc::new(Mutex::new(window)));
        let members = stored.members(name, 0)?;
        let (found, fault) = (Vec::new(), None);
        Ok(Members {
            name: Arc::clone(name),
            stored,
            members,
            start: None,
            found,
            fault,
            ended: false,
        })
    }

    /// The next piece; none at the end.
    ///
    /// # Errors
    /// If the file can't be read.
    pub(super) fn next(&mut self) -> io::Result<Option<FilePiece>> {
        if self.ended {
            return Ok(None);
        }
        let mut text = std::mem::take(&mut self.found);
        if text.is_empty() && self.fault.is_none() {
            (text, self.fault) = inflate(&mut self.members);
        }
        if !text.is_empty() {
            let start = Some(self.members.member_start());
            let is_next = std::mem::replace(&mut self.start, start) != start;
            return Ok(Some(FilePiece::Text(start.filter(|_| is_next), text)));
        }
        let Some(fault) = self.fault.take() else {
            self.ended = true;
            return Ok(None);
        };
        if matches!(fault.kind(), ErrorKind::Io(_)) {
            return Err(fault.into());
        }
        let member = self.members.member_start();
        let at = fault.at().block.unwrap_or(member);
        let to = self.find(at.saturating_sub(NOTICED_WITHIN).max(member + 1))?;
        let from = if at < to { at } else { member };
        Ok(Some(FilePiece::Damaged(DamagedBytes { from, to, reason: fault.kind().to_string() })))
    }

    /// Goes to the next member from here on: where it starts, or the file ends.
    fn find(&mut self, mut from: u64) -> io::Result<u64> {
        loop {
            let (at, is_header) = self.stored.lock().find_header(from)?;
            if !is_header {
                self.ended = true;
                return Ok(at);
            }
            let mut members = self.stored.members(&self.name, at)?;
            let (text, fault) = inflate(&mut members);
            let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
            if !text.is_empty() && text.iter().take(256).all(is_text) {
                (self.members, self.found, self.fault) = (members, text, fault);
                return Ok(at);
            }
            from = at + 1;
        }
    }
}

fn inflate(members: &mut GzipMembers) -> (Vec<u8>, Option<Error>) {
    let mut text = vec![0; PIECE];
    let (len, fault) = members.read(&mut text);
    text.truncate(len);
    (text, fault)
}

/// The file, read from several places.
#[derive(Clone)]
struct SharedWindow(Arc<Mutex<StoredWindow>>);

impl SharedWindow {
    fn lock(&self) -> MutexGuard<'_, StoredWindow> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn members(&self, name: &str, start: u64) -> Result<GzipMembers, Error> {
        let reader = WindowReader { stored: self.clone(), at: start };
        GzipMembers::new(Source::from_reader(name, reader), start)
    }
}

struct WindowReader {
    stored: SharedWindow,
    at: u64,
}

impl Read for WindowReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut window = self.stored.lock();
        let bytes = window.from(self.at)?;
        let len = bytes.len().min(out.len());
        out[..len].copy_from_slice(&bytes[..len]);
        self.at += len as u64;
        Ok(len)
    }
}

/// What was read last of the file.
struct StoredWindow {
    reader: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// Where they start in the file.
    start: u64,
    ended: bool,
}

impl StoredWindow {
    /// The bytes from this place on; none at the end.
    fn from(&mut self, at: u64) -> io::Result<&[u8]> {
        while self.start + self.bytes.len() as u64 <= at && self.read()? {}
        let behind = at.checked_sub(self.start).and_then(|n| usize::try_from(n).ok());
        let behind = behind.ok_or_else(|| io::Error::other("bytes are gone that are needed"))?;
        Ok(self.bytes.get(behind..).unwrap_or_default())
    }

    /// Reads more; whether there is more.
    fn read(&mut self) -> io::Result<bool> {
        if self.bytes.len() >= 2 * KEPT {
            let gone = self.bytes.len() - KEPT;
            self.bytes.drain(..gone);
            self.start += gone as u64;
        }
        let len = self.bytes.len();
        while !self.ended && self.bytes.len() == len {
            self.bytes.resize(len + READ, 0);
            let read = self.reader.read(&mut self.bytes[len..]);
            self.bytes.truncate(len + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(n) => self.ended = n == 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(!self.ended)
    }

    /// Where the next bytes are that a member may begin with, or where the file ends, and which of both it is.
    fn find_header(&mut self, mut from: u64) -> io::Result<(u64, bool)> {
        let magic = Finder::new(b"\x1f\x8b\x08");
        loop {
            let bytes = self.from(from)?;
            if let Some(at) = magic.find(bytes) {
                return Ok((from + at as u64, true));
            }
            // It may be cut here.
            from += bytes.len().saturating_sub(2) as u64;
            let end = self.start + self.bytes.len() as u64;
            if !self.read()? {
                return Ok((end, false));
            }
        }
    }
}
