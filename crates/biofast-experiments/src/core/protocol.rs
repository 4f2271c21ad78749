//! `experiments/NNN-slug/protocol.toml`: what an entry asks, what it expects and how its verdict is reached.
//! Written before the run; results carry its checksum, so that a later change is noticed.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::cell::Cell;
use super::notes::Notes;
use crate::datasets::to_hex;
use crate::files;

/// The file's name in an entry's folder.
pub(crate) const NAME: &str = "protocol.toml";

/// One entry as it was declared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Protocol {
    /// Three digits.
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) title: String,
    /// Part of the notebook file's name: `kernel`, `stream`, `io`, `memory`, …
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) question: String,
    /// What the earlier document stated.
    pub(crate) claim: String,
    /// Where it was stated, on which machine.
    pub(crate) source: String,
    /// What was wrong with how it was measured.
    pub(crate) known_faults: String,
    pub(crate) prediction: String,
    pub(crate) refuted_if: String,
    /// What a condition does, and on what.
    pub(crate) workload: String,
    /// The column of the measurements that tables and figures are made of: `wall_s`, `user_s`, `cpu_s`,
    /// `minor_faults`, `max_rss_kb`, … or the name of a value of the entry's own.
    pub(crate) metric: String,
    pub(crate) mode: Mode,
    pub(crate) repetitions: usize,
    #[serde(default = "default_quick_repetitions")]
    pub(crate) quick_repetitions: usize,
    /// A repetition calls its condition until this much time has passed, and is divided by the number of calls.
    #[serde(default)]
    pub(crate) at_least_ms: f64,
    /// Conditions with the same levels of these factors must give the same answer.
    pub(crate) equal_work: Vec<String>,
    #[serde(rename = "factor")]
    pub(crate) factors: Vec<Factor>,
    /// Conditions with these levels run under a second name, which bounds what may be claimed.
    pub(crate) control: BTreeMap<String, String>,
    /// What others are divided by: the condition with these levels and, in other factors, the same.
    pub(crate) baseline: BTreeMap<String, String>,
    pub(crate) table: Table,
    pub(crate) figure: Figure,
    pub(crate) verdict: Verdict,
    #[serde(skip)]
    pub(crate) sha256: String,
    /// What is said about the entry beside it; already applied to the checks.
    #[serde(skip)]
    pub(crate) notes: Notes,
}

fn default_quick_repetitions() -> usize {
    3
}

/// Where conditions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// In the laboratory's own process; resources from getrusage.
    InProcess,
    /// One child process a measurement; resources from wait4.
    Process,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Factor {
    pub(crate) name: String,
    /// One line for the notebook.
    pub(crate) about: String,
    pub(crate) levels: Vec<String>,
    /// Levels of a quick run, if others.
    pub(crate) quick: Option<Vec<String>>,
    /// Levels added by `--full`.
    #[serde(default)]
    pub(crate) full: Vec<String>,
}

/// Which factor goes across the tables; the others make the rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    pub(crate) columns: String,
    /// Further columns of the measurements that get a table of their own.
    #[serde(default)]
    pub(crate) also: Vec<String>,
}

/// What is drawn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    pub(crate) x: String,
    /// Factors whose combinations get a line each.
    pub(crate) series: Vec<String>,
    /// Only conditions with these levels.
    #[serde(default)]
    pub(crate) only: BTreeMap<String, String>,
    pub(crate) y: FigureValue,
    #[serde(default)]
    pub(crate) log: bool,
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
}

/// What a figure's points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FigureValue {
    Metric,
    /// The baseline's metric divided by the condition's: above 1 is faster than the baseline.
    Speedup,
    /// Megabytes (10^6) of work a second.
    Throughput,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    /// In words.
    pub(crate) rule: String,
    /// Where the rule calls a claim partly reproduced only if certain checks hold, and refuted otherwise: their names.
    #[serde(default)]
    pub(crate) partly_needs: Vec<String>,
    #[serde(rename = "check")]
    pub(crate) checks: Vec<Check>,
}

