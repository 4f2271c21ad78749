//! Looks keys up, in a memory map or by `pread`: the same steps, so that entry 040 compares the access alone.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use memmap2::{Advice, Mmap};

use super::{HEADER, PAIR, TABLES, hash, pair};

/// Where a database's bytes are.
pub(crate) trait Store {
    /// Of the file.
    fn len(&self) -> u64;

    /// `len` bytes at `at`; `buffer` is for stores that have to put them somewhere. The caller has checked
    /// that the file has them.
    fn fetch<'a>(&'a self, at: u64, len: usize, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]>;
}

/// The file in a memory map.
pub(crate) struct MapStore(Mmap);

impl MapStore {
    /// Maps a file, which must not be cut as long as the store lives. With `random` the kernel is told that places
    /// have no order (MADV_RANDOM): a fault then reads one page, not what lies around it too.
    pub(crate) fn open(path: &Path, random: bool) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the map is read-only, and databases are in the laboratory's scratch directory, which no other
        // process changes. No value read from the map is used as a bound without a check against its length.
        let map = unsafe { Mmap::map(&file)? };
        if random {
            map.advise(Advice::Random)?;
        }
        Ok(MapStore(map))
    }
}

impl Store for MapStore {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    #[inline]
    fn fetch<'a>(&'a self, at: u64, len: usize, _: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let found = usize::try_from(at).ok().and_then(|at| self.0.get(at..)?.get(..len));
        found.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The file read by `pread`, a call for each piece.
pub(crate) struct PreadStore {
    file: File,
    len: u64,
    calls: Cell<u64>,
}

impl PreadStore {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(PreadStore { file, len, calls: Cell::new(0) })
    }

    /// How often `pread` was called so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.get()
    }
}

impl Store for PreadStore {
    fn len(&self) -> u64 {
        self.len
    }

    fn fetch<'a>(&'a self, at: u64, len: usize, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        self.calls.set(self.calls.get() + 1);
        self.file.read_exact_at(&mut buffer[..len], at)?;
        Ok(&buffer[..len])
    }
}

/// A database open for reading.
pub(crate) struct Reader<S> {
    store: S,
    /// Place and slots of every table.
    tables: Vec<(u64, u64)>,
}

impl<S: Store> Reader<S> {
    /// Reads the front and checks that every table it names is in the file.
    pub(crate) fn open(store: S) -> Result<Self> {
        let len = store.len();
        ensure!(len >= HEADER as u64, "malformed database: the file ends at byte {len}");
        let mut buffer = Vec::new();
        let header = store.fetch(0, HEADER, &mut buffer)?;
        // The front is written last.
        ensure!(
            header.iter().any(|&byte| byte != 0),
            "the database was not finished by its writer"
        );
        let tables: Vec<(u64, u64)> = header.chunks_exact(PAIR).map(pair).collect();
        for &(at, slots) in &tables {
            let end = slots.checked_mul(PAIR as u64).and_then(|bytes| bytes.checked_add(at));
            let inside = at >= HEADER as u64 && end.is_some_and(|end| end <= len);
            ensure!(inside, "malformed database: a table at byte {at} that isn't in the file");
        }
        Ok(Reader { store, tables })
    }

    pub(crate) fn store(&self) -> &S {
        &self.store
    }

    /// The value of the first record with a key. `buffer` holds it if the store has to put it somewhere.
    pub(crate) fn get<'a>(
        &'a self,
        key: &[u8],
        buffer: &'a mut Vec<u8>,
    ) -> Result<Option<&'a [u8]>> {
        match self.find(key, buffer)? {
            Some((at, len)) => Ok(Some(self.store.fetch(at, len, buffer)?)),
            None => Ok(None),
        }
    }

    /// Where the value of a key is, and its length.
    fn find(&self, key: &[u8], buffer: &mut Vec<u8>) -> Result<Option<(u64, usize)>> {
        let h = hash(key);
        let (table, slots) = self.tables[h as usize % TABLES];
        if slots == 0 {
            return Ok(None);
        }
        let mut slot = u64::from(h >> 8) % slots;
        // Not more often than there are slots: a table without an empty one would have no end.
        for _ in 0..slots {
            let place = table + slot * PAIR as u64;
            let (found, at) = pair(self.store.fetch(place, PAIR, buffer)?);
            if at == 0 {
                return Ok(None);
            }
            if found == u64::from(h)
                && let Some(value) = self.value_of(at, key, buffer)?
            {
                return Ok(Some(value));
            }
            slot = if slot + 1 == slots { 0 } else { slot + 1 };
        }
        Ok(None)
    }

    fn value_of(&self, at: u64, key: &[u8], buffer: &mut Vec<u8>) -> Result<Option<(u64, usize)>> {
        let malformed =
            || format!("malformed database: a record at byte {at} that isn't in the file");
        let left = self.store.len().saturating_sub(at);
        ensure!(at >= HEADER as u64 && left >= PAIR as u64, malformed());
        let front = left.min((PAIR + key.len()) as u64) as usize;
        let record = self.store.fetch(at, front, buffer)?;
        let (key_len, value_len) = pair(record);
        let whole = key_len.checked_add(value_len).and_then(|n| n.checked_add(PAIR as u64));
        ensure!(whole.is_some_and(|whole| whole <= left), malformed());
        let value_len = usize::try_from(value_len).ok().with_context(malformed)?;
        let same = key_len == key.len() as u64 && record.get(PAIR..) == Some(key);
        Ok(same.then_some((at + PAIR as u64 + key_len, value_len)))
    }
}
