//! The store itself: opening and recovering a log, inserting, removing, getting.

use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::crc32c::crc32c;
use super::frame::{BEFORE_KEY, HEAD, Kind, MAX_VALUE, Record};
use super::mapped::{Counters, MappedFile};
use super::{BUFFER, Options, Writes};

/// The file begins with this, a salt and a CRC32C of both.
const MAGIC: [u8; 8] = *b"bfstore1";
/// Where the first record is.
const START: usize = 16;

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Error {
    /// The system refused.
    Io(io::Error),
    /// The file does not begin as a store does, or its beginning is damaged.
    NotAStore,
    /// Another process has it open.
    InUse,
    /// Records that had been durable can't be read, but later ones can.
    Damaged { at: u64, record: u64 },
    /// A value is longer than 256 MB.
    TooLong(usize),
    /// An earlier write failed, and nothing more is written.
    Broken,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => write!(f, "{error}"),
            Error::NotAStore => write!(f, "not a store, or its first {START} bytes are damaged"),
            Error::InUse => write!(f, "open in another process"),
            Error::Damaged { at, record } => {
                write!(f, "record {record} at byte {at} is damaged, though it had been durable")
            }
            Error::TooLong(len) => write!(f, "a value of {len} bytes; at most {MAX_VALUE} fit"),
            Error::Broken => write!(f, "an earlier write failed; open the store again"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

/// What opening found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recovered {
    /// Good records, removals and marks among them.
    pub(crate) records: u64,
    /// Bytes behind the last good record, which were cut off.
    pub(crate) dropped: u64,
    /// The log ended with the mark that [`Store::close`] leaves. Otherwise operations that were not synced may be
    /// missing.
    pub(crate) clean: bool,
}

/// Where a value lies in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u64,
    /// Of the whole record.
    len: u32,
}

/// A store of values by 64-bit keys. Dropped without [`close`](Store::close) it loses what was not yet written.
pub(crate) struct Store {
    mapped: MappedFile,
    salt: u32,
    index: HashMap<u64, Place>,
    /// The number of the last record.
    seq: u64,
    /// The last one known to be durable.
    durable: u64,
    unsynced: u32,
    options: Options,
    /// The last record is a mark.
    marked: bool,
    broken: bool,
}

impl Store {
    /// Opens a store or creates it. Whatever stands behind the last good record is cut off, unless it proves that
    /// durable records are missing, which is an error and leaves the file as it is.
    pub(crate) fn open(path: &Path, options: Options) -> Result<(Store, Recovered), Error> {
        let mut how = OpenOptions::new();
        how.read(true).write(true);
        // An empty file is not a new one: it may have lost everything.
        let (file, new) = match how.clone().create_new(true).open(path) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (how.open(path)?, false),
            Err(error) => return Err(error.into()),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let (len, salt) = begin(&file, path)?;
        let mapped = MappedFile::open(file, len, options.remap)?;
        let mut store = Store {
            mapped,
            salt,
            index: HashMap::new(),
            seq: 0,
            durable: 0,
            unsynced: 0,
            options,
            marked: new,
            broken: false,
        };
        let end = store.scan()?;
        if end < len {
            store.mapped.restart(end, options.remap)?;
        }
        // What was found becomes durable before anything is built on it: the records, and the cut.
        store.mapped.sync_all()?;
        store.durable = store.seq;
        let found = Recovered { records: store.seq, dropped: len - end, clean: store.marked };
        Ok((store, found))
    }

    /// Reads all good records and returns where they end.
    fn scan(&mut self) -> Result<u64, Error> {
        let bytes = self.mapped.mapped();
        let mut at = START;
        while let Some(record) = bytes.get(at..).and_then(|rest| Record::parse(rest, self.salt, 0))
        {
            // A record in its place has the next number; a good one of another is from before a cut.
            if record.seq != self.seq + 1 {
                break;
            }
            match record.kind {
                Kind::Value => {
                    let place = Place { at: at as u64, len: record.len() as u32 };
                    self.index.insert(record.key, place);
                }
                Kind::Removal => {
                    self.index.remove(&record.key);
                }
                Kind::Mark => {}
            }
            self.marked = record.kind == Kind::Mark;
            self.seq = record.seq;
            at += record.len();
        }
        let missing = self.seq + 1;
        if proves_durable(&bytes[at..], self.salt, missing) {
            return Err(Error::Damaged { at: at as u64, record: missing });
        }
        self.marked &= at == bytes.len();
        Ok(at as u64)
    }

