//! `biofast stats`: inputs to collectors to a table, TSV or JSON.

mod alignments;
mod args;
pub(crate) mod fastqc;
pub(crate) mod html;
mod mates;
mod per_read;
mod plot;
pub(crate) mod qc;
pub(crate) mod qc_reads;
mod rows;

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use biofast::bam;
use biofast::fastq::fasta::{self, Sequences};
use biofast::io::output::Files;
use biofast::io::{Escaped, Options, Progress, Source, TextBounds};
use biofast::ops::alignments::Statistics;
use biofast::ops::alignments::partial::Kind;
use biofast::ops::alignments::report::Group;
use biofast::ops::qc::By;
use biofast::ops::reads::{Collector, Contaminants, Encoding};
use rayon::prelude::*;

use crate::console::{Bar, Trouble, describe, message, warning_text};
use crate::inputs::{self, Input};
use crate::options::{SeekIndexes, keeps_mates_together};
use crate::output;
use crate::watch::Watch;

use args::FormatName;
pub(crate) use args::{Args, Format, Report, metrics};
use mates::{check_pairs, rereads};
pub(crate) use rows::{
    Entry, Figures, Wanted, assess, conclude, join_by_sample, report, text, write,
};

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    if args.print_limits {
        output::finish(args.out.open(files)?, args.verdicts.rules()?.text())?;
        return Ok(ExitCode::SUCCESS);
    }
    let format = match args.format_name {
        Some(name) => Format { tsv: name == FormatName::Tsv, json: name == FormatName::Json },
        None => args.format,
    };
    let by = args.depth.files.by_groups()?;
    args.shard.refuse(by.is_some(), "--by", "rows of groups are of whole files")?;
    args.shard.refuse(args.per_read, "--per-read", "its table is of whole files")?;
    check_verdicts(args)?;
    // What is wrong with limits is known before anything is read.
    let judge = args.verdicts.judge(files)?;
    let inputs = match args.shard.inputs(&args.inputs.files, files)? {
        Some(inputs) => inputs,
        None => args.inputs.inputs(files)?,
    };
    check_shard(args, &inputs)?;
    check_index(args)?;
    if args.per_read {
        return per_read::write(args, &inputs, files);
    }
    if args.paired {
        inputs::in_pairs(&inputs)?;
    }
    if args.plot && (format.tsv || format.json || args.format_name == Some(FormatName::Samtools)) {
        bail!("--plot goes with the table, not with another format");
    }
    if args.out_dir.is_some() && !matches!(args.format_name, None | Some(FormatName::Fastqc)) {
        bail!("--format doesn't go with --out-dir, but for fastqc: see --qc");
    }
    if (args.out_dir.is_none() || args.format_name.is_some())
        && let Some(name) = args.depth.given()
    {
        bail!("{name} is for the depths of alignments in --out-dir; see also `biofast coverage`");
    }
    if args.contaminants.is_some()
        && args.out_dir.is_none()
        && args.format_name != Some(FormatName::Fastqc)
    {
        bail!("--contaminants is for --format fastqc and for --out-dir of reads");
    }
    if args.format_name == Some(FormatName::Samtools) {
        if by.is_some() {
            bail!(
                "--by doesn't go with --format samtools: --out-dir DIR --qc stats has a file of each group"
            );
        }
        if args.html.is_some() {
            bail!("--html doesn't go with --format samtools: make it in a run of its own");
        }
        if args.partial.is_some() {
            bail!("--partial is for --json, from which `biofast merge` makes every other format");
        }
        let report = args.out.open(files)?;
        return alignments::samtools(args, &inputs, report);
    }
    if by.is_some() && !args.sample.is_empty() && args.sample.len() < inputs.len() {
        bail!(
            "--by is of one file: files that are one sample can't be split into groups and joined"
        );
    }
    if args.out_dir.is_none() {
        alignments::check_part(args)?;
    }
    if args.partial.is_some() {
        if by.is_some() {
            bail!("--by doesn't go with --partial: a part is of all records");
        }
        if !format.json || args.out_dir.is_some() {
            bail!("--partial is for --json, from which `biofast merge` makes every other format");
        }
        if args.regions.any() {
            bail!(
                "--partial is of all records of a file: those that overlap two regions would count twice"
            );
        }
    }
    let names = sample_names(&args.sample, &inputs)?;
    if let [one, other] = &names[..] {
        let why = "mates are two rows until all shards are merged";
        args.shard.refuse(one == other, "one --sample for two files", why)?;
    }
    let contaminants = contaminants(args)?;
    let indexes = args.seek_index.open(&inputs, files)?;
    let wanted = match args.format_name {
        Some(FormatName::Fastqc) => {
            fastqc::check(args, &names)?;
            Wanted::fastqc(&contaminants)
        }
        _ if args.out_dir.is_some() => {
            return match qc_reads::are_reads(args, &inputs)? {
                true => {
                    let names = (&inputs[..], &names[..]);
                    qc_reads::write(args, names, (&contaminants, &judge), &indexes, files)
                }
                false => qc::write(args, &inputs, &names, &judge, files),
            };
        }
        _ => {
            let everything = args.html.is_some() || args.plot;
            Wanted::new(format, everything).judged_by(&judge).of_groups(by)
        }
    };
    // Whether the outputs can be written is known before anything is read.
    let out = match args.out_dir {
        Some(_) => None,
        None => Some(args.out.open(files)?),
    };
    let page = output::optional_report(files, args.html.as_deref())?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&progress, total, args.messages.quiet);
    let follow = (&progress, &indexes);
    let rereads = rereads(args, &inputs);
    let mut entries = collect_all(args, wanted, &inputs, &names, follow, true)?;
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
        let what = "--reference has no effect: it is for CRAM and for --format samtools";
        message("warning", what);
    }
    let are_reads =
        entries.iter().all(|entry| entry.errors.is_empty() && entry.figures.alignments().is_none());
    if args.partial.is_some() && !args.messages.quiet && are_reads {
        message("warning", "--partial has no effect: reports of reads can be merged without it");
    }
    // Two rows of one name are one sample only where the user named samples.
    if !args.sample.is_empty() {
        entries = join_by_sample(entries, wanted, args.partial.is_some() || args.shard.any())?;
    }
    report(&entries, args.messages.quiet);
    let Some(out) = out else { return fastqc::write_folders(args, &entries, files) };
    if args.format_name == Some(FormatName::Fastqc) {
        return fastqc::write(&entries, out);
    }
    assess(&mut entries, &judge);
    let code = write(&entries, out, &text(&entries, format, args.plot)?, page, indexes)?;
    conclude(&entries, &judge, args.messages.quiet, code)
}

