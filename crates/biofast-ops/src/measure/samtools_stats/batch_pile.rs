//! What a worker finds of the depths of a batch for the [pileup](super::pileup), where samtools' are the true ones.

use crate::measure::alignments::in_order::InOrder;
use crate::measure::coverage::{BatchDepths, DepthFinder, take_first};

/// The mapped records of a batch that lie in order.
#[derive(Debug, Default)]
pub(crate) struct BatchPile {
    /// Whether they do, at positions of references.
    pub(super) is_plain: bool,
    /// Bases of the longest record, before hard clipping.
    pub(super) longest: u32,
    /// How far a record reaches from its start.
    pub(super) farthest: i64,
    pub(super) groups: Vec<PileGroup>,
    /// Where each record starts, and its share of G and C.
    pub(super) starts: Vec<(u32, f32)>,
    /// Of each group.
    pub(super) depths: BatchDepths,
    finder: Option<Box<DepthFinder>>,
}

/// Records next to each other on a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct PileGroup {
    pub(super) reference: i32,
    pub(super) records: usize,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl BatchPile {
    /// Forgets the batch.
    pub(crate) fn clear(&mut self) {
        (self.is_plain, self.longest, self.farthest) = (false, 0, 0);
        self.groups.clear();
        self.starts.clear();
        self.depths.clear();
    }

    /// Finds all of the records of a batch.
    pub(crate) fn fill(&mut self, batch: &InOrder) {
        self.clear();
        self.is_plain = true;
        batch.each(|own| {
            let record = own.record;
            self.longest = self.longest.max(record.unclipped_len);
            if !record.mapped {
                return;
            }
            let Ok(start) = u32::try_from(record.position) else {
                self.is_plain = false;
                return;
            };
            let end = own.blocks.last().map_or(0, |block| block.1);
            self.farthest = self.farthest.max(end - i64::from(start));
            self.is_plain &= record.reference >= 0 && end < i64::from(u32::MAX);
            match self.groups.last_mut() {
                Some(group) if group.reference == record.reference => {
                    self.is_plain &= group.last <= start;
                    (group.records, group.last) = (group.records + 1, start);
                }
                _ => self.groups.push(PileGroup {
                    reference: record.reference,
                    records: 1,
                    first: start,
                    last: start,
                }),
            }
            self.starts.push((start, record.gc));
        });
        if !self.is_plain {
            return;
        }
        let mut finder = self.finder.take().unwrap_or_default();
        let mut records = batch.records.iter().filter(|record| record.mapped);
        let mut blocks = &batch.blocks[..];
        for group in &self.groups {
            let own = records.by_ref().take(group.records).map(|record| {
                (record.position as u32, take_first(&mut blocks, record.blocks as usize))
            });
            let longest = u32::try_from(self.farthest).unwrap_or(u32::MAX);
            finder.find_stretches(own, (group.first, group.last), longest, &mut self.depths);
        }
        self.finder = Some(finder);
    }
}
