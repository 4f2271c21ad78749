//! `--out-dir`: the files of `biofast stats --out-dir`, of reports of parts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::io::output::{Files, Output, commit};
use biofast::ops::alignments::report::Figures as AlignmentFigures;
use biofast::ops::picard::Wanted as Counted;
use biofast::ops::reads::Contaminants;
use biofast::ops::show::picard as metrics;
use biofast::ops::show::samtools::{flagstat, idxstats};
use clap::ValueEnum;

use super::Args;
use crate::commands::stats::{self, Entry, Figures, Report, Wanted, qc_reads};
use crate::console::Hinted;
use crate::inputs;
use crate::options::Judge;
use crate::output;

/// Writes the files of each sample, together; `entries` are the rows of the reports.
pub(super) fn write(
    args: &Args,
    entries: Vec<Entry>,
    (judge, page): (&Judge, Option<Output>),
    files: &mut Files,
) -> Result<ExitCode> {
    let Some(folder) = args.out_dir.as_deref() else { return Ok(ExitCode::SUCCESS) };
    let reads = entries.iter().filter(|entry| entry.figures.alignments().is_none()).count();
    if reads > 0 && reads < entries.len() {
        bail!("reads and alignments have different reports: merge them in two runs");
    }
    stats::qc::check_samples(args.sample.as_slice())?;
    let of_reads = reads > 0;
    let reports = match of_reads {
        true => of_fastq(args, &entries)?,
        false => of_alignments(args, &entries)?,
    };
    let contaminants = Contaminants::known();
    let wanted = Wanted::whole(&contaminants, false);
    let mut entries = stats::join_by_sample(entries, wanted, false)?;
    let names = entries.iter().map(|entry| match (&args.sample, of_reads) {
        (Some(sample), _) => OsString::from(sample),
        (None, true) => OsString::from(stats::fastqc::stem(&entry.sample)),
        (None, false) => inputs::stem(Path::new(&entry.sample)),
    });
    let prefixes = output::prefixes(folder, names)?;
    output::make_folder(files, folder)?;
    stats::report(&entries, args.reading.messages.quiet);
    for (entry, prefix) in entries.iter_mut().zip(&prefixes) {
        if !entry.errors.is_empty() {
            if of_reads {
                drop(qc_reads::settle(entry, &contaminants));
            }
            continue;
        }
        let outputs = match of_reads {
            true => {
                let opened = qc_reads::open(&reports, prefix, true, files)?;
                qc_reads::fill(std::slice::from_mut(entry), vec![opened], &contaminants, judge)?
            }
            false => {
                stats::assess(std::slice::from_mut(entry), judge);
                fill(entry, &reports, prefix, files)?
            }
        };
        commit(outputs, false)?;
    }
    let good = entries.iter().all(|entry| entry.errors.is_empty());
    let code = if good { ExitCode::SUCCESS } else { ExitCode::from(2) };
    stats::html::write(page, &entries)?;
    stats::conclude(&entries, judge, args.reading.messages.quiet, code)
}

/// Which reports of reads are written: those that are listed, or all of which every row has the counts.
fn of_fastq(args: &Args, entries: &[Entry]) -> Result<Vec<Report>> {
    if let Some(report) = args.qc.iter().find(|report| !report.of_reads()) {
        bail!("--qc {} is a report of alignments, and the reports are of reads", report.name());
    }
    let mut reports = Report::value_variants().to_vec();
    reports.retain(|report| match args.qc.is_empty() {
        true => report.of_reads() && !report.is_only_if_listed(),
        false => args.qc.contains(report),
    });
    let lacks = |entry: &&Entry| match &entry.figures {
        Figures::Collector(collector) => !collector.is_for_fastqc(),
        _ => false,
    };
    let Some(entry) = entries.iter().find(lacks) else { return Ok(reports) };
    let needs = |report: &Report| matches!(report, Report::Fastqc | Report::Fastp);
    if let Some(report) = args.qc.iter().find(|report| needs(report)) {
        return Err(Hinted {
            message: format!(
                "the report of {} doesn't carry the counts of {}",
                entry.inputs.join(" "),
                report.name()
            ),
            hint: "of reads they are in NAME.biofast.json of `biofast stats --out-dir`",
        }
        .into());
    }
    reports.retain(|report| !needs(report));
    Ok(reports)
}

