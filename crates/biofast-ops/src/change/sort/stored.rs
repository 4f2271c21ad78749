//! Sorted records in temporary files.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::codec::{Compressor, Decompressor};
use super::gather::Entry;
use crate::change::temporary::Temporary;

/// Bytes of records that are compressed together.
pub(super) const BLOCK: usize = 128 << 10;

/// A file that is written at its end and read anywhere.
pub(super) struct Store {
    file: Mutex<Temporary>,
}

/// Where a block is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    offset: u64,
    len: usize,
    inflated: usize,
}

/// Sorted records in a file.
pub(in crate::change) struct StoredRun {
    pub(super) store: Arc<Store>,
    pub(super) blocks: Vec<Block>,
}

impl Store {
    pub(super) fn create(folder: &Path) -> io::Result<Arc<Store>> {
        Ok(Arc::new(Store { file: Mutex::new(Temporary::create(folder)?) }))
    }

    /// Fills `out` with the records of a block.
    pub(super) fn read(&self, block: Block, decoder: &mut Decoder) -> io::Result<Vec<u8>> {
        decoder.stored.resize(block.len, 0);
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(block.offset))?;
            file.read_exact(&mut decoder.stored)?;
        }
        let mut out = Vec::with_capacity(block.inflated);
        decoder.codec.decompress(&decoder.stored, &mut out)?;
        match out.len() == block.inflated {
            true => Ok(out),
            false => Err(io::Error::new(io::ErrorKind::InvalidData, "a block of another length")),
        }
    }
}

/// What reads blocks.
pub(super) struct Decoder {
    codec: Decompressor,
    stored: Vec<u8>,
}

impl Decoder {
    pub(super) fn new() -> io::Result<Decoder> {
        Ok(Decoder { codec: Decompressor::new()?, stored: Vec::new() })
    }
}

/// Writes runs to a store, one after the other.
pub(in crate::change) struct Storer {
    store: Arc<Store>,
    codec: Compressor,
    end: u64,
    text: Vec<u8>,
    stored: Vec<u8>,
    blocks: Vec<Block>,
}

impl Storer {
    pub(in crate::change) fn create(folder: &Path) -> io::Result<Storer> {
        Ok(Storer {
            store: Store::create(folder)?,
            codec: Compressor::new()?,
            end: 0,
            text: Vec::new(),
            stored: Vec::new(),
            blocks: Vec::new(),
        })
    }

    /// Adds a record to the run.
    pub(in crate::change) fn add(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        if !self.text.is_empty() && self.text.len() + entry.len() > BLOCK {
            self.write_block()?;
        }
        entry.write(&mut self.text);
        Ok(())
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.codec.compress(&self.text, &mut self.stored)?;
        let mut file = self.store.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(&self.stored)?;
        let len = self.stored.len();
        self.blocks.push(Block { offset: self.end, len, inflated: self.text.len() });
        self.end += len as u64;
        self.text.clear();
        Ok(())
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
