//! The rows of the result, and how they are printed.

use std::collections::HashMap;
use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::ops::alignment;
use biofast::ops::stats::report::{FileReport, Report, Statistics, Status};
use biofast::ops::stats::table::{self, Row};
use biofast::ops::stats::{Collector, PairCheck, Summary};

use super::{Format, alignments};
use crate::{message, output};

/// One row of the result.
pub(crate) struct Entry {
    pub(crate) sample: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) pairs: Option<PairCheck>,
    pub(crate) figures: Figures,
}

/// What is kept of a collector, which itself takes about 1 MB: as little as the output needs.
pub(crate) enum Figures {
    /// For tables.
    Summary(Box<Summary>),
    /// For JSON.
    Statistics(Box<Statistics>),
    /// Everything, where rows are yet to be joined.
    Collector(Box<Collector>),
    /// Counted with another row of the same sample.
    Joined,
    /// Of alignments, with their format; nothing where nothing could be read.
    Alignments(bam::Format, Option<Box<alignment::report::Figures>>),
}

impl Figures {
    /// The figures of alignments.
    pub(super) fn alignments(&self) -> Option<(bam::Format, Option<&alignment::report::Figures>)> {
        match self {
            Figures::Alignments(format, figures) => Some((*format, figures.as_deref())),
            _ => None,
        }
    }

    /// What `format` needs of `collector`.
    pub(crate) fn of(collector: &Collector, format: Format) -> Figures {
        if format.json {
            Figures::Statistics(Box::new(Statistics::from(collector)))
        } else {
            Figures::Summary(Box::new(collector.summary()))
        }
    }
}

/// Says on standard error what is wrong or worth knowing.
pub(crate) fn report(entries: &[Entry], quiet: bool) {
    for entry in entries {
        if !quiet {
            entry.warnings.iter().for_each(|w| message("warning", w));
        }
        entry.errors.iter().for_each(|e| message("error", e));
    }
}

/// Joins entries of the same sample, at the place of the first.
pub(crate) fn join_by_sample(entries: Vec<Entry>, format: Format) -> Vec<Entry> {
    let mut place = HashMap::new();
    let mut joined: Vec<Entry> = Vec::new();
    for entry in entries {
        let Some(&index) = place.get(&entry.sample) else {
            place.insert(entry.sample.clone(), joined.len());
            joined.push(entry);
            continue;
        };
        let into: &mut Entry = &mut joined[index];
        if let (Figures::Collector(into), Figures::Collector(from)) =
            (&mut into.figures, &entry.figures)
        {
            into.merge(from);
        }
        into.inputs.extend(entry.inputs);
        into.warnings.extend(entry.warnings);
        for error in entry.errors {
            if !into.errors.contains(&error) {
                into.errors.push(error);
            }
        }
    }
    for entry in &mut joined {
        if let Figures::Collector(collector) = &entry.figures {
            entry.figures = Figures::of(collector, format);
        }
    }
    joined
}

/// Prints the rows; the exit code tells whether all of them are good.
pub(crate) fn print(
    entries: &[Entry],
    format: Format,
    out: Option<&std::path::Path>,
) -> Result<ExitCode> {
    let (aligned, reads): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.figures.alignments().is_some());
    let mixed = !aligned.is_empty() && !reads.is_empty();
    if mixed && (format.json || format.tsv) {
        bail!("reads and alignments have different figures: count them in two runs");
    }
    let text = if reads.is_empty() && format.json {
        alignments::json(&aligned)?
    } else if reads.is_empty() {
        alignments::text(&aligned, format.tsv)
    } else if format.json {
        let files = entries.iter().filter_map(file_report).collect();
        let report = Report::new(env!("CARGO_PKG_VERSION"), files);
        let mut text = serde_json::to_string(&report)?;
        text.push('\n');
        text
    } else {
        let errors: Vec<String> = reads.iter().map(|entry| entry.errors.join("; ")).collect();
        let rows: Vec<Row<'_>> = reads
            .iter()
            .zip(&errors)
            .map(|(entry, error)| Row {
                name: &entry.sample,
                result: match &entry.figures {
                    Figures::Summary(summary) if error.is_empty() => Ok(&**summary),
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
    let good = entries.iter().all(|entry| entry.errors.is_empty());
    match output::write(out, &text) {
        // A closed pipe is no error of ours, but it doesn't make a faulty input good either.
        Err(error) if !output::is_closed_pipe(&error) => Err(error),
        _ if good => Ok(ExitCode::SUCCESS),
        _ => Ok(ExitCode::from(2)),
    }
}

fn file_report(entry: &Entry) -> Option<FileReport> {
    let Figures::Statistics(statistics) = &entry.figures else { return None };
    let error = entry.errors.join("; ");
    Some(FileReport {
        sample: entry.sample.clone(),
        inputs: entry.inputs.clone(),
        status: if error.is_empty() { Status::Ok } else { Status::Error },
        error: Some(error).filter(|error| !error.is_empty()),
        warnings: entry.warnings.clone(),
        format: "FASTQ".into(),
        statistics: (**statistics).clone(),
    })
}
