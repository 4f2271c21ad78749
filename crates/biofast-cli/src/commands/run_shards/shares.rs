//! A share of a step: what one process of a run does, on whatever machine it is started.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result};
use biofast_ops::shards::GzipIndex;
use clap::ValueEnum;

use super::work::{Task, Work};
use crate::console::FaultKind;
use crate::embedded::{Outcome, Run};
use crate::session::{Exit, Session};

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Step {
    /// Create the folder --work and print its path
    Prepare,
    /// Plan the shards of each file
    Plan,
    /// Run the command on shards
    Shards,
    /// Print what is missing, as JSON
    Status,
    /// Merge the reports
    Merge,
}

impl Step {
    pub(super) fn name(self) -> &'static str {
        match self {
            Step::Prepare => "prepare",
            Step::Plan => "plan",
            Step::Shards => "shards",
            Step::Status => "status",
            Step::Merge => "merge",
        }
    }
}

/// Every `of`th plan or shard, from `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) index: usize,
    pub(super) of: usize,
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Share, &'static str> {
        let share = text.split_once('/').and_then(|(index, of)| {
            Some(Share { index: index.parse().ok()?, of: of.parse().ok()? })
        });
        share.filter(|share| share.index < share.of).ok_or("expected I/N, such as 0/8 to 7/8")
    }
}

impl Share {
    fn has(self, at: usize) -> bool {
        at % self.of == self.index
    }
}

/// Makes what is missing of a share.
pub(super) fn run(work: &Work, step: Step, share: Share, session: &mut Session) -> Result<Exit> {
    let mut exit = Exit::Fine;
    let mut made = |at: usize, make: &dyn Fn() -> Result<Outcome>| -> Result<()> {
        work.begin(step, at)?;
        let outcome = make()?;
        if outcome.code > 1 {
            exit = Exit::Failed;
            let (message, again) = why(&outcome);
            work.fail(step, at, &message, again)?;
            session.console.error(&format!("{}: {message}", work.called(step, at)?));
        } else {
            work.forget(step, &[at]);
        }
        Ok(())
    };
    if step == Step::Plan {
        for unit in (0..work.manifest.units.len()).filter(|unit| share.has(*unit)) {
            if work.plan(unit)?.is_none() {
                made(unit, &|| plan(work, unit))?;
            }
        }
        return Ok(exit);
    }
    for (at, task) in work.tasks()?.into_iter().enumerate().filter(|(at, _)| share.has(*at)) {
        let plan = work.plan(task.unit)?.context("its plan is gone")?;
        if !work.is_done(task, &plan) {
            made(at, &|| shard(work, task))?;
        }
    }
    Ok(exit)
}

/// Plans the shards of a unit.
fn plan(work: &Work, unit: usize) -> Result<Outcome> {
    let threads = format!("--threads={}", work.manifest.threads);
    if work.manifest.write_index {
        for file in work.files(unit)? {
            // One that is damaged or of another file isn't replaced: planning says what is wrong with it.
            if is_ordinary_gzip(&file)? && !GzipIndex::is_beside(&file) {
                let words = ["index".into(), threads.clone().into(), "--".into(), file.into()];
                let outcome = Run::new(words).run();
                if outcome.code > 0 {
                    return Ok(outcome);
                }
            }
        }
    }
    let mut words: Vec<OsString> = work.manifest.plan.iter().map(Into::into).collect();
    words.extend(["-o".into(), work.plan_path(unit).into(), "--".into()]);
    words.extend(work.manifest.units[unit].iter().map(Into::into));
    Ok(Run::new(words).run())
}

/// Makes the part of a shard.
fn shard(work: &Work, task: Task) -> Result<Outcome> {
    let mut words: Vec<OsString> = work.manifest.shard.iter().map(Into::into).collect();
    let mut shard: OsString = "--shard=".into();
    shard.push(work.plan_path(task.unit));
    shard.push(format!("#{}", task.number));
    let part = work.part_path(task);
    words.extend([shard, "-o".into(), part.clone().into()]);
    let outcome = Run::new(words).run();
    if outcome.code > 1 && part.exists() {
        // A report of what precedes a fault isn't a part.
        std::fs::remove_file(&part).with_context(|| part.display().to_string())?;
    }
    Ok(outcome)
}

/// What went wrong, and whether it may go well another time: not if it is in the data or the words.
fn why(outcome: &Outcome) -> (String, bool) {
    match &outcome.fault {
        Some(fault) => {
            let hint = fault.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            (format!("{}{hint}", fault.text), matches!(fault.kind, FaultKind::System(_)))
        }
        None => {
            let errors = outcome.messages.iter().filter(|message| message.level == "error");
            let errors: Vec<&str> = errors.map(|message| message.text.as_str()).collect();
            (errors.join("; "), false)
        }
    }
}

/// Whether a file is gzip that has no blocks to read apart.
fn is_ordinary_gzip(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    file.take(14).read_to_end(&mut start).with_context(|| path.display().to_string())?;
    Ok(start.starts_with(&[0x1f, 0x8b]) && start.get(12..14) != Some(b"BC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_all_of_a_step_once() {
        let shares: Vec<Share> = (0..3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for at in 0..20 {
            assert_eq!(shares.iter().filter(|share| share.has(at)).count(), 1, "{at}");
        }
        for wrong in ["3/3", "1", "/", "-1/2", "0/0"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }
}
