//! `biofast stats`: inputs to collectors to a table, TSV or JSON.

mod alignments;
mod args;
pub(crate) mod fastqc;
pub(crate) mod html;
mod mates;
mod parts;
mod per_read;
mod plot;
mod printed;
pub(crate) mod qc;
pub(crate) mod qc_reads;
mod rows;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use biofast_bam as bam;
use biofast_fastq::fasta::{self, Sequences};
use biofast_io::{Escaped, Options, Progress, Source, TextBounds};
use biofast_ops::alignments::Statistics;
use biofast_ops::alignments::partial::PartKind;
use biofast_ops::alignments::report::ReportGroup;
use biofast_ops::compat::{Compat, Peer};
use biofast_ops::qc::GroupBy;
use biofast_ops::reads::{Collector, Contaminants};
use rayon::prelude::*;

use crate::console::{Bar, Diagnostic, encoding_warning, warning_text};
use crate::inputs::{self, Input};
use crate::options::{SeekIndexes, keeps_mates_together};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::{Watch, describe};

use args::FormatName;
pub(crate) use args::{Args, ReportName, StatsFormat, metrics};
use mates::{check_pairs, rereads};
pub(crate) use parts::{ShardRow, ShardRows, row_of_alignments, row_of_reads};
pub(crate) use printed::{text, write};
pub(crate) use rows::{Entry, Figures, NeededFigures, assess, conclude, join_by_sample, report};

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if args.print_limits {
        output::finish(args.out.open(session)?, args.verdicts.rules()?.text())?;
        return Ok(Exit::Fine);
    }
    let format = match args.format_name {
        Some(name) => StatsFormat { tsv: name == FormatName::Tsv, json: name == FormatName::Json },
        None => args.format,
    };
    let by = args.depth.files.by_groups()?;
    args.shard.refuse(by.is_some(), "--by", "--by needs whole files")?;
    args.shard.refuse(args.per_read, "--per-read", "the table needs whole files")?;
    check_verdicts(args)?;
    // What is wrong with limits is known before anything is read.
    let judge = args.verdicts.judge(Some(&args.baseline), session)?;
    let inputs = match args.shard.inputs(&args.inputs.files, session)? {
        Some(inputs) => inputs,
        None => args.inputs.inputs(session)?,
    };
    inputs::warn_of_repeats(&session.console, &inputs);
    check_shard(args, &inputs)?;
    check_index(args)?;
    if args.per_read {
        return per_read::write(args, &inputs, session);
    }
    if args.paired {
        inputs::in_pairs(&inputs)?;
    }
    if args.plot && (format.tsv || format.json || args.format_name == Some(FormatName::Samtools)) {
        bail!("--plot can be combined only with the table");
    }
    if args.out_dir.is_some() && !matches!(args.format_name, None | Some(FormatName::Fastqc)) {
        bail!(
            "--format can't be combined with --out-dir, except --format fastqc: choose reports with --qc"
        );
    }
    if (args.out_dir.is_none() || args.format_name.is_some())
        && let Some(name) = args.depth.given()
    {
        bail!("{name} needs alignments and --out-dir; `biofast coverage` also has it");
    }
    if args.contaminants.is_some()
        && args.out_dir.is_none()
        && args.format_name != Some(FormatName::Fastqc)
    {
        bail!("--contaminants needs --format fastqc, or reads and --out-dir");
    }
    if args.format_name == Some(FormatName::Samtools) {
        if by.is_some() {
            bail!(
                "--by can't be combined with --format samtools: use --out-dir DIR --qc stats, which writes a file for each group"
            );
        }
        if args.html.is_some() {
            bail!("--html can't be combined with --format samtools: run it separately");
        }
        if args.partial.is_some() {
            bail!("--partial needs --json; `biofast merge` writes every other format");
        }
        let report = args.out.open_as(false, session)?;
        return alignments::samtools(args, &inputs, report, session);
    }
    if by.is_some() && !args.sample.is_empty() && args.sample.len() < inputs.len() {
        bail!("--by can't be combined with --sample that joins files");
    }
    if args.out_dir.is_none() {
        if args.partial.is_some() || args.shard.any() {
            args.compat.refuse_for_parts()?;
        }
        alignments::check_part(args)?;
    }
    let is_fastqc = args.format_name == Some(FormatName::Fastqc);
    let writes = |peer| is_fastqc && peer == Peer::Fastqc;
    // With --out-dir it depends on the reports.
    let compat = match args.out_dir.is_none() || is_fastqc {
        true => args.compat.of(writes)?,
        false => Compat::default(),
    };
    if args.partial.is_some() {
        if by.is_some() {
            bail!("--by can't be combined with --partial, which counts all records");
        }
        if !format.json || args.out_dir.is_some() {
            bail!("--partial needs --json; `biofast merge` writes every other format");
        }
        if args.regions.any() {
            bail!(
                "--partial can't be combined with regions: records that overlap two regions would count twice"
            );
        }
    }
    let names = sample_names(&args.sample, &inputs)?;
    if let [one, other] = &names[..] {
        let why = "mates stay two rows until all shards are merged";
        args.shard.refuse(one == other, "one --sample for two files", why)?;
    }
    let contaminants = contaminants(args)?;
    let indexes = args.seek_index.open(&inputs, session)?;
    let wanted = match args.format_name {
        Some(FormatName::Fastqc) => {
            fastqc::check(args, &names)?;
            NeededFigures::fastqc(&contaminants, compat.fastqc)
        }
        _ if args.out_dir.is_some() => {
            return match qc_reads::are_reads(args, &inputs)? {
                true => {
                    let names = (&inputs[..], &names[..]);
                    qc_reads::write(args, names, (&contaminants, &judge), &indexes, session)
                }
                false => qc::write(args, &inputs, &names, &judge, session),
            };
        }
        _ => {
            let everything = args.html.is_some() || args.plot;
            NeededFigures::new(format, everything).judged_by(&judge).of_groups(by)
        }
    };
    // Whether the outputs can be written is known before anything is read.
    let out = match args.out_dir {
        Some(_) => None,
        None => Some(args.out.open_as(format.json, session)?),
    };
    let page = args.title.open(session, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&session.console, &progress, total, args.messages.quiet);
    let follow = (&progress, &indexes);
    let rereads = rereads(args, &inputs);
    let mut entries = collect_all(args, wanted, &inputs, &names, follow, true, session)?;
    check_pairs(args, &inputs, &rereads, &mut entries);
    drop(bar);
    let indexes = indexes.of(&inputs)?;
    let uses_reference = |entry: &Entry| {
        // An input that couldn't be read says so itself.
        !entry.errors.is_empty()
            || entry.figures.alignments().is_some_and(|(format, _)| format == bam::Format::Cram)
    };
    let has_use = alignments::needs_reference(args) || entries.iter().any(uses_reference);
    if args.reference.is_some() && !args.messages.quiet && !has_use {
        let what = "--reference has no effect: it is used only for CRAM, and for alignments with --json, --html or --format samtools";
        session.console.warning(what);
    }
    let are_reads =
        entries.iter().all(|entry| entry.errors.is_empty() && entry.figures.alignments().is_none());
    if args.partial.is_some() && !args.messages.quiet && are_reads {
        session
            .console
            .warning("--partial has no effect on reads: their reports can be merged without it");
    }
    // Two rows of one name are one sample only where the user named samples.
    if !args.sample.is_empty() {
        entries = join_by_sample(entries, wanted, args.partial.is_some() || args.shard.any())?;
    }
    report(&session.console, &entries, args.messages.quiet);
    let Some(out) = out else { return fastqc::write_folders(args, &entries, session) };
    if args.format_name == Some(FormatName::Fastqc) {
        return fastqc::write(&entries, out, &session.console);
    }
    assess(&mut entries, &judge);
    let text = match format.json && args.shard.any() {
        true => parts::text(args, &entries)?,
        false => text(&entries, format, args.plot)?,
    };
    let code = write(&entries, out, &text, page, indexes, judge.history.as_ref())?;
    conclude(&entries, &judge, args.messages.quiet, code)
}

