//! Read FASTQ and BAM at the speed of decompression, from Rust.
//!
//! One roof over the crates of the toolkit:
//!
//! - [`io`]: sources, containers, the parallel pipeline;
//! - [`fastq`]: records, a plain reader and a parallel fold;
//! - [`bam`]: alignments of BAM, SAM and CRAM: a plain reader and writer, records to change, and a parallel fold;
//! - [`ops`]: statistics of reads, flags of alignments, and how they are reported;
//! - [`kernels`]: SIMD over sequences and qualities.
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
//! | `ops` | the module [`ops`]; brings `bam` |
//! | `remote` | inputs at addresses (`https://`, `s3://`, …): the module `remote`; off by default |
//! | `regex` | patterns in filters of `ops` |
//! | `noodles` | headers and records of alignments to and from the types of noodles; brings `bam` |
//!
//! The [`guide`] shows the things people do: [reading FASTQ](guide::read_fastq), [folding in
//! parallel](guide::fold_in_parallel), also [until enough is known](guide::stop_early) and with [sources and collectors of
//! one's own](guide::bring_your_own), filtering [to BGZF](guide::filter_to_bgzf) and [pairs](guide::filter_pairs), [querying a
//! region](guide::query_a_region), [changing records](guide::change_records) and [using a kernel](guide::use_a_kernel).
//!
//! ```
//! use biofast::io::{Options, Source};
//! use biofast::ops::measure::reads::Collector;
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

#[cfg(feature = "bam")]
pub use biofast_bam as bam;
pub use biofast_fastq as fastq;
pub use biofast_io as io;
pub use biofast_kernels as kernels;
#[cfg(feature = "ops")]
pub use biofast_ops as ops;
#[cfg(feature = "remote")]
pub use biofast_remote as remote;
