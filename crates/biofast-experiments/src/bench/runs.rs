//! `runs.csv`: one line for every measured run, and what is computed of runs. The benchmark replaces the lines of a job and
//! thread budget that it has measured again; the reports are made from what the file then holds.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail, ensure};

use super::jobs::{BASE, Contestant, Job};
use crate::core::measure::Usage;
use crate::core::stats::{Interval, median, paired_ratio};
use crate::files;

/// A line of a table that is kept with the results.
pub(super) trait CsvRow: Sized {
    /// The file's name.
    const NAME: &'static str;
    const HEADER: &'static str;
    fn line(&self) -> String;
    fn parse(fields: &[&str]) -> Result<Self>;
}

/// All rows in `dir`; none if the file isn't there.
pub(super) fn read<T: CsvRow>(dir: &Path) -> Result<Vec<T>> {
    let path = dir.join(T::NAME);
    parse(&files::read_if_there(&path)?).with_context(|| format!("cannot parse {}", path.display()))
}

fn parse<T: CsvRow>(text: &str) -> Result<Vec<T>> {
    let mut lines = text.lines();
    ensure!([None, Some(T::HEADER)].contains(&lines.next()), "line 1 is not the expected header");
    let row = |(i, line): (usize, &str)| {
        let fields: Vec<&str> = line.split(',').collect();
        T::parse(&fields).with_context(|| format!("line {}", i + 2))
    };
    lines.enumerate().map(row).collect()
}

pub(super) fn write<T: CsvRow>(dir: &Path, rows: &[T]) -> Result<()> {
    files::write(&dir.join(T::NAME), format(rows))
}

fn format<T: CsvRow>(rows: &[T]) -> String {
    let lines = rows.iter().map(|row| row.line() + "\n");
    format!("{}\n{}", T::HEADER, lines.collect::<String>())
}

pub(super) fn number<T: FromStr>(field: &str) -> Result<T> {
    field.parse().ok().with_context(|| format!("{field:?} is not a number"))
}

/// A number, or nothing.
pub(super) fn optional<T: FromStr>(field: &str) -> Result<Option<T>> {
    if field.is_empty() { Ok(None) } else { number(field).map(Some) }
}

pub(super) fn or_empty(value: Option<u64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) job: String,
    pub(crate) contestant: String,
    pub(crate) version: String,
    /// The budget; contestants that use one thread whatever it is run under each.
    pub(crate) threads: usize,
    /// From 1; 0 is the warm-up, which is not written.
    pub(crate) rep: usize,
    pub(crate) usage: Usage,
}

impl CsvRow for Run {
    const NAME: &'static str = "runs.csv";
    const HEADER: &'static str = "job,contestant,version,threads,rep,wall_s,user_s,sys_s,max_rss_kb,peak_anon_kb,minor_faults,\
                                  exit,major_faults,in_blocks,written";

    fn line(&self) -> String {
        let Run { job, contestant, threads, rep, usage: u, .. } = self;
        format!(
            "{job},{contestant},{},{threads},{rep},{:.6},{:.6},{:.6},{},{},{},{},{},{},{}",
            self.version.replace([',', '\n'], " "),
            u.wall_s,
            u.user_s,
            u.sys_s,
            u.max_rss_kb,
            or_empty(u.peak_anon_kb),
            u.minor_faults,
            u.exit,
            u.major_faults,
            u.in_blocks,
            or_empty(u.written),
        )
    }

    fn parse(fields: &[&str]) -> Result<Self> {
        let &[job, contestant, version, ref numbers @ ..] = fields else { bail!("too few fields") };
        ensure!(numbers.len() == 12, "{} fields instead of 15", fields.len());
        Ok(Run {
            job: job.to_owned(),
            contestant: contestant.to_owned(),
            version: version.to_owned(),
            threads: number(numbers[0])?,
            rep: number(numbers[1])?,
            usage: Usage {
                wall_s: number(numbers[2])?,
                user_s: number(numbers[3])?,
                sys_s: number(numbers[4])?,
                max_rss_kb: number(numbers[5])?,
                peak_anon_kb: optional(numbers[6])?,
                minor_faults: number(numbers[7])?,
                exit: number(numbers[8])?,
                major_faults: number(numbers[9])?,
                in_blocks: number(numbers[10])?,
                written: optional(numbers[11])?,
            },
        })
    }
}

