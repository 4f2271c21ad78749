//! Reads as they are searched for adapters.

use std::ops::Range;

use crate::change::filter::read::TrimmedRead;

/// What is searched for adapters; qualities are there if an adapter is matched by them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutterRead<'a> {
    pub(super) sequence: &'a [u8],
    pub(super) qualities: &'a [u8],
}

impl<'a> CutterRead<'a> {
    pub(super) fn of(read: &TrimmedRead<'a>) -> CutterRead<'a> {
        CutterRead { sequence: read.sequence(), qualities: read.qualities() }
    }

    pub(super) fn len(&self) -> usize {
        self.sequence.len()
    }

    pub(super) fn part(self, part: Range<usize>) -> CutterRead<'a> {
        let qualities = self.qualities.get(part.clone()).unwrap_or_default();
        CutterRead { sequence: &self.sequence[part], qualities }
    }
}
