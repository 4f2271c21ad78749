//! Selecting alignments, with the meaning `samtools view` gives to each choice.
//!
//! A [`Choice`] is a list of conditions that all have to hold. [`ChoiceWorker`] applies one and counts:
//! every record that comes in is either kept or counted under exactly one [`Reason`], with
//! checksums, as reads are.
//!
//! ```
//! use biofast_bam::{Fold, Input, InputOptions, Transform, flag, peek_header};
//! use biofast_io::{Options, Source, output::Output};
//! use biofast_ops::filter::alignment::{Choice, Reason};
//!
//! let sam = b"@SQ\tSN:c\tLN:9\n\
//!     a\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\tRG:Z:x\n\
//!     b\t1024\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n\
//!     c\t0\tc\t3\t9\t4M\t*\t0\t0\tACGT\tIIII\n";
//! let options = Options::default();
//! let opened = InputOptions { io: &options, reference: None, detail: Default::default() };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
//!
//! let flags =
//!     flag::Filter { none_of: flag::DUPLICATE, min_mapping_quality: 30, ..Default::default() };
//! let choice = Choice::new().flags(flags).read_groups([b"x".to_vec()]);
//! let (_, worker) = Fold::new(input.source)
//!     .options(&options)
//!     .run(
//!         || choice.worker(),
//!         |worker, batch| {
//!             batch.iter().for_each(|record| {
//!                 // Only an expression can fail.
//!                 let _ = worker.keeps(&record, batch.header());
//!             })
//!         },
//!         |worker, other| worker.merge(&other),
//!     )
//!     .map_err(|fault| fault.error)?;
//! let tally = worker.tally();
//! assert_eq!((tally.kept().reads, tally.rejected(Reason::Flags)), (1, 1));
//! assert_eq!(tally.rejected(Reason::MappingQuality), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod sample;
mod tags;
mod tally;
mod templates;

pub use choice::{Choice, ChoiceWorker};
pub use sample::{InvalidFraction, NameSample, sampled_before, sampling_comment, seed_of};
pub use tags::{TagFilter, words};
pub use tally::{AlignmentTally, Reason};
// For the program `biofast`, which tells the ways apart in which a file is read.
#[doc(hidden)]
pub use templates::{TemplateDecisions, TemplateRule, TemplateWorker, decide};
