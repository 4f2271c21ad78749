//! How good a value is by the limits of a check.

use serde::{Deserialize, Serialize};

/// How good a value is, in order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The figure isn't known.
    NotMeasured,
    /// Within the limits.
    Pass,
    /// Beyond the limit of warnings.
    Warn,
    /// Beyond the limit of failures.
    Fail,
}

impl Verdict {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::NotMeasured => "not-measured",
            Verdict::Pass => "pass",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }
}

/// Which side of the limits is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bad {
    /// More than the limit.
    Above,
    /// Less than the limit.
    Below,
}

impl Bad {
    /// Whether `value` is on the bad side of `limit`; the limit itself isn't.
    pub fn is_beyond(self, value: f64, limit: f64) -> bool {
        match self {
            Bad::Above => value > limit,
            Bad::Below => value < limit,
        }
    }

    /// `above` or `below`.
    pub fn name(self) -> &'static str {
        match self {
            Bad::Above => "above",
            Bad::Below => "below",
        }
    }
}

/// The limits of a check. A value equal to a limit is on its good side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckLimits {
    /// Beyond it is a warning.
    pub warn: Option<f64>,
    /// Beyond it is a failure.
    pub fail: Option<f64>,
}

impl CheckLimits {
    /// No limits: nothing is judged.
    pub const OFF: CheckLimits = CheckLimits { warn: None, fail: None };

    /// What `value` is worth.
    pub fn judge(self, bad: Bad, value: f64) -> Verdict {
        let is_beyond = |limit: Option<f64>| limit.is_some_and(|limit| bad.is_beyond(value, limit));
        match (is_beyond(self.fail), is_beyond(self.warn)) {
            (true, _) => Verdict::Fail,
            (_, true) => Verdict::Warn,
            _ => Verdict::Pass,
        }
    }
}
