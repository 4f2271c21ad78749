//! What can be wrong with a block.

use std::fmt;

/// A block that could not be inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which of the blocks given: the first bad one. All blocks before it have been inflated.
    pub index: usize,
    /// What is wrong with it.
    pub kind: FaultKind,
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The input ends before the end of the stream.
    InputEnds,
    /// A block of the reserved type 3.
    BlockType,
    /// A stored block whose length and inverted length disagree.
    StoredLength,
    /// The code lengths of a dynamic block run over their number, or repeat one before the first.
    CodeLengths,
    /// Code lengths that make no prefix code: too many codes, or too few (other than none, or a single one of one bit).
    Code,
    /// A match that reaches back to before the block's first byte.
    Distance,
    /// The stream inflates to more bytes than the output has.
    TooLong,
    /// The stream ends before the output is full.
    TooShort {
        /// Bytes that it inflates to.
        found: usize,
    },
    /// The stream ends before the input does.
    TrailingBytes {
        /// Bytes of the input that belong to the stream.
        used: usize,
    },
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputEnds => f.write_str("the input ends inside the stream"),
            Self::BlockType => f.write_str("a block of the reserved type 3"),
            Self::StoredLength => f.write_str("the two lengths of a stored block disagree"),
            Self::CodeLengths => f.write_str("the list of code lengths is invalid"),
            Self::Code => f.write_str("the code lengths make no prefix code"),
            Self::Distance => f.write_str("a match reaches back to before the first byte"),
            Self::TooLong => f.write_str("the stream inflates to more bytes than expected"),
            Self::TooShort { found } => write!(f, "the stream inflates to {found} bytes only"),
            Self::TrailingBytes { used } => write!(f, "the stream ends after {used} input bytes"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}: {}", self.index, self.kind)
    }
}

impl std::error::Error for Fault {}
