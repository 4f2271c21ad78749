//! `--out-dir` of alignments: all reports of a file from one reading of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, bail};
use biofast_bam::{self as bam, Detail, Fasta};
use biofast_io::Progress;
use biofast_io::output::{Output, commit};
use biofast_ops::alignments::report::{Figures as AlignmentFigures, ReportGroup};
use biofast_ops::coverage::Intervals;
use biofast_ops::picard::Panel;
use biofast_ops::qc::{self, DepthSinks, Groups, QcResults, QcSelection};
use biofast_ops::samtools_stats::{Failure, SamtoolsStats};
use biofast_report::mosdepth::{self, Settings, Targets};
use biofast_report::picard::{self as metrics, Metrics};
use biofast_report::samtools;
use clap::ValueEnum;

use super::args::ReportName;
use super::rows::{Entry, Figures, assess, json};
use super::{Args, alignments, html, noticed};
use crate::console::{Bar, Diagnostic, Hinted};
use crate::inputs::Input;
use crate::options::{Judge, Judged, targets, tell_empty, tell_unknown};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// Writes the reports of each input; those of one appear together. An input that can't be read has none, and the others
/// have theirs.
pub(super) fn write(
    args: &Args,
    inputs: &[Input],
    names: &[String],
    judge: &Judge,
    session: &mut Session,
) -> Result<Exit> {
    let Some(folder) = args.out_dir.as_deref() else { return Ok(Exit::Fine) };
    let reports = reports(args)?;
    let settings = args.depth.files.settings(None)?;
    let panel = match &args.target_intervals {
        Some(targets) => Some(Panel::open(targets, args.bait_intervals.as_deref())?),
        None => None,
    };
    if !args.messages.quiet {
        tell_empty(&session.console, settings.intervals.iter().filter_map(Intervals::note));
        tell_empty(&session.console, panel.iter().flat_map(Panel::notes));
    }
    let prefixes = prefixes(args, folder, inputs)?;
    // The page may be in it.
    output::make_folder(session, folder)?;
    let page = output::optional_report(session, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&session.console, &progress, total, args.messages.quiet);
    let mut troubles: Vec<Diagnostic> = Vec::new();
    let mut judged = Judged::new();
    let mut rows: Vec<Entry> = Vec::new();
    for ((input, name), prefix) in inputs.iter().zip(names).zip(&prefixes) {
        let (reports, settings, panel) = (&reports[..], &settings, panel.as_ref());
        let has_page = page.is_some();
        let asked = Asked { args, reports, settings, panel, judge, has_page };
        let result = asked
            .open(prefix, session)
            .and_then(|opened| asked.read((input, name), (prefix, opened), session, &progress))
            .and_then(|(outputs, of_input)| {
                commit(outputs, false)?;
                let verdicts = |entry: &Entry| {
                    Some((entry.sample.clone(), entry.verdicts.as_deref()?.clone()))
                };
                judged.extend(of_input.iter().filter_map(verdicts));
                Ok(of_input)
            });
        match result {
            Err(error) if inputs.len() == 1 => return Err(error),
            Err(error) => {
                let trouble = Diagnostic::from(&error);
                rows.push(faulty(input, name, trouble.clone()));
                troubles.push(trouble);
            }
            Ok(of_input) if has_page => rows.extend(of_input),
            Ok(_) => {}
        }
    }
    drop(bar);
    html::write(page, &rows)?;
    troubles.iter().for_each(|trouble| trouble.tell(&session.console));
    // Of many errors the first is enough to learn from.
    if let Some(trouble) = troubles.first().filter(|_| !args.messages.quiet) {
        trouble.hint(&session.console);
    }
    let code = if troubles.is_empty() { Exit::Fine } else { Exit::Failed };
    judge.conclude(&judged, args.messages.quiet, code)
}

/// The row of an input that can't be read.
fn faulty(input: &Input, name: &str, trouble: Diagnostic) -> Entry {
    // What is in it was not found out.
    let format = bam::Format::Bam;
    let figures = Figures::Alignments(format, None);
    let entry = Entry::new(name.to_owned(), vec![input.name()], format.name(), figures);
    Entry { errors: vec![trouble], ..entry }
}

