//! Runs one entry: all conditions interleaved in random order, each repetition measured and kept, answers
//! compared, the control beside its original. Called by `biofast-lab run`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::cell::{Cell, best};
use super::entry::{Cache, Entry, Outcome, Task};
use super::inputs::Lab;
use super::measurements::Measurement;
use super::page_cache;
use super::protocol::{Mode, Protocol, Scale};
use super::surroundings;
use super::usage::{self, Resources};
use crate::core::measure;
use crate::files;
use crate::rng::Rng;

const PURPOSE_ORDER: u64 = 0x6c61_626f;

/// What `run` was asked for.
pub(crate) struct Plan<'a> {
    pub(crate) scale: Scale,
    pub(crate) repetitions: usize,
    pub(crate) seed: u64,
    pub(crate) dir: &'a Path,
}

/// One condition under one of its names.
struct Condition<'a> {
    cell: Cell,
    again: bool,
    files: Vec<(PathBuf, Cache)>,
    /// None where conditions run in child processes.
    task: Option<Task<'a>>,
    calls: u64,
}

/// What a child process that runs one condition prints.
#[derive(Serialize, Deserialize)]
struct ChildReport {
    wall_s: f64,
    used: Resources,
    /// Of the whole process until then; not known on every system.
    peak_rss_kb: Option<u64>,
    outcome: Outcome,
}

/// Runs an entry and returns every measurement.
pub(crate) fn run(
    entry: &dyn Entry,
    protocol: &Protocol,
    lab: &Lab,
    plan: &Plan<'_>,
) -> Result<Vec<Measurement>> {
    let mut conditions = prepare(entry, protocol, lab, plan.scale)?;
    let mut answers = Answers::new(protocol);
    for condition in &mut conditions {
        warm_up(condition, protocol, plan, &mut answers)
            .with_context(|| format!("condition {}", condition.cell))?;
    }
    let mut rng = Rng::new(plan.seed, PURPOSE_ORDER, protocol.id.parse().unwrap_or(0));
    let mut order: Vec<usize> = (0..conditions.len()).collect();
    let mut all = Vec::with_capacity(conditions.len() * plan.repetitions);
    let start = Instant::now();
    for rep in 1..=plan.repetitions {
        rng.shuffle(&mut order);
        for (place, &index) in order.iter().enumerate() {
            let condition = &mut conditions[index];
            let (outcome, metrics) = measure_once(condition, entry, protocol, plan, lab)
                .and_then(|(outcome, metrics)| {
                    answers.check(&condition.cell, &outcome)?;
                    Ok((outcome, metrics))
                })
                .with_context(|| format!("condition {}, repetition {rep}", condition.cell))?;
            all.push(Measurement {
                cell: condition.cell.clone(),
                again: condition.again,
                rep,
                order: place + 1,
                calls: condition.calls,
                bytes: outcome.bytes,
                answer: outcome.answer,
                metrics,
            });
        }
        if rep == 1 {
            eprintln!(
                "{}: {} conditions, {} repetitions of {:.1} s",
                protocol.name(),
                conditions.len(),
                plan.repetitions,
                start.elapsed().as_secs_f64()
            );
        }
    }
    Ok(all)
}

/// Builds what is needed and makes every condition, and the control's second ones, ready.
fn prepare<'a>(
    entry: &dyn Entry,
    protocol: &Protocol,
    lab: &'a Lab,
    scale: Scale,
) -> Result<Vec<Condition<'a>>> {
    let cells: Vec<Cell> =
        protocol.cells(scale).into_iter().filter(|cell| entry.applies(cell)).collect();
    let mut controls: Vec<Cell> =
        best(cells.iter(), &protocol.control).into_iter().cloned().collect();
    if scale == Scale::Quick && controls.is_empty() {
        // The control's levels may be too large for a quick run.
        controls.extend(cells.first().cloned());
    }
    ensure!(!controls.is_empty(), "no condition matches the control");
    let mut conditions = Vec::new();
    for (cell, again) in
        cells.into_iter().map(|c| (c, false)).chain(controls.into_iter().map(|c| (c, true)))
    {
        let files = entry.files(&cell, lab).with_context(|| format!("files of {cell}"))?;
        let mut cold = files.iter().filter(|(_, cache)| *cache != Cache::Warm);
        if cold.any(|(path, _)| !page_cache::can_evict(path)) {
            continue;
        }
        let task = match protocol.mode {
            Mode::Process => None,
            Mode::InProcess => {
                Some(entry.prepare(&cell, lab).with_context(|| format!("condition {cell}"))?)
            }
        };
        conditions.push(Condition { cell, again, files, task, calls: 1 });
    }
    Ok(conditions)
}

