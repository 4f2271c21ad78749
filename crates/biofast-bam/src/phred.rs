//! Phred scores as BAM stores them.

use std::ops::Deref;

use biofast_kernels::mean_phred;

/// The qualities of a record: Phred scores without an offset, 0 to 93, where FASTQ has characters from `!` on. A type of its own, so
/// that functions of such characters (`biofast_kernels::mean_phred`, say) don't take them by mistake; as a slice of bytes it has their
/// [`as_slice`](Self::as_slice).
///
/// ```
/// use biofast_bam::RecordBuf;
///
/// let record = RecordBuf::unmapped("r").sequence("ACGT").qualities([40, 40, 40, 40]).build()?;
/// let qualities = record.qualities();
/// assert_eq!(qualities.to_phred33(), b"IIII");
/// assert!(qualities.mean().is_some_and(|mean| (mean - 40.0).abs() < 0.01));
/// assert_eq!((qualities.len(), qualities[0]), (4, 40));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phred<'a>(&'a [u8]);

impl<'a> Phred<'a> {
    #[inline]
    pub(crate) fn new(scores: &'a [u8]) -> Phred<'a> {
        Phred(scores)
    }

    /// The scores as bytes; all 255 where a stored record has none.
    #[inline]
    pub fn as_slice(self) -> &'a [u8] {
        self.0
    }

    /// Whether they are missing: there are none, or all are 255.
    pub fn is_missing(self) -> bool {
        self.0.iter().all(|&score| score == 0xff)
    }

    /// The characters that FASTQ and SAM have for them; none if they are missing. Scores above 93 have that of 93.
    pub fn to_phred33(self) -> Vec<u8> {
        match self.is_missing() {
            true => Vec::new(),
            false => self.0.iter().map(|&score| score.min(93) + 33).collect(),
        }
    }

    /// The Phred value of the mean error probability, as `biofast_kernels::mean_phred` of the characters; `None` if they are missing.
    pub fn mean(self) -> Option<f64> {
        mean_phred(&self.to_phred33())
    }
}

impl Deref for Phred<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.0
    }
}

impl AsRef<[u8]> for Phred<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

impl<'a> IntoIterator for Phred<'a> {
    type Item = &'a u8;
    type IntoIter = std::slice::Iter<'a, u8>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl PartialEq<[u8]> for Phred<'_> {
    fn eq(&self, other: &[u8]) -> bool {
        self.0 == other
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Phred<'_> {
    fn eq(&self, other: &[u8; N]) -> bool {
        self.0 == other
    }
}

impl PartialEq<&[u8]> for Phred<'_> {
    fn eq(&self, other: &&[u8]) -> bool {
        self.0 == *other
    }
}
