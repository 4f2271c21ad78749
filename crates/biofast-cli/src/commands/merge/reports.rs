//! Reports of parts to the report of the whole.

use std::collections::HashSet;

use anyhow::{Context, Result, bail};
use biofast_bam::Format;
use biofast_io::TextBounds;
use biofast_io::output::Output;
use biofast_ops::alignments::join::AlignmentJoin;
use biofast_ops::alignments::report as alignments;
use biofast_ops::check::report as check_report;
use biofast_ops::flagstat::FlagStat;
use biofast_ops::reads::Collector;
use biofast_ops::reads::report as reads;
use biofast_ops::shards::{Cover, ShardPart, ShardRun};
use biofast_report::samtools::{flagstat, idxstats};
use serde_json::Value;

use super::Args;
use super::checks::{self, Checks};
use crate::commands::check;
use crate::commands::counts::idxstats::SHARD;
use crate::commands::coverage::parts as coverage;
use crate::commands::stats::{self, Entry, Figures, NeededFigures};
use crate::console::{Console, Diagnostic, Hinted};
use crate::inputs::{self, Input};
use crate::output;
use crate::session::{Exit, Session};

/// A report that was read.
enum ParsedReport {
    /// The rows of `stats`.
    Stats(Vec<Entry>),
    Flagstat(Box<[FlagStat; 2]>),
    Idxstats(idxstats::Table),
    /// What `check` found.
    Check(Checks),
    /// The depths of shards.
    Coverage(Vec<coverage::CoverageReport>),
}

impl ParsedReport {
    /// Whose report it is.
    fn name(&self) -> &'static str {
        match self {
            ParsedReport::Stats(_) => "stats",
            ParsedReport::Flagstat(_) => "flagstat",
            ParsedReport::Idxstats(_) => "idxstats",
            ParsedReport::Check(_) => "check",
            ParsedReport::Coverage(_) => "coverage",
        }
    }

    /// Adds another one.
    fn add(&mut self, other: ParsedReport) -> Result<()> {
        match (self, other) {
            (ParsedReport::Stats(mine), ParsedReport::Stats(theirs)) => mine.extend(theirs),
            (ParsedReport::Flagstat(mine), ParsedReport::Flagstat(theirs)) => {
                for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
                    *mine = mine.checked_add(theirs).context("counts exceed 64 bits")?;
                }
            }
            (ParsedReport::Idxstats(mine), ParsedReport::Idxstats(theirs)) => {
                mine.add(&theirs).map_err(anyhow::Error::msg)?;
            }
            (ParsedReport::Check(mine), ParsedReport::Check(theirs)) => mine.extend(theirs),
            (ParsedReport::Coverage(mine), ParsedReport::Coverage(theirs)) => mine.extend(theirs),
            (mine, theirs) => {
                bail!(
                    "a report of {}, but the ones before it are of {}",
                    theirs.name(),
                    mine.name()
                )
            }
        }
        Ok(())
    }
}

/// What the reports are of: whole files, or shards.
#[derive(Default)]
struct Of {
    /// A report of a whole, and one of shards.
    whole: Option<String>,
    shards: Option<String>,
    cover: Cover,
    /// The version that made the first report that names one, and that report.
    version: Option<(String, String)>,
}

impl Of {
    /// Adds a report that is called `label`.
    fn add(&mut self, parts: Vec<Option<ShardPart>>, label: &str) -> Result<()> {
        for part in parts {
            let seen = if part.is_some() { &mut self.shards } else { &mut self.whole };
            seen.get_or_insert_with(|| label.to_owned());
            if let (Some(whole), Some(shards)) = (&self.whole, &self.shards) {
                bail!(
                    "{shards} is a report of a shard, but {whole} is not: reports of shards can only be merged with each other"
                );
            }
            if let Some(part) = part {
                self.cover.add(part, label)?;
            }
        }
        Ok(())
    }

    /// Looks which version made a report: those of shards must be of one, as numbers may be defined differently by another.
    fn check_version(&mut self, console: &Console, text: &[u8], label: &str) -> Result<()> {
        #[derive(serde::Deserialize)]
        struct Made {
            biofast_version: String,
        }
        let Ok(Made { biofast_version: version }) = serde_json::from_slice(text) else {
            return Ok(());
        };
        let Some((first, other)) = &self.version else {
            let own = env!("CARGO_PKG_VERSION");
            if version != own {
                let text = format!("{label} was written by biofast {version}, and this is {own}");
                console.warning(&format!("{text}: values may be defined differently"));
            }
            self.version = Some((version, label.to_owned()));
            return Ok(());
        };
        let text = format!("{label} was written by biofast {version}, and {other} by {first}");
        match (version == *first, &self.shards) {
            (true, _) => Ok(()),
            (false, Some(_)) => bail!("{text}: reports of shards must come from one version"),
            (false, None) => {
                console.warning(&format!("{text}: values may be defined differently"));
                Ok(())
            }
        }
    }
}

