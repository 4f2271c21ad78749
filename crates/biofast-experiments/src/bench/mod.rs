//! Whole-program benchmark: `biofast-lab bench`. Runs each job with biofast, the peers that are installed and
//! the limit of the machine, interleaved in random order, and writes every run.
//!
//! For each job and thread budget: one discarded warm-up per contestant (which also puts the file into the
//! page cache), then repetitions in which every contestant runs once, in an order drawn anew. Each run's
//! answer is compared with the dataset's manifest. `biofast-again` is the same command as `biofast` under
//! another name: what the two differ by is noise.

mod answers;
mod art;
mod chart;
mod figure;
mod growth;
mod jobs;
pub mod library;
pub mod page;
mod real;
mod report;
mod runs;
mod scaling;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::core::{machine, measure};
use crate::datasets::Format;
use crate::datasets::manifest::{FileEntry, Manifest};
use crate::files;
use crate::rng::Rng;
use answers::Counts;
use jobs::{BASE, Call, Contestant, Job, Program, Truth};
use runs::Run;

/// What to run and where to put it.
#[derive(clap::Args)]
pub struct Options {
    /// Only these jobs.
    #[arg(long, value_name = "JOB", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Thread budgets.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2")]
    pub threads: Vec<usize>,
    /// Measured repetitions (15, or 3 with --quick).
    #[arg(long, value_name = "N")]
    pub reps: Option<usize>,
    /// About how long all jobs may take: at least 3 repetitions, more while there is time, and one run of whatever takes
    /// more than 5 times as long as biofast.
    #[arg(long, value_name = "M")]
    pub minutes: Option<u64>,
    /// 100,000 reads (50,000 aligned pairs) and three repetitions; results go to a folder `quick`.
    #[arg(long)]
    pub quick: bool,
    /// The biofast binary, if it is not beside this one.
    #[arg(long, value_name = "PATH")]
    pub biofast: Option<PathBuf>,
    /// Instead of the jobs: biofast alone on 0.1 to 1.6 million reads, time per read and memory.
    #[arg(long, conflicts_with = "only")]
    pub growth: bool,
    /// Instead of generated reads: the FASTQ files of this folder, repeated to 200 MB of text, through the jobs that fit any
    /// reads. Programs obey BIOFAST_SIMD; results go to a folder `real-LEVEL`.
    #[arg(long, value_name = "DIR", conflicts_with = "growth")]
    pub real: Option<PathBuf>,
    /// Instead of the jobs: biofast alone on one thread, and what more cores could give by its serial parts.
    #[arg(long, conflicts_with_all = ["only", "growth", "real"])]
    pub scaling: bool,
    /// With --growth: 16 million reads, too, which takes 7 GB of temporary files.
    #[arg(long, requires = "growth")]
    pub large: bool,
    /// Seed of the order of runs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Results go to a folder below this, named after the machine.
    #[arg(long, default_value = "results/bench")]
    pub out: PathBuf,
    /// The datasets directory: manifest, committed sample, generated/.
    #[arg(long, default_value = "datasets")]
    pub dir: PathBuf,
}

impl Options {
    /// How often each run is measured.
    fn reps(&self) -> Result<usize> {
        let reps = self.reps.unwrap_or(if self.quick { REPS_QUICK } else { REPS });
        ensure!(reps > 0, "--reps needs a number above 0");
        Ok(reps)
    }

    fn folder(&self) -> Result<PathBuf> {
        let out = self.out.join(machine::exact_slug());
        let out = if self.quick { out.join("quick") } else { out };
        files::create_folder(&out)?;
        Ok(out)
    }
}

const REPS: usize = 15;
const REPS_QUICK: usize = 3;
/// Repetitions that are measured whatever the time.
const REPS_LEAST: usize = 3;
/// When time is limited, a contestant that takes so many times as long as biofast runs once.
const SLOW: f64 = 5.0;
const PURPOSE_ORDER: u64 = 0x006f_7264_6572;

