//! Indexes of coordinate-sorted BAM: BAI and CSI, read, asked and built.
//!
//! Formats: SAM specification, section 5, and the CSI specification (CSIv1). Both put every
//! record into the smallest *bin* that holds it, of a tree in which each bin has eight children,
//! and list for each bin the *chunks* of the file that hold its records.

mod assemble;
mod bins;
mod build;
mod fit;
mod hash_order;
mod lines;
mod query;
mod read;
mod serial;
mod tables;
mod written;

pub use build::{BuildOptions, Built, build};
pub(crate) use fit::{Expected, follows};
pub use lines::LineIndexer;
pub(crate) use serial::Serial;
pub use tables::{Index, IndexFormat, MAX_INDEX, Metadata};
pub use written::Indexer;
