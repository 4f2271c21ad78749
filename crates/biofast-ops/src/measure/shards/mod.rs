//! Parts of a file that several machines read, and the proof that together they are the file.
//!
//! A [`Plan`] is made in one reading, which finds where records start ([`make`]); it cuts there and nowhere else. A shard is
//! [opened](Plan::open) as a source of its own, whose records and lines have the numbers they have in the whole file. What is
//! made of a shard carries a [`Part`], and [`Cover`] says whether parts cover their plan exactly once.

mod cover;
mod error;
mod gzip;
mod gzip_writer;
mod make;
mod marks;
mod plan;
mod state;
#[cfg(test)]
mod tests;

pub use cover::{Cover, Part, Piece, Uncovered};
pub use error::{Error, ErrorKind};
pub use gzip::{GZIP_EXTENSION, GzipIndex};
pub use gzip_writer::{GzipIndexer, index_gzip};
pub use make::{Between, Cut, Input, MAX_SHARDS, make};
pub(crate) use make::{place_of, recognise};
pub use plan::{Container, Format, Place, Plan, PlannedFile, Range, SCHEMA, SCHEMA_VERSION, Shard};
pub use state::{DIGESTED, State};
