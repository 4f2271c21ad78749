//! Where ordinary gzip can be inflated from: what is noted of it while it is read.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A place in ordinary gzip where inflating can start: that of a DEFLATE block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GzipPoint {
    /// The bit of the file, from 0; of a byte the lowest one comes first.
    pub bit: u64,
    /// How many bytes of text come before it.
    pub offset: u64,
    /// The CRC-32 of the text from the point before it, or from the start of the text, up to it.
    pub crc32: u32,
    /// The last 32,768 bytes of the member's text before it, or all there are: what the block may refer to.
    pub window: Vec<u8>,
}

/// Hears where records of text start while something reads them.
#[doc(hidden)]
pub trait Follower: Send + Sync {
    /// Some records have been framed, in the order of the text: that of number `first`, from 0, and those behind it, `len` in all.
    /// `start_of` tells by its index where one of them starts in the text; `None` if it was put together from several lines.
    /// Called by who frames, in turn: nobody frames until it returns.
    fn framed(&self, first: u64, len: usize, start_of: &dyn Fn(usize) -> Option<u64>);
}

/// The follower of a source, if it has one.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct Followed(pub(crate) Option<Arc<dyn Follower>>);

impl Followed {
    /// As [`Follower::framed`].
    pub fn framed(&self, first: u64, len: usize, start_of: &dyn Fn(usize) -> Option<u64>) {
        if let Some(follower) = &self.0 {
            follower.framed(first, len, start_of);
        }
    }
}

impl fmt::Debug for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Followed" } else { "Alone" })
    }
}

/// Points of a stream of ordinary gzip, one about every so many bytes of text, as they are found.
///
/// ```
/// use std::io::{Read, Write};
/// use std::sync::Arc;
/// use biofast_io::{GzipPoints, Options, Reader, Source};
///
/// // "a" in one block of the fixed code.
/// let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b\x04\x00\x43\xbe\xb7\xe8\x01\0\0\0";
/// let points = Arc::new(GzipPoints::new(1 << 20));
/// let source = Source::from_reader("a.gz", &gzip[..]).noting(&points);
/// Reader::new(source, &Options::serial())?.read_to_end(&mut Vec::new())?;
/// let found = points.take();
/// // Behind the header of 10 bytes.
/// assert_eq!((found.len(), found[0].bit, found[0].offset), (1, 80, 0));
/// assert_eq!(points.end().map(|(len, _)| len), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GzipPoints {
    spacing: u64,
    state: Mutex<GatheredPoints>,
}

#[derive(Debug, Default)]
struct GatheredPoints {
    points: Vec<GzipPoint>,
    end: Option<(u64, u32)>,
}

impl GzipPoints {
    /// To be found about every `spacing` bytes of text.
    pub fn new(spacing: u64) -> GzipPoints {
        GzipPoints { spacing, state: Mutex::default() }
    }

    fn found(&self) -> MutexGuard<'_, GatheredPoints> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of text between two of them, at least 1.
    pub(crate) fn spacing(&self) -> u64 {
        self.spacing.max(1)
    }

    pub(crate) fn add(&self, point: GzipPoint) {
        self.found().points.push(point);
    }

    /// All text has been read: so much, with this CRC-32 behind the last point.
    pub(crate) fn finish(&self, len: u64, crc32: u32) {
        self.found().end = Some((len, crc32));
    }

    /// Those found since the last call, in the order of the stream.
    pub fn take(&self) -> Vec<GzipPoint> {
        std::mem::take(&mut self.found().points)
    }

    /// If the stream has been read to its end: how much text there is, and the CRC-32 of what comes after the last point.
    pub fn end(&self) -> Option<(u64, u32)> {
        self.found().end
    }
}
