//! `biofast run`: a command over many files, shard by shard, here or on a cluster.
//!
//! A run is a folder ([`work`]): the list of files and words ([`manifest`]), a plan for each file or pair, a part for each shard. Who
//! runs shards writes parts there ([`shares`]); engines ([`local`], [`slurm`]) start those who do. What is there isn't made again.

mod local;
mod manifest;
mod shares;
mod slurm;
mod work;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use biofast_io::display_name;
use biofast_ops::number::counted;
use clap::ValueEnum;

use super::shards::Stored;
use crate::console::Hinted;
use crate::options::{Folder, Messages, Size, multiples};
use crate::output;
use crate::session::{Exit, Session};
use manifest::RunManifest;
use shares::{Share, Step};
use work::Work;

/// Run a command on many files, divided into shards, on this machine or a cluster
///
/// COMMAND is stats, check, flagstat, idxstats or coverage, as you would run it alone. Its output is that of one run, byte for byte.
///
/// Plans and the reports of shards are kept in the folder --work until the run is complete. The same command line continues a run that
/// was interrupted. All machines must see this folder and the files under the same paths.
///
/// For Dask, Ray and Spark, use `python -m biofast run --engine dask`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast run -- stats --json *.fastq.gz -o report.json
  biofast run --number 4 -- stats --json --paired R1.fq.gz R2.fq.gz -o pairs.json
  biofast run --dry-run --engine slurm --memory 2G --time 1h -- check -X files.txt -o check.tsv
  biofast run --dry-run --engine slurm --submit-option=--partition=long -- flagstat aln.bam")]
pub(crate) struct Args {
    /// What runs the shards
    #[arg(long, value_enum, default_value_t = ShardEngine::Local, value_name = "ENGINE")]
    engine: ShardEngine,

    /// Number of shards of each file or pair
    #[arg(long, value_name = "N", conflicts_with = "size", value_parser = clap::value_parser!(u64).range(1..=biofast_ops::shards::MAX_SHARDS))]
    number: Option<u64>,

    /// Stored data in each shard, such as 256MB or 1G [default: 1G]
    #[arg(long, value_name = "SIZE")]
    size: Option<Stored>,

    /// Folder for plans and the reports of shards [default: the output's name and .run]
    #[arg(long, value_name = "DIR")]
    work: Option<Folder>,

    /// Write the seek index of gzip files that have none beside them, so that they can be divided
    #[arg(long)]
    write_index: bool,

    /// Shards that run at once [default: locally as many as there are CPUs and memory for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    jobs: Option<u32>,

    /// Memory that each shard is given, such as 2G
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,

    /// Time that each shard is given, such as 30m or 2h
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,

    /// How often a shard is run again if its machine or its process fails
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100))]
    retries: u32,

    /// An option for sbatch, such as --submit-option=--partition=long; can be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    submit_option: Vec<String>,

    /// The biofast program on the machines that run shards [default: this one]
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,

    /// Keep the folder --work when the run is complete
    #[arg(long)]
    keep_work: bool,

    /// Print what would be run, and do nothing
    #[arg(long, conflicts_with = "step")]
    dry_run: bool,

    /// Do only one step of the run, for engines that biofast doesn't know
    #[arg(long, value_enum, value_name = "STEP")]
    step: Option<Step>,

    /// With --step plan or shards: do only share I (from 0) of N
    #[arg(long, value_name = "I/N", requires = "step")]
    share: Option<Share>,

    #[command(flatten)]
    messages: Messages,

    /// The command, its options and files. Not needed to continue in the folder --work
    #[arg(last = true, value_name = "COMMAND")]
    words: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShardEngine {
    /// Processes on this machine
    Local,
    /// Job arrays of SLURM (sbatch)
    Slurm,
}

/// Seconds, as typed with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Time(Duration);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        let (digits, unit) = multiples::split(text);
        let unit: u64 = match unit.as_str() {
            "S" => 1,
            "M" => 60,
            "H" => 3600,
            "D" => 86400,
            _ => 0,
        };
        match digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)) {
            Some(seconds @ 1..=0xffff_ffff) => Ok(Time(Duration::from_secs(seconds))),
            _ => Err(format!("'{text}' is not a time: expected a form like 90s, 30m, 2h or 1d")),
        }
    }
}

/// What runs the shares of a step, all at once.
trait Launch {
    /// Runs those shares that are needed to make what is missing, and returns when they have ended, however they did. An error ends
    /// the run.
    fn launch(&self, step: Step, work: &Work, missing: &[usize]) -> Result<()>;

