//! Growth: whether time per read and memory stay the same as files grow, `biofast-lab bench --growth`. The files are
//! the first reads of the benchmark's dataset, or the dataset several times over; `growth.csv` has every run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use super::answers::{Answer, Counts};
use super::runs::{self, CsvRow, megabytes, number, optional, or_empty};
use super::{Options, Programs, scratch};
use crate::core::machine;
use crate::core::measure::{self, Usage};
use crate::core::stats::median;
use crate::datasets;
use crate::datasets::manifest::Manifest;
use crate::files;
use crate::rng::Rng;

const DATASET: &str = "r1_1600k";
const SIZES: [u64; 5] = [100_000, 200_000, 400_000, 800_000, 1_600_000];
/// Only when asked for: 7 GB of temporary files.
const LARGE: u64 = 16_000_000;
const REPS: usize = 5;
const PURPOSE_ORDER: u64 = 0x6772_6f77;

/// What is done with files of every size: a name, whether the file is BGZF, and whether reads are filtered.
const JOBS: [(&str, bool, bool); 3] = [
    ("fastq-stats-plain", false, false),
    ("fastq-stats-bgzf", true, false),
    ("fastq-filter", true, true),
];

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    job: String,
    reads: u64,
    threads: usize,
    rep: usize,
    wall_s: f64,
    max_rss_kb: u64,
    peak_anon_kb: Option<u64>,
}

impl CsvRow for Point {
    const NAME: &'static str = "growth.csv";
    const HEADER: &'static str = "job,reads,threads,rep,wall_s,max_rss_kb,peak_anon_kb";

    fn line(&self) -> String {
        let Point { job, reads, threads, rep, wall_s, max_rss_kb, .. } = self;
        let anon = or_empty(self.peak_anon_kb);
        format!("{job},{reads},{threads},{rep},{wall_s:.6},{max_rss_kb},{anon}")
    }

    fn parse(fields: &[&str]) -> Result<Self> {
        let &[job, reads, threads, rep, wall, rss, anon] = fields else {
            bail!("{} fields instead of 7", fields.len());
        };
        Ok(Point {
            job: job.to_owned(),
            reads: number(reads)?,
            threads: number(threads)?,
            rep: number(rep)?,
            wall_s: number(wall)?,
            max_rss_kb: number(rss)?,
            peak_anon_kb: optional(anon)?,
        })
    }
}

/// Runs biofast on files of growing size, in random order.
pub(super) fn run(options: &Options) -> Result<()> {
    let reps = options.reps.unwrap_or(if options.quick { 2 } else { REPS });
    let programs = Programs::find(options)?;
    let biofast = programs.biofast()?;
    let scratch = scratch()?;
    let mut sizes = SIZES[..if options.quick { 2 } else { SIZES.len() }].to_vec();
    if options.large && !options.quick {
        sizes.push(LARGE);
    }
    let (inputs, sha256) = make_inputs(&options.dir, scratch.path(), &sizes)?;
    let mut cells = Vec::new();
    for (job, bgzf, filter) in JOBS {
        for file in inputs.iter().filter(|f| f.bgzf == bgzf) {
            cells.extend(options.threads.iter().map(|&threads| (job, filter, file, threads)));
        }
    }
    let mut points = Vec::new();
    let mut rng = Rng::new(options.seed, PURPOSE_ORDER, 0);
    // Repetition 0 warms the page cache and is not kept.
    for rep in 0..=reps {
        eprintln!("growth: repetition {rep} of {reps}, {} runs", cells.len());
        rng.shuffle(&mut cells);
        for &(job, filter, file, threads) in &cells {
            let usage = run_once(biofast, file, filter, threads, scratch.path())?;
            if rep > 0 {
                points.push(Point {
                    job: job.to_owned(),
                    reads: file.reads,
                    threads,
                    rep,
                    wall_s: usage.wall_s,
                    max_rss_kb: usage.max_rss_kb,
                    peak_anon_kb: usage.peak_anon_kb,
                });
            }
        }
    }
    let out = options.folder()?;
    runs::write(&out, &points)?;
    let record = machine::JobRecord {
        dataset: DATASET.to_owned(),
        sha256,
        reps,
        seed: options.seed,
        profile: machine::profile_of(biofast).to_owned(),
        ..machine::JobRecord::now()
    };
    machine::update_manifest(&out, "growth", record)?;
    rows(&points).iter().for_each(|row| println!("{row}"));
    Ok(())
}

