//! What can be wrong with a stream.

use std::fmt;

/// Why a stream could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The stream ends before all symbols are decoded.
    Truncated,
    /// The stream states another length than its block does.
    Length {
        /// Bytes that the caller expects.
        expected: usize,
        /// Bytes that the stream states.
        stated: u64,
    },
    /// What no encoder writes, in words.
    Invalid(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the compressed data are truncated"),
            Self::Length { expected, stated } => {
                write!(f, "the compressed data state {stated} bytes, their block {expected}")
            }
            Self::Invalid(what) => write!(f, "invalid compressed data: {what}"),
        }
    }
}

impl std::error::Error for Error {}