/// Which reports are written, when all options go together.
fn reports(args: &Args) -> Result<Vec<ReportName>> {
    let others = [
        ("--tsv", args.format.tsv),
        ("--json", args.format.json),
        ("--plot", args.plot),
        ("--paired", args.paired),
        ("--interleaved", args.interleaved),
    ];
    if let Some((name, _)) = others.into_iter().find(|(_, given)| *given) {
        bail!(
            "{name} can't be combined with --out-dir, which writes all reports to files: choose them with --qc"
        );
    }
    let of_whole_files = |report: &ReportName| {
        let of_samtools =
            matches!(report, ReportName::Stats | ReportName::Coverage | ReportName::Depth);
        of_samtools
            || matches!(report, ReportName::Mosdepth | ReportName::Picard)
            || !report.metrics().is_empty()
    };
    let has_reference = args.reference.is_some();
    if args.qc.contains(&ReportName::GcBias) && !has_reference {
        bail!("--qc gc-bias needs --reference, the FASTA file the reads were aligned to");
    }
    if args.qc.contains(&ReportName::Wgs) && !has_reference {
        bail!("--qc wgs needs --reference, the FASTA file the reads were aligned to");
    }
    let has_targets = args.target_intervals.is_some();
    if args.qc.contains(&ReportName::Hs) && !has_targets {
        bail!("--qc hs needs the capture targets: --target-intervals FILE");
    }
    let asked = |report| args.qc.is_empty() || args.qc.contains(&report);
    let has_cap =
        (asked(ReportName::Hs) && has_targets) || (asked(ReportName::Wgs) && has_reference);
    if args.coverage_cap.is_some() && !has_cap {
        bail!("{}", alignments::CAP_IS_FOR);
    }
    let can_be = |report: &ReportName| match report {
        ReportName::GcBias | ReportName::Wgs => has_reference,
        ReportName::Hs => has_targets,
        _ => true,
    };
    let mut reports = args.qc.clone();
    if reports.contains(&ReportName::Picard) {
        let all = ReportName::value_variants().iter().filter(|report| !report.metrics().is_empty());
        let of_any_order =
            |report: &&ReportName| !matches!(report, ReportName::Wgs | ReportName::Hs);
        reports.extend(all.filter(of_any_order).filter(|report| can_be(report)));
    }
    if reports.is_empty() {
        reports = ReportName::value_variants().to_vec();
        // Depths are as long as the genome, and nothing that mosdepth's files don't have.
        reports.retain(|report| !report.is_only_if_listed());
        reports.retain(can_be);
        reports.retain(|report| {
            report.of_alignments() && !(args.regions.any() && of_whole_files(report))
        });
    } else if args.regions.any()
        && let Some(report) = reports.iter().find(|report| of_whole_files(report))
    {
        bail!("regions can't be combined with --qc {}, which reports whole files", report.name());
    }
    if let Some(report) = reports.iter().find(|report| !report.of_alignments()) {
        bail!("--qc {} is a report of reads, but the inputs are alignments", report.name());
    }
    let has = |report| reports.contains(&report);
    if has_targets && !has(ReportName::Hs) {
        bail!("--target-intervals has no effect without hs in --qc");
    }
    if let Some(name) = args.depth.files.given()
        && !has(ReportName::Mosdepth)
    {
        bail!("{name} has no effect without mosdepth in --qc");
    }
    if let Some(name) = args.depth.given()
        && !has(ReportName::Mosdepth)
        && !has(ReportName::Coverage)
        && !has(ReportName::Depth)
    {
        bail!("{name} has no effect without mosdepth, coverage or depth in --qc");
    }
    Ok(reports)
}