/// Runs the benchmark; an error if a command failed or an answer is wrong, after everything was written.
pub fn run(options: &Options) -> Result<()> {
    match &options.real {
        Some(folder) => real::run(options, folder),
        None if options.scaling => scaling::run(options),
        None if options.growth => growth::run(options),
        None => run_jobs(options),
    }
}

fn run_jobs(options: &Options) -> Result<()> {
    let jobs = jobs::select(&options.only)?;
    ensure!(
        !options.threads.is_empty() && !options.threads.contains(&0),
        "--threads needs numbers above 0"
    );
    let reps = options.reps()?;
    let programs = Programs::find(options)?;
    let manifest = Manifest::read(&options.dir)?;
    let scratch = scratch()?;
    let out = options.folder()?;
    let mut faults = Vec::new();
    let mut verified = BTreeSet::new();
    let start = Instant::now();
    let all = (jobs.len() * options.threads.len()) as f64;
    let mut done = 0.0;
    for &job in &jobs {
        let mut input = Input::prepare(
            job,
            options.quick,
            &manifest,
            &options.dir,
            scratch.path(),
            &mut verified,
        )?;
        if job.index {
            input.make_index(&programs, scratch.path())?;
        }
        if job.by_name || job.mates {
            input.sort(&["-n"], &programs, scratch.path())?;
        }
        if job.mates {
            // No two templates have a whole name in common: nothing is marked yet.
            let how = ["--mark-duplicates", "--barcode-rgx", "^(.*)$"];
            input.sort(&how, &programs, scratch.path())?;
        }
        let measuring = Measuring { options, programs: &programs, scratch: scratch.path(), reps };
        for &threads in &options.threads {
            done += 1.0;
            // What earlier jobs left of their shares goes to the next.
            let share =
                |minutes: u64| start + Duration::from_secs_f64(minutes as f64 * 60.0 * done / all);
            let until = options.minutes.map(share);
            faults.extend(measuring.run(job, &job.name, &input, threads, until, &out)?);
        }
    }
    let summary = report::summarise(&runs::read(&out)?, &machine::read_manifest(&out)?)?;
    files::write(&out.join("summary.md"), &summary)?;
    print!("{summary}");
    fail_on(&faults)
}

fn fail_on(faults: &[String]) -> Result<()> {
    ensure!(faults.is_empty(), "{} fault(s):\n  {}", faults.len(), faults.join("\n  "));
    Ok(())
}

/// What is the same for all jobs of a call.
struct Measuring<'a> {
    options: &'a Options,
    programs: &'a Programs,
    scratch: &'a Path,
    reps: usize,
}

impl Measuring<'_> {
    /// Measures a job at one thread budget and writes its runs as those of `name`; returns what went wrong.
    fn run(
        &self,
        job: &Job,
        name: &str,
        input: &Input,
        threads: usize,
        until: Option<Instant>,
        out: &Path,
    ) -> Result<Vec<String>> {
        let Measuring { options, programs, scratch, reps } = *self;
        let file = &input.entry.file;
        eprintln!("{name} on {file} with {threads} thread(s), {reps} repetitions");
        let session = Session { input, programs, scratch, threads, agreed: Cell::new(None) };
        let (mut measured, found) = session.measure(job, reps, until, options.seed)?;
        measured.iter_mut().for_each(|run| run.job = name.to_owned());
        let record = machine::JobRecord {
            dataset: file.clone(),
            sha256: input.entry.sha256.clone(),
            reps: measured.iter().map(|run| run.rep).max().unwrap_or_default(),
            seed: options.seed,
            missing: programs.missing(job),
            profile: machine::profile_of(programs.biofast()?).to_owned(),
            failed: found.keys().map(|&name| name.to_owned()).collect(),
            ..machine::JobRecord::now()
        };
        runs::replace(out, name, threads, &measured)?;
        machine::update_manifest(out, &format!("{name} @{threads}"), record)?;
        Ok(found.into_values().flatten().collect())
    }
}

