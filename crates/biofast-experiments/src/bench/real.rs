//! Jobs on real reads, which generated ones only resemble: `biofast-lab bench --real DIR`.
//!
//! Each FASTQ file of the folder (mates by `_R1` and `_R2`) is repeated to a size that can be timed, as plain text and as
//! BGZF at level 6, and goes through the jobs for reads; simulated pairs (of art_illumina) come last. `BIOFAST_SIMD` holds for the programs measured; results of a
//! level have a folder of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use biofast::fastq::par_fold;
use biofast::io::{self, Source};

use super::art;
use super::jobs::{self, BASE, Job};
use super::report::{by_rep, paired, ratio};
use super::runs::{self, Run};
use super::{Input, Options, Programs, REPS, REPS_QUICK, Scratch, Session};
use crate::core::machine;
use crate::core::measure;
use crate::core::stats::{Estimate, median, paired_ratio};
use crate::datasets::manifest::FileEntry;
use crate::datasets::{Format, Profile};

/// The jobs that make sense for any reads.
const JOBS: [&str; 5] = [
    "fastq-stats-bgzf",
    "fastq-stats-plain",
    "fastq-check",
    "fastq-compress",
    "fastq-filter-pairs",
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
pub fn run(options: &Options, folder: &Path) -> Result<()> {
    let chosen = jobs::select(&options.only)?;
    let chosen: Vec<&Job> =
        chosen.into_iter().filter(|job| JOBS.contains(&job.name.as_str())).collect();
    ensure!(!chosen.is_empty(), "real reads are for these jobs: {}", JOBS.join(", "));
    let reps = options.reps.unwrap_or(if options.quick { REPS_QUICK } else { REPS });
    let programs = Programs::find(options)?;
    let out = options.out.join(machine::exact_slug()).join(folder_name(options.quick));
    fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let mut faults = Vec::new();
    let mut sets = sets(folder)?;
    match art::find() {
        Some(program) => {
            sets.push(Set { name: art::NAME.to_owned(), reads: Reads::SimulatedBy(program) })
        }
        None => eprintln!("not in PATH: art_illumina, so no reads of {}", art::NAME),
    }
    for set in sets {
        let scratch = Scratch::create()?;
        let prepared = set.prepare(programs.biofast()?, options.quick, &scratch)?;
        for job in &chosen {
            let Some(input) = prepared.input(job) else { continue };
            for &threads in &options.threads {
                let name = format!("{}{ON}{}", job.name, set.name);
                eprintln!("{name} with {threads} thread(s), {reps} repetitions");
                let session = Session {
                    input: &input,
                    programs: &programs,
                    scratch: &scratch,
                    threads,
                    agreed: std::cell::Cell::new(None),
                };
                let (mut measured, found) = session.measure(job, reps, None, options.seed)?;
                measured.iter_mut().for_each(|run| run.job.clone_from(&name));
                let record = machine::JobRecord {
                    dataset: set.name.clone(),
                    sha256: input.entry.sha256.clone(),
                    reps,
                    seed: options.seed,
                    missing: programs.missing(job),
                    profile: machine::profile_of(programs.biofast()?).to_owned(),
                    failed: found.keys().map(|&name| name.to_owned()).collect(),
                    ..machine::JobRecord::now()
                };
                faults.extend(found.into_values().flatten());
                runs::replace(&out, &name, threads, &measured)?;
                machine::update_manifest(&out, &format!("{name} @{threads}"), record)?;
            }
        }
    }
    print!("{}", table(&runs::read(&out)?));
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} fault(s):\n  {}", faults.len(), faults.join("\n  "))
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
    let listed =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files = BTreeMap::new();
    for entry in listed {
        let path = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((stem, ending)) = file.split_once('.') else { continue };
        if ["fastq.gz", "fq.gz", "fastq", "fq"].contains(&ending) {
            files.insert(stem.to_owned(), path.clone());
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
    fn prepare(&self, biofast: &Path, quick: bool, scratch: &Scratch) -> Result<Prepared> {
        let (file, mate) = match &self.reads {
            Reads::Stored { file, mate } => (file.clone(), mate.clone()),
            Reads::SimulatedBy(program) => {
                let (first, second) = art::simulate(program, &scratch.0)?;
                (first, Some(second))
            }
        };
        let text = read(&file)?;
        let least = if quick { TEXT_QUICK } else { TEXT };
        let times = least.div_ceil((text.len() as u64).max(1));
        let plain = self.repeat(&text, times, "reads", biofast, scratch)?;
        if let Some(mate) = &mate {
            self.repeat(&read(mate)?, times, "mates", biofast, scratch)?;
        }
        let bgzf = FileEntry {
            file: format!("{}.fq.gz", self.name),
            format: Format::Bgzf,
            bytes: fs::metadata(scratch.0.join("reads.fq.gz")).context("no reads")?.len(),
            ..plain.clone()
        };
        let source = Source::open(scratch.0.join("reads.fq.gz"))?;
        let mut text = io::Reader::new(source, &io::Options::default())?;
        let bgzf_text = std::io::copy(&mut text, &mut std::io::sink()).context("no reads")?;
        Ok(Prepared { plain, bgzf, bgzf_text, folder: scratch.0.clone(), has_mate: mate.is_some() })
    }

    /// Writes `text` so many times to `NAME.fq`, and that to `NAME.fq.gz`.
    fn repeat(
        &self,
        text: &[u8],
        times: u64,
        name: &str,
        biofast: &Path,
        scratch: &Scratch,
    ) -> Result<FileEntry> {
        let plain = scratch.0.join(format!("{name}.fq"));
        let mut file = BufWriter::new(
            File::create(&plain).with_context(|| format!("cannot create {}", plain.display()))?,
        );
        for _ in 0..times {
            file.write_all(text).with_context(|| format!("cannot write {}", plain.display()))?;
        }
        file.flush().with_context(|| format!("cannot write {}", plain.display()))?;
        let bgzf = scratch.0.join(format!("{name}.fq.gz"));
        let mut args = vec!["filter".into(), "--quiet".into(), "--level".into(), "6".into()];
        args.extend([plain.clone().into(), "-o".into(), bgzf.into()]);
        let usage = measure::run(biofast, &args, &scratch.0, None, &scratch.0.join("stderr"))?;
        ensure!(usage.exit == 0, "cannot compress {}", self.name);
        let (records, bases) = par_fold(
            Source::open(&plain)?,
            &io::Options::default(),
            || (0, 0),
            |(records, bases), batch| {
                *records += batch.len() as u64;
                *bases += batch.iter().map(|read| read.sequence().len() as u64).sum::<u64>();
            },
            |mine, theirs| *mine = (mine.0 + theirs.0, mine.1 + theirs.1),
        )?;
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

/// The text of a FASTQ file, decompressed.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut reader = io::Reader::new(Source::open(path)?, &io::Options::default())?;
    std::io::Read::read_to_end(&mut reader, &mut text)
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text)
}

/// The table of a level's results: a row for each job, set and number of threads.
pub(super) fn table(runs: &[Run]) -> String {
    let mut page = String::from(
        "| job | reads | threads | s | × limit | best peer | × peer | output ÷ peer's |\n|---|---|---:|---:|---:|---|---:|---:|\n",
    );
    for job in jobs::all().filter(|job| JOBS.contains(&job.name.as_str())) {
        let mut rows = BTreeSet::new();
        for run in runs {
            if let Some((name, set)) = run.job.split_once(ON)
                && name == job.name
                && run.contestant == BASE
            {
                rows.insert((set, run.threads));
            }
        }
        for (set, threads) in rows {
            let name = format!("{}{ON}{set}", job.name);
            let runs: Vec<&Run> =
                runs.iter().filter(|run| run.job == name && run.threads == threads).collect();
            // Writing to a String cannot fail.
            let _ = writeln!(page, "{}", row(job, set, threads, &runs));
        }
    }
    page
}

fn row(job: &Job, set: &str, threads: usize, runs: &[&Run]) -> String {
    let walls = |name: &str| by_rep(runs, name, |run| run.usage.wall_s);
    let written = |name: &str| {
        let all: Vec<f64> = runs
            .iter()
            .filter(|run| run.contestant == name)
            .filter_map(|run| run.usage.written.map(|bytes| bytes as f64))
            .collect();
        median(&all)
    };
    let base = walls(BASE);
    let own = median(&base.values().copied().collect::<Vec<_>>()).unwrap_or_default();
    let over = job.limit.as_deref().map(|limit| ratio(&base, &walls(limit), false, SEED));
    let compared = |name: &str| -> Option<Estimate> {
        let (theirs, ours) = paired(&walls(name), &base);
        paired_ratio(&theirs, &ours, SEED)
    };
    let peers = job
        .contestants
        .iter()
        .filter(|c| !c.name.starts_with(BASE) && Some(&c.name) != job.limit.as_ref() && !c.weaker);
    let best = peers
        .filter_map(|c| Some((c.name.as_str(), compared(&c.name)?)))
        .min_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let (peer, times, size) = match best {
        Some((name, Estimate { value, low, high })) => {
            let size =
                written(BASE).zip(written(name)).filter(|(ours, theirs)| ours.min(*theirs) > 1e7);
            let size =
                size.map_or("–".to_owned(), |(ours, theirs)| format!("{:.3}", ours / theirs));
            (name, format!("{value:.2} [{low:.2}, {high:.2}]"), size)
        }
        None => ("–", "–".to_owned(), "–".to_owned()),
    };
    format!(
        "| {} | {set} | {threads} | {own:.3} | {} | {peer} | {times} | {size} |",
        job.name,
        over.unwrap_or_else(|| "–".to_owned()),
    )
}

/// Of the bootstrap; a page must come out the same each time.
const SEED: u64 = 1;

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

    #[test]
    fn mates_are_one_set_and_other_files_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a_R1.fastq.gz", "a_R2.fastq.gz", "b_R2.fq", "c.bam", "README.md"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let found: Vec<(String, bool)> = sets(folder.path())
            .expect("two sets")
            .into_iter()
            .map(|set| (set.name, matches!(set.reads, Reads::Stored { mate: Some(_), .. })))
            .collect();
        assert_eq!(found, [("a".to_owned(), true), ("b_R2".to_owned(), false)]);
    }
}
