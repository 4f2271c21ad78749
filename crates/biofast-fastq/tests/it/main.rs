//! FASTQ through the public face of the crate. One program for all,
//! as each would be linked for itself: `cargo test -p biofast-fastq --test it FILE::` runs those of one file.
#![allow(clippy::unwrap_used)]

mod differential;
mod fasta;
mod folds;
mod stress;
mod transform;
