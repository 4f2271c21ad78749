//! From measurements to medians, ratios and the verdict: `summary.json`. Everything here follows from the
//! protocol with its notes and the measurements, so that `check` can do it again and compare.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::cell::{Cell, best, scaled};
use super::measurements::Measurement;
use super::protocol::{Against, Check, Protocol};
use super::verdict::{self, Bounds, CheckResult, Outcome, judge};
use crate::core::stats::{self, Interval, median_interval, paired_ratio, significant};

/// The file's name in a folder of results.
pub(crate) const NAME: &str = "summary.json";

/// What a run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) verdict: Outcome,
    /// What the protocol's rule alone says.
    pub(crate) as_written: Outcome,
    /// Nothing says which code was measured, so that the verdict is undecided.
    pub(crate) unbound: bool,
    /// The probability that an interval holds the true median.
    pub(crate) coverage: f64,
    /// How far the same condition under two names differed: the largest deviation of a median ratio from 1.
    pub(crate) noise: f64,
    /// The largest deviation from 1 of an end of such a ratio's interval.
    pub(crate) spread: f64,
    pub(crate) control: Vec<ControlResult>,
    pub(crate) checks: Vec<CheckResult>,
    pub(crate) cells: Vec<CellResult>,
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
    /// Repetitions of several threads that took turns on one core.
    pub(crate) serial: usize,
}

/// A condition under two names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ControlResult {
    pub(crate) levels: BTreeMap<String, String>,
    /// Second name divided by first.
    pub(crate) ratio: Interval,
}

/// Measurements by condition.
struct Data<'a> {
    protocol: &'a Protocol,
    main: BTreeMap<Cell, Vec<&'a Measurement>>,
    again: BTreeMap<Cell, Vec<&'a Measurement>>,
}

pub(crate) fn summarise(protocol: &Protocol, all: &[Measurement]) -> Result<Summary> {
    let data = Data::new(protocol, all.iter());
    let parallel = Data::new(protocol, all.iter().filter(|m| !ran_serially(m)));
    let control = data.controls(&protocol.metric)?;
    let noise =
        significant(control.iter().map(|c| (c.ratio.median - 1.0).abs()).fold(0.0, f64::max));
    let any_serial = all.iter().any(ran_serially);
    let checks = protocol.verdict.checks.iter().map(|check| {
        let result = data.check(check)?;
        if any_serial { Ok(result.confirmed_by(&parallel.check(check)?)) } else { Ok(result) }
    });
    let checks: Vec<CheckResult> = checks.collect::<Result<_>>()?;
    let mut cells = Vec::new();
    let mut seen = BTreeSet::new();
    // In the order of the protocol, as far as it knows the levels.
    for cell in protocol.cells(super::protocol::Scale::Full).iter().chain(data.main.keys()) {
        if let Some(own) = data.main.get(cell).filter(|_| seen.insert(cell.clone())) {
            cells.push(data.summarise_cell(cell, own)?);
        }
    }
    let ends = control.iter().flat_map(|c| [c.ratio.low, c.ratio.high]);
    Ok(Summary {
        verdict: verdict::verdict(protocol, &checks),
        as_written: verdict::as_written(protocol, &checks),
        unbound: false,
        coverage: stats::coverage(cells.iter().map(|cell| cell.repetitions).max().unwrap_or(0)),
        noise,
        spread: significant(ends.map(|end| (end - 1.0).abs()).fold(0.0, f64::max)),
        control,
        checks,
        cells,
    })
}

/// The factor whose levels are numbers of threads.
const THREADS: &str = "threads";
/// Levels of it that ask for one.
const ONE_THREAD: [&str; 3] = ["", "1", "one"];
/// Several threads that used no more CPU time than this for a second of wall time took turns.
const SERIAL_CORES: f64 = 1.1;
/// In shorter calls CPU time is about as long as waking a thread, whatever the cores did.
const SERIAL_FROM_S: f64 = 1e-3;

