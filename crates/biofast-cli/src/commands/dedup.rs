//! `biofast dedup`: reads or pairs once.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::io::output::{Files, commit};
use biofast::ops::dedup::{self, By, Dedup, Done, Keep, Outputs, Problem, Reads};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::measure::records::Sum;
use biofast::ops::split::Amount;
use clap::ValueEnum;

use crate::console::message;
use crate::inputs::Input;
use crate::options::{
    Io, Mates, Messages, Opened, OutFile, PairsOut, ReadsOut, Spill, Strictness, Threads,
    rereadable_sequences,
};
use crate::output;
use crate::watch::Watch;

/// Leave out reads or pairs that are there already: by sequence, by name, or by UMI
///
/// FASTA stays FASTA, in lines of 60 bases.
///
/// One file holds single reads, or pairs with --interleaved; two files hold the mates of pairs, which are the same if both
/// mates are. Of several the first one is kept, and what is kept stays in order. Reads are compared themselves, not hashes of
/// them. The result doesn't depend on threads or memory; what takes more memory than it may goes to temporary files.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast dedup reads.fq.gz -o unique.fq.gz
  biofast dedup R1.fq.gz R2.fq.gz -o u1.fq.gz --out2 u2.fq.gz -d dup.fq.gz --json dedup.json
  biofast dedup -i genes.fa.gz -o unique.fa.gz
  biofast dedup --mismatches 1 R1.fq.gz R2.fq.gz -o u1.fq.gz --out2 u2.fq.gz
  biofast dedup --reverse-complement reads.fq.gz -o unique.fq.gz
  biofast filter reads.fq.gz --umi first --umi-len 8 | biofast dedup --umi - -o unique.fq.gz")]
pub(crate) struct Args {
    #[command(flatten)]
    mates: Mates,

    /// What is compared
    #[arg(long, value_enum, default_value_t = Compared::Sequence, value_name = "WHAT")]
    by: Compared,

    /// The UMI at the end of the name must be the same, too
    #[arg(long)]
    umi: bool,

    /// What stands before the UMI in the name
    #[arg(long, value_name = "CHAR", default_value_t = ':')]
    umi_separator: char,

