//! Indexes of sorted integer keys: binary search, Eytzinger's layout, a learned index of optimal line segments
//! (PGM), and an adaptive gapped array (after ALEX) that also takes inserts. Entry 049 compares them.

mod eytzinger;
mod gapped;
mod pgm;
mod segments;

pub use eytzinger::Eytzinger;
pub use gapped::Gapped;
pub use pgm::Pgm;

/// Where the first key is that is at least `key`: the definition the others are tested against.
#[inline]
pub fn lower_bound(keys: &[u64], key: u64) -> usize {
    keys.partition_point(|&k| k < key)
}
