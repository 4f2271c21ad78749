//! The rows of the result.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_bam as bam;
use biofast_io::Escaped;
use biofast_io::MateNaming;
use biofast_ops::alignments::join::AlignmentJoin;
use biofast_ops::alignments::report::{Figures as AlignmentFigures, ReportGroup};
use biofast_ops::compat::FastqcVersion;
use biofast_ops::picard::Picard;
use biofast_ops::qc::GroupBy;
use biofast_ops::reads::report::{ReadFileReport, ReadReport, Statistics, Status};
use biofast_ops::reads::{Collector, Contaminants, Encoding, PairCheck, Summary};
use biofast_ops::shards::ShardPart;
use biofast_ops::verdicts::{Assessment, SampleValues, VerdictRules};
use biofast_report::fastqc;

use super::args::StatsFormat;
use crate::console::{Console, Diagnostic, conversion_hint};
use crate::options::Judge;
use crate::session::Exit;

/// One row of the result.
pub(crate) struct Entry {
    pub(crate) sample: String,
    pub(crate) inputs: Vec<String>,
    /// Of alignments, where they are not all of the inputs.
    pub(crate) group: Option<ReportGroup>,
    /// Of reads: FASTQ or FASTA.
    pub(crate) format: String,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<String>,
    /// There are no reads, where some are expected.
    pub(crate) is_empty: bool,
    /// What the qualities of whole inputs look like.
    pub(crate) encoding: Option<Encoding>,
    pub(crate) pairs: Option<PairCheck>,
    /// 1 or 2 of files that are read as mates.
    pub(crate) mate: Option<u8>,
    /// What it is a part of, if it is of shards.
    pub(crate) shard: Option<ShardPart>,
    /// The counts of Picard's metrics of all parts of alignments that were joined.
    pub(crate) metrics: Option<Box<Picard>>,
    /// What the figures are worth, where it was asked for.
    pub(crate) verdicts: Option<Box<Assessment>>,
    pub(crate) figures: Figures,
}

impl Entry {
    /// A row of a whole of which nothing is wrong or known beside these.
    pub(crate) fn new(
        sample: String,
        inputs: Vec<String>,
        format: impl Into<String>,
        figures: Figures,
    ) -> Entry {
        Entry {
            sample,
            inputs,
            group: None,
            format: format.into(),
            errors: Vec::new(),
            warnings: Vec::new(),
            is_empty: false,
            encoding: None,
            pairs: None,
            mate: None,
            shard: None,
            metrics: None,
            verdicts: None,
            figures,
        }
    }

    /// All that is wrong; empty if nothing is.
    pub(super) fn error(&self) -> String {
        let texts: Vec<&str> = self.errors.iter().map(|trouble| &trouble.text[..]).collect();
        texts.join("; ")
    }

    /// What the figures are worth, as it was asked for or else by these rules.
    pub(super) fn verdicts(&self, rules: Option<&VerdictRules>) -> Option<Assessment> {
        self.verdicts.as_deref().cloned().or_else(|| self.assess(rules?))
    }

    /// What the figures are worth by these rules. Those of a part, or before a fault, are no figures of a whole.
    fn assess(&self, rules: &VerdictRules) -> Option<Assessment> {
        if !self.errors.is_empty() || self.shard.is_some() {
            return None;
        }
        match &self.figures {
            Figures::Reads(_, Some(reads)) => Some(Assessment::of_reads(reads, rules)),
            Figures::Alignments(_, Some(figures)) if figures.partial.is_none() => {
                Some(Assessment::of_alignments(figures, rules))
            }
            _ => None,
        }
    }

    /// The values that are compared with those of the past, as a sample of this type of library.
    pub(super) fn values(&self, library: &str) -> Option<SampleValues> {
        let name = &self.sample;
        match &self.figures {
            Figures::Reads(_, Some(reads)) => {
                Some(SampleValues::of_reads(name, self.mate, library, reads))
            }
            Figures::Alignments(_, Some(figures)) => {
                let by = self.group.as_ref().map(|group| group.by.as_str());
                Some(SampleValues::of_alignments(name, by, library, figures))
            }
            _ => None,
        }
    }
}