pub(super) fn run(args: &Args, inputs: &[Input], session: &mut Session) -> Result<Exit> {
    let out = match args.out_dir {
        Some(_) => None,
        None => Some(args.out.open_as(args.format.json, session)?),
    };
    let page = output::optional_report(session, args.html.as_deref())?;
    args.verdicts.refuse(args.partial, "--partial", "verdicts need whole files")?;
    let judge = args.verdicts.judge(session)?;
    let mut all: Option<ParsedReport> = None;
    let mut of = Of::default();
    for input in inputs {
        let text = match input {
            Input::Path(path) => inputs::text(path, TextBounds::DOCUMENT)?,
            // Seen before: it isn't opened again.
            Input::Lent(_) | Input::Stdin(_) | Input::Unnamed(_) | Input::Shard(_) => {
                bail!("reports must be files")
            }
        };
        let (report, parts) = read(&text, args.sample.as_deref()).with_context(|| input.name())?;
        of.add(parts, &input.name())?;
        of.check_version(&session.console, &text, &input.name())?;
        let added = match &mut all {
            Some(all) => all.add(report),
            None => {
                all = Some(report);
                Ok(())
            }
        };
        added.with_context(|| input.name())?;
    }
    if !args.partial {
        of.cover.check().map_err(|why| Hinted {
            message: why.to_string(),
            hint: "merge the reports of all shards of one plan, each once; to merge only some of them add --partial and --json".into(),
        })?;
    }
    if let Some(option) = args
        .depths
        .given()
        .filter(|_| args.out_dir.is_none() || !matches!(all, Some(ParsedReport::Coverage(_))))
    {
        bail!("{option} needs --out-dir and reports of `biofast coverage --shard`");
    }
    match all {
        None => bail!("no input"),
        Some(ParsedReport::Stats(mut entries)) => {
            if of.shards.is_some() {
                in_order(&mut entries, args.sample.is_some() && args.partial)?;
            }
            let Some(out) = out else {
                return super::folder::write(args, entries, (&judge, page), session);
            };
            let wanted = NeededFigures::new(args.format, args.html.is_some()).judged_by(&judge);
            let mut entries = stats::join_by_sample(entries, wanted, args.partial)?;
            for entry in &mut entries {
                entry.shard = entry.shard.take().and_then(|part| of.cover.part(part.file));
                let pieces = entry.shard.as_ref().map_or(0, |part| part.pieces.len());
                if pieces > 1 && entry.figures.alignments().is_some() {
                    bail!("--partial needs consecutive shards, in order");
                }
            }
            stats::report(&session.console, &entries, args.reading.messages.quiet);
            stats::assess(&mut entries, &judge);
            let text = stats::text(&entries, args.format, false)?;
            let code = stats::write(&entries, out, &text, page, Vec::new())?;
            stats::conclude(&entries, &judge, args.reading.messages.quiet, code)
        }
        Some(ParsedReport::Flagstat(counts)) => {
            only_of_stats(args, "flagstat", page)?;
            let text = match (args.format.json, args.format.tsv) {
                (true, _) => flagstat::json(&counts),
                (_, true) => flagstat::tsv(&counts),
                _ => flagstat::text(&counts),
            };
            finish(out, text)
        }
        Some(ParsedReport::Coverage(reports)) => {
            let options = [
                ("--html", page.is_some()),
                ("--sample", args.sample.is_some()),
                ("--qc", !args.qc.is_empty()),
                ("--partial", args.partial),
                ("--json", args.format.json),
            ];
            if let Some((name, _)) = options.into_iter().find(|(_, given)| *given) {
                bail!("{name} doesn't apply to reports of coverage");
            }
            match (out, args.out_dir.as_deref()) {
                (Some(out), _) => coverage::merge(reports, args.format.tsv, out),
                (None, Some(folder)) => {
                    let threads = args.reading.watch(session).options.threads;
                    let how = (threads, args.reading.messages.quiet);
                    coverage::write_files(reports, (folder, &args.depths), how, session)
                }
                (None, None) => bail!("no output"),
            }
        }
        Some(ParsedReport::Check(checks)) => {
            let options = [
                ("--html", page.is_some()),
                ("--out-dir", args.out_dir.is_some()),
                ("--sample", args.sample.is_some()),
                ("-T (--tsv)", args.format.tsv),
            ];
            if let Some((name, _)) = options.into_iter().find(|(_, given)| *given) {
                bail!("{name} applies to reports of stats, but these are of check");
            }
            let rows = checks::rows(checks, &of.cover, args.partial)?;
            if let Some(out) = out {
                output::finish(out, check::text(&rows, args.format.json, false)?)?;
            }
            Ok(check::exit_code(&rows))
        }
        Some(ParsedReport::Idxstats(table)) => {
            only_of_stats(args, "idxstats", page)?;
            if args.format.json {
                bail!(
                    "--json can't be combined with reports of idxstats, which have only one format"
                );
            }
            finish(out, table.text())
        }
    }
}

