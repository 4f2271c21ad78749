//! `biofast-lab`: the command line of the laboratory. Arguments only; the work is in the library beside it.

#[cfg(test)]
mod documented;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use biofast_experiments::limits::{bam_regions, block_types, encoders};
use biofast_experiments::systems::allocator;
use biofast_experiments::{bench, cycles, datasets, limits, notebook};
use clap::{Args, Parser, Subcommand};

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
    Run(Run),
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
    Bench(Bench),
    /// Write the generated parts of docs/performance.md, and the figures, from the benchmark's results.
    BenchReport {
        /// The folder under results/bench that the page shows [default: the one it names].
        #[arg(long, value_name = "FOLDER")]
        machine: Option<String>,
    },
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
    Cycles(Cycles),
}

#[derive(Args)]
struct Cycles {
    /// The machine-code analyser, of LLVM 19 or later.
    #[arg(long, default_value = "llvm-mca-19", value_name = "PROGRAM")]
    mca: PathBuf,
    /// Build products.
    #[arg(long, default_value = "target/cycles", value_name = "DIR")]
    target_dir: PathBuf,
    /// Results go here.
    #[arg(long, default_value = "results/cycles", value_name = "DIR")]
    out: PathBuf,
}

#[derive(Args)]
struct Run {
    /// Numbers of entries, `threads` (all that more cores could change) or `all`.
    #[arg(required = true)]
    ids: Vec<String>,
    /// Small inputs, few repetitions; written to target/lab.
    #[arg(long)]
    quick: bool,
    /// With the opt-in levels (10 million reads), which need several GB of memory or disk.
    #[arg(long)]
    full: bool,
    /// Keep the run as a pilot beside the machine's results, and leave these as they are.
    #[arg(long)]
    pilot: bool,
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
    /// About how long all jobs may take: at least 3 repetitions, more while there is time, and one run of whatever takes
    /// more than 5 times as long as biofast.
    #[arg(long, value_name = "M")]
    minutes: Option<u64>,
    /// 100,000 reads (50,000 aligned pairs) and three repetitions; results go to a folder `quick`.
    #[arg(long)]
    quick: bool,
    /// The biofast binary, if it is not beside this one.
    #[arg(long, value_name = "PATH")]
    biofast: Option<PathBuf>,
    /// Instead of the jobs: biofast alone on 0.1 to 1.6 million reads, time per read and memory.
    #[arg(long, conflicts_with = "only")]
    growth: bool,
    /// Instead of generated reads: the FASTQ files of this folder, repeated to 200 MB of text, through the jobs that fit any
    /// reads. Programs obey BIOFAST_SIMD; results go to a folder `real-LEVEL`.
    #[arg(long, value_name = "DIR", conflicts_with = "growth")]
    real: Option<PathBuf>,
    /// Instead of the jobs: biofast alone on one thread, and what more cores could give by its serial parts.
    #[arg(long, conflicts_with_all = ["only", "growth", "real"])]
    scaling: bool,
    /// With --growth: 16 million reads, too, which takes 7 GB of temporary files.
    #[arg(long, requires = "growth")]
    large: bool,
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
    /// Deflate a plain file in blocks of BGZF's size and discard them.
    Compress {
        file: PathBuf,
        #[arg(short = '@', long, default_value_t = 1)]
        threads: usize,
        /// libdeflate's level.
        #[arg(long, default_value_t = 1)]
        level: i32,
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
    let mut places = notebook::Places { root: cli.root, out: None };
    match cli.command {
        Command::List => notebook::list(&places),
        Command::Run(r) => {
            places.out = r.out;
            let options = notebook::RunOptions {
                ids: r.ids,
                quick: r.quick,
                full: r.full,
                pilot: r.pilot,
                repetitions: r.reps,
                seed: r.seed,
                dir: r.dir.dir,
            };
            notebook::run(&places, &options)
        }
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
        Command::Limit(Limit::Inflate { file, threads, no_crc }) => {
            let found = limits::inflate(&file, threads, !no_crc)?;
            println!("{{\"blocks\":{},\"bytes\":{}}}", found.blocks, found.bytes);
            Ok(())
        }
        Command::Bench(b) => {
            let options = bench::Options {
                only: b.only,
                threads: b.threads,
                reps: b.reps,
                minutes: b.minutes,
                quick: b.quick,
                biofast: b.biofast,
                dir: b.dir.dir,
                out: b.out,
                seed: b.seed,
            };
            match b.real {
                Some(folder) => bench::real::run(&options, &folder),
                None if b.scaling => bench::scaling::run(&options),
                None if b.growth => bench::growth::run(&options, b.large),
                None => bench::run(&options),
            }
        }
        Command::BenchReport { machine } => bench::page::report(&places.root, machine.as_deref()),
        Command::Count { file, with, threads } => {
            let found = bench::library::count(&with, &file, threads)?;
            println!("{{\"records\":{},\"bases\":{}}}", found.records, found.bases);
            Ok(())
        }
        Command::Cycles(Cycles { mca, target_dir, out }) => {
            cycles::run(&cycles::Options { mca, target_dir, out })
        }
        Command::Limit(Limit::Recode { file, threads, level }) => {
            let found = limits::recode(&file, threads, level)?;
            println!("{{\"blocks\":{},\"bytes\":{}}}", found.blocks, found.bytes);
            Ok(())
        }
        Command::Limit(Limit::Compress { file, threads, level }) => {
            println!("{{\"bytes\":{}}}", limits::compress(&file, threads, level)?);
            Ok(())
        }
        Command::Limit(Limit::Deflate { files, encoders, reps, most, bound_bam, regions_bam }) => {
            for file in &files {
                if bound_bam {
                    encoders::bound_bam(file, most)?;
                } else if regions_bam {
                    bam_regions::compare(file, reps, most)?;
                } else {
                    encoders::compare(file, &encoders, reps, most)?;
                }
            }
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
            let (bytes, sum) = limits::read(&file)?;
            println!("{{\"bytes\":{bytes},\"sum\":{sum}}}");
            Ok(())
        }
    }
}
