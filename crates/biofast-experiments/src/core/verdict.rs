//! From a protocol's statements to what became of each, and of the entry: the only place where a verdict is made.
//! It follows from the rule that was written before the run and from the data; decisions after the run can only leave
//! it undecided.

use serde::{Deserialize, Serialize};

use super::cell::scaled;
use super::protocol::{Check, Protocol};
use super::stats::Interval;

/// One statement of the protocol, looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckResult {
    pub(crate) name: String,
    pub(crate) claim: String,
    pub(crate) carries: bool,
    /// A criterion of the protocol that was set aside after the run.
    pub(crate) set_aside: bool,
    pub(crate) bound: String,
    /// What was measured; absent if the conditions were not run here.
    pub(crate) measured: Option<Interval>,
    /// The level where it was found, of checks that look for a level.
    pub(crate) level: Option<String>,
    pub(crate) outcome: Outcome,
    /// By the protocol's bound alone.
    pub(crate) by_bound: Outcome,
    /// What stands behind the outcome: a decision of the notes, or repetitions that ran serially.
    pub(crate) note: Option<String>,
}

/// A verdict, or what became of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Reproduced,
    Partly,
    Refuted,
    /// Of a check: its conditions don't exist on this machine. Of an entry: that is so of all its checks.
    NotMeasurable,
    Held,
    Failed,
    /// Of a check: the interval, widened by the noise, contains the bound. Of an entry: its verdict depends on what
    /// couldn't be decided, or on what was set aside.
    Undecided,
}

impl Outcome {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Outcome::Reproduced => "reproduced",
            Outcome::Partly => "partly",
            Outcome::Refuted => "refuted",
            Outcome::NotMeasurable => "not measurable here",
            Outcome::Held => "held",
            Outcome::Failed => "failed",
            Outcome::Undecided => "undecided",
        }
    }
}

/// How many checks that carry a verdict came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) held: usize,
    pub(crate) failed: usize,
    pub(crate) undecided: usize,
    pub(crate) not_measurable: usize,
}

impl Tally {
    /// Of the checks that carry the verdict.
    pub(crate) fn of(checks: &[CheckResult]) -> Tally {
        Tally::count(checks.iter().filter(|check| check.carries).map(|check| check.outcome))
    }

    /// Of those that are our own predictions.
    pub(crate) fn of_predictions(checks: &[CheckResult]) -> Tally {
        Tally::count(checks.iter().filter(|check| !check.carries).map(|check| check.outcome))
    }

    fn count(outcomes: impl Iterator<Item = Outcome>) -> Tally {
        let mut tally = Tally::default();
        for outcome in outcomes {
            match outcome {
                Outcome::Held => tally.held += 1,
                Outcome::Failed => tally.failed += 1,
                Outcome::NotMeasurable => tally.not_measurable += 1,
                _ => tally.undecided += 1,
            }
        }
        tally
    }

    /// The verdict that stands however the open statements come out; undecided if they could change it.
    fn verdict(self) -> Outcome {
        let open = self.undecided + self.not_measurable;
        match (self.held, self.failed, open) {
            (0, 0, _) if self.undecided == 0 => Outcome::NotMeasurable,
            (1.., 1.., _) => Outcome::Partly,
            (_, 0, 0) => Outcome::Reproduced,
            (0, _, 0) => Outcome::Refuted,
            _ => Outcome::Undecided,
        }
    }

    /// `2 held, 1 undecided`.
    pub(crate) fn text(self) -> String {
        let parts = [
            (self.held, Outcome::Held),
            (self.failed, Outcome::Failed),
            (self.undecided, Outcome::Undecided),
            (self.not_measurable, Outcome::NotMeasurable),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, of)| format!("{count} {}", of.text())).collect::<Vec<_>>().join(", ")
    }
}

/// The verdict of an entry: undecided if a criterion of the protocol was set aside after the run, else what the
/// protocol's rule says.
pub(crate) fn verdict(protocol: &Protocol, checks: &[CheckResult]) -> Outcome {
    if checks.iter().any(|check| check.carries && check.set_aside) {
        return Outcome::Undecided;
    }
    by_rule(protocol, checks, |check| check.outcome)
}

/// What the protocol's rule alone says: with what was set aside, and without the common tolerance.
pub(crate) fn as_written(protocol: &Protocol, checks: &[CheckResult]) -> Outcome {
    by_rule(protocol, checks, |check| check.by_bound)
}

fn by_rule(
    protocol: &Protocol,
    checks: &[CheckResult],
    outcome: impl Fn(&CheckResult) -> Outcome,
) -> Outcome {
    let carrying = || checks.iter().filter(|check| check.carries);
    let verdict = Tally::count(carrying().map(&outcome)).verdict();
    let needed = &protocol.verdict.partly_needs;
    if needed.is_empty() || matches!(verdict, Outcome::Reproduced | Outcome::NotMeasurable) {
        return verdict;
    }
    let needed = || carrying().filter(|check| needed.contains(&check.name));
    if needed().any(|check| outcome(check) == Outcome::Failed) {
        Outcome::Refuted
    } else if needed().all(|check| outcome(check) == Outcome::Held)
        && carrying().any(|check| outcome(check) == Outcome::Failed)
    {
        Outcome::Partly
    } else {
        Outcome::Undecided
    }
}

