//! A file that only grows, and a read-only map of it that follows: what is not mapped yet is kept in memory and
//! read from there, so that every byte appended can be read at once under any policy.
//!
//! A map may be longer than its file; touching it beyond the file's last page is a fault (SIGBUS). So nothing here
//! gives out bytes of the map beyond `mapped`, which never exceeds what this process itself has written or found.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use memmap2::{MmapOptions, MmapRaw};

/// When the map is made to reach what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remap {
    /// Unmapped and mapped again once so many bytes are not mapped; 1 for every write.
    Every(u64),
    /// At every write, but the mapping is extended (`mremap`), which keeps its page tables. Linux; elsewhere as
    /// `Every(1)`.
    Extend,
    /// Address space for far more than the file has is mapped once; the end that may be read moves by [`TAIL`].
    Reserve,
}

/// How far the end that may be read moves at least when address space is reserved.
pub(crate) const TAIL: u64 = 64 << 10;

/// Address space reserved at first.
const RESERVED: usize = if cfg!(target_pointer_width = "64") { 1 << 36 } else { 1 << 28 };

/// Exact counts of what a store asked the system for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Calls of `pwrite`.
    pub(crate) writes: u64,
    /// Calls of `fdatasync`.
    pub(crate) syncs: u64,
    /// Maps made anew or extended.
    pub(crate) remaps: u64,
}

/// See the module.
pub(super) struct MappedFile {
    file: File,
    /// The file's bytes up to here are what they will stay.
    written: u64,
    map: Option<MmapRaw>,
    /// Bytes of the map that may be touched: at most `written`.
    mapped: usize,
    /// The bytes from `mapped` on.
    tail: Vec<u8>,
    remap: Remap,
    pub(super) counters: Counters,
}

impl MappedFile {
    /// Maps the first `len` bytes of a file, which has to have them. The caller holds the file's lock, so that
    /// no other program that respects locks shortens it.
    pub(super) fn open(file: File, len: u64, remap: Remap) -> io::Result<Self> {
        let mut mapped = MappedFile {
            file,
            written: len,
            map: None,
            mapped: 0,
            tail: Vec::new(),
            remap,
            counters: Counters::default(),
        };
        mapped.map_to_written()?;
        Ok(mapped)
    }

    /// Makes the file end at `len`, which is not behind what was written, and goes on from there under another policy.
    pub(super) fn restart(&mut self, len: u64, remap: Remap) -> io::Result<()> {
        assert!(len <= self.written, "a file is restarted inside of it");
        // First, so that no map reaches beyond a file that gets shorter.
        self.map = None;
        self.mapped = 0;
        self.tail.clear();
        self.file.set_len(len)?;
        self.written = len;
        self.remap = remap;
        self.map_to_written()
    }

    /// Where the next byte goes.
    pub(super) fn end(&self) -> u64 {
        (self.mapped + self.tail.len()) as u64
    }

    /// What has been handed to the system.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// What can be added to: the bytes that are not mapped.
    pub(super) fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.tail
    }

    /// Hands the bytes before `end` to the system.
    pub(super) fn write_to(&mut self, end: u64) -> io::Result<()> {
        let (from, to) = (self.written as usize - self.mapped, end as usize - self.mapped);
        if from < to {
            self.file.write_all_at(&self.tail[from..to], self.written)?;
            self.counters.writes += 1;
            self.written = end;
        }
        Ok(())
    }

    /// Waits until what has been written is durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.counters.syncs += 1;
        self.file.sync_data()
    }

    /// The same with the file's size and times.
    pub(super) fn sync_all(&mut self) -> io::Result<()> {
        self.counters.syncs += 1;
        self.file.sync_all()
    }

    /// To be called after each record: moves the mapped end if the policy says so.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        let step = match self.remap {
            Remap::Every(step) => step.max(1),
            Remap::Extend => 1,
            Remap::Reserve => TAIL,
        };
        if (self.tail.len() as u64) < step {
            return Ok(());
        }
        self.write_to(self.end())?;
        self.map_to_written()
    }

    fn map_to_written(&mut self) -> io::Result<()> {
        let len = usize::try_from(self.written).map_err(io::Error::other)?;
        if len > 0 {
            match self.remap {
                Remap::Reserve => {
                    if self.map.as_ref().is_none_or(|map| map.len() < len) {
                        self.map_again(RESERVED.max(len.saturating_mul(2)))?;
                    }
                }
                Remap::Extend => self.extend(len)?,
                Remap::Every(_) => self.map_again(len)?,
            }
        }
        self.tail.drain(..self.tail.len().min(len - self.mapped));
        self.mapped = len;
        Ok(())
    }

    fn map_again(&mut self, len: usize) -> io::Result<()> {
        self.counters.remaps += 1;
        self.map = Some(MmapOptions::new().len(len).map_raw_read_only(&self.file)?);
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn extend(&mut self, len: usize) -> io::Result<()> {
        let Some(map) = &mut self.map else { return self.map_again(len) };
        self.counters.remaps += 1;
        // SAFETY: the mapping may move, and no reference to its bytes exists: `read` borrows `self`, which is
        // borrowed mutably here.
        unsafe { map.remap(len, memmap2::RemapOptions::new().may_move(true)) }
    }

    #[cfg(not(target_os = "linux"))]
    fn extend(&mut self, len: usize) -> io::Result<()> {
        self.map_again(len)
    }

    /// `len` bytes at `at`, which must not be half mapped and half not; None if they are not there.
    pub(super) fn read(&self, at: u64, len: usize) -> Option<&[u8]> {
        let at = usize::try_from(at).ok()?;
        match at.checked_sub(self.mapped) {
            Some(at) => self.tail.get(at..at.checked_add(len)?),
            None => self.mapped().get(at..at.checked_add(len)?),
        }
    }

    pub(super) fn mapped(&self) -> &[u8] {
        match &self.map {
            // SAFETY: the mapping is live as long as `self.map`, which changes through `&mut self` only, and has at
            // least `mapped` bytes: `map_to_written` sets `mapped` to a length that the mapping has then, and
            // mappings get longer only. The file has that many bytes: each of them was there at `open`, or was
            // written by `write_to`, and only `restart` shortens it, when nothing is mapped. They never change:
            // what follows is written behind them. The file is locked; a program that ignores the lock and
            // shortens it makes this process end by SIGBUS, as with any map.
            Some(map) => unsafe { std::slice::from_raw_parts(map.as_ptr(), self.mapped) },
            None => &[],
        }
    }
}
