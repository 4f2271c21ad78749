//! `--out-dir`: the files of `biofast stats --out-dir`, of reports of parts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast_io::output::{Output, commit};
use biofast_ops::alignments::report::Figures as AlignmentFigures;
use biofast_ops::compat::{Compat, Peer};
use biofast_ops::picard::MetricSelection as Counted;
use biofast_ops::reads::Contaminants;
use biofast_report::picard as metrics;
use biofast_report::samtools::{flagstat, idxstats};
use clap::ValueEnum;

use super::Args;
use crate::commands::stats::{self, Entry, Figures, NeededFigures, ReportName, qc_reads};
use crate::console::Hinted;
use crate::inputs;
use crate::options::{Judge, Page};
use crate::output;
use crate::session::{Exit, Session};

/// Writes the files of each sample, together; `entries` are the rows of the reports.
pub(super) fn write(
    args: &Args,
    entries: Vec<Entry>,
    (judge, page): (&Judge, Option<Page>),
    session: &mut Session,
) -> Result<Exit> {
    let Some(folder) = args.out_dir.as_deref() else { return Ok(Exit::Fine) };
    let reads = entries.iter().filter(|entry| entry.figures.alignments().is_none()).count();
    if reads > 0 && reads < entries.len() {
        bail!("reads and alignments have different reports: merge them separately");
    }
    stats::qc::check_samples(args.sample.as_slice())?;
    let of_reads = reads > 0;
    let reports = match of_reads {
        true => of_fastq(args, &entries)?,
        false => of_alignments(args, &entries)?,
    };
    let has_metrics = reports.iter().any(|report| !report.metrics().is_empty());
    let compat = args.compat.of(|peer| match peer {
        Peer::Picard => has_metrics,
        Peer::Fastqc => reports.contains(&ReportName::Fastqc),
        _ => false,
    })?;
    let contaminants = Contaminants::known();
    let wanted = NeededFigures::whole(&contaminants, false);
    let mut entries = stats::join_by_sample(entries, wanted, false)?;
    let names = entries.iter().map(|entry| match (&args.sample, of_reads) {
        (Some(sample), _) => OsString::from(sample),
        (None, true) => OsString::from(stats::fastqc::stem(&entry.sample)),
        (None, false) => inputs::stem(Path::new(&entry.sample)),
    });
    let prefixes = output::prefixes(folder, names)?;
    output::make_folder(session, folder)?;
    stats::report(&session.console, &entries, args.reading.messages.quiet);
    for (entry, prefix) in entries.iter_mut().zip(&prefixes) {
        if !entry.errors.is_empty() {
            if of_reads {
                drop(qc_reads::settle(entry, &contaminants));
            }
            continue;
        }
        let outputs = match of_reads {
            true => {
                let opened = qc_reads::open(&reports, prefix, true, session)?;
                qc_reads::fill(
                    std::slice::from_mut(entry),
                    vec![opened],
                    (&contaminants, compat.fastqc),
                    judge,
                    session,
                )?
            }
            false => {
                stats::assess(std::slice::from_mut(entry), judge);
                fill(entry, &reports, (compat, judge), prefix, session)?
            }
        };
        commit(outputs, false)?;
    }
    let good = entries.iter().all(|entry| entry.errors.is_empty());
    let code = if good { Exit::Fine } else { Exit::Failed };
    stats::html::write(page, &entries, judge.history.as_ref())?;
    stats::conclude(&entries, judge, args.reading.messages.quiet, code)
}

/// Which reports of reads are written: those that are listed, or all of which every row has the counts.
fn of_fastq(args: &Args, entries: &[Entry]) -> Result<Vec<ReportName>> {
    if let Some(report) = args.qc.iter().find(|report| !report.of_reads()) {
        bail!("--qc {} is a report of alignments, but the reports are of reads", report.name());
    }
    let mut reports = ReportName::value_variants().to_vec();
    reports.retain(|report| match args.qc.is_empty() {
        true => report.of_reads() && !report.is_only_if_listed(),
        false => args.qc.contains(report),
    });
    let lacks = |entry: &&Entry| match &entry.figures {
        Figures::Collector(collector) => !collector.is_for_fastqc(),
        _ => false,
    };
    let Some(entry) = entries.iter().find(lacks) else { return Ok(reports) };
    let needs = |report: &ReportName| matches!(report, ReportName::Fastqc | ReportName::Fastp);
    if let Some(report) = args.qc.iter().find(|report| needs(report)) {
        return Err(Hinted {
            message: format!(
                "the report of {} has no counts for {}",
                entry.inputs.join(" "),
                report.name()
            ),
            hint: "for reads, use the file NAME.biofast.json that `biofast stats --out-dir DIR` writes".into(),
        }
        .into());
    }
    reports.retain(|report| !needs(report));
    Ok(reports)
}

