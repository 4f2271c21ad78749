//! `summary.md`: for each job and thread budget, a table of contestants with their times, the ratios of
//! paired repetitions and the memory. Made from `runs.csv` and `manifest.json` alone.

use std::fmt::Write as _;

use anyhow::Result;

use super::jobs::{self, BASE, CONTROL, Job};
use super::runs::{self, Run, Timings, interval, megabytes};
use crate::core::machine::{JobRecord, Record};

/// The whole page.
pub(crate) fn summarise(runs: &[Run], record: &Record) -> Result<String> {
    let mut page = String::new();
    writeln!(page, "# Whole-program benchmark\n")?;
    let memory = record
        .memory_kb
        .map(|kb| format!(", {:.1} GiB", kb as f64 / 1_048_576.0))
        .unwrap_or_default();
    writeln!(
        page,
        "{}, {} core(s){memory}, {}, {}.\n",
        record.cpu, record.cores, record.arch, record.kernel
    )?;
    writeln!(page, "{EXPLANATION}")?;
    for job in jobs::all() {
        for threads in runs::budgets(runs, &job.name) {
            write_table(&mut page, job, threads, runs, record)?;
        }
    }
    Ok(page)
}

const EXPLANATION: &str = "\
Written by `biofast-lab bench` from `runs.csv`, which holds every run; `manifest.json` has the conditions. Contestants
run once per repetition in random order, after one discarded warm-up each. *× limit* and *÷ biofast* are medians of the
ratios within each repetition, with an exact interval (order statistics, at least 95 % where there are six repetitions or more); *÷ biofast* above 1 means that biofast is faster.
`biofast-again` is the same command as `biofast`: its interval is the noise, and no smaller difference means anything.
*anon* is the peak of memory that is not file pages (sampled every 5 ms), *RSS* includes mapped file pages, and cannot be
below that of the benchmark itself (a few MB), which a child process starts from.
";

fn write_table(
    page: &mut String,
    job: &Job,
    threads: usize,
    all: &[Run],
    record: &Record,
) -> Result<()> {
    writeln!(page, "## {}, {threads} thread{}\n", job.name, if threads == 1 { "" } else { "s" })?;
    writeln!(page, "{}.", capitalised(&job.about))?;
    let conditions = record.jobs.get(&format!("{} @{threads}", job.name));
    if let Some(c) = conditions {
        let rustc = c.rustc.split(" (").next().unwrap_or_default();
        let profile = match c.profile.as_str() {
            "" => String::new(),
            profile => format!(", profile {profile}"),
        };
        writeln!(
            page,
            "{}, {} repetitions, {} cache, {}, commit {}, {rustc}{profile}.",
            c.dataset, c.reps, c.cache, c.date, c.commit
        )?;
    }
    writeln!(
        page,
        "\n| contestant | version | wall median s | min s | × limit | ÷ biofast | CPU s | RSS MB | anon MB |"
    )?;
    writeln!(page, "|---|---|---:|---:|---:|---:|---:|---:|---:|")?;

    let session = Timings::of(all, &job.name, threads);
    let ratio = |name: &str, other: Option<&str>| match other {
        Some(other) if other == name => "1".to_owned(),
        other => interval(other.and_then(|other| session.ratio(name, other))),
    };
    let mut rows: Vec<(f64, String)> = Vec::new();
    for contestant in &job.contestants {
        let name = contestant.name.as_str();
        let own = session.of_contestant(name);
        let Some(first) = own.first() else { continue };
        let wall = session.median(name, |r| r.usage.wall_s).unwrap_or_default();
        let best = own.iter().map(|r| r.usage.wall_s).fold(f64::INFINITY, f64::min);
        let cpu = session.median(name, |r| r.usage.user_s + r.usage.sys_s).unwrap_or_default();
        let note = if threads > 1 && !contestant.scales { " (1 thread)" } else { "" };
        let row = format!(
            "| {name}{note} | {} | {wall:.3} | {best:.3} | {} | {} | {cpu:.2} | {} | {} |",
            first.version,
            ratio(name, job.limit.as_deref()),
            ratio(name, Some(BASE)),
            megabytes(own.iter().map(|r| r.usage.max_rss_kb).max()),
            megabytes(own.iter().filter_map(|r| r.usage.peak_anon_kb).max()),
        );
        rows.push((wall, row));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, row) in rows {
        writeln!(page, "{row}")?;
    }
    writeln!(page)?;
    write_warnings(page, all, job, threads, conditions)
}

/// What a reader must know before believing the table.
fn write_warnings(
    page: &mut String,
    all: &[Run],
    job: &Job,
    threads: usize,
    conditions: Option<&JobRecord>,
) -> Result<()> {
    if let Some(c) = conditions.filter(|c| !c.missing.is_empty()) {
        writeln!(page, "Not installed: {}.\n", c.missing.join(", "))?;
    }
    if let Some(c) = conditions.filter(|c| !c.failed.is_empty()) {
        writeln!(page, "Failed or wrong: {}.\n", c.failed.join(", "))?;
    }
    let own = || all.iter().filter(|r| r.job == job.name && r.threads == threads);
    // A few pages of a program's own binary may have been evicted; that is not the input.
    let from_disk = own().filter(|r| r.usage.in_blocks * 512 > 1 << 20).count();
    if from_disk > 0 {
        writeln!(
            page,
            "Warning: {from_disk} run(s) read more than 1 MB from the disk: the cache was not warm.\n"
        )?;
    }
    let failed = own().filter(|r| r.usage.exit != 0).count();
    if failed > 0 {
        writeln!(page, "Warning: {failed} run(s) failed.\n")?;
    }
    let same = Timings::of(all, &job.name, threads).ratio(CONTROL, BASE);
    if let Some(same) = same.filter(|same| same.low > 1.0 || same.high < 1.0) {
        writeln!(
            page,
            "Warning: the same command differs from itself by {:.3} [{:.3}, {:.3}]: this run is too noisy or too short \
             for small differences.\n",
            same.median, same.low, same.high
        )?;
    }
    Ok(())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::runs::timed;
    use super::*;

    #[test]
    fn a_run_that_differs_from_itself_is_flagged() {
        let mut all = timed("fastq-stats-bgzf", BASE, &[1.0; 9]);
        all.extend(timed("fastq-stats-bgzf", CONTROL, &[1.5; 9]));
        let page = summarise(&all, &Record::default()).expect("page");
        assert!(page.contains("differs from itself"));
    }
}