    pub(crate) fn insert(&mut self, key: u64, value: &[u8]) -> Result<(), Error> {
        if value.len() > MAX_VALUE {
            return Err(Error::TooLong(value.len()));
        }
        let at = self.mapped.end();
        self.append(Kind::Value, key, value)?;
        self.index.insert(key, Place { at, len: (HEAD + value.len()) as u32 });
        self.after_operation()
    }

    /// Removes a key; false if it wasn't there, in which case nothing is written.
    pub(crate) fn remove(&mut self, key: u64) -> Result<bool, Error> {
        if !self.index.contains_key(&key) {
            return Ok(false);
        }
        self.append(Kind::Removal, key, &[])?;
        self.index.remove(&key);
        self.after_operation()?;
        Ok(true)
    }

    /// The value of a key, its checksum verified.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Result<Option<&[u8]>, Error> {
        let Some(place) = self.index.get(&key) else { return Ok(None) };
        let bytes = self.mapped.read(place.at, place.len as usize).unwrap_or_default();
        match Record::parse(bytes, self.salt, 1) {
            Some(record) if record.key == key => Ok(Some(record.value)),
            _ => Err(Error::Damaged { at: place.at, record: 0 }),
        }
    }

    /// All keys, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> {
        self.index.keys().copied()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.mapped.end()
    }

    /// What the system was asked for since the store was opened.
    pub(crate) fn counters(&self) -> Counters {
        self.mapped.counters
    }

    /// Hands everything to the system: it survives this process, not the machine.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.guarded(|store| store.mapped.write_to(store.mapped.end()))
    }

    /// Hands everything to the system and waits until it is durable.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.guarded(|store| store.mapped.sync())?;
        self.durable = self.seq;
        self.unsynced = 0;
        Ok(())
    }

    /// Syncs, and leaves a mark that says so.
    pub(crate) fn close(mut self) -> Result<(), Error> {
        if self.marked {
            return Ok(());
        }
        self.sync()?;
        self.append(Kind::Mark, 0, &[])?;
        self.sync()
    }

    /// Forgets everything behind a former state of the log, of which `bytes` and `keys` tell: for experiments that start
    /// again from the same store, under other options. No key of `keys` may have had a value then.
    pub(crate) fn rewind(
        &mut self,
        bytes: u64,
        keys: &[u64],
        options: Options,
    ) -> Result<(), Error> {
        self.flush()?;
        self.guarded(|store| store.mapped.restart(bytes, options.remap))?;
        keys.iter().for_each(|key| {
            self.index.remove(key);
        });
        self.seq -= keys.len() as u64;
        self.durable = self.durable.min(self.seq);
        self.options = options;
        Ok(())
    }

    /// Reads a byte of every page that is mapped, and returns their sum.
    pub(crate) fn touch(&self) -> u64 {
        self.mapped.mapped().iter().step_by(4096).map(|&byte| u64::from(byte)).sum()
    }

    fn append(&mut self, kind: Kind, key: u64, value: &[u8]) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Broken);
        }
        let seq = self.seq + 1;
        let lag = Record::lag_of(seq, self.durable);
        let at = self.mapped.end();
        Record { seq, lag, kind, key, value }.write(self.salt, self.mapped.tail());
        self.seq = seq;
        self.marked = kind == Kind::Mark;
        let end = self.mapped.end();
        match self.options.writes {
            Writes::Three => self.guarded(|store| {
                store.mapped.write_to(at + BEFORE_KEY as u64)?;
                store.mapped.write_to(at + HEAD as u64)?;
                store.mapped.write_to(end)
            }),
            Writes::One => self.guarded(|store| store.mapped.write_to(end)),
            Writes::Gathered if end - self.mapped.written() >= BUFFER as u64 => {
                self.guarded(|store| store.mapped.write_to(end))
            }
            Writes::Gathered => Ok(()),
        }
    }

    fn after_operation(&mut self) -> Result<(), Error> {
        self.guarded(|store| store.mapped.settle())?;
        self.unsynced += 1;
        if self.options.sync_every > 0 && self.unsynced >= self.options.sync_every {
            self.sync()?;
        }
        Ok(())
    }

    /// After an error nothing is known about what the file holds, so nothing more is written.
    fn guarded(&mut self, work: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Broken);
        }
        work(self).map_err(|error| {
            self.broken = true;
            Error::Io(error)
        })
    }
}

