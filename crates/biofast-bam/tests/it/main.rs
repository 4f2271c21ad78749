//! Alignments through the public face of the crate. One program for all,
//! as each would be linked for itself: `cargo test -p biofast-bam --test it FILE::` runs those of one file.
#![allow(clippy::unwrap_used)]

mod cram;
mod differential;
mod fields;
#[cfg(feature = "noodles")]
mod noodles;
mod reader;
mod records;
mod regions;
mod sam;
mod samtools;
mod writer;
