//! Verdicts: what figures are worth, by stated limits.
//!
//! A [`Check`] takes one figure of a report, and [`VerdictRules`] have its limits for a [type of library](Library): what the type
//! explains isn't judged, or more kindly, and says why. Reports of parts have no verdicts: they are of merged figures.

mod alignments;
pub(crate) mod checks;
mod history;
mod library;
mod limits;
mod measured;
mod own;
mod reads;
mod verdict;

use serde::{Deserialize, Serialize};

use crate::measure::alignments::figures::{Coverage, Figures};
use crate::measure::coverage::Distribution;
use crate::measure::reads::numbers::rounded;
use crate::measure::reads::statistic::Statistics;
use measured::{Measured, MeasuredValue, shown};

#[doc(hidden)]
pub use checks::fastqc;
pub use checks::{CHECKS, Check, CheckSubject};
#[doc(hidden)]
pub use history::{
    ControlChart, ControlLimits, FAIL, FEWEST, History, PREFIX, SampleKind, SampleValues, TOO_FEW,
    WARN,
};
pub use library::Library;
pub use limits::{InvalidLimit, InvalidLimits, Off, VerdictRules};
pub use verdict::{Bad, CheckLimits, Verdict};

/// The verdict on a value.
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

/// What the figures of a sample are worth.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::reads::{Collector, report::Statistics};
/// use biofast_ops::verdicts::{Assessment, Library, Verdict, VerdictRules};
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n"[..]);
/// let collector = Collector::collect(source, &Options::default(), Collector::new)
///     .map_err(|fault| fault.error)?;
/// let found = Assessment::of_reads(&Statistics::from(&collector), &VerdictRules::of(Library::Any));
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

impl Assessment {
    /// Judges reads.
    pub fn of_reads(reads: &Statistics, rules: &VerdictRules) -> Assessment {
        let sets = [("", reads)];
        Assessment::new(rules, of_reads, |check| reads::measure(check, &sets))
    }

    /// Judges alignments, and their reads as they were sequenced; of first and last reads the worse value counts.
    pub fn of_alignments(figures: &Figures, rules: &VerdictRules) -> Assessment {
        let sets = sets(figures);
        Assessment::new(rules, of_alignments, |check| match check.subject() {
            CheckSubject::Alignments => alignments::measure(check, figures),
            _ => reads::measure(check, &sets),
        })
    }

    /// Judges depths: of targets, or of all positions.
    pub fn of_depths(depths: &Distribution, are_targets: bool, rules: &VerdictRules) -> Assessment {
        let positions = if are_targets { "target positions" } else { "positions" };
        let coverage = Coverage::from(depths);
        Assessment::new(rules, Check::is_of_depth, |check| {
            alignments::of_depth(check, &coverage, positions)
        })
    }

    /// Judges what is measured, by the checks that are its `own`.
    fn new(
        rules: &VerdictRules,
        own: impl Fn(&Check) -> bool,
        measure: impl Fn(&Check) -> Measured,
    ) -> Assessment {
        let is_on = |check: &&Check| rules.limits(check) != CheckLimits::OFF;
        let checks: Vec<Judged> = CHECKS
            .iter()
            .filter(|check| own(check))
            .filter(is_on)
            .map(|check| judge(check, rules, measure(check)))
            .collect();
        let is_own = |off: &Off| Check::named(&off.check).is_some_and(&own);
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

    /// Judges a sample by its past, too.
    pub fn add_history(&mut self, history: &History, sample: &SampleValues) {
        let checks = history.judge(sample);
        let worst = checks.iter().map(|judged| judged.verdict).max();
        self.verdict = self.verdict.max(worst.unwrap_or(self.verdict));
        self.checks.extend(checks);
    }

    /// The names of the checks with this verdict.
    pub fn names(&self, verdict: Verdict) -> Vec<&str> {
        let has = self.checks.iter().filter(|judged| judged.verdict == verdict);
        has.map(|judged| &judged.check[..]).collect()
    }
}

/// Whether a check is about reads.
fn of_reads(check: &Check) -> bool {
    check.subject() != CheckSubject::Alignments
}

/// Whether a check is about alignments and their reads.
fn of_alignments(check: &Check) -> bool {
    check.subject() != CheckSubject::Reads
}

/// The reads of alignments that there are, with their names.
fn sets(figures: &Figures) -> Vec<(&'static str, &Statistics)> {
    let all = &figures.reads;
    let named =
        [("first reads", &all.first), ("last reads", &all.last), ("other reads", &all.other)];
    named.into_iter().filter_map(|(name, reads)| Some((name, reads.as_ref()?))).collect()
}

/// The verdict about what was measured.
fn judge(check: &Check, rules: &VerdictRules, measured: Measured) -> Judged {
    let limits = rules.limits(check);
    let (value, verdict, text) = match measured {
        Measured::Missing(why) => (None, Verdict::NotMeasured, format!("Not measured: {why}.")),
        Measured::Found(MeasuredValue { value, says, advice }) => {
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
