//! Filter expressions: records chosen by what is written in the language of `samtools view -e`.
//!
//! An [`Expression`] is parsed once and then asked about each record, by any number of threads.
//! What the language has and where it differs from samtools 1.16.1 is told in
//! `docs/expressions.md`.
//!
//! ```
//! use biofast_bam::{Fold, Input, InputOptions};
//! use biofast_io::{Options, Source};
//! use biofast_ops::filter::expression::Expression;
//!
//! let good: Expression = "mapq >= 30 && !flag.unmap && [NM] < 3".parse()?;
//!
//! let sam = b"@SQ\tSN:c\tLN:9
//! r1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1
//! r2\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII
//! ";
//! let options = Options::default();
//! let opening = InputOptions { io: &options, reference: None, detail: Default::default() };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opening)?;
//! let (_, names) = Fold::new(input.source)
//!     .options(&options)
//!     .run(
//!         Vec::new,
//!         |names, batch| {
//!             for record in batch {
//!                 if good.matches(&record, batch.header()) == Ok(true) {
//!                     names.push(String::from_utf8_lossy(record.name()).into_owned());
//!                 }
//!             }
//!         },
//!         |names, others| names.extend(others),
//!     )?;
//! assert_eq!(names, ["r1"]);
//!
//! let error = Expression::parse("mapq >= 30 & & 2").unwrap_err();
//! assert_eq!(error.to_string(), "at byte 13: expected a value, found `&`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod eval;
mod parse;
mod pattern;
mod subject;
mod tree;
mod value;
mod variable;

#[cfg(test)]
mod tests;

use std::str::FromStr;
use std::sync::Arc;

use biofast_bam::{Header, Record};

pub use error::{EvalError, EvalErrorKind, ParseError, ParseErrorKind};
use subject::EvalSubject;
use tree::Node;

/// A compiled filter expression. Clones share the compiled form.
#[derive(Clone, Debug)]
pub struct Expression {
    root: Arc<Node>,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// If it isn't one, or if a part of it could never be evaluated, such as `qname + 1`.
    pub fn parse(text: &str) -> Result<Expression, ParseError> {
        Ok(Expression { root: Arc::new(parse::parse(text)?) })
    }

    /// Whether the expression holds for `record`, which comes from the input of `header`.
    ///
    /// # Errors
    /// If a part that decides can't be evaluated: an optional field has another type than the
    /// expression needs, or can't be read.
    #[inline]
    pub fn matches(&self, record: &Record<'_>, header: &Header) -> Result<bool, EvalError> {
        self.root.holds(EvalSubject { record, header })
    }
}

impl FromStr for Expression {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Expression, ParseError> {
        Expression::parse(text)
    }
}
