//! The range coder: a number within a range that each symbol narrows by its probability (CRAM codecs specification, section 4).

mod decoder;
mod encoder;
mod models;

pub(crate) use decoder::RangeDecoder;
pub(crate) use encoder::RangeEncoder;
pub(crate) use models::Models;

/// Below it, a range is widened by a byte.
const LOW: u32 = 1 << 24;
