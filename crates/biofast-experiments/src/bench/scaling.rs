//! What more cores could give, on paper: `biofast-lab bench --scaling`. A job on two threads says how much processor time the parts
//! took that one thread at a time does, whatever the number of threads (`--verbose`). The longest of them bounds the speed-up.
//! `scaling.csv` has every run.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use super::runs::{self, CsvRow, number, optional};
use super::{Options, Programs, scratch};
use crate::core::measure;
use crate::core::stats::median;
use crate::files;
use crate::rng::Rng;

const REPS: usize = 7;
const PURPOSE_ORDER: u64 = 0x7363_616c;
/// Numbers of cores that the table is for.
const CORES: [f64; 3] = [4.0, 16.0, 64.0];

/// A name, the file of the datasets, and the arguments before and after it; those that begin with `out` are names in the folder of
/// outputs.
const JOBS: [(&str, &str, &[&str], &[&str]); 12] = [
    ("fastq-stats-bgzf", "r1_1600k.fq.bgz", &["stats"], &[]),
    ("fastq-stats-plain", "r1_1600k.fq", &["stats"], &[]),
    ("fastq-check", "r1_1600k.fq.bgz", &["check"], &[]),
    ("fastq-filter", "r1_1600k.fq.bgz", &["filter", "--min-mean-qual", "25"], &["-o", "out.fq.gz"]),
    ("fastq-dedup", "r1_1600k.fq.bgz", &["dedup"], &["-o", "out.fq.gz"]),
    ("bam-flagstat", "aln_1600k.bam", &["flagstat"], &[]),
    ("bam-stats", "aln_1600k.bam", &["stats"], &[]),
    ("bam-qc", "aln_1600k.bam", &["stats"], &["--out-dir", "out.qc"]),
    ("bam-check", "aln_1600k.bam", &["check"], &[]),
    ("bam-view-sam", "aln_1600k.bam", &["view"], &[]),
    ("bam-filter", "aln_1600k.bam", &["filter", "--min-mapq", "30"], &["-o", "out.bam"]),
    (
        "bam-fastq",
        "aln_1600k.bam",
        &["fastq"],
        &["-1", "out.r1.fq.gz", "-2", "out.r2.fq.gz", "-0", "out.0.fq.gz", "-s", "out.s.fq.gz"],
    ),
];

/// One run on one thread and one on two: CPU seconds of the latter and what `--verbose` says of it, gigabytes of text and seconds;
/// and how long each of the two took.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    job: String,
    rep: usize,
    cpu_s: f64,
    gb: f64,
    taking: f64,
    framing: f64,
    writing: f64,
    /// Older runs have only one thread, and no such times.
    walls: Option<[f64; 2]>,
}

impl CsvRow for Point {
    const NAME: &'static str = "scaling.csv";
    const HEADER: &'static str = "job,rep,cpu_s,gb,taking_s,framing_s,writing_s,wall_1_s,wall_2_s";

    fn line(&self) -> String {
        let Point { job, rep, cpu_s, gb, taking, framing, writing, walls } = self;
        let [one, two] =
            walls.map_or_else(Default::default, |walls| walls.map(|s| format!("{s:.4}")));
        format!("{job},{rep},{cpu_s:.4},{gb},{taking},{framing},{writing},{one},{two}")
    }

    fn parse(fields: &[&str]) -> Result<Self> {
        let &[job, rep, cpu_s, gb, taking, framing, writing, one, two] = fields else {
            bail!("{} fields instead of 9", fields.len());
        };
        Ok(Point {
            job: job.to_owned(),
            rep: number(rep)?,
            cpu_s: number(cpu_s)?,
            gb: number(gb)?,
            taking: number(taking)?,
            framing: number(framing)?,
            writing: number(writing)?,
            walls: optional(one)?.zip(optional(two)?).map(|(one, two)| [one, two]),
        })
    }
}

/// Runs biofast alone on one thread and on two, in random order.
pub(super) fn run(options: &Options) -> Result<()> {
    let reps = options.reps.unwrap_or(if options.quick { 2 } else { REPS });
    let programs = Programs::find(options)?;
    let biofast = programs.biofast()?;
    let scratch = scratch()?;
    let generated = fs::canonicalize(options.dir.join("generated"))
        .with_context(|| format!("no generated datasets in {}", options.dir.display()))?;
    let mut jobs = JOBS;
    let mut points = Vec::new();
    let mut rng = Rng::new(options.seed, PURPOSE_ORDER, 0);
    // Repetition 0 warms the page cache and is not kept.
    for rep in 0..=reps {
        eprintln!("scaling: repetition {rep} of {reps}");
        rng.shuffle(&mut jobs);
        for (job, file, before, after) in jobs {
            let run = |threads| {
                let call = [before, after];
                run_once(biofast, call, &generated.join(file), threads, scratch.path())
                    .with_context(|| job.to_owned())
            };
            let ((_, one), (point, two)) = (run(1)?, run(2)?);
            if rep > 0 {
                let walls = Some([one, two]);
                points.push(Point { job: job.to_owned(), rep, walls, ..point });
            }
        }
    }
    runs::write(&options.folder()?, &points)?;
    print!("{}", table(&points));
    Ok(())
}

