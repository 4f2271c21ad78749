//! What more cores could give, on paper: `biofast-lab bench --scaling`. A job on one thread says how long the parts took that
//! one thread at a time does, whatever the number of threads (`--verbose`). The longest of them bounds the speed-up.
//! `scaling.csv` has every run.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use super::runs::{self, CsvRow, number};
use super::{Options, Programs, scratch};
use crate::core::measure;
use crate::core::stats::median;
use crate::files;
use crate::rng::Rng;

const REPS: usize = 7;
const PURPOSE_ORDER: u64 = 0x7363_616c;
/// Numbers of cores that the table is for.
const CORES: [f64; 3] = [4.0, 16.0, 64.0];
const OUT: &str = "out";

/// A name, the file of the datasets, and the arguments before and after it.
const JOBS: [(&str, &str, &[&str], &[&str]); 9] = [
    ("fastq-stats-bgzf", "r1_1600k.fq.bgz", &["stats"], &[]),
    ("fastq-stats-plain", "r1_1600k.fq", &["stats"], &[]),
    ("fastq-check", "r1_1600k.fq.bgz", &["check"], &[]),
    ("fastq-filter", "r1_1600k.fq.bgz", &["filter", "--min-mean-qual", "25"], &["-o", OUT]),
    ("bam-flagstat", "aln_1600k.bam", &["flagstat"], &[]),
    ("bam-stats", "aln_1600k.bam", &["stats"], &[]),
    ("bam-check", "aln_1600k.bam", &["check"], &[]),
    ("bam-view-sam", "aln_1600k.bam", &["view"], &[]),
    ("bam-filter", "aln_1600k.bam", &["filter", "--min-mapq", "30"], &["-o", OUT]),
];

/// One run: CPU seconds and what `--verbose` says, gigabytes of text and seconds.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    job: String,
    rep: usize,
    cpu_s: f64,
    gb: f64,
    taking: f64,
    framing: f64,
    writing: f64,
}

impl CsvRow for Point {
    const NAME: &'static str = "scaling.csv";
    const HEADER: &'static str = "job,rep,cpu_s,gb,taking_s,framing_s,writing_s";

    fn line(&self) -> String {
        let Point { job, rep, cpu_s, gb, taking, framing, writing } = self;
        format!("{job},{rep},{cpu_s:.4},{gb},{taking},{framing},{writing}")
    }

    fn parse(fields: &[&str]) -> Result<Self> {
        let &[job, rep, cpu_s, gb, taking, framing, writing] = fields else {
            bail!("{} fields instead of 7", fields.len());
        };
        Ok(Point {
            job: job.to_owned(),
            rep: number(rep)?,
            cpu_s: number(cpu_s)?,
            gb: number(gb)?,
            taking: number(taking)?,
            framing: number(framing)?,
            writing: number(writing)?,
        })
    }
}

/// Runs biofast alone on one thread, in random order.
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
            let point = run_once(biofast, before, &generated.join(file), after, scratch.path())
                .with_context(|| job.to_owned())?;
            if rep > 0 {
                points.push(Point { job: job.to_owned(), rep, ..point });
            }
        }
    }
    runs::write(&options.folder()?, &points)?;
    print!("{}", table(&points));
    Ok(())
}

fn run_once(
    biofast: &Path,
    before: &[&str],
    file: &Path,
    after: &[&str],
    dir: &Path,
) -> Result<Point> {
    // Another ending would ask for another format.
    let is_bam = file.extension().is_some_and(|ending| ending == "bam");
    let out = dir.join(if is_bam { "out.bam" } else { "out.fq.gz" });
    let _ = fs::remove_file(&out);
    let mut args: Vec<OsString> = before.iter().map(Into::into).collect();
    args.extend(["-v".into(), "--threads".into(), "1".into(), file.into()]);
    args.extend(after.iter().map(|&arg| if arg == OUT { out.clone().into() } else { arg.into() }));
    let stderr = dir.join("stderr");
    let usage = measure::run(biofast, &args, dir, None, &stderr)?;
    let said = files::read(&stderr)?;
    ensure!(usage.exit == 0, "exit code {}: {said}", usage.exit);
    let point = parse(&said).with_context(|| format!("no times in {said:?}"))?;
    Ok(Point { cpu_s: usage.user_s + usage.sys_s, ..point })
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
    Some(Point { job: String::new(), rep: 0, cpu_s: 0.0, gb, taking, framing, writing })
}

/// Medians of each job; and the speed-up over one core that the longest serial part allows: all work divided by the
/// cores, but no less time than that part takes.
fn table(points: &[Point]) -> String {
    let mut page = String::from(
        "| job | CPU s/GB | taking | framing | writing | at 4 cores | at 16 | at 64 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
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
        // Writing to a String cannot fail.
        let _ = write!(page, "| {job} | {cpu:.3} | {taking:.3} | {framing:.3} | {writing:.3} |");
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
