//! `biofast filter`: reads to a chain of trimmers and predicates to files; alignments to a choice of
//! them.

mod alignments;
mod args;
mod build;
mod given;
mod outputs;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::fastq::{self, Inputs};
use biofast::io::output::{self as io_output, Files, Output, commit};
use biofast::io::{Escaped, Notes, Options, Progress, Source, is_named_pipe};
use biofast::ops::filter::names::ListedNames;
use biofast::ops::filter::report::{FileSum, Report, Role};
use biofast::ops::filter::sample::Sample;
use biofast::ops::filter::{Filter, Routes, Statistics, Tally};
use biofast::ops::measure::records::Sum;
use biofast::ops::show;

pub(crate) use args::Args;

use crate::console::{Bar, describe, message};
use crate::inputs::{self, Input};
use crate::output::{self, Stopped, command_line};
use crate::{options, watch};
use args::IndexFormat;

pub(crate) fn run(args: &Args, run: &mut Files) -> Result<ExitCode> {
    // What follows a file of alignments are regions.
    let first = inputs::gather(args.files.get(..1).unwrap_or_default(), None, "-", run)?;
    let Some((input, others)) = first.split_first() else { bail!("no input") };
    // One program may feed two pipes, and wait for both to be opened before it writes.
    let second = args.files.get(1).filter(|path| is_named_pipe(path));
    let second = second.map(Source::open).transpose()?;
    let mut source = input.open()?;
    let Err(error) = bam::Format::sniff(&mut source) else {
        if let Some(Input::Path(path)) = others.first() {
            bail!("alignments are filtered one file at a time, but {} is another", path.display());
        }
        inputs::keep_indexes(std::slice::from_ref(input), run)?;
        return alignments::run(args, input, source, run);
    };
    match args.alignments.given() {
        None => reads(args, source, second, run),
        Some(option) if matches!(error.kind(), bam::ErrorKind::NotAlignments(_)) => bail!(
            "{option} is of alignments, and {} is none of BAM, SAM and CRAM (help is --help)",
            biofast::io::Escaped(input.name().as_bytes())
        ),
        Some(_) => Err(error.into()),
    }
}

/// Filters FASTQ, whose first file has been opened, and the second if that is a named pipe.
fn reads(args: &Args, first: Source, second: Option<Source>, run: &mut Files) -> Result<ExitCode> {
    if matches!(args.write_index, Some(IndexFormat::Bai | IndexFormat::Csi)) {
        bail!("BAI and CSI are indexes of BAM; reads have --write-index alone");
    }
    let inputs = inputs::gather(&args.files, None, "-", run)?;
    if args.interleaved && inputs.len() > 1 {
        bail!("--interleaved takes one file, but {} are named", inputs.len());
    }
    if inputs.len() > 2 {
        bail!("expected one file, or two of mates, but {} are named", inputs.len());
    }
    inputs::are_two(&inputs)?;
    let paired = args.interleaved || inputs.len() == 2;
    // Everything that can be wrong with the arguments is said before an output is touched.
    let mut sources = open(args, &inputs, first, second)?;
    let adapters = build::detect(args, &mut sources)?;
    let mut filter = build::filter(args, paired, &adapters)?;
    if args.stats || args.html.is_some() {
        filter = filter.gather_statistics();
    }
    if let Some(sample) = sample(args, &inputs, paired)? {
        filter = filter.sample(sample);
    }
    let (mut outputs, paths, routes) = outputs::open(args, paired, run)?;
    if args.write_index.is_some() && !args.quiet && !outputs.iter().any(Output::has_index) {
        message(
            "warning",
            "--write-index has no effect: no output is a file in BGZF (.gz or .bgz)",
        );
    }
    let reports = Reports::open(args, run)?;
    output::outlast_readers(&mut outputs, reports.len());
    let filter = filter.routes(routes);

    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&progress, total, args.quiet);
    let notes = [Arc::new(Notes::default()), Arc::new(Notes::default())];
    let options = notes.clone().map(|notes| Options {
        progress: Some(Arc::clone(&progress)),
        notes: Some(notes),
        ..options(args)
    });
    let read = options.clone();
    let result = apply(&filter, sources, options, args.which.head, &mut outputs);
    drop(bar);
    if args.verbose {
        for (input, options) in inputs.iter().zip(&read) {
            describe(input, Some("FASTQ"), options, args.threads);
        }
    }
    if !args.quiet {
        inputs.iter().zip(&notes).for_each(|(input, notes)| watch::tell(input, notes));
    }
    let (tally, statistics) = match result {
        Ok(counts) => counts,
        Err(stopped) => return stopped.code(),
    };
    let listed = filter.listed_names();
    warn_of_absent(args, listed.as_ref());
    let mut report = Report::new(&tally, &command_line())
        .with_adapters(adapters)
        .with_listed_names(listed)
        .with_files(files(args, &inputs, &tally, &paths, routes));
    if let Some(mut statistics) = statistics {
        report = report.with_statistics(&tally, &mut statistics);
    }
    let filled = reports.fill(args, &mut report, &mut outputs)?;
    match filled.and_then(|()| commit(outputs, args.sync)) {
        Ok(()) => {
            tell(args, &report);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Stopped::output(error).code(),
    }
}

