//! A worker's stretch of decompressed bytes, and the unfinished record handed to the next one.

#[cfg(all(feature = "mmap", unix))]
use std::sync::Arc;

#[cfg(all(feature = "mmap", unix))]
use crate::map::Map;

/// Decompressed bytes of one chunk: a worker's own buffer, or a stretch of the map.
pub struct Chunk {
    store: Store,
    start: usize,
    end: usize,
}

enum Store {
    Buffer(Vec<u8>),
    #[cfg(all(feature = "mmap", unix))]
    Map(Arc<Map>),
}

/// Room before a chunk's bytes, where the unfinished record of the chunk before is put.
const HEADROOM: usize = 16 << 10;

/// The bytes of an unfinished record at the end of a chunk, on their way to the next chunk.
#[derive(Default)]
pub struct Carry {
    bytes: Vec<u8>,
    /// Length where the bytes lie in the map right before the next chunk.
    mapped: usize,
}

impl Carry {
    /// How many bytes are carried.
    pub fn len(&self) -> usize {
        self.bytes.len() + self.mapped
    }

    /// Whether nothing is carried.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Chunk {
    pub(crate) fn new() -> Chunk {
        Chunk { store: Store::Buffer(Vec::new()), start: 0, end: 0 }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.store {
            Store::Buffer(buffer) => &buffer[self.start..self.end],
            #[cfg(all(feature = "mmap", unix))]
            Store::Map(map) => &map.bytes()[self.start..self.end],
        }
    }

    /// Empties the chunk and returns room for `len` bytes; [`filled`](Self::filled) says how
    /// many were used.
    pub(crate) fn room(&mut self, len: usize) -> &mut [u8] {
        let wanted = HEADROOM + len;
        if !matches!(self.store, Store::Buffer(_)) {
            self.store = Store::Buffer(Vec::new());
        }
        let buffer = match &mut self.store {
            Store::Buffer(buffer) => buffer,
            #[cfg(all(feature = "mmap", unix))]
            Store::Map(_) => unreachable!("replaced above"),
        };
        if buffer.len() < wanted {
            buffer.resize(wanted, 0);
        } else if buffer.len() > 4 * wanted {
            // A giant record passed through this buffer; don't keep its memory.
            buffer.truncate(wanted);
            buffer.shrink_to_fit();
        }
        self.start = HEADROOM;
        self.end = HEADROOM;
        &mut buffer[HEADROOM..wanted]
    }

    /// `n` bytes of the [`room`](Self::room) hold data.
    pub(crate) fn filled(&mut self, n: usize) {
        self.end = self.start + n;
    }

    #[cfg(all(feature = "mmap", unix))]
    pub(crate) fn set_mapped(&mut self, map: &Arc<Map>, range: std::ops::Range<usize>) {
        self.store = Store::Map(Arc::clone(map));
        self.start = range.start;
        self.end = range.end;
    }

    /// Touches what a map would otherwise bring in page by page.
    pub(crate) fn populate(&self) {
        #[cfg(all(feature = "mmap", unix))]
        if let Store::Map(map) = &self.store {
            map.populate(self.start..self.end);
        }
    }

    /// Whether the file was cut under the chunk's map.
    pub(crate) fn was_cut(&self) -> bool {
        match &self.store {
            Store::Buffer(_) => false,
            #[cfg(all(feature = "mmap", unix))]
            Store::Map(map) => map.was_cut(),
        }
    }

    /// Puts the carried bytes in front. Costs a copy of the carry; when it is longer than the
    /// room kept for it, the chunk is appended to it instead, so that a record of any length
    /// is moved a bounded number of times.
    pub fn join(&mut self, carry: &mut Carry) {
        self.start -= carry.mapped;
        carry.mapped = 0;
        let len = carry.bytes.len();
        if len == 0 {
            return;
        }
        match &mut self.store {
            Store::Buffer(buffer) if len <= self.start => {
                buffer[self.start - len..self.start].copy_from_slice(&carry.bytes);
                self.start -= len;
                carry.bytes.clear();
            }
            _ => {
                let mut whole = std::mem::take(&mut carry.bytes);
                whole.extend_from_slice(self.bytes());
                self.start = 0;
                self.end = whole.len();
                self.store = Store::Buffer(whole);
            }
        }
    }

    /// Cuts the bytes from `at` on off this chunk and into `carry`, which must be empty.
    pub fn cut(&mut self, at: usize, carry: &mut Carry) {
        debug_assert!(carry.is_empty());
        let from = self.start + at;
        match &mut self.store {
            // Nothing of a long chunk was used: hand the buffer on instead of copying it.
            Store::Buffer(buffer) if at == 0 && self.start == 0 && self.end > HEADROOM => {
                buffer.truncate(self.end);
                carry.bytes = std::mem::take(buffer);
                self.end = 0;
                return;
            }
            Store::Buffer(buffer) => carry.bytes.extend_from_slice(&buffer[from..self.end]),
            #[cfg(all(feature = "mmap", unix))]
            Store::Map(_) => carry.mapped = self.end - from,
        }
        self.end = from;
    }
}
