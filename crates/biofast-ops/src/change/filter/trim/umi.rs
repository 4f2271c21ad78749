//! Molecular identifiers: from the front of the reads into their names.

use super::{Read, Reads, Trim, Trimmer};

/// Which reads start with an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UmiSource {
    /// The first read of a pair, or a read without a mate.
    First,
    /// The second read of a pair.
    Second,
    /// Both.
    Both,
}

/// Cuts the identifier off and appends `:` and the identifier to the names of both mates, two
/// identifiers joined by `_`. A read shorter than the identifier gives what it has.
///
/// ```
/// use biofast_fastq::{Record, Unit};
/// use biofast_ops::filter::Filter;
/// use biofast_ops::filter::trim::{Umi, UmiSource};
///
/// let filter = Filter::new().trim(Umi { source: UmiSource::First, len: 3, skip: 1 });
/// let mut texts = vec![Vec::new()];
/// let first = Record::new(b"r", b"ACGTGG", b"IIIIII");
/// filter.worker().apply(Unit { index: 0, first, second: None }, &mut texts);
/// assert_eq!(texts[0], b"@r:ACG\nGG\n+\nII\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Umi {
    /// Where it is.
    pub source: UmiSource,
    /// Its length.
    pub len: usize,
    /// How many bases behind it are cut off, too.
    pub skip: usize,
}

impl Trimmer for Umi {
    fn kind(&self) -> Trim {
        Trim::Umi
    }

    fn trim_read(&self, read: &mut Read<'_>, mate: usize) {
        let has = match self.source {
            UmiSource::First => mate == 0,
            UmiSource::Second => mate == 1,
            UmiSource::Both => true,
        };
        if has {
            read.drop_front(self.len.saturating_add(self.skip));
        }
    }

    fn trim(&self, reads: &mut Reads<'_, '_>) {
        let mut tag = std::mem::take(reads.tag);
        reads.for_each(|read, mate| {
            let before = read.sequence();
            self.trim_read(read, mate);
            if read.len() < before.len() {
                tag.push(if tag.is_empty() { b':' } else { b'_' });
                tag.extend_from_slice(&before[..before.len().min(self.len)]);
            }
        });
        *reads.tag = tag;
    }
}
