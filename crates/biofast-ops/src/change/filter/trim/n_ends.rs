//! Unknown bases at the ends of reads.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::TrimmedRead;

/// Cuts N off both ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrimN;

impl Trimmer for TrimN {
    fn kind(&self) -> Trim {
        Trim::NEnds
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        let is_n = |base: &&u8| **base == b'N';
        read.drop_tail(read.sequence().iter().rev().take_while(is_n).count());
        read.drop_front(read.sequence().iter().take_while(is_n).count());
    }
}
