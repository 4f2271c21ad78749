//! Memory in large pages, for what is looked up in no order.

use memmap2::MmapMut;

/// Memory of a fixed size, which is taken from the system page by page as it is filled, in large pages where
/// the system has them: records are read from it in any order, and small ones would be looked up again and again.
pub(super) struct MemorySegment {
    memory: SegmentMemory,
    len: usize,
}

enum SegmentMemory {
    Mapped(MmapMut),
    /// Where it can't be mapped.
    Allocated(Vec<u8>),
}

/// Below this, large pages would be waste.
const SMALLEST_MAP: usize = 8 << 20;

impl MemorySegment {
    pub(super) fn new(size: usize) -> MemorySegment {
        let mapped = (size >= SMALLEST_MAP).then(|| MmapMut::map_anon(size));
        let memory = match mapped {
            Some(Ok(map)) => {
                // It works without, too.
                #[cfg(target_os = "linux")]
                let _ = map.advise(memmap2::Advice::HugePage);
                SegmentMemory::Mapped(map)
            }
            _ => SegmentMemory::Allocated(vec![0; size]),
        };
        MemorySegment { memory, len: 0 }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.memory {
            SegmentMemory::Mapped(map) => map,
            SegmentMemory::Allocated(bytes) => bytes,
        }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            SegmentMemory::Mapped(map) => map,
            SegmentMemory::Allocated(bytes) => bytes,
        }
    }

    /// How many bytes it has room for, and how many are there.
    pub(super) fn size(&self) -> usize {
        self.bytes().len()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes `len` more bytes, which are in the room there is.
    pub(super) fn append(&mut self, len: usize) -> &mut [u8] {
        let from = self.len;
        self.len += len;
        let to = self.len;
        &mut self.bytes_mut()[from..to]
    }

    /// Forgets what is in it and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}
