//! `biofast filter` on FASTQ.

mod best;
pub(super) mod by_adapter;
mod outputs;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use biofast::fastq::{self, Inputs};
use biofast::io::output::{Files, Output};
use biofast::io::{Options, Source, display_name};
use biofast::ops::filter::report::{FileSum, Report, Role};
use biofast::ops::filter::sample::Sample;
use biofast::ops::filter::{Filter, Tally, Worker};
use biofast::ops::measure::records::Sum;

use super::args::{Args, IndexFormat};
use super::chain::{self, Looked};
use super::preset;
use super::report::{Reports, warn_of_absent};
use crate::console::message;
use crate::inputs::{self, Input, Rereads};
use crate::output;
use crate::watch::Watch;
use by_adapter::Texts;
use outputs::Opened;

/// Filters FASTQ, whose first file has been opened, and the second if that is a named pipe.
pub(super) fn run(
    args: &Args,
    first: Source,
    second: Option<Source>,
    shards: Option<Vec<Input>>,
    files: &mut Files,
) -> Result<ExitCode> {
    // Everything that can be wrong with the arguments is said before an output is touched.
    let (plan, sources) = plan(args, first, second, shards, files)?;
    let mut opened = outputs::open(args, plan.paired, plan.filter.adapters(), files)?;
    let mut reports = Reports::open(args, files)?;
    prepare(args, &mut opened, &reports);
    let (plan, sources) = plan.choose(args, sources)?;
    let by_adapter = std::mem::replace(&mut opened.by_adapter, Texts::None);
    let mut filter = by_adapter.apply(plan.filter.routes(opened.routes));
    if args.mates.merges() {
        filter = filter.merge(args.mates.rule()?, opened.merged);
    }
    let worker = apply(args, &plan.inputs, &filter, sources, &mut opened.outputs);
    let mut worker = match &plan.rereads {
        Some(rereads) => rereads.checked(worker)?,
        None => worker?,
    };
    let gathered = worker.take_for_fastp();
    let (tally, statistics) = worker.finish();
    if let (Some(rereads), Some(before)) = (&plan.rereads, plan.counted) {
        let all = if plan.inputs.len() < 2 { 2 } else { 1 };
        let now = tally.input.iter().take(all).map(|mate| Sum::from(mate).records).sum::<u64>();
        rereads.compare(&before, &now)?;
    }
    if reports.are_for_fastp() {
        let found = plan.looked.fastp.clone().unwrap_or_default();
        reports.fill_for_fastp(preset::report(args, plan.paired, &found, &tally, gathered)?)?;
    }
    let listed = filter.listed_names();
    warn_of_absent(args, listed.as_ref());
    let mut report = Report::new(&tally, &output::command_line())
        .with_adapters(plan.looked.detected)
        .with_found(filter.adapters(), &tally)
        .with_listed_names(listed)
        .with_files(sums(args, &plan.inputs, &tally, &opened));
    if args.mates.merges() {
        report = report.with_merged(&tally);
    }
    if let Some(mut statistics) = statistics {
        report = report.with_statistics(&tally, &mut statistics);
    }
    reports.finish(args, report, opened.outputs)?;
    Ok(ExitCode::SUCCESS)
}

/// What is to be done.
struct Plan {
    inputs: Vec<Input>,
    paired: bool,
    /// What was found in the first reads, if it was looked for.
    looked: Looked,
    /// What is asked of the best reads, and where they are read for the first time.
    best: Option<(best::Wanted, best::Again)>,
    /// The inputs, if they are read more than once.
    rereads: Option<Rereads>,
    /// How many reads the first input had when they were counted, if all of them are read again.
    counted: Option<u64>,
    /// All but the routes, which the outputs decide, and what takes a reading of its own.
    filter: Filter,
}

/// The plan that the arguments mean, and the inputs it is for.
fn plan(
    args: &Args,
    first: Source,
    second: Option<Source>,
    shards: Option<Vec<Input>>,
    files: &mut Files,
) -> Result<(Plan, Inputs)> {
    if matches!(args.write_index, Some(IndexFormat::Bai | IndexFormat::Csi)) {
        bail!("BAI and CSI are indexes of BAM; reads have --write-index alone");
    }
    let inputs = match shards {
        Some(shards) => shards,
        None => inputs::gather(&args.inputs(), None, "-", files)?,
    };
    if args.interleaved && inputs.len() > 1 {
        bail!("--interleaved takes one file, but {} are named", inputs.len());
    }
    if inputs.len() > 2 {
        bail!("expected one file, or two of mates, but {} are named", inputs.len());
    }
    inputs::are_two(&inputs)?;
    let is_read_twice = args.which.sample_count.is_some()
        || args.which.keep_percent.is_some()
        || args.which.target_bases.is_some();
    let rereads = is_read_twice.then(|| Rereads::of(&inputs));
    let mut sources = match &inputs[..] {
        [_, two] => Inputs::Paired(first, second.map_or_else(|| two.open(), Ok)?),
        _ if args.interleaved => Inputs::Interleaved(first),
        _ => Inputs::Single(first),
    };
    let paired = args.interleaved || inputs.len() == 2;
    if !paired && args.given.has("pair") && !args.messages.quiet {
        message("warning", "--pair has no effect: it is for pairs, two files or --interleaved");
    }
    args.pairs_out.refuse((inputs.len(), paired), args.out.as_deref(), args.out2.is_some())?;
    let wanted = best::wanted(args, paired)?;
    // What is read twice must be there twice.
    let repeated = match (wanted, sources) {
        (Some(_), Inputs::Single(source)) => {
            let again = best::Again::new(args, &inputs[0], source, &reading(args))?;
            sources = Inputs::Single(again.open()?);
            Some(again)
        }
        (_, given) => {
            sources = given;
            None
        }
    };
    let looked = chain::look(args, paired, &mut sources)?;
    let filter = chain::filter(args, paired, &looked, files)?;
    if paired && !args.trim.trim_overlap && !args.messages.quiet {
        args.adapters.tell_of_one_mate(&filter);
    }
    let best = wanted.zip(repeated);
    Ok((Plan { inputs, paired, looked, best, rereads, counted: None, filter }, sources))
}

