//! Alignment records: BAM at the speed of inflation.
//!
//! [`par_fold`] gives batches of [`Record`]s borrowed from the chunk they were inflated into, on
//! several threads. A record's length fields are all checked when it is framed, so reading its
//! parts can't fail, and nothing is decoded that isn't asked for.
//!
//! [`Input::open`] recognises BAM, SAM and CRAM by content and gives all of them as a [`Source`]
//! of BAM bytes, which everything else here reads.
//!
//! Format: SAM specification, section 4.2.
//!
//! [`Source`]: biofast_io::Source
//!
//! ```no_run
//! use biofast_io::{Options, Source};
//!
//! // BAM without its end-of-file block is an error under strict options.
//! let options = Options { strict: true, ..Options::default() };
//! let (header, mapped) = biofast_bam::par_fold(
//!     Source::open("aln.bam")?,
//!     &options,
//!     || 0u64,
//!     |mapped, batch| *mapped += batch.iter().filter(|r| r.flags() & 4 == 0).count() as u64,
//!     |mapped, other| *mapped += other,
//! )
//! .map_err(|fault| fault.error)?;
//! println!("{mapped} mapped, {} references", header.references().len());
//! # Ok::<(), biofast_bam::Error>(())
//! ```

mod adapter;
mod cigar;
mod cram;
mod error;
mod fasta;
mod fixed;
pub mod flag;
mod fold;
mod format;
mod framer;
mod header;
pub mod index;
mod input;
mod modifications;
mod order;
mod ordered;
mod packing;
mod program;
pub mod query;
mod record;
pub mod region;
mod sam;
mod tags;
mod transform;
mod trimmed;
mod unaligned;

pub use cigar::{Cigar, Op};
pub use error::{Error, ErrorKind};
pub use fasta::Fasta;
pub use fold::{par_fold, par_fold_ordered, read_header};
pub use format::{Format, Found};
pub use framer::{Frame, Framer, MAX_RECORD_LEN};
pub use header::{Header, Reference, peek_header};
pub use input::{Detail, Input, InputOptions};
pub use program::Program;
pub use query::{Query, par_fold_regions, par_fold_regions_ordered};
pub use record::{Batch, Record, Records};
pub use region::{Interval, Region, Regions, Selection};
pub use sam::SamWriter;
pub use tags::{Tag, Tags};
pub use transform::par_transform;
pub use unaligned::{Unaligned, parse_tag};