fn finish(out: Option<Output>, text: String) -> Result<Exit> {
    if let Some(out) = out {
        output::finish(out, text)?;
    }
    Ok(Exit::Fine)
}

/// Brings rows of shards in the order of the file, as rows of one sample and one input.
fn in_order(entries: &mut [Entry], is_named: bool) -> Result<()> {
    let place = |entry: &Entry| {
        let part = entry.shard.as_ref();
        part.map(|part| (part.file, part.pieces.first().map(|piece| piece.shards.0)))
    };
    entries.sort_by_key(place);
    if is_named
        && entries.iter().any(|entry| entry.shard.as_ref().is_some_and(|part| part.files > 1))
    {
        bail!(
            "--sample can't be combined with --partial for mates: they stay two rows until all shards are merged"
        );
    }
    let mut first: Option<(u64, String, HashSet<String>)> = None;
    for entry in entries {
        let file = entry.shard.as_ref().map_or(0, |part| part.file);
        match &mut first {
            Some((of, sample, said)) if *of == file => {
                entry.sample.clone_from(sample);
                entry.inputs.clear();
                entry.warnings.retain(|warning| said.insert(warning.clone()));
            }
            _ => {
                let said = entry.warnings.iter().cloned().collect();
                first = Some((file, entry.sample.clone(), said));
            }
        }
    }
    Ok(())
}

/// Refuses options that only reports of `stats` have.
fn only_of_stats(args: &Args, report: &str, page: Option<Output>) -> Result<()> {
    let options = [
        ("--html", page.is_some()),
        ("--out-dir", args.out_dir.is_some()),
        ("--sample", args.sample.is_some()),
        ("--partial", args.partial),
    ];
    match options.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => bail!("{name} applies to reports of stats, but these are of {report}"),
        None => match args.verdicts.given() {
            Some(name) => bail!("{name} applies to reports of stats, but these are of {report}"),
            None => Ok(()),
        },
    }
}

