//! Indexes of sorted integer keys: binary search, Eytzinger's layout, a learned index of optimal line segments
//! (PGM), and a gapped array (after ALEX). Entry 049 compares them.

mod eytzinger;
mod gapped;
mod pgm;
mod segments;

pub(crate) use eytzinger::Eytzinger;
pub(crate) use gapped::Gapped;
pub(crate) use pgm::Pgm;

/// Where the first key is that is at least `key`: the definition the others are tested against.
#[inline]
pub(crate) fn lower_bound(keys: &[u64], key: u64) -> usize {
    keys.partition_point(|&k| k < key)
}
