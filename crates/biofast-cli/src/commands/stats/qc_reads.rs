//! `--out-dir` of reads: all reports of a file, or of a pair of files, from one reading.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, DetectedData};
use biofast_io::Progress;
use biofast_io::output::{Output, commit};
use biofast_ops::compat::{FastqcVersion, Peer};
use biofast_ops::reads::{Collector, Contaminants};
use biofast_report::{fastp, fastqc};
use clap::ValueEnum;

use super::args::{ReportName, StatsFormat};
use super::fastqc::stem;
use super::printed::text;
use super::rows::{Entry, Figures, NeededFigures, assess, file_name, json, reads_report, report};
use super::{Args, check_pairs, collect_all, html, rereads};
use crate::console::Bar;
use crate::inputs::Input;
use crate::options::{Judge, Judged, SeekIndexes};
use crate::output;
use crate::session::{Exit, Session};

/// The files of each report, after the name of the input.
const ENDINGS: [(ReportName, &str); 6] = [
    (ReportName::Fastqc, "_fastqc/fastqc_data.txt"),
    (ReportName::Fastqc, "_fastqc/summary.txt"),
    (ReportName::Seqkit, ".seqkit.tsv"),
    (ReportName::Fastp, ".fastp.json"),
    (ReportName::Json, ".biofast.json"),
    (ReportName::Html, ".biofast.html"),
];

/// Whether the inputs are reads, not alignments. What is in a stream isn't looked at: there the reports that are asked for tell, and
/// names.
pub(super) fn are_reads(args: &Args, inputs: &[Input]) -> Result<bool> {
    let of = |kind: bool| inputs.iter().find(|input| holds_reads(input) == Some(kind));
    match (of(true), of(false)) {
        (Some(reads), Some(alignments)) => bail!(
            "{} holds reads and {} alignments, which have different reports: run them separately",
            reads.name(),
            alignments.name()
        ),
        (Some(_), None) => Ok(true),
        (None, Some(_)) => Ok(false),
        (None, None) => {
            let named = |input: &Input| {
                let name = input.name().to_ascii_lowercase();
                [".fq", ".fastq"].iter().any(|ending| name.contains(ending))
            };
            let asked = args.qc.iter().any(|report| !report.of_alignments());
            Ok(asked || inputs.iter().any(named))
        }
    }
}

/// Whether a file holds reads or alignments, if it can be seen.
fn holds_reads(input: &Input) -> Option<bool> {
    let Input::Path(path) = input else { return None };
    if !biofast_io::remote::can_reopen(path) {
        return None;
    }
    match bam::Format::sniff(&mut input.open().ok()?) {
        Ok(_) => Some(false),
        Err(error) => {
            let found = DetectedData::MaybeFastq;
            matches!(error.kind(), bam::ErrorKind::NotAlignments(what) if *what == found)
                .then_some(true)
        }
    }
}

/// Writes the reports of each input; those of one, or of a pair, appear together. An input that can't be read has none, and the
/// others have theirs.
pub(super) fn write(
    args: &Args,
    (inputs, names): (&[Input], &[String]),
    (contaminants, judge): (&Contaminants, &Judge),
    indexes: &SeekIndexes,
    session: &mut Session,
) -> Result<Exit> {
    let Some(folder) = args.out_dir.as_deref() else { return Ok(Exit::Fine) };
    let reports = reports(args)?;
    let writes_fastqc = reports.contains(&ReportName::Fastqc);
    let compat = args.compat.of(|peer| peer == Peer::Fastqc && writes_fastqc)?;
    let prefixes = prefixes(args, folder, inputs)?;
    // The page may be in it.
    output::make_folder(session, folder)?;
    let page = args.title.open(session, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&session.console, &progress, total, args.messages.quiet);
    let searches = reports != [ReportName::Seqkit] || judge.is_asked() || page.is_some();
    let wanted = NeededFigures::whole(contaminants, searches);
    let unit = if args.paired { 2 } else { 1 };
    // So many are read at once, and kept until they are written.
    let at_once = args.threads.total().next_multiple_of(2);
    let mut all_good = true;
    let mut judged = Judged::new();
    let mut rows: Vec<Entry> = Vec::new();
    let groups = inputs.chunks(at_once).zip(names.chunks(at_once)).zip(prefixes.chunks(at_once));
    for ((inputs, names), prefixes) in groups {
        let mut opened = Vec::new();
        for (number, prefix) in prefixes.iter().enumerate() {
            opened.push(open(&reports, prefix, number % unit == 0, session)?);
        }
        let rereads = rereads(args, inputs);
        let mut entries =
            collect_all(args, wanted, inputs, names, (&progress, indexes), false, session)?;
        check_pairs(args, inputs, &rereads, &mut entries);
        report(&session.console, &entries, args.messages.quiet);
        let mut opened = opened.into_iter();
        for (mates, inputs) in entries.chunks_mut(unit).zip(inputs.chunks(unit)) {
            let outputs: Vec<Vec<ReportFile>> = opened.by_ref().take(mates.len()).collect();
            match mates.iter().all(|entry| entry.errors.is_empty()) {
                true => {
                    let of = (contaminants, compat.fastqc);
                    let mut outputs = fill(mates, outputs, of, judge, session)?;
                    outputs.extend(indexes.of(inputs)?);
                    commit(outputs, false)?;
                    judged.extend(mates.iter().filter_map(|entry| {
                        Some((entry.sample.clone(), entry.verdicts.as_deref()?.clone()))
                    }));
                }
                false => {
                    all_good = false;
                    mates.iter_mut().for_each(|entry| drop(settle(entry, contaminants)));
                }
            }
        }
        if page.is_some() {
            rows.append(&mut entries);
        }
    }
    drop(bar);
    html::write(page, &rows, judge.history.as_ref())?;
    let code = if all_good { Exit::Fine } else { Exit::Failed };
    judge.conclude(&judged, args.messages.quiet, code)
}

