//! Job arrays of SLURM.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::manifest::{line, quoted};
use super::shares::Step;
use super::work::Work;
use super::{GivenJob, Launch};

/// Elements of an array, of which SLURM allows 1001 unless it is configured otherwise. Each does its share.
const ELEMENTS: usize = 1000;

/// Submits an array for each step and waits for it.
pub(super) struct Arrays {
    pub(super) given: GivenJob,
    /// Of each shard.
    pub(super) threads: usize,
    /// More words for sbatch.
    pub(super) options: Vec<String>,
}

impl Arrays {
    /// The words that submit an array of these elements.
    fn submission(&self, step: Step, work: &Work, elements: &str) -> Vec<String> {
        let logs = work.folder().join("logs").display().to_string().replace('%', "%%");
        let most = self.given.jobs.map_or(String::new(), |jobs| format!("%{jobs}"));
        let mut words: Vec<String> = ["sbatch", "--parsable", "--wait"].map(Into::into).into();
        words.extend([
            format!("--job-name=biofast-{}", step.name()),
            format!("--array={elements}{most}"),
            format!("--cpus-per-task={}", self.threads),
            format!("--chdir={}", work.manifest.folder),
            format!("--output={logs}/{}-%A_%a.txt", step.name()),
        ]);
        if let Some(bytes) = self.given.memory {
            words.push(format!("--mem={}M", bytes.div_ceil(1 << 20)));
        }
        if let Some(time) = self.given.time {
            words.push(format!("--time={}", time.as_secs().div_ceil(60)));
        }
        words.extend(self.options.iter().cloned());
        words
    }

    /// The script of an element.
    fn script(&self, step: Step, work: &Work, of: &str) -> String {
        let mut words = self.given.words(work, step, "");
        words.pop();
        format!("#!/bin/sh\nexec {} \"$SLURM_ARRAY_TASK_ID\"/{of}\n", line(&words))
    }
}

impl Launch for Arrays {
    fn launch(&self, step: Step, work: &Work, missing: &[usize]) -> Result<()> {
        let all = match step {
            Step::Plan => work.manifest.units.len(),
            _ => work.tasks()?.len(),
        };
        let of = all.min(ELEMENTS);
        let mut elements: Vec<usize> = missing.iter().map(|at| at % of).collect();
        elements.sort_unstable();
        elements.dedup();
        let script = self.script(step, work, &of.to_string());
        let script = work.write(&format!("{}.sh", step.name()), script.as_bytes())?;
        let mut words = self.submission(step, work, &ranges(&elements));
        let job = format!("{}.job", step.name());
        // An array that an earlier driver submitted may still run: what it does isn't done twice.
        if let Some(before) = work.read(&job).filter(|id| is_queued(id)) {
            words.push(format!("--dependency=afterany:{before}"));
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(script).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut sbatch = command.spawn().context("can't start sbatch")?;
        let mut id = String::new();
        // Kept until the end: sbatch may say more.
        let mut stdout = sbatch.stdout.take().map(BufReader::new);
        if let Some(stdout) = &mut stdout {
            stdout.read_line(&mut id)?;
        }
        let id = id.trim().split(';').next().unwrap_or_default().to_owned();
        if !id.is_empty() {
            work.write(&job, id.as_bytes())?;
        }
        let mut said = String::new();
        if let Some(mut stderr) = sbatch.stderr.take() {
            stderr.read_to_string(&mut said)?;
        }
        let status = sbatch.wait()?;
        drop(stdout);
        // With --wait, sbatch fails if an element did: what is missing says so.
        if id.is_empty() {
            match said.trim() {
                "" => bail!("sbatch printed no number of a job ({status})"),
                said => bail!("sbatch: {said} ({status})"),
            }
        }
        Ok(())
    }

    fn shown(&self, step: Step, work: &Work, of: Option<usize>) -> Result<String> {
        let of = of.map(|of| of.min(ELEMENTS));
        let (elements, of) = match of {
            Some(of) => (ranges(&(0..of).collect::<Vec<_>>()), of.to_string()),
            None => ("0-LAST".into(), "N".into()),
        };
        let script = format!("{}.sh", step.name());
        let words = self.submission(step, work, &elements);
        let name = work.folder().join(&script).display().to_string();
        Ok(format!(
            "# {script}:\n{}{} {}\n",
            self.script(step, work, &of),
            line(&words),
            quoted(&name)
        ))
    }
}

/// Whether a job waits or runs. If SLURM doesn't know it any more, it doesn't.
fn is_queued(id: &str) -> bool {
    let found = Command::new("squeue").args(["--noheader", "--jobs", id]).output();
    found.is_ok_and(|found| found.status.success() && !found.stdout.trim_ascii().is_empty())
}

/// Numbers in order, as `0-3,7`.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *number => *end = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let run = |(start, end): &(usize, usize)| match start == end {
        true => start.to_string(),
        false => format!("{start}-{end}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 7, 9, 10]), "0-2,7,9-10");
        assert_eq!(ranges(&[]), "");
    }
}