/// Refuses verdicts about what has none.
fn check_verdicts(args: &Args) -> Result<()> {
    let verdicts = &args.verdicts;
    let of_parts = "verdicts are about wholes: give them to `biofast merge`";
    verdicts.refuse(args.shard.any(), "--shard", of_parts)?;
    verdicts.refuse(args.partial.is_some(), "--partial", of_parts)?;
    let others = "its text has no place for them";
    let is = |name| args.format_name == Some(name);
    verdicts.refuse(is(FormatName::Samtools), "--format samtools", others)?;
    verdicts.refuse(is(FormatName::Fastqc), "--format fastqc", "that report has FastQC's own")
}

/// Refuses what can't be said of a shard.
fn check_shard(args: &Args, inputs: &[Input]) -> Result<()> {
    let shard = &args.shard;
    let named = args.inputs.files_from.is_some();
    shard.refuse(named, "--files-from", "the plan says which files are read")?;
    shard.refuse(args.regions.any(), "--region", "a shard is not of regions")?;
    let why = "reports of other programs are of whole files; those of --json are merged";
    shard.refuse(args.out_dir.is_some(), "--out-dir", why)?;
    let of_others = matches!(args.format_name, Some(FormatName::Samtools | FormatName::Fastqc));
    shard.refuse(of_others, "--format", why)?;
    let lane = args.partial == Some(args::Partial::Lane);
    shard.refuse(lane, "--partial lane", "the depths of a shard are those of '--partial shard'")?;
    if args.interleaved {
        keeps_mates_together(inputs)?;
    }
    Ok(())
}

