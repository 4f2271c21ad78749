//! The notebook's summary: every claim beside what was measured, in one table, made from all protocols and results
//! there are, with conclusions by hand. Written by every `run` and `report`, compared by `check`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::page::{self, MachineResults, cell};
use super::{Places, protocols, read_results, tables};
use crate::core::machine;
use crate::core::notes::By;
use crate::core::protocol::Protocol;
use crate::core::summary::Summary;
use crate::core::verdict::{Outcome, Tally};
use crate::files;

/// The number under which it stands in the notebook; entries don't take it.
pub(crate) const ID: &str = "051";
const NAME: &str = "SUMMARY-claims-and-measurements";
const TITLE: &str = "All claims and what was measured";
pub(crate) const QUESTION: &str = "What became of all the claims?";

/// The sections, in order, and whether they are written by hand alone.
pub(crate) const SECTIONS: [(&str, bool); 7] = [
    ("Objective", false),
    ("Verdicts", false),
    ("Series A: kernels", true),
    ("Series B: streams", true),
    ("Series C: files, lookups, memory, stores", true),
    ("Limitations", true),
    ("Claims and measurements", false),
];

/// Verdicts in the order in which they are counted.
const VERDICTS: [Outcome; 5] = [
    Outcome::Reproduced,
    Outcome::Partly,
    Outcome::Refuted,
    Outcome::Undecided,
    Outcome::NotMeasurable,
];

/// One entry with its results on all machines.
pub(crate) struct Row {
    pub(crate) protocol: Protocol,
    pub(crate) page: Option<PathBuf>,
    pub(crate) results: Vec<MachineResults>,
}

/// Everything the summary is made of.
pub(crate) fn rows(places: &Places) -> Result<Vec<Row>> {
    let notebook = places.notebook();
    protocols(places)?
        .into_iter()
        .map(|protocol| {
            let page = page::find(&notebook, &protocol)?;
            let results = read_results(&places.results(), &protocol)?;
            Ok(Row { protocol, page, results })
        })
        .collect()
}

/// The page, if there is one.
pub(crate) fn find(notebook: &Path) -> Result<Option<PathBuf>> {
    let mut found = page::ending_with(notebook, &format!("-{ID}-{NAME}.md"))?;
    ensure!(found.len() <= 1, "more than one notebook entry is the summary");
    Ok(found.pop())
}

/// Writes the page, which is made if there is none.
pub(crate) fn write(places: &Places, rows: &[Row]) -> Result<()> {
    let notebook = places.notebook();
    let path = find(&notebook)?.unwrap_or_else(|| {
        page::dated_path(&notebook, &format!("{ID}-{NAME}"), &machine::utc_now())
    });
    let text = render(&path, rows, &files::read_if_there(&path)?)?;
    files::write(&path, text)
}

/// The whole page; hand-written text is taken from `old`.
pub(crate) fn render(path: &Path, rows: &[Row], old: &str) -> Result<String> {
    let mut text = String::from("---\n");
    writeln!(text, "entry_id: \"{ID}\"")?;
    writeln!(text, "date: {}", page::date_of(path)?)?;
    writeln!(text, "type: SUMMARY")?;
    writeln!(text, "entries: {}", rows.len())?;
    writeln!(text, "verdicts: \"{}\"", counts(rows))?;
    writeln!(text, "---\n\n# {ID} {TITLE}")?;
    page::write_sections(&mut text, &SECTIONS, old, |name| match name {
        "Objective" => Ok(objective(rows)),
        "Verdicts" => verdicts(rows),
        _ => table(path, rows),
    })?;
    Ok(text)
}

fn objective(rows: &[Row]) -> String {
    format!(
        "{QUESTION} Each of the {} entries of this notebook measured again what an earlier document stated, or what this project states itself, \
         which is counted apart. \
         This page puts every statement that carries a verdict beside the figure that was measured, with its interval, \
         and draws the conclusions. The tables are made from the protocols and measurements by `cargo lab report {ID}`.",
        rows.len()
    )
}

/// `3 reproduced, 2 partly, …` of others' claims and, apart, of ours, by the verdicts on the first machine.
pub(crate) fn counts(rows: &[Row]) -> String {
    let of = |by: By| -> Option<String> {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.by() == by).collect();
        (!rows.is_empty()).then(|| counts_of(&rows))
    };
    match (of(By::Others), of(By::Ours)) {
        (Some(others), Some(ours)) => format!("{others}; of our own claims {ours}"),
        (None, Some(ours)) => format!("of our own claims {ours}"),
        (others, None) => others.unwrap_or_default(),
    }
}

fn counts_of(rows: &[&Row]) -> String {
    let mut parts: Vec<String> = VERDICTS
        .into_iter()
        .map(|verdict| (rows.iter().filter(|row| row.verdict() == Some(verdict)).count(), verdict))
        .filter(|(count, _)| *count > 0)
        .map(|(count, verdict)| format!("{count} {}", verdict.text()))
        .collect();
    match rows.iter().filter(|row| row.verdict().is_none()).count() {
        0 => {}
        count => parts.push(format!("{count} not run yet")),
    }
    parts.join(", ")
}

impl Row {
    fn verdict(&self) -> Option<Outcome> {
        self.results.first().map(|results| results.summary.verdict)
    }

    /// The claim as it was stated, or as the protocol has it where it isn't quoted.
    pub(crate) fn claim(&self) -> String {
        match &self.protocol.notes.claims[..] {
            [] => self.protocol.claim.clone(),
            claims => claims.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join(" "),
        }
    }

