//! Reports to the report of the whole.

use anyhow::{Context, Result, bail};
use biofast_io::TextBounds;
use biofast_ops::check::report as check;
use biofast_ops::flagstat::FlagStat;
use biofast_report::samtools::{flagstat, idxstats};
use serde_json::Value;

use super::whole::{Merging, OF_STATS};
use super::{Args, parts};
use crate::commands::stats::{Entry, row_of_alignments, row_of_reads};
use crate::console::Console;
use crate::inputs::{self, Input};
use crate::options::StatsReport;
use crate::parts::{Mergeable, command, mixed};
use crate::session::{Exit, Session};

pub(super) fn run(args: &Args, inputs: &[Input], session: &mut Session) -> Result<Exit> {
    let merging = Merging::open(args, session)?;
    let text = |input: &Input| match input {
        Input::Path(path) => Ok((input.name(), inputs::text(path, TextBounds::DOCUMENT)?)),
        // Seen before: it isn't opened again.
        Input::Lent(_) | Input::Stdin(_) | Input::Unnamed(_) | Input::Shard(_) => {
            bail!("reports must be files")
        }
    };
    let mut texts = inputs.iter().map(text).peekable();
    if let Some(Ok((label, text))) = texts.peek()
        && let Some(command) = command(text).with_context(|| label.clone())?
    {
        return parts::run(&command, [texts], merging);
    }
    let mut all: Option<ParsedReport> = None;
    let (mut first, mut is_warned) = (None::<String>, false);
    for read in texts {
        let (label, text) = read?;
        if let Some(whole) = &first
            && command(&text).with_context(|| label.clone())?.is_some()
        {
            return Err(mixed(&label, whole));
        }
        first.get_or_insert_with(|| label.clone());
        let report = self::read(&text).with_context(|| label.clone())?;
        is_warned = is_warned || warn_of_version(&merging.session.console, &text, &label);
        match &mut all {
            Some(all) => all.add(report).with_context(|| label)?,
            None => all = Some(report),
        }
    }
    match all.context("no input")? {
        ParsedReport::Stats(entries) => {
            merging.refuse("stats", OF_STATS)?;
            merging.write_rows(entries)
        }
        ParsedReport::Flagstat(counts) => {
            merging.refuse("flagstat", &["--json", "-T (--tsv)"])?;
            merging.write_flagstat(&counts)
        }
        ParsedReport::Idxstats(table) => {
            merging.refuse("idxstats", &["-T (--tsv)"])?;
            merging.finish(table.text())
        }
    }
}

/// A report that was read.
enum ParsedReport {
    /// The rows of `stats`.
    Stats(Vec<Entry>),
    Flagstat(Box<[FlagStat; 2]>),
    Idxstats(idxstats::Table),
}

impl ParsedReport {
    /// Whose report it is.
    fn name(&self) -> &'static str {
        match self {
            ParsedReport::Stats(_) => "stats",
            ParsedReport::Flagstat(_) => "flagstat",
            ParsedReport::Idxstats(_) => "idxstats",
        }
    }

    /// Adds another one.
    fn add(&mut self, other: ParsedReport) -> Result<()> {
        match (self, other) {
            (ParsedReport::Stats(mine), ParsedReport::Stats(theirs)) => mine.extend(theirs),
            (ParsedReport::Flagstat(mine), ParsedReport::Flagstat(theirs)) => {
                mine.append(*theirs)?
            }
            (ParsedReport::Idxstats(mine), ParsedReport::Idxstats(theirs)) => {
                mine.append(theirs)?
            }
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

/// Warns if another version made a report, as values may be defined differently there.
fn warn_of_version(console: &Console, text: &[u8], label: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Made {
        biofast_version: String,
    }
    let own = env!("CARGO_PKG_VERSION");
    let made = serde_json::from_slice::<Made>(text).ok().map(|made| made.biofast_version);
    let Some(version) = made.filter(|version| version != own) else { return false };
    let text = format!("{label} was written by biofast {version}, and this is {own}");
    console.warning(&format!("{text}: values may be defined differently"));
    true
}

/// Reads a report, whichever it is.
fn read(text: &[u8]) -> Result<ParsedReport> {
    const NOT_A_REPORT: &str = "neither alignments nor a report of `biofast stats --json`, `flagstat -O json`, `idxstats`, `check --json` or `coverage --shard`";
    if !text.trim_ascii_start().starts_with(b"{") {
        let text = std::str::from_utf8(text).ok().context(NOT_A_REPORT)?;
        return idxstats::Table::read(text).map(ParsedReport::Idxstats).context(NOT_A_REPORT);
    }
    let value: Value = serde_json::from_slice(text).context(NOT_A_REPORT)?;
    if let (Some(passed), Some(failed)) =
        (value.get("QC-passed reads"), value.get("QC-failed reads"))
    {
        let counts = |of: &Value| {
            let counts = flagstat::read_back(|name| of.get(name)?.as_u64());
            counts.context("a flagstat count is missing or not a number")
        };
        return Ok(ParsedReport::Flagstat(Box::new([counts(passed)?, counts(failed)?])));
    }
    match value.get("schema").and_then(Value::as_str) {
        Some(check::SCHEMA) => bail!(
            "a report of whole files: only reports of `biofast check --json --shard` can be merged"
        ),
        _ => match StatsReport::read(text)? {
            StatsReport::Alignments(report) => {
                rows(report.files.into_iter().map(row_of_alignments))
            }
            StatsReport::Reads(report) => rows(report.files.into_iter().map(row_of_reads)),
        },
    }
}

fn rows(rows: impl Iterator<Item = Result<(Entry, Option<u64>)>>) -> Result<ParsedReport> {
    let entries = rows.map(|row| row.map(|(entry, _)| entry));
    entries.collect::<Result<_>>().map(ParsedReport::Stats)
}