/// Refuses seek indexes where there is no one reading of a whole file.
fn check_index(args: &Args) -> Result<()> {
    let index = &args.seek_index;
    let of_wholes =
        "an index is of a whole file, which `biofast index` or a run without --shard reads";
    index.refuse(args.shard.any(), "--shard", of_wholes)?;
    index.refuse(args.regions.any(), "--region", "an index is of a whole file")?;
    let make_it = "make it with `biofast index`";
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
    let name = biofast::io::display_name(path);
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
            "{} sample names for {} input{}: give one for each, or one for all",
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
    wanted: Wanted<'_>,
    inputs: &[Input],
    names: &[String],
    follow: (&Arc<Progress>, &SeekIndexes),
    joins: bool,
) -> Result<Vec<Entry>> {
    let threads = args.threads.total();
    let lengths: Vec<Option<u64>> = inputs.iter().map(Input::len).collect();
    let at_once = readers(threads, &lengths);
    let pool = crate::embedded::pool(at_once)?;
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
                let kind = args.shard.any().then_some(Kind::Shard).or(args.partial.map(Kind::from));
                let part = kind.or(is_lane.then_some(Kind::Lane));
                let sample = samples.get(name.as_str());
                collect(args, wanted, input, name, part, (share, follow), sample)
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
    wanted: Wanted<'_>,
    input: &Input,
    name: &str,
    part: Option<Kind>,
    (threads, (progress, indexes)): (usize, (&Arc<Progress>, &SeekIndexes)),
    sample: Option<&Mutex<Collector>>,
) -> Vec<Entry> {
    let options = reading(args, threads);
    let mut source = input.open();
    // What is wrong with an input that can't be recognised is said by who reads it.
    if let Ok(source_) = &mut source
        && let Ok(format) = bam::Format::sniff(source_)
        && let Ok(source) = source
    {
        let watch = Watch::sharing(progress, args.strictness.alignments(options));
        return collect_alignments(
            args,
            wanted.by(),
            (input, name),
            part,
            (source, format),
            &watch,
        );
    }
    let watch = Watch::sharing(progress, options);
    // FastQC's report is about qualities.
    let is_fasta = !wanted.is_fastqc()
        && source.as_mut().is_ok_and(|source| fasta::is_fasta(source).unwrap_or(false));
    let reads = if is_fasta { "FASTA" } else { "FASTQ" };
    let pairs = (args.paired || args.interleaved).then(|| args.pairing.rule());
    let init = || wanted.collector(pairs);
    let source = source.map(|source| indexes.follow(input, source));
    let result = match source {
        Ok(_) if wanted.by().is_some() => {
            Err((init(), Trouble::new("FASTQ has no read groups for --by").after(&escaped(input))))
        }
        Ok(_) if args.regions.any() => {
            Err((init(), Trouble::new("reads of FASTQ have no regions").after(&escaped(input))))
        }
        Ok(source) if wanted.is_fastqc() => Collector::collect(source, &watch.options, init)
            .map_err(|fault| (*fault.so_far, Trouble::of(&fault.error))),
        Ok(source) => Collector::collect(Sequences(source), &watch.options, init)
            .map_err(|fault| (*fault.so_far, Trouble::of(&fault.error))),
        Err(error) => Err((init(), Trouble::of(&error))),
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
        pairs: collector.pair_check(),
        shard: part,
        ..Entry::new(name.to_owned(), vec![input.name()], reads, figures)
    }]
}

/// What is said of reads whose qualities are stored otherwise than they are read.
pub(crate) fn old_encoding(name: &str, collector: &Collector) -> Option<String> {
    let encoding = collector.summary().encoding;
    let what = match encoding {
        Encoding::ProbablyPhred64 | Encoding::ProbablySolexa64 => {
            "the qualities look like an old encoding"
        }
        Encoding::ProbablyMixed => {
            "some reads have qualities that look like Phred+64, and others are surely Phred+33"
        }
        _ => return None,
    };
    let outcome = match encoding {
        Encoding::ProbablyMixed => "quality statistics mix both",
        _ => "every figure about quality is about 31 too high",
    };
    Some(format!(
        "{}: {what} ({}); they are read as Phred+33, so {outcome}",
        Escaped(name.as_bytes()),
        encoding.name()
    ))
}

/// The report of one file of alignments in this format, as JSON and as a page for the browser.
pub(crate) fn of_alignments(
    name: String,
    format: bam::Format,
    statistics: &Statistics,
) -> Result<(String, String)> {
    let error = alignments::malformed(statistics).map(|trouble| trouble.after(&name));
    let figures = Figures::Alignments(format, Some(Box::new(statistics.into())));
    let entry = Entry {
        errors: error.into_iter().collect(),
        ..Entry::new(name.clone(), vec![name], format.name(), figures)
    };
    Ok((rows::json(&alignments::report(&[&entry]))?, html::page(&[entry])?))
}

/// The report of a row of alignments.
pub(crate) fn json_of(entry: &Entry) -> Result<String> {
    rows::json(&alignments::report(&[entry]))
}

/// The same of alignments in this format.
fn collect_alignments(
    args: &Args,
    by: Option<By>,
    (input, name): (&Input, &str),
    part: Option<Kind>,
    (source, format): (Source, bam::Format),
    watch: &Watch,
) -> Vec<Entry> {
    let entry = |figures, group: Option<Group>| {
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
        let error = found.as_ref().err().map(|error| named(Trouble::from(error), input));
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
        true => (None, Some(Trouble::new("--paired and --interleaved are for FASTQ"))),
        false => alignments::collect(args, input, source, part, watch),
    };
    vec![Entry {
        errors: error.map(|error| named(error, input)).into_iter().collect(),
        warnings: noticed(args, input, format.name(), watch, alignments::needs_reference(args)),
        ..entry(figures, None)
    }]
}

/// What is wrong with an input, with its name.
fn named(trouble: Trouble, input: &Input) -> Trouble {
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
        describe(input, Some(format), &watch.options, args.threads.asked());
    }
    let mut found: Vec<String> = watch.notes.warnings().iter().map(warning_text).collect();
    if args.reference.is_some() && !uses_reference && format != bam::Format::Cram.name() {
        found.push(format!("the reference is not needed: {format} holds the bases"));
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