    /// What would be run; `of` is the number of plans or shards, if it is known.
    fn shown(&self, step: Step, work: &Work, of: Option<usize>) -> Result<String>;
}

/// How shards are run.
struct GivenJob {
    /// Words that start the program.
    program: Vec<String>,
    jobs: Option<usize>,
    memory: Option<u64>,
    time: Option<Duration>,
}

impl GivenJob {
    /// The words that do a share of a step.
    fn words(&self, work: &Work, step: Step, share: &str) -> Vec<String> {
        let folder = work.folder().display().to_string();
        let mut words = self.program.clone();
        words.extend(["run", "--quiet", "--work", &folder, "--step", step.name()].map(Into::into));
        words.extend(["--share".into(), share.into()]);
        words
    }
}

impl Args {
    /// An error if an option has no effect here.
    fn check(&self) -> Result<()> {
        let without_command = [
            (self.number.is_some(), "--number"),
            (self.size.is_some(), "--size"),
            (self.write_index, "--write-index"),
        ];
        if self.words.is_empty()
            && let Some((_, option)) = without_command.iter().find(|(is_given, _)| *is_given)
        {
            bail!("{option} has no effect on a run that was begun: add -- COMMAND FILE…");
        }
        if self.engine == ShardEngine::Local && !self.submit_option.is_empty() {
            bail!("--submit-option is for --engine slurm");
        }
        if self.share.is_some() && !matches!(self.step, Some(Step::Plan | Step::Shards)) {
            bail!("--share has no effect without --step plan or shards");
        }
        if self.keep_work && !matches!(self.step, None | Some(Step::Merge)) {
            bail!("--keep-work has no effect before the step merge");
        }
        let of_drivers = [
            (self.jobs.is_some(), "--jobs"),
            (self.memory.is_some(), "--memory"),
            (self.time.is_some(), "--time"),
            (self.program.is_some(), "--program"),
            (self.engine == ShardEngine::Slurm, "--engine slurm"),
            (self.dry_run, "--dry-run"),
        ];
        if let (Some(step), Some((_, option))) =
            (self.step, of_drivers.iter().find(|(is_given, _)| *is_given))
        {
            bail!("{option} has no effect with --step {}", step.name());
        }
        Ok(())
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    args.check()?;
    let manifest = match args.words.is_empty() {
        false => Some(manifest(args, session)?),
        true => None,
    };
    let folder = match (&args.work, &manifest) {
        (Some(folder), _) => folder.to_path_buf(),
        (None, Some(manifest)) => manifest.work(),
        (None, None) => bail!("no command: add -- COMMAND FILE…, or --work to continue a run"),
    };
    if folder.to_str().is_none() {
        bail!("{}: `run` needs names in UTF-8", display_name(&folder));
    }
    let given = GivenJob {
        program: program(args)?,
        jobs: args.jobs.map(|jobs| jobs as usize),
        memory: args.memory.map(|size| size.0 as u64),
        time: args.time.map(|time| time.0),
    };
    if args.dry_run {
        let Some(manifest) = &manifest else { bail!("--dry-run needs a command after --") };
        let work = Work::planned(&std::path::absolute(&folder)?, manifest.clone());
        let launcher = launcher(args, given, &work);
        let mut text = launcher.shown(Step::Plan, &work, Some(work.manifest.units.len()))?;
        text += &launcher.shown(
            Step::Shards,
            &work,
            args.number.map(|n| n as usize * work.manifest.units.len()),
        )?;
        text += &format!(
            "biofast run --work {} --step merge\n",
            manifest::quoted(&folder.display().to_string())
        );
        output::finish(output::report(session, None)?, text)?;
        return Ok(Exit::Fine);
    }
    let work = match manifest {
        Some(manifest) => {
            manifest.check_outputs(&absolute(&folder)?)?;
            Work::create(&folder, manifest)?
        }
        None => Work::open(&folder)?,
    };
    match args.step {
        Some(Step::Prepare) => {
            let folder = format!("{}\n", work.folder().display());
            output::finish(output::report(session, None)?, folder)?;
            return Ok(Exit::Fine);
        }
        Some(step @ (Step::Plan | Step::Shards)) => {
            let share = args.share.unwrap_or(Share { index: 0, of: 1 });
            return shares::run(&work, step, share, session);
        }
        Some(Step::Status) => {
            let out = output::report(session, None)?;
            output::finish(out, work.status()?)?;
            return Ok(Exit::Fine);
        }
        Some(Step::Merge) => return merge(args, work, session),
        None => {}
    }
    let _lock = work.lock()?;
    let launcher = launcher(args, given, &work);
    let say = |text: &str| {
        if !args.messages.quiet {
            session.console.note(text);
        }
    };
    drive(args, &work, Step::Plan, &*launcher)?;
    let (files, shards) = (work.manifest.units.len(), work.tasks()?.len());
    let there = shards - work.missing(Step::Shards)?.len();
    let again = if there > 0 { format!(", {there} of them done before") } else { String::new() };
    let shards = counted(shards as u64, "shard");
    say(&format!("{shards} of {files} {}{again}", work.manifest.called()));
    drive(args, &work, Step::Shards, &*launcher)?;
    merge(args, work, session)
}

/// What was typed, and what it means for shards.
fn manifest(args: &Args, session: &mut Session) -> Result<RunManifest> {
    let sizing = match (args.number, args.size) {
        (Some(number), _) => format!("--number={number}"),
        (None, Some(Stored(size))) => format!("--size={size}"),
        (None, None) => "--size=1G".into(),
    };
    RunManifest::of(&args.words, sizing, args.write_index, session)
}

fn launcher(args: &Args, given: GivenJob, work: &Work) -> Box<dyn Launch> {
    let threads = work.manifest.threads;
    match args.engine {
        ShardEngine::Local => Box::new(local::Processes { given, threads }),
        ShardEngine::Slurm => {
            Box::new(slurm::Arrays { given, threads, options: args.submit_option.clone() })
        }
    }
}

/// The program on the machines that run shards.
fn program(args: &Args) -> Result<Vec<String>> {
    if let Some(program) = &args.program {
        return Ok(vec![program.clone()]);
    }
    let own = std::env::current_exe().context("can't find the biofast program: add --program")?;
    let name = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let path = own.display().to_string();
    // In a Python process the program is a module.
    Ok(match name.starts_with("python") {
        true => vec![path, "-m".into(), "biofast".into()],
        false => vec![path],
    })
}

/// Makes all that a step makes, a few times if machines fail.
fn drive(args: &Args, work: &Work, step: Step, launcher: &dyn Launch) -> Result<()> {
    for _ in 0..=args.retries {
        let missing = work.missing(step)?;
        if missing.is_empty() {
            return Ok(());
        }
        work.forget(step, &missing);
        launcher.launch(step, work, &missing)?;
        if work.failures(step, &work.missing(step)?).iter().any(|failure| !failure.again) {
            break;
        }
    }
    let missing = work.missing(step)?;
    let failures = work.failures(step, &missing);
    let Some(first) = failures.first() else { return Ok(()) };
    let others = match failures.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    Err(Hinted {
        message: format!("{}{others}", first.text),
        hint: format!(
            "run the same command line again to continue; what is done is kept in {}",
            work.folder().display()
        )
        .into(),
    }
    .into())
}

/// Writes what the command writes.
fn merge(args: &Args, work: Work, session: &mut Session) -> Result<Exit> {
    let missing = work.missing(Step::Shards)?;
    if let Some(first) = missing.first() {
        bail!(
            "{} of {} shards are missing: first {}",
            missing.len(),
            work.tasks()?.len(),
            work.called(Step::Shards, *first)?
        );
    }
    // Parts are handed on: the file isn't looked at.
    let mut words = vec!["merge".to_owned()];
    words.extend_from_slice(&work.manifest.merge);
    words.push("parts".into());
    let matches = manifest::parsed(&words)?.1;
    let merging = <super::merge::Args as clap::FromArgMatches>::from_arg_matches(&matches)?;
    let exit = super::merge::of_plans(&merging, &work.manifest.name, work.parts()?, session)?;
    if !args.keep_work && exit != Exit::Failed {
        work.remove().with_context(|| format!("can't remove {}", work.folder().display()))?;
    }
    Ok(exit)
}

/// A path that means the same from every folder.
fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        let time = |seconds| Ok(Time(Duration::from_secs(seconds)));
        assert_eq!("90s".parse(), time(90));
        assert_eq!("2h".parse(), time(7200));
        assert_eq!("1d".parse(), time(86400));
        for wrong in ["90", "", "0s", "h", "-1s", "9999999999d", "1w"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong}");
        }
    }
}
