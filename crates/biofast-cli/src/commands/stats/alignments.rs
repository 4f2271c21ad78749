//! `biofast stats` of BAM, SAM and CRAM.

use anyhow::{Context, Error, Result, bail};
use biofast_bam::query::Query;
use biofast_bam::{self as bam, Detail, Fasta};
use biofast_io::output::Output;
use biofast_io::{Options, Source};
use biofast_ops::alignments::partial::PartKind;
use biofast_ops::alignments::report::{self, AlignmentFileReport, Figures, ReportGroup};
use biofast_ops::alignments::{Statistics, StatisticsMeasure};
use biofast_ops::compat::Peer;
use biofast_ops::picard::{HsMeasure, Panel, Picard, PicardMeasure, WgsMeasure};
use biofast_ops::qc::{self, Failure, GroupBy, Groups, MeasureList};
use biofast_ops::reads::report::Status;
use biofast_ops::samtools_stats::SamtoolsStats;
use biofast_ops::verdicts::VerdictRules;
use biofast_report::samtools;
use biofast_report::tables::alignments::{self as table, AlignmentRow};

use super::args::Partial;
use super::{Args, Entry, ReportName, metrics};
use crate::console::{Diagnostic, Hinted};
use crate::inputs::Input;
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// Reads one input of alignments: its figures, and what is wrong with it.
pub(super) fn collect(
    args: &Args,
    input: &Input,
    source: Source,
    part: Option<PartKind>,
    watch: &Watch,
) -> (Option<Box<Figures>>, Option<Diagnostic>) {
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let query = match args.regions.query(args.messages.of(&watch.console), input, source, &opening)
    {
        Ok(query) => query,
        Err(error) => return (None, Some(Diagnostic::from(&error))),
    };
    // What overlaps regions is no part whose seams are known.
    let part = part.filter(|_| !args.regions.any());
    if part.is_some() && !args.qc.is_empty() {
        return match collect_metrics(args, query, part, watch) {
            Ok(figures) => (Some(Box::new(figures)), None),
            Err(error) => (None, Some(Diagnostic::from(&error))),
        };
    }
    let reference = match beside(args).map(Fasta::open).transpose() {
        Ok(reference) => reference,
        Err(error) => return (None, Some(Diagnostic::from(&error.into()))),
    };
    let result = match shows_mismatches(args) {
        true => {
            Statistics::collect_with_mismatches(query, &watch.options, part, reference.as_ref())
        }
        false => Statistics::collect_part(query, &watch.options, part),
    };
    match result {
        Ok(statistics) => {
            let error = malformed(&statistics);
            (Some(Box::new(Figures::from(&statistics))), error)
        }
        Err(fault) => {
            (Some(Box::new(Figures::from(&*fault.so_far))), Some(Diagnostic::of(&fault.error)))
        }
    }
}

/// Whether mismatches by position are shown: tables don't have them.
fn shows_mismatches(args: &Args) -> bool {
    args.format.json || args.html.is_some()
}

/// The reference that mismatches and GC bias are counted beside.
fn beside(args: &Args) -> Option<&std::path::Path> {
    let by_groups = args.depth.files.by_groups().is_ok_and(|by| by.is_some());
    args.reference.as_deref().filter(|_| shows_mismatches(args) && !by_groups)
}

/// What `--coverage-cap` is refused with.
pub(super) const CAP_IS_FOR: &str = "--coverage-cap needs hs or wgs in --qc";

/// Whether what a part is to carry can be joined, and is asked for where there are parts.
pub(super) fn check_part(args: &Args) -> Result<()> {
    let has = |report| args.qc.contains(&report);
    if args.target_intervals.is_some() && !has(ReportName::Hs) {
        bail!("--target-intervals needs hs in --qc");
    }
    if args.coverage_cap.is_some() && !has(ReportName::Hs) && !has(ReportName::Wgs) {
        bail!("{CAP_IS_FOR}");
    }
    if args.qc.is_empty() {
        return Ok(());
    }
    if args.partial.is_none() && !args.shard.any() {
        bail!("--qc needs --out-dir, or --json with --partial or --shard");
    }
    if !args.format.json {
        bail!("--qc of a part needs --json; `biofast merge --out-dir` writes the files");
    }
    for report in &args.qc {
        if let Some(why) = report.unmergeable() {
            return Err(Hinted {
                message: format!("--qc {} can't be made from parts: {why}", report.name()),
                hint: "`biofast merge` makes one file of sorted alignments, of which `biofast stats --out-dir` has all reports".into(),
            }
            .into());
        }
        if matches!(report, ReportName::GcBias | ReportName::Wgs) && args.reference.is_none() {
            bail!(
                "--qc {} needs --reference, the FASTA file the reads were aligned to",
                report.name()
            );
        }
        if *report == ReportName::Hs && args.target_intervals.is_none() {
            bail!("--qc hs needs the capture targets: --target-intervals FILE");
        }
        if matches!(report, ReportName::Wgs | ReportName::Hs) && args.partial == Some(Partial::Lane)
        {
            return Err(Hinted {
                message: format!(
                    "--qc {} can't be merged from lanes: at positions deeper than Picard's limit it depends on the order of all records",
                    report.name()
                ),
                hint: "merge the alignments of the lanes with `biofast merge`, then run `biofast stats --out-dir DIR` on the result, whole or in shards".into(),
            }
            .into());
        }
        if !report.of_alignments() {
            bail!(
                "--qc {} is a report of reads and needs no --qc here: their JSON has all that `merge` needs",
                report.name()
            );
        }
    }
    Ok(())
}

