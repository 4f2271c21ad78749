//! What changes records: [selecting and trimming](filter) them, [sorting](sort) and [merging](merge) them, [joining files](cat),
//! [marking duplicates](markdup), [splitting](split) reads to many, [to samples](demux), [finding](grep) them by motif or name,
//! [leaving out duplicates](dedup), [bringing mates together](repair), [whole records of damaged files](salvage), [telling mates of each other](fixmate),
//! [parts of sequences](faidx), [read groups](addreplacerg), [tags](retag), [names of reference sequences](rename_contigs),
//! alignments [back to unaligned reads](reset),
//! reads grouped [by UMI](umi),
//! reads in [other formats](convert) and [other orders](order), [FASTQ to unaligned BAM](import) and
//! [alignments back to FASTQ](to_fastq).
//!
//! What is counted on the way is counted by collectors of [`measure`](crate::measure).

pub mod addreplacerg;
mod again;
mod apart;
pub mod cat;
pub mod convert;
pub mod dedup;
pub mod demux;
pub mod edit;
pub mod faidx;
pub mod filter;
pub mod fixmate;
pub mod get;
pub mod grep;
pub mod import;
pub mod markdup;
pub mod merge;
pub mod order;
mod pending;
pub mod rename_contigs;
pub mod repair;
pub mod reset;
pub mod retag;
pub mod salvage;
mod segment;
pub mod sort;
mod spill;
pub mod split;
pub mod to_fastq;
pub mod umi;