/// Which reports of alignments are written: those that are listed, or all of which every row has the counts.
fn of_alignments(args: &Args, entries: &[Entry]) -> Result<Vec<Report>> {
    for report in &args.qc {
        if !report.of_alignments() {
            bail!("--qc {} is a report of reads, and the reports are of alignments", report.name());
        }
        if let Some(why) = report.unmergeable() {
            return Err(Hinted {
                message: format!("--qc {} can't be made of reports: {why}", report.name()),
                hint: "`biofast merge` of the alignments makes one file, of which `biofast stats --out-dir` has all reports",
            }
            .into());
        }
    }
    let has = |entry: &Entry, report: Report| {
        let counted = counted(entry);
        match report {
            Report::Flagstat | Report::Idxstats | Report::Json | Report::Html => true,
            Report::AlignmentSummary => counted.alignment_summary,
            Report::InsertSize => counted.insert_size,
            Report::QualityByCycle => counted.quality_by_cycle,
            Report::QualityDistribution => counted.quality_distribution,
            Report::BaseDistribution => counted.base_distribution,
            Report::GcBias => counted.gc_bias,
            Report::Wgs => counted.wgs,
            Report::Hs => counted.hs,
            _ => false,
        }
    };
    // A faulty part says so itself.
    let good = || entries.iter().filter(|entry| entry.errors.is_empty());
    let all = args.qc.contains(&Report::Picard);
    let mut reports = Vec::new();
    for &report in Report::value_variants() {
        let (with, without) =
            (good().find(|entry| has(entry, report)), good().find(|entry| !has(entry, report)));
        let is_coverage = matches!(report, Report::Wgs | Report::Hs);
        let is_listed = args.qc.is_empty()
            || args.qc.contains(&report)
            || (all && !report.metrics().is_empty() && !is_coverage);
        match (with, without) {
            _ if !is_listed => {}
            (Some(_), None) => reports.push(report),
            (None, Some(entry)) if args.qc.contains(&report) && report != Report::Picard => {
                return Err(lacks(entry, report, None));
            }
            (Some(other), Some(entry)) => return Err(lacks(entry, report, Some(other))),
            _ => {}
        }
    }
    let has_metrics = reports.iter().any(|report| !report.metrics().is_empty());
    if let Some(entry) = good().next().filter(|_| all && !has_metrics) {
        return Err(lacks(entry, Report::Picard, None));
    }
    Ok(reports)
}

/// Of which metrics a row has the counts.
fn counted(entry: &Entry) -> Counted {
    let figures = entry.figures.alignments().and_then(|(_, figures)| figures);
    let partial = figures.and_then(|figures| figures.partial.as_ref());
    let counts = partial.and_then(|partial| partial.picard.as_ref());
    counts.map(|counts| counts.counted()).unwrap_or_default()
}

fn lacks(entry: &Entry, report: Report, other: Option<&Entry>) -> anyhow::Error {
    let name = |entry: &Entry| entry.inputs.join(" ");
    let others =
        other.map_or(String::new(), |other| format!(", which that of {} has", name(other)));
    Hinted {
        message: format!(
            "the report of {} doesn't carry the counts of {}{others}",
            name(entry),
            report.name()
        ),
        hint: "make it by `biofast stats --json --partial lane --qc LIST`, with shard for pieces of one sorted file",
    }
    .into()
}

/// The files of a sample with what is in them.
fn fill(
    entry: &Entry,
    reports: &[Report],
    prefix: &Path,
    files: &mut Files,
) -> Result<Vec<Output>> {
    let Figures::Alignments(_, Some(figures)) = &entry.figures else { return Ok(Vec::new()) };
    let name = prefix.file_name().unwrap_or_default().to_string_lossy();
    let mut outputs = Vec::new();
    for &report in reports {
        let ending = match report {
            Report::Json | Report::Html => format!("biofast.{}", report.name()),
            _ => report.name(),
        };
        if let Some(text) = text(entry, figures, report)? {
            outputs.push(filled(prefix, &ending, text, files)?);
        }
        for &each in report.metrics() {
            let counts = entry.metrics.as_deref();
            let text = counts
                .and_then(|counts| metrics::text(counts, each, &name, env!("CARGO_PKG_VERSION")));
            if let Some(text) = text {
                outputs.push(filled(prefix, each.ending(), text, files)?);
            }
        }
    }
    Ok(outputs)
}

/// The text of a report that isn't one of Picard's.
fn text(entry: &Entry, figures: &AlignmentFigures, report: Report) -> Result<Option<String>> {
    Ok(match report {
        Report::Flagstat => Some(flagstat::text(&[figures.records.passed, figures.records.failed])),
        Report::Idxstats => Some(idxstats::Table::from(figures).text()),
        Report::Json => Some(stats::json_of(entry)?),
        Report::Html => Some(stats::html::page(std::slice::from_ref(entry))?),
        _ => None,
    })
}

fn filled(prefix: &Path, ending: &str, text: String, files: &mut Files) -> Result<Output> {
    let mut path = prefix.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    Ok(output::filled(output::report(files, Some(&PathBuf::from(path)))?, text)?)
}
