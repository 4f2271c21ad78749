//! The rows as they are printed, and written together.

use anyhow::{Result, bail};
use biofast_io::output::{Output, commit};
use biofast_ops::verdicts::History;
use biofast_report::tables::reads::{self as table, ReadRow};

use super::args::StatsFormat;
use super::rows::{Entry, Figures, json, reads_report};
use super::{alignments, html, plot};
use crate::options::Page;
use crate::output;
use crate::session::Exit;

/// The rows, and plots if they are wanted.
pub(crate) fn text(entries: &[Entry], format: StatsFormat, plotted: bool) -> Result<String> {
    let (aligned, reads): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.figures.alignments().is_some());
    let mixed = !aligned.is_empty() && !reads.is_empty();
    if mixed && (format.json || format.tsv) {
        bail!("reads and alignments have different statistics: run them separately");
    }
    let text = if reads.is_empty() && format.json {
        json(&alignments::report(&aligned, None))?
    } else if reads.is_empty() {
        alignments::text(&aligned, format.tsv)
    } else if format.json {
        json(&reads_report(&reads, None))?
    } else {
        let errors: Vec<String> = reads.iter().map(|entry| entry.error()).collect();
        let rows: Vec<ReadRow<'_>> = reads
            .iter()
            .zip(&errors)
            .map(|(entry, error)| ReadRow {
                name: &entry.sample,
                format: &entry.format,
                result: match &entry.figures {
                    Figures::Reads(Some(summary), _) if error.is_empty() => Ok(&**summary),
                    _ => Err(error.as_str()),
                },
            })
            .collect();
        let mut text = if format.tsv { table::tsv(&rows) } else { table::table(&rows) };
        if mixed {
            text.push('\n');
            text.push_str(&alignments::text(&aligned, false));
        }
        text
    };
    Ok(if plotted { text + &plot::text(entries) } else { text })
}

/// Makes the report and the page appear; the exit code tells whether all rows are good.
pub(crate) fn write(
    entries: &[Entry],
    report: Output,
    text: &str,
    page: Option<Page>,
    others: Vec<Output>,
    history: Option<&History>,
) -> Result<Exit> {
    let mut outputs = others;
    outputs.push(output::filled(report, text)?);
    if let Some(page) = page {
        outputs.push(page.filled(|title| html::page(title, entries, history))?);
    }
    commit(outputs, false)?;
    let good = entries.iter().all(|entry| entry.errors.is_empty());
    Ok(if good { Exit::Fine } else { Exit::Failed })
}
