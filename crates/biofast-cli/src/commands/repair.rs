//! `biofast repair`: mates that have lost each other become pairs.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::io::output::{Files, commit};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::measure::records::Sum;
use biofast::ops::repair::{self, Done, Outputs, Problem, Sources};
use biofast::ops::split::Amount;

use crate::console::{Trouble, message};
use crate::inputs::Input;
use crate::options::{
    InFile, Io, Messages, Opened, OutFile, Pairing, PairsOut, ReadsOut, Spill, Strictness, Threads,
    one_or_two, rereadable_sequences,
};
use crate::output;
use crate::watch::Watch;

/// Bring the mates of two files, or of a mixed one, together again: shuffled, or filtered one by one
///
/// Mates have the same name, apart from /1 and /2. FASTA stays FASTA. Pairs are written in the order of their first reads, and reads without
/// mates in the order of the input. The input is read twice: files that are in nearly the same order need little memory, and
/// any others as much as they may, and temporary files beyond that. The result doesn't depend on threads or memory.
///
/// The exit code is 1 if there are reads but no pairs, or if reads without mates were left out that no option says what to do
/// with. The outputs are complete in both cases.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast repair R1.fq.gz R2.fq.gz -o p1.fq.gz --out2 p2.fq.gz
  biofast repair R1.fq.gz R2.fq.gz -o p1.fq.gz --out2 p2.fq.gz --orphans1 s1.fq --orphans2 s2.fq
  biofast repair mixed.fq.gz -o p1.fq.gz --out2 p2.fq.gz --orphans s.fq.gz --json repair.json
  biofast repair R1.fq.gz R2.fq.gz | biofast filter --interleaved - -o f1.fq.gz --out2 f2.fq.gz")]
pub(crate) struct Args {
    /// The files of first and of second reads, or one that holds both in any order; '-' is standard input, which is also
    /// read when no file is named
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    #[command(flatten)]
    pairing: Pairing,

    /// Write pairs to FILE instead of standard output, mates after each other unless --out2 is given
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write second reads of pairs to FILE
    #[arg(long, value_name = "FILE")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Write first reads without mates to FILE
    #[arg(long, value_name = "FILE")]
    orphans1: Option<OutFile>,

    /// Write second reads without mates to FILE
    #[arg(long, value_name = "FILE")]
    orphans2: Option<OutFile>,

    /// Write all reads without mates to FILE: in the order of a mixed input, else first reads before second ones; reads the
    /// input once more
    #[arg(short = 's', long, value_name = "FILE", conflicts_with_all = ["orphans1", "orphans2"])]
    orphans: Option<OutFile>,

