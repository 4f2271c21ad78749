//! What doesn't fit into memory: [records](stored) in temporary files, [parted](partitions) by a hash so that each part fits, or
//! [sorted](runs) a piece at a time and merged.
//!
//! Alignments are sorted by code of their own ([`sort`](super::sort)), which packs records before it stores them, and indexes of names
//! by entries of 16 bytes ([`get`](super::get)), which would take three times the memory as units.

mod limits;
mod partitions;
mod rows;
pub(in crate::change) mod runs;
mod stored;

pub use limits::SpillLimits;
pub(in crate::change) use partitions::Partitions;
pub(in crate::change) use rows::read_or_end;
pub(in crate::change) use stored::{Stored, StoredReader, StoredWriter, number_at};
