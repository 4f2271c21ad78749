//! Decoder and encoder through the public face of the crate. One program for all,
//! as each would be linked for itself: `cargo test -p biofast-deflate --test it FILE::` runs those of one file.
#![allow(clippy::unwrap_used)]

mod bam;
mod common;
mod fastq;
mod oracle;
mod speculative;
mod splice;
mod stream;