/// What `--only` may name.
pub fn job_names() -> Vec<&'static str> {
    jobs::all().map(|job| job.name.as_str()).collect()
}

/// The binaries that take part.
struct Programs {
    paths: BTreeMap<Program, PathBuf>,
    versions: BTreeMap<Program, String>,
}

impl Programs {
    /// Looks for all contestants of all jobs; a peer may be absent, biofast may not.
    fn find(options: &Options) -> Result<Self> {
        let lab = std::env::current_exe().context("cannot find this program's own path")?;
        let biofast = options.biofast.clone().unwrap_or_else(|| lab.with_file_name("biofast"));
        ensure!(
            biofast.is_file(),
            "no biofast at {}: build it (cargo build --release -p biofast-cli) or name it with --biofast",
            biofast.display()
        );
        let biofast = fs::canonicalize(&biofast)
            .with_context(|| format!("cannot resolve {}", biofast.display()))?;
        let (mut paths, mut versions) = (BTreeMap::new(), BTreeMap::new());
        for contestant in jobs::all().flat_map(|job| &job.contestants) {
            let program = &contestant.program;
            let path = match program {
                Program::Biofast => Some(biofast.clone()),
                Program::Lab => Some(lab.clone()),
                Program::Library(name) => {
                    library::NAMES.contains(&name.as_str()).then(|| lab.clone())
                }
                Program::Shell => machine::find_in_path("sh"),
                Program::Peer(name) => machine::find_in_path(name),
            };
            if let Some(path) = path {
                versions.entry(program.clone()).or_insert_with(|| match program {
                    Program::Library(name) => library::version(name).to_owned(),
                    _ => machine::version(&path, &contestant.version_args),
                });
                paths.insert(program.clone(), path);
            }
        }
        Ok(Programs { paths, versions })
    }

    fn biofast(&self) -> Result<&Path> {
        self.paths.get(&Program::Biofast).map(PathBuf::as_path).context("no biofast")
    }

    /// Runs biofast to make an input.
    fn run_biofast(&self, args: &[OsString], dir: &Path) -> Result<()> {
        let usage = measure::run(self.biofast()?, args, dir, None, &dir.join("stderr"))?;
        ensure!(usage.exit == 0, "biofast failed: {args:?}");
        Ok(())
    }

    /// The contestant's binary, and those that its shell line starts, are there.
    fn path(&self, contestant: &Contestant) -> Option<&Path> {
        let needed = contestant.name.split(" + ").filter(|_| contestant.program == Program::Shell);
        for name in needed.filter_map(|part| part.split(' ').next()) {
            if !name.starts_with("limit-") {
                machine::find_in_path(name)?;
            }
        }
        self.paths.get(&contestant.program).map(PathBuf::as_path)
    }

    fn missing(&self, job: &Job) -> Vec<String> {
        job.contestants.iter().filter(|c| self.path(c).is_none()).map(|c| c.name.clone()).collect()
    }
}

/// The file a job reads, checked against the manifest.
struct Input {
    entry: FileEntry,
    /// Size of the uncompressed text, where the manifest has it.
    text_bytes: Option<u64>,
    /// A link to the file under a name every peer understands (some go by the suffix).
    link: PathBuf,
    /// The same of the second reads, or again the file.
    mate: PathBuf,
}