/// Whether anything is counted beside the reference.
pub(super) fn needs_reference(args: &Args) -> bool {
    let wanted = metrics(&args.qc, args.reference.is_some());
    beside(args).is_some() || wanted.alignment_summary || wanted.gc_bias || wanted.wgs || wanted.hs
}

/// The same with the counts of Picard's metrics, of a part.
fn collect_metrics(
    args: &Args,
    query: Query,
    part: Option<PartKind>,
    watch: &Watch,
) -> Result<Figures> {
    let reference = args.reference.as_deref().map(Fasta::open).transpose()?;
    let panel = match &args.target_intervals {
        Some(targets) => Some(Panel::open(targets, args.bait_intervals.as_deref())?),
        None => None,
    };
    let (is_part, cap) = (part.is_some(), args.coverage_cap);
    let wanted = metrics(&args.qc, reference.is_some());
    let (header, query) = query.peek_header()?;
    let measures = || {
        let mut measures = MeasureList::new();
        if let Some(fasta) = reference.as_ref().filter(|_| wanted.wgs) {
            measures.add(WgsMeasure::new(fasta.clone(), is_part, cap));
        }
        if let Some(panel) = panel.filter(|_| wanted.hs) {
            measures.add(HsMeasure::new(&panel, &header, reference.as_ref(), is_part, cap)?);
        }
        measures.add(StatisticsMeasure {
            mismatches: shows_mismatches(args),
            gc_bias: !wanted.gc_bias,
            reference: reference.clone(),
            ..StatisticsMeasure::own(part)
        });
        measures.add(PicardMeasure::new(wanted, reference, is_part));
        Ok(measures)
    };
    let found = measures().and_then(|measures| qc::collect(query, &watch.options, measures));
    let mut found = found.map_err(|failure| match failure {
        // Its name is put before what is wrong.
        Failure::MalformedTags(_) => anyhow::anyhow!("{failure}"),
        Failure::Input(error) => error.into(),
        failure => failure.into(),
    })?;
    let statistics = found.get::<Statistics>().context("nothing was counted")?;
    let mut figures = Figures::from(statistics);
    let picard: Option<Picard> = found.take();
    figures.gc_bias = figures.gc_bias.or(picard.as_ref().and_then(|picard| picard.gc_bias.clone()));
    if let Some(partial) = &mut figures.partial {
        partial.picard = picard.map(Box::new);
    }
    Ok(figures)
}

/// The most groups of a file: each takes about 0.4 MB of memory for short reads, and up to 3 MB for long ones.
const MAX_GROUPS: usize = 2048;

/// Groups, and threads that count each of them for itself, so that they take 1 GB for short reads.
const COUNTED_AT_ONCE: usize = 2048;

/// Options that read with so few threads that their counts of so many groups have room.
pub(super) fn options_for(groups: usize, options: &Options) -> Options {
    let most = (COUNTED_AT_ONCE / groups.max(1)).max(1);
    Options { threads: options.threads.min(most), ..options.clone() }
}

/// The groups of a header.
///
/// # Errors
/// If there are more than memory is set aside for.
pub(super) fn groups(header: &bam::Header, by: GroupBy, input: &Input) -> Result<Groups> {
    let groups = Groups::of(header, by);
    let found = groups.names().len();
    if found > MAX_GROUPS {
        return Err(Hinted {
            message: format!(
                "{}: the header has {found} groups for --by {}, but at most {MAX_GROUPS} are supported",
                input.name(),
                by.tag()
            ),
            hint: "use --by SM, which has fewer groups, or extract read groups with `biofast filter --read-group ID`".into(),
        }
        .into());
    }
    Ok(groups)
}