/// What a run says of itself, and how long it took.
fn run_once(
    biofast: &Path,
    [before, after]: [&[&str]; 2],
    file: &Path,
    threads: usize,
    dir: &Path,
) -> Result<(Point, f64)> {
    let mut args: Vec<OsString> = before.iter().map(Into::into).collect();
    args.extend(["--verbose".into(), "--threads".into(), threads.to_string().into(), file.into()]);
    for &arg in after {
        if !arg.starts_with("out") {
            args.push(arg.into());
            continue;
        }
        let out = dir.join(arg);
        let _ = if out.is_dir() { fs::remove_dir_all(&out) } else { fs::remove_file(&out) };
        args.push(out.into());
    }
    let stderr = dir.join("stderr");
    let usage = measure::run(biofast, &args, dir, None, &stderr)?;
    let said = files::read(&stderr)?;
    ensure!(usage.exit == 0, "exit code {}: {said}", usage.exit);
    let point = parse(&said).with_context(|| format!("no times in {said:?}"))?;
    Ok((Point { cpu_s: usage.user_s + usage.sys_s, ..point }, usage.wall_s))
}

/// The times in the words of `--verbose`.
fn parse(said: &str) -> Option<Point> {
    let (_, said) = said.split_once("one thread at a time, of ")?;
    let (gb, said) = said.split_once(" GB: ")?;
    let (taking, said) = said.split_once(" s taking chunks, ")?;
    let (framing, said) = said.split_once(" s framing, ")?;
    let (writing, _) = said.split_once(" s writing")?;
    let [gb, taking, framing, writing] = [gb, taking, framing, writing].map(|n| n.parse().ok());
    let (gb, taking, framing, writing) = (gb?, taking?, framing?, writing?);
    let (job, walls) = (String::new(), None);
    Some(Point { job, rep: 0, cpu_s: 0.0, gb, taking, framing, writing, walls })
}

/// Medians of each job: what share of all work is done in order, that of one thread at a time which takes longest; the speed-up over
/// one core that it allows, all work divided by the cores, but no less time than it takes; and the measured one on two threads.
fn table(points: &[Point]) -> String {
    let mut page = String::from(
        "| job | CPU s/GB | taking | framing | writing | in order | two threads | at 4 cores | at 16 | at 64 |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (job, ..) in JOBS {
        let own: Vec<&Point> = points.iter().filter(|point| point.job == job).collect();
        let per_gb = |what: fn(&Point) -> f64| {
            median(&own.iter().map(|p| what(p) / p.gb).collect::<Vec<_>>())
        };
        let Some(cpu) = per_gb(|p| p.cpu_s) else { continue };
        let parts: [fn(&Point) -> f64; 3] = [|p| p.taking, |p| p.framing, |p| p.writing];
        let parts @ [taking, framing, writing] = parts.map(|part| per_gb(part).unwrap_or_default());
        let longest = parts.into_iter().fold(0.0, f64::max);
        let walls = own.iter().filter_map(|point| point.walls);
        let on_two = median(&walls.map(|[one, two]| one / two).collect::<Vec<_>>());
        let on_two = on_two.map_or("–".to_owned(), |speed_up| format!("{speed_up:.2}"));
        let share = 100.0 * longest / cpu;
        // Writing to a String cannot fail.
        let _ = write!(
            page,
            "| {job} | {cpu:.3} | {taking:.3} | {framing:.3} | {writing:.3} | {share:.1} % | {on_two} |"
        );
        for cores in CORES {
            let speed_up = cpu / longest.max(cpu / cores);
            let _ = write!(page, " {speed_up:.1} |");
        }
        page.push('\n');
    }
    page
}

/// The table of a machine's folder, for the page.
pub(super) fn part(folder: &Path) -> Result<String> {
    let points = runs::read(folder)?;
    ensure!(!points.is_empty(), "no {} in {}", Point::NAME, folder.display());
    Ok(table(&points))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_back_with_and_without_times_of_two_threads() -> Result<()> {
        let said =
            "one thread at a time, of 0.500 GB: 0.1 s taking chunks, 0.2 s framing, 0.25 s writing";
        let point = parse(said).context("times")?;
        let point = Point { job: "bam-qc".into(), rep: 1, cpu_s: 2.5, ..point };
        for walls in [None, Some([2.5, 1.25])] {
            let point = Point { walls, ..point.clone() };
            let line = point.line();
            assert_eq!(Point::parse(&line.split(',').collect::<Vec<_>>())?, point);
            let two = if walls.is_some() { "2.00" } else { "–" };
            let row = format!(
                "| bam-qc | 5.000 | 0.200 | 0.400 | 0.500 | 10.0 % | {two} | 4.0 | 10.0 | 10.0 |"
            );
            assert!(table(&[point]).contains(&row), "{row}");
        }
        assert!(Point::parse(&["a"; 8]).is_err() && Point::parse(&["a"; 6]).is_err());
        Ok(())
    }
}