/// One call that isn't measured, and how many make a repetition long enough.
fn warm_up(
    condition: &mut Condition<'_>,
    protocol: &Protocol,
    plan: &Plan<'_>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let Some(task) = &mut condition.task else { return Ok(()) };
    answers.check(&condition.cell, &timed(task, 1)?.0)?;
    // What starts with a cold cache can be done once only.
    if condition.files.iter().any(|(_, cache)| *cache == Cache::Cold) {
        return Ok(());
    }
    let at_least_s = protocol.at_least_ms / if plan.scale == Scale::Quick { 5e3 } else { 1e3 };
    loop {
        let start = Instant::now();
        task(condition.calls)?;
        let spent = start.elapsed().as_secs_f64();
        if spent >= at_least_s {
            return Ok(());
        }
        let factor = (at_least_s / spent.max(1e-9) * 1.1).clamp(1.5, 1000.0);
        condition.calls = (condition.calls as f64 * factor).ceil() as u64;
    }
}

fn measure_once(
    condition: &mut Condition<'_>,
    entry: &dyn Entry,
    protocol: &Protocol,
    plan: &Plan<'_>,
    lab: &Lab,
) -> Result<(Outcome, BTreeMap<String, f64>)> {
    let mut metrics = BTreeMap::new();
    let mut resident = None;
    for (path, cache) in &condition.files {
        let state = page_cache::establish(path, *cache)?;
        if let Some(folios) = state.folios {
            metrics.insert("folio_kb".to_owned(), folios.kb);
            metrics.insert("small_pages".to_owned(), folios.small);
        }
        let now = state.resident;
        // The file farthest from what was asked for.
        resident = Some(match (resident, cache) {
            (None, _) => now,
            (Some(other), Cache::Warm | Cache::Filled(_)) => now.min(other),
            (Some(other), Cache::Cold) => now.max(other),
        });
    }
    if let Some(resident) = resident {
        metrics.insert("resident".to_owned(), resident);
    }
    let stolen = surroundings::steal_s();
    let outcome = match &mut condition.task {
        Some(task) => {
            let (outcome, wall_s, used) = timed(task, condition.calls)?;
            let calls = condition.calls as f64;
            insert_used(&mut metrics, wall_s / calls, used, calls);
            outcome
        }
        None => {
            let environment = entry.environment(&condition.cell);
            run_child(&condition.cell, &environment, protocol, plan, lab, &mut metrics)?
        }
    };
    if let Some((before, after)) = stolen.zip(surroundings::steal_s()) {
        metrics.insert("steal_s".to_owned(), after - before);
    }
    metrics.extend(outcome.values.iter().cloned());
    Ok((outcome, metrics))
}

fn timed(task: &mut Task<'_>, calls: u64) -> Result<(Outcome, f64, Resources)> {
    let before = usage::now();
    let start = Instant::now();
    let outcome = task(calls)?;
    let wall_s = start.elapsed().as_secs_f64();
    let used = usage::now() - before;
    let outcome = if outcome.deferred { task(0)? } else { outcome };
    Ok((outcome, wall_s, used))
}

fn insert_used(metrics: &mut BTreeMap<String, f64>, wall_s: f64, used: Resources, calls: f64) {
    let mut insert = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
    insert("wall_s", wall_s);
    insert("user_s", used.user_s / calls);
    insert("sys_s", used.sys_s / calls);
    insert("minor_faults", used.minor_faults / calls);
    insert("major_faults", used.major_faults / calls);
}