fn run_once(
    biofast: &Path,
    file: &Input,
    filter: bool,
    threads: usize,
    dir: &Path,
) -> Result<Usage> {
    let (report, stdout, stderr) = (dir.join("report"), dir.join("stdout"), dir.join("stderr"));
    let threads = format!("-@{threads}");
    let path = file.path.as_path();
    let words: &[&str] = if filter {
        &["filter", "--quiet", "--min-len", "100", &threads, "--json"]
    } else {
        &["stats", "--json", &threads]
    };
    let mut args: Vec<OsString> = words.iter().map(OsString::from).collect();
    if filter {
        let out = dir.join("out.fq.gz");
        args.extend([report.clone().into(), path.into(), "-o".into(), out.into()]);
    } else {
        args.push(path.into());
    }
    let usage = measure::run(biofast, &args, dir, Some(&stdout), &stderr)?;
    ensure!(usage.exit == 0, "biofast failed on {}", path.display());
    let answer = if filter { Answer::Fastp } else { Answer::Biofast };
    let truth = Counts { records: Some(file.reads), ..Counts::default() };
    if let Some(fault) = answer.parse(&stdout, &report)?.difference(&truth, 0) {
        bail!("{}: {fault}", path.display());
    }
    Ok(usage)
}

/// One file.
struct Input {
    reads: u64,
    bgzf: bool,
    path: PathBuf,
}

/// Files of every size, plain and BGZF, and the checksum of the plain one they come from.
fn make_inputs(dir: &Path, scratch: &Path, sizes: &[u64]) -> Result<(Vec<Input>, String)> {
    let manifest = Manifest::read(dir)?;
    let name = format!("generated/{DATASET}.fq");
    let entry = manifest.find(&name).with_context(|| format!("{name} is not in the manifest"))?;
    let whole = dir.join(&entry.file);
    ensure!(whole.exists(), "{} is absent: biofast-lab datasets build {DATASET}", whole.display());
    manifest.check(&entry.rehash(dir)?)?;
    let mut inputs = Vec::new();
    for &reads in sizes {
        let plain = scratch.join(format!("{reads}.fq"));
        let bgzf = scratch.join(format!("{reads}.fq.gz"));
        write_reads(&whole, entry.records, reads, &plain)
            .and_then(|()| datasets::compress_file(&plain, &bgzf))
            .with_context(|| format!("cannot make a file of {reads} reads"))?;
        inputs.push(Input { reads, bgzf: false, path: plain });
        inputs.push(Input { reads, bgzf: true, path: bgzf });
    }
    Ok((inputs, entry.sha256.clone()))
}

/// Writes the first `reads` of `whole`, which has `records`, or all of it so many times.
fn write_reads(whole: &Path, records: u64, reads: u64, plain: &Path) -> Result<()> {
    let mut out = BufWriter::new(files::create(plain)?);
    let mut left = reads;
    while left > 0 {
        let now = left.min(records);
        let mut input = BufReader::with_capacity(1 << 20, files::open(whole)?);
        let mut line = Vec::new();
        for _ in 0..now * 4 {
            line.clear();
            ensure!(input.read_until(b'\n', &mut line)? > 0, "the dataset ends too soon");
            out.write_all(&line)?;
        }
        left -= now;
    }
    Ok(out.flush()?)
}

/// Rows of a table: job, threads, reads, ns a read, peak memory with and without file pages.
pub(super) fn rows(points: &[Point]) -> Vec<String> {
    let mut cells: BTreeMap<(&str, usize, u64), Vec<&Point>> = BTreeMap::new();
    for point in points {
        cells.entry((&point.job, point.threads, point.reads)).or_default().push(point);
    }
    let row = |((job, threads, reads), points): ((&str, usize, u64), Vec<&Point>)| {
        let walls: Vec<f64> = points.iter().map(|p| p.wall_s).collect();
        let each = median(&walls).unwrap_or_default() * 1e9 / reads as f64;
        let rss = megabytes(points.iter().map(|p| p.max_rss_kb).max());
        let anon = megabytes(points.iter().filter_map(|p| p.peak_anon_kb).max());
        format!("| {job} | {threads} | {reads} | {each:.0} | {rss} | {anon} |")
    };
    cells.into_iter().map(row).collect()
}
