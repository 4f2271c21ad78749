//! From measurements to medians, ratios and the verdict: `summary.json`. Everything here follows from the
//! protocol and the measurements, so that `check` can do it again and compare.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::cell::{Cell, best};
use super::measurements::Measurement;
use super::protocol::{Against, Check, Protocol};
use crate::core::stats::{Estimate, median_interval, paired_ratio};

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "summary.json";

const SEED: u64 = 1;

/// What a run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) verdict: Outcome,
    /// How far the same condition under two names differed: the largest deviation of a median ratio from 1.
    pub(crate) noise: f64,
    pub(crate) control: Vec<ControlResult>,
    pub(crate) checks: Vec<CheckResult>,
    pub(crate) cells: Vec<CellResult>,
}

/// A verdict, or what became of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Reproduced,
    Partly,
    Refuted,
    NotMeasurable,
    Holds,
    Fails,
    /// The interval, widened by the noise, contains the bound.
    Undecided,
}

impl Outcome {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Outcome::Reproduced => "reproduced",
            Outcome::Partly => "partly",
            Outcome::Refuted => "refuted",
            Outcome::NotMeasurable => "not measurable on this machine",
            Outcome::Holds => "holds",
            Outcome::Fails => "fails",
            Outcome::Undecided => "undecided",
        }
    }
}

/// A median with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Interval {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl From<Estimate> for Interval {
    fn from(e: Estimate) -> Self {
        Interval {
            median: significant(e.value),
            low: significant(e.low),
            high: significant(e.high),
        }
    }
}

/// Six significant digits, so that the file is the same wherever it is computed.
fn significant(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CellResult {
    pub(crate) levels: BTreeMap<String, String>,
    pub(crate) repetitions: usize,
    pub(crate) bytes: u64,
    pub(crate) metric: Interval,
    /// The baseline's metric divided by this one's, paired by repetition.
    pub(crate) speedup: Option<Interval>,
    /// Medians of every column measured.
    pub(crate) medians: BTreeMap<String, f64>,
}

/// A condition under two names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ControlResult {
    pub(crate) levels: BTreeMap<String, String>,
    /// Second name divided by first.
    pub(crate) ratio: Interval,
}

/// One statement of the protocol, looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckResult {
    pub(crate) name: String,
    pub(crate) claim: String,
    pub(crate) carries: bool,
    /// The bound in words.
    pub(crate) bound: String,
    /// What was measured; absent if the conditions were not run here.
    pub(crate) measured: Option<Interval>,
    /// The level where it was found, of checks that look for a level.
    pub(crate) level: Option<String>,
    pub(crate) outcome: Outcome,
}

/// Measurements by condition.
struct Data<'a> {
    protocol: &'a Protocol,
    main: BTreeMap<Cell, Vec<&'a Measurement>>,
    again: BTreeMap<Cell, Vec<&'a Measurement>>,
}

/// Summarises a run.
pub(crate) fn summarise(protocol: &Protocol, all: &[Measurement]) -> Result<Summary> {
    let mut data = Data { protocol, main: BTreeMap::new(), again: BTreeMap::new() };
    for m in all {
        let map = if m.again { &mut data.again } else { &mut data.main };
        map.entry(m.cell.clone()).or_default().push(m);
    }
    let control = data.controls(&protocol.metric)?;
    let noise =
        significant(control.iter().map(|c| (c.ratio.median - 1.0).abs()).fold(0.0, f64::max));
    let checks: Vec<CheckResult> =
        protocol.verdict.checks.iter().map(|check| data.check(check)).collect::<Result<_>>()?;
    let mut cells = Vec::new();
    let mut seen = BTreeSet::new();
    // In the order of the protocol, as far as it knows the levels.
    for cell in protocol.cells(super::protocol::Scale::Full).iter().chain(data.main.keys()) {
        if let Some(own) = data.main.get(cell).filter(|_| seen.insert(cell.clone())) {
            cells.push(data.summarise_cell(cell, own)?);
        }
    }
    Ok(Summary { verdict: verdict(&checks), noise, control, checks, cells })
}

const ONE: Estimate = Estimate { value: 1.0, low: 1.0, high: 1.0 };

