//! Fixed numbers of bases.

use super::{Read, Trim, Trimmer};

/// Cuts a fixed number of bases off both ends, for first and second reads.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::trim::Crop;
/// use biofast_ops::filter::{Read, Trimmer};
///
/// let mut read = Read::new(Record::new(b"r", b"ACGTAC", b"IIIIII"));
/// Crop { front: [2, 0], tail: [1, 0] }.trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"GTA");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Crop {
    /// Off the front.
    pub front: [usize; 2],
    /// Off the end.
    pub tail: [usize; 2],
}

impl Trimmer for Crop {
    fn kind(&self) -> Trim {
        Trim::Crop
    }

    fn trim_read(&self, read: &mut Read<'_>, mate: usize) {
        read.drop_front(self.front[mate]);
        read.drop_tail(self.tail[mate]);
    }
}

/// Keeps at most the first so many bases, of first and second reads.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::filter::trim::KeepFirst;
/// use biofast_ops::filter::{Read, Trimmer};
///
/// let mut read = Read::new(Record::new(b"r", b"ACGTAC", b"IIIIII"));
/// KeepFirst([4, 4]).trim_read(&mut read, 0);
/// assert_eq!(read.sequence(), b"ACGT");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeepFirst(pub [usize; 2]);

impl Trimmer for KeepFirst {
    fn kind(&self) -> Trim {
        Trim::KeepFirst
    }

    fn trim_read(&self, read: &mut Read<'_>, mate: usize) {
        read.truncate(self.0[mate]);
    }
}
