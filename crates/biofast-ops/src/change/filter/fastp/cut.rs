//! What fastp cuts off by numbers of bases and by windows, in one step.

use std::ops::Range;

use crate::change::filter::read::{TrimUnit, TrimmedRead};
use crate::change::filter::trim::{Trim, Trimmer};

/// A window and the mean quality it must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutWindow {
    /// Its bases, at least 1.
    pub size: usize,
    /// The lowest mean of Phred values of a good window.
    pub phred: f64,
}

impl CutWindow {
    /// Whether a window of this sum of ASCII qualities is good.
    fn is_good(&self, sum: usize) -> bool {
        sum as f64 / self.size as f64 >= 33.0 + self.phred
    }

    /// Windows of `qualities` from `start` on that begin before `end`, with their sums.
    fn sums(
        &self,
        qualities: &[u8],
        start: usize,
        end: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let size = self.size;
        let mut sum = qualities[start..].iter().take(size - 1).map(|&q| usize::from(q)).sum();
        (start..end).map(move |at| {
            sum += usize::from(qualities[at + size - 1]);
            let found = (at, sum);
            sum -= usize::from(qualities[at]);
            found
        })
    }
}

/// Cuts fixed numbers of bases, then windows of low quality, like fastp. Windows after a fixed cut lose at least the
/// length of a window minus one base. A read that is no longer than a window, or has one base left, is cut to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct FastpCut {
    /// Bases off the front, of first and second reads.
    pub front: [usize; 2],
    /// Bases off the end.
    pub tail: [usize; 2],
    /// Windows of low quality go from the front.
    pub cut_front: Option<CutWindow>,
    /// All goes from the first window of low quality on.
    pub cut_right: Option<CutWindow>,
    /// Windows of low quality go from the end, unless `cut_right` is asked for.
    pub cut_tail: Option<CutWindow>,
}

impl FastpCut {
    /// Whether it cuts anything.
    pub fn is_any(&self) -> bool {
        self.is_fixed() || self.has_windows()
    }

    fn is_fixed(&self) -> bool {
        self.front != [0; 2] || self.tail != [0; 2]
    }

    fn has_windows(&self) -> bool {
        self.cut_front.is_some() || self.cut_right.is_some() || self.cut_tail.is_some()
    }

    /// Which bases are left, if it isn't nothing.
    fn left(&self, mate: usize, sequence: &[u8], qualities: &[u8]) -> Option<Range<usize>> {
        let (len, tail) = (sequence.len(), self.tail[mate]);
        let mut front = self.front[mate];
        if front == 0 && tail == 0 && !self.has_windows() {
            return Some(0..len);
        }
        // Where the tail begins.
        let end = len.checked_sub(tail).filter(|&end| front <= end)?;
        if !self.has_windows() {
            return Some(front..end);
        }
        // The first places where no window is looked at, if there is one before them.
        let last = |front: usize, window: &CutWindow| {
            end.checked_sub(window.size).filter(|&last| front < last)
        };
        if let Some(window) = &self.cut_front {
            let last = last(front, window)?;
            let mut sums = window.sums(qualities, front, last);
            let good = sums.find(|&(_, sum)| window.is_good(sum)).map_or(last, |(at, _)| at);
            front = if good > 0 { good + window.size - 1 } else { 0 };
            front += sequence[front..].iter().take_while(|&&base| base == b'N').count();
        }
        let mut left = front..end;
        if let Some(window) = &self.cut_right {
            let last = last(front, window)?;
            let mut sums = window.sums(qualities, front, last);
            if let Some((bad, _)) = sums.find(|&(_, sum)| !window.is_good(sum)) {
                let is_good = |&&quality: &&u8| f64::from(quality) >= 33.0 + window.phred;
                left.end = bad + qualities[bad..len - 1].iter().take_while(is_good).count();
            }
        } else if let Some(window) = &self.cut_tail {
            last(front, window)?;
            // A window ends behind these bases; the one at the front isn't looked at.
            let mut ends = (front + window.size + 1..=end).rev();
            let is_good = |&end: &usize| {
                let sum = qualities[end - window.size..end].iter().map(|&q| usize::from(q)).sum();
                window.is_good(sum)
            };
            let good = ends.find(is_good).unwrap_or(front + window.size);
            left.end = if good < len { good - window.size + 1 } else { good };
            let before = &sequence[..left.end];
            left.end -= before.iter().rev().take_while(|&&base| base == b'N').count();
        }
        (left.start < left.end && left.start + 1 < len).then_some(left)
    }
}

impl Trimmer for FastpCut {
    fn kind(&self) -> Trim {
        if self.has_windows() { Trim::Quality } else { Trim::Crop }
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, mate: usize) {
        let left = self.left(mate, read.sequence(), read.qualities()).unwrap_or(0..0);
        read.truncate(left.end);
        read.drop_front(left.start);
    }

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        for mate in 0..2 {
            let Some(read) = reads.read_mut(mate) else { continue };
            match self.left(mate, read.sequence(), read.qualities()) {
                Some(left) => {
                    read.truncate(left.end);
                    read.drop_front(left.start);
                }
                None => {
                    read.truncate(0);
                    reads.gone[mate] = true;
                }
            }
        }
    }
}