/// Reproduced if all checks that carry it hold, refuted if none does, partly otherwise.
fn verdict(checks: &[CheckResult]) -> Outcome {
    let count = |outcome| checks.iter().filter(|c| c.carries && c.outcome == outcome).count();
    match (count(Outcome::Holds), count(Outcome::Fails), count(Outcome::Undecided)) {
        (0, 0, _) => Outcome::NotMeasurable,
        (_, 0, 0) => Outcome::Reproduced,
        (0, _, _) => Outcome::Refuted,
        _ => Outcome::Partly,
    }
}

impl Data<'_> {
    /// What the conditions under two names differ by in a metric: exact metrics, such as calls, in nothing.
    fn controls(&self, metric: &str) -> Result<Vec<ControlResult>> {
        let result = |(cell, again): (&Cell, &Vec<&Measurement>)| {
            let main = self.main.get(cell).with_context(|| format!("no original of {cell}"))?;
            let ratio = self.ratio(again, main, metric).unwrap_or(ONE);
            Ok(ControlResult { levels: levels(cell), ratio: ratio.into() })
        };
        self.again.iter().map(result).collect()
    }

    /// The metric of `a` divided by that of `b`, paired by repetition.
    fn ratio(&self, a: &[&Measurement], b: &[&Measurement], metric: &str) -> Option<Estimate> {
        let by_rep = |all: &[&Measurement]| -> BTreeMap<usize, f64> {
            all.iter().filter_map(|m| Some((m.rep, m.metric(metric)?))).collect()
        };
        let b = by_rep(b);
        let (a, b): (Vec<f64>, Vec<f64>) =
            by_rep(a).into_iter().filter_map(|(rep, a)| Some((a, *b.get(&rep)?))).unzip();
        paired_ratio(&a, &b, SEED)
    }

    fn summarise_cell(&self, cell: &Cell, own: &[&Measurement]) -> Result<CellResult> {
        let values =
            |name: &str| -> Vec<f64> { own.iter().filter_map(|m| m.metric(name)).collect() };
        let metric = median_interval(&values(&self.protocol.metric), SEED)
            .with_context(|| format!("{cell} has no {}", self.protocol.metric))?;
        let names: BTreeSet<&str> =
            own.iter().flat_map(|m| m.metrics.keys().map(String::as_str)).collect();
        let medians = names.iter().filter_map(|name| {
            let median = crate::core::stats::median(&values(name))?;
            Some(((*name).to_owned(), significant(median)))
        });
        let base = self.main.get(&cell.replaced(&self.protocol.baseline));
        let speedup = base
            .filter(|_| !self.protocol.baseline.is_empty())
            .and_then(|base| self.ratio(base, own, &self.protocol.metric));
        Ok(CellResult {
            levels: levels(cell),
            repetitions: own.len(),
            bytes: own.first().map_or(0, |m| m.bytes),
            metric: metric.into(),
            speedup: speedup.map(Interval::from),
            medians: medians.collect(),
        })
    }

    /// The measurements of the one condition with these levels.
    fn one(&self, levels: &BTreeMap<String, String>) -> Option<&[&Measurement]> {
        match best(self.main.keys(), levels)[..] {
            [cell] => self.main.get(cell).map(Vec::as_slice),
            _ => None,
        }
    }

    fn check(&self, check: &Check) -> Result<CheckResult> {
        let metric = check.metric.as_deref().unwrap_or(&self.protocol.metric);
        let control = &self.controls(metric)?;
        let (measured, level) = match &check.first_above_one {
            Some(factor) => self.first_above_one(check, metric, factor, control),
            None => match &check.against {
                Some(against) => (self.interaction(check, against, metric), None),
                None => (self.value(&check.of, &check.over, metric), None),
            },
        };
        // A value is no comparison, and looking for a level has taken the noise into account.
        let noise = if check.over.is_empty() || check.first_above_one.is_some() {
            0.0
        } else {
            self.noise_at(&check.of, control)
        };
        let outcome = measured.map_or(Outcome::NotMeasurable, |e| judge(check, e, noise));
        Ok(CheckResult {
            name: check.name.clone(),
            claim: check.claim.clone(),
            carries: check.carries,
            bound: bound(check),
            measured: measured.map(Interval::from),
            level,
            outcome,
        })
    }

    fn value(
        &self,
        of: &BTreeMap<String, String>,
        over: &BTreeMap<String, String>,
        metric: &str,
    ) -> Option<Estimate> {
        let own = self.one(of)?;
        if over.is_empty() {
            let values: Vec<f64> = own.iter().filter_map(|m| m.metric(metric)).collect();
            return median_interval(&values, SEED);
        }
        self.ratio(own, self.one(over)?, metric)
    }

    /// One ratio divided by another, paired by repetition.
    fn interaction(&self, check: &Check, against: &Against, metric: &str) -> Option<Estimate> {
        let values = |levels: &BTreeMap<String, String>| -> Option<BTreeMap<usize, f64>> {
            let own = self.one(levels)?;
            Some(own.iter().filter_map(|m| Some((m.rep, m.metric(metric)?))).collect())
        };
        let (a, b) = (values(&check.of)?, values(&check.over)?);
        let (c, d) = (values(&against.of)?, values(&against.over)?);
        let products =
            a.iter().filter_map(|(rep, a)| Some((a * d.get(rep)?, b.get(rep)? * c.get(rep)?)));
        let (above, below): (Vec<f64>, Vec<f64>) = products.unzip();
        paired_ratio(&above, &below, SEED)
    }

    /// The noise of the controls whose work is most like that of a check's condition.
    fn noise_at(&self, of: &BTreeMap<String, String>, control: &[ControlResult]) -> f64 {
        let likeness = |c: &ControlResult| {
            let same = |factor: &&String| {
                of.contains_key(*factor) && of.get(*factor) == c.levels.get(*factor)
            };
            self.protocol.equal_work.iter().filter(same).count()
        };
        let most = control.iter().map(likeness).max();
        let alike = control.iter().filter(|c| Some(likeness(c)) == most);
        alike.map(|c| (c.ratio.median - 1.0).abs()).fold(0.0, f64::max)
    }

    /// The smallest level from which on the ratio is above 1 by more than the noise; infinite if there is none.
    fn first_above_one(
        &self,
        check: &Check,
        metric: &str,
        factor: &str,
        control: &[ControlResult],
    ) -> (Option<Estimate>, Option<String>) {
        let levels: BTreeSet<&str> = self.main.keys().map(|cell| cell.get(factor)).collect();
        let mut levels: Vec<(f64, &str)> =
            levels.into_iter().filter_map(|level| Some((scale_of(check, level)?, level))).collect();
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut found = (f64::INFINITY, "none");
        let mut measured = false;
        for (scale, level) in levels.into_iter().rev() {
            let at = |levels: &BTreeMap<String, String>| {
                let mut levels = levels.clone();
                levels.insert(factor.to_owned(), level.to_owned());
                levels
            };
            let Some(ratio) = self.value(&at(&check.of), &at(&check.over), metric) else {
                continue;
            };
            measured = true;
            if ratio.low <= 1.0 + self.noise_at(&at(&check.of), control) {
                break;
            }
            found = (scale, level);
        }
        let estimate = Estimate { value: found.0, low: found.0, high: found.0 };
        (measured.then_some(estimate), measured.then(|| found.1.to_owned()))
    }
}