/// What is kept of a collector, which itself takes about 1 MB: as little as the output needs.
pub(crate) enum Figures {
    /// Of reads: for tables, and for JSON, reports and plots.
    Reads(Option<Box<Summary>>, Option<Box<Statistics>>),
    /// Everything, where rows are yet to be joined.
    Collector(Box<Collector>),
    /// Of reads, as FastQC has them.
    Fastqc(Box<fastqc::FastqcReport>),
    /// Counted with another row of the same sample.
    Joined,
    /// Of alignments, with their format; nothing where nothing could be read.
    Alignments(bam::Format, Option<Box<AlignmentFigures>>),
}

/// Which figures of reads the outputs need.
#[derive(Clone, Copy)]
pub(crate) struct NeededFigures<'a> {
    summary: bool,
    statistics: bool,
    /// What FastQC looks for in reads, too.
    searches: bool,
    /// All of the collector instead.
    whole: bool,
    /// FastQC's report instead, of this version, and what overrepresented sequences are compared with.
    fastqc: Option<(&'a Contaminants, FastqcVersion)>,
    /// Rows of groups of alignments, too.
    by: Option<GroupBy>,
}

impl<'a> NeededFigures<'a> {
    /// FastQC's report and nothing else.
    pub(super) fn fastqc(
        contaminants: &'a Contaminants,
        version: FastqcVersion,
    ) -> NeededFigures<'a> {
        NeededFigures {
            summary: false,
            statistics: false,
            searches: true,
            whole: false,
            fastqc: Some((contaminants, version)),
            by: None,
        }
    }

    /// The collector, with what FastQC counts if it is wanted.
    pub(crate) fn whole(contaminants: &'a Contaminants, searches: bool) -> NeededFigures<'a> {
        let fastqc = searches.then_some((contaminants, FastqcVersion::default()));
        NeededFigures { summary: false, statistics: false, searches, whole: true, fastqc, by: None }
    }

    /// Those of `format`, and all of them where a report or plots are wanted, too.
    pub(crate) fn new(format: StatsFormat, everything: bool) -> NeededFigures<'a> {
        let statistics = format.json || everything;
        let summary = !format.json;
        NeededFigures { summary, statistics, searches: false, whole: false, fastqc: None, by: None }
    }

    /// What there is to judge, too: all statistics, adapters and repeated sequences.
    pub(crate) fn judged_by(self, judge: &Judge) -> NeededFigures<'a> {
        let is_asked = judge.is_asked();
        NeededFigures {
            statistics: self.statistics || is_asked,
            searches: self.searches || is_asked,
            ..self
        }
    }

    /// Rows of groups, too.
    pub(super) fn of_groups(self, by: Option<GroupBy>) -> NeededFigures<'a> {
        NeededFigures { by, ..self }
    }

    pub(super) fn by(self) -> Option<GroupBy> {
        self.by
    }

    pub(super) fn is_fastqc(self) -> bool {
        self.fastqc.is_some()
    }

    /// A collector of what is wanted.
    pub(super) fn collector(self, pairs: Option<MateNaming>) -> Collector {
        let collector = pairs.map_or_else(Collector::new, Collector::with_pair_check_by);
        match self.searches {
            true => collector.for_fastqc(),
            false => collector,
        }
    }
}

impl Figures {
    /// The figures of alignments.
    pub(crate) fn alignments(&self) -> Option<(bam::Format, Option<&AlignmentFigures>)> {
        match self {
            Figures::Alignments(format, figures) => Some((*format, figures.as_deref())),
            _ => None,
        }
    }

    /// What is `wanted` of `collector`, of the sample called `name`.
    pub(crate) fn of(collector: &Collector, wanted: NeededFigures<'_>, name: &str) -> Figures {
        if wanted.whole {
            return Figures::Collector(Box::new(collector.clone()));
        }
        let name = file_name(name);
        if let Some((contaminants, version)) = wanted.fastqc
            && let Some(report) = fastqc::FastqcReport::new(name, collector, contaminants, version)
        {
            return Figures::Fastqc(Box::new(report));
        }
        Figures::Reads(
            wanted.summary.then(|| Box::new(collector.summary())),
            wanted.statistics.then(|| Box::new(Statistics::from(collector))),
        )
    }
}