/// Refuses verdicts about what has none.
fn check_verdicts(args: &Args) -> Result<()> {
    let of_parts = "verdicts need whole files: use these options in `biofast merge`";
    let is = |name| args.format_name == Some(name);
    let others = [
        (args.shard.any(), "--shard", of_parts),
        (args.partial.is_some(), "--partial", of_parts),
        (is(FormatName::Samtools), "--format samtools", "its format has no verdicts"),
        (is(FormatName::Fastqc), "--format fastqc", "that report has FastQC's own verdicts"),
        (args.per_read, "--per-read", "the table has no verdicts"),
    ];
    let baseline = args.baseline.is_given().then_some("--baseline");
    match args.verdicts.given().or(baseline).zip(others.iter().find(|other| other.0)) {
        Some((option, (_, name, why))) => bail!("{option} can't be combined with {name}: {why}"),
        None => Ok(()),
    }
}

/// Refuses what can't be said of a shard.
fn check_shard(args: &Args, inputs: &[Input]) -> Result<()> {
    let shard = &args.shard;
    let named = args.inputs.files_from.is_some();
    shard.refuse(named, "--files-from", "the plan already names its files")?;
    shard.refuse(args.regions.any(), "--region", "a shard can't be restricted to regions")?;
    let why = "only --json reports of shards can be merged";
    shard.refuse(args.out_dir.is_some(), "--out-dir", why)?;
    let of_others = matches!(args.format_name, Some(FormatName::Samtools | FormatName::Fastqc));
    shard.refuse(of_others, "--format", why)?;
    let lane = args.partial == Some(args::Partial::Lane);
    shard.refuse(lane, "--partial lane", "a shard always implies '--partial shard'")?;
    if args.interleaved {
        keeps_mates_together(inputs)?;
    }
    Ok(())
}

