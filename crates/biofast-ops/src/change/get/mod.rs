//! Records by name or number, without reading what is before them: an index of names, and what is found through it.
//!
//! The index has, sorted, a fingerprint of each name with the place of its record. [`build`] makes it in bounded memory, and
//! [`NameLookup`] finds places and reads records.

mod build;
mod error;
mod format;
mod lookup;
#[cfg(test)]
mod tests;

pub use build::build;
pub use error::{Error, ErrorKind};
pub use format::{EXTENSION, fingerprint};
pub use lookup::NameLookup;
