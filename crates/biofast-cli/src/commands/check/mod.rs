//! `biofast check`: is each input good to its last byte?

mod against;
mod salvage;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use biofast_fastq::pair;
use biofast_io::output::commit;
use biofast_io::{Escaped, Location, MateNaming, Notes, Options, Progress};
use biofast_ops::check::report::{CheckFileReport, CheckReport, CheckStatus};
use biofast_ops::check::{self, CheckRule, Fault, Outcome, PartialCheck};
use biofast_ops::shards::ShardPart;
use clap::ValueEnum;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::stats::readers;
use crate::console::{Bar, Console, Diagnostic};
use crate::inputs::{self, Input, Portion, Rereads};
use crate::options::{
    InFile, ManyFiles, Messages, Out, OutFile, Pairing, SeekIndexArg, SeekIndexes, ShardArg,
    Threads, keeps_mates_together,
};
use crate::output;
use crate::parts::{self, Mergeable, Part, PartOptions};
use crate::session::{Exit, Session};
use crate::watch::describe;

/// Fully validate files: checksums, truncation, every record, mates, sort order
///
/// Reads FASTQ and FASTA (plain, gzip, BGZF, zstd, bzip2 or xz), BAM, SAM and CRAM. Formats are detected from content.
/// For other compressed files, only the compression is checked.
///
/// Prints a line for each file: path, status, format, number of records, and the first fault with its record and
/// position. Warnings don't make a file faulty.
///
/// The exit code is 0 if all files are valid, 1 if a file is faulty, and 2 if a file can't be read.
#[derive(clap::Args)]
#[command(
    mut_arg("quiet", |a| a.help("Print only faulty and unreadable files, and no progress bar")),
    after_help = "\
Examples:
  biofast check *.bam *.fastq.gz
  biofast check -q run/*.bam && start-analysis
  biofast check --paired R1.fq.gz R2.fq.gz
  biofast check --against summary.json
  biofast check --json --shard 'plan.json#2' -o part2.check.json
  biofast check --repair damaged.bam -o salvaged.bam
  biofast check --repair damaged.fq.gz -o whole.fq.gz --skipped skipped.txt
  biofast check --write-index run.fq.gz   # and run.fq.gz.bsi, for `biofast shards`
  biofast check --json -X files.txt -o check.json
  curl -s https://example.org/x.bam | biofast check --expect bam

Columns (separated by tabs):
  path    status (ok, fault, error)    format    records ('-' if unknown)    message"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: ManyFiles,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,

    /// Format that the files must have [default: detected from content]
    #[arg(long = "expect", value_enum, value_name = "FORMAT")]
    format: Option<CheckFormat>,

    /// Reference sequences (FASTA) for CRAM input; without them, bases are not decoded
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    /// Treat each two files as mates: read names and counts must agree
    #[arg(long, conflicts_with = "interleaved")]
    paired: bool,

    /// Treat each file as interleaved: mates follow each other, and their names must agree
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Check that the files hold the reads listed in SUMMARY
    ///
    /// SUMMARY was written with --summary by filter, split, dedup or another command. Without FILE, all files in it are
    /// checked.
    #[arg(long, value_name = "SUMMARY", conflicts_with = "files_from")]
    against: Option<InFile>,

    /// Write all whole records of a damaged file to -o, and report what is missing
    ///
    /// The file is BAM or FASTQ. Intact BGZF blocks behind damage are found by their checksums, and records in them by their structure.
    /// Of ordinary gzip, what precedes damage is saved, and later members. If only records are broken, the others are written. What is
    /// missing is listed on standard error. OUT is written although the exit code is 1.
    #[arg(
        long,
        requires = "out",
        conflicts_with_all = [
            "json", "format", "reference", "paired", "interleaved", "against", "shard", "write_index",
            "allow_missing_eof", "files_from",
        ]
    )]
    repair: bool,

    /// With --repair: use the header of this BAM, SAM or CRAM file, as that of the damaged file is lost
    #[arg(long, value_name = "FILE", requires = "repair")]
    header: Option<InFile>,

    /// With --repair: write the text of FASTQ that is left out to FILE, behind lines that say where it was and what is wrong
    #[arg(long, value_name = "FILE", requires = "repair")]
    skipped: Option<OutFile>,

    /// With --repair: write a JSON summary to FILE, which lists what is missing
    #[arg(long, value_name = "FILE", requires = "repair")]
    summary: Option<OutFile>,

    #[command(flatten)]
    shard: ShardArg,

    #[command(flatten)]
    seek_index: SeekIndexArg,

    /// Accept BGZF (including BAM) and CRAM files without an end-of-file marker, with a warning
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
enum CheckFormat {
    /// Reads with qualities
    Fastq,
    /// Sequences without qualities
    Fasta,
    /// Alignments in BAM
    Bam,
    /// Alignments in SAM
    Sam,
    /// Alignments in CRAM
    Cram,
    /// Any content; only the compression is checked
    Any,
}

impl From<CheckFormat> for check::CheckedFormat {
    fn from(format: CheckFormat) -> check::CheckedFormat {
        match format {
            CheckFormat::Fastq => check::CheckedFormat::Fastq,
            CheckFormat::Fasta => check::CheckedFormat::Fasta,
            CheckFormat::Bam => check::CheckedFormat::Bam,
            CheckFormat::Sam => check::CheckedFormat::Sam,
            CheckFormat::Cram => check::CheckedFormat::Cram,
            CheckFormat::Any => check::CheckedFormat::Other,
        }
    }
}

/// What was found in an input; of a shard also what the report of all shards is made of.
pub(crate) struct CheckedInput {
    pub(crate) outcome: Outcome,
    pub(crate) partial: Option<PartialCheck>,
}

/// What was found in shards that follow each other.
pub(crate) struct ShardCheck {
    /// The path of the file.
    pub(crate) path: String,
    pub(crate) found: PartialCheck,
}

/// What became of a shard, as it is written.
#[derive(Serialize, Deserialize)]
pub(crate) struct ShardVerdict {
    /// The path of the file.
    pub(crate) path: String,
    /// What was found, or why the shard couldn't be read.
    pub(crate) found: Result<PartialCheck, String>,
}

impl Mergeable for ShardCheck {
    const COMMAND: &'static str = "check";
    type Payload = ShardVerdict;

    fn read(part: Part<ShardVerdict>) -> Result<(ShardCheck, Option<u64>)> {
        let ShardVerdict { path, found } = part.payload;
        let Ok(found) = found else {
            bail!("the shard couldn't be read: run `biofast check --json --shard` again");
        };
        let records = found.records();
        Ok((ShardCheck { path, found }, records))
    }

    fn append(&mut self, next: ShardCheck) -> Result<()> {
        Ok(self.found.append(next.found)?)
    }
}

/// What became of an input: what was found, or why it couldn't be read.
type Verdict = Result<CheckedInput, Diagnostic>;

/// An input, and what became of it.
pub(crate) struct Row {
    pub(crate) path: String,
    /// What it is a part of.
    pub(crate) part: Option<ShardPart>,
    pub(crate) verdict: Verdict,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if args.repair {
        return salvage::run(args, session);
    }
    args.refuse()?;
    let summary = args.against.as_deref().map(against::Summary::read).transpose()?;
    let named = summary.as_ref().filter(|_| args.inputs.files.is_empty());
    let shards = args.shard.inputs(&args.inputs.files, session)?;
    let inputs = match (shards, named.map(|summary| summary.paths(&session.console))) {
        (Some(shards), _) => shards,
        (None, Some(named)) => args.inputs.or(&named, session)?,
        (None, None) => args.inputs.inputs(session)?,
    };
    let report = args.out.open_as(args.json, session)?;
    let expected =
        summary.as_ref().map(|summary| summary.expected(&inputs, &session.console)).transpose()?;
    if args.paired {
        inputs::in_pairs(&inputs)?;
    }
    if args.interleaved {
        if args.shard.any() && inputs.len() > 1 {
            bail!("--interleaved needs a plan of one file, but this plan is of two");
        }
        keeps_mates_together(&inputs)?;
    }
    let indexes = args.seek_index.open(&inputs, session)?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&session.console, &progress, total, args.messages.quiet);
    // Mates that don't match are read again.
    let together = if args.paired { 2 } else { 1 };
    let is_read_again = args.paired || args.interleaved;
    let rereads =
        if is_read_again { Rereads::of_each(&inputs, together) } else { Default::default() };
    let mut verdicts = check_all(args, &inputs, (&progress, &indexes), session)?;
    check_pairs(args, &inputs, &rereads, &mut verdicts);
    for (expected, verdict) in expected.iter().flatten().zip(&mut verdicts) {
        if let (Some(expected), Ok(CheckedInput { outcome, .. })) = (expected, verdict) {
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
            let name = match row.path.as_str() {
                "-" => "standard input".to_owned(),
                path => Escaped(path.as_bytes()).to_string(),
            };
            trouble.clone().after(&name).tell(&session.console);
            trouble.hint(&session.console);
        }
    }
    if !args.paired && !args.interleaved && !args.messages.quiet {
        tell_uneven(&rows, &session.console);
    }
    let mut outputs = indexes.of(&inputs)?;
    let text = match args.json && args.shard.any() {
        true => args.text_of_shards(&rows)?,
        false => text(&rows, args.json, args.messages.quiet)?,
    };
    outputs.push(output::filled(report, text)?);
    commit(outputs, false)?;
    Ok(exit_code(&rows))
}

impl Args {
    /// What was found in a shard, in the form of parts.
    fn text_of_shards(&self, rows: &[Row]) -> Result<String> {
        let options = PartOptions::from_iter([
            ("paired".into(), self.paired.into()),
            ("interleaved".into(), self.interleaved.into()),
            ("allow-missing-eof".into(), self.allow_missing_eof.into()),
        ]);
        let part = |row: &Row| {
            let found = match &row.verdict {
                Ok(found) => Ok(found.partial.clone().context("not a shard")?),
                Err(trouble) => Err(trouble.text.clone()),
            };
            let payload = ShardVerdict { path: row.path.clone(), found };
            Ok(Part { shard: row.part.clone().context("not a shard")?, payload })
        };
        parts::text::<ShardCheck>(options, rows.iter().map(part).collect::<Result<_>>()?)
    }

    /// Refuses what doesn't go with a shard.
    fn refuse(&self) -> Result<()> {
        let shard = &self.shard;
        shard.refuse(self.against.is_some(), "--against", "a summary covers whole files")?;
        shard.refuse(
            self.format.is_some(),
            "--expect",
            "the plan states the format of its files",
        )?;
        shard.refuse(
            self.inputs.files_from.is_some(),
            "--files-from",
            "the plan already names its files",
        )?;
        let of_wholes = "an index covers the whole file: use `biofast index` or leave out --shard";
        self.seek_index.refuse(shard.any(), "--shard", of_wholes)?;
        let is_other = self.format.is_some_and(|format| !matches!(format, CheckFormat::Fastq));
        self.seek_index.refuse(is_other, "--expect", "only FASTQ can have a seek index")
    }
}

/// Says which files look like those of mates by their names, and have different numbers of reads.
fn tell_uneven(rows: &[Row], console: &Console) {
    let reads = |row: &Row| {
        let outcome = &row.verdict.as_ref().ok()?.outcome;
        let is_good = outcome.fault.is_none() && outcome.format == check::CheckedFormat::Fastq;
        outcome.records.filter(|_| is_good)
    };
    for files in rows.windows(2) {
        let [first, second] = files else { continue };
        let (Some(one), Some(two)) = (reads(first), reads(second)) else { continue };
        if one != two && inputs::are_named_as_mates(&first.path, &second.path) {
            let [first, second] = [first, second].map(|row| Escaped(row.path.as_bytes()));
            console.warning(&format!("{first} has {one} reads, but {second} has {two}"));
            console.hint("to check them as mates add --paired");
        }
    }
}

/// 0 if all is good, 1 if something is faulty, 2 if something couldn't be read.
pub(crate) fn exit_code(rows: &[Row]) -> Exit {
    let worst = rows.iter().map(|row| row.status()).max_by_key(|status| *status as u8);
    match worst {
        None | Some(CheckStatus::Ok) => Exit::Fine,
        Some(CheckStatus::Fault) => Exit::CheckFailed,
        Some(CheckStatus::Error) => Exit::Failed,
    }
}

impl Row {
    fn status(&self) -> CheckStatus {
        match &self.verdict {
            Err(_) => CheckStatus::Error,
            Ok(CheckedInput { outcome: Outcome { fault: Some(_), .. }, .. }) => CheckStatus::Fault,
            Ok(_) => CheckStatus::Ok,
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
fn check_all(
    args: &Args,
    inputs: &[Input],
    follow: Followers<'_>,
    session: &Session,
) -> Result<Vec<Verdict>> {
    let threads = args.threads.total();
    let lengths: Vec<Option<u64>> = inputs.iter().map(Input::len).collect();
    let at_once = readers(threads, &lengths);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build()?;
    Ok(pool.install(|| {
        let inputs = inputs.par_iter().with_max_len(1);
        inputs
            .map(|input| {
                let reader = rayon::current_thread_index().unwrap_or(0);
                let share = (threads / at_once + usize::from(reader < threads % at_once)).max(1);
                check_one(args, input, share, follow, session)
            })
            .collect()
    }))
}

fn check_one(
    args: &Args,
    input: &Input,
    threads: usize,
    (progress, indexes): Followers<'_>,
    session: &Session,
) -> Verdict {
    let io = Options {
        threads,
        progress: Some(Arc::clone(progress)),
        notes: Some(Arc::new(Notes::default())),
        ..args.pairing.apply(args.threads.options())
    };
    let io = session.watched(io);
    let pairs = args.paired || args.interleaved;
    let options = check::Options {
        io: &io,
        reference: args.reference.as_deref().map(Path::to_owned),
        allow_missing_eof: args.allow_missing_eof,
        pairs,
        checksum: args.against.is_some(),
        expected: match args.format {
            None if pairs => Some(check::CheckedFormat::Fastq),
            format => format.map(Into::into),
        },
    };
    let result = match input {
        Input::Shard(Portion { plan, number, file, path }) => {
            check::check_shard(plan, *number, *file, path, &options)
                .map(|(outcome, partial)| CheckedInput { outcome, partial: Some(partial) })
        }
        _ => {
            let mut source =
                input.open().map_err(|error| without_name(&error, error.at(), error.kind()))?;
            let quiet = args.messages.quiet;
            inputs::tell_unused_reference(
                &session.console,
                args.reference.as_deref(),
                &mut source,
                quiet,
            );
            let source = indexes.follow(input, source);
            check::check(source, &options).map(|outcome| CheckedInput { outcome, partial: None })
        }
    };
    if result.as_ref().is_ok_and(|found| found.outcome.fault.is_none()) {
        indexes.is_good(input);
    }
    if args.messages.verbose {
        let format = result.as_ref().ok().map(|found| found.outcome.format.name());
        describe(&session.console, input, format, &io, args.threads.asked());
    }
    result.map_err(|error| match &error {
        check::Error::Io(error) => without_name(error, error.at(), error.kind()),
        check::Error::Alignments(error) => without_name(error, error.at(), error.kind()),
        _ => Diagnostic::of(&error),
    })
}

/// An error without the name of its input, which stands before it anyway.
fn without_name<E: std::error::Error + 'static>(
    error: &E,
    at: &Location,
    what: &impl std::fmt::Display,
) -> Diagnostic {
    let text = match (Location { name: None, ..at.clone() }) {
        at if at == Location::default() => what.to_string(),
        at => format!("{at}: {what}"),
    };
    Diagnostic { text, ..Diagnostic::of(error) }
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
    found: Result<Option<Fault>, biofast_io::Error>,
) {
    for (input, verdict) in inputs.iter().zip(verdicts) {
        match (&found, &mut *verdict) {
            (Ok(Some(fault)), Ok(found)) => found.set_mates(fault.clone()),
            (Ok(_), _) => {}
            (Err(error), _) if error.at().name.as_deref() == Some(&*input.name()) => {
                *verdict = Err(without_name(error, error.at(), error.kind()));
            }
            // Its mates are gone.
            (Err(error), _) => *verdict = Err(Diagnostic::of(error)),
        }
    }
}

impl CheckedInput {
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
    find: impl FnOnce() -> Result<Option<biofast_fastq::Error>, biofast_fastq::Error>,
) -> Result<Option<Fault>, biofast_io::Error> {
    let general = |note: &str| Fault {
        rule: CheckRule::Pairs,
        message: format!("the files don't pair up: read names or counts differ{note}"),
        at: Location::default(),
    };
    if inputs.iter().any(|input| input.len().is_none()) {
        return Ok(Some(general(" (a stream can't be read again to find where)")));
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
        if quiet && status == CheckStatus::Ok {
            continue;
        }
        let (format, records, message) = match &row.verdict {
            Err(trouble) => ("-", None, trouble.text.clone()),
            Ok(CheckedInput { outcome, .. }) => {
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
    let entry = |row: &Row| match &row.verdict {
        Ok(CheckedInput { outcome, .. }) => CheckFileReport::new(&row.path, outcome),
        Err(trouble) => CheckFileReport::unreadable(&row.path, &trouble.text),
    };
    let files = rows.iter().map(entry).collect();
    let mut text = serde_json::to_string(&CheckReport::new(env!("CARGO_PKG_VERSION"), files))?;
    text.push('\n');
    Ok(text)
}
