//! `biofast-lab`: the command line of the laboratory. Arguments only; the work is in the library beside it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use biofast_experiments::{bench, block_types, datasets, lab, limit};
use clap::{Args, Parser, Subcommand};

/// Experiments, datasets, limits and benchmarks behind biofast.
#[derive(Parser)]
#[command(name = "biofast-lab", version)]
struct Cli {
    /// The repository: experiments/, results/, lab-notebook/.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the experiments and their verdicts.
    List,
    /// Run experiments and write their results.
    Run(Run),
    /// Write tables, figures and the index again from the results.
    Report {
        /// Numbers of entries, or `all`.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Fail unless notebook, index and figures agree with the results, and protocols are older than these.
    Check,
    /// Begin an experiment.
    New {
        /// Its short name, with or without a number in front.
        slug: String,
    },
    /// Run one condition once (what experiments with a process for each measurement start).
    #[command(hide = true)]
    Cell {
        id: String,
        cell: String,
        #[arg(long)]
        scale: String,
        #[arg(long)]
        dir: PathBuf,
        #[arg(long)]
        scratch: PathBuf,
    },
    /// Generate, check or list the seeded datasets.
    #[command(subcommand)]
    Datasets(Datasets),
    /// Measure what no tool can beat on this machine.
    #[command(subcommand)]
    Limit(Limit),
    /// Run whole programs against each other and against the limits.
    Bench(Bench),
}

#[derive(Args)]
struct Run {
    /// Numbers of entries, or `all`.
    #[arg(required = true)]
    ids: Vec<String>,
    /// Small inputs, few repetitions; written to target/lab.
    #[arg(long)]
    quick: bool,
    /// With the opt-in levels (10 million reads), which need several GB of memory or disk.
    #[arg(long)]
    full: bool,
    /// Repetitions, instead of the protocol's.
    #[arg(long, value_name = "N")]
    reps: Option<usize>,
    /// Seed of the order of conditions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write results below this folder and leave the notebook alone.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    dir: Dir,
}

#[derive(Args)]
struct Bench {
    /// Only these jobs.
    #[arg(long, value_name = "JOB", value_delimiter = ',')]
    only: Vec<String>,
    /// Thread budgets.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Measured repetitions (15, or 3 with --quick).
    #[arg(long, value_name = "N")]
    reps: Option<usize>,
    /// 100,000 reads (50,000 aligned pairs) and three repetitions; results go to a folder `quick`.
    #[arg(long)]
    quick: bool,
    /// The biofast binary, if it is not beside this one.
    #[arg(long, value_name = "PATH")]
    biofast: Option<PathBuf>,
    /// Seed of the order of runs and of the bootstrap.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Results go to a folder below this, named after the machine.
    #[arg(long, default_value = "results/bench")]
    out: PathBuf,
    #[command(flatten)]
    dir: Dir,
}

#[derive(Args)]
struct Dir {
    /// The datasets directory: manifest, committed sample, generated/.
    #[arg(long, default_value = "datasets")]
    dir: PathBuf,
}

#[derive(Subcommand)]
enum Datasets {
    /// Write datasets and check them against the manifest.
    Build {
        /// Names (see `list`); `sample` is both sample files.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        names: Vec<String>,
        /// Everything except the opt-in datasets.
        #[arg(long)]
        all: bool,
        /// Write what was built to the manifest instead of checking it.
        #[arg(long)]
        update_manifest: bool,
        #[command(flatten)]
        dir: Dir,
    },
    /// Recompute checksums and counts of the files present; any difference is an error.
    Verify {
        /// Only these datasets, which must be present.
        names: Vec<String>,
        #[command(flatten)]
        dir: Dir,
    },
    /// Show the catalogue.
    List {
        #[command(flatten)]
        dir: Dir,
    },
}

#[derive(Subcommand)]
enum Limit {
    /// Inflate all blocks of a BGZF file and discard them.
    Inflate {
        file: PathBuf,
        #[arg(short = '@', long, default_value_t = 1)]
        threads: usize,
        /// Do not check CRC-32.
        #[arg(long)]
        no_crc: bool,
    },
    /// Inflate all blocks of a BGZF file, deflate them again and discard them.
    Recode {
        file: PathBuf,
        #[arg(short = '@', long, default_value_t = 1)]
        threads: usize,
        /// libdeflate's level.
        #[arg(long, default_value_t = 1)]
        level: i32,
    },
    /// Count the stored, fixed and dynamic deflate blocks of a BGZF file.
    BlockTypes { file: PathBuf },
    /// Read a file 1 MB at a time and add up its bytes.
    Read { file: PathBuf },
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("biofast-lab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    let mut places = lab::Places { root: cli.root, out: None };
    match cli.command {
        Command::List => lab::list(&places),
        Command::Run(r) => {
            places.out = r.out;
            let options = lab::RunOptions {
                ids: r.ids,
                quick: r.quick,
                full: r.full,
                repetitions: r.reps,
                seed: r.seed,
                dir: r.dir.dir,
            };
            lab::run(&places, &options)
        }
        Command::Report { ids } => lab::report(&places, &ids),
        Command::Check => lab::check(&places),
        Command::New { slug } => lab::create(&places, &slug),
        Command::Cell { id, cell, scale, dir, scratch } => {
            lab::run_cell(&id, &cell, &scale, &dir, &scratch)
        }
        Command::Datasets(Datasets::Build { names, all: _, update_manifest, dir }) => {
            datasets::build(&names, &dir.dir, update_manifest)
        }
        Command::Datasets(Datasets::Verify { names, dir }) => datasets::verify(&names, &dir.dir),
        Command::Datasets(Datasets::List { dir }) => datasets::list(&dir.dir),
        Command::Limit(Limit::Inflate { file, threads, no_crc }) => {
            let found = limit::inflate(&file, threads, !no_crc)?;
            println!("{{\"blocks\":{},\"bytes\":{}}}", found.blocks, found.bytes);
            Ok(())
        }
        Command::Bench(b) => bench::run(&bench::Options {
            only: b.only,
            threads: b.threads,
            reps: b.reps,
            quick: b.quick,
            biofast: b.biofast,
            dir: b.dir.dir,
            out: b.out,
            seed: b.seed,
        }),
        Command::Limit(Limit::Recode { file, threads, level }) => {
            let found = limit::recode(&file, threads, level)?;
            println!("{{\"blocks\":{},\"bytes\":{}}}", found.blocks, found.bytes);
            Ok(())
        }
        Command::Limit(Limit::BlockTypes { file }) => {
            let bytes = std::fs::read(&file).with_context(|| format!("{}", file.display()))?;
            let t = block_types::of_bgzf(&bytes).with_context(|| format!("{}", file.display()))?;
            println!(
                "{{\"bgzf\":{},\"empty\":{},\"stored\":{},\"fixed\":{},\"dynamic\":{},\"bytes\":{:?}}}",
                t.bgzf, t.empty, t.stored, t.fixed, t.dynamic, t.bytes
            );
            Ok(())
        }
        Command::Limit(Limit::Read { file }) => {
            let (bytes, sum) = limit::read(&file)?;
            println!("{{\"bytes\":{bytes},\"sum\":{sum}}}");
            Ok(())
        }
    }
}
