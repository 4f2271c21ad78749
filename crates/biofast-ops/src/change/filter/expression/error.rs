//! What can be wrong with an expression, and with a record it is asked about.

/// Why a text is no expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {at}: {kind}")]
pub struct ParseError {
    kind: ParseErrorKind,
    at: usize,
}

/// What is wrong with the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Something else stands there.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What was found, fit for display.
        found: String,
    },
    /// A name that is neither a variable nor a function.
    #[error("expected a variable or a function, found {0:?}")]
    UnknownName(String),
    /// A text without its closing quotation mark.
    #[error("expected a closing quotation mark, found the end of the expression")]
    UnterminatedText,
    /// A number out of range, or of a form that isn't read.
    #[error("expected a decimal or hexadecimal number, found {0:?}")]
    BadNumber(String),
    /// A regular expression that isn't one, or means something else elsewhere.
    #[error("expected a regular expression, found one with {0}")]
    BadPattern(String),
    /// A value that can never be of the type its operator or function takes.
    #[error("expected {expected} for {of}, found {found}")]
    WrongType {
        /// The operator or function.
        of: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it is given.
        found: &'static str,
    },
    /// More levels of nesting than are read.
    #[error("expected at most {MAX_DEPTH} levels of nesting, found more")]
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

/// Why an expression has no answer for a record, and which part of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at} of the expression: {kind}")]
pub struct EvalError {
    kind: EvalErrorKind,
    at: usize,
}

/// What an expression can't do with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalErrorKind {
    /// An operator or function can't take a value of this type.
    #[error("expected {expected} for {of}, found {found}")]
    WrongType {
        /// The operator or function.
        of: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it is given.
        found: &'static str,
    },
    /// A pattern from the record that is not a valid regular expression.
    #[error("expected a regular expression, found one with {0}")]
    BadPattern(String),
    /// The record's optional fields can't be read.
    #[error("malformed tags")]
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

/// The most levels of nesting, so that neither parsing nor evaluation runs out of stack.
pub(super) const MAX_DEPTH: usize = 200;
