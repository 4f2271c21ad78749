//! What is wrong with a sample sheet, and in which line.

use std::fmt;

/// What is wrong with a sample sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetError {
    /// The line, counted from 1, if it is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub why: String,
}

impl SheetError {
    pub(super) fn new(line: impl Into<Option<usize>>, why: impl Into<String>) -> SheetError {
        SheetError { line: line.into(), why: why.into() }
    }
}

impl fmt::Display for SheetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = biofast_io::Escaped(self.why.as_bytes());
        match self.line {
            Some(line) => write!(f, "line {line}: {why}"),
            None => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for SheetError {}