/// Refuses seek indexes where there is no one reading of a whole file.
fn check_index(args: &Args) -> Result<()> {
    let index = &args.seek_index;
    let of_wholes = "an index covers the whole file: use `biofast index` or leave out --shard";
    index.refuse(args.shard.any(), "--shard", of_wholes)?;
    index.refuse(args.regions.any(), "--region", "an index covers the whole file")?;
    let make_it = "write it with `biofast index`";
    index.refuse(args.per_read, "--per-read", make_it)?;
    let others =
        [(FormatName::Samtools, "--format samtools"), (FormatName::Fastqc, "--format fastqc")];
    others.into_iter().try_for_each(|(name, option)| {
        index.refuse(args.format_name == Some(name), option, make_it)
    })
}

/// What overrepresented sequences are compared with.
fn contaminants(args: &Args) -> Result<Contaminants> {
    let Some(path) = &args.contaminants else { return Ok(Contaminants::known()) };
    let name = biofast_io::display_name(path);
    let text = inputs::text(path, TextBounds::TABLE)?;
    let text = std::str::from_utf8(&text).with_context(|| format!("{name}: not text"))?;
    Contaminants::parse(text).with_context(|| name.to_string())
}

/// The row name of each input.
fn sample_names(given: &[String], inputs: &[Input]) -> Result<Vec<String>> {
    match given {
        [] => Ok(inputs.iter().map(Input::name).collect()),
        [one] => Ok(vec![one.clone(); inputs.len()]),
        names if names.len() == inputs.len() => Ok(names.to_vec()),
        names => bail!(
            "got {} sample names for {} input{}: give one for each, or one for all",
            names.len(),
            inputs.len(),
            if inputs.len() == 1 { "" } else { "s" }
        ),
    }
}

/// Collects every input. Several inputs are read at once, the threads shared among them: that is
/// the only way to use all threads on ordinary gzip. But an input much larger than the others
/// gets all threads for itself, lest it be read on one when the others are done.
fn collect_all(
    args: &Args,
    wanted: NeededFigures<'_>,
    inputs: &[Input],
    names: &[String],
    follow: (&Arc<Progress>, &SeekIndexes),
    joins: bool,
    session: &Session,
) -> Result<Vec<Entry>> {
    let threads = args.threads.total();
    let lengths: Vec<Option<u64>> = inputs.iter().map(Input::len).collect();
    let at_once = readers(threads, &lengths);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build()?;
    // Samples are summed up as their inputs are done, so that only samples take memory.
    let mut samples: HashMap<&str, Mutex<Collector>> = match args.sample.is_empty() || !joins {
        true => HashMap::new(),
        false => {
            names.iter().map(|name| (name.as_str(), Mutex::new(wanted.collector(None)))).collect()
        }
    };
    let entries: Vec<Vec<Entry>> = pool.install(|| {
        let indexed = inputs.par_iter().zip(names).with_max_len(1);
        indexed
            .map(|(input, name)| {
                // Threads that can't be shared evenly go to the first readers.
                let reader = rayon::current_thread_index().unwrap_or(0);
                let share = (threads / at_once + usize::from(reader < threads % at_once)).max(1);
                // Files of one sample are parts of it.
                let is_lane =
                    !args.sample.is_empty() && names.iter().filter(|n| *n == name).count() > 1;
                let kind = args
                    .shard
                    .any()
                    .then_some(PartKind::Shard)
                    .or(args.partial.map(PartKind::from));
                let part = kind.or(is_lane.then_some(PartKind::Lane));
                let sample = samples.get(name.as_str());
                collect(args, wanted, (input, name), part, (share, follow), sample, session)
            })
            .collect()
    });
    let mut entries: Vec<Entry> = entries.into_iter().flatten().collect();
    for entry in &mut entries {
        if matches!(entry.figures, Figures::Joined)
            && let Some(sum) = samples.remove(entry.sample.as_str())
        {
            let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
            entry.warnings.extend(rows::left_out(&entry.sample, &sum));
            entry.figures = Figures::Collector(Box::new(sum));
        }
    }
    Ok(entries)
}

