//! Writes a database. It gets its name when it is complete and on the disk.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::{HEADER, PAIR, TABLES, hash, pair_bytes};

/// A database being written.
pub(crate) struct Writer {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    /// Where the next record goes.
    at: u64,
    /// Hash and place of every record, by table.
    slots: Vec<Vec<(u32, u64)>>,
}

impl Writer {
    /// Begins a database that will be at `path`; until it is finished, its name ends in `.part`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let mut out = BufWriter::with_capacity(256 << 10, File::create(&part)?);
        out.write_all(&[0; HEADER])?;
        let slots = vec![Vec::new(); TABLES];
        Ok(Writer { path: path.to_owned(), part, out, at: HEADER as u64, slots })
    }

    /// Adds a record. Of several with the same key, the first is found.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let h = hash(key);
        self.out.write_all(&pair_bytes(key.len() as u64, value.len() as u64))?;
        self.out.write_all(key)?;
        self.out.write_all(value)?;
        self.slots[h as usize % TABLES].push((h, self.at));
        self.at += (PAIR + key.len() + value.len()) as u64;
        Ok(())
    }

    /// Writes the tables, then, when all that is on the disk, the front, and gives the file its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let mut header = Vec::with_capacity(HEADER);
        for entries in &self.slots {
            let table = table_of(entries);
            header.extend_from_slice(&pair_bytes(self.at, table.len() as u64));
            for &(h, at) in &table {
                self.out.write_all(&pair_bytes(u64::from(h), at))?;
            }
            self.at += (table.len() * PAIR) as u64;
        }
        self.out.flush()?;
        let file = self.out.get_mut();
        file.sync_all()?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header)?;
        file.sync_all()?;
        fs::rename(&self.part, &self.path)
    }
}

/// A table of twice as many slots as entries; each entry is in the first free slot from its own on.
fn table_of(entries: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut table = vec![(0, 0); entries.len() * 2];
    for &(h, at) in entries {
        let mut slot = (h >> 8) as usize % table.len();
        // Free is what has no position: a hash may well be 0.
        while table[slot].1 != 0 {
            slot = (slot + 1) % table.len();
        }
        table[slot] = (h, at);
    }
    table
}
