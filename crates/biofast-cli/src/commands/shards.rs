//! `biofast shards`: where to cut a file, for several machines.

use std::str::FromStr;

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_io::display_name;
use biofast_ops::shards::{self, Between, ShardSizing};
use biofast_ops::to_fastq;

use crate::console::{Console, Hinted};
use crate::inputs::{self, Input};
use crate::options::{InFile, Io, Messages, Out, Strictness, Threads, multiples};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// Divide a file into shards for parallel processing, without copying it
///
/// Reads the file once and validates every record; no data are copied. Shards of BAM and FASTQ end at records, and
/// those of CRAM at containers, of which only the headers are read. Two files are treated as mates and divided at the
/// same read numbers.
///
/// The plan is written as JSON. Other commands read a shard with `--shard PLAN#N`. `biofast merge` then checks that
/// reports cover all shards exactly once.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast shards --number 100 reads.fq.bgz -o reads.plan.json
  biofast shards --size 256MB R1.fq.gz R2.fq.gz -o pairs.plan.json
  biofast shards --number 2 sample.bam -o plan.json
  biofast shards --number 2 --by-region sample.bam -o regions.plan.json
  biofast shards --number 2 --keep-templates unaligned.bam -o names.plan.json
  biofast stats --json --shard 'plan.json#1' -o part1.json
  biofast stats --json --shard 'plan.json#2' -o part2.json
  biofast merge --json part1.json part2.json -o whole.json")]
pub(crate) struct Args {
    /// BAM, CRAM or FASTQ file, or two files of mates
    #[arg(required = true, value_name = "FILE")]
    files: Vec<InFile>,

    /// Number of shards
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "size",
        value_parser = clap::value_parser!(u64).range(1..=shards::MAX_SHARDS)
    )]
    number: Option<u64>,

    /// Make as many shards as needed for SIZE of stored data in each, such as 256MB or 1G
    #[arg(long, value_name = "SIZE", conflicts_with = "number")]
    size: Option<Stored>,

    /// Treat the input as interleaved: shards end between pairs
    #[arg(long)]
    interleaved: bool,

    /// End shards where the read name changes, so that mates stay together (BAM grouped by name)
    ///
    /// `biofast fastq --shard` needs such a plan.
    #[arg(long, conflicts_with = "interleaved")]
    keep_templates: bool,

    /// End shards where the position changes, and name their regions in the plan (BAM sorted by coordinate)
    ///
    /// A shard holds the records that start in its regions.
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
pub(super) struct Stored(pub(super) u64);

impl FromStr for Stored {
    type Err = String;

    fn from_str(text: &str) -> Result<Stored, String> {
        let (digits, unit) = multiples::split(text);
        let unit: u64 = match unit.as_str() {
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
            _ => Err(format!(
                "'{text}' is not a file size: expected a form like 256MB or 1G (powers of 1024)"
            )),
        }
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let (inputs, _) = inputs::of_reads(&args.files, false, session)?;
    if args.interleaved && inputs.len() > 1 {
        bail!("--interleaved takes one file, but {} are named", inputs.len());
    }
    let mut planned = Vec::new();
    for input in &inputs {
        let Input::Path(path) = input else {
            bail!("{} can't be divided into shards: name a regular file", input.in_words())
        };
        let mut file = shards::ShardInput::new(path);
        file.strict_end = !args.strictness.allow_missing_eof;
        file.between = match (args.keep_templates, args.by_region) {
            (true, _) => Between::Names,
            (_, true) => Between::Positions,
            _ => Between::Any,
        };
        planned.push(file);
    }
    let out = args.out.open(session)?;
    let cut = match (args.number, args.size) {
        (Some(number), _) => ShardSizing::Number(number),
        (None, Some(Stored(size))) => ShardSizing::Size(size),
        (None, None) => bail!("number of shards missing: add --number N or --size SIZE"),
    };
    let watch = Watch::new(session, args.strictness.reads(args.io.apply(args.threads.options())));
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
        tell(&session.console, &plan, args.out.path());
    }
    Ok(Exit::Fine)
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
            "is not grouped by name: the header has neither GO:query nor SO:queryname, and the first records aren't grouped"
        }
    };
    Err(Hinted {
        message: format!(
            "{}: --keep-templates needs records grouped by name, but the file {why}",
            input.name()
        ),
        hint: "sort it by name first: `biofast sort -n FILE -o named.bam`".into(),
    }
    .into())
}

/// Says how large the shards are.
fn tell(console: &Console, plan: &shards::Plan, path: Option<&std::path::Path>) {
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
    console.note(&text);
}