/// What a level stands for: a number, with K, M or G behind it, or what the check says.
fn scale_of(check: &Check, level: &str) -> Option<f64> {
    if let Some(scale) = check.scale.get(level) {
        return Some(*scale);
    }
    let (digits, factor) = match level.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (
            digits,
            match level.as_bytes().last() {
                Some(b'K') => 1e3,
                Some(b'M') => 1e6,
                _ => 1e9,
            },
        ),
        None => (level, 1.0),
    };
    digits.parse::<f64>().ok().map(|n| n * factor)
}

/// True or false if the whole interval, widened by the noise, is on one side of each bound.
fn judge(check: &Check, e: Estimate, noise: f64) -> Outcome {
    let (low, high) = (e.low / (1.0 + noise), e.high * (1.0 + noise));
    let at_least = check.at_least.unwrap_or(f64::NEG_INFINITY);
    let at_most = check.at_most.unwrap_or(f64::INFINITY);
    if low >= at_least && high <= at_most {
        Outcome::Holds
    } else if high < at_least || low > at_most {
        Outcome::Fails
    } else {
        Outcome::Undecided
    }
}

fn bound(check: &Check) -> String {
    match (check.at_least, check.at_most) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("≥ {low}"),
        (None, Some(high)) => format!("≤ {high}"),
        (None, None) => String::new(),
    }
}

