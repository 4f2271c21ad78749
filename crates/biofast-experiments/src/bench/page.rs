//! The generated parts of `docs/performance.md` and its figures: `biofast-lab bench-report`, and what
//! `biofast-lab check` compares them with. Made of `results/bench/MACHINE/` alone, so any machine can do it.
//!
//! A part stands between two comments; the first names the machine. What is outside is written by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::jobs::{self, BASE, Job};
use super::runs::{self, Run, Timings, interval, megabytes, none};
use super::{chart, figure, growth, real, scaling};
use crate::core::machine::{self, Record};
use crate::core::stats::Interval;
use crate::files;

const PAGE: &str = "docs/performance.md";
const RESULTS: &str = "results/bench";
const BEGIN: &str = "<!-- bench of ";
const BEGIN_END: &str = ": written by `biofast-lab bench-report`, do not edit -->";
const END: &str = "<!-- end of bench -->";
const BEGIN_REAL: &str = "<!-- real reads of ";
const BEGIN_SCALING: &str = "<!-- scaling of ";
/// A job slower than this many times its limit is behind.
const FAR: f64 = 1.15;

/// Writes the generated parts of the page, and the figures; with `machine`, the first part is made that one's.
pub fn report(root: &Path, machine: Option<&str>) -> Result<()> {
    let path = root.join(PAGE);
    if let Some(machine) = machine {
        let text = files::read(&path)?;
        let (before, rest) = text.split_once(BEGIN).context("the page has no place for results")?;
        let (_, after) = rest.split_once(BEGIN_END).context("a begin without its end")?;
        let text = format!("{before}{BEGIN}{machine}{BEGIN_END}{after}");
        files::write(&path, text)?;
    }
    for (path, text) in expected(root)? {
        files::write(&path, text)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// What the page and the figures must hold; nothing where there is no page with a generated part.
pub(crate) fn expected(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let path = root.join(PAGE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = files::read(&path)?;
    let mut expected = Vec::new();
    let text = with_part(root, &text, BEGIN_REAL, |folder, _| real::part(folder))?;
    let text = with_part(root, &text, BEGIN_SCALING, |folder, _| scaling::part(folder))?;
    let text = with_part(root, &text, BEGIN, |folder, machine| {
        let results = Results::read(folder, machine)?;
        expected.extend(results.figures());
        results.part()
    })?;
    expected.push((path, text));
    Ok(expected)
}

/// The page with what follows each `begin` renewed: `part` makes it of a machine's folder.
fn with_part(
    root: &Path,
    text: &str,
    begin: &str,
    mut part: impl FnMut(&Path, &str) -> Result<String>,
) -> Result<String> {
    let (mut page, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(begin) {
        let (machine, after) = after.split_once(BEGIN_END).context("a begin without its end")?;
        let (_, after) = after.split_once(END).context("a part without its end")?;
        ensure!(!machine.contains(['/', '\n']), "{machine:?} is no machine's folder");
        let part = part(&root.join(RESULTS).join(machine), machine)?;
        write!(page, "{before}{begin}{machine}{BEGIN_END}\n\n{part}\n{END}")?;
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

/// What was measured on one machine.
struct Results {
    folder: PathBuf,
    machine: String,
    runs: Vec<Run>,
    record: Record,
    growth: Vec<growth::Point>,
}

/// One job at one thread budget.
struct Row {
    job: &'static Job,
    threads: usize,
    own: Cost,
    over_limit: Option<Interval>,
    /// Name, cost, and how many times as long as biofast it takes.
    peer: Option<(&'static str, Cost, Interval)>,
}

/// What a contestant's runs cost.
struct Cost {
    wall_s: f64,
    cpu_s: f64,
    peak_kb: u64,
    written: Option<f64>,
}

impl Results {
    fn read(folder: &Path, machine: &str) -> Result<Self> {
        let runs: Vec<Run> = runs::read(folder)?;
        ensure!(
            !runs.is_empty(),
            "no runs in {}: `biofast-lab bench` makes them",
            folder.display()
        );
        Ok(Results {
            record: machine::read_stored(folder)?,
            growth: runs::read(folder)?,
            folder: folder.to_owned(),
            machine: machine.to_owned(),
            runs,
        })
    }

    fn of(&self, job: &Job) -> Vec<&Run> {
        self.runs.iter().filter(|r| r.job == job.name).collect()
    }

    /// The row of a job that biofast was measured in.
    fn row(&self, job: &'static Job, threads: usize) -> Option<Row> {
        let session = Timings::of(&self.runs, &job.name, threads);
        let conditions = self.record.jobs.get(&format!("{} @{threads}", job.name));
        let failed = conditions.map(|c| c.failed.as_slice()).unwrap_or_default();
        let peer = runs::peers(job)
            .filter(|c| !failed.contains(&c.name))
            .filter_map(|c| {
                let times = session.ratio(&c.name, BASE)?;
                Some((c.name.as_str(), Cost::of(&session, &c.name)?, times))
            })
            .min_by(|a, b| a.1.wall_s.total_cmp(&b.1.wall_s));
        let over_limit = job.limit.as_ref().and_then(|limit| session.ratio(BASE, limit));
        Some(Row { job, threads, own: Cost::of(&session, BASE)?, over_limit, peer })
    }

    fn rows(&self) -> Vec<Row> {
        let budgets = |job| runs::budgets(&self.runs, job);
        let of_job = |job: &'static Job| budgets(&job.name).into_iter().map(move |n| (job, n));
        jobs::all().flat_map(of_job).filter_map(|(job, threads)| self.row(job, threads)).collect()
    }

    fn figures(&self) -> Vec<(PathBuf, String)> {
        let folder = self.folder.join("figures");
        let machine = format!("{}, {} cores", self.record.cpu, self.record.cores);
        let of_jobs = jobs::all().filter(|job| !self.of(job).is_empty()).map(|job| {
            let name = format!("{}.svg", job.name);
            (folder.join(name), figure::draw(job, &self.of(job), &machine))
        });
        of_jobs.chain(self.charts(&folder, &machine)).collect()
    }

    /// The README's chart in each colour scheme, if the machine ran all of its jobs.
    fn charts(&self, folder: &Path, machine: &str) -> Vec<(PathBuf, String)> {
        let run = |(name, title)| {
            let job = jobs::all().find(|job| job.name == name)?;
            Some((title, job, self.of(job))).filter(|(.., runs)| !runs.is_empty())
        };
        let Some(charted) = chart::JOBS.into_iter().map(run).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let key = |(name, _)| format!("{name} @{}", chart::THREADS);
        let conditions = chart::JOBS.into_iter().filter_map(|job| self.record.jobs.get(&key(job)));
        let last = conditions.filter_map(|c| c.date.get(..10)).max().unwrap_or_default();
        let caption = format!("{machine}; {last}");
        chart::SCHEMES
            .iter()
            .map(|scheme| {
                let name = format!("chart-{}.svg", scheme.name);
                (folder.join(name), chart::draw(&charted, scheme, &caption))
            })
            .collect()
    }

    /// Everything between the two comments.
    fn part(&self) -> Result<String> {
        let rows = self.rows();
        let mut text = String::new();
        let Record { cpu, cores, kernel, .. } = &self.record;
        // Whole addresses: the page is also one of a book, which has no results.
        let home = format!("{}/blob/main/{RESULTS}/{}", env!("CARGO_PKG_REPOSITORY"), self.machine);
        writeln!(
            text,
            "{cpu}, {cores} cores, {kernel}. Every run: [{0}]({home}); all contestants, versions and conditions: \
             [summary.md]({home}/summary.md).\n\n{EXPLANATION}",
            self.machine
        )?;
        writeln!(text, "### Behind\n")?;
        let mut behind = 0;
        for row in &rows {
            let faults = row.faults();
            if !faults.is_empty() {
                behind += 1;
                writeln!(
                    text,
                    "- `{}`, {}: {}",
                    row.job.name,
                    threads(row.threads),
                    faults.join("; ")
                )?;
            }
        }
        writeln!(text, "{}{behind} of {} rows.\n", if behind > 0 { "\n" } else { "" }, rows.len())?;
        self.write_table(&mut text, &rows)?;
        self.write_gaps(&mut text)?;
        self.write_growth(&mut text)?;
        writeln!(text, "### Figures\n")?;
        for job in jobs::all().filter(|job| !self.of(job).is_empty()) {
            writeln!(text, "[{0}]({home}/figures/{0}.svg): {1}.  ", job.name, job.about)?;
        }
        Ok(text)
    }

    fn write_table(&self, text: &mut String, rows: &[Row]) -> Result<()> {
        writeln!(text, "### All jobs\n")?;
        writeln!(
            text,
            "| job | threads | wall s | × limit | best peer | × peer | CPU s | peer's | peak MB | peer's | written MB | peer's |"
        )?;
        writeln!(text, "|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|")?;
        for row in rows {
            let peer = row.peer.as_ref();
            let of_peer =
                |cell: fn(&Cost) -> String| peer.map_or(none(), |(_, cost, _)| cell(cost));
            writeln!(
                text,
                "| {} | {} | {:.3} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                row.job.name,
                row.threads,
                row.own.wall_s,
                interval(row.over_limit),
                peer.map_or(none(), |(name, ..)| (*name).to_owned()),
                interval(peer.map(|(.., times)| *times)),
                row.own.cpu(),
                of_peer(Cost::cpu),
                row.own.peak(),
                of_peer(Cost::peak),
                row.own.written(),
                of_peer(Cost::written),
            )?;
        }
        writeln!(text)?;
        Ok(())
    }

    /// What is not in the table, and why.
    fn write_gaps(&self, text: &mut String) -> Result<()> {
        let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (job, conditions) in &self.record.jobs {
            for name in &conditions.missing {
                missing.entry(name).or_default().push(job.clone());
            }
            for name in &conditions.failed {
                wrong.entry(name).or_default().push(job.clone());
            }
        }
        if !missing.is_empty() {
            let names: Vec<&str> = missing.into_keys().collect();
            writeln!(text, "Not installed when these were measured: {}.\n", names.join(", "))?;
        }
        for (name, jobs) in wrong {
            writeln!(text, "{name} failed or gave another answer: {}.\n", jobs.join(", "))?;
        }
        let absent: Vec<&str> = jobs::all()
            .filter(|job| self.of(job).is_empty())
            .map(|job| job.name.as_str())
            .collect();
        if !absent.is_empty() {
            writeln!(text, "Not measured on this machine: {}.\n", absent.join(", "))?;
        }
        Ok(())
    }

    fn write_growth(&self, text: &mut String) -> Result<()> {
        if self.growth.is_empty() {
            return Ok(());
        }
        writeln!(text, "### Growth\n\nMedians; memory is the highest of all runs.\n")?;
        writeln!(text, "| job | threads | reads | ns a read | peak MB | not file pages, MB |")?;
        writeln!(text, "|---|---:|---:|---:|---:|---:|")?;
        for row in growth::rows(&self.growth) {
            writeln!(text, "{row}")?;
        }
        writeln!(text)?;
        Ok(())
    }
}

impl Row {
    /// Why the job is behind; empty if it isn't.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(over) = self.over_limit.filter(|e| e.median > FAR) {
            faults.push(format!("{} × its limit", interval(Some(over))));
        }
        if let Some((name, _, times)) = self.peer.as_ref().filter(|(.., e)| e.low <= 1.0) {
            faults.push(format!(
                "not ahead of {name}, which takes {} × as long",
                interval(Some(*times))
            ));
        }
        faults
    }
}

impl Cost {
    fn of(session: &Timings<'_>, name: &str) -> Option<Cost> {
        Some(Cost {
            wall_s: session.median(name, |r| r.usage.wall_s)?,
            cpu_s: session.median(name, |r| r.usage.user_s + r.usage.sys_s)?,
            peak_kb: session.of_contestant(name).iter().map(|r| r.usage.max_rss_kb).max()?,
            written: session.written(name),
        })
    }

    fn cpu(&self) -> String {
        format!("{:.2}", self.cpu_s)
    }

    fn peak(&self) -> String {
        megabytes(Some(self.peak_kb))
    }

    fn written(&self) -> String {
        self.written.map_or(none(), |bytes| format!("{:.1}", bytes / 1e6))
    }
}

const EXPLANATION: &str = "\
*× limit* is biofast's time by that of the job's limit, *× peer* the best peer's time by biofast's: above 1, biofast is faster. Both
are medians of the ratios within each repetition, with an exact interval (order statistics, at least 95 % where there are six repetitions or more). Peers that do less than the job asks for (`wc`, `gzip -t`,
`samtools quickcheck`, filtering without compressing) are in summary.md only. CPU seconds are user and system time, peak memory includes
mapped file pages, written is what was given to write calls. A job is *behind* if it takes more than 1.15 times its limit, or if the interval
of *× peer* does not lie above 1.
";

fn threads(n: usize) -> String {
    format!("{n} thread{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::runs::timed;
    use super::*;

    const MACHINE: &str = "some-machine";

    fn runs(contestant: &str, walls: [f64; 3]) -> Vec<Run> {
        timed("bam-flagstat", contestant, &walls)
    }

    /// A repository whose page has one generated part; biofast takes 1 s.
    fn repository(limit: f64, peer: f64) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("temporary directory");
        let results = dir.path().join(RESULTS).join(MACHINE);
        fs::create_dir_all(&results).expect("creates");
        fs::create_dir_all(dir.path().join("docs")).expect("creates");
        let all = [
            runs("biofast", [1.0; 3]),
            runs("samtools", [peer; 3]),
            runs("limit-inflate", [limit; 3]),
        ];
        runs::replace(&results, "bam-flagstat", 2, &all.concat()).expect("writes");
        let page = format!("By hand.\n{BEGIN}{MACHINE}{BEGIN_END}\nold\n{END}\nBy hand, too.\n");
        fs::write(dir.path().join(PAGE), page).expect("writes");
        dir
    }

    fn page(dir: &tempfile::TempDir) -> String {
        report(dir.path(), None).expect("reports");
        fs::read_to_string(dir.path().join(PAGE)).expect("reads")
    }

    #[test]
    fn the_part_is_replaced_and_the_rest_kept() {
        let dir = repository(0.9, 2.0);
        let text = page(&dir);
        assert!(text.starts_with("By hand.\n") && text.ends_with("\nBy hand, too.\n"), "{text}");
        assert!(!text.contains("\nold\n"));
        assert!(text.contains(
            "| bam-flagstat | 2 | 1.000 | 1.11 [1.11, 1.11] | samtools | 2.00 [2.00, 2.00] |"
        ));
        assert!(text.contains("\n0 of 1 rows."), "{text}");
        assert_eq!(page(&dir), text, "written again, it is the same");
        let figure = dir.path().join(RESULTS).join(MACHINE).join("figures/bam-flagstat.svg");
        assert!(fs::read_to_string(figure).expect("figure").contains("samtools"));
    }

    #[test]
    fn what_is_behind_is_listed() {
        let far = page(&repository(0.8, 2.0));
        assert!(
            far.contains("- `bam-flagstat`, 2 threads: 1.25 [1.25, 1.25] × its limit\n"),
            "{far}"
        );
        let slow = page(&repository(0.9, 1.0));
        assert!(slow.contains("not ahead of samtools, which takes 1.00 [1.00, 1.00] × as long"));
    }
}
