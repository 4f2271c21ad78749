//! `--out-dir` of reads: all reports of a file, or of a pair of files, from one reading.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam::{self, Found};
use biofast::io::Progress;
use biofast::io::output::{Files, Output, commit};
use biofast::ops::reads::{Collector, Contaminants};
use biofast::ops::show::{fastp, fastqc};
use clap::ValueEnum;

use super::args::{Format, Report};
use super::fastqc::{file_name, stem};
use super::rows::{Entry, Figures, Wanted, assess, json, reads_report, report, text};
use super::{Args, check_pairs, collect_all, html, rereads};
use crate::console::Bar;
use crate::inputs::Input;
use crate::options::{Judge, Judged, SeekIndexes};
use crate::output;

/// The files of each report, after the name of the input.
const ENDINGS: [(Report, &str); 6] = [
    (Report::Fastqc, "_fastqc/fastqc_data.txt"),
    (Report::Fastqc, "_fastqc/summary.txt"),
    (Report::Seqkit, ".seqkit.tsv"),
    (Report::Fastp, ".fastp.json"),
    (Report::Json, ".biofast.json"),
    (Report::Html, ".biofast.html"),
];

/// Whether the inputs are reads, not alignments. What is in a stream isn't looked at: there the reports that are asked for tell, and
/// names.
pub(super) fn are_reads(args: &Args, inputs: &[Input]) -> Result<bool> {
    let of = |kind: bool| inputs.iter().find(|input| holds_reads(input) == Some(kind));
    match (of(true), of(false)) {
        (Some(reads), Some(alignments)) => bail!(
            "{} holds reads and {} alignments, of which there are different reports: write them in two runs",
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
    if !biofast::io::remote::can_reopen(path) {
        return None;
    }
    match bam::Format::sniff(&mut input.open().ok()?) {
        Ok(_) => Some(false),
        Err(error) => {
            let found = Found::MaybeFastq;
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
    files: &mut Files,
) -> Result<ExitCode> {
    let Some(folder) = args.out_dir.as_deref() else { return Ok(ExitCode::SUCCESS) };
    let reports = reports(args)?;
    let prefixes = prefixes(args, folder, inputs)?;
    let page = output::optional_report(files, args.html.as_deref())?;
    output::make_folder(files, folder)?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&progress, total, args.messages.quiet);
    let searches = reports != [Report::Seqkit] || judge.is_asked() || page.is_some();
    let wanted = Wanted::whole(contaminants, searches);
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
            opened.push(open(&reports, prefix, number % unit == 0, files)?);
        }
        let rereads = rereads(args, inputs);
        let mut entries = collect_all(args, wanted, inputs, names, (&progress, indexes), false)?;
        check_pairs(args, inputs, &rereads, &mut entries);
        report(&entries, args.messages.quiet);
        let mut opened = opened.into_iter();
        for (mates, inputs) in entries.chunks_mut(unit).zip(inputs.chunks(unit)) {
            let outputs: Vec<Vec<Opened>> = opened.by_ref().take(mates.len()).collect();
            match mates.iter().all(|entry| entry.errors.is_empty()) {
                true => {
                    let mut outputs = fill(mates, outputs, contaminants, judge)?;
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
    html::write(page, &rows)?;
    let code = if all_good { ExitCode::SUCCESS } else { ExitCode::from(2) };
    judge.conclude(&judged, args.messages.quiet, code)
}

/// Which reports are written, when all options go together.
fn reports(args: &Args) -> Result<Vec<Report>> {
    let others = [("--tsv", args.format.tsv), ("--json", args.format.json), ("--plot", args.plot)];
    if let Some((name, _)) = others.into_iter().find(|(_, given)| *given) {
        bail!("{name} doesn't go with --out-dir, which has all reports as files: see --qc");
    }
    if let Some(name) = args.depth.given() {
        bail!("{name} is for depths of alignments, and the inputs are reads");
    }
    if args.target_intervals.is_some() {
        bail!("--target-intervals is for hs, a report of alignments, and the inputs are reads");
    }
    if let Some(report) = args.qc.iter().find(|report| !report.of_reads()) {
        bail!(
            "--qc {} is a report of alignments, and the inputs are reads, of which there are {}",
            report.name(),
            Report::value_variants()
                .iter()
                .filter(|report| report.of_reads())
                .map(|report| report.name())
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    let mut reports = Report::value_variants().to_vec();
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
pub(crate) struct Opened {
    /// What its name starts with.
    name: String,
    ending: &'static str,
    output: Output,
}

/// Opens all files whose names start with `prefix`. fastp has one report of both mates, at the first one.
pub(crate) fn open(
    reports: &[Report],
    prefix: &Path,
    first: bool,
    files: &mut Files,
) -> Result<Vec<Opened>> {
    let mut opened = Vec::new();
    let name = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (report, ending) in ENDINGS {
        if !reports.contains(&report) || (report == Report::Fastp && !first) {
            continue;
        }
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        let path = PathBuf::from(path);
        if let Some(folder) = path.parent().filter(|_| report == Report::Fastqc) {
            output::make_folder(files, folder)?;
        }
        let output = output::report(files, Some(&path))?;
        opened.push(Opened { name: name.clone(), ending, output });
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
    outputs: Vec<Vec<Opened>>,
    contaminants: &Contaminants,
    judge: &Judge,
) -> Result<Vec<Output>> {
    let collectors: Vec<Collector> =
        entries.iter_mut().filter_map(|entry| settle(entry, contaminants)).collect();
    assess(entries, judge);
    let nothing = Collector::new();
    let mut filled = Vec::new();
    for (i, (collector, outputs)) in collectors.iter().zip(outputs).enumerate() {
        let entry = &entries[i];
        let fastqc = fastqc::Report::new(file_name(&entry.sample), collector, contaminants);
        for Opened { name, ending, output } in outputs {
            let content = match ending {
                "_fastqc/fastqc_data.txt" => fastqc.as_ref().map(fastqc::Report::data),
                "_fastqc/summary.txt" => fastqc.as_ref().map(fastqc::Report::summary),
                ".seqkit.tsv" => {
                    let format = Format { tsv: true, json: false };
                    Some(text(std::slice::from_ref(entry), format, false)?)
                }
                ".fastp.json" => {
                    let mates = [collector, collectors.get(1).unwrap_or(&nothing)];
                    let command = output::command_line_of(&name);
                    let report = fastp::Report::new(mates, &command, contaminants);
                    // MultiQC looks for a line of it.
                    Some(serde_json::to_string_pretty(&report)? + "\n")
                }
                ".biofast.json" => Some(json(&reads_report(&[entry]))?),
                _ => Some(html::page(std::slice::from_ref(entry))?),
            };
            if let Some(content) = content {
                filled.push(output::filled(output, content)?);
            }
        }
    }
    Ok(filled)
}
