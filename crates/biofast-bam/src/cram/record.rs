//! A slice and its records as they are decoded.

use crate::flag;

/// How a record is stored (CF): its qualities as an array.
pub(super) const QUALITIES: i32 = 1;
/// With the mate's fields.
pub(super) const DETACHED: i32 = 2;
/// With the distance to its mate, a later record of the slice.
pub(super) const MATE_DOWNSTREAM: i32 = 4;
/// Without a sequence (`*`).
pub(super) const NO_SEQUENCE: i32 = 8;

pub(super) const UNMAPPED: i32 = flag::UNMAPPED as i32;
pub(super) const MATE_UNMAPPED: i32 = flag::MATE_UNMAPPED as i32;
pub(super) const REVERSE: i32 = flag::REVERSE as i32;

/// The reference of a slice that has several.
pub(super) const SEVERAL: i32 = -2;

/// A part of one of the slice's buffers.
pub(super) type Span = std::ops::Range<usize>;

/// A record; parts of variable length are in the slice's buffers.
#[derive(Default)]
pub(super) struct CramRecord {
    pub(super) flags: i32,
    pub(super) reference: i32,
    /// The leftmost and the rightmost position, counted from 1.
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) mapq: u8,
    pub(super) read_group: i32,
    pub(super) name: Span,
    pub(super) mate_flags: i32,
    pub(super) mate_reference: i32,
    pub(super) mate_start: i64,
    /// The index of the next record of the template in the slice.
    pub(super) mate: Option<usize>,
    /// `None` until it has been computed.
    pub(super) template_len: Option<i64>,
    pub(super) bases: Span,
    pub(super) cigar: Span,
    pub(super) tags: Span,
}

/// Records with the buffers they point into.
#[derive(Default)]
pub(super) struct Slice {
    pub(super) records: Vec<CramRecord>,
    pub(super) names: Vec<u8>,
    /// Letters, and as many qualities.
    pub(super) bases: Vec<u8>,
    pub(super) qualities: Vec<u8>,
    pub(super) cigars: Vec<u32>,
    pub(super) tags: Vec<u8>,
    /// The number of the first record in the file.
    pub(super) first: i64,
}

impl Slice {
    /// Makes it a slice without records, in the same memory.
    pub(super) fn clear(&mut self, first: i64) {
        let Slice { records, names, bases, qualities, cigars, tags, first: number } = self;
        records.clear();
        for part in [names, bases, qualities, tags] {
            part.clear();
        }
        cigars.clear();
        *number = first;
    }
}

/// A slice and its blocks, decompressed: the next one is decoded into the same memory. Asking the system for it anew, page by page,
/// takes a tenth of the time of decoding.
#[derive(Default)]
pub(super) struct SliceBuffers {
    pub(super) slice: Slice,
    /// Where a slice's first block goes, its second, and so on: slices of a file are alike.
    pub(super) blocks: Vec<Vec<u8>>,
}

/// More than that isn't kept for the next slice.
pub(super) const KEPT: usize = 64 << 20;

impl SliceBuffers {
    /// Gives back what is too much to keep.
    pub(super) fn shrink(&mut self) {
        let SliceBuffers { slice, blocks } = self;
        let Slice { records, names, bases, qualities, cigars, tags, first: _ } = slice;
        let bytes = [names, bases, qualities, tags].map(|part| part.capacity());
        let held = size_of::<CramRecord>() * records.capacity()
            + 4 * cigars.capacity()
            + bytes.iter().sum::<usize>()
            + blocks.iter().map(|block| size_of::<Vec<u8>>() + block.capacity()).sum::<usize>();
        if held > KEPT {
            *self = SliceBuffers::default();
        }
    }
}
