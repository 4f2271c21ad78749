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
//! The [`guide`] shows the six things people do: [reading FASTQ](guide::read_fastq), [folding in
//! parallel](guide::fold_in_parallel), [filtering pairs](guide::filter_pairs), [querying a
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

pub mod guide;

pub use biofast_bam as bam;
pub use biofast_fastq as fastq;
pub use biofast_io as io;
pub use biofast_kernels as kernels;
pub use biofast_ops as ops;
