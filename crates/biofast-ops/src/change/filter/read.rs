//! A read while it is being trimmed.

use biofast_fastq::Record;

/// A record and which of its bases are left.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::Read;
///
/// let mut read = Read::new(Record::new(b"r", b"ACGTN", b"IIII#"));
/// read.drop_front(1);
/// read.drop_tail(1);
/// assert_eq!((read.sequence(), read.qualities()), (&b"CGT"[..], &b"III"[..]));
/// assert!(read.is_trimmed() && read.record().sequence().len() == 5);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    record: Record<'a>,
    start: usize,
    end: usize,
}

impl<'a> Read<'a> {
    /// The whole record.
    pub fn new(record: Record<'a>) -> Read<'a> {
        Read { record, start: 0, end: record.sequence().len() }
    }

    /// The record as it was read.
    pub fn record(&self) -> &Record<'a> {
        &self.record
    }

    /// The bases left.
    #[inline]
    pub fn sequence(&self) -> &'a [u8] {
        &self.record.sequence()[self.start..self.end]
    }

    /// The qualities of the bases left, ASCII.
    #[inline]
    pub fn qualities(&self) -> &'a [u8] {
        &self.record.qualities()[self.start..self.end]
    }

    /// How many bases are left.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bases were cut off the front so far.
    pub fn cut_front(&self) -> usize {
        self.start
    }

    /// Which bases of the record are left.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// Whether anything was cut off.
    pub fn is_trimmed(&self) -> bool {
        self.len() < self.record.sequence().len()
    }

    /// Cuts `n` bases off the front, or all there are.
    pub fn drop_front(&mut self, n: usize) {
        self.start += n.min(self.len());
    }

    /// Cuts `n` bases off the end, or all there are.
    pub fn drop_tail(&mut self, n: usize) {
        self.end -= n.min(self.len());
    }

    /// Cuts the end off so that at most `len` bases are left.
    pub fn truncate(&mut self, len: usize) {
        self.end = self.end.min(self.start.saturating_add(len));
    }
}

/// What a [`Trimmer`](super::Trimmer) works on: a read or a pair.
pub struct Reads<'a, 's> {
    /// The read, or the first of the pair.
    pub first: Read<'a>,
    /// The second of the pair.
    pub second: Option<Read<'a>>,
    /// What is appended to the names of the reads.
    pub tag: &'s mut Vec<u8>,
    /// A buffer for whatever a trimmer needs.
    pub scratch: &'s mut Vec<u8>,
}

impl<'a> Reads<'a, '_> {
    /// All bases left.
    pub fn bases(&self) -> usize {
        self.first.len() + self.second.map_or(0, |read| read.len())
    }

    /// Calls `each` with each read and 0 for the first, 1 for the second of a pair.
    pub fn for_each(&mut self, mut each: impl FnMut(&mut Read<'a>, usize)) {
        each(&mut self.first, 0);
        if let Some(second) = &mut self.second {
            each(second, 1);
        }
    }
}