/// How many inputs of these lengths to read at once: as many as the largest would fit into all
/// of them together. A stream of unknown length counts as large. More than one stream are read at
/// once on any number of threads: a program that feeds two of them in turn would wait for ever.
pub(crate) fn readers(threads: usize, lengths: &[Option<u64>]) -> usize {
    let largest = lengths.iter().flatten().copied().max().unwrap_or(0).max(1);
    let total: u64 = lengths.iter().map(|len| len.unwrap_or(largest)).sum();
    let as_large = usize::try_from(total.div_ceil(largest)).unwrap_or(usize::MAX);
    let streams = lengths.iter().filter(|len| len.is_none()).count();
    threads.min(lengths.len()).min(as_large).max(streams).max(1)
}

/// How FASTQ is read by so many threads.
fn reading(args: &Args, threads: usize) -> Options {
    let options = args.strictness.reads(args.io.apply(args.threads.options()));
    Options { threads, ..args.pairing.apply(options) }
}

/// Reads one input with so many threads: its row, and those of its groups. The counts of reads go to `sample`, if there is one.
fn collect(
    args: &Args,
    wanted: NeededFigures<'_>,
    (input, name): (&Input, &str),
    part: Option<PartKind>,
    (threads, (progress, indexes)): (usize, (&Arc<Progress>, &SeekIndexes)),
    sample: Option<&Mutex<Collector>>,
    session: &Session,
) -> Vec<Entry> {
    let options = reading(args, threads);
    let sniffed = input.open().map(|mut source| (bam::Format::sniff(&mut source), source));
    let mut source = match sniffed {
        Ok((Ok(format), source)) => {
            let watch = Watch::sharing(session, progress, args.strictness.alignments(options));
            return collect_alignments(
                args,
                wanted.by(),
                (input, name),
                part,
                (source, format),
                &watch,
            );
        }
        Ok((Err(error), _)) if error.kind().is_spaced_sam() => Err(Diagnostic::of(&error)),
        // What else is wrong with an input that can't be recognized is said by who reads it.
        Ok((Err(_), source)) => Ok(source),
        Err(error) => Err(Diagnostic::of(&error)),
    };
    let watch = Watch::sharing(session, progress, options);
    // FastQC's report is about qualities.
    let is_fasta = !wanted.is_fastqc()
        && source.as_mut().is_ok_and(|source| fasta::is_fasta(source).unwrap_or(false));
    let reads = if is_fasta { "FASTA" } else { "FASTQ" };
    let pairs = (args.paired || args.interleaved).then(|| args.pairing.rule());
    let init = || wanted.collector(pairs);
    let source = source.map(|source| indexes.follow(input, source));
    let result = match source {
        Ok(_) if wanted.by().is_some() => Err((
            init(),
            Diagnostic::new("--by needs alignments: FASTQ has no read groups")
                .after(&escaped(input)),
        )),
        Ok(_) if args.regions.any() => {
            Err((init(), Diagnostic::new("regions need alignments").after(&escaped(input))))
        }
        Ok(source) if wanted.is_fastqc() => Collector::collect(source, &watch.options, init)
            .map_err(|fault| (*fault.so_far, Diagnostic::of(&fault.error))),
        Ok(source) => Collector::collect(Sequences(source), &watch.options, init)
            .map_err(|fault| (*fault.so_far, Diagnostic::of(&fault.error))),
        Err(trouble) => Err((init(), trouble)),
    };
    let (collector, error) = match result {
        Ok(collector) => {
            indexes.is_good(input);
            (collector, None)
        }
        Err((collector, error)) => (collector, Some(error)),
    };
    let mut found = noticed(args, input, reads, &watch, false);
    let part = input.part();
    if part.is_none() {
        // Of a shard it is said when all are merged.
        found.extend(old_encoding(&input.name(), &collector));
    }
    let summary = collector.summary();
    let encoding = part.is_none().then_some(summary.encoding);
    let is_empty = part.is_none() && error.is_none() && summary.reads == 0;
    let figures = match sample {
        None => Figures::of(&collector, wanted, name),
        Some(sample) => {
            sample.lock().unwrap_or_else(PoisonError::into_inner).merge(&collector);
            Figures::Joined
        }
    };
    vec![Entry {
        errors: error.into_iter().collect(),
        warnings: found,
        is_empty,
        encoding,
        pairs: collector.pair_check(),
        shard: part,
        ..Entry::new(name.to_owned(), vec![input.name()], reads, figures)
    }]
}

