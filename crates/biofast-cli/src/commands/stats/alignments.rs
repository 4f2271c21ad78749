//! `biofast stats` of BAM, SAM and CRAM.

use std::process::ExitCode;

use anyhow::{Error, Result, bail};
use biofast::bam::{self, Detail, Fasta};
use biofast::io::Source;
use biofast::io::output::Output;
use biofast::ops::alignments::Statistics;
use biofast::ops::alignments::partial::Kind;
use biofast::ops::alignments::report::{Figures, FileReport, Group, Report};
use biofast::ops::coverage::Distribution;
use biofast::ops::qc::{self, By, Groups, Parts};
use biofast::ops::reads::report::Status;
use biofast::ops::samtools_stats::{Failure, SamtoolsStats};
use biofast::ops::show::samtools;
use biofast::ops::show::tables::alignments::{self as table, Row};

use super::{Args, Entry};
use crate::console::Trouble;
use crate::inputs::Input;
use crate::output;
use crate::watch::Watch;

/// Reads one input of alignments: its figures, and what is wrong with it.
pub(super) fn collect(
    args: &Args,
    input: &Input,
    source: Source,
    part: Option<Kind>,
    watch: &Watch,
) -> (Option<Box<Figures>>, Option<Trouble>) {
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let query = match args.regions.query(input, source, &opening) {
        Ok(query) => query,
        Err(error) => return (None, Some(Trouble::from(&error))),
    };
    // What overlaps regions is no part whose seams are known.
    let part = part.filter(|_| !args.regions.any());
    match Statistics::collect_part(query, &watch.options, part) {
        Ok(statistics) => {
            let error = malformed(&statistics);
            (Some(Box::new(Figures::from(&statistics))), error)
        }
        Err(fault) => {
            (Some(Box::new(Figures::from(&*fault.so_far))), Some(Trouble::of(&fault.error)))
        }
    }
}

/// Reads one input of alignments: its figures, and those of each group.
pub(super) fn collect_by(
    args: &Args,
    input: &Input,
    source: Source,
    by: By,
    watch: &Watch,
) -> Result<Vec<(Option<Group>, Box<Figures>)>> {
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let (header, query) = args.regions.query(input, source, &opening)?.peek_header()?;
    let groups = Groups::of(&header, by);
    let wanted = qc::Wanted { statistics: true, ..qc::Wanted::default() };
    let no_depths = |_| Ok(Parts::<Distribution, Distribution> { depths: None, each: None });
    let found = qc::collect_by(query, &watch.options, &wanted, Some(&groups), no_depths)
        .map_err(|failure| failed(failure, input))?;
    let names = std::iter::once(None).chain(groups.names().iter().map(Some));
    let last = groups.names().len();
    let mut rows = Vec::new();
    for (place, ((found, _), name)) in found.into_iter().zip(names).enumerate() {
        // Where every record has a group, there is no row of those without.
        if let Some(statistics) = &found.statistics
            && (place < last || place == 0 || found.records > 0)
        {
            let group = name.map(|name| Group { by: by.tag().into(), name: name.clone() });
            rows.push((group, Box::new(Figures::from(statistics))));
        }
    }
    Ok(rows)
}

/// What is wrong with records that were counted all the same.
pub(super) fn malformed(statistics: &Statistics) -> Option<Trouble> {
    let record = statistics.malformed_record()?;
    Some(Trouble::new(format!("record {record}: its optional fields can't be read")))
}

/// `biofast stats --format samtools`.
pub(super) fn samtools(args: &Args, inputs: &[Input], report: Output) -> Result<ExitCode> {
    let [input] = inputs else {
        bail!("--format samtools takes one input, but {} are named", inputs.len());
    };
    if args.paired || args.interleaved || !args.sample.is_empty() {
        bail!("--paired, --interleaved and --sample don't go with --format samtools");
    }
    if args.regions.any() {
        bail!("regions don't go with --format samtools: that report is of whole files");
    }
    let watch = Watch::new(args.strictness.alignments(args.io.apply(args.threads.options())));
    let reference = args.reference.as_deref().map(Fasta::open).transpose()?;
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let source = bam::Input::open(input.open()?, &opening)?.source;
    let bar = watch.bar(input.len(), &args.messages);
    let statistics = SamtoolsStats::collect(source, &watch.options, reference.as_ref());
    drop(bar);
    watch.tell(input, None, &args.messages, &args.threads);
    let statistics = statistics.map_err(|failure| failed(failure, input))?;
    output::finish(report, samtools_text(&statistics))?;
    Ok(ExitCode::SUCCESS)
}

/// Why an input has no statistics.
pub(super) fn failed(failure: Failure, input: &Input) -> Error {
    match failure {
        Failure::MalformedTags(_) => {
            anyhow::anyhow!("{}: {failure}", input.name())
        }
        Failure::Input(error) => error.into(),
        failure => failure.into(),
    }
}

/// The report of `samtools stats`.
pub(super) fn samtools_text(statistics: &SamtoolsStats) -> String {
    let command = crate::embedded::arguments().join(" ").replace('\n', "\\n");
    samtools::stats::text(statistics, env!("CARGO_PKG_VERSION"), &command)
}

/// The rows of alignments as text.
pub(super) fn text(entries: &[&Entry], tsv: bool) -> String {
    let errors: Vec<String> = entries.iter().map(|entry| entry.error()).collect();
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
        let error = entry.error();
        Some(FileReport {
            sample: entry.sample.clone(),
            input: entry.inputs.join(" "),
            group: entry.group.clone(),
            status: if error.is_empty() { Status::Ok } else { Status::Error },
            error: Some(error).filter(|error| !error.is_empty()),
            warnings: entry.warnings.clone(),
            format: format.name().into(),
            shard: entry.shard.clone(),
            figures: figures.cloned(),
        })
    });
    Report::new(env!("CARGO_PKG_VERSION"), files.collect())
}