/// Judges rows, where it was asked for.
pub(crate) fn assess(entries: &mut [Entry], judge: &Judge) {
    if judge.is_asked() {
        for entry in entries {
            let mut found = entry.assess(&judge.rules);
            if let (Some(found), Some(history)) = (&mut found, &judge.history)
                && let Some(values) = entry.values(&found.library)
            {
                found.add_history(history, &values);
            }
            entry.verdicts = found.map(Box::new);
        }
    }
}

/// Says what rows are worth. The exit code of a run that has ended with `code`.
pub(crate) fn conclude(entries: &[Entry], judge: &Judge, quiet: bool, code: Exit) -> Result<Exit> {
    let judged = |entry: &Entry| Some((entry.sample.clone(), entry.verdicts.as_deref()?.clone()));
    judge.conclude(&entries.iter().filter_map(judged).collect(), quiet, code)
}

/// Says on standard error what is wrong or worth knowing.
pub(crate) fn report(console: &Console, entries: &[Entry], quiet: bool) {
    let mut last = None;
    for entry in entries {
        if !quiet {
            entry.warnings.iter().for_each(|w| console.warning(w));
            if let ([name, ..], Some(encoding)) = (&entry.inputs[..], entry.encoding)
                && let Some(hint) = conversion_hint(name, encoding)
            {
                console.hint(&hint);
            }
            if entry.is_empty {
                console.warning(&format!("{}: no reads", Escaped(entry.sample.as_bytes())));
            }
        }
        for error in &entry.errors {
            // Mates share what is wrong with their pair.
            if last.replace(error) != Some(error) {
                error.tell(console);
            }
        }
    }
    // Of many errors the first is enough to learn from.
    if let Some(error) = entries.iter().find_map(|entry| entry.errors.first())
        && !quiet
    {
        error.hint(console);
    }
}

/// Joins entries of the same sample, at the place of the first. Reports of alignments that are parts become wholes, unless
/// they are `parts` still.
pub(crate) fn join_by_sample(
    entries: Vec<Entry>,
    wanted: NeededFigures<'_>,
    parts: bool,
) -> Result<Vec<Entry>> {
    let mut place: HashMap<String, usize> = HashMap::new();
    let mut samples: Vec<Vec<Entry>> = Vec::new();
    for entry in entries {
        match place.get(&entry.sample) {
            Some(&index) => samples[index].push(entry),
            None => {
                place.insert(entry.sample.clone(), samples.len());
                samples.push(vec![entry]);
            }
        }
    }
    samples.into_iter().map(|entries| join(entries, wanted, parts)).collect()
}

/// Joins the entries of one sample.
fn join(entries: Vec<Entry>, wanted: NeededFigures<'_>, parts: bool) -> Result<Entry> {
    let is_one = entries.len() == 1;
    // Shards of one file are of the same mates.
    let mate = entries.first().and_then(|first| first.mate);
    let mate = mate.filter(|_| entries.iter().all(|entry| entry.mate == mate));
    let mut entries = entries.into_iter();
    let Some(mut into) = entries.next() else { bail!("no entry of a sample") };
    into.mate = mate;
    let mut alignments = Vec::new();
    let own = std::mem::replace(&mut into.figures, Figures::Joined);
    let mut collector = match own {
        Figures::Alignments(format, figures) => {
            alignments.push((format, figures));
            None
        }
        figures => Some(figures),
    };
    for entry in entries {
        match (entry.figures, &mut collector) {
            (Figures::Alignments(format, figures), None) => alignments.push((format, figures)),
            (Figures::Alignments(..), Some(_)) | (_, None) => {
                bail!("sample '{}' has reads and alignments, which can't be combined", into.sample)
            }
            (Figures::Collector(from), Some(Figures::Collector(into))) => into.merge(&from),
            _ => {}
        }
        into.inputs.extend(entry.inputs);
        if alignments.is_empty() && into.format != entry.format {
            into.format = "FASTA, FASTQ".into();
        }
        into.warnings.extend(entry.warnings);
        for error in entry.errors {
            if !into.errors.contains(&error) {
                into.errors.push(error);
            }
        }
    }
    into.figures = match collector {
        Some(Figures::Collector(collector)) => {
            let left_out = left_out(&into.sample, &collector);
            into.warnings.extend(left_out.filter(|warning| !into.warnings.contains(warning)));
            if !parts && into.shard.is_some() {
                // Shards haven't said so.
                let name = into.inputs.first().cloned().unwrap_or_default();
                into.warnings.extend(super::old_encoding(&name, &collector));
            }
            Figures::of(&collector, wanted, &into.sample)
        }
        Some(figures) => figures,
        None => {
            let Some(&(format, _)) = alignments.first() else { bail!("no entry of a sample") };
            let figures = match is_one && !into.errors.is_empty() {
                // What was counted before the fault.
                true => alignments.pop().and_then(|one| one.1),
                false => join_alignments(&mut into, alignments, parts)?,
            };
            Figures::Alignments(format, figures)
        }
    };
    if !parts {
        into.shard = None;
    }
    Ok(into)
}