/// Which reports of alignments are written: those that are listed, or all of which every row has the counts.
fn of_alignments(args: &Args, entries: &[Entry]) -> Result<Vec<ReportName>> {
    for report in &args.qc {
        if !report.of_alignments() {
            bail!("--qc {} is a report of reads, but the reports are of alignments", report.name());
        }
        if let Some(why) = report.unmergeable() {
            return Err(Hinted {
                message: format!("--qc {} can't be made from reports: {why}", report.name()),
                hint: "merge the alignments with `biofast merge`, then run `biofast stats --out-dir DIR` on the result".into(),
            }
            .into());
        }
    }
    let has = |entry: &Entry, report: ReportName| {
        let counted = counted(entry);
        match report {
            ReportName::Flagstat | ReportName::Idxstats | ReportName::Json | ReportName::Html => {
                true
            }
            ReportName::AlignmentSummary => counted.alignment_summary,
            ReportName::InsertSize => counted.insert_size,
            ReportName::QualityByCycle => counted.quality_by_cycle,
            ReportName::QualityDistribution => counted.quality_distribution,
            ReportName::BaseDistribution => counted.base_distribution,
            ReportName::GcBias => counted.gc_bias,
            ReportName::Wgs => counted.wgs,
            ReportName::Hs => counted.hs,
            _ => false,
        }
    };
    // A faulty part says so itself.
    let good = || entries.iter().filter(|entry| entry.errors.is_empty());
    let all = args.qc.contains(&ReportName::Picard);
    let mut reports = Vec::new();
    for &report in ReportName::value_variants() {
        let (with, without) =
            (good().find(|entry| has(entry, report)), good().find(|entry| !has(entry, report)));
        let is_coverage = matches!(report, ReportName::Wgs | ReportName::Hs);
        let is_listed = args.qc.is_empty()
            || args.qc.contains(&report)
            || (all && !report.metrics().is_empty() && !is_coverage);
        match (with, without) {
            _ if !is_listed => {}
            (Some(_), None) => reports.push(report),
            (None, Some(entry)) if args.qc.contains(&report) && report != ReportName::Picard => {
                return Err(lacks(entry, report, None));
            }
            (Some(other), Some(entry)) => return Err(lacks(entry, report, Some(other))),
            _ => {}
        }
    }
    let has_metrics = reports.iter().any(|report| !report.metrics().is_empty());
    if let Some(entry) = good().next().filter(|_| all && !has_metrics) {
        return Err(lacks(entry, ReportName::Picard, None));
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

fn lacks(entry: &Entry, report: ReportName, other: Option<&Entry>) -> anyhow::Error {
    let name = |entry: &Entry| entry.inputs.join(" ");
    let others = other.map_or(String::new(), |other| format!(", but that of {} has", name(other)));
    Hinted {
        message: format!(
            "the report of {} has no counts for {}{others}",
            name(entry),
            report.name()
        ),
        hint: "write it with `biofast stats --json --partial lane --qc LIST` (`--partial shard` for pieces of one sorted file)".into(),
    }
    .into()
}

/// The files of a sample with what is in them.
fn fill(
    entry: &Entry,
    reports: &[ReportName],
    (compat, judge): (Compat, &Judge),
    prefix: &Path,
    session: &mut Session,
) -> Result<Vec<Output>> {
    let Figures::Alignments(_, Some(figures)) = &entry.figures else { return Ok(Vec::new()) };
    let name = prefix.file_name().unwrap_or_default().to_string_lossy();
    let mut outputs = Vec::new();
    for &report in reports {
        let ending = match report {
            ReportName::Json | ReportName::Html => format!("biofast.{}", report.name()),
            _ => report.name(),
        };
        if let Some(text) = text(entry, figures, report, judge)? {
            outputs.push(filled(prefix, &ending, text, session)?);
        }
        for &each in report.metrics() {
            let counts = entry.metrics.as_deref();
            let version = env!("CARGO_PKG_VERSION");
            let text = counts
                .and_then(|counts| metrics::text(counts, each, compat.picard, &name, version));
            if let Some(text) = text {
                outputs.push(filled(prefix, each.ending(), text, session)?);
            }
        }
    }
    Ok(outputs)
}

/// The text of a report that isn't one of Picard's.
fn text(
    entry: &Entry,
    figures: &AlignmentFigures,
    report: ReportName,
    judge: &Judge,
) -> Result<Option<String>> {
    Ok(match report {
        ReportName::Flagstat => {
            Some(flagstat::text(&[figures.records.passed, figures.records.failed]))
        }
        ReportName::Idxstats => Some(idxstats::Table::from(figures).text()),
        ReportName::Json => Some(stats::json_of(entry)?),
        ReportName::Html => {
            Some(stats::html::page(None, std::slice::from_ref(entry), judge.history.as_ref())?)
        }
        _ => None,
    })
}

fn filled(prefix: &Path, ending: &str, text: String, session: &mut Session) -> Result<Output> {
    let mut path = prefix.as_os_str().to_owned();
    path.push(".");
    path.push(ending);
    Ok(output::filled(output::report(session, Some(&PathBuf::from(path)))?, text)?)
}
