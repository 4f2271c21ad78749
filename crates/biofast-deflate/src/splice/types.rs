//! What splicing is asked for, and what comes of it.

use std::fmt;

/// A byte of a text that gets another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its offset in the text.
    pub at: u16,
    /// The new value.
    pub byte: u8,
}

/// A text whose bytes were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Spliced {
    /// The CRC-32 of the changed text.
    pub crc: u32,
    /// Why there is no stream of it, if there is none: then deflate the changed text.
    pub declined: Option<Declined>,
}

/// Why a stream wasn't spliced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Declined {
    /// It would be longer than the limit.
    Long,
    /// Stream or text are longer than 65,536 bytes.
    Unmapped,
}

/// What was given to [`Splicer::splice`](super::Splicer::splice) doesn't belong together. The text is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpliceError {
    /// The text's CRC-32 isn't the one that was given.
    Checksum {
        /// That of the text.
        found: u32,
    },
    /// The changes aren't in ascending order, or one lies behind the text.
    Changes,
    /// The map isn't that of such a stream and text, or of none, as the stream is damaged.
    Map,
}

impl fmt::Display for SpliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum { found } => write!(f, "the text has another CRC-32: {found:08x}"),
            Self::Changes => f.write_str("changes out of order or outside the text"),
            Self::Map => f.write_str("the map belongs to another stream"),
        }
    }
}

impl std::error::Error for SpliceError {}