/// Runs a condition in a process of its own.
fn run_child(
    cell: &Cell,
    environment: &[(&str, String)],
    protocol: &Protocol,
    plan: &Plan<'_>,
    lab: &Lab,
    metrics: &mut BTreeMap<String, f64>,
) -> Result<Outcome> {
    let program = std::env::current_exe().context("cannot find this program's own path")?;
    let (stdout, stderr) = (lab.scratch.join("stdout"), lab.scratch.join("stderr"));
    let dir = fs::canonicalize(plan.dir).context("cannot resolve the datasets directory")?;
    let args: Vec<OsString> = vec![
        "cell".into(),
        protocol.id.clone().into(),
        cell.to_argument().into(),
        "--scale".into(),
        plan.scale.name().into(),
        "--dir".into(),
        dir.into(),
        "--scratch".into(),
        lab.scratch.clone().into(),
    ];
    let usage =
        measure::run_with(&program, &args, environment, &lab.scratch, Some(&stdout), &stderr)?;
    if usage.exit != 0 {
        let text = fs::read_to_string(&stderr).unwrap_or_default();
        bail!("exit code {}: {}", usage.exit, text.trim());
    }
    let report: ChildReport = files::read_json(&stdout)?;
    insert_used(metrics, report.wall_s, report.used, 1.0);
    let mut insert = |name: &str, value: f64| metrics.insert(name.to_owned(), value);
    insert("process_s", usage.wall_s);
    insert("process_faults", (usage.minor_faults + usage.major_faults) as f64);
    insert("max_rss_kb", usage.max_rss_kb as f64);
    insert("peak_rss_kb", report.peak_rss_kb.unwrap_or(usage.max_rss_kb) as f64);
    insert("read_blocks", usage.in_blocks as f64);
    if let Some(kb) = usage.peak_anon_kb {
        insert("peak_anon_kb", kb as f64);
    }
    Ok(report.outcome)
}

/// What a child process does: one condition, once. Prints a [`ChildReport`].
pub(crate) fn run_cell(entry: &dyn Entry, cell: &Cell, lab: &Lab) -> Result<()> {
    let mut task = entry.prepare(cell, lab)?;
    let (outcome, wall_s, used) = timed(&mut task, 1)?;
    let report = ChildReport { wall_s, used, peak_rss_kb: usage::peak_rss_kb(), outcome };
    println!("{}", serde_json::to_string(&report).context("cannot serialise the report")?);
    Ok(())
}

/// The answer of each group of conditions that do the same work.
struct Answers<'a> {
    factors: &'a [String],
    known: BTreeMap<Cell, (Cell, String, u64)>,
}

impl<'a> Answers<'a> {
    fn new(protocol: &'a Protocol) -> Self {
        Answers { factors: &protocol.equal_work, known: BTreeMap::new() }
    }

    /// Fails if another condition of the same work answered otherwise, or worked on other bytes.
    fn check(&mut self, cell: &Cell, outcome: &Outcome) -> Result<()> {
        let (first, answer, bytes) = self
            .known
            .entry(cell.only(self.factors))
            .or_insert_with(|| (cell.clone(), outcome.answer.clone(), outcome.bytes));
        ensure!(
            *answer == outcome.answer,
            "the answer is {}, but {answer} of {first}",
            outcome.answer
        );
        ensure!(
            *bytes == outcome.bytes,
            "it worked on {} bytes, but {first} on {bytes}",
            outcome.bytes
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_different_answer_to_the_same_work_is_an_error() {
        let factors = ["reads".to_owned()];
        let mut answers = Answers { factors: &factors, known: BTreeMap::new() };
        let cell =
            |method: &str, reads: &str| Cell::default().with("method", method).with("reads", reads);
        answers.check(&cell("a", "1K"), &Outcome::new(5, 10)).expect("first");
        answers.check(&cell("b", "1K"), &Outcome::new(5, 10)).expect("same");
        answers.check(&cell("a", "10K"), &Outcome::new(50, 100)).expect("other work");
        let error = answers.check(&cell("c", "1K"), &Outcome::new(6, 10)).expect_err("differs");
        assert_eq!(error.to_string(), "the answer is 6, but 5 of a · 1K");
        answers.check(&cell("c", "1K"), &Outcome::new(5, 9)).expect_err("other bytes");
    }
}