/// Puts `new` in the place of the runs of `job` at `threads`.
pub(crate) fn replace(dir: &Path, job: &str, threads: usize, new: &[Run]) -> Result<()> {
    let mut all: Vec<Run> = read(dir)?;
    all.retain(|run| run.job != job || run.threads != threads);
    all.extend_from_slice(new);
    write(dir, &all)
}

/// The thread budgets of a job's runs.
pub(super) fn budgets(runs: &[Run], job: &str) -> std::collections::BTreeSet<usize> {
    runs.iter().filter(|run| run.job == job).map(|run| run.threads).collect()
}

/// The runs of a job at one thread budget that succeeded.
pub(super) struct Timings<'a>(Vec<&'a Run>);

impl<'a> Timings<'a> {
    pub(super) fn of(runs: &'a [Run], job: &str, threads: usize) -> Self {
        let is_own = |run: &&Run| run.job == job && run.threads == threads && run.usage.exit == 0;
        Timings(runs.iter().filter(is_own).collect())
    }

    pub(super) fn of_contestant(&self, name: &str) -> Vec<&'a Run> {
        self.0.iter().copied().filter(|run| run.contestant == name).collect()
    }

    /// The median of a contestant's values.
    pub(super) fn median(&self, name: &str, value: fn(&Run) -> f64) -> Option<f64> {
        median(&self.of_contestant(name).into_iter().map(value).collect::<Vec<_>>())
    }

    /// Bytes written; none if a run doesn't say.
    pub(super) fn written(&self, name: &str) -> Option<f64> {
        let own = self.of_contestant(name);
        let bytes = own.iter().map(|run| run.usage.written.map(|bytes| bytes as f64));
        median(&bytes.collect::<Option<Vec<_>>>()?)
    }

    /// Wall time of `a` by that of `b`, in the repetitions that both have.
    pub(super) fn ratio(&self, a: &str, b: &str) -> Option<Interval> {
        let walls = |name: &str| -> BTreeMap<usize, f64> {
            self.of_contestant(name).into_iter().map(|run| (run.rep, run.usage.wall_s)).collect()
        };
        let b = walls(b);
        let (a, b): (Vec<f64>, Vec<f64>) =
            walls(a).iter().filter_map(|(rep, a)| Some((*a, *b.get(rep)?))).unzip();
        paired_ratio(&a, &b)
    }
}

/// The contestants of a job that biofast is compared with: they do all of it.
pub(super) fn peers(job: &Job) -> impl Iterator<Item = &Contestant> {
    // biofast at other settings is no rival, nor the same again, which shows the noise.
    let is_peer = |c: &&Contestant| {
        !c.name.starts_with(BASE) && Some(&c.name) != job.limit.as_ref() && !c.weaker
    };
    job.contestants.iter().filter(is_peer)
}

/// `1.20 [1.18, 1.25]`, or a dash.
pub(super) fn interval(estimate: Option<Interval>) -> String {
    estimate.map_or(none(), |Interval { median: value, low, high }| {
        format!("{value:.2} [{low:.2}, {high:.2}]")
    })
}

/// What stands where there is no value.
pub(super) fn none() -> String {
    "–".to_owned()
}

pub(super) fn megabytes(kb: Option<u64>) -> String {
    kb.map_or(none(), |kb| format!("{:.1}", kb as f64 / 1024.0))
}

/// Runs of `contestant`, with nothing known of them but their times.
#[cfg(test)]
pub(super) fn timed(job: &str, contestant: &str, walls: &[f64]) -> Vec<Run> {
    let run = |(i, &wall_s): (usize, &f64)| Run {
        job: job.to_owned(),
        contestant: contestant.to_owned(),
        version: "1".to_owned(),
        threads: 2,
        rep: i + 1,
        usage: Usage { wall_s, ..Usage::default() },
    };
    walls.iter().enumerate().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_file() {
        let mut runs = timed("a", "c", &[0.25, 0.5]);
        runs[1].usage.peak_anon_kb = Some(5);
        runs[1].usage.written = Some(9);
        assert_eq!(parse::<Run>(&format(&runs)).expect("parses"), runs);
    }
}
