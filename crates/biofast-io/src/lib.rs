//! Where bytes come from and go to.
//!
//! Three layers, each usable alone:
//!
//! 1. [`Source`] decides how bytes arrive: a memory map for a regular file of
//!    [`MMAP_THRESHOLD`] bytes or more, buffered reads below, a stream for pipes.
//! 2. [`Container`] says, by content and never by name, what the bytes are wrapped in:
//!    nothing, gzip, BGZF, zstd, bzip2 or xz.
//! 3. [`pipeline`] cuts them into chunks, decompresses chunks on all workers, frames
//!    records exactly and in order, and lets the same worker use the records while they are
//!    in its cache.
//!
//! [`Reader`] is the plain face of the same thing: decompressed bytes through
//! [`std::io::Read`].
//!
//! ```
//! use biofast_io::{Options, Source};
//! use std::io::Read;
//!
//! let source = Source::from_reader("example", &b"@r\nACGT\n+\nIIII\n"[..]);
//! let mut text = String::new();
//! biofast_io::Reader::new(source, &Options::default())?.read_to_string(&mut text)?;
//! assert!(text.starts_with("@r"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ahead;
pub mod bgzf;
mod chunk;
pub mod codec;
mod container;
mod error;
mod feed;
mod foreign;
pub mod gzi;
mod gzip;
mod inflate;
mod input;
#[doc(hidden)]
pub mod lanes;
mod libdeflate;
#[cfg(all(feature = "mmap", unix))]
mod map;
mod ordered;
pub mod output;
mod peek;
mod pieces;
#[cfg(unix)]
mod pipe;
pub mod pipeline;
mod reader;
mod source;
pub mod splice;
mod turn;

pub use chunk::{Carry, Chunk};
pub use container::Container;
pub use error::{Error, ErrorKind, Escaped, Location, Shown};
#[cfg(all(feature = "mmap", unix))]
#[doc(hidden)]
pub use map::Map;
pub use reader::Reader;
#[doc(hidden)]
pub use source::MapAdvice;
pub use source::{
    IoMode, MMAP_THRESHOLD, Notes, Options, Progress, Source, Warning, display_name, is_named_pipe,
};

/// The CRC-32 of gzip and BGZF (polynomial 0x04C11DB7, reflected).
///
/// ```
/// assert_eq!(biofast_io::crc32(b"123456789"), 0xcbf4_3926);
/// ```
pub fn crc32(bytes: &[u8]) -> u32 {
    libdeflater::crc32(bytes)
}

/// The number of threads this process may use: what the scheduler's affinity mask and the
/// cgroup's CPU quota allow, at least 1.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