/// Says which of the listed names there were none of.
fn warn_of_absent(args: &Args, listed: Option<&ListedNames>) {
    let Some(ListedNames { listed, found, first_absent: Some(name) }) = listed else { return };
    if !args.quiet {
        let name = Escaped(name.as_bytes());
        let absent = listed - found;
        let warning = format!(
            "{absent} of {listed} listed names are not among the reads that were looked at, such as '{name}'"
        );
        message("warning", &warning);
    }
}

/// The reports of a run, which appear together with its records.
struct Reports {
    html: Option<Output>,
    json: Option<Output>,
}

impl Reports {
    fn open(args: &Args, files: &mut Files) -> Result<Reports> {
        let html = output::optional_report(files, args.html.as_deref())?;
        let json = output::optional_report(files, args.json.as_deref())?;
        Ok(Reports { html, json })
    }

    /// How many are wanted.
    fn len(&self) -> usize {
        self.html.iter().chain(&self.json).count()
    }

    /// Adds those that are wanted to the `outputs`.
    fn fill(
        self,
        args: &Args,
        report: &mut Report,
        outputs: &mut Vec<Output>,
    ) -> Result<Result<(), io_output::Error>> {
        let mut add = |output: Output, text: &str| -> Result<(), io_output::Error> {
            outputs.push(output::filled(output, text)?);
            Ok(())
        };
        if let Some(html) = self.html {
            let page = show::html::filter(report, &serde_json::to_string(report)?);
            if let Err(error) = add(html, &page) {
                return Ok(Err(error));
            }
            if !args.stats {
                // The curves were gathered for the page alone.
                report.curves = None;
            }
        }
        if let Some(json) = self.json {
            let text = serde_json::to_string_pretty(report)? + "\n";
            return Ok(add(json, &text));
        }
        Ok(Ok(()))
    }
}

/// Prints the summary for people.
fn tell(args: &Args, report: &Report) {
    if !args.quiet {
        use std::io::Write;
        // A summary nobody reads is no error.
        let _ = std::io::stderr().write_all(show::filter::text(report).as_bytes());
    }
}

fn options(args: &Args) -> Options {
    Options {
        io: args.io.into(),
        strict: args.strict,
        ..options::options(args.threads, args.chunk_size)
    }
}

fn open(args: &Args, inputs: &[Input], first: Source, second: Option<Source>) -> Result<Inputs> {
    Ok(match inputs {
        [_, two] => Inputs::Paired(first, second.map_or_else(|| two.open(), Ok)?),
        _ if args.interleaved => Inputs::Interleaved(first),
        _ => Inputs::Single(first),
    })
}

/// The sample that was asked for. An exact one needs the number of reads first.
fn sample(args: &Args, inputs: &[Input], paired: bool) -> Result<Option<Sample>> {
    let which = &args.which;
    if let Some(fraction) = which.sample_fraction {
        return match Sample::fraction(fraction, which.seed) {
            Some(sample) => Ok(Some(sample)),
            None => bail!("--sample-fraction is {fraction}: expected more than 0 and at most 1"),
        };
    }
    let (Some(count), Some(first)) = (which.sample_count, inputs.first()) else { return Ok(None) };
    if first.len().is_none() {
        bail!(
            "--sample-count reads the input twice, which a stream can't be: name a file, or use --sample-fraction"
        );
    }
    let reads = fastq::par_fold(
        first.open()?,
        &options(args),
        || 0u64,
        |reads, batch| *reads += batch.len() as u64,
        |reads, other| *reads += other,
    );
    let reads = reads.map_err(|fault| fault.error)?;
    let units = if paired && inputs.len() == 1 { reads / 2 } else { reads };
    let units = which.head.map_or(units, |head| units.min(head));
    match Sample::count(count, units, which.seed) {
        Some(sample) => Ok(Some(sample)),
        None => bail!("--sample-count must be at least 1"),
    }
}

/// Runs the filter.
fn apply(
    filter: &Filter,
    inputs: Inputs,
    options: [Options; 2],
    head: Option<u64>,
    outputs: &mut [Output],
) -> Result<(Tally, Option<Box<Statistics>>), Stopped> {
    let worker = fastq::par_transform(
        inputs,
        options,
        head,
        outputs,
        || filter.worker(),
        |worker, unit, texts| worker.apply(unit, texts),
        |worker, other| worker.merge(other),
    );
    Ok(worker.map_err(Stopped::failure)?.finish())
}

/// The inputs and outputs, with what was read from and written to each.
fn files(
    args: &Args,
    inputs: &[Input],
    tally: &Tally,
    paths: &[Option<PathBuf>],
    routes: Routes,
) -> Vec<FileSum> {
    let [first, second] = [0, 1].map(|mate| Sum::from(&tally.input[mate]));
    let mut read = [first, second];
    if inputs.len() < 2 {
        read[0].add(second);
    }
    let file = |path: String, role, sum: Sum| {
        let partial = role == Role::Input && args.which.head.is_some();
        FileSum { path, role, partial, records: sum.into() }
    };
    let read = inputs.iter().zip(read).map(|(input, sum)| file(input.name(), Role::Input, sum));
    let written = paths.iter().enumerate().map(|(text, path)| {
        let name = path.as_ref().map_or("-".into(), |path| path.to_string_lossy().into_owned());
        let role = if routes.rejected == Some(text) { Role::Rejected } else { Role::Output };
        file(name, role, tally.written.get(text).copied().unwrap_or_default())
    });
    read.chain(written).collect()
}
