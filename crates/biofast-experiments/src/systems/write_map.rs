//! A file written through a shared map or by `pwrite`, with the states its pages can be in made on purpose. Used by
//! entry 041.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use memmap2::MmapMut;

/// A file of fixed length, open for writing.
pub(crate) enum Writable {
    Pwrite(File),
    Mapped(File, MmapMut),
}

impl Writable {
    /// For `pwrite`.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Writable::Pwrite(OpenOptions::new().read(true).write(true).open(path)?))
    }

    /// In a map, which only ever exists once for a file.
    pub(crate) fn map(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        // SAFETY: the file is in the laboratory's scratch directory, which no other process changes, and this
        // process cuts no file there and makes no second map of it.
        let map = unsafe { MmapMut::map_mut(&file)? };
        Ok(Writable::Mapped(file, map))
    }

    /// Writes at a position inside of the file.
    #[inline]
    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        match self {
            Writable::Pwrite(file) => file.write_all_at(bytes, at as u64),
            Writable::Mapped(_, map) => {
                let end = at.checked_add(bytes.len());
                let place = end.and_then(|end| map.get_mut(at..end));
                place.ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Brings what was written to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self {
            Writable::Pwrite(file) => file.sync_data(),
            // The pages' dirty bits are looked at by fsync too; both calls, as programs do it.
            Writable::Mapped(file, map) => map.flush().and_then(|()| file.sync_data()),
        }
    }

    /// Drops the map's page-table entries: pages stay in the page cache, and the next access to each is a fault.
    pub(crate) fn drop_entries(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Writable::Mapped(_, map) = self {
            // SAFETY: of a shared map of a file, DONTNEED drops page-table entries only: what was written is in
            // the page cache, where the next access finds it. No reference into the map is alive.
            unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed)? };
        }
        Ok(())
    }
}
