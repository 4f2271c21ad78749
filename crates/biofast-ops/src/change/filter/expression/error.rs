//! What can be wrong with an expression, and with a record it is asked about.

use std::fmt;

/// Why a text is no expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    at: usize,
}

/// What is wrong with the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Something else stands there.
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What was found, fit for display.
        found: String,
    },
    /// A name that is neither a variable nor a function.
    UnknownName(String),
    /// A text without its closing quotation mark.
    UnterminatedText,
    /// A number out of range, or of a form that isn't read.
    BadNumber(String),
    /// A regular expression that isn't one, or means something else elsewhere.
    BadPattern(String),
    /// A value that can never be of the type its operator or function takes.
    WrongType {
        /// The operator or function.
        of: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it is given.
        found: &'static str,
    },
    /// More levels of nesting than are read.
    TooDeep,
}

impl ParseError {
    pub(super) fn new(kind: ParseErrorKind, at: usize) -> ParseError {
        ParseError { kind, at }
    }

    /// What is wrong.
    pub fn kind(&self) -> &ParseErrorKind {
        &self.kind
    }

    /// The byte of the text where it is, counted from 0.
    pub fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: ", self.at)?;
        match &self.kind {
            ParseErrorKind::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            ParseErrorKind::UnknownName(name) => {
                write!(f, "expected a variable or a function, found {name:?}")
            }
            ParseErrorKind::UnterminatedText => {
                f.write_str("expected a closing quotation mark, found the end of the expression")
            }
            ParseErrorKind::BadNumber(text) => {
                write!(f, "expected a decimal or hexadecimal number, found {text:?}")
            }
            ParseErrorKind::BadPattern(reason) => {
                write!(f, "expected a regular expression, found one with {reason}")
            }
            ParseErrorKind::WrongType { of, expected, found } => {
                write!(f, "expected {expected} for {of}, found {found}")
            }
            ParseErrorKind::TooDeep => {
                let most = MAX_DEPTH;
                write!(f, "expected at most {most} levels of nesting, found more")
            }
        }
    }
}

impl std::error::Error for ParseError {}

/// Why an expression has no answer for a record, and which part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    kind: EvalErrorKind,
    at: usize,
}

/// What an expression can't do with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalErrorKind {
    /// An operator or function can't take a value of this type.
    WrongType {
        /// The operator or function.
        of: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it is given.
        found: &'static str,
    },
    /// A pattern from the record that is not a valid regular expression.
    BadPattern(String),
    /// The record's optional fields can't be read.
    MalformedTags,
}

impl EvalError {
    pub(super) fn new(kind: EvalErrorKind, at: usize) -> EvalError {
        EvalError { kind, at }
    }

    /// What went wrong.
    pub fn kind(&self) -> &EvalErrorKind {
        &self.kind
    }

    /// The byte of the expression's text that it is about, counted from 0.
    pub fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the expression: ", self.at)?;
        match &self.kind {
            EvalErrorKind::WrongType { of, expected, found } => {
                write!(f, "expected {expected} for {of}, found {found}")
            }
            EvalErrorKind::BadPattern(reason) => {
                write!(f, "expected a regular expression, found one with {reason}")
            }
            EvalErrorKind::MalformedTags => f.write_str("malformed tags"),
        }
    }
}

impl std::error::Error for EvalError {}

/// The most levels of nesting, so that neither parsing nor evaluation runs out of stack.
pub(super) const MAX_DEPTH: usize = 200;
