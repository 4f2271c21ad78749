//! DEFLATE (RFC 1951) for BGZF and gzip: inflates several independent blocks at once in one thread, or one stream in
//! pieces, and deflates FASTQ and BAM.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Inflating one stream is a chain of dependent steps: bits → table entry → shift → bits. The blocks of a BGZF file
//! are independent streams, so [`Inflater`] decodes three of them in one loop and their chains overlap. Output
//! goes to exactly the given buffers, input must be consumed to its last byte, and every fault is an error.
//!
//! Ordinary gzip is one stream: [`StreamInflater`] takes it, and gives what it inflates to, in parts of any size.
//!
//! [`SpeculativeInflater`] inflates a chunk of a stream before what it refers to is known: so several threads can share a stream.
//!
//! The other way, [`FastqDeflater`] makes blocks of FASTQ faster than libdeflate's level 1, and smaller on most reads, and
//! [`BamDeflater`] blocks of BAM.
//!
//! The loop is compiled for several instruction sets and chosen at run time by `biofast_kernels::active`, which
//! `BIOFAST_SIMD` overrides. Where [`is_profitable`] is false a good one-stream decoder is faster.
//!
//! ```
//! use biofast_deflate::{Block, Inflater, crc32};
//!
//! // A stored and a fixed block: "abc" and "a".
//! let (stored, fixed) = ([1, 3, 0, 0xfc, 0xff, b'a', b'b', b'c'], [0x4b, 0x04, 0x00]);
//! let (mut abc, mut a) = ([0; 3], [0; 1]);
//! let blocks =
//!     [Block { input: &stored, output: &mut abc }, Block { input: &fixed, output: &mut a }];
//! Inflater::new().inflate_blocks(blocks)?;
//! assert_eq!((&abc, &a), (b"abc", b"a"));
//! assert_eq!(crc32(&abc), 0x3524_41c2);
//! # Ok::<(), biofast_deflate::Fault>(())
//! ```

mod bits;
mod careful;
mod copy;
mod crc32;
mod encode;
mod entry;
mod fast;
mod fault;
mod fields;
mod group;
mod header;
mod huffman;
mod instructions;
mod isa;
mod lane;
mod map;
mod service;
mod splice;
mod stream;
mod tables;
mod words;
mod workspace;

pub use crc32::{Crc32, crc32};
pub use encode::{BamDeflater, Effort, FastqDeflater};
pub use fault::{Fault, FaultKind};
pub use group::Inflater;
pub use isa::is_profitable;
pub use map::StreamMap;
pub use splice::{Change, Declined, SpliceError, Spliced, Splicer};
pub use stream::{Progress, SpeculativeInflater, Status, StreamInflater, Symbols, Window};
pub use workspace::Block;