/// One statement about the data: true, false or undecided.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    pub(crate) name: String,
    /// As the earlier document has it, in words.
    pub(crate) claim: String,
    #[serde(default)]
    pub(crate) metric: Option<String>,
    /// The condition looked at.
    pub(crate) of: BTreeMap<String, String>,
    /// The condition it is divided by, repetition by repetition; without it the metric itself is looked at.
    #[serde(default)]
    pub(crate) over: BTreeMap<String, String>,
    /// The ratio is divided by the ratio of these two conditions.
    #[serde(default)]
    pub(crate) against: Option<Against>,
    /// With a factor here: the first of its levels, in order, from which on the ratio's whole interval is above 1
    /// at all larger levels; the levels must be numbers or named in [`Check::scale`].
    #[serde(default)]
    pub(crate) first_above_one: Option<String>,
    /// What a level that isn't a number stands for.
    #[serde(default)]
    pub(crate) scale: BTreeMap<String, f64>,
    #[serde(default)]
    pub(crate) at_least: Option<f64>,
    #[serde(default)]
    pub(crate) at_most: Option<f64>,
    /// False for a prediction of ours, which is reported but doesn't carry the verdict on the claim.
    #[serde(default = "yes")]
    pub(crate) carries: bool,
    /// What the entry's notes say about it.
    #[serde(skip)]
    pub(crate) note: Option<String>,
    /// Set aside after the run: it carries the verdict still, which is then undecided.
    #[serde(skip)]
    pub(crate) set_aside: bool,
    /// With fewer cores it can't hold, whatever is true elsewhere.
    #[serde(skip)]
    pub(crate) needs_cores: Option<usize>,
}

/// A second ratio, for statements about how two factors act together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Against {
    pub(crate) of: BTreeMap<String, String>,
    pub(crate) over: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}

impl Protocol {
    /// Reads and checks the protocol in an entry's folder.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = files::read(&path)?;
        let mut protocol: Protocol =
            toml::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        protocol.sha256 = to_hex(&Sha256::digest(text.as_bytes()));
        protocol.notes = Notes::read(folder)?;
        protocol.notes.apply(&mut protocol.verdict.checks)?;
        protocol.validate().with_context(|| format!("{}", path.display()))?;
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ensure!(
            folder_name == protocol.name(),
            "{} is the protocol of {}",
            path.display(),
            protocol.name()
        );
        Ok(protocol)
    }

    /// Whether a run that followed a protocol of that checksum followed this one, or one whose changes since are
    /// written down with their reason.
    pub(crate) fn is_followed(&self, sha256: &str) -> bool {
        self.sha256 == sha256 || self.notes.amendments.iter().any(|a| a.protocol_sha256 == sha256)
    }

    /// `NNN-slug`.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.id, self.slug)
    }

    fn validate(&self) -> Result<()> {
        let texts = [
            ("title", &self.title),
            ("type", &self.kind),
            ("question", &self.question),
            ("claim", &self.claim),
            ("source", &self.source),
            ("known_faults", &self.known_faults),
            ("prediction", &self.prediction),
            ("refuted_if", &self.refuted_if),
            ("workload", &self.workload),
            ("metric", &self.metric),
            ("verdict.rule", &self.verdict.rule),
        ];
        for (field, text) in texts {
            ensure!(!text.trim().is_empty(), "{field} is empty");
        }
        ensure!(
            self.id.len() == 3 && self.id.bytes().all(|b| b.is_ascii_digit()),
            "id {:?} isn't three digits",
            self.id
        );
        ensure!(self.repetitions >= 3 && self.quick_repetitions >= 2, "too few repetitions");
        ensure!(!self.verdict.checks.is_empty(), "the verdict has no check");
        self.check_levels("control", &self.control)?;
        self.check_levels("baseline", &self.baseline)?;
        ensure!(!self.control.is_empty(), "no control");
        let factor = |name: &String| {
            ensure!(self.factors.iter().any(|f| f.name == *name), "no factor is called {name:?}");
            Ok(())
        };
        factor(&self.table.columns)?;
        factor(&self.figure.x)?;
        self.figure.series.iter().try_for_each(factor)?;
        self.equal_work.iter().try_for_each(factor)?;
        self.check_levels("figure.only", &self.figure.only)?;
        for check in &self.verdict.checks {
            let place = format!("check {:?}", check.name);
            self.check_levels(&place, &check.of)?;
            self.check_levels(&place, &check.over)?;
            if let Some(against) = &check.against {
                self.check_levels(&place, &against.of)?;
                self.check_levels(&place, &against.over)?;
            }
            check.first_above_one.iter().try_for_each(factor)?;
            ensure!(check.at_least.is_some() || check.at_most.is_some(), "{place} has no bound");
        }
        for name in &self.verdict.partly_needs {
            let carries = self.verdict.checks.iter().any(|c| c.carries && c.name == *name);
            ensure!(carries, "verdict.partly_needs: no check {name:?} carries the verdict");
        }
        Ok(())
    }

    fn check_levels(&self, place: &str, levels: &BTreeMap<String, String>) -> Result<()> {
        for (name, level) in levels {
            let factor = self
                .factors
                .iter()
                .find(|f| f.name == *name)
                .with_context(|| format!("{place}: no factor is called {name:?}"))?;
            ensure!(
                level == super::cell::BEST_SIMD
                    || factor.levels.contains(level)
                    || factor.full.contains(level)
                    || factor.quick.as_ref().is_some_and(|quick| quick.contains(level)),
                "{place}: {name} has no level {level:?}"
            );
        }
        Ok(())
    }

    /// All combinations of levels at a scale, the last factor changing fastest.
    pub(crate) fn cells(&self, scale: Scale) -> Vec<Cell> {
        let mut cells = vec![Cell::default()];
        for factor in &self.factors {
            let mut levels = match (&factor.quick, scale) {
                (Some(quick), Scale::Quick) => quick.clone(),
                _ => factor.levels.clone(),
            };
            if scale == Scale::Full {
                levels.extend(factor.full.iter().cloned());
            }
            cells = cells
                .iter()
                .flat_map(|cell| levels.iter().map(|level| cell.with(&factor.name, level)))
                .collect();
        }
        cells
    }
}

