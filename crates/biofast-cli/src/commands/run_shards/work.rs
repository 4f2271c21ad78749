//! The folder of a run: what was planned and what is done, in files that appear when they are complete.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_io::{TextBounds, display_name};
use biofast_ops::shards::{MAX_SHARDS, Plan};
use serde::{Deserialize, Serialize};

use super::manifest::{FileBeside, RunManifest};
use super::shares::Step;
use super::{absolute, manifest};
use crate::console::Hinted;
use crate::{inputs, parts};

/// Folders of its own that a run has.
const FOLDERS: [&str; 3] = ["plans", "parts", "logs"];

/// A run.
pub(super) struct Work {
    folder: PathBuf,
    pub(super) manifest: RunManifest,
}

/// A shard: its file or pair, from 0, and its number there, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) unit: usize,
    pub(super) number: u64,
}

/// What became of a plan or a shard that isn't there.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Failure {
    /// What failed, where, and why.
    pub(super) text: String,
    /// Whether it may succeed if it is run again.
    pub(super) again: bool,
}

/// What is noted while something is made.
#[derive(Serialize, Deserialize)]
struct ShardLog {
    host: String,
    /// The error, if there is one.
    message: Option<String>,
    again: bool,
}

impl Work {
    /// The run in this folder, which is made unless it is there.
    ///
    /// # Errors
    /// If another run is in the folder, or the files have changed since it began.
    pub(super) fn create(folder: &Path, manifest: RunManifest) -> Result<Work> {
        let work = Work { folder: absolute(folder)?, manifest };
        let other = |what: &str| Hinted {
            message: format!("{}: {what}", display_name(folder)),
            hint: "remove the folder, or name another one with --work".into(),
        };
        if !work.path("run.json").exists() {
            fs::create_dir_all(&work.folder)
                .with_context(|| format!("can't create {}", work.folder.display()))?;
            // All that a run has is removed with it: what others have must not be there.
            let is_empty = fs::read_dir(&work.folder)?.next().is_none();
            if is_empty && work.begin_run()? {
                return Ok(work);
            }
            // Another one may have begun it at the same time.
            if !work.path("run.json").exists() {
                return Err(other("not empty, and not of a run").into());
            }
        }
        let mut there = Work::open(folder)?;
        // Who was told that a seek index is missing may have it written, and continues the same run.
        let is_as_before = there.manifest.write_index == work.manifest.write_index;
        there.manifest.write_index = work.manifest.write_index;
        if there.manifest != work.manifest {
            return Err(other("the folder of another run").into());
        }
        for (unit, files) in work.manifest.units.iter().enumerate() {
            let Some(plan) = work.plan(unit)? else { continue };
            for (at, file) in files.iter().enumerate() {
                plan.check_file(at, Path::new(file), false).map_err(|error| {
                    other(&format!("a file has changed since the run began: {error}"))
                })?;
            }
        }
        if !is_as_before {
            work.write("run.json", &serde_json::to_vec_pretty(&work.manifest)?)?;
        }
        Ok(work)
    }