/// What the names of each input's files start with: its name, or that of its sample.
fn prefixes(args: &Args, folder: &Path, inputs: &[Input]) -> Result<Vec<PathBuf>> {
    check_samples(&args.sample)?;
    let names = inputs.iter().zip(0..).map(|(input, number)| match &args.sample[..] {
        [] => input.stem(),
        [one] => OsString::from(one),
        samples => OsString::from(&samples[number]),
    });
    output::prefixes(folder, names)
}

/// An error if the name of a sample can't start the name of a file.
pub(crate) fn check_samples(samples: &[String]) -> Result<()> {
    let odd = |name: &&String| name.is_empty() || name.contains('/') || name.starts_with('.');
    match samples.iter().find(odd) {
        Some(name) => {
            bail!("--sample '{name}' can't be part of a file name in --out-dir")
        }
        None => Ok(()),
    }
}

/// What is asked of an input.
struct Asked<'a> {
    args: &'a Args,
    reports: &'a [ReportName],
    settings: &'a Settings,
    panel: Option<&'a Panel>,
    judge: &'a Judge,
    /// Whether a page of all inputs is wanted.
    has_page: bool,
}

/// Where the reports of an input go: those that are one file, in the order they are asked for, and those of mosdepth.
struct ReportFiles {
    /// What their names start with.
    name: String,
    texts: Vec<(ReportName, Output)>,
    /// Those of Picard.
    metrics: Vec<(Metrics, Output)>,
    depth: Option<Output>,
    mosdepth: Targets,
}

