//! What is measured for a check.

use crate::number::decimal;

/// A figure, or why there is none.
pub(super) enum Measured {
    Found(MeasuredValue),
    Missing(&'static str),
}

/// A figure in words.
pub(super) struct MeasuredValue {
    pub(super) value: f64,
    /// What it says, as a sentence without its stop.
    pub(super) says: String,
    /// What to do where it is bad, in whole sentences.
    pub(super) advice: &'static str,
}

/// A figure that is known.
pub(super) fn found(value: f64, says: String, advice: &'static str) -> Measured {
    Measured::Found(MeasuredValue { value, says, advice })
}

/// A number as sentences have it.
pub(super) fn shown(value: f64) -> String {
    decimal(value, 2)
}