    /// A read is also a duplicate if it has the length of one that is kept and differs from it in at most N places, of
    /// pairs both mates together: 0, 1 or 2
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u8).range(0..=i64::from(dedup::MOST_MISMATCHES))
    )]
    mismatches: u8,

    /// Lower-case letters are the same as upper-case ones
    #[arg(short, long)]
    ignore_case: bool,

    /// A read is the same as its reverse complement, and a pair the same as the one whose mates are exchanged
    #[arg(short, long, visible_alias = "both-strands")]
    reverse_complement: bool,

    /// Compare the first N bases alone, of pairs those of each mate
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    prefix: Option<u32>,

    /// Which of several is kept; best-quality reads the input twice
    #[arg(long, value_enum, default_value_t = Kept::First, value_name = "WHICH")]
    keep: Kept,

    /// Write to FILE instead of standard output, mates after each other unless --out2 is given
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(long, value_name = "FILE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Write duplicates to FILE, mates after each other unless --duplicates2 is given
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
    threads: Threads,

    #[command(flatten)]
    io: Io,

    #[command(flatten)]
    strictness: Strictness,

    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compared {
    /// The bases
    Sequence,
    /// The name up to the first blank, of pairs without /1 and /2
    Name,
    /// The UMI at the end of the name
    Umi,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kept {
    /// The first one
    First,
    /// That with the highest sum of base qualities, of pairs of both mates; of several the first one
    BestQuality,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let (inputs, paired) = args.mates.inputs(files)?;
    args.pairs_out.refuse((inputs.len(), paired), args.out.as_deref(), args.out2.is_some())?;
    let choice = choice(args, paired)?.mates(args.mates.pairing().rule());
    let (sources, is_fasta) = rereadable_sequences(&inputs)?;
    if is_fasta && args.keep == Kept::BestQuality {
        bail!("--keep best-quality needs qualities, which FASTA has not: --keep first");
    }
    let (opened, kept) = open(args, paired, is_fasta, files)?;
    let report = output::optional_report(files, args.writing.json.as_deref())?;
    let mut sources = sources.into_iter();
    let reads = match (sources.next(), sources.next()) {
        (Some(one), Some(two)) => Reads::Paired(one, two),
        (Some(one), None) if paired => Reads::Interleaved(one),
        (Some(one), None) => Reads::Single(one),
        _ => bail!("no input"),
    };
    let progress = Arc::default();
    let pairing = args.mates.pairing();
    let reading = || pairing.apply(args.strictness.reads(args.io.apply(args.threads.options())));
    let watches = [0, 1].map(|_| Watch::sharing(&progress, reading()));
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    let limits = args.spill.limits(args.out.as_deref());
    let Opened { mut outputs, paths } = opened;
    output::outlast_readers(&mut outputs, report.iter().len());
    let duplicates = outputs.split_off(kept);
    let outputs = Outputs { kept: outputs, duplicates };
    let options = watches.each_ref().map(|watch| watch.options.clone());
    let result = dedup::dedup(reads, options, &choice, &limits, outputs);
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(
            input,
            Some(if is_fasta { "FASTA" } else { "FASTQ" }),
            &args.messages,
            &args.threads,
        );
    }
    let mut done = result.map_err(explained)?;
    let mut outputs = std::mem::take(&mut done.outputs);
    if let Some(report) = report {
        let opened = Opened { outputs: Vec::new(), paths };
        let sums = sums(&done, &inputs, &opened, kept);
        let summary = summary(args, &done, paired)?;
        outputs.push(output::filled(report, output::summary_of_files(summary, &sums)?)?);
    }
    commit(outputs, args.writing.sync)?;
    if !args.messages.quiet {
        tell(&done, paired);
    }
    Ok(ExitCode::SUCCESS)
}

/// What is meant.
fn choice(args: &Args, paired: bool) -> Result<Dedup> {
    let by = match args.by {
        Compared::Sequence => By::Sequence,
        Compared::Name => By::Name,
        Compared::Umi => By::Umi,
    };
    let keep = match args.keep {
        Kept::First => Keep::First,
        Kept::BestQuality => Keep::Best,
    };
    if args.by == Compared::Sequence && args.reverse_complement && args.prefix.is_some() && !paired
    {
        bail!(
            "--reverse-complement and --prefix: the first bases of the other strand are not known; pairs can have both"
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
    if args.umi || by == By::Umi {
        if !args.umi_separator.is_ascii() {
            bail!("--umi-separator is one ASCII character, such as ':' or '_'");
        }
        // ASCII is one byte.
        choice = choice.umi(args.umi_separator as u8);
    }
    if let Err(why) = choice.check() {
        bail!("{why} (see the options --by, --umi, --mismatches, --prefix and --keep in --help)");
    }
    Ok(choice)
}

/// Opens the outputs, and says how many are of what is kept.
fn open(args: &Args, paired: bool, is_fasta: bool, files: &mut Files) -> Result<(Opened, usize)> {
    if !paired && (args.out2.is_some() || args.duplicates2.is_some()) {
        bail!("--out2 and --duplicates2 need pairs: two files, or --interleaved");
    }
    let mut opened = Opened::default();
    args.writing.open(args.out.as_deref(), is_fasta, files, &mut opened)?;
    if let Some(path) = &args.out2 {
        args.writing.open(Some(path), is_fasta, files, &mut opened)?;
    }
    let kept = opened.outputs.len();
    for path in [&args.duplicates, &args.duplicates2].into_iter().flatten() {
        args.writing.open(Some(path), is_fasta, files, &mut opened)?;
    }
    Ok((opened, kept))
}

/// Errors of libraries as such.
fn explained(problem: Problem) -> anyhow::Error {
    match problem {
        Problem::Input(error) => error.into(),
        Problem::Output(error) => error.into(),
        problem => problem.into(),
    }
}

fn reads(amounts: &[Amount; 2]) -> u64 {
    amounts[0].sum.records + amounts[1].sum.records
}

/// The share of reads that are duplicates.
fn rate(done: &Done) -> f64 {
    let all = reads(&done.totals.input);
    if all == 0 { 0.0 } else { reads(&done.totals.duplicates) as f64 / all as f64 }
}

/// Says what was found.
fn tell(done: &Done, paired: bool) {
    let totals = &done.totals;
    let percent = 100.0 * rate(done);
    let [all, kept, duplicates] = [&totals.input, &totals.kept, &totals.duplicates].map(reads);
    let what = if paired { "reads of pairs" } else { "reads" };
    message("note", &format!("{all} {what}: {kept} kept, {duplicates} duplicates ({percent:.2}%)"));
    if done.effort.stored_bytes > 0 {
        let bytes = done.effort.stored_bytes;
        message(
            "note",
            &format!("{bytes} bytes were in temporary files: more --memory needs less"),
        );
    }
}

fn summary(args: &Args, done: &Done, paired: bool) -> Result<serde_json::Value> {
    let named = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    };
    let amount = |amounts: &[Amount; 2]| {
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
        "umi": args.umi || args.by == Compared::Umi,
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

/// The inputs and outputs, with what was read from and written to each.
fn sums(done: &Done, inputs: &[Input], opened: &Opened, kept: usize) -> Vec<FileSum> {
    let of_files = |amounts: &[Amount; 2], files: usize| -> Vec<Sum> {
        let [mut one, two] = amounts.map(|amount| amount.sum);
        match files {
            0 => Vec::new(),
            1 => {
                one.add(two);
                vec![one]
            }
            _ => vec![one, two],
        }
    };
    let file =
        |path: String, role, sum: Sum| FileSum { path, role, partial: false, records: sum.into() };
    let totals = &done.totals;
    let read = of_files(&totals.input, inputs.len());
    let read = inputs.iter().zip(read).map(|(input, sum)| file(input.name(), Role::Input, sum));
    let duplicates = opened.paths.len() - kept;
    let written = of_files(&totals.kept, kept).into_iter().map(|sum| (Role::Output, sum));
    let others = of_files(&totals.duplicates, duplicates).into_iter();
    let written = written.chain(others.map(|sum| (Role::Rejected, sum)));
    let written =
        written.enumerate().map(|(number, (role, sum))| file(opened.name(number), role, sum));
    read.chain(written).collect()
}
