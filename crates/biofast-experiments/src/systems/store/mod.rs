//! An append-only store: a log of framed records, an index of the live ones in memory, and a read-only map that
//! grows behind the log. Entries 046 to 050 measure it; the toolkit does not use it.
//!
//! What a caller gets back after a crash is the state after some of the first operations, all durable ones
//! among them; whatever else happened to the file is told ([`Recovered`]) or an error ([`Error`]).

mod crc32c;
mod frame;
mod log;
mod mapped;

pub(crate) mod crash;
pub(crate) mod padded;

pub(crate) use log::{Error, Store};
pub(crate) use mapped::Remap;

/// Bytes gathered in memory before they are handed to the system, if nothing asks for them earlier.
pub(crate) const BUFFER: usize = 256 << 10;

/// How records reach the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// Three writes a record: header, key, value (the earlier design).
    Three,
    /// One write a record: it survives this process.
    One,
    /// One write for [`BUFFER`] bytes, or when the map or a sync needs them.
    Gathered,
}

/// What a store is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How records reach the system.
    pub(crate) writes: Writes,
    /// After so many operations all of them are synced (`fdatasync`); 0 for never before [`Store::close`].
    pub(crate) sync_every: u32,
    /// When the map is made to reach what was written.
    pub(crate) remap: Remap,
}

impl Default for Options {
    /// Every operation durable, the map reserved once.
    fn default() -> Self {
        Options { writes: Writes::One, sync_every: 1, remap: Remap::Reserve }
    }
}
