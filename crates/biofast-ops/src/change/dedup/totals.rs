//! How many reads or pairs were kept and dropped.

use crate::change::split::SplitAmount;

/// What was read and written, of first reads (or reads without mates) and second reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DedupTotals {
    /// All.
    pub input: [SplitAmount; 2],
    /// Those that are kept.
    pub kept: [SplitAmount; 2],
    /// The others.
    pub duplicates: [SplitAmount; 2],
}

impl DedupTotals {
    pub(super) fn read(&mut self, mates: &[SplitAmount; 2]) {
        self.input.iter_mut().zip(mates).for_each(|(total, mate)| total.add(mate));
    }

    pub(super) fn written(&mut self, is_new: bool, mates: &[SplitAmount; 2]) {
        let total = if is_new { &mut self.kept } else { &mut self.duplicates };
        total.iter_mut().zip(mates).for_each(|(total, mate)| total.add(mate));
    }

    pub(super) fn merge(&mut self, other: &DedupTotals) {
        self.read(&other.input);
        self.written(true, &other.kept);
        self.written(false, &other.duplicates);
    }
}
