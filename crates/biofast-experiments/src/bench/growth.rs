//! Growth: whether time per read and memory stay the same as files grow, `biofast-lab bench --growth`. The files are
//! the first reads of the benchmark's dataset, or the dataset several times over; `growth.csv` has every run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use libdeflater::{CompressionLvl, Compressor, Crc};

use super::answers::{Answer, Counts};
use super::runs::read_rows;
use super::{Options, Programs, Scratch};
use crate::core::machine;
use crate::core::measure::{self, Usage};
use crate::core::stats::median;
use crate::datasets::manifest::Manifest;
use crate::datasets::{BGZF_EOF, BGZF_PAYLOAD};
use crate::rng::Rng;

const NAME: &str = "growth.csv";
const HEADER: &str = "job,reads,threads,rep,wall_s,max_rss_kb,peak_anon_kb";
const DATASET: &str = "r1_1600k";
const SIZES: [u64; 5] = [100_000, 200_000, 400_000, 800_000, 1_600_000];
/// Only when asked for: 7 GB of temporary files.
const LARGE: u64 = 16_000_000;
const REPS: usize = 5;
const LEVEL: i32 = 6;
const PURPOSE_ORDER: u64 = 0x6772_6f77;

/// What is done with files of every size: a name, whether the file is BGZF, and whether reads are filtered.
const JOBS: [(&str, bool, bool); 3] = [
    ("fastq-stats-plain", false, false),
    ("fastq-stats-bgzf", true, false),
    ("fastq-filter", true, true),
];

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    job: String,
    reads: u64,
    threads: usize,
    rep: usize,
    wall_s: f64,
    max_rss_kb: u64,
    peak_anon_kb: Option<u64>,
}

