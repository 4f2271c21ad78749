//! Integrity of one input: containers, FASTQ, and alignments by the rules of the SAM
//! specification. What is a fault and what a warning is listed in docs/check.md.
//!
//! Everything is looked at on all threads, and the first fault in the order of the file is the
//! one that is named, whatever the number of threads.
//!
//! ```
//! use biofast_io::Source;
//! use biofast_ops::check::{Options, check};
//!
//! let io = biofast_io::Options::default();
//! let source = Source::from_reader("two.fq", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nI\n"[..]);
//! let outcome = check(source, &Options::new(&io))?;
//! let fault = outcome.fault.expect("a quality is missing");
//! assert_eq!((fault.at.record, fault.at.line), (Some(2), Some(8)));
//! # Ok::<(), biofast_ops::check::Error>(())
//! ```

mod alignments;
mod doubts;
mod fault;
mod format;
mod header;
mod options;
mod order;
mod outcome;
mod partial;
mod reads;
mod record;
mod remains;
pub mod report;
mod whole;

pub use fault::{CheckRule, Error, Fault, Warning};
pub use format::CheckedFormat;
pub use options::Options;
pub use outcome::Outcome;
pub use partial::{NotConsecutive, PartialCheck, check_shard};
pub use whole::check;

/// What is wrong with a header that is to be written, if anything is.
pub(crate) fn header_fault(header: &biofast_bam::Header) -> Option<String> {
    header::Facts::of(header).fault.map(|fault| fault.message)
}