impl Input {
    fn prepare(
        job: &Job,
        quick: bool,
        manifest: &Manifest,
        dir: &Path,
        scratch: &Path,
        verified: &mut BTreeSet<String>,
    ) -> Result<Self> {
        let dataset = job.datasets.of(quick);
        let find = |dataset: &str, format: Format| {
            let name = format!("{dataset}.{}", format.extension());
            manifest
                .find(&format!("generated/{name}"))
                .or_else(|| manifest.find(&name))
                .with_context(|| format!("{name} is not in the manifest of {}", dir.display()))
        };
        let mut link = |dataset: &str| -> Result<PathBuf> {
            let entry = find(dataset, job.format)?;
            let path = dir.join(&entry.file);
            ensure!(
                path.exists(),
                "{} is absent: biofast-lab datasets build {dataset}",
                path.display()
            );
            if verified.insert(entry.file.clone()) {
                // In parts: a child's max RSS starts from this process's, so this process stays small.
                manifest.check(&entry.rehash(dir)?)?;
            }
            let folder = scratch.join(&job.name);
            files::create_folder(&folder)?;
            let suffix = match job.format {
                Format::Gzip | Format::Bgzf => "fq.gz",
                plain => plain.extension(),
            };
            let link = folder.join(format!("{dataset}.{suffix}"));
            let target = fs::canonicalize(&path)
                .with_context(|| format!("cannot resolve {}", path.display()))?;
            std::os::unix::fs::symlink(target, &link)
                .with_context(|| format!("cannot create {}", link.display()))?;
            Ok(link)
        };
        let file = link(dataset)?;
        let mate = match &job.mate {
            Some(mate) => link(mate.of(quick))?,
            None => file.clone(),
        };
        let text_bytes = match job.format {
            Format::Bam => None,
            _ => find(dataset, Format::Fastq).ok().map(|entry| entry.bytes),
        };
        Ok(Input { text_bytes, entry: find(dataset, job.format)?.clone(), link: file, mate })
    }

    /// Makes the BAI index beside the link, with biofast.
    fn make_index(&self, programs: &Programs, scratch: &Path) -> Result<()> {
        let args = ["index".into(), "-b".into(), "-q".into(), self.link.clone().into_os_string()];
        programs.run_biofast(&args, scratch)
    }

    /// The file in another order stands for the one it was: by name, it is as an aligner writes it, mates together and places at
    /// random.
    fn sort(&mut self, how: &[&str], programs: &Programs, scratch: &Path) -> Result<()> {
        let sorted = self.link.with_extension("sorted.bam");
        let mut args: Vec<OsString> = ["sort", "-q", "-l", "6"].map(Into::into).into();
        args.extend(how.iter().map(Into::into));
        args.extend([self.link.clone().into(), "-o".into(), sorted.clone().into()]);
        self.link = sorted;
        programs.run_biofast(&args, scratch)
    }
}

/// What went wrong, by contestant.
type Faults<'a> = BTreeMap<&'a str, Vec<String>>;

/// One job at one thread budget.
struct Session<'a> {
    input: &'a Input,
    programs: &'a Programs,
    scratch: &'a Path,
    threads: usize,
    /// What biofast answered, once it did.
    agreed: Cell<Option<Counts>>,
}

