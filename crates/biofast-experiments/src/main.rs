//! `biofast-lab`: the command line of the laboratory. Arguments only; the work is in the library beside it.

#[cfg(test)]
mod documented;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use biofast_experiments::limits::{bam_regions, block_types, encoders};
use biofast_experiments::systems::allocator;
use biofast_experiments::{accuracy, bench, cycles, datasets, limits, notebook};
use clap::{Args, Parser, Subcommand};
use serde::Serialize;

/// The system's, unless a condition that compares allocators says otherwise.
#[global_allocator]
static ALLOCATOR: allocator::Switch = allocator::Switch;

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
    Run(notebook::RunOptions),
    /// Write tables, figures and the index again from the results.
    Report {
        /// Numbers of entries, or `all`.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Fail unless notebook, index and figures agree with the results, results are sound, and protocols and the sources
    /// that were measured are older than these.
    Check,
    /// Write down that sources which changed since leave the results of entries valid.
    Accept {
        /// Numbers of entries, or `all`.
        #[arg(required = true)]
        ids: Vec<String>,
        /// Why they do: it is shown on the entries' pages.
        #[arg(long, value_name = "REASON")]
        why: String,
    },
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
    Bench(bench::Options),
    /// Write the generated parts of docs/performance.md, and the figures, from the benchmark's results.
    BenchReport {
        /// The folder under results/bench that the page shows [default: the one it names].
        #[arg(long, value_name = "FOLDER")]
        machine: Option<String>,
    },
    /// Trim and merge simulated reads of known fragments with biofast and its peers, and write docs/accuracy.md.
    Accuracy(accuracy::Options),
    /// Count the records and bases of a file with a library (what `bench` starts to compare libraries).
    #[command(hide = true)]
    Count {
        file: PathBuf,
        #[arg(long, default_value = "biofast-fastq")]
        with: String,
        #[arg(short = '@', long, default_value_t = 1)]
        threads: usize,
    },
    /// Estimate what the kernels' loops cost on other cores, Apple's among them.
    Cycles(cycles::Options),
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
        #[command(flatten)]
        on: On,
        /// Do not check CRC-32.
        #[arg(long)]
        no_crc: bool,
    },
    /// Inflate all blocks of a BGZF file, deflate them again and discard them.
    Recode {
        #[command(flatten)]
        on: On,
        #[command(flatten)]
        level: Level,
    },
    /// Deflate a plain file in blocks of BGZF's size and discard them.
    Compress {
        #[command(flatten)]
        on: On,
        #[command(flatten)]
        level: Level,
    },
    /// Deflate the blocks of files with libdeflate and with biofast-deflate, in turns, and print sizes and speeds.
    Deflate {
        /// FASTQ or anything else: plain, BGZF or one gzip member.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// libdeflate's levels, `fast`, and `more` (the encoder behind `--level small`, alone).
        #[arg(long, value_delimiter = ',', default_value = "1,6,fast,more")]
        encoders: Vec<String>,
        /// Measured repetitions.
        #[arg(long, default_value_t = 7)]
        reps: usize,
        /// Bytes of text taken of each file.
        #[arg(long, default_value_t = 40_000_000)]
        most: usize,
        /// The files are BAM: print what codes of their own for bases and qualities would save instead.
        #[arg(long)]
        bound_bam: bool,
        /// The files are BAM: measure an encoder that knows the regions of a record instead.
        #[arg(long, conflicts_with = "bound_bam")]
        regions_bam: bool,
    },
    /// Count the stored, fixed and dynamic deflate blocks of a BGZF file.
    BlockTypes { file: PathBuf },
    /// Read a file 1 MB at a time and add up its bytes.
    Read { file: PathBuf },
}

#[derive(Args)]
struct On {
    file: PathBuf,
    #[arg(short = '@', long, default_value_t = 1)]
    threads: usize,
}

#[derive(Args)]
struct Level {
    /// libdeflate's level.
    #[arg(long, default_value_t = 1)]
    level: i32,
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
    let places = notebook::Places { root: cli.root };
    match cli.command {
        Command::List => notebook::list(&places),
        Command::Run(options) => notebook::run(&places, &options),
        Command::Report { ids } => notebook::report(&places, &ids),
        Command::Check => notebook::check(&places),
        Command::Accept { ids, why } => notebook::accept(&places, &ids, &why),
        Command::New { slug } => notebook::create(&places, &slug),
        Command::Cell { id, cell, scale, dir, scratch } => {
            notebook::run_cell(&id, &cell, &scale, &dir, &scratch)
        }
        Command::Datasets(Datasets::Build { names, all: _, update_manifest, dir }) => {
            datasets::build(&names, &dir.dir, update_manifest)
        }
        Command::Datasets(Datasets::Verify { names, dir }) => datasets::verify(&names, &dir.dir),
        Command::Datasets(Datasets::List { dir }) => datasets::list(&dir.dir),
        Command::Limit(limit) => limit.run(),
        Command::Bench(options) => bench::run(&options),
        Command::BenchReport { machine } => bench::page::report(&places.root, machine.as_deref()),
        Command::Accuracy(options) => accuracy::run(&places.root, &options),
        Command::Count { file, with, threads } => {
            print(&bench::library::count(&with, &file, threads)?)
        }
        Command::Cycles(options) => cycles::run(&options),
    }
}

/// For the benchmark, which reads it.
fn print(found: &impl Serialize) -> Result<()> {
    println!("{}", serde_json::to_string(found)?);
    Ok(())
}

impl Limit {
    fn run(self) -> Result<()> {
        match self {
            Limit::Inflate { on: On { file, threads }, no_crc } => {
                print(&limits::inflate(&file, threads, !no_crc)?)
            }
            Limit::Recode { on: On { file, threads }, level } => {
                print(&limits::recode(&file, threads, level.level)?)
            }
            Limit::Compress { on: On { file, threads }, level } => {
                print(&limits::compress(&file, threads, level.level)?)
            }
            Limit::Deflate { files, encoders, reps, most, bound_bam, regions_bam } => {
                files.iter().try_for_each(|file| match (bound_bam, regions_bam) {
                    (true, _) => encoders::bound_bam(file, most),
                    (_, true) => bam_regions::compare(file, reps, most),
                    _ => encoders::compare(file, &encoders, reps, most),
                })
            }
            Limit::BlockTypes { file } => {
                let bytes = std::fs::read(&file).with_context(|| format!("{}", file.display()))?;
                print(&block_types::of_bgzf(&bytes).with_context(|| format!("{}", file.display()))?)
            }
            Limit::Read { file } => print(&limits::read(&file)?),
        }
    }
}