/// Which reports are written, when all options go together.
fn reports(args: &Args) -> Result<Vec<ReportName>> {
    let others = [("--tsv", args.format.tsv), ("--json", args.format.json), ("--plot", args.plot)];
    if let Some((name, _)) = others.into_iter().find(|(_, given)| *given) {
        bail!(
            "{name} can't be combined with --out-dir, which writes all reports to files: choose them with --qc"
        );
    }
    if let Some(name) = args.depth.given() {
        bail!("{name} applies to alignments, but the inputs are reads");
    }
    if args.target_intervals.is_some() {
        bail!("--target-intervals applies to alignments, but the inputs are reads");
    }
    if let Some(report) = args.qc.iter().find(|report| !report.of_reads()) {
        bail!(
            "--qc {} is a report of alignments, but the inputs are reads; reports of reads are {}",
            report.name(),
            ReportName::value_variants()
                .iter()
                .filter(|report| report.of_reads())
                .map(|report| report.name())
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    let mut reports = ReportName::value_variants().to_vec();
    reports.retain(|report| match args.qc.is_empty() {
        true => report.of_reads() && !report.is_only_if_listed(),
        false => args.qc.contains(report),
    });
    Ok(reports)
}

/// What the names of each input's files start with: its name, or that of its sample.
fn prefixes(args: &Args, folder: &Path, inputs: &[Input]) -> Result<Vec<PathBuf>> {
    super::qc::check_samples(&args.sample)?;
    let names = inputs.iter().zip(0..).map(|(input, number)| match &args.sample[..] {
        [] if matches!(input, Input::Path(_)) => OsString::from(stem(&input.name())),
        [] => input.stem(),
        [one] => OsString::from(one),
        samples => OsString::from(&samples[number]),
    });
    output::prefixes(folder, names)
}

/// A file to be filled.
pub(crate) struct ReportFile {
    /// What its name starts with.
    name: String,
    ending: &'static str,
    output: Output,
}

/// Opens all files whose names start with `prefix`. fastp has one report of both mates, at the first one.
pub(crate) fn open(
    reports: &[ReportName],
    prefix: &Path,
    first: bool,
    session: &mut Session,
) -> Result<Vec<ReportFile>> {
    let mut opened = Vec::new();
    let name = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (report, ending) in ENDINGS {
        if !reports.contains(&report) || (report == ReportName::Fastp && !first) {
            continue;
        }
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        let path = PathBuf::from(path);
        if let Some(folder) = path.parent().filter(|_| report == ReportName::Fastqc) {
            output::make_folder(session, folder)?;
        }
        let output = output::report(session, Some(&path))?;
        opened.push(ReportFile { name: name.clone(), ending, output });
    }
    Ok(opened)
}

/// Makes figures of the collector of a row, which is given back.
pub(crate) fn settle(entry: &mut Entry, contaminants: &Contaminants) -> Option<Collector> {
    let Figures::Collector(mut collector) = std::mem::replace(&mut entry.figures, Figures::Joined)
    else {
        return None;
    };
    collector.finish_duplicates(contaminants);
    let summary = Some(Box::new(collector.summary()));
    let statistics = Some(Box::new(collector.statistics(contaminants)));
    entry.figures = Figures::Reads(summary, statistics);
    Some(*collector)
}

/// The files of one input, or of both of a pair, with what is in them.
pub(crate) fn fill(
    entries: &mut [Entry],
    outputs: Vec<Vec<ReportFile>>,
    (contaminants, version): (&Contaminants, FastqcVersion),
    judge: &Judge,
    session: &Session,
) -> Result<Vec<Output>> {
    let collectors: Vec<Collector> =
        entries.iter_mut().filter_map(|entry| settle(entry, contaminants)).collect();
    assess(entries, judge);
    let nothing = Collector::new();
    let mut filled = Vec::new();
    for (i, (collector, outputs)) in collectors.iter().zip(outputs).enumerate() {
        let entry = &entries[i];
        let sample = file_name(&entry.sample);
        let fastqc = fastqc::FastqcReport::new(sample, collector, contaminants, version);
        for ReportFile { name, ending, output } in outputs {
            let content = match ending {
                "_fastqc/fastqc_data.txt" => fastqc.as_ref().map(fastqc::FastqcReport::data),
                "_fastqc/summary.txt" => fastqc.as_ref().map(fastqc::FastqcReport::summary),
                ".seqkit.tsv" => {
                    let format = StatsFormat { tsv: true, json: false };
                    Some(text(std::slice::from_ref(entry), format, false)?)
                }
                ".fastp.json" => {
                    let mates = [collector, collectors.get(1).unwrap_or(&nothing)];
                    let command = output::command_line_of(session.command_line(), &name);
                    let report = fastp::FastpReport::new(mates, &command, contaminants);
                    // MultiQC looks for a line of it.
                    Some(serde_json::to_string_pretty(&report)? + "\n")
                }
                ".biofast.json" => Some(json(&reads_report(&[entry], None))?),
                _ => Some(html::page(None, std::slice::from_ref(entry), judge.history.as_ref())?),
            };
            if let Some(content) = content {
                filled.push(output::filled(output, content)?);
            }
        }
    }
    Ok(filled)
}
