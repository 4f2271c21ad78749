//! How many reads were paired and how many were alone.

use crate::change::split::SplitAmount;

/// What was read and written, of first and second reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairTotals {
    /// Reads of pairs.
    pub pairs: [SplitAmount; 2],
    /// Reads without mates.
    pub orphans: [SplitAmount; 2],
}
