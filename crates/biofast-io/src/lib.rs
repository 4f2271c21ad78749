//! Where bytes come from and go to.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Three layers, each usable alone:
//!
//! 1. [`Source`] decides how bytes arrive: a memory map for a regular file of
//!    [`MMAP_THRESHOLD`] bytes or more, buffered reads below, a stream for pipes. The first map
//!    installs a handler of SIGBUS: [`IoMode`] says what that means, and how to do without.
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

#[doc(hidden)]
pub mod calendar;
mod container;
mod error;
mod input;
#[doc(hidden)]
pub mod lanes;
pub mod output;
pub mod pipeline;
mod threads;

#[doc(hidden)]
pub use container::splice;
pub use container::{GzipMembers, GzipPart, Jumper, Span, bgzf, codec};
pub use error::{Error, ErrorKind, Escaped, Kind, Located, Location, Shown};
#[doc(hidden)]
pub use error::{Named, OverBytes};
pub use input::{
    BlockDecoder, CancellationToken, Container, Followed, Follower, GzipChunks, GzipPoint,
    GzipPoints, IoMode, MMAP_THRESHOLD, MateNaming, Notes, Options, Origin, Phase, Progress,
    Reread, SerialTimes, Source, Warning, display_name, is_named_pipe, path_named, remote,
};
#[doc(hidden)]
pub use input::{CONTAINER_ENDINGS, Map, MapAdvice, without_container};
pub use pipeline::{BlockData, Carry, Chunk, Reader, TextBounds, TextLines, gzi, read_text};
pub use threads::available_threads;

#[doc(hidden)]
pub use biofast_deflate::Crc32;

/// The CRC-32 of gzip and BGZF (polynomial 0x04C11DB7, reflected).
pub fn crc32(bytes: &[u8]) -> u32 {
    libdeflater::crc32(bytes)
}
