//! FASTQ: exact parallel framing, a plain reader, pairs and a writer.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! Three faces over the same framing:
//!
//! - [`Reader`]: records one after the other, borrowed from the chunk they were read with;
//! - [`Fold`]: the records in batches, or pairs, on several threads, folded and merged;
//! - [`Transform`]: reads, pairs or those of any number of files on several threads, turned into outputs in their order.
//!
//! All accept LF and CRLF, a missing final newline, blank lines between and after records,
//! zero-length reads and wrapped (multi-line) records, and all check every record: `@`, `+`, a
//! repeated caption that equals the name, equal lengths, sequence characters (letters, digits,
//! `-`, `.`, `*`) and quality characters (ASCII 33 to 126). A fault names the input, the record and
//! the line; the records before it are delivered first. [`UncheckedLetters`] leaves the checks of characters out.
//!
//! [`fasta`] reads sequences without qualities in the same ways.
//!
//! The format follows Cock et al. 2010, "The Sanger FASTQ file format for sequences with
//! quality scores" (doi:10.1093/nar/gkp1137).
//!
//! ```
//! use biofast_fastq::Reader;
//! use biofast_io::{Options, Source};
//!
//! let source = Source::from_reader("two reads", &b"@a 1\nACGT\n+\nIIII\n@b\nGG\n+\n!!\n"[..]);
//! let mut reader = Reader::new(source, &Options::default())?;
//! let mut bases = 0;
//! while let Some(record) = reader.next_record()? {
//!     bases += record.sequence().len();
//! }
//! assert_eq!(bases, 6);
//! # Ok::<(), biofast_fastq::Error>(())
//! ```

mod checks;
mod error;
pub mod fasta;
mod fold;
mod framer;
mod inputs;
mod outcome;
pub mod pair;
mod reader;
mod record;
mod transform;
mod units;
mod wrapped;
mod writer;

pub use checks::{Readable, UncheckedLetters};
pub use error::{Error, ErrorKind};
pub use fold::Fold;
pub use framer::{Frame, Framer};
pub use inputs::{Inputs, Unit};
pub use outcome::{Refusal, UnitOutcome};
pub use reader::Reader;
pub use record::{Batch, MAX_RECORD_LEN, Record, Records};
pub use transform::Transform;
pub use writer::write_record;
