//! Limits, and the text they are written in.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::checks::{CHECKS, Check, CheckSubject};
use super::library::Library;
use super::verdict::CheckLimits;

/// The limits of every check: those of a type of library, and what is changed of them.
///
/// ```
/// use biofast_ops::verdicts::{Check, CheckLimits, Library, VerdictRules};
///
/// let mut rules = VerdictRules::of(Library::Rna);
/// rules.read("mean-quality 28 25  # of our machine\nn-share off\n")?;
/// let limits = |name| Check::named(name).map(|check| rules.limits(check));
/// assert_eq!(limits("mean-quality"), Some(CheckLimits { warn: Some(28.0), fail: Some(25.0) }));
/// assert_eq!(limits("n-share"), Some(CheckLimits::OFF));
/// # Ok::<(), biofast_ops::verdicts::InvalidLimits>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictRules {
    library: Library,
    /// In the order of [`CHECKS`], and why they aren't those of a genome.
    limits: Vec<(CheckLimits, Option<&'static str>)>,
}

/// Why a text of limits isn't valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error("line {line}: {kind}")]
pub struct InvalidLimits {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub kind: InvalidLimit,
}

/// What is wrong with a line of limits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLimit {
    /// There is no check of this name; one of the nearest name, if there is one.
    #[error("no check is named '{}'; {}", .0.escape_debug(), suggestion(*.1))]
    Unknown(String, Option<&'static str>),
    /// Of this check there are more or fewer than two limits.
    #[error("expected the limits of warnings and failures after '{0}', or only 'off'")]
    Fields(String),
    /// This is no limit.
    #[error("expected a number of 0 or more, or 'off', found '{}'", .0.escape_debug())]
    Number(String),
    /// A share can't be this.
    #[error("expected at most 100 %, found {0}")]
    Share(f64),
    /// What warns is worse than what fails: the check, and both limits.
    #[error(
        "'{0}' would fail at {2} before it warns at {1}: the first number is the warning limit"
    )]
    Order(&'static str, f64, f64),
    /// The check has limits before.
    #[error("'{0}' already has limits on line {1}")]
    Twice(&'static str, u64),
    /// A line of FastQC's limits.
    #[error(
        "this line is in FastQC's format; expected a check and both its limits, such as '{0} 5 10'"
    )]
    Fastqc(&'static str),
}

fn suggestion(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("did you mean '{near}'?"),
        None => "`biofast stats --print-limits` lists all checks".into(),
    }
}

impl VerdictRules {
    /// Those of a type of library.
    pub fn of(library: Library) -> VerdictRules {
        let mut limits: Vec<_> = CHECKS.iter().map(|check| (check.genome, None)).collect();
        for &(kind, own, why) in library.own() {
            limits[kind as usize] = (own, Some(why));
        }
        VerdictRules { library, limits }
    }

    /// The type of library.
    pub fn library(&self) -> Library {
        self.library
    }

    /// The limits of a check.
    pub fn limits(&self, check: &Check) -> CheckLimits {
        self.limits[check.place()].0
    }