impl Session<'_> {
    /// Runs everything; a contestant that fails its warm-up takes no further part. With a time to end at,
    /// the warm-up of those much slower than biofast is their only run, and repetitions beyond the
    /// least begin only before that time.
    fn measure<'j>(
        &self,
        job: &'j Job,
        reps: usize,
        until: Option<Instant>,
        seed: u64,
    ) -> Result<(Vec<Run>, Faults<'j>)> {
        let mut ready = Vec::new();
        let mut measured = Vec::new();
        let mut base_s = f64::INFINITY;
        let mut faults = Faults::new();
        for contestant in &job.contestants {
            let Some(path) = self.programs.path(contestant) else {
                eprintln!("  not installed: {}", contestant.name);
                continue;
            };
            match self.run_once(job, contestant, path, 0)? {
                (run, None) => {
                    if contestant.name == BASE {
                        base_s = run.usage.wall_s;
                    }
                    if until.is_some() && run.usage.wall_s > SLOW * base_s {
                        measured.push(Run { rep: 1, ..run });
                    } else {
                        ready.push((contestant, path));
                    }
                }
                (_, Some(fault)) => {
                    eprintln!("  {fault}");
                    faults.entry(contestant.name.as_str()).or_default().push(fault);
                }
            }
        }
        let mut rng = Rng::new(seed, PURPOSE_ORDER, self.threads as u64);
        for rep in 1..=reps {
            if rep > REPS_LEAST && until.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            rng.shuffle(&mut ready);
            for (contestant, path) in &ready {
                let (run, fault) = self.run_once(job, contestant, path, rep)?;
                measured.push(run);
                if let Some(fault) = fault {
                    faults.entry(contestant.name.as_str()).or_default().push(fault);
                }
            }
        }
        Ok((measured, faults))
    }

    /// One child process; the second part says what was wrong with it.
    fn run_once(
        &self,
        job: &Job,
        contestant: &Contestant,
        path: &Path,
        rep: usize,
    ) -> Result<(Run, Option<String>)> {
        // What the last run wrote goes with its folder.
        let folder = self.scratch.join("out");
        if folder.exists() {
            fs::remove_dir_all(&folder).context("cannot remove the last output")?;
        }
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let report = folder.join("report");
        let stdout = self.scratch.join("stdout");
        let stderr = self.scratch.join("stderr");
        let call = Call {
            file: &self.input.link,
            mate: &self.input.mate,
            threads: self.threads,
            report: &report,
            reads: self.reads(job),
        };
        let args = contestant.args(&call);
        let kept = contestant.answer.reads_stdout().then_some(stdout.as_path());
        let usage = measure::run(path, &args, self.scratch, kept, &stderr)
            .with_context(|| format!("cannot run {}", contestant.name))?;
        let run = Run {
            job: job.name.clone(),
            contestant: contestant.name.clone(),
            version: self.programs.versions.get(&contestant.program).cloned().unwrap_or_default(),
            threads: self.threads,
            rep,
            usage,
        };
        let what = format!("{} @{}: {}", job.name, self.threads, contestant.name);
        if run.usage.exit != 0 {
            let text = fs::read(&stderr).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let last = text.lines().last().unwrap_or("no message").to_owned();
            return Ok((
                run,
                Some(format!("{what} failed with exit code {} ({last})", usage.exit)),
            ));
        }
        let fault = match contestant.answer.parse(&stdout, &report) {
            Ok(counts) => {
                let (truth, per_million) = self.truth(job, contestant, counts);
                counts.difference(&truth, per_million).map(|d| format!("{what}: {d}"))
            }
            Err(error) => Some(format!("{what}: cannot read its answer: {error:#}")),
        };
        Ok((run, fault))
    }

    /// The number of reads that the job's truth has for this file.
    fn reads(&self, job: &Job) -> Option<u64> {
        match &job.truth {
            Truth::Reads(numbers) => numbers.get(&self.input.entry.dataset).copied(),
            _ => None,
        }
    }

    /// What `contestant`, which said `counts`, should have said, and how far it may be off.
    fn truth(&self, job: &Job, contestant: &Contestant, counts: Counts) -> (Counts, u64) {
        let entry = &self.input.entry;
        let file = Counts {
            records: Some(entry.records),
            bases: Some(entry.bases),
            bytes: self.input.text_bytes,
            checksum: None,
        };
        // A limit goes through all of the file, whatever the job wants of it.
        if job.limit.as_ref() == Some(&contestant.name) {
            return (file, 0);
        }
        match job.truth {
            Truth::File => (file, 0),
            Truth::Reads(_) => {
                let records = self.reads(job).or(Some(entry.records));
                (Counts { records, ..Counts::default() }, 0)
            }
            Truth::BiofastPerMillion(per_million) => {
                // biofast is the first of every job, and warms up first.
                let agreed = self.agreed.get().unwrap_or(counts);
                self.agreed.set(Some(agreed));
                let own = contestant.name.starts_with(BASE);
                (agreed, if own { 0 } else { per_million })
            }
        }
    }
}

fn scratch() -> Result<TempDir> {
    tempfile::Builder::new().prefix("biofast-lab-").tempdir().context("no temporary directory")
}
