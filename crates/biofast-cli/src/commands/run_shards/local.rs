//! Processes on this machine.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::shares::Step;
use super::work::Work;
use super::{GivenJob, Launch, manifest};
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

/// Processes that run. What is left of them when the run ends early is ended, too.
struct Running(Vec<(usize, Child, Instant)>);

impl Drop for Running {
    fn drop(&mut self) {
        for (_, child, _) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Launch for Processes {
    fn launch(&self, step: Step, work: &Work, missing: &[usize]) -> Result<()> {
        let of = match step {
            Step::Plan => work.manifest.units.len(),
            _ => work.tasks()?.len(),
        };
        let mut waiting = missing.iter().copied();
        let mut running = Running(Vec::new());
        let mut goes_on = true;
        loop {
            while goes_on && running.0.len() < self.at_once() {
                let Some(at) = waiting.next() else { break };
                let words = self.given.words(work, step, &format!("{at}/{of}"));
                let (program, words) = words.split_first().context("no program")?;
                let mut command = Command::new(program);
                command.args(words).current_dir(&work.manifest.folder);
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
                let child = command.spawn().with_context(|| format!("can't start {program}"))?;
                running.0.push((at, child, Instant::now()));
            }
            if running.0.is_empty() {
                return Ok(());
            }
            let mut still = Vec::new();
            for (at, mut child, since) in running.0.drain(..) {
                let is_late = self.given.time.is_some_and(|time| since.elapsed() > time);
                match child.try_wait()? {
                    Some(status) if status.success() => {}
                    Some(status) => {
                        let mut said = String::new();
                        if let Some(mut stderr) = child.stderr.take() {
                            stderr.read_to_string(&mut said)?;
                        }
                        // Who could note what is wrong has done so.
                        if !work.is_explained(step, at) {
                            let message = format!("ended by {status}: {}", said.trim());
                            work.fail(step, at, message.trim_end_matches(": "), true)?;
                        }
                        // What can't be helped by running it again ends the run; what runs is finished.
                        goes_on &= work.failures(step, &[at]).iter().all(|it| it.again);
                    }
                    None if is_late => {
                        child.kill()?;
                        child.wait()?;
                        work.fail(step, at, "took longer than --time", false)?;
                        goes_on = false;
                    }
                    None => still.push((at, child, since)),
                }
            }
            running.0 = still;
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