impl Plan {
    /// Decides what takes a reading of its own: which reads are the best, and an exact sample.
    fn choose(mut self, args: &Args, mut sources: Inputs) -> Result<(Plan, Inputs)> {
        let mut filter = self.filter;
        if let Some((wanted, again)) = self.best.take() {
            let best = best::find(args, wanted, &again, &filter, &reading(args));
            let best = match &self.rereads {
                Some(rereads) => rereads.checked(best)?,
                None => best?,
            };
            filter = filter.best(best);
            // A file that is kept has one place, which is at its end now.
            sources = Inputs::Single(again.open()?);
        }
        if args.stats || args.html.is_some() {
            filter = filter.gather_statistics();
        }
        if let Some((sample, counted)) = sample(args, &self.inputs, self.paired)? {
            filter = filter.sample(sample);
            self.counted = counted.filter(|_| args.which.head.is_none());
        }
        if args.preset.reports() {
            filter = match self.looked.frequent.take() {
                Some(frequent) => filter.gather_for_fastp_with(frequent),
                None => filter.gather_for_fastp(),
            };
        }
        Ok((Plan { filter, ..self }, sources))
    }
}

/// How FASTQ is read.
fn reading(args: &Args) -> Options {
    args.pairing.apply(args.strictness.reads(args.io.apply(args.threads.options())))
}

/// The sample that was asked for. An exact one needs the number of reads first, which comes with it.
fn sample(args: &Args, inputs: &[Input], paired: bool) -> Result<Option<(Sample, Option<u64>)>> {
    let which = &args.which;
    if let Some(fraction) = which.sample_fraction {
        return match Sample::fraction(fraction, which.seed) {
            Some(sample) => Ok(Some((sample, None))),
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
        &reading(args),
        || 0u64,
        |reads, batch| *reads += batch.len() as u64,
        |reads, other| *reads += other,
    );
    let reads = reads.map_err(|fault| fault.error)?;
    let units = if paired && inputs.len() == 1 { reads / 2 } else { reads };
    let units = which.head.map_or(units, |head| units.min(head));
    match Sample::count(count, units, which.seed) {
        Some(sample) => Ok(Some((sample, Some(reads)))),
        None => bail!("--sample-count must be at least 1"),
    }
}

/// Says what the outputs can't do, and lets streams among them be closed where files are written, too.
fn prepare(args: &Args, opened: &mut Opened, reports: &Reports) {
    let indexed = opened.outputs.iter().any(Output::has_index);
    if args.write_index.is_some() && !args.messages.quiet && !indexed {
        message(
            "warning",
            "--write-index has no effect: no output is a file in BGZF (.gz or .bgz)",
        );
    }
    output::outlast_readers(&mut opened.outputs, reports.len());
}

/// Runs the filter, and says what was noticed on the way.
fn apply<'f>(
    args: &Args,
    inputs: &[Input],
    filter: &'f Filter,
    sources: Inputs,
    outputs: &mut [Output],
) -> Result<Worker<'f>> {
    let progress = Arc::default();
    let watches = [0, 1].map(|_| Watch::sharing(&progress, reading(args)));
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = watches[0].bar(total, &args.messages);
    let io = watches.each_ref().map(|watch| watch.options.clone());
    let result = filter.run(sources, io, args.which.head, outputs);
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        watch.tell(input, Some("FASTQ"), &args.messages, &args.threads);
    }
    result.map_err(output::failed)
}

/// The inputs and outputs, with what was read from and written to each.
fn sums(args: &Args, inputs: &[Input], tally: &Tally, opened: &Opened) -> Vec<FileSum> {
    let [first, second] = [0, 1].map(|mate| Sum::from(&tally.input[mate]));
    let mut read = [first, second];
    if inputs.len() < 2 {
        read[0].add(second);
    }
    let file = |path: String, role, sum: Sum| {
        let partial = role == Role::Input && (args.which.head.is_some() || args.shard.any());
        FileSum { path, role, partial, records: sum.into() }
    };
    let read = inputs.iter().zip(read).map(|(input, sum)| file(input.name(), Role::Input, sum));
    let written = opened.paths.iter().enumerate().map(|(text, path)| {
        let name = path.as_ref().map_or("-".into(), |path| display_name(path));
        let role = if opened.routes.rejected == Some(text) { Role::Rejected } else { Role::Output };
        file(name, role, tally.written.get(text).copied().unwrap_or_default())
    });
    read.chain(written).collect()
}