/// How large a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Seconds an entry; for tests and CI.
    Quick,
    /// What results are made of.
    Normal,
    /// With the opt-in levels (10M reads).
    Full,
}

impl Scale {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Normal => "normal",
            Scale::Full => "full",
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A protocol with two methods, two sizes and four checks.
    pub(crate) const TEXT: &str = r#"
id = "999"
slug = "example"
title = "An example"
type = "kernel"
question = "Is fast faster?"
claim = "Ten times."
source = "A test."
known_faults = "None."
prediction = "Ten times."
refuted_if = "It is not."
workload = "Nothing."
metric = "wall_s"
mode = "in-process"
repetitions = 3
equal_work = ["reads"]
control = { method = "fast", reads = "1K" }
baseline = { method = "slow" }

[[factor]]
name = "method"
about = "How."
levels = ["slow", "fast", "faster"]

[[factor]]
name = "reads"
about = "How many."
levels = ["1K", "1M"]
quick = ["1K"]
full = ["10M"]

[table]
columns = "reads"

[figure]
x = "reads"
series = ["method"]
y = "speedup"
title = "Fast and slow"
x_label = "reads"
y_label = "times faster"

[verdict]
rule = "All of it."

[[verdict.check]]
name = "small"
claim = "8×"
of = { method = "slow", reads = "1K" }
over = { method = "fast", reads = "1K" }
at_least = 8.0

[[verdict.check]]
name = "large"
claim = "2×"
of = { method = "slow", reads = "1M" }
over = { method = "fast", reads = "1M" }
at_least = 2.0

[[verdict.check]]
name = "from where"
claim = "1K"
of = { method = "slow" }
over = { method = "fast" }
first_above_one = "reads"
at_most = 1000.0

[[verdict.check]]
name = "missing"
claim = "3×"
of = { method = "slow", reads = "1K" }
over = { method = "faster", reads = "1K" }
at_least = 3.0
"#;

    /// [`TEXT`], read.
    pub(crate) fn sample() -> Protocol {
        let protocol: Protocol = toml::from_str(TEXT).expect("parses");
        protocol.validate().expect("valid");
        protocol
    }

    #[test]
    fn an_unknown_level_is_named() {
        let text = TEXT.replace("control = { method = \"fast\"", "control = { method = \"fats\"");
        let protocol: Protocol = toml::from_str(&text).expect("parses");
        let error = protocol.validate().expect_err("no such level").to_string();
        assert_eq!(error, "control: method has no level \"fats\"");
    }

    #[test]
    fn an_empty_field_is_named() {
        let text = TEXT.replace("\"Is fast faster?\"", "\" \"");
        let protocol: Protocol = toml::from_str(&text).expect("parses");
        assert_eq!(protocol.validate().expect_err("empty").to_string(), "question is empty");
    }
}