/// Joins figures of alignments; there are none if one part is faulty, lest the others be taken for the whole.
fn join_alignments(
    entry: &mut Entry,
    parts: Vec<(bam::Format, Option<Box<AlignmentFigures>>)>,
    is_part: bool,
) -> Result<Option<Box<AlignmentFigures>>> {
    if !entry.errors.is_empty() {
        return Ok(None);
    }
    let mut join = AlignmentJoin::default();
    for (number, (_, figures)) in parts.iter().enumerate() {
        let Some(figures) = figures else { return Ok(None) };
        let input = entry.inputs.get(number).map_or(entry.sample.as_str(), String::as_str);
        join.add(figures).with_context(|| Escaped(input.as_bytes()).to_string())?;
    }
    entry.metrics = join.picard().map(Box::new);
    if let Some(metrics) = entry.metrics.as_ref().filter(|_| !is_part) {
        let name = Escaped(entry.sample.as_bytes()).to_string();
        let beyond = metrics.beyond_cap().into_iter();
        entry.warnings.extend(beyond.map(|what| format!("{name}: {what} (--coverage-cap)")));
    }
    let Some((whole, left_out)) = join.finish(is_part).with_context(|| entry.sample.clone())?
    else {
        return Ok(None);
    };
    if let Some(why) = left_out {
        let name = Escaped(entry.sample.as_bytes());
        entry.warnings.push(format!(
            "{name}: no coverage: {why}; it needs reports of `biofast stats --partial shard` (pieces of one sorted file, in order) or `--partial lane` (sorted files)"
        ));
    }
    if is_part && whole.partial.is_none() {
        let name = Escaped(entry.sample.as_bytes());
        bail!(
            "{name}: not all parts were written by `biofast stats --partial`, or they don't fit together"
        );
    }
    Ok(Some(Box::new(whole)))
}

/// What is left out of the report of a sample, because its files were joined.
pub(super) fn left_out(sample: &str, collector: &Collector) -> Option<String> {
    collector.has_mixed_duplicates().then(|| {
        format!(
            "{}: duplication levels and overrepresented sequences are left out: they can't be computed for several files together",
            Escaped(sample.as_bytes())
        )
    })
}

/// A report as JSON, on one line.
pub(crate) fn json(report: &impl serde::Serialize) -> Result<String> {
    let mut text = serde_json::to_string(report)?;
    text.push('\n');
    Ok(text)
}

/// The report of the rows of reads; those that nobody has judged are judged by `rules`, if there are any.
pub(super) fn reads_report(entries: &[&Entry], rules: Option<&VerdictRules>) -> ReadReport {
    let files = entries.iter().filter_map(|entry| file_report(entry, rules)).collect();
    ReadReport::new(env!("CARGO_PKG_VERSION"), files)
}

/// The report of a row; `None` unless it is of reads.
pub(super) fn file_report(entry: &Entry, rules: Option<&VerdictRules>) -> Option<ReadFileReport> {
    let Figures::Reads(_, Some(statistics)) = &entry.figures else { return None };
    let error = entry.error();
    Some(ReadFileReport {
        sample: entry.sample.clone(),
        inputs: entry.inputs.clone(),
        status: if error.is_empty() { Status::Ok } else { Status::Error },
        error: Some(error).filter(|error| !error.is_empty()),
        warnings: entry.warnings.clone(),
        format: entry.format.clone(),
        mate: entry.mate,
        verdicts: entry.verdicts(rules),
        statistics: (**statistics).clone(),
    })
}

/// A path without its folders.
pub(super) fn file_name(name: &str) -> &str {
    Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name)
}