impl Asked<'_> {
    fn has(&self, report: ReportName) -> bool {
        self.reports.contains(&report)
    }

    /// Opens all files whose names start with `prefix`.
    fn open(&self, prefix: &Path, session: &mut Session) -> Result<ReportFiles> {
        let (mut texts, mut metrics, mut depth) = (Vec::new(), Vec::new(), None);
        for &report in ReportName::value_variants().iter().filter(|report| self.has(**report)) {
            let mut path_of = |ending: &str| {
                let mut path = prefix.as_os_str().to_owned();
                path.push(".");
                path.push(ending);
                output::report(session, Some(Path::new(&path)))
            };
            for &each in report.metrics() {
                metrics.push((each, path_of(each.ending())?));
            }
            match report {
                ReportName::Mosdepth | ReportName::Picard => {}
                _ if !report.metrics().is_empty() => {}
                ReportName::Depth => depth = Some(path_of("depth")?),
                ReportName::Json | ReportName::Html => {
                    texts.push((report, path_of(&format!("biofast.{}", report.name()))?));
                }
                // MultiQC takes NAME for the sample, as it drops what follows ".mapped"; of NAME.coverage it drops nothing.
                ReportName::Coverage => texts.push((report, path_of("mapped.coverage")?)),
                _ => texts.push((report, path_of(&report.name())?)),
            }
        }
        let mosdepth = match self.has(ReportName::Mosdepth) {
            true => targets(self.settings, prefix, session)?,
            false => Targets::default(),
        };
        let name = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(ReportFiles { name, texts, metrics, depth, mosdepth })
    }

    /// Reads an input, and fills its reports, and those of its groups. Their rows come with them.
    fn read(
        &self,
        (input, sample): (&Input, &str),
        (prefix, opened): (&Path, ReportFiles),
        session: &mut Session,
        progress: &Arc<Progress>,
    ) -> Result<(Vec<Output>, Vec<Entry>)> {
        let args = self.args;
        let options = args.strictness.alignments(args.io.apply(args.threads.options()));
        let watch = Watch::sharing(session, progress, options);
        let mut source = input.open()?;
        let format = bam::Format::sniff(&mut source).map_err(no_alignments)?;
        let rules = args.depth.rules();
        let statistics = self.has(ReportName::Json)
            || self.has(ReportName::Html)
            || self.judge.is_asked()
            || self.has_page;
        let samtools_stats = self.has(ReportName::Stats);
        let compares = samtools_stats
            || [ReportName::AlignmentSummary, ReportName::GcBias, ReportName::Wgs, ReportName::Hs]
                .into_iter()
                .any(|report| self.has(report));
        let reference = args.reference.as_deref().filter(|_| compares);
        let reference = reference.map(Fasta::open).transpose()?;
        let wanted = QcSelection {
            statistics,
            samtools_stats,
            flagstat: self.has(ReportName::Flagstat),
            idxstats: self.has(ReportName::Idxstats),
            picard: super::args::metrics(self.reports, reference.is_some()),
            part: None,
            reference: reference.as_ref(),
            panel: self.panel,
            coverage_cap: args.coverage_cap,
            depths: self.has(ReportName::Mosdepth).then(|| rules.clone()),
            coverage: (self.has(ReportName::Coverage) || self.has(ReportName::Depth))
                .then_some(rules),
        };
        let counts = !(statistics || samtools_stats || wanted.picard.any());
        let has_depths = wanted.depths.is_some() || wanted.coverage.is_some();
        // Read groups are optional fields.
        let has_groups = args.depth.files.by_groups()?.is_some();
        let detail = match (counts, has_depths || has_groups || args.regions.any()) {
            (false, _) => Detail::Full,
            (true, true) => Detail::Alignment,
            (true, false) => Detail::Placement,
        };
        let opening = watch.opening(args.reference.as_deref(), detail);
        let (header, query) =
            args.regions.query(&session.console, input, source, &opening)?.peek_header()?;
        if let Some(intervals) = &self.settings.intervals {
            intervals.check(&header, &input.name())?;
        }
        let by = args.depth.files.by_groups()?;
        let groups = by.map(|by| super::alignments::groups(&header, by, input)).transpose()?;
        let mut to = vec![(None, opened)];
        for name in groups.iter().flat_map(Groups::names) {
            to.push((Some(name), self.open(&prefix_of_group(prefix, name)?, session)?));
        }
        let count = groups.as_ref().map_or(0, |groups| groups.names().len());
        let options = super::alignments::options_for(count, &watch.options);
        let threads = options.threads;
        let mut parts = to.iter_mut().map(|(_, to)| {
            let (targets, depth) = (std::mem::take(&mut to.mosdepth), to.depth.take());
            let depths = wanted
                .depths
                .as_ref()
                .map(|_| mosdepth::Files::new(&header, self.settings.clone(), targets, threads));
            let each =
                depth.map(|output| samtools::depth::DepthLines::new(&header, output, None, 0));
            Ok(DepthSinks { depths: depths.transpose()?, each })
        });
        let found = qc::collect_by(query, &options, &wanted, groups.as_ref(), |_| {
            parts.next().unwrap_or(Ok(DepthSinks { depths: None, each: None }))
        });
        drop(parts);
        let warnings = noticed(args, input, format.name(), &watch, reference.is_some());
        if !args.messages.quiet {
            warnings.iter().for_each(|warning| session.console.warning(warning));
        }
        let found = found.map_err(|failure| self.failed(failure, input))?;
        if wanted.depths.is_some() && !args.messages.quiet {
            tell_unknown(
                &session.console,
                self.settings.intervals.as_ref(),
                &header,
                &input.name(),
            );
        }
        let (mut outputs, last) = (Vec::new(), found.len().saturating_sub(1));
        let mut rows = Vec::new();
        for (place, ((found, lines), (group, to))) in found.into_iter().zip(to).enumerate() {
            // Where every record has a group, those without have no files.
            if place > 0 && place == last && found.records == 0 {
                continue;
            }
            let group = group.zip(groups.as_ref()).map(|(name, groups)| ReportGroup {
                by: groups.by().tag().into(),
                name: name.clone(),
            });
            let beyond = found.picard.beyond_cap().into_iter();
            let beyond: Vec<String> =
                beyond.map(|what| format!("{}: {what} (--coverage-cap)", input.name())).collect();
            if place == 0 && !args.messages.quiet {
                beyond.iter().for_each(|warning| session.console.warning(warning));
                let doubt = found.picard.doubt_of_reference().or_else(|| {
                    found.samtools_stats.as_ref().and_then(SamtoolsStats::doubt_of_reference)
                });
                if let Some(doubt) = doubt {
                    session.console.warning(&format!("{}: {doubt}", input.name()));
                }
            }
            let mut entry = found.statistics.as_ref().map(|statistics| {
                let sample = match &group {
                    Some(group) => format!("{sample}:{}", group.name),
                    None => sample.to_owned(),
                };
                let warnings = match place {
                    0 => warnings.iter().chain(&beyond).cloned().collect(),
                    _ => beyond,
                };
                let figures = Some(Box::new(AlignmentFigures::from(statistics)));
                let figures = Figures::Alignments(format, figures);
                let whole = Entry::new(sample, vec![input.name()], format.name(), figures);
                Entry { group, warnings, ..whole }
            });
            if let Some(entry) = &mut entry {
                assess(std::slice::from_mut(entry), self.judge);
            }
            fill(found, lines, entry.as_ref(), to, &mut outputs, session)?;
            rows.extend(entry);
        }
        Ok((outputs, rows))
    }

    /// Why an input has no reports.
    fn failed(&self, failure: Failure, input: &Input) -> Error {
        if let Failure::Input(error) = &failure
            && matches!(error.kind(), bam::ErrorKind::Unsorted { .. })
        {
            return Hinted {
                message: error.to_string(),
                hint: "sort the file first with `biofast sort FILE -o sorted.bam`, or leave out coverage, mosdepth, wgs and hs: --qc stats,flagstat,idxstats,picard,json,html".into(),
            }
            .into();
        }
        alignments::failed(failure, input)
    }
}

