//! A module of FastQC's report.

/// What a module's figures are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing unusual.
    Pass,
    /// Somewhat unusual.
    Warn,
    /// Very unusual.
    Fail,
}

impl Verdict {
    /// As FastQC writes it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }

    /// `value` beyond these limits.
    pub(super) fn above(value: f64, [warn, fail]: [f64; 2]) -> Verdict {
        match value {
            value if value > fail => Verdict::Fail,
            value if value > warn => Verdict::Warn,
            _ => Verdict::Pass,
        }
    }
}

/// One table of the report.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// What the figures are worth.
    pub verdict: Verdict,
    /// The head and the rows, tab-separated.
    pub(super) table: String,
}
