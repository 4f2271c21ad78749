//! CIGAR: how the bases of a read lie on the reference (SAM specification, sections 1.4.6, 4.2.2).

/// The longest CIGAR operation: its length shares 32 bits with the operation.
pub(crate) const MAX_OP_LEN: u32 = (1 << 28) - 1;
/// The most operations that fit a record's field; more go to the tag `CG`.
pub(crate) const MAX_OPS: usize = 65_535;

/// A CIGAR operation, by its code in BAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// `M`: aligned, match or mismatch.
    Match = 0,
    /// `I`: bases the reference doesn't have.
    Insertion = 1,
    /// `D`: reference bases the read doesn't have.
    Deletion = 2,
    /// `N`: a stretch of the reference that is skipped, as an intron.
    Skip = 3,
    /// `S`: bases of the read that aren't aligned.
    SoftClip = 4,
    /// `H`: bases that were cut off the record.
    HardClip = 5,
    /// `P`: padding.
    Pad = 6,
    /// `=`: aligned and equal.
    SequenceMatch = 7,
    /// `X`: aligned and different.
    SequenceMismatch = 8,
    /// A code the specification doesn't give a meaning (`B` of old versions among them).
    Unknown = 9,
}

impl Op {
    const ALL: [Op; 16] = {
        use Op::{
            Deletion, HardClip, Insertion, Match, Pad, SequenceMatch, SequenceMismatch, Skip,
            SoftClip, Unknown,
        };
        [
            Match, Insertion, Deletion, Skip, SoftClip, HardClip, Pad, SequenceMatch,
            SequenceMismatch, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown,
        ]
    };

    /// The operation of a CIGAR word.
    #[inline]
    fn of_word(word: u32) -> Op {
        Op::ALL[(word & 15) as usize]
    }

    /// `M`, `=` and `X`: bases of the read lie on bases of the reference.
    #[inline]
    pub fn is_aligned(self) -> bool {
        matches!(self, Op::Match | Op::SequenceMatch | Op::SequenceMismatch)
    }

    /// Whether the operation goes along the reference.
    #[inline]
    pub fn consumes_reference(self) -> bool {
        self.is_aligned() || matches!(self, Op::Deletion | Op::Skip)
    }

    /// Whether the operation goes along the bases of the record.
    #[inline]
    pub fn consumes_read(self) -> bool {
        self.is_aligned() || matches!(self, Op::Insertion | Op::SoftClip)
    }
}

/// The CIGAR of a record: pairs of an operation and its length in bases.
///
/// A record of more than 65,535 operations keeps them in its tag `CG`; they are found there.
///
/// ```
/// use biofast_bam::{CigarBuf, Op};
///
/// let made: CigarBuf = "3S10M".parse()?;
/// let cigar = made.as_cigar();
/// assert_eq!(cigar.get(1), Some((Op::Match, 10)));
/// let aligned: u32 = cigar.iter().filter(|(op, _)| op.is_aligned()).map(|(_, len)| len).sum();
/// assert_eq!((aligned, cigar.to_string().as_str()), (10, "3S10M"));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Cigar<'a> {
    words: &'a [[u8; 4]],
}

impl<'a> Cigar<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cigar { words: bytes.as_chunks::<4>().0 }
    }

    pub(crate) fn from_words(words: &'a [[u8; 4]]) -> Self {
        Cigar { words }
    }

    /// The operations as stored.
    pub(crate) fn as_words(&self) -> &'a [[u8; 4]] {
        self.words
    }

    /// The number of operations.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is no CIGAR (`*`).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The operation of this index, counted from 0, with its length.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(Op, u32)> {
        let word = u32::from_le_bytes(*self.words.get(index)?);
        Some((Op::of_word(word), word >> 4))
    }

    /// The operations in order with their lengths, which are below 2^28.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Op, u32)> + Clone + 'a {
        self.words.iter().map(|word| {
            let word = u32::from_le_bytes(*word);
            (Op::of_word(word), word >> 4)
        })
    }

    /// The operations as stored: length × 16 + code.
    #[inline]
    pub fn words(&self) -> impl ExactSizeIterator<Item = u32> + Clone + 'a {
        self.words.iter().map(|word| u32::from_le_bytes(*word))
    }

    /// Bases of the reference from the first to the last aligned one; 0 without a CIGAR.
    pub fn reference_len(&self) -> u64 {
        self.iter().filter(|(op, _)| op.consumes_reference()).map(|(_, len)| u64::from(len)).sum()
    }

    /// Bases of the record that the operations cover, clipped ones that are stored among them.
    pub fn read_len(&self) -> u64 {
        self.iter().filter(|(op, _)| op.consumes_read()).map(|(_, len)| u64::from(len)).sum()
    }
}

impl std::fmt::Debug for Cigar<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// The first word of the stand-in for a CIGAR that is in the tag `CG`.
#[inline]
pub(crate) fn is_placeholder(cigar: &[u8], sequence_len: usize) -> bool {
    match cigar.first_chunk::<4>() {
        Some(word) => {
            let word = u32::from_le_bytes(*word);
            Op::of_word(word) == Op::SoftClip && (word >> 4) as usize == sequence_len
        }
        None => false,
    }
}