/// What the names of a group's files start with.
fn prefix_of_group(prefix: &Path, name: &str) -> Result<PathBuf> {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+=@".contains(c);
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let mut path = prefix.as_os_str().to_owned();
    path.push(".");
    path.push(name);
    Ok(path.into())
}

/// Fills the reports of an input, or of one of its groups.
fn fill(
    found: QcResults<mosdepth::Files>,
    lines: Option<samtools::depth::DepthLines>,
    entry: Option<&Entry>,
    to: ReportFiles,
    outputs: &mut Vec<Output>,
    session: &Session,
) -> Result<()> {
    let ReportFiles { name: to_name, texts, metrics: of_picard, .. } = to;
    for (report, output) in texts {
        let text = match report {
            ReportName::Stats => {
                let statistics = found.samtools_stats.as_ref();
                statistics.map(|statistics| alignments::samtools_text(statistics, session))
            }
            ReportName::Flagstat => {
                found.flagstat.as_ref().map(|counts| samtools::flagstat::text(&counts.finish()))
            }
            ReportName::Idxstats => found
                .idxstats
                .as_ref()
                .map(|counts| samtools::idxstats::text(counts, &found.header)),
            ReportName::Coverage => found
                .coverage
                .as_ref()
                .map(|(depths, sums)| samtools::coverage::text(&found.header, depths, sums, None)),
            ReportName::Json => {
                entry.map(|entry| json(&alignments::report(&[entry], None))).transpose()?
            }
            ReportName::Html => {
                entry.map(|entry| html::page(std::slice::from_ref(entry))).transpose()?
            }
            _ => None,
        };
        if let Some(text) = text {
            outputs.push(output::filled(output, text)?);
        }
    }
    for (metrics, output) in of_picard {
        let version = env!("CARGO_PKG_VERSION");
        if let Some(text) = metrics::text(&found.picard, metrics, &to_name, version) {
            outputs.push(output::filled(output, text)?);
        }
    }
    if let Some(lines) = lines {
        outputs.push(lines.finish()?);
    }
    if let Some(depths) = found.depths {
        outputs.extend(depths.finish()?);
    }
    Ok(())
}

/// The error of an input that holds no alignments.
fn no_alignments(error: bam::Error) -> Error {
    if matches!(error.kind(), bam::ErrorKind::NotAlignments(bam::DetectedData::MaybeFastq)) {
        return Hinted {
            message: error.to_string(),
            hint: "for FASTQ from a pipe, name the reports: --qc fastqc,seqkit,fastp,json,html"
                .into(),
        }
        .into();
    }
    error.into()
}