    /// Writes down what is run in an empty folder; false if that has been done meanwhile.
    fn begin_run(&self) -> Result<bool> {
        let path = self.path("run.json");
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec_pretty(&self.manifest)?)?;
        match file.persist_noclobber(&path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Ok(false);
            }
            Err(error) => {
                return Err(error.error).with_context(|| format!("can't write {}", path.display()));
            }
        }
        for name in FOLDERS {
            let path = self.path(name);
            fs::create_dir_all(&path)
                .with_context(|| format!("can't create {}", path.display()))?;
        }
        Ok(true)
    }

    /// Makes sure that nobody else drives the run.
    ///
    /// # Errors
    /// If somebody does.
    pub(super) fn lock(&self) -> Result<File> {
        let path = self.path("run.json");
        let file = File::open(&path).with_context(|| path.display().to_string())?;
        // Where files can't be locked, nobody can tell.
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Hinted {
                message: format!("{}: this run is under way", display_name(&self.folder)),
                hint: "wait for it, or name another folder with --work".into(),
            }
            .into()),
            _ => Ok(file),
        }
    }

    /// The run in this folder.
    ///
    /// # Errors
    /// If there is none, or not one of this version or with paths as they are here.
    pub(super) fn open(folder: &Path) -> Result<Work> {
        let folder = absolute(folder)?;
        let path = folder.join("run.json");
        let named = || format!("{}: not the folder of a run", display_name(&folder));
        let text = fs::read(&path).with_context(named)?;
        let manifest: RunManifest = serde_json::from_slice(&text).with_context(named)?;
        let own = env!("CARGO_PKG_VERSION");
        if manifest.biofast_version != own {
            bail!(
                "{}: the run was begun by biofast {}, but this is {own}",
                display_name(&folder),
                manifest.biofast_version
            );
        }
        if std::env::current_dir()? != Path::new(&manifest.folder) {
            bail!("the paths of this run are relative to {}: start biofast there", manifest.folder);
        }
        for beside in &manifest.beside {
            if FileBeside::of(&beside.path)? != *beside {
                return Err(Hinted {
                    message: format!("{} has changed since the run began", beside.path),
                    hint: format!(
                        "remove {} to begin again, or name another folder with --work",
                        display_name(&folder)
                    )
                    .into(),
                }
                .into());
            }
        }
        // Who wrote it down may not have come to them.
        for name in FOLDERS {
            let path = folder.join(name);
            fs::create_dir_all(&path)
                .with_context(|| format!("can't create {}", path.display()))?;
        }
        Ok(Work { folder, manifest })
    }

    /// A run that isn't written down.
    pub(super) fn planned(folder: &Path, manifest: RunManifest) -> Work {
        Work { folder: folder.to_owned(), manifest }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Removes all that belongs to the run.
    pub(super) fn remove(&self) -> std::io::Result<()> {
        // First what makes it a run: what is left after a failure isn't taken for one.
        fs::remove_file(self.path("run.json"))?;
        for name in FOLDERS {
            fs::remove_dir_all(self.path(name))?;
        }
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let own = ["counts.json", "plan.job", "shards.job", "plan.sh", "shards.sh"];
            if own.iter().any(|name| path.file_name() == Some(name.as_ref())) {
                fs::remove_file(path)?;
            }
        }
        // What others put there stays.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    /// Writes a file that appears when it is complete.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let path = self.path(name);
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(&self.folder))?;
            file.write_all(content)?;
            file.persist(&path)?;
            Ok(())
        };
        write().with_context(|| format!("can't write {}", path.display()))?;
        Ok(path)
    }

    pub(super) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    pub(super) fn plan_path(&self, unit: usize) -> PathBuf {
        self.path(&format!("plans/{}.json", unit + 1))
    }

    pub(super) fn part_path(&self, task: Task) -> PathBuf {
        self.path(&format!("parts/{}-{}.json", task.unit + 1, task.number))
    }

    /// The plan of a unit, if it is there and whole.
    pub(super) fn plan(&self, unit: usize) -> Result<Option<Plan>> {
        let path = self.plan_path(unit);
        if !path.exists() {
            return Ok(None);
        }
        let plan = serde_json::from_slice::<Plan>(&inputs::text(&path, TextBounds::DOCUMENT)?).ok();
        Ok(plan.filter(|plan| plan.check().is_ok()))
    }

    /// All shards, in their order.
    ///
    /// # Errors
    /// If a plan is missing.
    pub(super) fn tasks(&self) -> Result<Vec<Task>> {
        // Not every worker reads every plan.
        let counts = self.read("counts.json").and_then(|text| serde_json::from_str(&text).ok());
        let is_sound = |counts: &Vec<u64>| {
            counts.len() == self.manifest.units.len()
                && counts.iter().all(|count| (1..=MAX_SHARDS).contains(count))
        };
        let counts: Vec<u64> = match counts.filter(is_sound) {
            Some(counts) => counts,
            None => {
                let count = |unit| -> Result<u64> {
                    let plan = self.plan(unit)?;
                    let plan = plan.with_context(|| {
                        format!("not planned yet: {}", self.manifest.units[unit].join(" "))
                    })?;
                    Ok(plan.shards.len() as u64)
                };
                let counts =
                    (0..self.manifest.units.len()).map(count).collect::<Result<Vec<_>>>()?;
                self.write("counts.json", &serde_json::to_vec(&counts)?)?;
                counts
            }
        };
        let shards = |(unit, count)| (1..=count).map(move |number| Task { unit, number });
        Ok(counts.into_iter().enumerate().flat_map(shards).collect())
    }

    /// Whether the part of a shard is there, whole, and of this run.
    pub(super) fn is_done(&self, task: Task, plan: &Plan) -> bool {
        let Ok(text) = fs::read(self.part_path(task)) else { return false };
        parts::is_of(&text, &self.manifest.name, plan, task.number)
    }

    /// Plans or shards that aren't there, by their places among all.
    pub(super) fn missing(&self, step: Step) -> Result<Vec<usize>> {
        if step == Step::Plan {
            let mut missing = Vec::new();
            for unit in 0..self.manifest.units.len() {
                if self.plan(unit)?.is_none() {
                    missing.push(unit);
                }
            }
            return Ok(missing);
        }
        // They are asked for in order: one plan is kept.
        let mut last: Option<(usize, Option<Plan>)> = None;
        let mut missing = Vec::new();
        for (at, task) in self.tasks()?.into_iter().enumerate() {
            let plan = match last.take().filter(|(unit, _)| *unit == task.unit) {
                Some((_, plan)) => plan,
                None => self.plan(task.unit)?,
            };
            if !plan.as_ref().is_some_and(|plan| self.is_done(task, plan)) {
                missing.push(at);
            }
            last = Some((task.unit, plan));
        }
        Ok(missing)
    }

    /// The parts of each unit.
    pub(super) fn parts(&self) -> Result<Vec<Vec<PathBuf>>> {
        let mut parts = vec![Vec::new(); self.manifest.units.len()];
        for task in self.tasks()? {
            parts[task.unit].push(self.part_path(task));
        }
        Ok(parts)
    }

    /// What messages call a plan or a shard.
    pub(super) fn called(&self, step: Step, at: usize) -> Result<String> {
        let names = |unit: usize| {
            self.manifest.units.get(unit).map(|files| files.join(" and ")).unwrap_or_default()
        };
        match step {
            Step::Plan => Ok(format!("the plan of {}", names(at))),
            _ => {
                let task = *self.tasks()?.get(at).context("no such shard")?;
                Ok(format!("shard {} of {}", task.number, names(task.unit)))
            }
        }
    }

    fn log(step: Step, at: usize) -> String {
        format!("logs/{}-{}.json", step.name(), at + 1)
    }

    /// Notes that this machine makes a plan or a shard.
    pub(super) fn begin(&self, step: Step, at: usize) -> Result<()> {
        let log = ShardLog { host: host(), message: None, again: true };
        self.write(&Self::log(step, at), &serde_json::to_vec(&log)?).map(drop)
    }

    /// Notes what went wrong there.
    pub(super) fn fail(&self, step: Step, at: usize, message: &str, again: bool) -> Result<()> {
        let log = ShardLog { host: host(), message: Some(message.into()), again };
        self.write(&Self::log(step, at), &serde_json::to_vec(&log)?).map(drop)
    }

    /// Forgets what was noted of these.
    pub(super) fn forget(&self, step: Step, which: &[usize]) {
        for at in which {
            let _ = fs::remove_file(self.path(&Self::log(step, *at)));
        }
    }

    /// Whether it was noted what went wrong.
    pub(super) fn is_explained(&self, step: Step, at: usize) -> bool {
        self.logged(step, at).is_some_and(|log| log.message.is_some())
    }

    fn logged(&self, step: Step, at: usize) -> Option<ShardLog> {
        serde_json::from_str(&self.read(&Self::log(step, at))?).ok()
    }

    /// What became of those that are missing.
    pub(super) fn failures(&self, step: Step, missing: &[usize]) -> Vec<Failure> {
        let failure = |at: &usize| {
            let called = self.called(step, *at).unwrap_or_default();
            match self.logged(step, *at) {
                None => Failure { text: format!("{called}: no machine began it"), again: true },
                Some(ShardLog { host, message: None, again }) => Failure {
                    text: format!(
                        "{called} on {host}: ended without a message (killed, or out of memory or time)"
                    ),
                    again,
                },
                Some(ShardLog { host, message: Some(message), again }) => {
                    Failure { text: format!("{called} on {host}: {message}"), again }
                }
            }
        };
        missing.iter().map(failure).collect()
    }

    /// How far the run is, for other engines.
    pub(super) fn status(&self) -> Result<String> {
        let plans = self.missing(Step::Plan)?;
        let mut status = serde_json::json!({
            "units": self.manifest.units.len(),
            "missing_plans": plans,
            "folder": self.manifest.folder,
            "threads": self.manifest.threads,
        });
        if plans.is_empty() {
            let shards = self.missing(Step::Shards)?;
            status["shards"] = self.tasks()?.len().into();
            status["failures"] = serde_json::to_value(self.failures(Step::Shards, &shards))?;
            status["missing_shards"] = shards.into();
        } else {
            status["failures"] = serde_json::to_value(self.failures(Step::Plan, &plans))?;
        }
        Ok(serde_json::to_string(&status)? + "\n")
    }

    /// Where the files of a unit are.
    pub(super) fn files(&self, unit: usize) -> Result<Vec<PathBuf>> {
        let files = self.manifest.units.get(unit).context("no such file")?;
        files.iter().map(|file| manifest::from(&self.manifest.folder, file)).collect()
    }
}

/// The name of this machine.
fn host() -> String {
    let name =
        fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_owned());
    let name = name.or_else(|| std::env::var("HOSTNAME").ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "an unknown host".into())
}