/// Reads a report, whichever it is, and of what shards each of its rows is.
fn read(text: &[u8], sample: Option<&str>) -> Result<(ParsedReport, Vec<Option<ShardPart>>)> {
    const DAMAGED: &str = "its shard information is damaged";
    const NOT_A_REPORT: &str = "neither alignments nor a report of `biofast stats --json`, `flagstat -O json`, `idxstats`, `check --json` or `coverage --shard`";
    if !text.trim_ascii_start().starts_with(b"{") {
        let mut text = std::str::from_utf8(text).ok().context(NOT_A_REPORT)?;
        let mut part = None;
        if let Some(rest) = text.strip_prefix(SHARD)
            && let Some((json, table)) = rest.split_once('\n')
        {
            part = Some(serde_json::from_str(json).context(DAMAGED)?);
            text = table;
        }
        let table = idxstats::Table::read(text).context(NOT_A_REPORT)?;
        return Ok((ParsedReport::Idxstats(table), vec![part]));
    }
    let value: Value = serde_json::from_slice(text).context(NOT_A_REPORT)?;
    if let (Some(passed), Some(failed)) =
        (value.get("QC-passed reads"), value.get("QC-failed reads"))
    {
        let counts = |of: &Value| {
            let counts = flagstat::read_back(|name| of.get(name)?.as_u64());
            counts.context("a flagstat count is missing or not a number")
        };
        let part = value.get("shard").map(|part| serde_json::from_value(part.clone()));
        let part = part.transpose().context(DAMAGED)?;
        return Ok((
            ParsedReport::Flagstat(Box::new([counts(passed)?, counts(failed)?])),
            vec![part],
        ));
    }
    if value.get("schema").and_then(Value::as_str) == Some(coverage::SCHEMA) {
        let report = coverage::read(text)?;
        let part = Some(report.shard.clone());
        return Ok((ParsedReport::Coverage(vec![report]), vec![part]));
    }
    if value.get("schema").and_then(Value::as_str) == Some(check_report::SCHEMA) {
        let (checks, parts) = checks::read(text)?;
        return Ok((ParsedReport::Check(checks), parts));
    }
    const AGAIN: &str =
        "damaged, or written by an older version of biofast: run `biofast stats --json` again";
    if value.get("schema").and_then(Value::as_str) == Some(alignments::SCHEMA) {
        let preamble: alignments::AlignmentPreamble =
            serde_json::from_slice(text).context(NOT_A_REPORT)?;
        preamble.check().context("run `biofast stats --json` again")?;
        let report: alignments::AlignmentReport = serde_json::from_slice(text).context(AGAIN)?;
        let entries = report.files.into_iter().map(|file| of_alignments(file, sample));
        return entries.collect::<Result<_>>().map(of_entries);
    }
    let preamble: reads::Preamble = serde_json::from_slice(text).context(NOT_A_REPORT)?;
    preamble.check()?;
    let report: reads::ReadReport = serde_json::from_slice(text).context(AGAIN)?;
    let entries = report.files.into_iter().map(|file| of_reads(file, sample));
    entries.collect::<Result<_>>().map(of_entries)
}

/// Rows of stats, and of what they are.
fn of_entries(entries: Vec<Entry>) -> (ParsedReport, Vec<Option<ShardPart>>) {
    let parts = entries.iter().map(|entry| entry.shard.clone()).collect();
    (ParsedReport::Stats(entries), parts)
}

/// Whether so many records are those of the shard in its plan.
fn are_of_shard(shard: Option<&ShardPart>, found: u64, field: &str) -> Result<()> {
    let Some(shard) = shard else { return Ok(()) };
    let records = |piece: &ShardRun| piece.records.1.saturating_sub(piece.records.0);
    let expected: u64 = shard.pieces.iter().map(records).fold(0, u64::saturating_add);
    if found != expected {
        bail!(
            "the report contradicts its plan: '{field}' is {found}, but the shard has {expected} records"
        );
    }
    Ok(())
}

fn of_reads(file: reads::ReadFileReport, sample: Option<&str>) -> Result<Entry> {
    let collector =
        Collector::try_from(&file.statistics).with_context(|| format!("sample {}", file.sample))?;
    if file.error.is_none() {
        are_of_shard(file.shard.as_ref(), collector.reads(), "reads")
            .with_context(|| format!("sample {}", file.sample))?;
    }
    let sample = sample.map_or(file.sample, str::to_owned);
    let figures = Figures::Collector(Box::new(collector));
    Ok(Entry {
        errors: file.error.into_iter().map(Diagnostic::new).collect(),
        warnings: file.warnings,
        mate: file.mate,
        shard: file.shard,
        ..Entry::new(sample, file.inputs, file.format, figures)
    })
}

fn of_alignments(file: alignments::AlignmentFileReport, sample: Option<&str>) -> Result<Entry> {
    let formats = [Format::Bam, Format::Sam, Format::Cram];
    let format = formats.into_iter().find(|format| format.name() == file.format);
    let format = format.with_context(|| format!("unknown format '{}'", file.format))?;
    // What contradicts itself is told while it is known whose report it is.
    if let (Some(figures), None) = (&file.figures, &file.error) {
        let sample = || format!("sample {}", file.sample);
        AlignmentJoin::default().add(figures).with_context(sample)?;
        let records = [&figures.records.passed, &figures.records.failed].map(|counts| counts.total);
        are_of_shard(file.shard.as_ref(), records.iter().sum(), "records").with_context(sample)?;
    }
    let sample = sample.map_or(file.sample, str::to_owned);
    let figures = Figures::Alignments(format, file.figures.map(Box::new));
    Ok(Entry {
        group: file.group,
        errors: file.error.into_iter().map(Diagnostic::new).collect(),
        warnings: file.warnings,
        shard: file.shard,
        ..Entry::new(sample, vec![file.input], file.format, figures)
    })
}
