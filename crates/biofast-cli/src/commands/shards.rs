//! `biofast shards`: where to cut a file, for several machines.

use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::io::display_name;
use biofast::io::output::Files;
use biofast::ops::shards::{self, Between, Cut};
use biofast::ops::to_fastq;

use crate::console::{Hinted, message};
use crate::inputs::Input;
use crate::options::{InFile, Io, Messages, Out, Strictness, Threads, one_or_two};
use crate::output;
use crate::watch::Watch;

/// Plan how a file is cut into shards, which are read where they are and as exactly as the whole
///
/// The file is read once, every record checked; nothing of it is written. Cuts are at starts of records, which are
/// found and never guessed: of BAM, of FASTQ, plain or in BGZF, and of CRAM between containers, of which only the headers are read. Two files are mates, and are cut before reads of the
/// same number. The plan is JSON. `--shard PLAN#N` of other commands reads a shard, and `biofast merge` proves that reports are of
/// all shards, each once.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast shards -n 100 reads.fq.bgz -o reads.plan.json
  biofast shards --size 256MB R1.fq.gz R2.fq.gz -o pairs.plan.json
  biofast shards -n 2 sample.bam -o plan.json
  biofast shards -n 2 --by-region sample.bam -o regions.plan.json
  biofast shards -n 2 --keep-templates unaligned.bam -o names.plan.json
  biofast stats --json --shard 'plan.json#1' -o part1.json
  biofast stats --json --shard 'plan.json#2' -o part2.json
  biofast merge --json part1.json part2.json -o whole.json")]
pub(crate) struct Args {
    /// BAM, CRAM or FASTQ, or the two files of mates
    #[arg(required = true, value_name = "FILE")]
    files: Vec<InFile>,

    /// How many shards
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        required_unless_present = "size",
        value_parser = clap::value_parser!(u64).range(1..=shards::MAX_SHARDS)
    )]
    number: Option<u64>,

    /// As many shards as it takes for SIZE of the files as stored in each: 256MB, 1G
    #[arg(long, value_name = "SIZE", conflicts_with = "number")]
    size: Option<Stored>,

    /// The file is interleaved: shards end between pairs
    #[arg(long)]
    interleaved: bool,

    /// Of BAM grouped by name: shards end where the name changes, so that mates are in one, as `biofast fastq --shard` needs it
    #[arg(long, conflicts_with = "interleaved")]
    keep_templates: bool,

    /// Of BAM sorted by coordinate: each shard is what starts in some regions, which the plan names; shards end where the position changes
    #[arg(long, conflicts_with_all = ["interleaved", "keep_templates"])]
    by_region: bool,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    io: Io,

    #[command(flatten)]
    strictness: Strictness,

    #[command(flatten)]
    messages: Messages,
}

/// Bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stored(u64);

impl FromStr for Stored {
    type Err = String;

    fn from_str(text: &str) -> Result<Stored, String> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "K" | "KB" | "KIB" => 1 << 10,
            "M" | "MB" | "MIB" => 1 << 20,
            "G" | "GB" | "GIB" => 1 << 30,
            "T" | "TB" | "TIB" => 1 << 40,
            _ => 0,
        };
        let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
        match bytes {
            Some(bytes) if bytes > 0 => Ok(Stored(bytes)),
            _ => Err(format!("'{text}' is no size of a file: say 256MB or 1G (powers of 1024)")),
        }
    }
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = one_or_two(&args.files, files)?;
    if args.interleaved && inputs.len() > 1 {
        bail!("--interleaved takes one file, but {} are named", inputs.len());
    }
    let mut planned = Vec::new();
    for input in &inputs {
        let Input::Path(path) = input else {
            bail!("shards are read where the file is: {} can't be cut", input.in_words())
        };
        let mut file = shards::Input::new(path);
        file.strict_end = !args.strictness.allow_missing_eof;
        file.between = match (args.keep_templates, args.by_region) {
            (true, _) => Between::Names,
            (_, true) => Between::Positions,
            _ => Between::Any,
        };
        planned.push(file);
    }
    let out = args.out.open(files)?;
    let cut = match (args.number, args.size) {
        (Some(number), _) => Cut::Number(number),
        (None, Some(Stored(size))) => Cut::Size(size),
        (None, None) => bail!("how many shards? say -n N or --size SIZE"),
    };
    let watch = Watch::new(args.strictness.reads(args.io.apply(args.threads.options())));
    if args.keep_templates {
        inputs.iter().try_for_each(|input| is_grouped(input, &watch))?;
    }
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watch.bar(total, &args.messages);
    let together = if args.interleaved { 2 } else { 1 };
    let plan = shards::make(&planned, together, cut, &watch.options);
    drop(bar);
    if let Some(first) = inputs.first() {
        watch.tell(first, None, &args.messages, &args.threads);
    }
    let plan = plan?;
    let mut text = serde_json::to_string_pretty(&plan)?;
    text.push('\n');
    output::finish(out, text)?;
    if !args.messages.quiet {
        tell(&plan, args.out.path());
    }
    Ok(ExitCode::SUCCESS)
}

/// An error if these are alignments, and those of a template don't stand together.
fn is_grouped(input: &Input, watch: &Watch) -> Result<()> {
    let mut source = input.open()?;
    // What isn't BAM is told by who cuts it.
    let Ok(bam::Format::Bam) = bam::Format::sniff(&mut source) else { return Ok(()) };
    let opened = bam::Input::open(source, &watch.opening(None, bam::Detail::Full))?;
    let (header, mut source) = bam::peek_header(opened.source)?;
    if to_fastq::is_grouped(&header, &mut source) {
        return Ok(());
    }
    let why = match header.is_sorted_by_coordinate() {
        true => "is sorted by coordinate",
        false => {
            "doesn't say that it is grouped by name (@HD GO:query or SO:queryname), nor do its first records look so"
        }
    };
    Err(Hinted {
        message: format!(
            "{}: --keep-templates needs the records of a template next to each other, and the file {why}",
            input.name()
        ),
        hint: "sort it by name first: `biofast sort -n`",
    }
    .into())
}

/// Says how large the shards are.
fn tell(plan: &shards::Plan, path: Option<&std::path::Path>) {
    let sizes = || plan.shards.iter().map(|shard| shard.records.1 - shard.records.0);
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let number = plan.shards.len();
    let of = if plan.files.len() > 1 { "pairs" } else { "records" };
    let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let called = path.map_or_else(|| "PLAN".into(), display_name);
    let text = format!(
        "{} {of} in {number} shards of {each}: --shard '{called}#1' to '{called}#{number}'",
        plan.records
    );
    message("note", &text);
}
