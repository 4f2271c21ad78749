//! `biofast filter`: reads to a chain of trimmers and predicates to files; alignments to a choice of
//! them.
//!
//! The input decides by its content which of the two it is: [`reads`] or [`alignments`]. Each goes one way: arguments as
//! typed are [planned](chain), outputs opened, records passed, and the run [reported](report).

mod adapters;
mod alignment_args;
mod alignments;
mod args;
mod bounds;
mod chain;
mod deplete;

mod given;
mod mates;
mod named;
mod places;
mod preset;
mod preset_fastp;
mod preset_galore;
mod reads;
mod report;
mod trims;

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_io::{Escaped, Source, display_name, is_named_pipe};

pub(crate) use args::Args;

use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::options::keeps_mates_together;
use crate::session::{Exit, Session};
use places::Places;

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    // What follows a file of alignments are regions.
    let named = args.inputs();
    let shards = args.shard.inputs(&named, session)?;
    if let Some(shards) = &shards {
        check_shard(args, shards, session)?;
    }
    let first = match &shards {
        Some(shards) => shards.get(..1).unwrap_or_default().to_vec(),
        None => inputs::gather(named.get(..1).unwrap_or_default(), None, "-", session)?,
    };
    let Some((input, others)) = first.split_first() else { bail!("no input") };
    // One program may feed two pipes, and wait for both to be opened before it writes.
    let second = named.get(1).filter(|path| shards.is_none() && is_named_pipe(path));
    let second = second.map(Source::open).transpose()?;
    for input in &first {
        refuse_number(input, session)?;
    }
    let mut source = input.open()?;
    let Err(error) = bam::Format::sniff(&mut source) else {
        if let Some(Input::Path(path)) = others.first() {
            bail!(
                "alignments are filtered one file at a time, but got a second file, {}",
                display_name(path)
            );
        }
        if Places::of(args)?.0 != Places::None {
            bail!(
                "adapter names in --out apply to FASTQ reads, but {} holds alignments",
                input.name()
            );
        }
        return alignments::run(args, input, source, session);
    };
    if error.kind().is_spaced_sam() {
        return Err(error.into());
    }
    match args.only_of_alignments(session) {
        None => reads::run(args, source, second, shards, session),
        Some(option) if matches!(error.kind(), bam::ErrorKind::NotAlignments(_)) => {
            let name = input.name();
            Err(Hinted::error(
                format!(
                    "{option} applies to alignments, but {} holds reads",
                    Escaped(name.as_bytes())
                ),
                meant(&option),
            ))
        }
        Some(_) => Err(error.into()),
    }
}

/// Refuses a number in the place of a file: other programs have options of the same letter that take one.
fn refuse_number(input: &Input, session: &Session) -> Result<()> {
    let Input::Path(path) = input else { return Ok(()) };
    let Some(text) = path.to_str().filter(|text| text.parse::<f64>().is_ok()) else {
        return Ok(());
    };
    let words = session.arguments();
    let before = words.windows(2).find(|pair| pair[1] == text).map(|pair| pair[0].as_str());
    let Some(option) = before.filter(|word| word.starts_with('-') && !path.exists()) else {
        return Ok(());
    };
    let hint = match option {
        "-u" => format!(
            "to trim bases (cutadapt's -u) use --crop-front {text}; to limit low-quality bases (fastp's -u) use \
             --max-low-quality-percent {text}"
        ),
        "--cut-front" | "--cut-tail" | "--cut-right" | "-5" | "-3" => {
            format!("to set the mean quality of windows use --cut-mean-quality {text}")
        }
        option => meant(option).to_owned(),
    };
    Err(Hinted::error(format!("{option} takes no value here, and there is no file '{text}'"), hint))
}

/// Refuses what can't be done to a shard as it is done to the whole.
fn check_shard(args: &Args, shards: &[Input], session: &Session) -> Result<()> {
    let (shard, which) = (&args.shard, &args.which);
    let looks = "it examines the first reads of the file, which a shard doesn't have";
    shard.refuse(args.adapters.detect_adapter.is_some(), "--detect-adapter", looks)?;
    let preset = args.given.option(session, "filter", &["PresetArgs"]).is_some();
    shard.refuse(preset, "--preset", looks)?;
    shard.refuse(
        which.head.is_some(),
        "--head",
        "the first reads of shards are not the first reads of the file",
    )?;
    let counts = "a shard's share of the sample is unknown; --sample-fraction takes the same reads as in the whole file";
    shard.refuse(which.sample_count.is_some(), "--sample-count", counts)?;
    shard.refuse(which.sample_bases.is_some(), "--sample-bases", counts)?;
    shard.refuse(which.sample_coverage.is_some(), "--sample-coverage", counts)?;
    let best = "the best reads are chosen among those of the whole file";
    shard.refuse(which.keep_percent.is_some(), "--keep-percent", best)?;
    shard.refuse(which.target_bases.is_some(), "--target-bases", best)?;
    let regions = args.alignments.regions.any();
    shard.refuse(regions, "a region", "a shard can't be restricted to regions")?;
    if args.interleaved {
        keeps_mates_together(shards)?;
    }
    Ok(())
}

/// What a letter of another program is called here, where it means something else for alignments.
fn meant(option: &str) -> &'static str {
    match option.split(' ').next().unwrap_or(option) {
        "-q" => "to trim low-quality ends use --cut-tail; fastp's -q is --qualified-quality",
        "-u" => "fastp's -u is --max-low-quality-percent, cutadapt's --crop-front or --crop-tail",
        "-e" => "fastp's -e is --min-mean-qual with --mean arithmetic, cutadapt's --error-rate",
        "-r" => "fastp's -r is --cut-right",
        "-M" => "fastp's -M is --cut-mean-quality, cutadapt's --max-len",
        "-b" => "cutadapt's -b is --anywhere, fastp's --keep-first",
        "-G" => {
            "cutadapt's -G is --front2; fastp's -G is not needed: poly-G is trimmed only with --trim-poly-g"
        }
        "-U" => "fastp's -U is --umi",
        "-c" => "fastp's -c is --correct",
        "-h" => "for help use --help; fastp's -h is --html",
        "-f" => "fastp's -f is --crop-front",
        "-F" => "fastp's -F is --crop-front N,M",
        "-T" => "fastp's -T is --crop-tail N,M",
        "-D" => "use `biofast dedup` for fastp's -D",
        _ => "`biofast filter --help` lists the options for reads",
    }
}
