//! Jobs on real reads, which generated ones only resemble: `biofast-lab bench --real DIR`.
//!
//! Each FASTQ file of the folder (mates by `_R1` and `_R2`) is repeated to a size that can be timed, as plain text and as
//! BGZF at level 6, and goes through the jobs for reads; simulated pairs (of art_illumina) come last. `BIOFAST_SIMD` holds for the programs measured; results of a
//! level have a folder of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use biofast_io::{self as io, Source};

use super::art;
use super::jobs::{self, BASE, Job};
use super::runs::{self, Run, Timings, interval, none};
use super::{Input, Measuring, Options, Programs, scratch};
use crate::core::machine;
use crate::datasets::count::{Counted, count};
use crate::datasets::manifest::FileEntry;
use crate::datasets::{Format, Profile};
use crate::files;

/// The jobs that make sense for any reads.
const JOBS: [&str; 5] = [
    "fastq-stats-bgzf", "fastq-stats-plain", "fastq-check", "fastq-compress", "fastq-filter-pairs",
];
/// Text of each set, at least.
const TEXT: u64 = 200 << 20;
const TEXT_QUICK: u64 = 10 << 20;
/// What stands between a job and its reads in `runs.csv`.
const ON: &str = " on ";

/// Runs the jobs on the files of `folder`.
///
/// # Errors
/// If a command failed or an answer is wrong, after everything was written.
pub(super) fn run(options: &Options, folder: &Path) -> Result<()> {
    let chosen = jobs::select(&options.only)?;
    let chosen: Vec<&Job> =
        chosen.into_iter().filter(|job| JOBS.contains(&job.name.as_str())).collect();
    ensure!(!chosen.is_empty(), "real reads are for these jobs: {}", JOBS.join(", "));
    let reps = options.reps()?;
    let programs = Programs::find(options)?;
    let out = options.out.join(machine::exact_slug()).join(folder_name(options.quick));
    files::create_folder(&out)?;
    let mut faults = Vec::new();
    let mut sets = sets(folder)?;
    match art::find() {
        Some(program) => {
            sets.push(Set { name: art::NAME.to_owned(), reads: Reads::SimulatedBy(program) })
        }
        None => eprintln!("not in PATH: art_illumina, so no reads of {}", art::NAME),
    }
    for set in sets {
        let scratch = scratch()?;
        let prepared = set.prepare(&programs, options.quick, scratch.path())?;
        for job in &chosen {
            let Some(input) = prepared.input(job) else { continue };
            let name = format!("{}{ON}{}", job.name, set.name);
            let measuring =
                Measuring { options, programs: &programs, scratch: scratch.path(), reps };
            for &threads in &options.threads {
                let until = None;
                faults.extend(measuring.run(job, &name, &input, threads, until, &out)?);
            }
        }
    }
    print!("{}", table(&runs::read(&out)?));
    super::fail_on(&faults)
}

/// The folder of results below the machine's: one for each SIMD level that was asked for.
fn folder_name(quick: bool) -> String {
    let level = std::env::var("BIOFAST_SIMD").unwrap_or_else(|_| "best".to_owned());
    format!("real-{level}{}", if quick { "-quick" } else { "" })
}

/// Reads, or pairs of them.
struct Set {
    name: String,
    reads: Reads,
}

/// Where they come from.
enum Reads {
    /// Files.
    Stored { file: PathBuf, mate: Option<PathBuf> },
    /// This program makes pairs.
    SimulatedBy(PathBuf),
}

