//! Alignment records: BAM at the speed of inflation.
//!
//! Internals of the crate `biofast`: this interface changes with every release, and programs should depend on that crate.
//!
//! [`Reader`] gives records one after the other, of BAM, SAM or CRAM, whole or of some regions; [`Writer`] writes them, with an
//! index if wanted; [`RecordBuf`] is a record to keep or to change.
//!
//! ```
//! use biofast_bam::Reader;
//!
//! let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1\n";
//! let mut reader = Reader::from_reader("example", &sam[..])?;
//! while let Some(record) = reader.next_record()? {
//!     assert_eq!(record.sequence().to_vec(), b"ACGT");
//!     assert_eq!(record.tag(b"NM")?.and_then(|value| value.as_int()), Some(1));
//! }
//! # Ok::<(), biofast_bam::Error>(())
//! ```
//!
//! A [`Fold`] gives batches of [`Record`]s borrowed from the chunk they were inflated into, on
//! several threads. A record's length fields are all checked when it is framed, so reading its
//! parts can't fail, and nothing is decoded that isn't asked for.
//!
//! [`Input::open`] recognises BAM, SAM and CRAM by content and gives all of them as a [`Source`]
//! of BAM bytes, which everything else here reads: [`Reader::open`] and [`Query::open`] do it themselves, while the folds and
//! [`Transform`], given a source of SAM or CRAM as it is, end with [`ErrorKind::NotBam`].
//!
//! Format: SAM specification, section 4.2.
//!
//! [`Source`]: biofast_io::Source
//!
//! ```no_run
//! // BAM without its end-of-file block is an error, unless the options allow it.
//! let (header, mapped) = biofast_bam::Fold::open("aln.bam")?.run(
//!     || 0u64,
//!     |mapped, batch| *mapped += batch.iter().filter(|r| r.flags() & 4 == 0).count() as u64,
//!     |mapped, other| *mapped += other,
//! )?;
//! println!("{mapped} mapped, {} references", header.references().len());
//! # Ok::<(), biofast_bam::Error>(())
//! ```

mod adapter;
mod cigar;
mod cigar_buf;
#[cfg(feature = "cram")]
mod cram;
#[cfg(not(feature = "cram"))]
#[path = "no_cram.rs"]
mod cram;
mod cram_options;
mod error;
mod fasta;
mod fixed;
pub mod flag;
mod fold;
mod format;
mod framer;
mod header;
pub mod index;
mod index_counts;
mod input;
mod input_options;
mod md;
mod modifications;
mod modified;
#[cfg(feature = "noodles")]
pub mod noodles;
mod note;
mod order;
mod packing;
mod phred;
mod probe;
mod program;
pub mod query;
mod reader;
mod record;
mod record_buf;
pub mod region;
mod sam;
mod sequence;
mod start;
mod tags;
mod transform;
mod trimmed;
mod unaligned;
mod value;
mod writer;

pub use cigar::{Cigar, Op};
pub use cigar_buf::CigarBuf;
pub use cram::{cram_containers, index_cram};
pub use cram_options::{CramOptions, CramVersion, Losses};
pub use error::{Error, ErrorKind};
pub use fasta::{Fasta, FastaIndex, SequencePart, UnindexedSequence, md5};
pub use fold::Fold;
pub use format::{DetectedData, Format};
pub use framer::{Frame, Framer, MAX_RECORD_LEN};
#[doc(hidden)]
pub use header::HeaderParser;
pub use header::{Header, ReadGroup, Reference};
pub use index_counts::{CountedByIndex, IndexCounts};
pub use input::Input;
pub use input_options::{CramContainer, CramContainers, Detail, InputOptions};
#[doc(hidden)]
pub use md::{InvalidMd, MdPiece, MdPieces};
pub use modified::{Modification, ModificationCode, Modifications};
#[doc(hidden)]
pub use packing::STORED as STORED_LETTERS;
pub use phred::Phred;
pub use program::Program;
pub use query::Query;
pub use reader::{Reader, ReaderBuilder, RecordBufs};
pub use record::{Batch, Record, Records, Subset};
pub use record_buf::RecordBuf;
pub use record_buf::builder::RecordBuilder;
pub use region::{Interval, Region, Regions, Selection};
pub use sam::SamWriter;
#[doc(hidden)]
pub use sam::bin;
pub use sequence::Sequence;
pub use start::{peek_header, read_header};
pub use tags::{Tag, Tags};
pub use transform::Transform;
pub use unaligned::{Unaligned, parse_tag};
pub use value::{Array, Element, Elements, Value};
pub use writer::{Encode, Writer, WriterBuilder};
