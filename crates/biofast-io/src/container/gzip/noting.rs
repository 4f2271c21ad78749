//! Notes where reading can begin again.

use std::sync::Arc;

use libdeflater::Crc;

use crate::input::{GzipPoint, GzipPoints};

/// What a decoder needs to find them.
pub(super) struct Noting {
    points: Arc<GzipPoints>,
    /// Text so far.
    offset: u64,
    /// From here on a point is wanted.
    next: u64,
    /// Of the text since the last point.
    crc: Crc,
}

impl Noting {
    pub(super) fn new(points: Arc<GzipPoints>) -> Noting {
        Noting { points, offset: 0, next: 0, crc: Crc::new() }
    }

    /// The bit of the input from which on the decoder is to stop where a block starts.
    pub(super) fn until(&self) -> usize {
        if self.offset >= self.next { 0 } else { usize::MAX }
    }

    /// How much text may be made before it is asked for that bit again.
    pub(super) fn room(&self) -> usize {
        match self.next.saturating_sub(self.offset) {
            0 => usize::MAX,
            left => usize::try_from(left).unwrap_or(usize::MAX),
        }
    }

    pub(super) fn made(&mut self, text: &[u8]) {
        self.crc.update(text);
        self.offset += text.len() as u64;
    }

    pub(super) fn boundary(&mut self, bit: u64, window: &[u8]) {
        let crc32 = std::mem::replace(&mut self.crc, Crc::new()).sum();
        let point = GzipPoint { bit, offset: self.offset, crc32, window: window.to_vec() };
        self.points.add(point);
        self.next = self.offset.saturating_add(self.points.spacing());
    }

    pub(super) fn ended(&self) {
        self.points.finish(self.offset, self.crc.sum());
    }
}
