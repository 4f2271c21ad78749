//! `biofast stats` of BAM, SAM and CRAM.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam::{self, Detail, Fasta, InputOptions};
use biofast::io::output::Output;
use biofast::io::{Notes, Options, Progress, Source};
use biofast::ops::alignments::Statistics;
use biofast::ops::alignments::report::{Figures, FileReport, Report};
use biofast::ops::reads::report::Status;
use biofast::ops::samtools_stats::SamtoolsStats;
use biofast::ops::show::samtools;
use biofast::ops::show::tables::alignments::{self as table, Row};

use super::{Args, Entry, options};
use crate::console::{Bar, describe};
use crate::inputs::Input;
use crate::output;
use crate::watch::tell;

/// Reads one input of alignments: its figures, and what is wrong with it.
pub(super) fn collect(
    args: &Args,
    input: &Input,
    source: Source,
    options: &Options,
) -> (Option<Box<Figures>>, Option<String>) {
    let opened = opening(args, options);
    let query = args.regions.query(input, source, &opened);
    let result = query.map(|query| Statistics::collect(query, options));
    match result {
        Ok(Ok(statistics)) => {
            let error = statistics
                .malformed_record()
                .map(|record| format!("record {record}: its optional fields can't be read"));
            (Some(Box::new(Figures::from(&statistics))), error)
        }
        Ok(Err(fault)) => {
            (Some(Box::new(Figures::from(&*fault.so_far))), Some(fault.error.to_string()))
        }
        Err(error) => (None, Some(error.to_string())),
    }
}

/// How an input is opened.
fn opening<'a>(args: &Args, options: &'a Options) -> InputOptions<'a> {
    InputOptions {
        io: options,
        reference: args.reference.as_deref().map(Path::to_owned),
        detail: Detail::Full,
    }
}

/// How alignments are read: a missing end-of-file marker is an error unless it is allowed.
pub(super) fn reading(args: &Args, options: Options) -> Options {
    Options { strict: !args.allow_missing_eof, pedantic: args.strict, ..options }
}

/// `biofast stats --format samtools`.
pub(super) fn samtools(args: &Args, inputs: &[Input], report: Output) -> Result<ExitCode> {
    let [input] = inputs else {
        bail!("--format samtools is of one input, but {} are named", inputs.len());
    };
    if args.paired || args.interleaved || !args.sample.is_empty() {
        bail!("--paired, --interleaved and --sample don't go with --format samtools");
    }
    if args.regions.any() {
        bail!("regions don't go with --format samtools: that report is of whole files");
    }
    let threads = args.threads.map_or_else(biofast::io::available_threads, usize::from);
    let progress = Arc::new(Progress::default());
    let notes = Arc::new(Notes::default());
    let mut options = reading(args, options(args, threads));
    options.progress = Some(Arc::clone(&progress));
    options.notes = Some(Arc::clone(&notes));
    let reference = args.reference.as_deref().map(Fasta::open).transpose()?;
    let source = bam::Input::open(input.open()?, &opening(args, &options))?.source;
    let bar = Bar::new(&progress, input.len(), args.quiet);
    let statistics = SamtoolsStats::collect(source, &options, reference.as_ref());
    drop(bar);
    if args.verbose {
        describe(input, None, &options, args.threads);
    }
    if !args.quiet {
        tell(input, &notes);
    }
    let statistics = statistics.map_err(|failure| match failure {
        biofast::ops::samtools_stats::Failure::MalformedTags(_) => {
            anyhow::anyhow!("{}: {failure}", input.name())
        }
        _ => failure.into(),
    })?;
    let command: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().replace('\n', "\\n"))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let text = samtools::stats::text(&statistics, version, &command.join(" "));
    output::finish(report, text)?;
    Ok(ExitCode::SUCCESS)
}

/// The rows of alignments as text.
pub(super) fn text(entries: &[&Entry], tsv: bool) -> String {
    let errors: Vec<String> = entries.iter().map(|entry| entry.errors.join("; ")).collect();
    let rows: Vec<Row<'_>> = entries
        .iter()
        .zip(&errors)
        .filter_map(|(entry, error)| {
            let (format, figures) = entry.figures.alignments()?;
            let result = match figures {
                Some(figures) if error.is_empty() => Ok(figures),
                _ => Err(error.as_str()),
            };
            Some(Row { name: &entry.sample, format: format.name(), result })
        })
        .collect();
    if tsv { table::tsv(&rows) } else { table::table(&rows) }
}

/// The report of the rows of alignments.
pub(super) fn report(entries: &[&Entry]) -> Report {
    let files = entries.iter().filter_map(|entry| {
        let (format, figures) = entry.figures.alignments()?;
        let error = entry.errors.join("; ");
        Some(FileReport {
            sample: entry.sample.clone(),
            input: entry.inputs.join(" "),
            status: if error.is_empty() { Status::Ok } else { Status::Error },
            error: Some(error).filter(|error| !error.is_empty()),
            warnings: entry.warnings.clone(),
            format: format.name().into(),
            figures: figures.cloned(),
        })
    });
    Report::new(env!("CARGO_PKG_VERSION"), files.collect())
}
