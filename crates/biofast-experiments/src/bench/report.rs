//! `summary.md`: for each job and thread budget, a table of contestants with their times, the ratios of
//! paired repetitions and the memory. Made from `runs.csv` and `manifest.json` alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::jobs::{self, BASE, CONTROL, Job};
use super::runs::Run;
use crate::core::machine::{JobRecord, Record};
use crate::core::stats::{Estimate, median, paired_ratio};

/// The whole page.
pub(crate) fn summarise(runs: &[Run], record: &Record, seed: u64) -> Result<String> {
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
        let mut budgets: Vec<usize> =
            runs.iter().filter(|r| r.job == job.name).map(|r| r.threads).collect();
        budgets.sort_unstable();
        budgets.dedup();
        for threads in budgets {
            let selected: Vec<&Run> =
                runs.iter().filter(|r| r.job == job.name && r.threads == threads).collect();
            write_table(&mut page, job, threads, &selected, record, seed)?;
        }
    }
    Ok(page)
}

const EXPLANATION: &str = "\
Written by `biofast-lab bench` from `runs.csv`, which holds every run; `manifest.json` has the conditions. Contestants
run once per repetition in random order, after one discarded warm-up each. *× limit* and *÷ biofast* are medians of the
ratios within each repetition, with a bootstrap 95 % interval; *÷ biofast* above 1 means that biofast is faster.
`biofast-again` is the same command as `biofast`: its interval is the noise, and no smaller difference means anything.
*anon* is the peak of memory that is not file pages (sampled every 5 ms), *RSS* includes mapped file pages, and cannot be
below that of the benchmark itself (a few MB), which a child process starts from.
";

fn write_table(
    page: &mut String,
    job: &Job,
    threads: usize,
    runs: &[&Run],
    record: &Record,
    seed: u64,
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

    let walls = |name: &str| by_rep(runs, name, |r| r.usage.wall_s);
    let (limit, base) = (job.limit.as_deref().map(walls).unwrap_or_default(), walls(BASE));
    let mut rows: Vec<(f64, String)> = Vec::new();
    for contestant in &job.contestants {
        let own: Vec<&Run> =
            runs.iter().copied().filter(|r| r.contestant == contestant.name).collect();
        let times: Vec<f64> = own.iter().map(|r| r.usage.wall_s).collect();
        let (Some(wall), Some(first)) = (median(&times), own.first()) else {
            continue;
        };
        let best = times.iter().copied().fold(f64::INFINITY, f64::min);
        let cpu = median(&own.iter().map(|r| r.usage.user_s + r.usage.sys_s).collect::<Vec<_>>())
            .unwrap_or_default();
        let rss = own.iter().map(|r| r.usage.max_rss_kb).max().unwrap_or_default();
        let anon = own.iter().filter_map(|r| r.usage.peak_anon_kb).max();
        let own = walls(&contestant.name);
        let note = if threads > 1 && !contestant.scales { " (1 thread)" } else { "" };
        let row = format!(
            "| {}{note} | {} | {wall:.3} | {best:.3} | {} | {} | {cpu:.2} | {} | {} |",
            contestant.name,
            first.version,
            ratio(&own, &limit, Some(&contestant.name) == job.limit.as_ref(), seed),
            ratio(&own, &base, contestant.name == BASE, seed),
            megabytes(Some(rss)),
            megabytes(anon),
        );
        rows.push((wall, row));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, row) in rows {
        writeln!(page, "{row}")?;
    }
    writeln!(page)?;
    write_warnings(page, runs, conditions)
}

