//! Processes on this machine.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::shares::Step;
use super::work::Work;
use super::{GivenJob, Launch, manifest};
use crate::console::stdio;
use crate::options::memory_of_host;

/// Starts a process for each plan and shard, a few at a time.
pub(super) struct Processes {
    pub(super) given: GivenJob,
    /// Of each shard.
    pub(super) threads: usize,
}

impl Processes {
    /// How many there are at once.
    fn at_once(&self) -> usize {
        let by_threads = biofast_io::available_threads() / self.threads;
        let by_memory = self.given.memory.zip(memory_of_host()).map(|(each, all)| all / each);
        let by_memory = by_memory.and_then(|number| usize::try_from(number).ok());
        self.given.jobs.unwrap_or_else(|| by_threads.min(by_memory.unwrap_or(usize::MAX))).max(1)
    }
}

/// A process that runs. It is ended with the run, however that ends.
struct ShardProcess {
    at: usize,
    child: Arc<Mutex<Child>>,
    /// What it says, which may be more than a pipe takes before it is read.
    said: File,
    since: Instant,
}

impl ShardProcess {
    fn start(mut command: Command, at: usize) -> std::io::Result<ShardProcess> {
        let said = tempfile::tempfile()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.try_clone()?);
        let child = Arc::new(Mutex::new(command.spawn()?));
        stdio::end_by_signals(&child);
        Ok(ShardProcess { at, child, said, since: Instant::now() })
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of what it said.
    fn said(&mut self) -> std::io::Result<String> {
        let start = self.said.seek(SeekFrom::End(0))?.saturating_sub(SAID);
        self.said.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        self.said.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}

impl Drop for ShardProcess {
    fn drop(&mut self) {
        let mut child = self.child();
        if matches!(child.try_wait(), Ok(None)) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Bytes of what a process said that are told.
const SAID: u64 = 4096;

impl Launch for Processes {
    fn launch(&self, step: Step, work: &Work, missing: &[usize]) -> Result<()> {
        let of = match step {
            Step::Plan => work.manifest.units.len(),
            _ => work.tasks()?.len(),
        };
        let mut waiting = missing.iter().copied();
        let mut running: Vec<ShardProcess> = Vec::new();
        let mut goes_on = true;
        loop {
            while goes_on && running.len() < self.at_once() {
                let Some(at) = waiting.next() else { break };
                let words = self.given.words(work, step, &format!("{at}/{of}"));
                let (program, words) = words.split_first().context("no program")?;
                let mut command = Command::new(program);
                command.args(words).current_dir(&work.manifest.folder);
                let worker = ShardProcess::start(command, at);
                running.push(worker.with_context(|| format!("can't start {program}"))?);
            }
            if running.is_empty() {
                return Ok(());
            }
            let mut still = Vec::new();
            for mut worker in running.drain(..) {
                let at = worker.at;
                let is_late = self.given.time.is_some_and(|time| worker.since.elapsed() > time);
                let status = worker.child().try_wait()?;
                match status {
                    Some(status) if status.success() => {}
                    Some(status) => {
                        // Who could note what is wrong has done so.
                        if !work.is_explained(step, at) {
                            let message = format!("ended by {status}: {}", worker.said()?);
                            work.fail(step, at, message.trim_end_matches(": "), true)?;
                        }
                        // What can't be helped by running it again ends the run; what runs is finished.
                        goes_on &= work.failures(step, &[at]).iter().all(|it| it.again);
                    }
                    None if is_late => {
                        drop(worker);
                        work.fail(step, at, "took longer than --time", false)?;
                        goes_on = false;
                    }
                    None => still.push(worker),
                }
            }
            running = still;
            sleep(Duration::from_millis(2));
        }
    }

    fn shown(&self, step: Step, work: &Work, of: Option<usize>) -> Result<String> {
        let of = of.map_or("N".into(), |of| of.to_string());
        let words = self.given.words(work, step, &format!("I/{of}"));
        Ok(format!(
            "# {} at once, for each I from 0:\n{}\n",
            self.at_once(),
            manifest::line(&words)
        ))
    }
}
