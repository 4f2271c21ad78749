//! What is left of a chunk's records for the steps that need them in the order of the file.

use biofast_bam::{Record, flag};

use super::basics::ExaminedRecord;
use crate::measure::coverage::take_first;

/// Where a record lies, as far as order matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) reference: i32,
    /// From 0.
    pub(crate) position: i32,
    /// Bases before hard clipping.
    pub(crate) unclipped_len: u32,
    /// Bases of the record and bases deleted from it.
    pub(crate) len_with_deletions: u32,
    /// G and C among the bases, as a share.
    pub(crate) gc: f32,
    /// How many of the [`InOrder::blocks`] are its own.
    pub(crate) blocks: u32,
    /// How many of the [`InOrder::mismatches`] are its own.
    pub(crate) mismatches: u32,
    pub(crate) mapped: bool,
}

/// The records of one chunk.
#[derive(Debug, Default)]
pub(crate) struct InOrder {
    pub(crate) records: Vec<Placed>,
    /// The stretches of the reference that aligned bases cover, record after record: start from
    /// 0, and end, excluded. They may lie behind the end of the reference.
    pub(crate) blocks: Vec<(i64, i64)>,
    /// Bases that differ from the reference, where there is one, record after record.
    pub(crate) mismatches: Vec<Mismatch>,
}

/// A base that differs from the reference, or is N.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mismatch {
    /// Cycle of the read, from 0.
    pub(crate) cycle: u32,
    /// 0 for N, quality + 1 (modulo 256) for others.
    pub(crate) class: u8,
}

/// One record with what belongs to it.
pub(crate) struct RecordParts<'a> {
    pub(crate) record: &'a Placed,
    pub(crate) blocks: &'a [(i64, i64)],
    pub(crate) mismatches: &'a [Mismatch],
}

impl InOrder {
    /// Adds a record that `seen` tells about.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>, seen: &ExaminedRecord<'_>, gc: f32) {
        let mapped = record.flags() & flag::UNMAPPED == 0;
        let before = self.blocks.len();
        if mapped {
            let mut at = i64::from(record.position());
            if let Some(stretch) = seen.stretch {
                self.blocks.push((at, at + i64::from(stretch)));
            } else {
                for (op, len) in seen.cigar.iter() {
                    let end = at + i64::from(len);
                    if op.is_aligned() {
                        self.blocks.push((at, end));
                    }
                    if op.consumes_reference() {
                        at = end;
                    }
                }
            }
        }
        let clamp = |len: u64| u32::try_from(len).unwrap_or(u32::MAX);
        self.records.push(Placed {
            reference: record.reference_id(),
            position: record.position(),
            unclipped_len: clamp(seen.unclipped_len),
            len_with_deletions: clamp(record.sequence_len() as u64 + seen.deleted),
            gc,
            blocks: (self.blocks.len() - before) as u32,
            mismatches: 0,
            mapped,
        });
    }

    /// Calls `each` for every record.
    pub(crate) fn each(&self, mut each: impl FnMut(RecordParts<'_>)) {
        let (mut blocks, mut mismatches) = (&self.blocks[..], &self.mismatches[..]);
        for record in &self.records {
            each(RecordParts {
                record,
                blocks: take_first(&mut blocks, record.blocks as usize),
                mismatches: take_first(&mut mismatches, record.mismatches as usize),
            });
        }
    }

    /// Forgets the records.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.blocks.clear();
        self.mismatches.clear();
    }
}
