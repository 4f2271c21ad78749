//! Contexts of symbols.

/// How many bytes before a symbol its probability depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// None: one table of frequencies.
    Zero,
    /// The byte before it: a table for each byte.
    One,
}
