//! What measures: collectors of counts, which threads and parts of an input merge, and their results, which are printed as
//! JSON and (those of [`reads`]) read back.
//!
//! A collector is a monoid: `new`, `accept` a batch, `merge` another, and read the result.
//! Threads, shards of one file, many files and many machines are then the same operation.
//!
//! Nothing here knows how results are shown or what becomes of the records.

pub mod alignments;
pub mod check;
pub mod checksum;
pub mod compat;
pub mod coverage;
pub mod dict;
mod doubt;
mod failure;
pub mod flagstat;
pub mod idxstats;
pub mod per_read;
pub mod picard;
pub mod qc;
pub mod quickcheck;
pub mod reads;
pub mod records;
pub mod sample_names;
pub mod samtools_stats;
pub mod shards;
pub mod verdicts;
