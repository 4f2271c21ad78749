//! Sorted records in temporary files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::gather::{GatheredRecords, SortEntry};
use super::key::Order;
use super::pack;

/// Bytes of records that are packed together.
pub(super) const BLOCK: usize = 128 << 10;

/// A file that is written at its end and read anywhere.
pub(super) struct Store {
    file: Mutex<File>,
}

/// Where a block is.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPosition {
    offset: u64,
    len: usize,
    unpacked: usize,
}

/// Sorted records in a file.
pub(in crate::change) struct StoredRun {
    pub(super) store: Arc<Store>,
    pub(super) blocks: Vec<BlockPosition>,
}

impl Store {
    pub(super) fn create(folder: &Path) -> io::Result<Arc<Store>> {
        Ok(Arc::new(Store { file: Mutex::new(tempfile::tempfile_in(folder)?) }))
    }

    /// Fills `out` with the records of a block.
    pub(super) fn read(&self, block: BlockPosition, decoder: &mut Decoder) -> io::Result<Vec<u8>> {
        decoder.stored.resize(block.len, 0);
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(block.offset))?;
            file.read_exact(&mut decoder.stored)?;
        }
        pack::unpack(&decoder.stored, block.unpacked)
    }
}

/// What reads blocks.
#[derive(Default)]
pub(super) struct Decoder {
    stored: Vec<u8>,
}

/// Writes runs to a store, one after the other.
pub(in crate::change) struct Storer {
    store: Arc<Store>,
    end: u64,
    text: Vec<u8>,
    stored: Vec<u8>,
    blocks: Vec<BlockPosition>,
}

impl Storer {
    pub(in crate::change) fn create(folder: &Path) -> io::Result<Storer> {
        Ok(Storer {
            store: Store::create(folder)?,
            end: 0,
            text: Vec::new(),
            stored: Vec::new(),
            blocks: Vec::new(),
        })
    }

    /// Adds a record to the run.
    pub(in crate::change) fn add(&mut self, entry: &SortEntry<'_>) -> io::Result<()> {
        if !self.text.is_empty() && self.text.len() + entry.len() > BLOCK {
            self.write_block()?;
        }
        entry.write(&mut self.text);
        Ok(())
    }

    fn write_block(&mut self) -> io::Result<()> {
        pack::pack(&self.text, &mut self.stored);
        let mut file = self.store.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(&self.stored)?;
        let len = self.stored.len();
        self.blocks.push(BlockPosition { offset: self.end, len, unpacked: self.text.len() });
        self.end += len as u64;
        self.text.clear();
        Ok(())
    }

    /// Sorts what was gathered, and makes a run of it.
    pub(super) fn store(
        &mut self,
        gathered: &mut GatheredRecords,
        order: Order,
    ) -> io::Result<StoredRun> {
        gathered.sort(order);
        for index in 0..gathered.len() {
            self.add(&gathered.get(index))?;
        }
        gathered.clear();
        self.finish_run()
    }

    /// Ends the run.
    pub(in crate::change) fn finish_run(&mut self) -> io::Result<StoredRun> {
        if !self.text.is_empty() {
            self.write_block()?;
        }
        let blocks = std::mem::take(&mut self.blocks);
        Ok(StoredRun { store: Arc::clone(&self.store), blocks })
    }

    /// Bytes written.
    pub(super) fn written(&self) -> u64 {
        self.end
    }
}

/// A run that a thread of its own stores, while others go on reading: else they would wait for the one that stores.
pub(super) struct Storing {
    /// Where no thread could be had there is none.
    thread: Option<JoinHandle<()>>,
    work: Arc<Mutex<Work>>,
}

/// What is stored and what with; when it has ended, the memory, without records.
struct Work {
    storer: Storer,
    gathered: GatheredRecords,
    order: Order,
    run: Option<io::Result<StoredRun>>,
}

/// What comes back.
pub(super) struct Ended {
    pub(super) gathered: GatheredRecords,
    pub(super) storer: Storer,
    pub(super) run: io::Result<StoredRun>,
}

impl Work {
    fn store(&mut self) {
        if self.run.is_none() {
            self.run = Some(self.storer.store(&mut self.gathered, self.order));
        }
    }
}

impl Storing {
    /// Begins to store what was gathered.
    pub(super) fn start(storer: Storer, gathered: GatheredRecords, order: Order) -> Storing {
        let work = Arc::new(Mutex::new(Work { storer, gathered, order, run: None }));
        let shared = Arc::clone(&work);
        let thread = std::thread::Builder::new().name("sort-store".into());
        let store = move || shared.lock().unwrap_or_else(PoisonError::into_inner).store();
        Storing { thread: thread.spawn(store).ok(), work }
    }

    /// Waits for the end.
    pub(super) fn end(mut self) -> io::Result<Ended> {
        // A panic was told when it happened.
        let failed = || io::Error::other("a run could not be stored");
        if let Some(thread) = self.thread.take() {
            thread.join().map_err(|_| failed())?;
        }
        let work = Arc::clone(&self.work);
        drop(self);
        let work = Arc::into_inner(work).ok_or_else(failed)?;
        let mut work = work.into_inner().unwrap_or_else(PoisonError::into_inner);
        work.store();
        let Work { storer, gathered, run, .. } = work;
        Ok(Ended { gathered, storer, run: run.ok_or_else(failed)? })
    }
}

impl Drop for Storing {
    /// Nothing is written when the sorter is gone.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
