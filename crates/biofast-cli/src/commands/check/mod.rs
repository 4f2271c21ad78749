//! `biofast check`: is each input good to its last byte?

mod against;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use biofast::fastq::pair;
use biofast::io::output::Files;
use biofast::io::{Escaped, Location, Notes, Options, Progress};
use biofast::ops::check::report::{FileReport, Report, Status};
use biofast::ops::check::{self, Fault, Outcome, Rule};
use clap::ValueEnum;
use rayon::prelude::*;

use super::stats::readers;
use crate::console::{Bar, describe, message};
use crate::inputs::{self, Input};
use crate::options::{self, InFile, OutFile};
use crate::output;

/// Check files of reads and alignments to the last byte: checksums, lengths, ends, every record,
/// the order the header claims
///
/// Reads FASTQ (plain, gzip, BGZF, zstd, bzip2 or xz), BAM, SAM and CRAM, recognised by content; of
/// other compressed files the compression is checked. Prints a line a file: path, status, format,
/// records and, of a fault, the first one with its record and place. Warnings don't make a file
/// faulty.
///
/// The exit code is 0 if all files are good, 1 if one is faulty, 2 if one can't be read.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast check *.bam *.fastq.gz
  biofast check -q run/*.bam && start-analysis
  biofast check --paired R1.fq.gz R2.fq.gz
  biofast check --against summary.json
  biofast check --json -X files.txt -o check.json
  curl -s https://example.org/x.bam | biofast check --format bam

Columns, separated by tabs:
  path    status (ok, fault, error)    format    records ('-' if unknown)    message")]
pub(crate) struct Args {
    /// Files to check; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more file names from FILE, one a line
    #[arg(short = 'X', long, value_name = "FILE")]
    files_from: Option<InFile>,

    /// Everything, as JSON
    #[arg(long)]
    json: bool,

    /// What the files must hold [default: what their content says]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// Reference sequences of CRAM, in FASTA; without them bases are not decoded
    #[arg(short, long, value_name = "FASTA")]
    reference: Option<InFile>,

    /// Take the files two by two as mates: names and numbers of reads must agree
    #[arg(long, conflicts_with = "interleaved")]
    paired: bool,

    /// Each file holds mates one after the other: their names must agree
    #[arg(long)]
    interleaved: bool,

    /// The files must hold the reads that this summary of `biofast filter --json` says they hold;
    /// without FILE, all the files it names are checked
    #[arg(long, value_name = "SUMMARY", conflicts_with = "files_from")]
    against: Option<InFile>,

    /// Accept BGZF (BAM among it) and CRAM without the end-of-file marker, with a warning
    #[arg(long)]
    allow_missing_eof: bool,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,

    /// Name of standard input in the results
    #[arg(long, value_name = "LABEL", default_value = "-")]
    stdin_label: String,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = options::threads)]
    threads: Option<std::num::NonZeroUsize>,

    /// Print lines of faulty and unreadable files only; no progress bar
    #[arg(short, long)]
    quiet: bool,

    /// Say how each input was read, and why so: source, container, decoder, threads, kernels
    #[arg(short, long)]
    verbose: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<std::num::NonZeroUsize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Reads
    Fastq,
    /// Alignments, binary
    Bam,
    /// Alignments, text
    Sam,
    /// Alignments against a reference
    Cram,
    /// Anything: only the compression is checked
    Any,
}

impl From<Format> for check::Format {
    fn from(format: Format) -> check::Format {
        match format {
            Format::Fastq => check::Format::Fastq,
            Format::Bam => check::Format::Bam,
            Format::Sam => check::Format::Sam,
            Format::Cram => check::Format::Cram,
            Format::Any => check::Format::Other,
        }
    }
}

/// What became of an input: what was found, or why it couldn't be read.
type Verdict = Result<Outcome, String>;

pub(crate) fn run(args: &Args, run: &mut Files) -> Result<ExitCode> {
    let summary = args.against.as_deref().map(against::Summary::read).transpose()?;
    let named = summary.as_ref().filter(|_| args.files.is_empty()).map(against::Summary::paths);
    let list = args.files_from.as_deref();
    let inputs = match &named {
        Some(named) => inputs::gather(named, list, &args.stdin_label, run)?,
        None => inputs::gather(&args.files, list, &args.stdin_label, run)?,
    };
    inputs::keep_indexes(&inputs, run)?;
    let report = output::report(run, args.out.as_deref())?;
    let expected = summary.as_ref().map(|summary| summary.expected(&inputs)).transpose()?;
    if args.paired {
        inputs::in_pairs(&inputs)?;
    }
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&progress, total, args.quiet);
    let mut verdicts = check_all(args, &inputs, &progress)?;
    check_pairs(args, &inputs, &mut verdicts);
    for (expected, verdict) in expected.iter().flatten().zip(&mut verdicts) {
        if let (Some(expected), Ok(outcome)) = (expected, verdict) {
            outcome.compare(expected);
        }
    }
    drop(bar);
    let status = verdicts.iter().map(status).max_by_key(|status| *status as u8);
    for (input, verdict) in inputs.iter().zip(&verdicts) {
        if let Err(reason) = verdict {
            let error = format!("{}: {reason}", Escaped(input.name().as_bytes()));
            message("error", &error);
            crate::console::hint(&error);
        }
    }
    let text = if args.json { json(&inputs, &verdicts)? } else { lines(args, &inputs, &verdicts) };
    output::finish(report, text)?;
    Ok(ExitCode::from(match status {
        None | Some(Status::Ok) => 0,
        Some(Status::Fault) => 1,
        Some(Status::Error) => 2,
    }))
}

fn status(verdict: &Verdict) -> Status {
    match verdict {
        Err(_) => Status::Error,
        Ok(Outcome { fault: Some(_), .. }) => Status::Fault,
        Ok(_) => Status::Ok,
    }
}

/// Checks several inputs side by side, the threads shared among them as `stats` does it.
fn check_all(args: &Args, inputs: &[Input], progress: &Arc<Progress>) -> Result<Vec<Verdict>> {
    let threads = args.threads.map_or_else(biofast::io::available_threads, usize::from);
    let lengths: Vec<Option<u64>> = inputs.iter().map(Input::len).collect();
    let at_once = readers(threads, &lengths);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build()?;
    Ok(pool.install(|| {
        let inputs = inputs.par_iter().with_max_len(1);
        inputs
            .map(|input| {
                let reader = rayon::current_thread_index().unwrap_or(0);
                let share = (threads / at_once + usize::from(reader < threads % at_once)).max(1);
                check_one(args, input, share, progress)
            })
            .collect()
    }))
}

fn check_one(args: &Args, input: &Input, threads: usize, progress: &Arc<Progress>) -> Verdict {
    let io = Options {
        threads,
        progress: Some(Arc::clone(progress)),
        notes: Some(Arc::new(Notes::default())),
        ..options::options(None, args.chunk_size)
    };
    let pairs = args.paired || args.interleaved;
    let options = check::Options {
        io: &io,
        reference: args.reference.as_deref().map(Path::to_owned),
        allow_missing_eof: args.allow_missing_eof,
        pairs,
        checksum: args.against.is_some(),
        expected: match args.format {
            None if pairs => Some(check::Format::Fastq),
            format => format.map(Into::into),
        },
    };
    let source = input.open().map_err(|error| without_name(error.at(), error.kind()))?;
    let result = check::check(source, &options);
    if args.verbose {
        let format = result.as_ref().ok().map(|outcome| outcome.format.name());
        describe(input, format, &io, args.threads);
    }
    result.map_err(|error| match &error {
        check::Error::Io(error) => without_name(error.at(), error.kind()),
        check::Error::Alignments(error) => without_name(error.at(), error.kind()),
        _ => error.to_string(),
    })
}

/// An error without the name of its input, which stands before it anyway.
fn without_name(at: &Location, what: &impl std::fmt::Display) -> String {
    match (Location { name: None, ..at.clone() }) {
        at if at == Location::default() => what.to_string(),
        at => format!("{at}: {what}"),
    }
}

/// Sets the fault of inputs whose reads are not the mates they should be.
fn check_pairs(args: &Args, inputs: &[Input], verdicts: &mut [Verdict]) {
    let options = Options { threads: 2, strict: false, ..Options::default() };
    if args.paired {
        for (inputs, verdicts) in inputs.chunks_exact(2).zip(verdicts.chunks_exact_mut(2)) {
            let [Ok(first), Ok(second)] = verdicts else { continue };
            let (Some(pairs), Some(mates)) = (&first.pairs, &second.pairs) else { continue };
            if !pairs.pairs_with(mates) {
                let fault = explain(inputs, || {
                    pair::find_mismatch(inputs[0].open()?, inputs[1].open()?, &options)
                });
                first.fault = Some(fault.clone());
                second.fault = Some(fault);
            }
        }
    } else if args.interleaved {
        for (input, verdict) in inputs.iter().zip(verdicts) {
            let Ok(outcome) = verdict else { continue };
            if outcome.pairs.is_some_and(|pairs| !pairs.is_interleaved()) {
                outcome.fault = Some(explain(std::slice::from_ref(input), || {
                    pair::find_interleaved_mismatch(input.open()?, &options)
                }));
            }
        }
    }
}

/// Reads inputs that are known not to pair a second time, to say where.
fn explain(
    inputs: &[Input],
    find: impl FnOnce() -> Result<Option<biofast::fastq::Error>, biofast::fastq::Error>,
) -> Fault {
    let general = |note: &str| Fault {
        rule: Rule::Pairs,
        message: format!("the reads are not mates: their names or numbers differ{note}"),
        at: Location::default(),
    };
    if inputs.iter().any(|input| input.len().is_none()) {
        return general(" (a stream can't be read again to say where)");
    }
    match find() {
        Ok(Some(mismatch)) => Fault::from(mismatch),
        Ok(None) | Err(_) => general(""),
    }
}

/// A line a file.
fn lines(args: &Args, inputs: &[Input], verdicts: &[Verdict]) -> String {
    let mut out = String::new();
    for (input, verdict) in inputs.iter().zip(verdicts) {
        let status = status(verdict);
        if args.quiet && status == Status::Ok {
            continue;
        }
        let (format, records, message) = match verdict {
            Err(reason) => ("-", None, reason.clone()),
            Ok(outcome) => {
                let fault = outcome.fault.iter().map(ToString::to_string);
                let warnings = outcome.warnings.iter().map(|w| format!("warning: {w}"));
                let message: Vec<String> = fault.chain(warnings).collect();
                (outcome.format.name(), outcome.records, message.join("; "))
            }
        };
        let records = records.map_or("-".to_owned(), |n| n.to_string());
        out += &format!(
            "{}\t{}\t{format}\t{records}\t{}\n",
            Escaped(input.name().as_bytes()),
            status.name(),
            Escaped(message.as_bytes())
        );
    }
    out
}

fn json(inputs: &[Input], verdicts: &[Verdict]) -> Result<String> {
    let entry = |(input, verdict): (&Input, &Verdict)| match verdict {
        Ok(outcome) => FileReport::new(&input.name(), outcome),
        Err(reason) => FileReport::unreadable(&input.name(), reason),
    };
    let files = inputs.iter().zip(verdicts).map(entry).collect();
    let mut text = serde_json::to_string(&Report::new(env!("CARGO_PKG_VERSION"), files))?;
    text.push('\n');
    Ok(text)
}
