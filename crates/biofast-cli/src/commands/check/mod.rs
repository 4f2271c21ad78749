//! `biofast check`: is each input good to its last byte?

mod against;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::fastq::pair;
use biofast::io::output::{Files, commit};
use biofast::io::{Escaped, Location, MateNaming, Notes, Options, Progress};
use biofast::ops::check::report::{FileReport, Report, Status};
use biofast::ops::check::{self, Fault, Outcome, Partial, Rule};
use biofast::ops::shards::Part;
use clap::ValueEnum;
use rayon::prelude::*;

use super::stats::readers;
use crate::console::{Bar, Trouble, describe};
use crate::inputs::{self, Input, Portion, Rereads};
use crate::options::{
    InFile, ManyFiles, Messages, Out, Pairing, SeekIndexArg, SeekIndexes, ShardArg, Threads,
    keeps_mates_together,
};
use crate::output;

/// Check files of reads and alignments to the last byte: checksums, lengths, ends, every record,
/// the order the header claims
///
/// Reads FASTQ and FASTA (plain, gzip, BGZF, zstd, bzip2 or xz), BAM, SAM and CRAM, recognised by their content;
/// of other compressed files, only the compression is checked. Prints one line per file: path, status,
/// format, number of records, and the first fault with its record and place. Warnings don't make a
/// file faulty.
///
/// The exit code is 0 if all files are good, 1 if one is faulty, 2 if one can't be read.
#[derive(clap::Args)]
#[command(
    mut_arg("quiet", |a| a.help("Print lines of faulty and unreadable files only; no progress bar")),
    after_help = "\
Examples:
  biofast check *.bam *.fastq.gz
  biofast check -q run/*.bam && start-analysis
  biofast check --paired R1.fq.gz R2.fq.gz
  biofast check --against summary.json
  biofast check --json --shard 'plan.json#2' -o part2.check.json
  biofast check --write-index run.fq.gz   # and run.fq.gz.bsi, for `biofast shards`
  biofast check --json -X files.txt -o check.json
  curl -s https://example.org/x.bam | biofast check --format bam

Columns, separated by tabs:
  path    status (ok, fault, error)    format    records ('-' if unknown)    message"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: ManyFiles,

    /// Print everything as JSON
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

    /// Each file is interleaved: mates follow each other, and their names must agree
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Compare the files with this summary, which `--json` of filter, split, dedup and others wrote: they must hold the reads it says.
    /// Without FILE, all files that it names are checked
    #[arg(long, value_name = "SUMMARY", conflicts_with = "files_from")]
    against: Option<InFile>,

    #[command(flatten)]
    shard: ShardArg,

    #[command(flatten)]
    seek_index: SeekIndexArg,

    /// Accept BGZF (including BAM) and CRAM without the end-of-file marker, with a warning
    #[arg(long)]
    allow_missing_eof: bool,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Reads
    Fastq,
    /// Sequences without qualities
    Fasta,
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
            Format::Fasta => check::Format::Fasta,
            Format::Bam => check::Format::Bam,
            Format::Sam => check::Format::Sam,
            Format::Cram => check::Format::Cram,
            Format::Any => check::Format::Other,
        }
    }
}

/// What was found in an input; of a shard also what the report of all shards is made of.
pub(crate) struct Found {
    pub(crate) outcome: Outcome,
    pub(crate) partial: Option<Partial>,
}

/// What became of an input: what was found, or why it couldn't be read.
type Verdict = Result<Found, Trouble>;

/// An input, and what became of it.
pub(crate) struct Row {
    pub(crate) path: String,
    /// What it is a part of.
    pub(crate) part: Option<Part>,
    pub(crate) verdict: Verdict,
}

pub(crate) fn run(args: &Args, run: &mut Files) -> Result<ExitCode> {
    args.refuse()?;
    let summary = args.against.as_deref().map(against::Summary::read).transpose()?;
    let named = summary.as_ref().filter(|_| args.inputs.files.is_empty());
    let shards = args.shard.inputs(&args.inputs.files, run)?;
    let inputs = match (shards, named.map(against::Summary::paths)) {
        (Some(shards), _) => shards,
        (None, Some(named)) => args.inputs.or(&named, run)?,
        (None, None) => args.inputs.inputs(run)?,
    };
    let report = args.out.open(run)?;
    let expected = summary.as_ref().map(|summary| summary.expected(&inputs)).transpose()?;
    if args.paired {
        inputs::in_pairs(&inputs)?;
    }
    if args.interleaved {
        if args.shard.any() && inputs.len() > 1 {
            bail!("--interleaved takes a plan of one file, and this one is of two");
        }
        keeps_mates_together(&inputs)?;
    }
    let indexes = args.seek_index.open(&inputs, run)?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&progress, total, args.messages.quiet);
    // Mates that don't match are read again.
    let together = if args.paired { 2 } else { 1 };
    let is_read_again = args.paired || args.interleaved;
    let rereads =
        if is_read_again { Rereads::of_each(&inputs, together) } else { Default::default() };
    let mut verdicts = check_all(args, &inputs, (&progress, &indexes))?;
    check_pairs(args, &inputs, &rereads, &mut verdicts);
    for (expected, verdict) in expected.iter().flatten().zip(&mut verdicts) {
        if let (Some(expected), Ok(Found { outcome, .. })) = (expected, verdict) {
            outcome.compare(expected);
        }
    }
    drop(bar);
    let row = |(input, verdict): (&Input, Verdict)| {
        let (path, part) = (input.name(), input.part());
        Row { path, part, verdict }
    };
    let rows: Vec<Row> = inputs.iter().zip(verdicts).map(row).collect();
    for row in &rows {
        if let Err(trouble) = &row.verdict {
            trouble.clone().after(&Escaped(row.path.as_bytes()).to_string()).tell();
            trouble.hint();
        }
    }
    let mut outputs = indexes.of(&inputs)?;
    outputs.push(output::filled(report, text(&rows, args.json, args.messages.quiet)?)?);
    commit(outputs, false)?;
    Ok(exit_code(&rows))
}

impl Args {
    /// Refuses what doesn't go with a shard.
    fn refuse(&self) -> Result<()> {
        let shard = &self.shard;
        shard.refuse(self.against.is_some(), "--against", "a summary is of whole files")?;
        shard.refuse(self.format.is_some(), "--format", "the plan says what its files hold")?;
        shard.refuse(
            self.inputs.files_from.is_some(),
            "--files-from",
            "the plan names its files",
        )?;
        let of_wholes =
            "an index is of a whole file, which `biofast index` or a run without --shard reads";
        self.seek_index.refuse(shard.any(), "--shard", of_wholes)?;
        let is_other = self.format.is_some_and(|format| !matches!(format, Format::Fastq));
        self.seek_index.refuse(is_other, "--format", "only FASTQ has a seek index")
    }
}

/// 0 if all is good, 1 if something is faulty, 2 if something couldn't be read.
pub(crate) fn exit_code(rows: &[Row]) -> ExitCode {
    let worst = rows.iter().map(|row| row.status()).max_by_key(|status| *status as u8);
    ExitCode::from(match worst {
        None | Some(Status::Ok) => 0,
        Some(Status::Fault) => 1,
        Some(Status::Error) => 2,
    })
}

impl Row {
    fn status(&self) -> Status {
        match &self.verdict {
            Err(_) => Status::Error,
            Ok(Found { outcome: Outcome { fault: Some(_), .. }, .. }) => Status::Fault,
            Ok(_) => Status::Ok,
        }
    }
}

/// The report: JSON, or a line a file, without those of good ones if `quiet`.
pub(crate) fn text(rows: &[Row], as_json: bool, quiet: bool) -> Result<String> {
    if as_json { json(rows) } else { Ok(lines(rows, quiet)) }
}

/// Who follows the reading.
type Followers<'a> = (&'a Arc<Progress>, &'a SeekIndexes);

/// Checks several inputs side by side, the threads shared among them as `stats` does it.
fn check_all(args: &Args, inputs: &[Input], follow: Followers<'_>) -> Result<Vec<Verdict>> {
    let threads = args.threads.total();
    let lengths: Vec<Option<u64>> = inputs.iter().map(Input::len).collect();
    let at_once = readers(threads, &lengths);
    let pool = crate::embedded::pool(at_once)?;
    Ok(pool.install(|| {
        let inputs = inputs.par_iter().with_max_len(1);
        inputs
            .map(|input| {
                let reader = rayon::current_thread_index().unwrap_or(0);
                let share = (threads / at_once + usize::from(reader < threads % at_once)).max(1);
                check_one(args, input, share, follow)
            })
            .collect()
    }))
}

fn check_one(
    args: &Args,
    input: &Input,
    threads: usize,
    (progress, indexes): Followers<'_>,
) -> Verdict {
    let io = Options {
        threads,
        progress: Some(Arc::clone(progress)),
        notes: Some(Arc::new(Notes::default())),
        ..args.pairing.apply(args.threads.options())
    };
    let io = crate::embedded::watched(io);
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
    let result = match input {
        Input::Shard(Portion { plan, number, file, path }) => {
            check::check_shard(plan, *number, *file, path, &options)
                .map(|(outcome, partial)| Found { outcome, partial: Some(partial) })
        }
        _ => {
            let mut source =
                input.open().map_err(|error| without_name(&error, error.at(), error.kind()))?;
            let quiet = args.messages.quiet;
            inputs::tell_unused_reference(args.reference.as_deref(), &mut source, quiet);
            let source = indexes.follow(input, source);
            check::check(source, &options).map(|outcome| Found { outcome, partial: None })
        }
    };
    if result.as_ref().is_ok_and(|found| found.outcome.fault.is_none()) {
        indexes.is_good(input);
    }
    if args.messages.verbose {
        let format = result.as_ref().ok().map(|found| found.outcome.format.name());
        describe(input, format, &io, args.threads.asked());
    }
    result.map_err(|error| match &error {
        check::Error::Io(error) => without_name(error, error.at(), error.kind()),
        check::Error::Alignments(error) => without_name(error, error.at(), error.kind()),
        _ => Trouble::of(&error),
    })
}

/// An error without the name of its input, which stands before it anyway.
fn without_name<E: std::error::Error + 'static>(
    error: &E,
    at: &Location,
    what: &impl std::fmt::Display,
) -> Trouble {
    let text = match (Location { name: None, ..at.clone() }) {
        at if at == Location::default() => what.to_string(),
        at => format!("{at}: {what}"),
    };
    Trouble { text, ..Trouble::of(error) }
}

/// Sets the fault of inputs whose reads are not the mates they should be. `rereads` are those of two files each, or of one.
fn check_pairs(args: &Args, inputs: &[Input], rereads: &[Rereads], verdicts: &mut [Verdict]) {
    let options = Options { threads: 2, strict: false, ..Options::default() };
    let options = args.pairing.apply(options);
    if args.paired {
        let pairs = inputs.chunks_exact(2).zip(rereads).zip(verdicts.chunks_exact_mut(2));
        for ((inputs, rereads), verdicts) in pairs {
            let [Ok(first), Ok(second)] = &*verdicts else { continue };
            let pairs = (&first.outcome.pairs, &second.outcome.pairs);
            let (Some(pairs), Some(mates)) = pairs else { continue };
            if !pairs.pairs_with(mates) {
                let fault = explain(inputs, rereads, options.mates, || {
                    pair::find_mismatch(inputs[0].open()?, inputs[1].open()?, &options)
                });
                set_mates(inputs, verdicts, fault);
            }
        }
    } else if args.interleaved {
        let inputs = inputs.chunks_exact(1).zip(rereads).zip(verdicts.chunks_exact_mut(1));
        for ((inputs, rereads), verdicts) in inputs {
            let [Ok(found)] = &*verdicts else { continue };
            if found.outcome.pairs.is_some_and(|pairs| !pairs.is_interleaved()) {
                let fault = explain(inputs, rereads, options.mates, || {
                    pair::find_interleaved_mismatch(inputs[0].open()?, &options)
                });
                set_mates(inputs, verdicts, fault);
            }
        }
    }
}

/// Sets what a second reading found of inputs: the fault of their mates, or that they are no longer what was judged.
fn set_mates(
    inputs: &[Input],
    verdicts: &mut [Verdict],
    found: Result<Option<Fault>, biofast::io::Error>,
) {
    for (input, verdict) in inputs.iter().zip(verdicts) {
        match (&found, &mut *verdict) {
            (Ok(Some(fault)), Ok(found)) => found.set_mates(fault.clone()),
            (Ok(_), _) => {}
            (Err(error), _) if error.at().name.as_deref() == Some(&*input.name()) => {
                *verdict = Err(without_name(error, error.at(), error.kind()));
            }
            // Its mates are gone.
            (Err(error), _) => *verdict = Err(Trouble::of(error)),
        }
    }
}

impl Found {
    /// Says that the mates aren't what they should be.
    fn set_mates(&mut self, fault: Fault) {
        if let Some(partial) = &mut self.partial {
            partial.set_mates(&fault);
        }
        self.outcome.fault = Some(fault);
    }
}

/// Reads inputs that don't seem to pair a second time, to say where. By names alone that decides.
///
/// # Errors
/// If they are no longer what they were.
fn explain(
    inputs: &[Input],
    rereads: &Rereads,
    rule: MateNaming,
    find: impl FnOnce() -> Result<Option<biofast::fastq::Error>, biofast::fastq::Error>,
) -> Result<Option<Fault>, biofast::io::Error> {
    let general = |note: &str| Fault {
        rule: Rule::Pairs,
        message: format!("the reads are not mates: their names or numbers differ{note}"),
        at: Location::default(),
    };
    if inputs.iter().any(|input| input.len().is_none()) {
        return Ok(Some(general(" (a stream can't be read again to say where)")));
    }
    let found = find();
    rereads.check()?;
    Ok(match found {
        Ok(Some(mismatch)) => {
            let mut fault = Fault::from(mismatch);
            if let Some(Input::Shard(Portion { plan, number, .. })) = inputs.first() {
                // As the reads are numbered in the whole file.
                let first = plan.shard(*number).map_or(0, |shard| shard.records.0);
                fault.at.record = fault.at.record.map(|record| record + first);
            }
            Some(fault)
        }
        Ok(None) if rule == MateNaming::Names => None,
        Ok(None) | Err(_) => Some(general("")),
    })
}

/// A line a file.
fn lines(rows: &[Row], quiet: bool) -> String {
    let mut out = String::new();
    for row in rows {
        let status = row.status();
        if quiet && status == Status::Ok {
            continue;
        }
        let (format, records, message) = match &row.verdict {
            Err(trouble) => ("-", None, trouble.text.clone()),
            Ok(Found { outcome, .. }) => {
                let fault = outcome.fault.iter().map(ToString::to_string);
                let warnings = outcome.warnings.iter().map(|w| format!("warning: {w}"));
                let message: Vec<String> = fault.chain(warnings).collect();
                (outcome.format.name(), outcome.records, message.join("; "))
            }
        };
        let records = records.map_or("-".to_owned(), |n| n.to_string());
        out += &format!(
            "{}\t{}\t{format}\t{records}\t{}\n",
            Escaped(row.path.as_bytes()),
            status.name(),
            Escaped(message.as_bytes())
        );
    }
    out
}

fn json(rows: &[Row]) -> Result<String> {
    let entry = |row: &Row| {
        let (report, partial) = match &row.verdict {
            Ok(Found { outcome, partial }) => {
                (FileReport::new(&row.path, outcome), partial.clone())
            }
            Err(trouble) => (FileReport::unreadable(&row.path, &trouble.text), None),
        };
        FileReport { shard: row.part.clone(), partial, ..report }
    };
    let files = rows.iter().map(entry).collect();
    let mut text = serde_json::to_string(&Report::new(env!("CARGO_PKG_VERSION"), files))?;
    text.push('\n');
    Ok(text)
}
