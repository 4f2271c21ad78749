//! `biofast repair`: mates that have lost each other become pairs.

use anyhow::Result;
use biofast_fastq::Inputs;
use biofast_io::{Shown, Source};
use biofast_ops::filter::report::FileRole;
use biofast_ops::measure::records::Sum;
use biofast_ops::number::counted;
use biofast_ops::repair::{self, RepairOutputs, RepairResult, Sources};
use biofast_ops::split::SplitAmount;

use crate::console::{Console, Diagnostic};
use crate::inputs::{self, Input, Layout};
use crate::options::{InFile, OutFile, Pairing, PairsOut, ReadsOut, Spill};
use crate::reads_job::{FileSums, ReadsJob, ReadsOptions};
use crate::session::{Exit, Session};

/// Re-pair mates from two files, or from one mixed file
///
/// Mates have the same name, apart from /1 and /2. Pairs are written in the order of their first reads, and reads
/// without mates in input order. FASTA stays FASTA.
///
/// The input is read twice. Files in nearly the same order need little memory. For others, data beyond the memory limit
/// are spilled to temporary files. The result doesn't depend on the number of threads or the memory limit.
///
/// The exit code is 1 if there are reads but no pairs, or if there are reads without mates that no option writes or
/// drops. The outputs are complete in both cases.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast repair R1.fq.gz R2.fq.gz -o p1.fq.gz --out2 p2.fq.gz
  biofast repair R1.fq.gz R2.fq.gz -o p1.fq.gz --out2 p2.fq.gz --orphans1 s1.fq --orphans2 s2.fq
  biofast repair mixed.fq.gz -o p1.fq.gz --out2 p2.fq.gz --orphans s.fq.gz --summary repair.json
  biofast repair R1.fq.gz R2.fq.gz | biofast filter --interleaved - -o f1.fq.gz --out2 f2.fq.gz")]
pub(crate) struct Args {
    /// Files of first and second reads, or one file of both in any order; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    #[command(flatten)]
    pairing: Pairing,

    /// Write pairs to FILE [default: standard output]
    ///
    /// Without --out2, pairs are interleaved. Two input files then need --interleaved-out, except on standard output.
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Write second reads to FILE
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

    /// Write all reads without mates to FILE; reads the input once more
    ///
    /// They are in the order of a mixed input. With two inputs, first reads come before second reads.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["orphans1", "orphans2"])]
    orphans: Option<OutFile>,

    /// Drop reads without mates that no option writes; otherwise, they cause exit code 1
    #[arg(long, conflicts_with = "orphans")]
    drop_orphans: bool,

    #[command(flatten)]
    writing: ReadsOut,

    #[command(flatten)]
    spill: Spill,

    #[command(flatten)]
    reading: ReadsOptions,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let (inputs, layout) = inputs::of_reads(&args.files, false, session)?;
    // One file holds both mates.
    let layout = if layout == Layout::Single { Layout::Interleaved } else { layout };
    let mut job = args.reading.job((inputs, layout), &args.pairing, session);
    args.pairs_out.refuse(layout, args.out.as_deref(), args.out2.is_some())?;
    let sources = match job.open_rereadable()? {
        Inputs::Paired(one, two) => Sources::Two(one, two),
        Inputs::Interleaved(one) | Inputs::Single(one) => Sources::Mixed(one),
    };
    let others = [&args.out2, &args.orphans1, &args.orphans2, &args.orphans];
    let mut opened = args.writing.open(&args.out, &others, job.is_fasta(), session)?;
    let pairs = 1 + args.out2.iter().len();
    job.open_report(args.writing.json.as_deref(), session, &mut opened.outputs)?;
    let names = opened.names();
    let mut orphans = opened.outputs.split_off(pairs).into_iter();
    let mut next = |path: &Option<OutFile>| path.as_ref().and_then(|_| orphans.next());
    let (one, two) = (next(&args.orphans1), next(&args.orphans2));
    let all_orphans = next(&args.orphans);
    let outputs = RepairOutputs { pairs: opened.outputs, orphans: [one, two], all_orphans };
    let limits = args.spill.limits(args.out.as_deref());
    let mut done = job.run(|options| repair::repair(sources, options, &limits, outputs))?;
    let sums = sums(args, &done, &job, names.split_at(pairs));
    let outputs = std::mem::take(&mut done.outputs);
    let summary = (summary(&done, job.inputs().len())?, sums);
    let inputs = job.inputs().to_vec();
    job.finish(outputs, args.writing.sync, summary, |console| tell(console, &done))?;
    let troubles = troubles(args, &done, &inputs);
    for trouble in &troubles {
        trouble.tell(&session.console);
        trouble.hint(&session.console);
    }
    Ok(if troubles.is_empty() { Exit::Fine } else { Exit::CheckFailed })
}

