//! `biofast dedup`: reads or pairs once.

use anyhow::{Result, bail};
use biofast_io::Source;
use biofast_ops::dedup::{self, Dedup, DedupBy, DedupOutputs, DedupResult, Keep};
use biofast_ops::filter::report::FileRole;
use biofast_ops::measure::records::Sum;
use biofast_ops::split::SplitAmount;
use clap::ValueEnum;

use crate::console::Console;
use crate::inputs::Input;
use crate::options::{Mates, OutFile, PairsOut, ReadsOut, Spill};
use crate::reads_job::ReadsOptions;
use crate::session::{Exit, Session};

/// Remove duplicate reads or pairs by sequence, name or UMI
///
/// One file holds single reads, or pairs with --interleaved; two files hold mates. Pairs are duplicates if both mates
/// are. The first of several duplicates is kept, and reads stay in input order. FASTA output has lines of 60 bases.
///
/// The result is exact: reads are compared, not hashes. It doesn't depend on the number of threads or the memory limit.
/// Data beyond the memory limit are spilled to temporary files.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast dedup reads.fq.gz -o unique.fq.gz
  biofast dedup R1.fq.gz R2.fq.gz -o u1.fq.gz --out2 u2.fq.gz -d dup.fq.gz --summary dedup.json
  biofast dedup -i genes.fa.gz -o unique.fa.gz
  biofast dedup --max-mismatches 1 R1.fq.gz R2.fq.gz -o u1.fq.gz --out2 u2.fq.gz
  biofast dedup --both-strands reads.fq.gz -o unique.fq.gz
  biofast filter reads.fq.gz --umi first --umi-len 8 | biofast dedup --compare-umi - -o unique.fq.gz")]
pub(crate) struct Args {
    #[command(flatten)]
    mates: Mates,

    /// What to compare
    #[arg(long = "key", value_enum, default_value_t = DedupKey::Sequence, value_name = "WHAT")]
    by: DedupKey,

    /// Also require the same UMI at the end of the name
    #[arg(long = "compare-umi")]
    umi: bool,

    /// Character before the UMI in the name
    #[arg(long, value_name = "CHAR", default_value_t = ':')]
    umi_separator: char,

