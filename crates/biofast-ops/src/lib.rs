//! What is computed from reads and alignments, in three rooms: what [measures](measure), what [changes records](change) and
//! what [shows](show) the results of both.
//!
//! Arrows go one way: `show` knows `change` and `measure`, `change` knows `measure`, and `measure` knows neither.

pub mod change;
pub mod measure;
mod number;
pub mod show;
mod words;

#[doc(no_inline)]
pub use change::{
    cat, convert, dedup, demux, filter, get, grep, import, merge, order, repair, sort, split,
    to_fastq,
};
#[doc(no_inline)]
pub use measure::{
    alignments, check, coverage, flagstat, idxstats, picard, qc, reads, samtools_stats, shards,
    verdicts,
};
