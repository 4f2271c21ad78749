//! What is computed from reads and alignments, in two rooms: what [measures](measure) and what [changes records](change).
//! The crate `biofast-report` shows the results of both.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Arrows go one way: `change` knows `measure`, and `measure` doesn't know `change`.

pub mod change;
mod error;
pub mod measure;
#[doc(hidden)]
pub mod number;
mod sanitize;
mod tags;
mod varint;
mod words;

pub use error::{Error, Refusal};

#[doc(no_inline)]
pub use change::{
    addreplacerg, cat, convert, dedup, demux, edit, faidx, filter, fixmate, get, grep, import,
    markdup, merge, order, rename_contigs, repair, reset, retag, salvage, sort, split, to_fastq,
    umi,
};
#[doc(no_inline)]
pub use measure::{
    alignments, check, checksum, compat, coverage, dict, flagstat, idxstats, picard, qc,
    quickcheck, reads, samtools_stats, shards, verdicts,
};
