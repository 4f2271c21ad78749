//! Blocks of an object that were read last, so that small reads of one place are one request.

use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of a block. Ranges begin at multiples of it.
pub(crate) const BLOCK: u64 = 64 << 10;

/// Blocks kept of one object: 2 MB.
const KEPT: usize = 32;

/// The blocks used last.
#[derive(Default)]
pub(crate) struct Cache {
    /// By their number; with the time of the last use, in uses.
    blocks: HashMap<u64, (u64, Arc<[u8]>)>,
    uses: u64,
}

impl Cache {
    /// The block of this number.
    pub(crate) fn get(&mut self, number: u64) -> Option<Arc<[u8]>> {
        self.uses += 1;
        let (used, block) = self.blocks.get_mut(&number)?;
        *used = self.uses;
        Some(Arc::clone(block))
    }

    /// Keeps the blocks of what starts at `offset`, a multiple of the block's length, and ends at the end of a block or of the
    /// object.
    pub(crate) fn put(&mut self, offset: u64, bytes: &[u8]) {
        for (number, block) in (offset / BLOCK..).zip(bytes.chunks(BLOCK as usize)) {
            self.uses += 1;
            if self.blocks.len() >= KEPT && !self.blocks.contains_key(&number) {
                let oldest = self.blocks.iter().min_by_key(|(_, (used, _))| *used);
                if let Some(oldest) = oldest.map(|(number, _)| *number) {
                    self.blocks.remove(&oldest);
                }
            }
            self.blocks.insert(number, (self.uses, block.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_blocks_used_last_stay() {
        let mut cache = Cache::default();
        cache.put(0, &vec![7; 3 * BLOCK as usize + 5]);
        assert_eq!(cache.get(3).map(|block| block.len()), Some(5));
        for number in 4..4 + KEPT as u64 {
            assert!(cache.get(0).is_some(), "{number}");
            cache.put(number * BLOCK, &[1]);
        }
        assert!(cache.get(0).is_some() && cache.get(1).is_none());
        assert_eq!(cache.blocks.len(), KEPT);
    }
}
