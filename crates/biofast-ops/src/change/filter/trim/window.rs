//! Cutting by the mean quality of a sliding window, with the meaning the options have in fastp.

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::TrimmedRead;

/// A window and the mean quality (of Phred values) it must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QualityWindow {
    size: usize,
    /// The lowest sum of Phred values a good window has.
    sum: f64,
    phred: f64,
}

impl QualityWindow {
    /// A window of `size` bases (at least 1) whose mean must be at least `phred`.
    pub fn new(size: usize, phred: f64) -> QualityWindow {
        let size = size.max(1);
        QualityWindow { size, sum: phred * size as f64, phred }
    }

    /// The windows that are looked at, by their first base: all but the last position, as fastp
    /// does it; none for a read not longer than a window.
    fn positions(&self, read: &TrimmedRead<'_>) -> std::ops::Range<usize> {
        0..read.len().saturating_sub(self.size)
    }

    fn is_good(&self, qualities: &[u8], start: usize) -> bool {
        let sum: u32 = qualities[start..start + self.size].iter().map(|&q| u32::from(q) - 33).sum();
        f64::from(sum) >= self.sum
    }
}

/// From the front: looks for the first good window. If that isn't the first window, the read
/// starts with the last base of it; then leading N are cut.
#[derive(Clone, Copy, Debug)]
pub struct CutFront(pub QualityWindow);

impl Trimmer for CutFront {
    fn kind(&self) -> Trim {
        Trim::Quality
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        let (window, qualities) = (&self.0, read.qualities());
        let positions = window.positions(read);
        if positions.is_empty() {
            return;
        }
        let end = positions.end;
        let good = positions.clone().find(|&at| window.is_good(qualities, at)).unwrap_or(end);
        let cut = if good > 0 { good + window.size - 1 } else { 0 };
        let rest = &read.sequence()[cut.min(read.len())..];
        let leading_n = rest.iter().take_while(|&&b| b == b'N').count();
        read.drop_front(cut + leading_n);
    }
}

/// From the end: looks for the last good window. If that isn't the last window, the read ends
/// with the first base of it; then trailing N are cut.
#[derive(Clone, Copy, Debug)]
pub struct CutTail(pub QualityWindow);

impl Trimmer for CutTail {
    fn kind(&self) -> Trim {
        Trim::Quality
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        let (window, qualities, len) = (&self.0, read.qualities(), read.len());
        if len <= window.size {
            return;
        }
        // Where the window starts; the very first position isn't looked at.
        let good = (1..=len - window.size).rev().find(|&at| window.is_good(qualities, at));
        let keep = match good {
            Some(at) if at == len - window.size => len,
            Some(at) => at + 1,
            None => 1,
        };
        let kept = &read.sequence()[..keep];
        let trailing_n = kept.iter().rev().take_while(|&&b| b == b'N').count();
        read.truncate(keep - trailing_n);
    }
}

/// From the front: looks for the first bad window and cuts from there on, but for the good bases
/// at its start.
#[derive(Clone, Copy, Debug)]
pub struct CutRight(pub QualityWindow);

impl Trimmer for CutRight {
    fn kind(&self) -> Trim {
        Trim::Quality
    }

    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        let (window, qualities) = (&self.0, read.qualities());
        let mut positions = window.positions(read);
        if let Some(at) = positions.find(|&at| !window.is_good(qualities, at)) {
            let is_good = |&&q: &&u8| f64::from(q) - 33.0 >= window.phred;
            let good = qualities[at..].iter().take_while(is_good).count();
            read.truncate(at + good);
        }
    }
}
