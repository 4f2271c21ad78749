//! Where a sequence is in its file.

/// Where a sequence is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Bases.
    pub(super) len: u64,
    /// Where the first base is in the text.
    pub(super) offset: u64,
    pub(super) bases_a_line: u64,
    pub(super) bytes_a_line: u64,
    /// Where the first quality is, in FASTQ.
    pub(super) qualities: Option<u64>,
    /// The line of the index file, from 1, if there is such a file.
    pub(super) line: Option<u64>,
}

impl Entry {
    /// Where a base is in the text. The last one was checked to have a place.
    pub(super) fn place(&self, base: u64) -> u64 {
        self.offset + base / self.bases_a_line * self.bytes_a_line + base % self.bases_a_line
    }

    /// The entry of its qualities as if they were the bases; `None` if it has none.
    pub(super) fn of_qualities(self) -> Option<Entry> {
        self.qualities.map(|offset| Entry { offset, ..self })
    }
}
