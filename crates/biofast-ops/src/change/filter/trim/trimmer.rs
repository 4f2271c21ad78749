//! What a trimmer is, and the adapters it has.

use super::Trim;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// Cuts something off reads.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::{Trim, TrimmedRead, Trimmer};
///
/// /// A trimmer of one's own: cuts at the first N.
/// struct CutAtN;
///
/// impl Trimmer for CutAtN {
///     fn kind(&self) -> Trim {
///         Trim::Quality
///     }
///
///     fn trim_read(&self, read: &mut TrimmedRead<'_>, _mate: usize) {
///         if let Some(at) = read.sequence().iter().position(|&base| base == b'N') {
///             read.truncate(at);
///         }
///     }
/// }
///
/// let mut read = TrimmedRead::new(Record::new(b"r", b"ACNGT", b"II#II"));
/// CutAtN.trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"AC");
/// ```
pub trait Trimmer: Send + Sync {
    /// What the cut bases are booked under.
    fn kind(&self) -> Trim;

    /// Trims one read; `mate` is 1 for the second of a pair, else 0.
    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize);

    /// Trims a read or both reads of a pair: one after the other, unless there is more to it.
    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        reads.for_each(|read, mate| self.trim_read(read, mate));
    }

    /// The adapters it looks for, by their numbers in [`TrimUnit::found`]; those of other trimmers have none.
    #[doc(hidden)]
    fn adapters(&self) -> Vec<Label> {
        Vec::new()
    }
}

/// An adapter as the user knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name, or its number.
    pub name: String,
    /// As it was given.
    pub text: String,
    /// 1 for first reads (or reads without mates), 2 for second ones.
    pub read: u8,
}
