//! Objects that aren't files: what opens them is installed by whoever has the network. Called by `source.rs` and `ranged.rs`.
//!
//! Nothing here knows of HTTP or any store: `biofast-remote` does, and a program may bring its own.

pub use super::address::{address, beside, shown, shown_word, with_extension, without_query};
pub use super::ranged::{
    Parts, Ranged, can_reopen, describe, is_there, modified, open_len, probe, read, stream,
};
pub(crate) use super::store::check_writable;
pub use super::store::{Object, Store, install};
