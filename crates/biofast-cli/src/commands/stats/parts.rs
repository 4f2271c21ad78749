//! The rows of shards, and of reports that are merged.

use std::collections::HashSet;

use anyhow::{Context, Result};
use biofast_bam::Format;
use biofast_ops::alignments::join::AlignmentJoin;
use biofast_ops::alignments::report::AlignmentFileReport;
use biofast_ops::reads::Collector;
use biofast_ops::reads::report::ReadFileReport;
use serde::{Deserialize, Serialize};

use super::rows::{self, Entry, Figures};
use super::{Args, alignments};
use crate::console::Diagnostic;
use crate::parts::{self, Mergeable, Part, PartOptions};

/// Rows of shards of one file, the first of which names them all.
pub(crate) struct ShardRows {
    pub(crate) entries: Vec<Entry>,
    /// The warnings of all of them.
    warnings: HashSet<String>,
}

/// The row of a shard as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ShardRow {
    Reads(Box<ReadFileReport>),
    Alignments(Box<AlignmentFileReport>),
}

impl Mergeable for ShardRows {
    const COMMAND: &'static str = "stats";
    type Payload = ShardRow;

    fn read(part: Part<ShardRow>) -> Result<(ShardRows, Option<u64>)> {
        let (mut entry, records) = match part.payload {
            ShardRow::Reads(file) => row_of_reads(*file)?,
            ShardRow::Alignments(file) => row_of_alignments(*file)?,
        };
        entry.shard = Some(part.shard);
        let warnings = entry.warnings.iter().cloned().collect();
        let records = records.filter(|_| entry.errors.is_empty());
        Ok((ShardRows { entries: vec![entry], warnings }, records))
    }

    fn needs_neighbors(&self) -> bool {
        self.entries.iter().any(|entry| entry.figures.alignments().is_some())
    }

    fn append(&mut self, next: ShardRows) -> Result<()> {
        for mut entry in next.entries {
            if let Some(first) = self.entries.first() {
                entry.sample.clone_from(&first.sample);
            }
            entry.inputs.clear();
            entry.warnings.retain(|warning| self.warnings.insert(warning.clone()));
            self.entries.push(entry);
        }
        Ok(())
    }
}

impl ShardRow {
    /// A row that is a part.
    pub(crate) fn of(entry: &Entry) -> Result<Part<ShardRow>> {
        let reads = || rows::file_report(entry, None).map(|file| ShardRow::Reads(Box::new(file)));
        let alignments = alignments::file_report(entry, None);
        let payload = alignments.map(|file| ShardRow::Alignments(Box::new(file))).or_else(reads);
        let shard = entry.shard.clone().context("not a row of a shard")?;
        Ok(Part { shard, payload: payload.context("a row without values")? })
    }
}

/// The text of rows of a shard.
pub(super) fn text(args: &Args, entries: &[Entry]) -> Result<String> {
    let reports = args.qc.iter().map(|report| report.name());
    let options = PartOptions::from_iter([
        ("paired".into(), args.paired.into()),
        ("interleaved".into(), args.interleaved.into()),
        ("qc".into(), reports.collect()),
        ("coverage-cap".into(), args.coverage_cap.into()),
    ]);
    parts::text::<ShardRows>(options, entries.iter().map(ShardRow::of).collect::<Result<_>>()?)
}

/// A row of reads, and how many it counts.
pub(crate) fn row_of_reads(file: ReadFileReport) -> Result<(Entry, Option<u64>)> {
    let collector =
        Collector::try_from(&file.statistics).with_context(|| format!("sample {}", file.sample))?;
    let reads = collector.reads();
    let figures = Figures::Collector(Box::new(collector));
    let entry = Entry {
        errors: file.error.into_iter().map(Diagnostic::new).collect(),
        warnings: file.warnings,
        mate: file.mate,
        ..Entry::new(file.sample, file.inputs, file.format, figures)
    };
    Ok((entry, Some(reads)))
}

/// A row of alignments, and how many it counts.
pub(crate) fn row_of_alignments(file: AlignmentFileReport) -> Result<(Entry, Option<u64>)> {
    let formats = [Format::Bam, Format::Sam, Format::Cram];
    let format = formats.into_iter().find(|format| format.name() == file.format);
    let format = format.with_context(|| format!("unknown format '{}'", file.format))?;
    let mut records = None;
    // What contradicts itself is told while it is known whose report it is.
    if let (Some(figures), None) = (&file.figures, &file.error) {
        AlignmentJoin::default().add(figures).with_context(|| format!("sample {}", file.sample))?;
        records = figures.records.passed.total.checked_add(figures.records.failed.total);
    }
    let figures = Figures::Alignments(format, file.figures.map(Box::new));
    let entry = Entry {
        group: file.group,
        errors: file.error.into_iter().map(Diagnostic::new).collect(),
        warnings: file.warnings,
        ..Entry::new(file.sample, vec![file.input], file.format, figures)
    };
    Ok((entry, records))
}