    fn by(&self) -> By {
        self.protocol.notes.claimed_by
    }

    /// A, B or C, by what the entry is about.
    fn series(&self) -> char {
        match self.protocol.kind.as_str() {
            "kernel" => 'A',
            "stream" => 'B',
            _ => 'C',
        }
    }
}

/// How many entries of each series came out how.
fn verdicts(rows: &[Row]) -> Result<String> {
    let mut text = String::from("| series | entries |");
    for verdict in VERDICTS {
        write!(text, " {} |", verdict.text())?;
    }
    writeln!(text, " not run yet |\n|---|---:|{}", "---:|".repeat(VERDICTS.len() + 1))?;
    let mut line = |name: &str, wanted: Option<char>, by: By| -> Result<()> {
        let is_wanted = |row: &&Row| wanted.is_none_or(|series| row.series() == series);
        let of: Vec<&Row> = rows.iter().filter(|row| row.by() == by).filter(is_wanted).collect();
        write!(text, "| {name} | {} |", of.len())?;
        for verdict in VERDICTS.map(Some).into_iter().chain([None]) {
            write!(text, " {} |", of.iter().filter(|row| row.verdict() == verdict).count())?;
        }
        Ok(writeln!(text)?)
    };
    line("A: kernels", Some('A'), By::Others)?;
    line("B: streams", Some('B'), By::Others)?;
    line("C: files, lookups, memory, stores", Some('C'), By::Others)?;
    line("all claims of others", None, By::Others)?;
    line("claims of our own", None, By::Ours)?;
    let carrying = || {
        rows.iter()
            .flat_map(|row| row.results.first().map(|r| (row.by(), Tally::of(&r.summary.checks))))
    };
    let sum = |by: By, count: fn(Tally) -> usize| -> usize {
        carrying().filter(|(of, _)| *of == by).map(|(_, tally)| count(tally)).sum()
    };
    writeln!(
        text,
        "\n| statements that carry a verdict | held | failed | undecided | not measurable here |"
    )?;
    writeln!(text, "|---|---:|---:|---:|---:|")?;
    for (name, by) in [("of others' claims", By::Others), ("of our own claims", By::Ours)] {
        writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            sum(by, |t| t.held),
            sum(by, |t| t.failed),
            sum(by, |t| t.undecided),
            sum(by, |t| t.not_measurable)
        )?;
    }
    let left = rows.iter().map(|row| row.protocol.notes.unmeasured.len()).sum::<usize>();
    writeln!(
        text,
        "\n{left} claims of the same documents were not measured; the last table names them."
    )?;
    Ok(text)
}

/// Every claim with its statements.
fn table(path: &Path, rows: &[Row]) -> Result<String> {
    let mut text = String::from(
        "A row in bold is a claim, as it was stated, with its verdict; below it are the statements that carry the verdict. Where none \
         could be measured here, predictions of our own stand for them, in italics.\n\n\
         | entry | statement | claimed | measured | outcome |\n|---|---|---|---:|---|\n",
    );
    let here = path.parent().unwrap_or(Path::new(""));
    for row in rows {
        let p = &row.protocol;
        let name = cell(&p.name());
        let entry = match &row.page {
            Some(page) => format!("[{name}]({})", beside(here, page)),
            None => name,
        };
        writeln!(text, "| **{entry}** | **{}** | | | {} |", cell(&row.claim()), {
            match row.results.is_empty() {
                true => "not run yet".to_owned(),
                false => format!("**{}**", page::verdict(&row.results)),
            }
        })?;
        for results in &row.results {
            let machine = match row.results.len() {
                1 => "",
                _ => &results.machine,
            };
            statements(&mut text, machine, &results.summary, p)?;
        }
    }
    writeln!(text, "\nClaims of the same documents that no entry measures:\n")?;
    writeln!(text, "| beside entry | claim | source | why not |\n|---|---|---|---|")?;
    for row in rows {
        for left in &row.protocol.notes.unmeasured {
            let (claim, source, why) = (cell(&left.claim), cell(&left.source), cell(&left.why));
            writeln!(text, "| {} | {claim} | {source} | {why} |", row.protocol.id)?;
        }
    }
    Ok(text)
}

fn statements(
    text: &mut String,
    machine: &str,
    summary: &Summary,
    protocol: &Protocol,
) -> Result<()> {
    let all = || summary.checks.iter().zip(&protocol.verdict.checks);
    let is_measured = |outcome: Outcome| outcome != Outcome::NotMeasurable;
    let decided = all().any(|(check, _)| check.carries && is_measured(check.outcome));
    for (check, rule) in all() {
        // Our own stand in where nothing else could be measured.
        if !check.carries && (decided || !is_measured(check.outcome)) {
            continue;
        }
        let metric = rule.metric.as_deref().unwrap_or(&protocol.metric);
        let measured = tables::measured(check, metric, rule.over.is_empty());
        let (name, claim) = (cell(&check.name), cell(&check.claim));
        let name = if check.carries { name } else { format!("*{name}*") };
        let outcome = check.outcome.text();
        writeln!(
            text,
            "| {machine} | {name} | {claim} | {measured} | {outcome} ({}) |",
            check.bound
        )?;
    }
    Ok(())
}

/// The way from a folder of the notebook to a page of it.
fn beside(here: &Path, page: &Path) -> String {
    let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match page.parent() {
        Some(folder) if folder != here => format!("../{}/{}", file(folder), file(page)),
        _ => file(page),
    }
}