    /// Also remove reads with at most N mismatches to a kept read of the same length: 0, 1 or 2
    ///
    /// For pairs, the mismatches of both mates are added.
    #[arg(
        long = "max-mismatches",
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u8).range(0..=i64::from(dedup::MOST_MISMATCHES))
    )]
    mismatches: u8,

    /// Compare without regard to case
    #[arg(short, long)]
    ignore_case: bool,

    /// Also remove reverse complements of kept reads; for pairs, those with swapped mates
    #[arg(long = "both-strands")]
    reverse_complement: bool,

    /// Compare only the first N bases of each read
    #[arg(long = "first-bases", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    prefix: Option<u32>,

    /// Which of several duplicates to keep; best-quality reads the input twice
    #[arg(long, value_enum, default_value_t = KeepRule::First, value_name = "WHICH")]
    keep: KeepRule,

    /// Write kept reads to FILE [default: standard output]
    ///
    /// Without --out2, pairs are interleaved. Two input files then need --interleaved-out, except on standard output.
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(long, value_name = "FILE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Write duplicates to FILE; without --duplicates2, pairs are interleaved
    #[arg(short, long, value_name = "FILE")]
    duplicates: Option<OutFile>,

    /// Write second reads of duplicates to FILE
    #[arg(long, value_name = "FILE", requires = "duplicates")]
    duplicates2: Option<OutFile>,

    #[command(flatten)]
    writing: ReadsOut,

    #[command(flatten)]
    spill: Spill,

    #[command(flatten)]
    reading: ReadsOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DedupKey {
    /// Bases
    Sequence,
    /// Name up to the first space; for pairs, without /1 and /2
    Name,
    /// UMI at the end of the name
    Umi,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeepRule {
    /// The first one
    First,
    /// The one with the highest sum of base qualities, for pairs of both mates; the first of ties
    BestQuality,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let pairing = args.mates.pairing();
    let mut job = args.reading.job(args.mates.inputs(session)?, pairing, session);
    args.pairs_out.refuse(job.layout(), args.out.as_deref(), args.out2.is_some())?;
    let paired = job.is_paired();
    let choice = choice(args, paired)?.mates(pairing.rule());
    let reads = job.open_rereadable()?;
    if job.is_fasta() && args.keep == KeepRule::BestQuality {
        bail!("--keep best-quality needs qualities, which FASTA has not: --keep first");
    }
    if !paired && (args.out2.is_some() || args.duplicates2.is_some()) {
        bail!("--out2 and --duplicates2 need pairs: two files, or --interleaved");
    }
    if args.keep == KeepRule::BestQuality
        && let [Input::Path(path), ..] = job.inputs()
        && path.is_file()
        && let Ok(mut source) = Source::open(path)
    {
        job.warn_of_encoding(&mut source);
    }
    let others = [&args.out2, &args.duplicates, &args.duplicates2];
    let mut opened = args.writing.open(&args.out, &others, job.is_fasta(), session)?;
    let kept = 1 + args.out2.iter().len();
    job.open_report(args.writing.json.as_deref(), session, &mut opened.outputs)?;
    let names = opened.names();
    let duplicates = opened.outputs.split_off(kept);
    let outputs = DedupOutputs { kept: opened.outputs, duplicates };
    let limits = args.spill.limits(args.out.as_deref());
    let mut done = job.run(|options| dedup::dedup(reads, options, &choice, &limits, outputs))?;
    let totals = &done.totals;
    job.warn_of_empty(&sums(&totals.input));
    let (kept, duplicates) = names.split_at(kept);
    let sums = job.sums(sums(&totals.input));
    let sums = sums.mates(FileRole::Output, kept, self::sums(&totals.kept));
    let sums = sums.mates(FileRole::Rejected, duplicates, self::sums(&totals.duplicates));
    let outputs = std::mem::take(&mut done.outputs);
    let summary = (summary(args, &done, paired)?, sums);
    job.finish(outputs, args.writing.sync, summary, |console| tell(console, &done, paired))
}

/// What is meant.
fn choice(args: &Args, paired: bool) -> Result<Dedup> {
    let by = match args.by {
        DedupKey::Sequence => DedupBy::Sequence,
        DedupKey::Name => DedupBy::Name,
        DedupKey::Umi => DedupBy::Umi,
    };
    let keep = match args.keep {
        KeepRule::First => Keep::First,
        KeepRule::BestQuality => Keep::Best,
    };
    if args.by == DedupKey::Sequence && args.reverse_complement && args.prefix.is_some() && !paired
    {
        bail!(
            "--both-strands can't be combined with --first-bases for single reads: the read doesn't show the first bases of the other strand"
        );
    }
    let mut choice = Dedup::new()
        .by(by)
        .mismatches(args.mismatches)
        .ignore_case(args.ignore_case)
        .either_strand(args.reverse_complement)
        .keep(keep);
    if let Some(bases) = args.prefix {
        // Fits where there is memory for as many bases.
        choice = choice.prefix(bases as usize);
    }
    if args.umi || by == DedupBy::Umi {
        if !args.umi_separator.is_ascii() {
            bail!("--umi-separator must be one ASCII character, such as ':' or '_'");
        }
        // ASCII is one byte.
        choice = choice.umi(args.umi_separator as u8);
    }
    if let Err(why) = choice.check() {
        bail!(
            "{why} (see the options --key, --compare-umi, --max-mismatches, --first-bases and --keep in --help)"
        );
    }
    Ok(choice)
}

fn sums(amounts: &[SplitAmount; 2]) -> [Sum; 2] {
    amounts.map(|amount| amount.sum)
}

fn reads(amounts: &[SplitAmount; 2]) -> u64 {
    amounts[0].sum.records + amounts[1].sum.records
}

/// The share of reads that are duplicates.
fn rate(done: &DedupResult) -> f64 {
    let all = reads(&done.totals.input);
    if all == 0 { 0.0 } else { reads(&done.totals.duplicates) as f64 / all as f64 }
}

/// Says what was found.
fn tell(console: &Console, done: &DedupResult, paired: bool) {
    let totals = &done.totals;
    let percent = 100.0 * rate(done);
    let [all, kept, duplicates] = [&totals.input, &totals.kept, &totals.duplicates].map(reads);
    let what = if paired { "reads of pairs" } else { "reads" };
    console.note(&format!("{all} {what}: {kept} kept, {duplicates} duplicates ({percent:.2}%)"));
    if done.effort.stored_bytes > 0 {
        let bytes = done.effort.stored_bytes;
        console.note(&format!(
            "{bytes} bytes were spilled to temporary files; a higher --memory needs less disk space"
        ));
    }
}

fn summary(args: &Args, done: &DedupResult, paired: bool) -> Result<serde_json::Value> {
    let named = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    };
    let amount = |amounts: &[SplitAmount; 2]| {
        serde_json::json!({
            "reads": reads(amounts),
            "bases": amounts[0].bases + amounts[1].bases,
        })
    };
    let levels: Vec<_> = done.levels.iter().collect();
    let totals = &done.totals;
    Ok(serde_json::json!({
        "paired": paired,
        "by": named(args.by.to_possible_value()),
        "umi": args.umi || args.by == DedupKey::Umi,
        "mismatches": args.mismatches,
        "keep": named(args.keep.to_possible_value()),
        "input": amount(&totals.input),
        "kept": amount(&totals.kept),
        "duplicates": amount(&totals.duplicates),
        "duplication": { "rate": rate(done) },
        "levels": serde_json::to_value(levels)?,
        "effort": serde_json::to_value(done.effort)?,
    }))
}
