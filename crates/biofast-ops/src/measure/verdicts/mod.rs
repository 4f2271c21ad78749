//! Verdicts: what figures are worth, by stated limits.
//!
//! A [`Check`] takes one figure of a report, and [`Rules`] have its limits for a [type of library](Library): what the type
//! explains isn't judged, or more kindly, and says why. Reports of parts have no verdicts: they are of merged figures.

mod alignments;
mod checks;
mod library;
mod limits;
mod own;
mod reads;

use serde::{Deserialize, Serialize};

use super::alignments::report::Figures;
use super::reads::report::{Statistics, rounded};
use crate::number::decimal;

pub(crate) use checks::fastqc;
pub use checks::{Bad, CHECKS, Check, Subject};
pub use library::Library;
pub use limits::{InvalidLimit, InvalidLimits, Limits, Rules};

/// What a figure is worth. The order is that of severity.
///
/// ```
/// use biofast_ops::verdicts::Verdict;
///
/// assert!(Verdict::Fail > Verdict::Warn && Verdict::Pass > Verdict::NotMeasured);
/// assert_eq!(Verdict::NotMeasured.name(), "not-measured");
/// ```
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

/// The verdict about one figure.
///
/// ```
/// use biofast_ops::verdicts::{Judged, Verdict};
///
/// let json = r#"{"check": "n-share", "verdict": "pass", "unit": "%", "bad": "above", "warn": 1.0, "fail": 5.0,
///     "value": 0.0, "text": "0 % of the bases are N."}"#;
/// let judged: Judged = serde_json::from_str(json)?;
/// assert_eq!((judged.verdict, judged.value), (Verdict::Pass, Some(0.0)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The name of the [`Check`].
    pub check: String,
    /// What the figure is worth.
    pub verdict: Verdict,
    /// The figure, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its unit, which limits have, too.
    pub unit: String,
    /// `above` or `below`: which side of the limits is bad.
    pub bad: String,
    /// The limit of warnings, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warn: Option<f64>,
    /// The limit of failures, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<f64>,
    /// A sentence: what, where, and what to do.
    pub text: String,
}

/// A check that isn't made.
///
/// ```
/// use biofast_ops::verdicts::{Library, Rules};
///
/// let off = Rules::of(Library::Amplicon).off();
/// let off = off.iter().find(|off| off.check == "duplication").expect("off");
/// assert_eq!(off.why, "expected of amplicons: reads are copies of few sequences");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Off {
    /// The name of the [`Check`].
    pub check: String,
    /// Why.
    pub why: String,
}

/// What the figures of a sample are worth.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::reads::{Collector, report::Statistics};
/// use biofast_ops::verdicts::{Assessment, Library, Rules, Verdict};
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n"[..]);
/// let collector = Collector::collect(source, &Options::default(), Collector::new)
///     .map_err(|fault| fault.error)?;
/// let found = Assessment::of_reads(&Statistics::from(&collector), &Rules::of(Library::Any));
/// assert_eq!((found.verdict, found.names(Verdict::Warn)), (Verdict::Warn, vec!["number-of-reads"]));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The [type of library](Library) whose limits these are, but for those that were given.
    pub library: String,
    /// The worst of the verdicts.
    pub verdict: Verdict,
    /// The verdicts.
    pub checks: Vec<Judged>,
    /// What isn't judged.
    pub off: Vec<Off>,
}

/// A figure, or why there is none.
enum Measured {
    Found(Found),
    Missing(&'static str),
}

/// A figure in words.
struct Found {
    value: f64,
    /// What it says, as a sentence without its stop.
    says: String,
    /// What to do where it is bad, in whole sentences.
    advice: &'static str,
}

/// A figure that is known.
fn found(value: f64, says: String, advice: &'static str) -> Measured {
    Measured::Found(Found { value, says, advice })
}

/// A number as sentences have it.
fn shown(value: f64) -> String {
    decimal(value, 2)
}

impl Assessment {
    /// Judges reads.
    pub fn of_reads(reads: &Statistics, rules: &Rules) -> Assessment {
        let sets = [("", reads)];
        Assessment::new(rules, Subject::Alignments, |check| reads::measure(check, &sets))
    }