/// What a reader must know before believing the table.
fn write_warnings(page: &mut String, runs: &[&Run], conditions: Option<&JobRecord>) -> Result<()> {
    if let Some(c) = conditions.filter(|c| !c.missing.is_empty()) {
        writeln!(page, "Not installed: {}.\n", c.missing.join(", "))?;
    }
    if let Some(c) = conditions.filter(|c| !c.failed.is_empty()) {
        writeln!(page, "Failed or wrong: {}.\n", c.failed.join(", "))?;
    }
    // A few pages of a program's own binary may have been evicted; that is not the input.
    let from_disk = runs.iter().filter(|r| r.usage.in_blocks * 512 > 1 << 20).count();
    if from_disk > 0 {
        writeln!(
            page,
            "Warning: {from_disk} run(s) read more than 1 MB from the disk: the cache was not warm.\n"
        )?;
    }
    let failed = runs.iter().filter(|r| r.usage.exit != 0).count();
    if failed > 0 {
        writeln!(page, "Warning: {failed} run(s) failed.\n")?;
    }
    let (base, control) =
        (by_rep(runs, BASE, |r| r.usage.wall_s), by_rep(runs, CONTROL, |r| r.usage.wall_s));
    let (control, base) = paired(&control, &base);
    if let Some(aa) = paired_ratio(&control, &base, 0).filter(|aa| aa.low > 1.0 || aa.high < 1.0) {
        writeln!(
            page,
            "Warning: the same command differs from itself by {:.3} [{:.3}, {:.3}]: this run is too noisy or too short \
             for small differences.\n",
            aa.value, aa.low, aa.high
        )?;
    }
    Ok(())
}

/// A contestant's value in each repetition.
pub(super) fn by_rep(
    runs: &[&Run],
    contestant: &str,
    value: impl Fn(&Run) -> f64,
) -> BTreeMap<usize, f64> {
    runs.iter().filter(|r| r.contestant == contestant).map(|r| (r.rep, value(r))).collect()
}

/// The values of the repetitions that both have.
pub(super) fn paired(a: &BTreeMap<usize, f64>, b: &BTreeMap<usize, f64>) -> (Vec<f64>, Vec<f64>) {
    a.iter().filter_map(|(rep, a)| Some((*a, *b.get(rep)?))).unzip()
}

pub(super) fn ratio(
    own: &BTreeMap<usize, f64>,
    other: &BTreeMap<usize, f64>,
    same: bool,
    seed: u64,
) -> String {
    let (own, other) = paired(own, other);
    match paired_ratio(&own, &other, seed) {
        Some(_) if same => "1".to_owned(),
        Some(Estimate { value, low, high }) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        None => "–".to_owned(),
    }
}

fn megabytes(kb: Option<u64>) -> String {
    kb.map_or("–".to_owned(), |kb| format!("{:.1}", kb as f64 / 1024.0))
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

    /// The first job of the catalogue.
    const FIRST: &str = "fastq-stats-bgzf";

    fn runs(contestant: &str, walls: &[f64]) -> Vec<Run> {
        timed(FIRST, contestant, walls)
    }

    #[test]
    fn ratios_are_paired_by_repetition() {
        let mut all = runs("biofast", &[1.0, 2.0, 3.0]);
        all.extend(runs("seqkit", &[10.0, 20.0, 30.0]));
        all.extend(runs("limit-inflate", &[0.5, 1.0, 1.5]));
        let page = summarise(&all, &Record::default(), 1).expect("page");
        assert!(
            page.contains(
                "| seqkit | 1 | 20.000 | 10.000 | 20.00 [20.00, 20.00] | 10.00 [10.00, 10.00] |"
            ),
            "{page}"
        );
        assert!(page.contains("| biofast | 1 | 2.000 | 1.000 | 2.00 [2.00, 2.00] | 1 |"), "{page}");
    }

    #[test]
    fn a_missing_peer_is_named() {
        let mut record = Record::default();
        let job = super::super::machine::JobRecord {
            missing: vec!["nanoq".to_owned()],
            ..Default::default()
        };
        record.jobs.insert(format!("{} @2", FIRST), job);
        let page = summarise(&runs("biofast", &[1.0]), &record, 1).expect("page");
        assert!(page.contains("Not installed: nanoq."));
    }

    #[test]
    fn a_run_that_differs_from_itself_is_flagged() {
        let mut all = runs("biofast", &[1.0; 9]);
        all.extend(runs("biofast-again", &[1.5; 9]));
        let page = summarise(&all, &Record::default(), 1).expect("page");
        assert!(page.contains("differs from itself"));
    }
}