/// Runs biofast on files of growing size, in random order; `large` adds 16 million reads.
pub fn run(options: &Options, large: bool) -> Result<()> {
    let reps = options.reps.unwrap_or(if options.quick { 2 } else { REPS });
    let programs = Programs::find(options)?;
    let biofast = programs.biofast()?;
    let scratch = Scratch::create()?;
    let sizes: Vec<u64> = match (options.quick, large) {
        (true, _) => SIZES[..2].to_vec(),
        (false, false) => SIZES.to_vec(),
        (false, true) => SIZES.into_iter().chain([LARGE]).collect(),
    };
    let inputs = Inputs::make(&options.dir, &scratch.0, &sizes)?;
    let mut cells = Vec::new();
    for (job, bgzf, filter) in JOBS {
        for file in inputs.files.iter().filter(|f| f.bgzf == bgzf) {
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
            let usage = run_once(biofast, file, filter, threads, &scratch.0)?;
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
    let mut out = options.out.join(machine::exact_slug());
    if options.quick {
        out.push("quick");
    }
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let path = out.join(NAME);
    fs::write(&path, format(&points))
        .with_context(|| format!("cannot write {}", path.display()))?;
    let record = machine::JobRecord {
        dataset: DATASET.to_owned(),
        sha256: inputs.sha256,
        reps,
        seed: options.seed,
        profile: machine::profile_of(biofast).to_owned(),
        ..machine::JobRecord::now()
    };
    machine::update_manifest(&out, "growth", record)?;
    for row in rows(&points) {
        println!("{row}");
    }
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
    let out = dir.join("out.fq.gz");
    let threads = format!("-@{threads}");
    let path = file.path.as_path();
    let words: &[&str] = if filter {
        &["filter", "--quiet", "--min-len", "100", &threads, "--json"]
    } else {
        &["stats", "--json", &threads]
    };
    let mut args: Vec<OsString> = words.iter().map(OsString::from).collect();
    if filter {
        args.extend([report.clone().into(), path.into(), "-o".into(), out.into()]);
    } else {
        args.push(path.into());
    }
    let usage = measure::run(biofast, &args, dir, Some(&stdout), &stderr)?;
    ensure!(usage.exit == 0, "biofast failed on {}", file.path.display());
    let answer = if filter { Answer::Fastp } else { Answer::Biofast };
    let truth = Counts { records: Some(file.reads), ..Counts::default() };
    if let Some(fault) = answer.parse(&stdout, &report)?.difference(&truth, 0) {
        bail!("{}: {fault}", file.path.display());
    }
    Ok(usage)
}

/// One file.
struct Input {
    reads: u64,
    bgzf: bool,
    path: PathBuf,
}

/// Files of every size, plain and BGZF.
struct Inputs {
    files: Vec<Input>,
    /// Of the plain file they come from.
    sha256: String,
}

impl Inputs {
    fn make(datasets: &Path, scratch: &Path, sizes: &[u64]) -> Result<Self> {
        let manifest = Manifest::read(datasets)?;
        let name = format!("generated/{DATASET}.fq");
        let entry =
            manifest.find(&name).with_context(|| format!("{name} is not in the manifest"))?;
        let whole = datasets.join(&entry.file);
        ensure!(
            whole.exists(),
            "{} is absent: biofast-lab datasets build {DATASET}",
            whole.display()
        );
        manifest.check(&entry.rehash(datasets)?)?;
        let mut files = Vec::new();
        for &reads in sizes {
            let plain = scratch.join(format!("{reads}.fq"));
            let bgzf = scratch.join(format!("{reads}.fq.gz"));
            write_reads(&whole, entry.records, reads, &plain, &bgzf)
                .with_context(|| format!("cannot make a file of {reads} reads"))?;
            files.push(Input { reads, bgzf: false, path: plain });
            files.push(Input { reads, bgzf: true, path: bgzf });
        }
        Ok(Inputs { files, sha256: entry.sha256.clone() })
    }
}

/// Writes the first `reads` of `whole`, which has `records`, or all of it so many times.
fn write_reads(whole: &Path, records: u64, reads: u64, plain: &Path, bgzf: &Path) -> Result<()> {
    let mut plain_out = BufWriter::new(File::create(plain)?);
    let mut left = reads;
    while left > 0 {
        let now = left.min(records);
        let mut input = BufReader::with_capacity(1 << 20, File::open(whole)?);
        let mut line = Vec::new();
        for _ in 0..now * 4 {
            line.clear();
            ensure!(input.read_until(b'\n', &mut line)? > 0, "the dataset ends too soon");
            plain_out.write_all(&line)?;
        }
        left -= now;
    }
    plain_out.flush()?;
    compress(BufReader::new(File::open(plain)?), BufWriter::new(File::create(bgzf)?))
}

/// Plain to BGZF, with the blocks of the datasets.
fn compress(mut from: impl std::io::Read, mut to: impl Write) -> Result<()> {
    let level = CompressionLvl::new(LEVEL).map_err(|_| anyhow::anyhow!("no such level"))?;
    let mut codec = Compressor::new(level);
    let mut text = Vec::with_capacity(BGZF_PAYLOAD);
    let mut block = vec![0; codec.deflate_compress_bound(BGZF_PAYLOAD)];
    loop {
        text.clear();
        from.by_ref().take(BGZF_PAYLOAD as u64).read_to_end(&mut text)?;
        if text.is_empty() {
            break;
        }
        let size = codec.deflate_compress(&text, &mut block)?;
        let mut head = [0; 18];
        head.copy_from_slice(&BGZF_EOF[..18]);
        let last = u16::try_from(size + 25).context("a block too large")?;
        head[16..].copy_from_slice(&last.to_le_bytes());
        let mut crc = Crc::new();
        crc.update(&text);
        to.write_all(&head)?;
        to.write_all(&block[..size])?;
        to.write_all(&crc.sum().to_le_bytes())?;
        to.write_all(&(text.len() as u32).to_le_bytes())?;
    }
    to.write_all(&BGZF_EOF)?;
    to.flush()?;
    Ok(())
}

fn format(points: &[Point]) -> String {
    let mut text = format!("{HEADER}\n");
    for p in points {
        let anon = p.peak_anon_kb.map(|kb| kb.to_string()).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{:.6},{},{anon}",
            p.job, p.reads, p.threads, p.rep, p.wall_s, p.max_rss_kb
        );
    }
    text
}

/// All runs in `dir`; none if growth was not measured.
pub(crate) fn read(dir: &Path) -> Result<Vec<Point>> {
    read_rows(&dir.join(NAME), parse)
}

fn parse(text: &str) -> Result<Vec<Point>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(HEADER), "line 1 is not the expected header");
    let parse_line = |line: &str| -> Result<Point> {
        let fields: Vec<&str> = line.split(',').collect();
        let [job, reads, threads, rep, wall, rss, anon] = fields[..] else {
            bail!("{} fields instead of 7", fields.len());
        };
        Ok(Point {
            job: job.to_owned(),
            reads: reads.parse()?,
            threads: threads.parse()?,
            rep: rep.parse()?,
            wall_s: wall.parse()?,
            max_rss_kb: rss.parse()?,
            peak_anon_kb: if anon.is_empty() { None } else { Some(anon.parse()?) },
        })
    };
    lines
        .enumerate()
        .map(|(i, line)| parse_line(line).with_context(|| format!("line {}", i + 2)))
        .collect()
}