/// Says what was found.
fn tell(console: &Console, done: &RepairResult) {
    let pairs = done.totals.pairs[0].sum.records;
    let [one, two] = done.totals.orphans.map(|amount| amount.sum.records);
    let (pairs, two) = (counted(pairs, "pair"), counted(two, "second read"));
    console.note(&format!("{pairs}; {one} first and {two} without a mate"));
    if done.effort.stored_bytes > 0 {
        let bytes = done.effort.stored_bytes;
        console.note(&format!("{bytes} bytes were spilled to temporary files"));
    }
}

/// The name of the first read of a file, if it can be read again.
fn first_name(input: &Input) -> Option<String> {
    let Input::Path(path) = input else { return None };
    let start = path.is_file().then(|| Source::open(path).ok()?.peek(300).ok())??;
    let line = start.strip_prefix(b"@")?.split(|byte| b" \t\r\n".contains(byte)).next()?;
    Some(format!("'{}'", Shown(line)))
}

/// What makes the result doubtful: nothing was paired, or reads are lost that nobody asked to lose.
fn troubles(args: &Args, done: &RepairResult, inputs: &[Input]) -> Vec<Diagnostic> {
    let pairs = done.totals.pairs[0].sum.records;
    let [one, two] = done.totals.orphans.map(|amount| amount.sum.records);
    let mut troubles = Vec::new();
    let has_no_pairs = pairs == 0 && one + two > 0;
    if has_no_pairs {
        let hint = if args.pairing.given() {
            "are the files of the same run? mates have names that are equal or differ only in 1 and 2 at their ends"
        } else {
            "mates have the same name apart from /1 and /2; --mates names ignores comments and also pairs names that end in .1 and .2, \
             _1 and _2, :1 and :2, or -1 and -2"
        };
        let mut text = format!("no pairs found among {}", counted(one + two, "read"));
        let names: Vec<String> = inputs.iter().filter_map(first_name).collect();
        if !names.is_empty() {
            text += &format!(": first names are {}", names.join(" and "));
        }
        troubles.push(Diagnostic { hint: Some(hint.into()), ..Diagnostic::new(text) });
    }
    let lost = match (&args.orphans, &args.orphans1, &args.orphans2) {
        _ if args.drop_orphans => 0,
        (Some(_), ..) => 0,
        (None, first, second) => {
            let lost = [(first, one), (second, two)].into_iter().filter(|(file, _)| file.is_none());
            lost.map(|(_, reads)| reads).sum()
        }
    };
    // Without any pairs, what to do with the other reads is the lesser question.
    if lost > 0 && !has_no_pairs {
        let text = match lost {
            1 => "1 read without a mate was dropped".to_owned(),
            _ => format!("{lost} reads without a mate were dropped"),
        };
        let hint = "keep them with --orphans FILE (or --orphans1 and --orphans2); to drop them without an error add --drop-orphans";
        troubles.push(Diagnostic { hint: Some(hint.into()), ..Diagnostic::new(text) });
    }
    troubles
}

fn summary(done: &RepairResult, files: usize) -> Result<serde_json::Value> {
    let amount = |amount: SplitAmount| serde_json::json!({ "reads": amount.sum.records, "bases": amount.bases });
    let totals = &done.totals;
    let [one, two] = totals.orphans;
    let (mut all, mut pairs) = (SplitAmount::default(), SplitAmount::default());
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
fn sums(
    args: &Args,
    done: &RepairResult,
    job: &ReadsJob<'_>,
    (pairs, orphans): (&[String], &[String]),
) -> FileSums {
    let of_pairs = done.totals.pairs.map(|amount| amount.sum);
    let [one, two] = done.totals.orphans.map(|amount| amount.sum);
    let together = |mut sum: Sum, other| {
        sum.add(other);
        sum
    };
    let read = [together(of_pairs[0], one), together(of_pairs[1], two)];
    let mut sums = job.sums(read).mates(FileRole::Output, pairs, of_pairs);
    let written =
        [(&args.orphans1, one), (&args.orphans2, two), (&args.orphans, together(one, two))];
    let written = written.into_iter().filter_map(|(path, sum)| path.as_ref().map(|_| sum));
    let written = orphans.iter().cloned().zip(written);
    sums.extend(written.map(|(name, sum)| (name, FileRole::Rejected, sum)));
    sums
}
