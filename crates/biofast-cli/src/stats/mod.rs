//! `biofast stats`: inputs to collectors to a table, TSV or JSON.

mod alignments;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use biofast::bam;
use biofast::fastq::pair;
use biofast::io::{IoMode, Notes, Options, Progress};
use biofast::ops::alignment;
use biofast::ops::stats::report::{FileReport, Report, Statistics, Status};
use biofast::ops::stats::table::{self, Row};
use biofast::ops::stats::{Collector, Encoding, PairCheck, Summary};
use clap::ValueEnum;
use rayon::prelude::*;

use crate::alignments::RegionArgs;
use crate::inputs::{self, Input};
use crate::progress::Bar;
use crate::{message, output};

/// Count reads and bases, lengths, qualities and composition of FASTQ or alignments, in one pass
///
/// Reads plain, gzip, BGZF, zstd, bzip2 and xz FASTQ, and BAM, SAM and CRAM, recognised by content.
/// Every record and every checksum is checked; a faulty input gets an error with record and line,
/// the other inputs keep their rows, and the exit code is 2.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast stats reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --paired -T *.fastq.gz > stats.tsv
  biofast stats --json sample.fq.bgz -o sample.json
  biofast stats aln.bam
  biofast stats --format samtools aln.bam > aln.stats
  zcat reads.fq.gz | biofast stats --stdin-label lane1")]
pub(crate) struct Args {
    /// Files of reads or alignments; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Read more file names from FILE, one a line
    #[arg(short = 'X', long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    #[command(flatten)]
    format: Format,

    /// Output format; 'samtools' is the report of `samtools stats` for one file of alignments
    #[arg(long = "format", value_enum, value_name = "FORMAT", conflicts_with_all = ["tsv", "json"])]
    format_name: Option<FormatName>,

    /// Reference sequences in FASTA: to decode CRAM, and for the mismatches by cycle of
    /// '--format samtools'
    #[arg(short, long, visible_alias = "ref-seq", value_name = "FASTA")]
    reference: Option<PathBuf>,

    #[command(flatten)]
    regions: RegionArgs,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Take the files two by two as mates: names and numbers of reads must agree
    #[arg(long, conflicts_with = "interleaved")]
    paired: bool,

    /// Each file holds mates one after the other: their names must agree
    #[arg(long)]
    interleaved: bool,

    /// Name of the row, once for each file, or once for all; files of the same name share a row
    #[arg(long, value_name = "NAME")]
    sample: Vec<String>,

    /// Name of standard input in the results
    #[arg(long, value_name = "LABEL", default_value = "-")]
    stdin_label: String,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,

    /// How files are read: 'auto' maps files of 50 MB and more
    #[arg(long, value_enum, default_value_t = Io::Auto, value_name = "MODE")]
    io: Io,

    /// Treat FASTQ in BGZF without its end-of-file block as an error
    #[arg(long)]
    strict: bool,

    /// Accept BAM or CRAM without its end-of-file marker
    #[arg(long)]
    allow_missing_eof: bool,

    /// No progress bar and no warnings
    #[arg(short, long)]
    quiet: bool,

    /// Say how each input was read
    #[arg(short, long)]
    verbose: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    chunk_size: Option<std::num::NonZeroUsize>,
}

/// How results are printed.
#[derive(Clone, Copy, clap::Args)]
#[group(multiple = false)]
pub(crate) struct Format {
    /// Tab-separated, with the columns of `seqkit stats -a -T`
    #[arg(short = 'T', long)]
    tsv: bool,

    /// Everything, as JSON; `biofast merge` reads it back
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// A table for people
    Table,
    /// As --tsv
    Tsv,
    /// As --json
    Json,
    /// The text of `samtools stats`
    Samtools,
}

#[derive(Clone, Copy, ValueEnum)]
enum Io {
    /// Map files of 50 MB and more
    Auto,
    /// Map every file
    Mmap,
    /// Read every file
    Read,
}

/// One row of the result.
pub(crate) struct Entry {
    pub(crate) sample: String,
    pub(crate) inputs: Vec<String>,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) pairs: Option<PairCheck>,
    pub(crate) figures: Figures,
}

/// What is kept of a collector, which itself takes about 1 MB: as little as the output needs.
pub(crate) enum Figures {
    /// For tables.
    Summary(Box<Summary>),
    /// For JSON.
    Statistics(Box<Statistics>),
    /// Everything, where rows are yet to be joined.
    Collector(Box<Collector>),
    /// Counted with another row of the same sample.
    Joined,
    /// Of alignments, with their format; nothing where nothing could be read.
    Alignments(bam::Format, Option<Box<alignment::report::Figures>>),
}

impl Figures {
    /// The figures of alignments.
    fn alignments(&self) -> Option<(bam::Format, Option<&alignment::report::Figures>)> {
        match self {
            Figures::Alignments(format, figures) => Some((*format, figures.as_deref())),
            _ => None,
        }
    }

