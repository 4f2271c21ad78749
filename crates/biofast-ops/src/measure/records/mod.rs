//! How many records there are, what they hold, and a checksum by which two sets of them are compared.

mod amount;
mod checksum;

pub use amount::{Amount, RecordSum, Sum};
pub use checksum::Checksum;