/// The FASTQ files of a folder, in the order of their names.
fn sets(folder: &Path) -> Result<Vec<Set>> {
    let mut files = BTreeMap::new();
    for path in files::list(folder)? {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((stem, ending)) = file.split_once('.') else { continue };
        if ["fastq.gz", "fq.gz", "fastq", "fq"].contains(&ending) {
            files.insert(stem.to_owned(), path);
        }
    }
    ensure!(!files.is_empty(), "{} holds no FASTQ files", folder.display());
    let mates: BTreeSet<String> = files
        .keys()
        .filter_map(|stem| stem.strip_suffix("_R1"))
        .map(|name| format!("{name}_R2"))
        .filter(|mate| files.contains_key(mate))
        .collect();
    let set = |(stem, file): (&String, &PathBuf)| {
        let name = stem.strip_suffix("_R1").unwrap_or(stem).to_owned();
        let mate = files.get(&format!("{name}_R2")).filter(|mate| *mate != file).cloned();
        Set { name, reads: Reads::Stored { file: file.clone(), mate } }
    };
    Ok(files.iter().filter(|(stem, _)| !mates.contains(*stem)).map(set).collect())
}

/// A set, repeated.
struct Prepared {
    plain: FileEntry,
    bgzf: FileEntry,
    /// Bytes of text in the BGZF file, which names no read again behind its `+`.
    bgzf_text: u64,
    folder: PathBuf,
    has_mate: bool,
}

impl Set {
    fn prepare(&self, programs: &Programs, quick: bool, scratch: &Path) -> Result<Prepared> {
        let (file, mate) = match &self.reads {
            Reads::Stored { file, mate } => (file.clone(), mate.clone()),
            Reads::SimulatedBy(program) => {
                let (first, second) = art::simulate(program, scratch)?;
                (first, Some(second))
            }
        };
        let text = files::read_text(&file, u64::MAX)?;
        let least = if quick { TEXT_QUICK } else { TEXT };
        let times = least.div_ceil((text.len() as u64).max(1));
        let plain = self.repeat(&text, times, "reads", programs, scratch)?;
        if let Some(mate) = &mate {
            self.repeat(&files::read_text(mate, u64::MAX)?, times, "mates", programs, scratch)?;
        }
        let bgzf = FileEntry {
            file: format!("{}.fq.gz", self.name),
            format: Format::Bgzf,
            bytes: fs::metadata(scratch.join("reads.fq.gz")).context("no reads")?.len(),
            ..plain.clone()
        };
        let source = Source::open(scratch.join("reads.fq.gz"))?;
        let mut text = io::Reader::new(source, &io::Options::default())?;
        let bgzf_text = std::io::copy(&mut text, &mut std::io::sink()).context("no reads")?;
        Ok(Prepared {
            plain,
            bgzf,
            bgzf_text,
            folder: scratch.to_owned(),
            has_mate: mate.is_some(),
        })
    }

    /// Writes `text` so many times to `NAME.fq`, and that to `NAME.fq.gz`.
    fn repeat(
        &self,
        text: &[u8],
        times: u64,
        name: &str,
        programs: &Programs,
        scratch: &Path,
    ) -> Result<FileEntry> {
        let plain = scratch.join(format!("{name}.fq"));
        let mut file = BufWriter::new(files::create(&plain)?);
        (0..times)
            .try_for_each(|_| file.write_all(text))
            .and_then(|()| file.flush())
            .with_context(|| format!("cannot write {}", plain.display()))?;
        let bgzf = scratch.join(format!("{name}.fq.gz"));
        let mut args = vec!["filter".into(), "--quiet".into(), "--level".into(), "6".into()];
        args.extend([plain.clone().into(), "-o".into(), bgzf.into()]);
        programs.run_biofast(&args, scratch)?;
        let Counted { records, bases } = count(&plain, Format::Fastq, 1)?;
        Ok(FileEntry {
            dataset: self.name.clone(),
            file: format!("{}.fq", self.name),
            format: Format::Fastq,
            seed: 0,
            profile: Profile::Hiseq,
            records,
            bases,
            bytes: text.len() as u64 * times,
            sha256: String::new(),
        })
    }
}

impl Prepared {
    /// What a job reads; `None` if it needs mates and there are none.
    fn input(&self, job: &Job) -> Option<Input> {
        if job.mate.is_some() && !self.has_mate {
            return None;
        }
        let (entry, text, ending) = match job.format {
            Format::Fastq => (&self.plain, self.plain.bytes, "fq"),
            _ => (&self.bgzf, self.bgzf_text, "fq.gz"),
        };
        let link = self.folder.join(format!("reads.{ending}"));
        let mate = match job.mate {
            Some(_) => self.folder.join(format!("mates.{ending}")),
            None => link.clone(),
        };
        Some(Input { entry: entry.clone(), text_bytes: Some(text), link, mate })
    }
}