    /// Why they aren't those of a genome.
    pub(super) fn why(&self, check: &Check) -> Option<&'static str> {
        self.limits[check.place()].1
    }

    /// The checks that are off, and why.
    pub fn off(&self) -> Vec<Off> {
        let off = CHECKS.iter().filter(|check| self.limits(check) == CheckLimits::OFF);
        off.map(|check| Off {
            check: check.name().to_owned(),
            why: self.why(check).unwrap_or(NO_DEFAULT).to_owned(),
        })
        .collect()
    }

    /// Changes limits to those of a text: on each line a check and its limits of warnings and failures, each a number or `off`;
    /// `off` alone, or `ignore`, is for both. `#` begins a remark. What isn't named stays.
    ///
    /// # Errors
    /// The first line that is something else. The limits before it are changed.
    pub fn read(&mut self, text: &str) -> Result<(), InvalidLimits> {
        let mut seen: Vec<Option<u64>> = vec![None; CHECKS.len()];
        for (line, text) in (1..).zip(text.lines()) {
            let invalid = |kind| InvalidLimits { line, kind };
            let text = text.split('#').next().unwrap_or_default();
            let mut fields = text.split_whitespace();
            let Some(name) = fields.next() else { continue };
            let fields: Vec<&str> = fields.collect();
            let Some(check) = Check::named(name) else {
                let is_fastqc = matches!(fields[..], ["warn" | "error" | "ignore", _]);
                return Err(invalid(match nearest(name) {
                    near if is_fastqc => InvalidLimit::Fastqc(near.unwrap_or("adapter-content")),
                    near => InvalidLimit::Unknown(name.to_owned(), near),
                }));
            };
            let own = match fields[..] {
                ["off" | "ignore"] => CheckLimits::OFF,
                ["warn" | "error" | "ignore", _] => {
                    return Err(invalid(InvalidLimit::Fastqc(check.name())));
                }
                [warn, fail] => {
                    let warn = limit(warn, check).map_err(invalid)?;
                    let fail = limit(fail, check).map_err(invalid)?;
                    if let (Some(warn), Some(fail)) = (warn, fail)
                        && check.bad().is_beyond(warn, fail)
                    {
                        return Err(invalid(InvalidLimit::Order(check.name(), warn, fail)));
                    }
                    CheckLimits { warn, fail }
                }
                _ => return Err(invalid(InvalidLimit::Fields(name.to_owned()))),
            };
            if let Some(before) = seen[check.place()].replace(line) {
                return Err(invalid(InvalidLimit::Twice(check.name(), before)));
            }
            let why = (own == CheckLimits::OFF).then_some(GIVEN);
            if own != self.limits(check) {
                self.limits[check.place()] = (own, why);
            }
        }
        Ok(())
    }

    /// The limits as text, which [`read`](Self::read) accepts.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# Limits of verdicts: {} ({}).\n\
             # A check, its limits of warnings and failures ('off': none), and what is measured.\n",
            self.library.name(),
            self.library.about()
        );
        for (heading, own) in [
            ("Reads", &[CheckSubject::Reads, CheckSubject::Both][..]),
            ("Alignments", &[CheckSubject::Alignments]),
        ] {
            let _ = writeln!(text, "\n# {heading}");
            for check in CHECKS.iter().filter(|check| own.contains(&check.subject())) {
                let limits = self.limits(check);
                let columns = match limits {
                    CheckLimits::OFF => format!("{:>6} {:>6}", "off", ""),
                    CheckLimits { warn, fail } => {
                        format!("{:>6} {:>6}", number(warn), number(fail))
                    }
                };
                let unit = check.unit();
                let side = check.bad().name();
                let why = match (limits, self.why(check)) {
                    (CheckLimits::OFF, why) => format!("; {}", why.unwrap_or(NO_DEFAULT)),
                    (_, Some(why)) => format!("; {why}"),
                    _ => String::new(),
                };
                let measures = check.measures();
                let _ = writeln!(
                    text,
                    "{:<26}{columns}  # {measures}, {unit}; bad {side}{why}",
                    check.name()
                );
            }
        }
        text
    }
}

/// Why a check is off that no library has limits for.
const NO_DEFAULT: &str = "the limits depend on the purpose";
/// Why a check is off that was on.
const GIVEN: &str = "switched off by --limits";

fn number(limit: Option<f64>) -> String {
    limit.map_or("off".into(), |limit| limit.to_string())
}

/// A limit as it is written.
pub(super) fn limit(text: &str, check: &Check) -> Result<Option<f64>, InvalidLimit> {
    if text == "off" {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(value) if value > 100.0 && value.is_finite() && check.unit() == "%" => {
            Err(InvalidLimit::Share(value))
        }
        // Neither less than nothing, nor what is no number.
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(Some(value)),
        _ => Err(InvalidLimit::Number(text.to_owned())),
    }
}

/// The check whose name is nearest, if one is near.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let distance = |check: &str| match name.len() > 2 && check.contains(&name) {
        true => 0,
        false => letters_apart(&name, check),
    };
    let names = CHECKS.iter().map(|check| (distance(check.name()), check.name()));
    names.min_by_key(|&(apart, _)| apart).filter(|&(apart, _)| apart <= 3).map(|(_, name)| name)
}

/// How many letters two names differ by.
fn letters_apart(a: &str, b: &str) -> usize {
    // Much longer ones are far from all.
    if a.len() > 64 {
        return a.len();
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A check that is turned off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Off {
    /// The name of the [`Check`].
    pub check: String,
    /// Why.
    pub why: String,
}
