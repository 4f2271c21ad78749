//! What is computed from reads.
//!
//! A collector is a monoid: `new`, `accept` a batch, `merge` another, and read the result.
//! Threads, shards of one file, many files and many machines are then the same operation.

pub mod alignment;
pub mod check;
pub mod filter;
pub mod flagstat;
pub mod idxstats;
pub mod import;
pub mod report;
pub mod samtools_stats;
pub mod stats;
pub mod to_fastq;