/// The table of a level's results: a row for each job, set and number of threads.
fn table(runs: &[Run]) -> String {
    let mut page = String::from(
        "| job | reads | threads | s | × limit | best peer | × peer | output ÷ peer's |\n|---|---|---:|---:|---:|---|---:|---:|\n",
    );
    for job in jobs::all().filter(|job| JOBS.contains(&job.name.as_str())) {
        let of_base = runs.iter().filter(|run| run.contestant == BASE);
        let rows: BTreeSet<(&str, usize)> = of_base
            .filter_map(|run| Some((run.job.split_once(ON)?, run.threads)))
            .filter(|((name, _), _)| *name == job.name)
            .map(|((_, set), threads)| (set, threads))
            .collect();
        for (set, threads) in rows {
            let session = Timings::of(runs, &format!("{}{ON}{set}", job.name), threads);
            page += &row(job, set, threads, &session);
        }
    }
    page
}

fn row(job: &Job, set: &str, threads: usize, session: &Timings<'_>) -> String {
    let own = session.median(BASE, |run| run.usage.wall_s).unwrap_or_default();
    let over = job.limit.as_deref().and_then(|limit| session.ratio(BASE, limit));
    let best = runs::peers(job)
        .filter_map(|c| Some((c.name.as_str(), session.ratio(&c.name, BASE)?)))
        .min_by(|a, b| a.1.median.total_cmp(&b.1.median));
    let peer = best.map_or(none(), |(name, _)| name.to_owned());
    let written = best.and_then(|(name, _)| session.written(BASE).zip(session.written(name)));
    let size = written.filter(|(ours, theirs)| ours.min(*theirs) > 1e7);
    let size = size.map_or(none(), |(ours, theirs)| format!("{:.3}", ours / theirs));
    format!(
        "| {} | {set} | {threads} | {own:.3} | {} | {peer} | {} | {size} |\n",
        job.name,
        interval(over),
        interval(best.map(|(_, times)| times)),
    )
}

/// The tables of a machine's folder, a level each, for the page.
pub(super) fn part(folder: &Path) -> Result<String> {
    let mut page = String::new();
    for level in ["avx2", "best"] {
        let folder = folder.join(format!("real-{level}"));
        let runs = runs::read(&folder)?;
        if runs.is_empty() {
            continue;
        }
        let record = machine::read_stored(&folder)?;
        let what = match level {
            "best" => "At the best level of this processor".to_owned(),
            level => format!("With `BIOFAST_SIMD={level}`"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            page,
            "{what} ({}, {} cores, {}):\n\n{}",
            record.cpu,
            record.cores,
            record.kernel,
            table(&runs)
        );
    }
    ensure!(!page.is_empty(), "no runs on real reads in {}", folder.display());
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::super::runs::timed;
    use super::*;

    #[test]
    fn a_row_compares_with_the_limit_and_the_best_peer_on_the_same_reads() {
        let mut all = timed("fastq-stats-bgzf on x", BASE, &[1.0, 2.0, 3.0]);
        all.extend(timed("fastq-stats-bgzf on x", "seqtk", &[4.0, 8.0, 12.0]));
        all.extend(timed("fastq-stats-bgzf on x", "seqkit", &[3.0, 6.0, 9.0]));
        all.extend(timed("fastq-stats-bgzf on x", "limit-inflate", &[0.5, 1.0, 1.5]));
        all.extend(timed("fastq-stats-bgzf on y", "seqkit", &[1.0, 1.0, 1.0]));
        let table = table(&all);
        let expected = "| fastq-stats-bgzf | x | 2 | 2.000 | 2.00 [2.00, 2.00] | seqkit | 3.00 [3.00, 3.00] | – |";
        assert!(table.contains(expected), "{table}");
        assert!(!table.contains("| y |"), "{table}");
    }
}
