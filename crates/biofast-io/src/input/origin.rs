//! Where the bytes of a source are in what it is a part of.

use std::sync::{Arc, Mutex, PoisonError};

/// Where a source starts in what it is a part of, so that errors give the numbers of records, lines and bytes there.
/// The default is a source that is the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Records before the source's first one.
    pub records: u64,
    /// Lines before it, where there are lines.
    pub lines: u64,
    /// Decompressed bytes before it; of BAM, its header among them.
    pub offset: u64,
    /// How many records the source has, if that is known: another number is an error.
    pub expected: Option<u64>,
    /// Whether what it is a part of goes on behind it, so that nothing marks its end. Of BGZF the part itself says so.
    pub goes_on: bool,
}

impl Origin {
    pub(crate) const START: Origin =
        Origin { records: 0, lines: 0, offset: 0, expected: None, goes_on: false };
}

/// Where in the file the blocks of a spliced stream come from.
#[derive(Clone, Debug, Default)]
pub struct Places(Arc<Mutex<Vec<(u64, u64)>>>);

impl Places {
    /// From here on the stream's byte `in_stream` is the file's byte `in_file`.
    pub(crate) fn add(&self, in_stream: u64, in_file: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((in_stream, in_file));
    }

    /// The offset in the file of what is at `in_stream`: exact for the start of a block.
    pub fn in_file(&self, in_stream: u64) -> Option<u64> {
        let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = places.partition_point(|(start, _)| *start <= in_stream).checked_sub(1)?;
        let (stream, file) = places[index];
        Some(file + (in_stream - stream))
    }
}