    /// What `format` needs of `collector`.
    pub(crate) fn of(collector: &Collector, format: Format) -> Figures {
        if format.json {
            Figures::Statistics(Box::new(Statistics::from(collector)))
        } else {
            Figures::Summary(Box::new(collector.summary()))
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let format = match args.format_name {
        Some(name) => Format { tsv: name == FormatName::Tsv, json: name == FormatName::Json },
        None => args.format,
    };
    let inputs = inputs::gather(&args.files, args.files_from.as_deref(), &args.stdin_label)?;
    if args.paired && !inputs.len().is_multiple_of(2) {
        bail!("--paired takes files two by two, but {} are named", inputs.len());
    }
    if args.format_name == Some(FormatName::Samtools) {
        return alignments::samtools(args, &inputs);
    }
    let names = sample_names(&args.sample, &inputs)?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&progress, total, args.quiet);
    let mut entries = collect_all(args, format, &inputs, &names, &progress)?;
    check_pairs(args, &inputs, &mut entries);
    drop(bar);
    report(&entries, args.quiet);
    // Two rows of one name are one sample only where the user named samples.
    if !args.sample.is_empty() {
        let mut names = HashSet::new();
        if let Some(entry) = entries.iter().find(|e| !names.insert(&e.sample))
            && entries.iter().any(|e| e.sample == entry.sample && e.figures.alignments().is_some())
        {
            bail!(
                "alignments of one sample ('{}') can't be joined: merge them first",
                entry.sample
            );
        }
        entries = join_by_sample(entries, format);
    }
    print(&entries, format, args.out.as_deref())
}

/// Says on standard error what is wrong or worth knowing.
pub(crate) fn report(entries: &[Entry], quiet: bool) {
    for entry in entries {
        if !quiet {
            entry.warnings.iter().for_each(|w| message("warning", w));
        }
        entry.errors.iter().for_each(|e| message("error", e));
    }
}

/// The row name of each input.
fn sample_names(given: &[String], inputs: &[Input]) -> Result<Vec<String>> {
    match given {
        [] => Ok(inputs.iter().map(Input::name).collect()),
        [one] => Ok(vec![one.clone(); inputs.len()]),
        names if names.len() == inputs.len() => Ok(names.to_vec()),
        names => bail!(
            "{} sample names for {} inputs: give one for each, or one for all",
            names.len(),
            inputs.len()
        ),
    }
}

/// Collects every input. Several inputs are read at once, the threads shared among them: that is
/// the only way to use all threads on ordinary gzip. But an input much larger than the others
/// gets all threads for itself, lest it be read on one when the others are done.
fn collect_all(
    args: &Args,
    format: Format,
    inputs: &[Input],
    names: &[String],
    progress: &Arc<Progress>,
) -> Result<Vec<Entry>> {
    let threads = args.threads.map_or_else(biofast::io::available_threads, usize::from);
    let lengths: Vec<Option<u64>> = inputs.iter().map(Input::len).collect();
    let at_once = readers(threads, &lengths);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build()?;
    // Samples are summed up as their inputs are done, so that only samples take memory.
    let mut samples: HashMap<&str, Mutex<Collector>> = match args.sample.is_empty() {
        true => HashMap::new(),
        false => names.iter().map(|name| (name.as_str(), Mutex::default())).collect(),
    };
    let mut entries: Vec<Entry> = pool.install(|| {
        let indexed = inputs.par_iter().zip(names).with_max_len(1);
        indexed
            .map(|(input, name)| {
                // Threads that can't be shared evenly go to the first readers.
                let reader = rayon::current_thread_index().unwrap_or(0);
                let share = threads / at_once + usize::from(reader < threads % at_once);
                let mut options = options(args, share);
                options.progress = Some(Arc::clone(progress));
                collect(args, format, input, name, options, samples.get(name.as_str()))
            })
            .collect()
    });
    for entry in &mut entries {
        if matches!(entry.figures, Figures::Joined)
            && let Some(sum) = samples.remove(entry.sample.as_str())
        {
            let sum = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
            entry.figures = Figures::Collector(Box::new(sum));
        }
    }
    Ok(entries)
}

/// How many inputs of these lengths to read at once: as many as the largest would fit into all
/// of them together. A stream of unknown length counts as large.
fn readers(threads: usize, lengths: &[Option<u64>]) -> usize {
    let largest = lengths.iter().flatten().copied().max().unwrap_or(0).max(1);
    let total: u64 = lengths.iter().map(|len| len.unwrap_or(largest)).sum();
    let as_large = usize::try_from(total.div_ceil(largest)).unwrap_or(usize::MAX);
    threads.min(lengths.len()).min(as_large).max(1)
}

fn options(args: &Args, threads: usize) -> Options {
    let defaults = Options::default();
    Options {
        io: match args.io {
            Io::Auto => IoMode::Auto,
            Io::Mmap => IoMode::Mmap,
            Io::Read => IoMode::Read,
        },
        threads,
        strict: args.strict,
        chunk_size: args.chunk_size.map_or(defaults.chunk_size, usize::from),
        ..defaults
    }
}

/// Reads one input. Its counts go to `sample`, if there is one.
fn collect(
    args: &Args,
    format: Format,
    input: &Input,
    name: &str,
    mut options: Options,
    sample: Option<&Mutex<Collector>>,
) -> Entry {
    let notes = Arc::new(Notes::default());
    options.notes = Some(Arc::clone(&notes));
    let pairs = args.paired || args.interleaved;
    let mut source = input.open();
    // What is wrong with an input that can't be recognised is said by who reads it.
    if let Ok(source_) = &mut source
        && let Ok(alignment_format) = bam::Format::sniff(source_)
        && let Ok(source) = source
    {
        let options = alignments::reading(args, options);
        let (figures, mut error) = match pairs {
            true => (None, Some("--paired and --interleaved are for FASTQ".to_owned())),
            false => alignments::collect(args, input, source, &options),
        };
        if let Some(error) = &mut error
            && !error.starts_with(&input.name())
        {
            *error = format!("{}: {error}", biofast::io::Escaped(input.name().as_bytes()));
        }
        describe(args, input, alignment_format.name(), &options);
        return Entry {
            sample: name.to_owned(),
            inputs: vec![input.name()],
            errors: error.into_iter().collect(),
            warnings: warnings(input, notes.warnings().iter().map(ToString::to_string)),
            pairs: None,
            figures: Figures::Alignments(alignment_format, figures),
        };
    }
    let init = if pairs { Collector::with_pair_check } else { Collector::new };
    let result = match source {
        Ok(_) if args.regions.any() => {
            let name = input.name();
            let name = biofast::io::Escaped(name.as_bytes());
            Err((init(), format!("{name}: reads of FASTQ have no regions")))
        }
        Ok(source) => Collector::collect(source, &options, init)
            .map_err(|fault| (*fault.so_far, fault.error.to_string())),
        Err(error) => Err((init(), error.to_string())),
    };
    let (collector, error) = match result {
        Ok(collector) => (collector, None),
        Err((collector, error)) => (collector, Some(error)),
    };
    describe(args, input, "FASTQ", &options);
    let mut found: Vec<String> = notes.warnings().iter().map(ToString::to_string).collect();
    let encoding = collector.summary().encoding;
    if matches!(encoding, Encoding::ProbablyPhred64 | Encoding::ProbablySolexa64) {
        found.push(format!(
            "the qualities look like an old encoding ({}); they are read as Phred+33, so every \
             figure about quality is about 31 too high",
            encoding.name()
        ));
    }
    Entry {
        sample: name.to_owned(),
        inputs: vec![input.name()],
        errors: error.into_iter().collect(),
        warnings: warnings(input, found),
        pairs: collector.pair_check(),
        figures: match sample {
            None => Figures::of(&collector, format),
            Some(sample) => {
                sample.lock().unwrap_or_else(PoisonError::into_inner).merge(&collector);
                Figures::Joined
            }
        },
    }
}

/// Warnings with the name of their input.
fn warnings(input: &Input, found: impl IntoIterator<Item = String>) -> Vec<String> {
    let name = input.name();
    let name = biofast::io::Escaped(name.as_bytes());
    found.into_iter().map(|warning| format!("{name}: {warning}")).collect()
}

/// Says how an input was read, if the user wants to know.
fn describe(args: &Args, input: &Input, format: &str, options: &Options) {
    let Some(notes) = &options.notes else { return };
    if args.verbose
        && let Some(container) = notes.container()
    {
        message(
            "note",
            &format!(
                "{}: {} {format}, {}, {} thread(s), {} kernels",
                biofast::io::Escaped(input.name().as_bytes()),
                container.name(),
                if notes.is_mapped() { "memory-mapped" } else { "read" },
                options.threads,
                biofast::kernels::active(),
            ),
        );
    }
}

/// Sets the error of inputs whose reads are not the mates they should be.
fn check_pairs(args: &Args, inputs: &[Input], entries: &mut [Entry]) {
    let options = options(args, 2);
    if args.paired {
        for (inputs, entries) in inputs.chunks_exact(2).zip(entries.chunks_exact_mut(2)) {
            let [first, second] = entries else { continue };
            let (Some(pairs), Some(mates)) = (&first.pairs, &second.pairs) else { continue };
            let sound = first.errors.is_empty() && second.errors.is_empty();
            if sound && !pairs.pairs_with(mates) {
                let error = explain(inputs, || {
                    pair::find_mismatch(inputs[0].open()?, inputs[1].open()?, &options)
                });
                first.errors.push(error.clone());
                second.errors.push(error);
            }
        }
    } else if args.interleaved {
        for (input, entry) in inputs.iter().zip(entries) {
            let Some(pairs) = &entry.pairs else { continue };
            if entry.errors.is_empty() && !pairs.is_interleaved() {
                entry.errors.push(explain(std::slice::from_ref(input), || {
                    pair::find_interleaved_mismatch(input.open()?, &options)
                }));
            }
        }
    }
}

/// Reads inputs that are known not to pair a second time, to say where.
fn explain(
    inputs: &[Input],
    find: impl FnOnce() -> Result<Option<biofast::fastq::Error>, biofast::fastq::Error>,
) -> String {
    let names = inputs.iter().map(Input::name).collect::<Vec<_>>().join(" and ");
    let general = format!("{names}: the reads are not mates: their names or numbers differ");
    if inputs.iter().any(|input| input.len().is_none()) {
        return format!("{general} (a stream can't be read again to say where)");
    }
    match find() {
        Ok(Some(mismatch)) => mismatch.to_string(),
        Ok(None) => general,
        Err(error) => error.to_string(),
    }
}

/// Joins entries of the same sample, at the place of the first.
pub(crate) fn join_by_sample(entries: Vec<Entry>, format: Format) -> Vec<Entry> {
    let mut place = HashMap::new();
    let mut joined: Vec<Entry> = Vec::new();
    for entry in entries {
        let Some(&index) = place.get(&entry.sample) else {
            place.insert(entry.sample.clone(), joined.len());
            joined.push(entry);
            continue;
        };
        let into: &mut Entry = &mut joined[index];
        if let (Figures::Collector(into), Figures::Collector(from)) =
            (&mut into.figures, &entry.figures)
        {
            into.merge(from);
        }
        into.inputs.extend(entry.inputs);
        into.warnings.extend(entry.warnings);
        for error in entry.errors {
            if !into.errors.contains(&error) {
                into.errors.push(error);
            }
        }
    }
    for entry in &mut joined {
        if let Figures::Collector(collector) = &entry.figures {
            entry.figures = Figures::of(collector, format);
        }
    }
    joined
}

/// Prints the rows; the exit code tells whether all of them are good.
pub(crate) fn print(
    entries: &[Entry],
    format: Format,
    out: Option<&std::path::Path>,
) -> Result<ExitCode> {
    let (aligned, reads): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.figures.alignments().is_some());
    let mixed = !aligned.is_empty() && !reads.is_empty();
    if mixed && (format.json || format.tsv) {
        bail!("reads and alignments have different figures: count them in two runs");
    }
    let text = if reads.is_empty() && format.json {
        alignments::json(&aligned)?
    } else if reads.is_empty() {
        alignments::text(&aligned, format.tsv)
    } else if format.json {
        let files = entries.iter().filter_map(file_report).collect();
        let report = Report::new(env!("CARGO_PKG_VERSION"), files);
        let mut text = serde_json::to_string(&report)?;
        text.push('\n');
        text
    } else {
        let errors: Vec<String> = reads.iter().map(|entry| entry.errors.join("; ")).collect();
        let rows: Vec<Row<'_>> = reads
            .iter()
            .zip(&errors)
            .map(|(entry, error)| Row {
                name: &entry.sample,
                result: match &entry.figures {
                    Figures::Summary(summary) if error.is_empty() => Ok(&**summary),
                    _ => Err(error.as_str()),
                },
            })
            .collect();
        let mut text = if format.tsv { table::tsv(&rows) } else { table::table(&rows) };
        if mixed {
            text.push('\n');
            text.push_str(&alignments::text(&aligned, false));
        }
        text
    };
    let good = entries.iter().all(|entry| entry.errors.is_empty());
    match output::write(out, &text) {
        // A closed pipe is no error of ours, but it doesn't make a faulty input good either.
        Err(error) if !output::is_closed_pipe(&error) => Err(error),
        _ if good => Ok(ExitCode::SUCCESS),
        _ => Ok(ExitCode::from(2)),
    }
}

fn file_report(entry: &Entry) -> Option<FileReport> {
    let Figures::Statistics(statistics) = &entry.figures else { return None };
    let error = entry.errors.join("; ");
    Some(FileReport {
        sample: entry.sample.clone(),
        inputs: entry.inputs.clone(),
        status: if error.is_empty() { Status::Ok } else { Status::Error },
        error: Some(error).filter(|error| !error.is_empty()),
        warnings: entry.warnings.clone(),
        format: "FASTQ".into(),
        statistics: (**statistics).clone(),
    })
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
        assert_eq!(readers(8, &[Some(0)]), 1);
    }
}
