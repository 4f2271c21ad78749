//! What more cores could give, on paper: `biofast-lab bench --scaling`. A job on one thread says how long the parts took that
//! one thread at a time does, whatever the number of threads (`--verbose`). The longest of them bounds the speed-up.
//! `scaling.csv` has every run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::{Options, Programs, Scratch};
use crate::core::machine;
use crate::core::measure;
use crate::core::stats::median;
use crate::rng::Rng;

const NAME: &str = "scaling.csv";
const HEADER: &str = "job,rep,cpu_s,gb,taking_s,framing_s,writing_s";
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

/// One run.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    job: String,
    rep: usize,
    cpu_s: f64,
    parts: Parts,
}

/// What `--verbose` says: gigabytes of text, and seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Parts {
    gb: f64,
    taking: f64,
    framing: f64,
    writing: f64,
}

/// Runs biofast alone on one thread, in random order.
///
/// # Errors
/// If a run fails or says nothing.
pub fn run(options: &Options) -> Result<()> {
    let reps = options.reps.unwrap_or(if options.quick { 2 } else { REPS });
    let programs = Programs::find(options)?;
    let biofast = programs.biofast()?;
    let scratch = Scratch::create()?;
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
            let (cpu_s, parts) =
                run_once(biofast, before, &generated.join(file), after, &scratch.0)
                    .with_context(|| job.to_owned())?;
            if rep > 0 {
                points.push(Point { job: job.to_owned(), rep, cpu_s, parts });
            }
        }
    }
    let out = options.out.join(machine::exact_slug());
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let path = out.join(NAME);
    fs::write(&path, to_csv(&points))
        .with_context(|| format!("cannot write {}", path.display()))?;
    print!("{}", table(&points));
    Ok(())
}

fn run_once(
    biofast: &Path,
    before: &[&str],
    file: &Path,
    after: &[&str],
    dir: &Path,
) -> Result<(f64, Parts)> {
    // Another ending would ask for another format.
    let out = dir.join(match file.extension() {
        Some(ending) if ending == "bam" => "out.bam",
        _ => "out.fq.gz",
    });
    let _ = fs::remove_file(&out);
    let mut args: Vec<OsString> = before.iter().map(Into::into).collect();
    args.extend(["-v".into(), "--threads".into(), "1".into(), file.into()]);
    args.extend(after.iter().map(|&arg| if arg == OUT { out.clone().into() } else { arg.into() }));
    let stderr = dir.join("stderr");
    let usage = measure::run(biofast, &args, dir, None, &stderr)?;
    let said = fs::read_to_string(&stderr).context("no messages")?;
    ensure!(usage.exit == 0, "exit code {}: {said}", usage.exit);
    let parts = parse(&said).with_context(|| format!("no times in {said:?}"))?;
    Ok((usage.user_s + usage.sys_s, parts))
}

/// The times in the words of `--verbose`.
fn parse(said: &str) -> Option<Parts> {
    let (_, said) = said.split_once("one thread at a time, of ")?;
    let (gb, said) = said.split_once(" GB: ")?;
    let (taking, said) = said.split_once(" s taking chunks, ")?;
    let (framing, said) = said.split_once(" s framing, ")?;
    let (writing, _) = said.split_once(" s writing")?;
    Some(Parts {
        gb: gb.parse().ok()?,
        taking: taking.parse().ok()?,
        framing: framing.parse().ok()?,
        writing: writing.parse().ok()?,
    })
}

fn to_csv(points: &[Point]) -> String {
    let mut csv = format!("{HEADER}\n");
    for Point { job, rep, cpu_s, parts } in points {
        let Parts { gb, taking, framing, writing } = parts;
        // Writing to a String cannot fail.
        let _ = writeln!(csv, "{job},{rep},{cpu_s:.4},{gb},{taking},{framing},{writing}");
    }
    csv
}

fn from_csv(text: &str) -> Result<Vec<Point>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "{NAME} has other columns");
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let &[job, rep, ref numbers @ ..] = fields.as_slice() else {
                anyhow::bail!("{line:?}")
            };
            let numbers: Vec<f64> =
                numbers.iter().map(|n| n.parse()).collect::<Result<_, _>>().context("a number")?;
            let &[cpu_s, gb, taking, framing, writing] = numbers.as_slice() else {
                anyhow::bail!("{line:?}")
            };
            let parts = Parts { gb, taking, framing, writing };
            Ok(Point { job: job.to_owned(), rep: rep.parse()?, cpu_s, parts })
        })
        .collect()
}

/// Medians of each job; and the speed-up over one core that the longest serial part allows: all work divided by the
/// cores, but no less time than that part takes.
fn table(points: &[Point]) -> String {
    let mut page = String::from(
        "| job | CPU s/GB | taking | framing | writing | at 4 cores | at 16 | at 64 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut jobs: BTreeMap<&str, Vec<&Point>> = BTreeMap::new();
    for point in points {
        jobs.entry(&point.job).or_default().push(point);
    }
    for (job, ..) in JOBS {
        let Some(points) = jobs.get(job) else { continue };
        let per_gb = |what: fn(&Point) -> f64| {
            median(&points.iter().map(|p| what(p) / p.parts.gb).collect::<Vec<_>>())
                .unwrap_or_default()
        };
        let cpu = per_gb(|p| p.cpu_s);
        let parts: [fn(&Point) -> f64; 3] =
            [|p| p.parts.taking, |p| p.parts.framing, |p| p.parts.writing];
        let parts = parts.map(per_gb);
        let longest = parts.into_iter().fold(0.0, f64::max);
        let [taking, framing, writing] = parts;
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
    let path: PathBuf = folder.join(NAME);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(table(&from_csv(&text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_part_bounds_the_speed_up() {
        let said = "biofast: note: x: bgzf FASTQ; one thread at a time, of 2.000 GB: 0.040 s taking \
            chunks, 0.100 s framing, 0.000 s writing\n";
        let parts = parse(said).expect("times");
        assert_eq!(parts, Parts { gb: 2.0, taking: 0.04, framing: 0.1, writing: 0.0 });
        let points = vec![Point { job: "fastq-check".to_owned(), rep: 1, cpu_s: 1.5, parts }];
        assert_eq!(from_csv(&to_csv(&points)).expect("read back"), points);
        let expected = "| fastq-check | 0.750 | 0.020 | 0.050 | 0.000 | 4.0 | 15.0 | 15.0 |";
        assert!(table(&points).contains(expected), "{}", table(&points));
        assert_eq!(parse("nothing of the kind"), None);
    }
}