/// Whether the threads of a repetition took turns instead of running beside each other: such a one says where the
/// system put them, and nothing about the memory or the work.
fn ran_serially(m: &Measurement) -> bool {
    let cores = || Some(m.metric("cpu_s")? / m.metric("wall_s").filter(|s| *s >= SERIAL_FROM_S)?);
    !ONE_THREAD.contains(&m.cell.get(THREADS)) && cores().is_some_and(|n| n <= SERIAL_CORES)
}

const ONE: Interval = Interval { median: 1.0, low: 1.0, high: 1.0 };

impl CheckResult {
    /// An outcome stands if it is the same without the repetitions that ran serially.
    fn confirmed_by(mut self, parallel: &CheckResult) -> CheckResult {
        if self.by_bound != parallel.by_bound {
            self.by_bound = Outcome::Undecided;
        }
        if self.outcome == parallel.outcome || self.outcome == Outcome::Undecided {
            return self;
        }
        let note = format!("{} only with the repetitions that ran serially", self.outcome.text());
        let note = self.note.map_or(note.clone(), |own| format!("{own}; {note}"));
        CheckResult { outcome: Outcome::Undecided, note: Some(note), ..self }
    }
}

impl Summary {
    /// What needs more cores than there were says nothing; the rule as written takes no heed of it.
    pub(crate) fn on_cores(&mut self, cores: usize, protocol: &Protocol) {
        for (check, rule) in self.checks.iter_mut().zip(&protocol.verdict.checks) {
            if rule.needs_cores.is_some_and(|needed| cores < needed) {
                check.outcome = Outcome::NotMeasurable;
            }
        }
        self.verdict = verdict::verdict(protocol, &self.checks);
    }

    /// Of a run that no commit stands for.
    pub(crate) fn unbind(&mut self) {
        self.unbound = true;
        self.verdict = Outcome::Undecided;
    }
}

impl<'a> Data<'a> {
    fn new(protocol: &'a Protocol, all: impl Iterator<Item = &'a Measurement>) -> Self {
        let mut data = Data { protocol, main: BTreeMap::new(), again: BTreeMap::new() };
        for m in all {
            let map = if m.again { &mut data.again } else { &mut data.main };
            map.entry(m.cell.clone()).or_default().push(m);
        }
        data
    }
}

