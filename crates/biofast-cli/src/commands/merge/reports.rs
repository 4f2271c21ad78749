//! Reports of parts to the report of the whole.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use biofast::bam::Format;
use biofast::io::output::{Files, Output};
use biofast::ops::alignments::join::Join;
use biofast::ops::alignments::report as alignments;
use biofast::ops::flagstat::FlagStat;
use biofast::ops::reads::Collector;
use biofast::ops::reads::report as reads;
use biofast::ops::show::samtools::{flagstat, idxstats};
use serde_json::Value;

use super::Args;
use crate::commands::stats::{self, Entry, Figures, Wanted};
use crate::console::Trouble;
use crate::inputs::{self, Input};
use crate::output;

/// A report that was read.
enum Report {
    /// The rows of `stats`.
    Stats(Vec<Entry>),
    Flagstat(Box<[FlagStat; 2]>),
    Idxstats(idxstats::Table),
}

impl Report {
    /// Whose report it is.
    fn name(&self) -> &'static str {
        match self {
            Report::Stats(_) => "stats",
            Report::Flagstat(_) => "flagstat",
            Report::Idxstats(_) => "idxstats",
        }
    }

    /// Adds another one.
    fn add(&mut self, other: Report) -> Result<()> {
        match (self, other) {
            (Report::Stats(mine), Report::Stats(theirs)) => mine.extend(theirs),
            (Report::Flagstat(mine), Report::Flagstat(theirs)) => {
                for (mine, theirs) in mine.iter_mut().zip(theirs.iter()) {
                    *mine = mine.checked_add(theirs).context("counts beyond 64 bits")?;
                }
            }
            (Report::Idxstats(mine), Report::Idxstats(theirs)) => {
                mine.add(&theirs).map_err(anyhow::Error::msg)?;
            }
            (mine, theirs) => {
                bail!("a report of {}, and those before it are of {}", theirs.name(), mine.name())
            }
        }
        Ok(())
    }
}

pub(super) fn run(args: &Args, inputs: &[Input], files: &mut Files) -> Result<ExitCode> {
    let out = args.out.open(files)?;
    let page = output::optional_report(files, args.html.as_deref())?;
    let mut all: Option<Report> = None;
    for input in inputs {
        let text = match input {
            Input::Path(path) => inputs::read(path)?,
            // Seen before: it isn't opened again.
            Input::Stdin(_) | Input::Unnamed(_) => bail!("a report is read from a file"),
        };
        let added = read(&text, args.sample.as_deref()).and_then(|report| match &mut all {
            Some(all) => all.add(report),
            None => {
                all = Some(report);
                Ok(())
            }
        });
        added.with_context(|| input.name())?;
    }
    match all {
        None => bail!("no input"),
        Some(Report::Stats(entries)) => {
            let wanted = Wanted::new(args.format, args.html.is_some());
            let entries = stats::join_by_sample(entries, wanted, args.partial)?;
            stats::report(&entries, args.reading.messages.quiet);
            let text = stats::text(&entries, args.format, false)?;
            stats::write(&entries, out, &text, page)
        }
        Some(Report::Flagstat(counts)) => {
            only_of_stats(args, "flagstat", page)?;
            let text = match (args.format.json, args.format.tsv) {
                (true, _) => flagstat::json(&counts),
                (_, true) => flagstat::tsv(&counts),
                _ => flagstat::text(&counts),
            };
            output::finish(out, text)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Report::Idxstats(table)) => {
            only_of_stats(args, "idxstats", page)?;
            if args.format.json {
                bail!("--json doesn't go with reports of idxstats, which have one form");
            }
            output::finish(out, table.text())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Refuses options that only reports of `stats` have.
fn only_of_stats(args: &Args, report: &str, page: Option<Output>) -> Result<()> {
    let options = [
        ("--html", page.is_some()),
        ("--sample", args.sample.is_some()),
        ("--partial", args.partial),
    ];
    match options.into_iter().find(|(_, given)| *given) {
        Some((name, _)) => bail!("{name} is for reports of stats, and these are of {report}"),
        None => Ok(()),
    }
}

/// Reads a report, whichever it is.
fn read(text: &[u8], sample: Option<&str>) -> Result<Report> {
    const NOT_A_REPORT: &str =
        "not a report of `biofast stats --json`, `flagstat -O json` or `idxstats`, nor alignments";
    if !text.trim_ascii_start().starts_with(b"{") {
        let table = std::str::from_utf8(text).ok().and_then(idxstats::Table::read);
        return Ok(Report::Idxstats(table.context(NOT_A_REPORT)?));
    }
    let value: Value = serde_json::from_slice(text).context(NOT_A_REPORT)?;
    if let (Some(passed), Some(failed)) =
        (value.get("QC-passed reads"), value.get("QC-failed reads"))
    {
        let counts = |of: &Value| {
            let counts = flagstat::read_back(|name| of.get(name)?.as_u64());
            counts.context("a count of flagstat is missing, or is no number")
        };
        return Ok(Report::Flagstat(Box::new([counts(passed)?, counts(failed)?])));
    }
    const AGAIN: &str = "damaged, or made by an older biofast: run `biofast stats --json` again";
    if value.get("schema").and_then(Value::as_str) == Some(alignments::SCHEMA) {
        let preamble: alignments::Preamble = serde_json::from_slice(text).context(NOT_A_REPORT)?;
        preamble.check().context("run `biofast stats --json` again")?;
        let report: alignments::Report = serde_json::from_slice(text).context(AGAIN)?;
        let entries = report.files.into_iter().map(|file| of_alignments(file, sample));
        return Ok(Report::Stats(entries.collect::<Result<_>>()?));
    }
    let preamble: reads::Preamble = serde_json::from_slice(text).context(NOT_A_REPORT)?;
    preamble.check()?;
    let report: reads::Report = serde_json::from_slice(text).context(AGAIN)?;
    let entries = report.files.into_iter().map(|file| of_reads(file, sample));
    Ok(Report::Stats(entries.collect::<Result<_>>()?))
}

fn of_reads(file: reads::FileReport, sample: Option<&str>) -> Result<Entry> {
    let collector =
        Collector::try_from(&file.statistics).with_context(|| format!("sample {}", file.sample))?;
    Ok(Entry {
        sample: sample.map_or(file.sample, str::to_owned),
        inputs: file.inputs,
        group: None,
        format: file.format,
        errors: file.error.into_iter().map(Trouble::new).collect(),
        warnings: file.warnings,
        pairs: None,
        figures: Figures::Collector(Box::new(collector)),
    })
}

fn of_alignments(file: alignments::FileReport, sample: Option<&str>) -> Result<Entry> {
    let formats = [Format::Bam, Format::Sam, Format::Cram];
    let format = formats.into_iter().find(|format| format.name() == file.format);
    let format = format.with_context(|| format!("unknown format '{}'", file.format))?;
    // What contradicts itself is told while it is known whose report it is.
    if let (Some(figures), None) = (&file.figures, &file.error) {
        Join::default().add(figures).with_context(|| format!("sample {}", file.sample))?;
    }
    Ok(Entry {
        sample: sample.map_or(file.sample, str::to_owned),
        inputs: vec![file.input],
        group: file.group,
        format: file.format,
        errors: file.error.into_iter().map(Trouble::new).collect(),
        warnings: file.warnings,
        pairs: None,
        figures: Figures::Alignments(format, file.figures.map(Box::new)),
    })
}
