//! What changes records: [selecting and trimming](filter) them, [sorting](sort) and [merging](merge) them, [joining files](cat),
//! [splitting](split) reads to many, [to samples](demux), [finding](grep) them by motif or name, [FASTQ to unaligned BAM](import) and
//! [alignments back to FASTQ](to_fastq).
//!
//! What is counted on the way is counted by collectors of [`measure`](crate::measure).

pub mod cat;
pub mod demux;
pub mod filter;
pub mod grep;
pub mod import;
pub mod merge;
pub mod sort;
pub mod split;
mod temporary;
pub mod to_fastq;