/// Reads one input of alignments: its figures, and those of each group.
pub(super) fn collect_by(
    args: &Args,
    input: &Input,
    source: Source,
    by: GroupBy,
    watch: &Watch,
) -> Result<Vec<(Option<ReportGroup>, Box<Figures>)>> {
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let (header, query) = args
        .regions
        .query(args.messages.of(&watch.console), input, source, &opening)?
        .peek_header()?;
    let groups = groups(&header, by, input)?;
    let mismatches = shows_mismatches(args);
    let measures = StatisticsMeasure { mismatches, ..StatisticsMeasure::own(None) };
    let options = options_for(groups.names().len(), &watch.options);
    let found = qc::collect_by(query, &options, measures, Some(&groups))
        .map_err(|failure| failed(failure, input))?;
    let names = std::iter::once(None).chain(groups.names().iter().map(Some));
    let last = groups.names().len();
    let mut rows = Vec::new();
    for (place, (found, name)) in found.into_iter().zip(names).enumerate() {
        // Where every record has a group, there is no row of those without.
        if let Some(statistics) = found.get::<Statistics>()
            && (place < last || place == 0 || found.records > 0)
        {
            let group = name.map(|name| ReportGroup { by: by.tag().into(), name: name.clone() });
            rows.push((group, Box::new(Figures::from(statistics))));
        }
    }
    Ok(rows)
}

/// What is wrong with records that were counted all the same.
pub(super) fn malformed(statistics: &Statistics) -> Option<Diagnostic> {
    if let Some(fault) = statistics.reference_fault() {
        return Some(Diagnostic::new(fault.to_string()));
    }
    let record = statistics.malformed_record()?;
    Some(Diagnostic::new(format!("record {record}: malformed tags")))
}

/// `biofast stats --format samtools`.
pub(super) fn samtools(
    args: &Args,
    inputs: &[Input],
    report: Output,
    session: &Session,
) -> Result<Exit> {
    let [input] = inputs else {
        bail!("--format samtools takes one input, but got {}", inputs.len());
    };
    if args.paired || args.interleaved || !args.sample.is_empty() {
        bail!("--paired, --interleaved and --sample can't be combined with --format samtools");
    }
    if args.regions.any() {
        bail!("regions can't be combined with --format samtools, which reports whole files");
    }
    let version = args.compat.of(|peer| peer == Peer::Samtools)?.samtools;
    let watch =
        Watch::new(session, args.strictness.alignments(args.io.apply(args.threads.options())));
    let reference = args.reference.as_deref().map(Fasta::open).transpose()?;
    let opening = watch.opening(args.reference.as_deref(), Detail::Full);
    let source = bam::Input::open(input.open()?, &opening)?.source;
    let bar = watch.bar(input.len(), &args.messages);
    let found =
        qc::collect(source, &watch.options, StatisticsMeasure::samtools(version, reference));
    drop(bar);
    watch.tell(input, None, &args.messages, &args.threads);
    let statistics = found.map_err(|failure| failed(failure, input))?.take::<SamtoolsStats>();
    let statistics = statistics.context("nothing was counted")?;
    if let Some(doubt) = statistics.doubt_of_reference().filter(|_| !args.messages.quiet) {
        session.console.warning(&format!("{}: {doubt}", input.name()));
    }
    output::finish(report, samtools_text(&statistics, session))?;
    Ok(Exit::Fine)
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
pub(super) fn samtools_text(statistics: &SamtoolsStats, session: &Session) -> String {
    let command = session.arguments().join(" ").replace('\n', "\\n");
    samtools::stats::text(statistics, env!("CARGO_PKG_VERSION"), &command)
}

/// The rows of alignments as text.
pub(super) fn text(entries: &[&Entry], tsv: bool) -> String {
    let errors: Vec<String> = entries.iter().map(|entry| entry.error()).collect();
    let rows: Vec<AlignmentRow<'_>> = entries
        .iter()
        .zip(&errors)
        .filter_map(|(entry, error)| {
            let (format, figures) = entry.figures.alignments()?;
            let result = match figures {
                Some(figures) if error.is_empty() => Ok(figures),
                _ => Err(error.as_str()),
            };
            Some(AlignmentRow { name: &entry.sample, format: format.name(), result })
        })
        .collect();
    if tsv { table::tsv(&rows) } else { table::table(&rows) }
}

/// The report of the rows of alignments; those that nobody has judged are judged by `rules`, if there are any.
pub(super) fn report(entries: &[&Entry], rules: Option<&VerdictRules>) -> report::AlignmentReport {
    let files = entries.iter().filter_map(|entry| file_report(entry, rules));
    report::AlignmentReport::new(env!("CARGO_PKG_VERSION"), files.collect())
}

/// The report of a row; `None` unless it is of alignments.
pub(super) fn file_report(
    entry: &Entry,
    rules: Option<&VerdictRules>,
) -> Option<AlignmentFileReport> {
    let (format, figures) = entry.figures.alignments()?;
    let error = entry.error();
    Some(AlignmentFileReport {
        sample: entry.sample.clone(),
        input: entry.inputs.join(" "),
        group: entry.group.clone(),
        status: if error.is_empty() { Status::Ok } else { Status::Error },
        error: Some(error).filter(|error| !error.is_empty()),
        warnings: entry.warnings.clone(),
        format: format.name().into(),
        verdicts: entry.verdicts(rules),
        figures: figures.cloned(),
    })
}