fn levels(cell: &Cell) -> BTreeMap<String, String> {
    cell.levels().map(|(name, level)| (name.to_owned(), level.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::protocol::tests::sample;
    use super::*;

    /// Repetitions of `slow` and `fast` at two sizes.
    fn data(times: &[(&str, &str, &[f64])]) -> Vec<Measurement> {
        let mut all = Vec::new();
        for (method, reads, walls) in times {
            let (method, again) =
                method.strip_suffix(" again").map_or((*method, false), |name| (name, true));
            for (i, wall) in walls.iter().enumerate() {
                all.push(Measurement {
                    cell: Cell::default().with("method", method).with("reads", reads),
                    again,
                    rep: i + 1,
                    order: 1,
                    calls: 1,
                    bytes: 100,
                    answer: "x".into(),
                    metrics: [("wall_s".to_owned(), *wall)].into(),
                });
            }
        }
        all
    }

    #[test]
    fn ratios_decide_the_checks() {
        let all = data(&[
            ("slow", "1K", &[10.0, 20.0, 30.0]),
            ("fast", "1K", &[1.0, 2.0, 3.0]),
            ("fast again", "1K", &[1.01, 2.02, 3.03]),
            ("slow", "1M", &[10.0, 20.0, 30.0]),
            ("fast", "1M", &[9.0, 18.0, 27.0]),
        ]);
        let summary = summarise(&sample(), &all).expect("summarises");
        assert_eq!(summary.noise, 0.01);
        let outcomes: Vec<Outcome> = summary.checks.iter().map(|c| c.outcome).collect();
        // At least 8 times at 1K; at least 2 times at 1M; from 1K on; no method of that name was run.
        assert_eq!(
            outcomes,
            [Outcome::Holds, Outcome::Fails, Outcome::Holds, Outcome::NotMeasurable]
        );
        assert_eq!(summary.checks[0].measured.map(|m| m.median), Some(10.0));
        assert_eq!(summary.checks[2].level.as_deref(), Some("1K"));
        assert_eq!(summary.verdict, Outcome::Partly);
        assert_eq!(summary.cells[3].speedup.map(|s| s.median), Some(significant(10.0 / 9.0)));
    }

    #[test]
    fn noise_makes_a_check_undecided() {
        let all = data(&[
            ("slow", "1K", &[9.0, 9.0, 9.0]),
            ("fast", "1K", &[1.0, 1.0, 1.0]),
            ("fast again", "1K", &[1.3, 1.3, 1.3]),
        ]);
        let summary = summarise(&sample(), &all).expect("summarises");
        assert_eq!(summary.checks[0].outcome, Outcome::Undecided);
    }

    #[test]
    fn the_noise_of_other_work_does_not_count() {
        let all = data(&[
            ("slow", "1K", &[9.0, 9.0, 9.0]),
            ("fast", "1K", &[1.0, 1.0, 1.0]),
            ("fast again", "1K", &[1.01, 1.01, 1.01]),
            ("fast", "1M", &[1.0, 1.0, 1.0]),
            ("fast again", "1M", &[2.0, 2.0, 2.0]),
        ]);
        let summary = summarise(&sample(), &all).expect("summarises");
        assert_eq!((summary.noise, summary.checks[0].outcome), (1.0, Outcome::Holds));
    }

    #[test]
    fn verdicts() {
        let check = |outcome| CheckResult {
            name: "a".into(),
            claim: "b".into(),
            carries: true,
            bound: String::new(),
            measured: None,
            level: None,
            outcome,
        };
        let of =
            |outcomes: &[Outcome]| verdict(&outcomes.iter().map(|o| check(*o)).collect::<Vec<_>>());
        use Outcome::*;
        assert_eq!(of(&[Holds, Holds, NotMeasurable]), Reproduced);
        assert_eq!(of(&[Holds, Undecided]), Partly);
        assert_eq!(of(&[Fails, Undecided]), Refuted);
        assert_eq!(of(&[Undecided]), Outcome::NotMeasurable);
        assert_eq!(of(&[]), Outcome::NotMeasurable);
    }
}