/// True or false if the whole interval, widened by the noise, is on one side of each bound.
pub(crate) fn judge(bounds: Bounds, e: Interval, noise: f64) -> Outcome {
    let (low, high) = (e.low / (1.0 + noise), e.high * (1.0 + noise));
    let at_least = bounds.at_least.unwrap_or(f64::NEG_INFINITY);
    let at_most = bounds.at_most.unwrap_or(f64::INFINITY);
    if low >= at_least && high <= at_most {
        Outcome::Held
    } else if high < at_least || low > at_most {
        Outcome::Failed
    } else {
        Outcome::Undecided
    }
}

/// How far from a claimed value a measured one may be for the claim to be reproduced: a fifth below, a quarter above,
/// which is the same factor. Protocols may be stricter; where one is more lenient, what holds by its bound alone is
/// undecided.
pub(crate) const TOLERANCE: f64 = 0.8;

/// What a statement must lie within.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) at_least: Option<f64>,
    pub(crate) at_most: Option<f64>,
}

impl Bounds {
    /// As the protocol has them.
    pub(crate) fn registered(check: &Check) -> Bounds {
        Bounds { at_least: check.at_least, at_most: check.at_most }
    }

    /// In the same directions, and within the common tolerance of the value claimed.
    pub(crate) fn common(check: &Check, metric: &str) -> Bounds {
        let own = Bounds::registered(check);
        match claimed(&check.claim, metric) {
            Some((low, high)) if check.carries => Bounds {
                at_least: own.at_least.map(|bound| bound.max(low * TOLERANCE)),
                at_most: own.at_most.map(|bound| bound.min(high / TOLERANCE)),
            },
            _ => own,
        }
    }

    pub(crate) fn text(self) -> String {
        let number = |value: f64| super::stats::significant(value).to_string();
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
            (Some(low), None) => format!("≥ {}", number(low)),
            (None, Some(high)) => format!("≤ {}", number(high)),
            (None, None) => String::new(),
        }
    }
}

/// The value or range a claim states, in the unit of its metric; `None` where it states none in figures.
fn claimed(claim: &str, metric: &str) -> Option<(f64, f64)> {
    const UNITS: [(&str, f64); 5] =
        [("×", 1.0), ("%", 1.0), ("reads", 1.0), ("MB", 1e6 / 1024.0), ("", 1.0)];
    let claim = claim.trim().replace(',', "");
    let end = claim
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '–' | '/' | 'K' | 'M')))
        .unwrap_or(claim.len());
    // The M of MB is no million.
    let end = if claim[end..].starts_with('B') { end - 1 } else { end };
    let (number, unit) = claim.split_at(end);
    let (unit, factor) = UNITS.into_iter().find(|(name, _)| *name == unit.trim())?;
    if unit == "MB" && !metric.ends_with("_kb") {
        return None;
    }
    let value = |text: &str| match text.split_once('/') {
        Some((above, below)) => Some(scaled(above)? / scaled(below)?),
        None => scaled(text),
    };
    let (low, high) = number.split_once('–').unwrap_or((number, number));
    Some((value(low)? * factor, value(high)? * factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_stands_however_the_open_statements_come_out() {
        let of = |held, failed, undecided, not_measurable| {
            Tally { held, failed, undecided, not_measurable }.verdict()
        };
        use Outcome::*;
        assert_eq!(of(2, 0, 0, 0), Reproduced);
        assert_eq!(of(0, 2, 0, 0), Refuted);
        assert_eq!(of(1, 1, 0, 0), Partly);
        // One that failed and one that held decide it.
        assert_eq!(of(1, 1, 3, 2), Partly);
        // One failure and any number of open statements are no refutation, nor the other way round.
        assert_eq!(of(0, 1, 1, 0), Undecided);
        assert_eq!(of(0, 1, 0, 1), Undecided);
        assert_eq!(of(1, 0, 1, 0), Undecided);
        assert_eq!(of(1, 0, 0, 1), Undecided);
        assert_eq!(of(0, 0, 1, 0), Undecided);
        assert_eq!(of(0, 0, 1, 1), Undecided);
        assert_eq!(of(0, 0, 0, 1), NotMeasurable);
        assert_eq!(of(0, 0, 0, 0), NotMeasurable);
        assert_eq!(
            Tally { held: 2, failed: 0, undecided: 1, not_measurable: 0 }.text(),
            "2 held, 1 undecided"
        );
    }

    #[test]
    fn claims_are_read_with_their_units() {
        let of = |claim: &str| claimed(claim, "wall_s");
        assert_eq!(of("54×"), Some((54.0, 54.0)));
        assert_eq!(of("1.0–1.5×"), Some((1.0, 1.5)));
        assert_eq!(of("1/4"), Some((0.25, 0.25)));
        assert_eq!(of("10K reads"), Some((10_000.0, 10_000.0)));
        assert_eq!(of("100 %"), Some((100.0, 100.0)));
        assert_eq!(claimed("1,024 MB", "max_rss_kb"), Some((1e6, 1e6)));
        for words in ["–", "above 1", "the same", "5 MB", "92 % (the fault)", "120 million in all"]
        {
            assert_eq!(of(words), None, "{words}");
        }
    }
}