/// Reads the beginning of a file, or writes it: the file's length and its salt.
fn begin(file: &File, path: &Path) -> Result<(u64, u32), Error> {
    let len = file.metadata()?.len();
    let mut head = [0u8; START];
    let there = len.min(START as u64) as usize;
    file.read_exact_at(&mut head[..there], 0)?;
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if len >= START as u64 && head[..8] == MAGIC && crc32c(&head[..12]) == word(12) {
        return Ok((len, word(8)));
    }
    // A file of zeros, or the first bytes of a beginning: created, and nothing stored yet.
    let torn = len < START as u64 && MAGIC.starts_with(&head[..there.min(8)]);
    if len > START as u64 || !(torn || head == [0; START]) {
        return Err(Error::NotAStore);
    }
    let salt = RandomState::new().hash_one(path) as u32;
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&salt.to_le_bytes());
    let crc = crc32c(&head[..12]);
    head[12..].copy_from_slice(&crc.to_le_bytes());
    file.write_all_at(&head, 0)?;
    file.sync_all()?;
    // The name is durable when the folder is.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok((START as u64, salt))
}

/// Whether a good record in `bytes` says that the record `missing` had been durable.
fn proves_durable(bytes: &[u8], salt: u32, missing: u64) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        match Record::parse(&bytes[at..], salt, missing) {
            Some(record) if record.durable() >= missing => return true,
            Some(record) => at += record.len(),
            None => at += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::systems::store::Remap;

    const UNSYNCED: Options = Options { writes: Writes::One, sync_every: 0, remap: Remap::Reserve };

    fn open(path: &Path) -> (Store, Recovered) {
        Store::open(path, UNSYNCED).expect("opens")
    }

    #[test]
    fn an_older_log_behind_the_end_is_not_brought_back() {
        let dir = tempfile::tempdir().expect("directory");
        let path = dir.path().join("log");
        let (mut store, _) = open(&path);
        (0..20).for_each(|key| store.insert(key, b"old").expect("inserts"));
        drop(store);
        let mut bytes = fs::read(&path).expect("file");
        let record = HEAD + 3;
        // Record 11 is torn; 12 to 20 are good, were never known to be durable, and must not come back.
        bytes[START + 10 * record + 5] ^= 1;
        fs::write(&path, &bytes).expect("writes");
        let (mut store, found) = open(&path);
        let dropped = 10 * record as u64;
        assert_eq!(found, Recovered { records: 10, dropped, clean: false });
        store.insert(100, b"new").expect("inserts");
        drop(store);
        let (_, found) = open(&path);
        assert_eq!((found.records, found.dropped), (11, 0));
    }

    #[test]
    fn a_log_inside_a_value_is_not_taken_for_records() {
        let dir = tempfile::tempdir().expect("directory");
        let (inner, outer) = (dir.path().join("inner"), dir.path().join("outer"));
        let (mut store, _) = open(&inner);
        (0..9).for_each(|key| store.insert(key, b"inner").expect("inserts"));
        store.close().expect("closes");
        let log = fs::read(&inner).expect("file");
        let (mut store, _) = open(&outer);
        store.insert(1, b"kept").expect("inserts");
        store.insert(2, &log).expect("inserts");
        drop(store);
        // The record around the inner log is torn: its last byte is missing.
        let bytes = fs::read(&outer).expect("file");
        fs::write(&outer, &bytes[..bytes.len() - 1]).expect("writes");
        assert_eq!(open(&outer).1.records, 1);
    }
}