/// What is said of reads whose qualities are stored otherwise than they are read.
pub(crate) fn old_encoding(name: &str, collector: &Collector) -> Option<String> {
    encoding_warning(name, collector.summary().encoding)
}

/// The row of one file of alignments in this format.
pub(crate) fn of_alignments(name: String, format: bam::Format, statistics: &Statistics) -> Entry {
    let error = alignments::malformed(statistics).map(|trouble| trouble.after(&name));
    let figures = Figures::Alignments(format, Some(Box::new(statistics.into())));
    Entry {
        errors: error.into_iter().collect(),
        ..Entry::new(name.clone(), vec![name], format.name(), figures)
    }
}

/// The report of a row of alignments.
pub(crate) fn json_of(entry: &Entry) -> Result<String> {
    rows::json(&alignments::report(&[entry], None))
}

/// The same of alignments in this format.
fn collect_alignments(
    args: &Args,
    by: Option<GroupBy>,
    (input, name): (&Input, &str),
    part: Option<PartKind>,
    (source, format): (Source, bam::Format),
    watch: &Watch,
) -> Vec<Entry> {
    let entry = |figures, group: Option<ReportGroup>| {
        let sample = match &group {
            Some(group) => format!("{name}:{}", group.name),
            None => name.to_owned(),
        };
        let figures = Figures::Alignments(format, figures);
        let shard = input.part();
        Entry { group, shard, ..Entry::new(sample, vec![input.name()], format.name(), figures) }
    };
    if let Some(by) = by
        && !(args.paired || args.interleaved)
    {
        let found = alignments::collect_by(args, input, source, by, watch);
        let error = found.as_ref().err().map(|error| named(Diagnostic::from(error), input));
        let mut entries: Vec<Entry> = match found {
            Ok(found) => {
                found.into_iter().map(|(group, figures)| entry(Some(figures), group)).collect()
            }
            Err(_) => vec![entry(None, None)],
        };
        if let Some(first) = entries.first_mut() {
            first.errors.extend(error);
            first.warnings = noticed(args, input, format.name(), watch, false);
        }
        return entries;
    }
    let (figures, error) = match args.paired || args.interleaved {
        true => (None, Some(Diagnostic::new("--paired and --interleaved apply to FASTQ"))),
        false => alignments::collect(args, input, source, part, watch),
    };
    vec![Entry {
        errors: error.map(|error| named(error, input)).into_iter().collect(),
        warnings: noticed(args, input, format.name(), watch, alignments::needs_reference(args)),
        ..entry(figures, None)
    }]
}

/// What is wrong with an input, with its name.
fn named(trouble: Diagnostic, input: &Input) -> Diagnostic {
    match trouble.text.starts_with(&input.name()) {
        true => trouble,
        false => trouble.after(&escaped(input)),
    }
}

/// What was noticed of an input in this format, after its name. How it was read is said at once, where that is wanted.
/// `uses_reference` says that the reference is needed, whatever the format.
fn noticed(
    args: &Args,
    input: &Input,
    format: &str,
    watch: &Watch,
    uses_reference: bool,
) -> Vec<String> {
    if args.messages.verbose {
        describe(&watch.console, input, Some(format), &watch.options, args.threads.asked());
    }
    let mut found: Vec<String> = watch.notes.warnings().iter().map(warning_text).collect();
    if args.reference.is_some() && !uses_reference && format != bam::Format::Cram.name() {
        found.push(format!("the reference is not needed: {format} stores the bases"));
    }
    let name = escaped(input);
    found.into_iter().map(|warning| format!("{name}: {warning}")).collect()
}

/// The name of an input, fit for display.
fn escaped(input: &Input) -> String {
    Escaped(input.name().as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_inputs_and_streams_share_the_threads_and_a_giant_gets_all() {
        assert_eq!(readers(8, &[Some(100); 4]), 4);
        assert_eq!(readers(2, &[Some(100); 4]), 2);
        assert_eq!(readers(8, &[Some(1_000_000), Some(10), Some(20)]), 2);
        assert_eq!(readers(8, &[Some(1_000_000), Some(0)]), 1);
        // Two pipes fed by one writer must be read side by side.
        assert_eq!(readers(8, &[None, None]), 2);
        assert_eq!(readers(1, &[None, Some(100), None, None]), 3);
        assert_eq!(readers(8, &[Some(0)]), 1);
    }
}
