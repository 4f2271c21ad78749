//! Whole small systems that entries measure: built really, tested on their own, not part of the toolkit.

pub mod learned;
pub mod peers;
pub mod store;
