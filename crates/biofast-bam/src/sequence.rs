//! The bases of a record as letters, unpacked when asked for.

use std::fmt;

use biofast_kernels as kernels;

/// The letter of each base code.
const LETTERS: [u8; 16] = *b"=ACMGRSVTWYHKDBN";

/// The sequence of a [`Record`](crate::Record), two bases a byte.
///
/// ```
/// use biofast_bam::{Header, RecordBuf};
///
/// let mut bytes = Vec::new();
/// let read = RecordBuf::unmapped("r").sequence(b"ACGNT").build()?;
/// let record = read.write_bam(&Header::default(), &mut bytes)?;
/// let sequence = record.sequence();
/// assert_eq!((sequence.len(), sequence.get(2)), (5, Some(b'G')));
/// assert_eq!(sequence.to_vec(), b"ACGNT");
/// assert_eq!(sequence.to_string(), "ACGNT");
/// assert_eq!(sequence.iter().filter(|base| *base == b'N').count(), 1);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Sequence<'a> {
    /// As many bytes as `len` needs.
    packed: &'a [u8],
    len: usize,
}

impl<'a> Sequence<'a> {
    pub(crate) fn new(packed: &'a [u8], len: usize) -> Self {
        Sequence { packed, len }
    }

    /// The number of bases.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the record has no sequence.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The letter of the base of this index, counted from 0.
    #[inline]
    pub fn get(&self, index: usize) -> Option<u8> {
        (index < self.len).then(|| self.letter(index))
    }

    #[inline]
    fn letter(&self, index: usize) -> u8 {
        let pair = self.packed[index / 2];
        LETTERS[usize::from(if index.is_multiple_of(2) { pair >> 4 } else { pair & 15 })]
    }

    /// The letters one by one, in capitals. All at once are faster with [`append_to`](Self::append_to).
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u8> + DoubleEndedIterator + Clone + 'a {
        let sequence = *self;
        (0..self.len).map(move |index| sequence.letter(index))
    }

    /// Appends all letters to `out`.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        kernels::unpack_bases(self.packed, self.len, out);
    }

    /// Appends the reverse complement to `out`: what the sequencer read, of an alignment to the
    /// reverse strand.
    #[inline]
    pub fn append_reverse_complement_to(&self, out: &mut Vec<u8>) {
        kernels::unpack_bases_reverse_complement(self.packed, self.len, out);
    }

    /// All letters.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut letters = Vec::with_capacity(self.len);
        self.append_to(&mut letters);
        letters
    }

    /// The bases as stored.
    #[inline]
    pub fn packed(&self) -> &'a [u8] {
        self.packed
    }
}

impl fmt::Display for Sequence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_vec()))
    }
}

impl fmt::Debug for Sequence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl PartialEq<[u8]> for Sequence<'_> {
    fn eq(&self, letters: &[u8]) -> bool {
        self.len == letters.len() && self.iter().eq(letters.iter().copied())
    }
}

impl<const N: usize> PartialEq<&[u8; N]> for Sequence<'_> {
    fn eq(&self, letters: &&[u8; N]) -> bool {
        *self == letters[..]
    }
}
