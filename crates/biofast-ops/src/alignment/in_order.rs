//! What is left of a chunk's records for the steps that need them in the order of the file.

use biofast_bam::{Record, flag};

use super::basics::Seen;

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
    pub(crate) mapped: bool,
}

/// The records of one chunk.
#[derive(Debug, Default)]
pub(crate) struct InOrder {
    pub(crate) records: Vec<Placed>,
    /// The stretches of the reference that aligned bases cover, record after record: start from
    /// 0, and end, excluded.
    pub(crate) blocks: Vec<(i64, i64)>,
}

impl InOrder {
    /// Adds a record that `seen` tells about.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>, seen: &Seen<'_>, gc: f32) {
        let mapped = record.flags() & flag::UNMAPPED == 0;
        let before = self.blocks.len();
        if mapped {
            let mut at = i64::from(record.position());
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
        let clamp = |len: u64| u32::try_from(len).unwrap_or(u32::MAX);
        self.records.push(Placed {
            reference: record.reference_id(),
            position: record.position(),
            unclipped_len: clamp(seen.unclipped_len),
            len_with_deletions: clamp(record.sequence_len() as u64 + seen.deleted),
            gc,
            blocks: (self.blocks.len() - before) as u32,
            mapped,
        });
    }

    /// Calls `each` for every record with its blocks, and forgets them.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(&Placed, &[(i64, i64)])) {
        let mut blocks = &self.blocks[..];
        for record in &self.records {
            let (own, rest) = blocks.split_at(record.blocks as usize);
            each(record, own);
            blocks = rest;
        }
        self.records.clear();
        self.blocks.clear();
    }
}