impl Data<'_> {
    /// What the conditions under two names differ by in a metric: exact metrics, such as calls, in nothing.
    fn controls(&self, metric: &str) -> Result<Vec<ControlResult>> {
        let result = |(cell, again): (&Cell, &Vec<&Measurement>)| {
            let main = self.main.get(cell).with_context(|| format!("no original of {cell}"))?;
            let ratio = self.ratio(again, main, metric).unwrap_or(ONE);
            Ok(ControlResult { levels: levels(cell), ratio: ratio.significant() })
        };
        // Where only some repetitions are looked at, an original may have none of them.
        self.again.iter().filter(|(cell, _)| self.main.contains_key(*cell)).map(result).collect()
    }

    /// The metric of `a` divided by that of `b`, paired by repetition.
    fn ratio(&self, a: &[&Measurement], b: &[&Measurement], metric: &str) -> Option<Interval> {
        let by_rep = |all: &[&Measurement]| -> BTreeMap<usize, f64> {
            all.iter().filter_map(|m| Some((m.rep, m.metric(metric)?))).collect()
        };
        let b = by_rep(b);
        let (a, b): (Vec<f64>, Vec<f64>) =
            by_rep(a).into_iter().filter_map(|(rep, a)| Some((a, *b.get(&rep)?))).unzip();
        paired_ratio(&a, &b)
    }

    fn summarise_cell(&self, cell: &Cell, own: &[&Measurement]) -> Result<CellResult> {
        let values =
            |name: &str| -> Vec<f64> { own.iter().filter_map(|m| m.metric(name)).collect() };
        let metric = median_interval(&values(&self.protocol.metric))
            .with_context(|| format!("{cell} has no {}", self.protocol.metric))?;
        let mut names: BTreeSet<&str> =
            own.iter().flat_map(|m| m.metrics.keys().map(String::as_str)).collect();
        // The median of the sums, not the sum of the medians.
        names.insert("cpu_s");
        let medians = names.iter().filter_map(|name| {
            let median = stats::median(&values(name))?;
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
            metric: metric.significant(),
            speedup: speedup.map(Interval::significant),
            medians: medians.collect(),
            serial: own.iter().filter(|m| ran_serially(m)).count(),
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
        let by = |bounds| measured.map_or(Outcome::NotMeasurable, |e| judge(bounds, e, noise));
        let (registered, common) = (Bounds::registered(check), Bounds::common(check, metric));
        let by_bound = by(registered);
        let mut notes: Vec<String> = check.note.iter().cloned().collect();
        let mut bound = registered.text();
        if common != registered {
            bound += &format!("; within a fifth of the claim: {}", common.text());
        }
        let outcome = match by_bound {
            Outcome::Held if by(common) != Outcome::Held => {
                notes.push(
                    "its bound is met, but not within a fifth of the value claimed".to_owned(),
                );
                Outcome::Undecided
            }
            outcome => outcome,
        };
        Ok(CheckResult {
            name: check.name.clone(),
            claim: check.claim.clone(),
            carries: check.carries,
            set_aside: check.set_aside,
            bound,
            measured: measured.map(Interval::significant),
            level,
            outcome,
            by_bound,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        })
    }

    fn value(
        &self,
        of: &BTreeMap<String, String>,
        over: &BTreeMap<String, String>,
        metric: &str,
    ) -> Option<Interval> {
        let own = self.one(of)?;
        if over.is_empty() {
            let values: Vec<f64> = own.iter().filter_map(|m| m.metric(metric)).collect();
            return median_interval(&values);
        }
        self.ratio(own, self.one(over)?, metric)
    }

    /// One ratio divided by another, paired by repetition.
    fn interaction(&self, check: &Check, against: &Against, metric: &str) -> Option<Interval> {
        let values = |levels: &BTreeMap<String, String>| -> Option<BTreeMap<usize, f64>> {
            let own = self.one(levels)?;
            Some(own.iter().filter_map(|m| Some((m.rep, m.metric(metric)?))).collect())
        };
        let (a, b) = (values(&check.of)?, values(&check.over)?);
        let (c, d) = (values(&against.of)?, values(&against.over)?);
        let products =
            a.iter().filter_map(|(rep, a)| Some((a * d.get(rep)?, b.get(rep)? * c.get(rep)?)));
        let (above, below): (Vec<f64>, Vec<f64>) = products.unzip();
        paired_ratio(&above, &below)
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

    /// Between which levels the smallest lies from which on the ratio is above 1, beyond the noise, at all larger ones.
    /// The interval is infinite above where the largest level isn't above 1, or isn't surely so.
    fn first_above_one(
        &self,
        check: &Check,
        metric: &str,
        factor: &str,
        control: &[ControlResult],
    ) -> (Option<Interval>, Option<String>) {
        let levels: BTreeSet<&str> = self.main.keys().map(|cell| cell.get(factor)).collect();
        let mut levels: Vec<(f64, &str)> = levels
            .into_iter()
            .filter_map(|level| {
                Some((check.scale.get(level).copied().or_else(|| scaled(level))?, level))
            })
            .collect();
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        // From the largest down: what surely pays, then what may, until a level that surely doesn't.
        let (mut surely, mut perhaps) = (None, None);
        let mut largest = None;
        for (scale, level) in levels.into_iter().rev() {
            let at = |levels: &BTreeMap<String, String>| {
                let mut levels = levels.clone();
                levels.insert(factor.to_owned(), level.to_owned());
                levels
            };
            let Some(ratio) = self.value(&at(&check.of), &at(&check.over), metric) else {
                continue;
            };
            largest = largest.or(Some((scale, level)));
            let noise = 1.0 + self.noise_at(&at(&check.of), control);
            if ratio.high < noise.recip() {
                break;
            }
            if ratio.low > noise && surely == perhaps {
                surely = Some((scale, level));
            }
            perhaps = Some((scale, level));
        }
        let Some(largest) = largest else { return (None, None) };
        let (low, high, text) = match (perhaps, surely) {
            // It doesn't pay at the largest: if it ever does, then beyond.
            (None, _) => (largest.0, f64::INFINITY, format!("beyond {}, if at all", largest.1)),
            (Some(low), Some(high)) if low == high => (low.0, high.0, low.1.to_owned()),
            (Some(low), Some(high)) => (low.0, high.0, format!("between {} and {}", low.1, high.1)),
            (Some(low), None) => (low.0, f64::INFINITY, format!("{} or more, if at all", low.1)),
        };
        (Some(Interval { median: high, low, high }), Some(text))
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
            [Outcome::Held, Outcome::Failed, Outcome::Held, Outcome::NotMeasurable]
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
        assert_eq!((summary.noise, summary.checks[0].outcome), (1.0, Outcome::Held));
    }

    #[test]
    fn a_threshold_is_a_range_where_levels_are_undecided() {
        let from_where = |all: &[Measurement]| {
            let summary = summarise(&sample(), all).expect("summarises");
            let check =
                summary.checks.into_iter().find(|c| c.name == "from where").expect("is there");
            (check.level.unwrap_or_default(), check.outcome)
        };
        let of = |small: &[f64], large: &[f64]| {
            let one = &[1.0; 3][..];
            from_where(&data(&[
                ("slow", "1K", one),
                ("slow", "1M", one),
                ("fast", "1K", small),
                ("fast", "1M", large),
            ]))
        };
        let (quick, late, either) = ([0.5, 0.5, 0.5], [2.0, 2.0, 2.0], [0.5, 1.0, 2.0]);
        assert_eq!(of(&quick, &quick), ("1K".into(), Outcome::Held));
        assert_eq!(of(&late, &quick), ("1M".into(), Outcome::Failed));
        assert_eq!(of(&either, &quick), ("between 1K and 1M".into(), Outcome::Undecided));
        assert_eq!(of(&quick, &either), ("1K or more, if at all".into(), Outcome::Undecided));
        assert_eq!(of(&late, &either), ("1M or more, if at all".into(), Outcome::Failed));
        assert_eq!(of(&quick, &late), ("beyond 1M, if at all".into(), Outcome::Failed));
    }

    #[test]
    fn threads_that_took_turns_decide_nothing() {
        let protocol: Protocol = toml::from_str(
            &super::super::protocol::tests::TEXT
                .replace("name = \"method\"", "name = \"threads\"")
                .replace("method", "threads"),
        )
        .expect("parses");
        let measurement =
            |(threads, again, rep, wall, cpu): (&str, bool, usize, f64, f64)| Measurement {
                cell: Cell::default().with("threads", threads).with("reads", "1K"),
                again,
                rep,
                order: 1,
                calls: 1,
                bytes: 100,
                answer: "x".into(),
                metrics: [("wall_s", wall), ("user_s", cpu), ("sys_s", 0.0)]
                    .map(|(n, v)| (n.to_owned(), v))
                    .into(),
            };
        let summary = |cpu: f64| {
            let mut all = Vec::new();
            for rep in 1..=9 {
                all.push(measurement(("slow", false, rep, 1.0, 1.9)));
                all.push(measurement(("fast", true, rep, 1.0, 1.9)));
                // One of nine ran beside another; the others may have taken turns.
                let (wall, cpu) = if rep == 1 { (0.1, 0.19) } else { (1.0, cpu) };
                all.push(measurement(("fast", false, rep, wall, cpu)));
            }
            summarise(&protocol, &all).expect("summarises")
        };
        let parallel = summary(1.9);
        assert_eq!(parallel.checks[0].outcome, Outcome::Failed);
        let serial = summary(1.0);
        assert_eq!(serial.checks[0].outcome, Outcome::Undecided);
        let note = serial.checks[0].note.as_deref();
        assert_eq!(note, Some("failed only with the repetitions that ran serially"));
        let fast = serial.cells.iter().find(|c| c.levels["threads"] == "fast");
        assert_eq!(fast.map(|c| c.serial), Some(8));
    }
}
