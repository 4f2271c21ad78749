//! Fixed numbers of bases.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::TrimmedRead;

/// Cuts a fixed number of bases off both ends; first and second reads have their own numbers.
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

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        read.drop_front(self.front[mate]);
        read.drop_tail(self.tail[mate]);
    }
}

/// Keeps at most this many bases from the start; first and second reads have their own numbers.
#[derive(Clone, Copy, Debug)]
pub struct KeepFirst(pub [usize; 2]);

impl Trimmer for KeepFirst {
    fn kind(&self) -> Trim {
        Trim::KeepFirst
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        read.truncate(self.0[mate]);
    }
}