    /// Judges alignments, and their reads as they were sequenced: of first and last reads the worse ones count.
    ///
    /// ```
    /// use biofast_bam::{Detail, Input, InputOptions};
    /// use biofast_io::{Options, Source};
    /// use biofast_ops::alignments::{Statistics, report::Figures};
    /// use biofast_ops::verdicts::{Assessment, Library, Rules};
    ///
    /// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
    /// let options = Options::default();
    /// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
    /// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
    /// let counted = Statistics::collect(input.source, &options).map_err(|fault| fault.error)?;
    /// let found = Assessment::of_alignments(&Figures::from(&counted), &Rules::of(Library::Wgs));
    /// let mapped = found.checks.iter().find(|judged| judged.check == "mapped-share");
    /// assert_eq!(mapped.and_then(|judged| judged.value), Some(50.0));
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    pub fn of_alignments(figures: &Figures, rules: &Rules) -> Assessment {
        let all = &figures.reads;
        let named =
            [("first reads", &all.first), ("last reads", &all.last), ("other reads", &all.other)];
        let sets: Vec<(&str, &Statistics)> =
            named.into_iter().filter_map(|(name, reads)| Some((name, reads.as_ref()?))).collect();
        Assessment::new(rules, Subject::Reads, |check| match check.subject() {
            Subject::Alignments => alignments::measure(check, figures),
            _ => reads::measure(check, &sets),
        })
    }

    /// Judges what is measured, but for checks of the `other` subject.
    fn new(rules: &Rules, other: Subject, measure: impl Fn(&Check) -> Measured) -> Assessment {
        let own = |check: &&Check| check.subject() != other;
        let is_on = |check: &&Check| rules.limits(check) != Limits::OFF;
        let checks: Vec<Judged> = CHECKS
            .iter()
            .filter(own)
            .filter(is_on)
            .map(|check| judge(check, rules, measure(check)))
            .collect();
        let is_own = |off: &Off| Check::named(&off.check).is_some_and(|check| own(&check));
        Assessment {
            library: rules.library().name().to_owned(),
            verdict: checks
                .iter()
                .map(|judged| judged.verdict)
                .max()
                .unwrap_or(Verdict::NotMeasured),
            checks,
            off: rules.off().into_iter().filter(is_own).collect(),
        }
    }

    /// The names of the checks with this verdict.
    pub fn names(&self, verdict: Verdict) -> Vec<&str> {
        let has = self.checks.iter().filter(|judged| judged.verdict == verdict);
        has.map(|judged| &judged.check[..]).collect()
    }
}

/// The verdict about what was measured.
fn judge(check: &Check, rules: &Rules, measured: Measured) -> Judged {
    let limits = rules.limits(check);
    let (value, verdict, text) = match measured {
        Measured::Missing(why) => (None, Verdict::NotMeasured, format!("Not measured: {why}.")),
        Measured::Found(Found { value, says, advice }) => {
            let verdict = limits.judge(check.bad(), value);
            let beyond = match verdict {
                Verdict::Fail => limits.fail,
                Verdict::Warn => limits.warn,
                _ => None,
            };
            let text = match (beyond, rules.why(check)) {
                (Some(limit), _) => {
                    let unit = if check.unit() == "%" { " %" } else { "" };
                    format!("{says}: {} {}{unit}. {advice}", check.bad().name(), shown(limit))
                }
                // Of a genome it would be worth a word.
                (None, Some(why)) if check.genome.judge(check.bad(), value) > Verdict::Pass => {
                    format!("{says}; {why}.")
                }
                (None, _) => format!("{says}."),
            };
            (Some(rounded(value)), verdict, text)
        }
    };
    Judged {
        check: check.name().to_owned(),
        verdict,
        value,
        unit: check.unit().to_owned(),
        bad: check.bad().name().to_owned(),
        warn: limits.warn,
        fail: limits.fail,
        text,
    }
}

#[cfg(test)]
mod tests;
