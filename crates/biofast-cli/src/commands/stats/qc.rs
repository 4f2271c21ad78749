//! `--out-dir` of alignments: all reports of a file from one reading of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, bail};
use biofast_bam::{self as bam, Detail, Fasta, Header};
use biofast_io::Progress;
use biofast_io::output::{Output, commit};
use biofast_ops::alignments::report::{Figures as AlignmentFigures, ReportGroup};
use biofast_ops::alignments::{Statistics, StatisticsMeasure};
use biofast_ops::compat::{Compat, Peer};
use biofast_ops::coverage::{
    Counting, DepthColumns, DepthMeasure, DepthRules, Intervals, PerReference, ReferenceSums,
};
use biofast_ops::flagstat::FlagstatCollector;
use biofast_ops::idxstats::IdxstatsCollector;
use biofast_ops::picard::{HsMeasure, Panel, Picard, PicardMeasure, WgsMeasure};
use biofast_ops::qc::{self, Failure, Findings, Groups, MeasureList};
use biofast_ops::samtools_stats::SamtoolsStats;
use biofast_report::mosdepth::{self, Settings, Targets};
use biofast_report::picard::{self as metrics, Metrics};
use biofast_report::samtools;
use biofast_report::samtools::depth::{DepthLineRules, DepthLines};
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
    let has = |report| reports.contains(&report);
    let compat = args.compat.of(|peer| match peer {
        Peer::Samtools => has(ReportName::Stats) || has(ReportName::Coverage),
        Peer::Picard => reports.iter().any(|report| !report.metrics().is_empty()),
        Peer::Mosdepth => has(ReportName::Mosdepth),
        Peer::Fastqc | Peer::Fastp => false,
    })?;
    let settings = args.depth.files.settings(None, compat.mosdepth)?;
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
    let page = args.title.open(session, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&session.console, &progress, total, args.messages.quiet);
    let mut troubles: Vec<Diagnostic> = Vec::new();
    let mut judged = Judged::new();
    let mut rows: Vec<Entry> = Vec::new();
    for ((input, name), prefix) in inputs.iter().zip(names).zip(&prefixes) {
        let (reports, settings, panel) = (&reports[..], &settings, panel.as_ref());
        let has_page = page.is_some();
        let asked = Asked { args, reports, settings, panel, judge, has_page, compat };
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
    html::write(page, &rows, judge.history.as_ref())?;
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
    /// In the form of which versions.
    compat: Compat,
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
        let picard = super::args::metrics(self.reports, args.reference.is_some());
        let compares = self.has(ReportName::Stats)
            || picard.alignment_summary
            || picard.gc_bias
            || picard.wgs
            || picard.hs
            || self.has_statistics();
        let reference = args.reference.as_deref().filter(|_| compares);
        let reference = reference.map(Fasta::open).transpose()?;
        let has_all = self.has_statistics() || self.has(ReportName::Stats) || picard.any();
        let has_depths = self.has(ReportName::Mosdepth) || self.has_coverage();
        // Read groups are optional fields.
        let by = args.depth.files.by_groups()?;
        let detail = match (has_all, has_depths || by.is_some() || args.regions.any()) {
            (true, _) => Detail::Full,
            (false, true) => Detail::Alignment,
            (false, false) => Detail::Placement,
        };
        let opening = watch.opening(args.reference.as_deref(), detail);
        let (header, query) = args
            .regions
            .query(args.messages.console(session), input, source, &opening)?
            .peek_header()?;
        if let Some(intervals) = &self.settings.intervals {
            intervals.check(&header, &input.name())?;
        }
        let groups = by.map(|by| super::alignments::groups(&header, by, input)).transpose()?;
        let mut to = vec![(None, opened)];
        for name in groups.iter().flat_map(Groups::names) {
            to.push((Some(name), self.open(&prefix_of_group(prefix, name)?, session)?));
        }
        let count = groups.as_ref().map_or(0, |groups| groups.names().len());
        let options = super::alignments::options_for(count, &watch.options);
        let found = self
            .measures(&header, reference.as_ref(), &mut to, options.threads)
            .and_then(|measures| qc::collect_by(query, &options, measures, groups.as_ref()));
        let warnings = noticed(args, input, format.name(), &watch, reference.is_some());
        if !args.messages.quiet {
            warnings.iter().for_each(|warning| session.console.warning(warning));
        }
        let found = found.map_err(|failure| self.failed(failure, input))?;
        if self.has(ReportName::Mosdepth) && !args.messages.quiet {
            tell_unknown(
                &session.console,
                self.settings.intervals.as_ref(),
                &header,
                &input.name(),
            );
        }
        let (mut outputs, last) = (Vec::new(), found.len().saturating_sub(1));
        let mut rows = Vec::new();
        for (place, (found, (group, to))) in found.into_iter().zip(to).enumerate() {
            // Where every record has a group, those without have no files.
            if place > 0 && place == last && found.records == 0 {
                continue;
            }
            let group = group.zip(groups.as_ref()).map(|(name, groups)| ReportGroup {
                by: groups.by().tag().into(),
                name: name.clone(),
            });
            let picard = found.get::<Picard>();
            let beyond = picard.iter().flat_map(|picard| picard.beyond_cap());
            let beyond: Vec<String> =
                beyond.map(|what| format!("{}: {what} (--coverage-cap)", input.name())).collect();
            if place == 0 && !args.messages.quiet {
                beyond.iter().for_each(|warning| session.console.warning(warning));
                let doubt = picard.and_then(Picard::doubt_of_reference).or_else(|| {
                    found.get::<SamtoolsStats>().and_then(SamtoolsStats::doubt_of_reference)
                });
                if let Some(doubt) = doubt {
                    session.console.warning(&format!("{}: {doubt}", input.name()));
                }
            }
            let mut entry = found.get::<Statistics>().map(|statistics| {
                let sample = match &group {
                    Some(group) => format!("{sample}:{}", group.name),
                    None => sample.to_owned(),
                };
                let warnings = match place {
                    0 => warnings.iter().chain(&beyond).cloned().collect(),
                    _ => beyond,
                };
                let mut figures = AlignmentFigures::from(statistics);
                if group.is_none() && !args.regions.any() {
                    figures.gc_bias = picard.and_then(|picard| picard.gc_bias.clone());
                }
                let figures = Some(Box::new(figures));
                let figures = Figures::Alignments(format, figures);
                let whole = Entry::new(sample, vec![input.name()], format.name(), figures);
                Entry { group, warnings, ..whole }
            });
            if let Some(entry) = &mut entry {
                assess(std::slice::from_mut(entry), self.judge);
            }
            self.fill(found, &header, entry.as_ref(), to, &mut outputs, session)?;
            rows.extend(entry);
        }
        Ok((outputs, rows))
    }

    /// Whether biofast's own statistics are needed.
    fn has_statistics(&self) -> bool {
        self.has(ReportName::Json)
            || self.has(ReportName::Html)
            || self.judge.is_asked()
            || self.has_page
    }

    /// Whether depths are needed where all mates count.
    fn has_coverage(&self) -> bool {
        self.has(ReportName::Coverage) || self.has(ReportName::Depth)
    }

    /// What is measured for the reports. Depths go to the files of the input, and to those of its groups.
    fn measures(
        &self,
        header: &Header,
        reference: Option<&Fasta>,
        to: &mut [(Option<&String>, ReportFiles)],
        threads: usize,
    ) -> Result<MeasureList, Failure> {
        let (rules, cap) = (self.args.depth.rules(), self.args.coverage_cap);
        let wanted = super::args::metrics(self.reports, reference.is_some());
        let mut measures = MeasureList::new();
        if self.has(ReportName::Mosdepth) {
            let files = to.iter_mut().map(|(_, to)| {
                let targets = std::mem::take(&mut to.mosdepth);
                mosdepth::Files::new(header, self.settings.clone(), targets, threads)
            });
            let files: Result<Vec<_>, _> = files.collect();
            measures.add(DepthMeasure::new(rules.clone(), files.map_err(Failure::Input)?));
        }
        if self.has_coverage() {
            let tables = to.iter_mut().map(|(_, to)| -> CoverageTable {
                let lines = to.depth.take().map(|depth| {
                    let lines = DepthLines::new(header, depth, None, DepthLineRules::default());
                    DepthColumns::new(header, lines)
                });
                (PerReference::new(header), lines)
            });
            let rules = DepthRules { counting: Counting::Each, sums: true, ..rules };
            measures.add(DepthMeasure::new(rules, tables));
        }
        if let Some(fasta) = reference.filter(|_| wanted.wgs) {
            measures.add(WgsMeasure::new(fasta.clone(), false, cap));
        }
        if let Some(panel) = self.panel.filter(|_| wanted.hs) {
            measures.add(HsMeasure::new(panel, header, reference, false, cap)?);
        }
        measures.add(StatisticsMeasure {
            own: self.has_statistics(),
            mismatches: self.has_statistics(),
            gc_bias: false,
            samtools: self.has(ReportName::Stats).then_some(self.compat.samtools),
            part: None,
            reference: reference.cloned(),
        });
        if self.has(ReportName::Flagstat) {
            measures.tally::<FlagstatCollector>();
        }
        if self.has(ReportName::Idxstats) {
            measures.tally::<IdxstatsCollector>();
        }
        measures.add(PicardMeasure::new(wanted, reference.cloned(), false));
        Ok(measures)
    }

    /// Fills the reports of an input, or of one of its groups.
    fn fill(
        &self,
        mut found: Findings,
        header: &Header,
        entry: Option<&Entry>,
        to: ReportFiles,
        outputs: &mut Vec<Output>,
        session: &Session,
    ) -> Result<()> {
        let ReportFiles { name: to_name, texts, metrics: of_picard, .. } = to;
        let (coverage, lines) = found.take::<CoverageTable>().unzip();
        let coverage = coverage.map(PerReference::finish).zip(found.take::<Vec<ReferenceSums>>());
        for (report, output) in texts {
            let text = match report {
                ReportName::Stats => {
                    let statistics = found.get::<SamtoolsStats>();
                    statistics.map(|statistics| alignments::samtools_text(statistics, session))
                }
                ReportName::Flagstat => {
                    let counts = found.get::<FlagstatCollector>();
                    counts.map(|counts| samtools::flagstat::text(&counts.finish()))
                }
                ReportName::Idxstats => {
                    let counts = found.get::<IdxstatsCollector>();
                    counts.map(|counts| samtools::idxstats::text(counts, header))
                }
                ReportName::Coverage => {
                    let tables = coverage.as_ref();
                    tables.map(|(depths, sums)| {
                        samtools::coverage::text(self.compat.samtools, header, depths, sums, None)
                    })
                }
                ReportName::Json => {
                    entry.map(|entry| json(&alignments::report(&[entry], None))).transpose()?
                }
                ReportName::Html => {
                    let history = self.judge.history.as_ref();
                    entry
                        .map(|entry| html::page(None, std::slice::from_ref(entry), history))
                        .transpose()?
                }
                _ => None,
            };
            if let Some(text) = text {
                outputs.push(output::filled(output, text)?);
            }
        }
        let picard = found.take::<Picard>().unwrap_or_default();
        for (metrics, output) in of_picard {
            let version = env!("CARGO_PKG_VERSION");
            if let Some(text) =
                metrics::text(&picard, metrics, self.compat.picard, &to_name, version)
            {
                outputs.push(output::filled(output, text)?);
            }
        }
        if let Some(lines) = lines.flatten() {
            outputs.push(lines.into_sink().finish()?);
        }
        if let Some(depths) = found.take::<mosdepth::Files>() {
            outputs.extend(depths.finish()?);
        }
        Ok(())
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

/// What `samtools coverage` and `samtools depth` say.
type CoverageTable = (PerReference, Option<DepthColumns<DepthLines>>);

/// What the names of a group's files start with.
fn prefix_of_group(prefix: &Path, name: &str) -> Result<PathBuf> {
    let name = output::plain_name(name.as_bytes());
    let mut path = prefix.as_os_str().to_owned();
    path.push(".");
    path.push(name);
    Ok(path.into())
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
