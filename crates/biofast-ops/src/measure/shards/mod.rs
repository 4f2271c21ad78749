//! Parts of a file that several machines read, and the proof that together they are the file.
//!
//! A [`Plan`] is made in one reading, which finds where records start ([`make`]); it cuts there and nowhere else. A shard is
//! [opened](Plan::open) as a source of its own, whose records and lines have the numbers they have in the whole file. What is
//! made of a shard carries a [`ShardPart`], and [`Cover`] says whether parts cover their plan exactly once.

mod cover;
mod error;
mod gzip;
mod gzip_writer;
mod input;
mod make;
mod marks;
mod plan;
mod schema;
mod state;
#[cfg(test)]
mod tests;

pub use cover::{Cover, ShardPart, ShardRun, Uncovered};
pub use error::{Error, ErrorKind};
pub use gzip::{GZIP_EXTENSION, GzipIndex};
pub use gzip_writer::{GzipIndexer, index_gzip};
pub use input::{Between, ShardInput};
pub use make::{ShardSizing, make};
pub(crate) use make::{place_of, recognise};
pub use plan::{Container, FilePosition, FileRange, Plan, PlannedFile, Shard, ShardFormat};
pub use schema::{MAX_SHARDS, SCHEMA, SCHEMA_VERSION};
pub use state::{DIGESTED, State};
