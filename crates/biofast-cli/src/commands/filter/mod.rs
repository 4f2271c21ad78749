//! `biofast filter`: reads to a chain of trimmers and predicates to files; alignments to a choice of
//! them.
//!
//! The input decides by its content which of the two it is: [`reads`] or [`alignments`]. Each goes one way: arguments as
//! typed are [planned](chain), outputs opened, records passed, and the run [reported](report).

mod adapters;
mod alignments;
mod args;
mod chain;
mod given;
mod mates;
mod preset;
mod reads;
mod report;

use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::io::output::Files;
use biofast::io::{Escaped, Source, display_name, is_named_pipe};

pub(crate) use args::Args;

use crate::inputs::{self, Input};
use crate::options::keeps_mates_together;
use reads::by_adapter::Places;

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    // What follows a file of alignments are regions.
    let named = args.inputs();
    let shards = args.shard.inputs(&named, files)?;
    if let Some(shards) = &shards {
        check_shard(args, shards)?;
    }
    let first = match &shards {
        Some(shards) => shards.get(..1).unwrap_or_default().to_vec(),
        None => inputs::gather(named.get(..1).unwrap_or_default(), None, "-", files)?,
    };
    let Some((input, others)) = first.split_first() else { bail!("no input") };
    // One program may feed two pipes, and wait for both to be opened before it writes.
    let second = named.get(1).filter(|path| shards.is_none() && is_named_pipe(path));
    let second = second.map(Source::open).transpose()?;
    let mut source = input.open()?;
    let Err(error) = bam::Format::sniff(&mut source) else {
        if let Some(Input::Path(path)) = others.first() {
            bail!(
                "alignments are filtered one file at a time, but {} is another",
                display_name(path)
            );
        }
        if Places::of(args)?.0 != Places::None {
            bail!(
                "adapters in the name of --out are for reads in FASTQ, and {} holds alignments",
                input.name()
            );
        }
        return alignments::run(args, input, source, files);
    };
    match args.only_of_alignments() {
        None => reads::run(args, source, second, shards, files),
        Some(option) if matches!(error.kind(), bam::ErrorKind::NotAlignments(_)) => bail!(
            "{option} is for alignments, and {} is none of BAM, SAM and CRAM (help is --help{})",
            Escaped(input.name().as_bytes()),
            meant(&option)
        ),
        Some(_) => Err(error.into()),
    }
}

/// Refuses what can't be done to a shard as it is done to the whole.
fn check_shard(args: &Args, shards: &[Input]) -> Result<()> {
    let (shard, which) = (&args.shard, &args.which);
    let looks =
        "what it finds in the first reads of a shard isn't what it finds in those of the file";
    shard.refuse(args.adapters.detect_adapter.is_some(), "--detect-adapter", looks)?;
    let preset = args.given.option("filter", &["PresetArgs"]).is_some();
    shard.refuse(preset, "--preset", looks)?;
    shard.refuse(
        which.head.is_some(),
        "--head",
        "the first reads of all shards aren't those of the file",
    )?;
    let counts = "how many of a shard's reads are among those isn't known; --sample-fraction takes the same as of the whole";
    shard.refuse(which.sample_count.is_some(), "--sample-count", counts)?;
    let regions = args.alignments.regions.any();
    shard.refuse(regions, "--region", "a shard is not of regions")?;
    if args.interleaved {
        keeps_mates_together(shards)?;
    }
    Ok(())
}

/// What a letter of another program is called here, where it means something else for alignments.
fn meant(option: &str) -> &'static str {
    match option.split(' ').next().unwrap_or(option) {
        "-q" => "; fastp's -q is --qualified-quality",
        "-u" => "; fastp's -u is --max-low-quality-percent, cutadapt's --crop-front or --crop-tail",
        "-e" => "; fastp's -e is --min-mean-qual with --mean arithmetic, cutadapt's --error-rate",
        "-r" => "; fastp's -r is --cut-right",
        "-M" => "; fastp's -M is --cut-mean-quality, cutadapt's --max-len",
        "-b" => "; cutadapt's -b is --anywhere, fastp's --keep-first",
        "-G" => {
            "; cutadapt's -G is --front2; fastp's isn't needed, as poly-G is cut by --trim-poly-g alone"
        }
        "-U" => "; fastp's -U is --umi",
        "-c" => "; fastp's -c is --correct",
        "-h" => "; fastp's -h is --html",
        "-f" => "; fastp's -f is --crop-front",
        "-F" => "; fastp's -F is --crop-front N,M",
        "-T" => "; fastp's -T is --crop-tail N,M",
        "-D" => "; fastp's -D drops duplicates",
        _ => "",
    }
}