    /// Drop reads without mates that no option names a file for; otherwise the exit code is 1 if there are any
    #[arg(long, conflicts_with = "orphans")]
    drop_orphans: bool,

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

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let inputs = one_or_two(&args.files, files)?;
    args.pairs_out.refuse((inputs.len(), true), args.out.as_deref(), args.out2.is_some())?;
    let (sources, is_fasta) = rereadable_sequences(&inputs)?;
    let mut opened = Opened::default();
    let mut open = |path: Option<&OutFile>| -> Result<usize> {
        args.writing.open(path.map(OutFile::as_ref), is_fasta, files, &mut opened)
    };
    open(args.out.as_ref())?;
    let mut pairs = 1;
    if args.out2.is_some() {
        open(args.out2.as_ref())?;
        pairs = 2;
    }
    for path in [&args.orphans1, &args.orphans2, &args.orphans].into_iter().flatten() {
        open(Some(path))?;
    }
    let report = output::optional_report(files, args.writing.json.as_deref())?;
    let mut sources = sources.into_iter();
    let sources = match (sources.next(), sources.next()) {
        (Some(one), Some(two)) => Sources::Two(one, two),
        (Some(one), None) => Sources::Mixed(one),
        _ => bail!("no input"),
    };
    let progress = Arc::default();
    let reading = || {
        let options = args.strictness.reads(args.io.apply(args.threads.options()));
        args.pairing.apply(options)
    };
    let watches = [0, 1].map(|_| Watch::sharing(&progress, reading()));
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    let limits = args.spill.limits(args.out.as_deref());
    let Opened { mut outputs, paths } = opened;
    output::outlast_readers(&mut outputs, report.iter().len());
    let mut orphans = outputs.split_off(pairs).into_iter();
    let mut next = |path: &Option<OutFile>| path.as_ref().and_then(|_| orphans.next());
    let (one, two) = (next(&args.orphans1), next(&args.orphans2));
    let outputs = Outputs { pairs: outputs, orphans: [one, two], all_orphans: next(&args.orphans) };
    let options = watches.each_ref().map(|watch| watch.options.clone());
    let result = repair::repair(sources, options, &limits, outputs);
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
        let sums = sums(args, &done, &inputs, &opened, pairs);
        let summary = summary(&done, inputs.len())?;
        outputs.push(output::filled(report, output::summary_of_files(summary, &sums)?)?);
    }
    commit(outputs, args.writing.sync)?;
    if !args.messages.quiet {
        tell(&done);
    }
    let troubles = troubles(args, &done);
    for trouble in &troubles {
        trouble.tell();
        trouble.hint();
    }
    Ok(if troubles.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Errors of libraries as such.
fn explained(problem: Problem) -> anyhow::Error {
    match problem {
        Problem::Input(error) => error.into(),
        Problem::Output(error) => error.into(),
        problem => problem.into(),
    }
}

/// Says what was found.
fn tell(done: &Done) {
    let pairs = done.totals.pairs[0].sum.records;
    let [one, two] = done.totals.orphans.map(|amount| amount.sum.records);
    message("note", &format!("{pairs} pairs, {one} first and {two} second reads without mates"));
    if done.effort.stored_bytes > 0 {
        let bytes = done.effort.stored_bytes;
        message("note", &format!("{bytes} bytes were in temporary files"));
    }
}

/// What makes the result doubtful: nothing was paired, or reads are lost that nobody asked to lose.
fn troubles(args: &Args, done: &Done) -> Vec<Trouble> {
    let pairs = done.totals.pairs[0].sum.records;
    let [one, two] = done.totals.orphans.map(|amount| amount.sum.records);
    let mut troubles = Vec::new();
    if pairs == 0 && one + two > 0 {
        let hint = if args.pairing.given() {
            "are the files of the same run? mates have names that are equal or differ only in 1 and 2 at their ends"
        } else {
            "mates have the same name apart from /1 and /2; --mates names ignores comments and also pairs names that end in .1 and .2, \
             _1 and _2, :1 and :2, or -1 and -2"
        };
        let text = format!("no pairs were found: none of {} reads has a mate", one + two);
        troubles.push(Trouble { hint: Some(hint.into()), ..Trouble::new(text) });
    }
    let lost = match (&args.orphans, &args.orphans1, &args.orphans2) {
        _ if args.drop_orphans => 0,
        (Some(_), ..) => 0,
        (None, first, second) => {
            let lost = [(first, one), (second, two)].into_iter().filter(|(file, _)| file.is_none());
            lost.map(|(_, reads)| reads).sum()
        }
    };
    if lost > 0 {
        let text = match lost {
            1 => "1 read without a mate was left out".to_owned(),
            _ => format!("{lost} reads without mates were left out"),
        };
        let hint = "--orphans FILE, or --orphans1 and --orphans2, keeps them; --drop-orphans leaves them out without an error";
        troubles.push(Trouble { hint: Some(hint.into()), ..Trouble::new(text) });
    }
    troubles
}

fn summary(done: &Done, files: usize) -> Result<serde_json::Value> {
    let amount =
        |amount: Amount| serde_json::json!({ "reads": amount.sum.records, "bases": amount.bases });
    let totals = &done.totals;
    let [one, two] = totals.orphans;
    let (mut all, mut pairs) = (Amount::default(), Amount::default());
    totals.pairs.iter().for_each(|mates| pairs.add(mates));
    [&pairs, &one, &two].into_iter().for_each(|amount| all.add(amount));
    Ok(serde_json::json!({
        "mixed": files == 1,
        "input": amount(all),
        "pairs": totals.pairs[0].sum.records,
        "paired": amount(pairs),
        "orphans1": amount(one),
        "orphans2": amount(two),
        "effort": serde_json::to_value(done.effort)?,
    }))
}

/// The inputs and outputs, with what was read from and written to each.
fn sums(args: &Args, done: &Done, inputs: &[Input], opened: &Opened, pairs: usize) -> Vec<FileSum> {
    let file =
        |path: String, role, sum: Sum| FileSum { path, role, partial: false, records: sum.into() };
    let together = |sums: [Sum; 2]| {
        let [mut one, two] = sums;
        one.add(two);
        one
    };
    let of_pairs = done.totals.pairs.map(|amount| amount.sum);
    let orphans = done.totals.orphans.map(|amount| amount.sum);
    let read = [0, 1].map(|mate| together([of_pairs[mate], orphans[mate]]));
    let read = if inputs.len() == 1 { vec![together(read)] } else { read.to_vec() };
    let read = inputs.iter().zip(read).map(|(input, sum)| file(input.name(), Role::Input, sum));
    let mut written = match pairs {
        1 => vec![(Role::Output, together(of_pairs))],
        _ => of_pairs.map(|sum| (Role::Output, sum)).to_vec(),
    };
    for (path, sum) in [
        (&args.orphans1, orphans[0]),
        (&args.orphans2, orphans[1]),
        (&args.orphans, together(orphans)),
    ] {
        written.extend(path.as_ref().map(|_| (Role::Rejected, sum)));
    }
    let written = written.into_iter().enumerate();
    read.chain(written.map(|(number, (role, sum))| file(opened.name(number), role, sum))).collect()
}
