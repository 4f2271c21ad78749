//! Where results go: files that appear only when complete, in blocks compressed on all workers.
//!
//! The bytes of an output are a function of its text and its [`Compression`] alone. Compressed
//! formats are cut into units of a fixed number of *text* bytes ([`Compression::unit`]), counted
//! from the start of the output, so neither the number of threads nor the size of the chunks the
//! text came in shows. A worker that has made its text takes over, in turn, the
//! unfinished unit of the text before, hands its own unfinished end on, and only then
//! compresses what lies between: the ordered part is a copy of less than a unit.
//! [`transform`](crate::pipeline::transform) drives it; [`Output`] writes and commits. [`Writer`] is for text that comes from
//! one thread.
//!
//! Nothing is left under a final name unless [`commit`] has been reached.

mod atomic;
mod blocks;
mod bzip2;
mod close;
mod copy;
mod encode;
mod files;
mod format;
mod gathered;
mod identity;
mod leftovers;
mod limit;
mod parallel;
mod sink;
mod splice;
mod temporary;
mod unit;
mod zstd;

pub use crate::container::{Level, UnknownLevel};
pub use atomic::AtomicFile;
pub use blocks::Blocks;
pub use encode::Encoder;
pub use files::{Conflict, Files};
pub use format::{Compression, Format, InvalidLevel, UnknownFormat};
pub use identity::{SeenFiles, is_same_file};
pub use leftovers::Leftover;
pub use limit::allow_open_files;
pub use parallel::Writer;
#[doc(hidden)]
pub use parallel::threads_of_each;
#[doc(hidden)]
pub use sink::Recode;
pub use sink::{Error, Output, commit, is_closed_by_reader};
pub use temporary::{abandon, is_abandoned};

pub(crate) use copy::{BlockReuse, Carried, CopyCutter, LEAST, Piece, can_be_copied};
pub(crate) use encode::{Encoded, UnitCutter};
pub(crate) use splice::{BlockSource, BlockSplicer};