/// Rows of a table: job, threads, reads, ns a read, peak memory with and without file pages.
pub(crate) fn rows(points: &[Point]) -> Vec<String> {
    let mut cells: BTreeMap<(&str, usize, u64), Vec<&Point>> = BTreeMap::new();
    for point in points {
        cells.entry((&point.job, point.threads, point.reads)).or_default().push(point);
    }
    let megabytes =
        |kb: Option<u64>| kb.map_or("–".to_owned(), |kb| format!("{:.1}", kb as f64 / 1024.0));
    let row = |((job, threads, reads), points): ((&str, usize, u64), Vec<&Point>)| {
        let walls: Vec<f64> = points.iter().map(|p| p.wall_s).collect();
        let each = median(&walls).unwrap_or_default() * 1e9 / reads as f64;
        format!(
            "| {job} | {threads} | {reads} | {each:.0} | {} | {} |",
            megabytes(points.iter().map(|p| p.max_rss_kb).max()),
            megabytes(points.iter().filter_map(|p| p.peak_anon_kb).max()),
        )
    };
    cells.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_as_many_reads_as_they_should() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let whole = dir.path().join("whole.fq");
        let record = |i: usize| format!("@r{i}\nACGT\n+\nIIII\n");
        let text: String = (0..1_000).map(record).collect();
        fs::write(&whole, &text).expect("writes");
        for (reads, expected) in [
            (300, (0..300).map(record).collect()),
            (2_500, text.repeat(2) + &(0..500).map(record).collect::<String>()),
        ] {
            let (plain, bgzf) = (dir.path().join("a.fq"), dir.path().join("a.fq.gz"));
            write_reads(&whole, 1_000, reads, &plain, &bgzf).expect("writes");
            assert_eq!(fs::read_to_string(&plain).expect("reads"), expected);
            let found = super::super::library::count("biofast-fastq", &bgzf, 1).expect("counts");
            assert_eq!((found.records, found.bases), (reads, reads * 4));
        }
    }

    #[test]
    fn survives_the_file() {
        let point = |reads: u64, rep| Point {
            job: "a".to_owned(),
            reads,
            threads: 2,
            rep,
            wall_s: 0.25,
            max_rss_kb: 1024,
            peak_anon_kb: (rep > 1).then_some(2048),
        };
        let points = vec![point(100, 1), point(1_000, 2)];
        assert_eq!(parse(&format(&points)).expect("parses"), points);
        assert_eq!(
            rows(&points),
            ["| a | 2 | 100 | 2500000 | 1.0 | – |", "| a | 2 | 1000 | 250000 | 1.0 | 2.0 |"]
        );
        assert!(parse("job\n").is_err());
    }
}
