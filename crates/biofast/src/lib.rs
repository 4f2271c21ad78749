//! Read FASTQ and BAM at the speed of decompression, from Rust.
//!
//! The crates of the toolkit under one name:
//!
//! - [`io`]: sources, containers, the parallel pipeline, outputs that appear when they are complete;
//! - [`fastq`]: records of FASTQ and FASTA, a plain reader, parallel folds and transforms;
//! - [`bam`]: alignments in BAM, SAM and CRAM: a plain reader and writer, records to change, indexes and regions, parallel folds;
//! - [`kernels`]: vector code for sequences and qualities;
//! - [`stats`], [`filter`] and [`sort`]: what the program of the same name measures, selects, trims and sorts.
//!
//! # Features
//!
//! All but `noodles` and `remote` are on by default. `default-features = false` leaves FASTQ, plain or in gzip or BGZF, and compiles in a
//! fraction of the time; what a build was compiled without is an error that names the feature, never a misreading.
//!
//! | feature | what it is for |
//! |---|---|
//! | `bam` | the module [`bam`]: BAM and SAM |
//! | `cram` | CRAM, and FASTA files of reference sequences; brings `bam` |
//! | `bzip2`, `xz`, `zstd` | reading these containers, and writing zstd |
//! | `mmap` | memory maps of large files |
//! | `ops` | the modules [`stats`], [`filter`] and [`sort`]; brings `bam` |
//! | `remote` | remote inputs (`https://`, `s3://`, …): the module `remote`; off by default |
//! | `regex` | patterns in filters |
//! | `noodles` | headers and records of alignments to and from the types of noodles; brings `bam` |
//!
//! The [`guide`] shows the things people do: [reading FASTQ](guide::read_fastq), [folding in
//! parallel](guide::fold_in_parallel), also [until enough is known](guide::stop_early) and with [your own sources and
//! collectors](guide::bring_your_own), filtering [to BGZF](guide::filter_to_bgzf) and [pairs](guide::filter_pairs), [querying a
//! region](guide::query_a_region), [changing records](guide::change_records) and [using a kernel](guide::use_a_kernel).
//!
//! ```
//! use biofast::io::{Options, Source};
//! use biofast::stats::reads::Collector;
//!
//! let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n"[..]);
//! let statistics = Collector::collect(source, &Options::default(), Collector::new)
//!     .map_err(|fault| fault.error)?;
//! assert_eq!(statistics.summary().gc.value(), 50.0);
//! # Ok::<(), biofast::fastq::Error>(())
//! ```

// Its examples use all of them.
#[cfg(all(feature = "bam", feature = "ops"))]
pub mod guide;

/// Statistics of reads and alignments: collectors that threads and parts of an input merge, and their results.
#[cfg(feature = "ops")]
pub mod stats {
    #[doc(no_inline)]
    pub use biofast_ops::{
        alignments, coverage, flagstat, idxstats, reads, samtools_stats, shards,
    };
}

#[cfg(feature = "bam")]
pub use biofast_bam as bam;
pub use biofast_fastq as fastq;
pub use biofast_io as io;
pub use biofast_kernels as kernels;
#[cfg(feature = "ops")]
#[doc(no_inline)]
pub use biofast_ops::{filter, sort};
#[cfg(feature = "remote")]
pub use biofast_remote as remote;

// What the program is made of beside these; it changes with every release.
#[cfg(feature = "ops")]
#[doc(hidden)]
pub use biofast_ops as ops;
#[cfg(feature = "ops")]
#[doc(hidden)]
pub use biofast_report as report;
