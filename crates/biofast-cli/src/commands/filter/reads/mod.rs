//! `biofast filter` on FASTQ.

mod best;
mod by_adapter;
mod opener;
mod outputs;

use anyhow::{Context, Result, bail};
use biofast_fastq::Inputs;
use biofast_io::output::Output;
use biofast_io::{Options, Source};
use biofast_ops::filter::report::{FileRole, FilterReport};
use biofast_ops::filter::sample::SampleFilter;
use biofast_ops::filter::{Filter, FilterTally};
use biofast_ops::measure::records::Sum;
use biofast_report::trim_galore::GaloreSettings;

use super::args::{Args, FilterIndexFormat};
use super::chain::{self, Looked};
use super::preset_fastp;
use super::preset_galore;
use super::report::FilterReports;
use crate::console::Console;
use crate::inputs::{self, Input, Layout};
use crate::options::{Repeated, warn_of_absent_names};
use crate::output;
use crate::reads_job::{FileSums, ReadsJob, count_reads};
use crate::session::{Exit, Session};
use by_adapter::Texts;
use outputs::FilterOutputs;

/// Filters FASTQ, whose first file has been opened, and the second if that is a named pipe.
pub(super) fn run(
    args: &Args,
    first: Source,
    second: Option<Source>,
    shards: Option<Vec<Input>>,
    session: &mut Session,
) -> Result<Exit> {
    // Everything that can be wrong with the arguments is said before an output is touched.
    let (plan, sources) = plan(args, first, second, shards, session)?;
    let mut opened = outputs::open(args, plan.job.is_paired(), plan.filter.adapters(), session)?;
    let mut reports = FilterReports::open(args, session)?;
    prepare(args, &mut opened, &reports, &session.console);
    let (plan, sources) = plan.choose(args, sources, &session.console)?;
    let by_adapter = std::mem::replace(&mut opened.by_adapter, Texts::None);
    let mut filter = by_adapter.apply(plan.filter.routes(opened.routes));
    if args.mates.merges() {
        filter = filter.merge(args.mates.merge_rule()?, opened.merged);
    }
    let (job, outputs) = (plan.job, &mut opened.written.outputs);
    let mut worker = job.run(|options| filter.run(sources, options, args.which.head, outputs))?;
    let gathered = worker.take_for_fastp();
    if let Some((settings, counts)) = plan.galore.zip(worker.take_for_trim_galore()) {
        reports.fill_for_galore(&settings, &counts)?;
    }
    let (tally, statistics) = worker.finish();
    let read = tally.input.each_ref().map(Sum::from);
    if args.which.head.is_none() {
        job.warn_of_empty(&read);
    }
    if let Some(before) = plan.counted {
        let [first, second] = read.map(|sum| sum.records);
        let now = if job.layout() == Layout::Paired { first } else { first + second };
        job.compare(&before, &now)?;
    }
    if reports.are_for_fastp() {
        let found = plan.looked.fastp.clone().unwrap_or_default();
        reports.fill_for_fastp(preset_fastp::report(
            session,
            args,
            job.is_paired(),
            &found,
            &tally,
            gathered,
        )?)?;
    }
    let listed = filter.listed_names();
    warn_of_absent_names(args.reading.messages.console(session), listed.as_ref());
    let mut report = FilterReport::new(&tally, &session.command_line())
        .with_adapters(plan.looked.detected)
        .with_found(filter.adapters(), &tally)
        .with_listed_names(listed)
        .with_depleted(filter.depleted(), &tally)
        .with_files(sums(args, &job, read, &tally, &opened).0);
    if args.mates.merges() {
        report = report.with_merged(&tally);
    }
    if args.adapters.revcomp {
        report = report.with_reverse_complemented(&tally);
    }
    if let Some(mut statistics) = statistics {
        report = report.with_statistics(&tally, &mut statistics);
    }
    reports.finish(session, args, report, opened.written.outputs)?;
    Ok(Exit::Fine)
}

/// What is to be done.
struct ReadPlan<'a> {
    job: ReadsJob<'a>,
    /// What was found in the first reads, if it was looked for.
    looked: Looked,
    /// How Trim Galore's reports begin, if they are wanted.
    galore: Option<GaloreSettings>,
    /// What is asked of the best reads, and where they are read for the first time.
    best: Option<(best::BestCriteria, Repeated)>,
    /// How many reads the first input had when they were counted, if all of them are read again.
    counted: Option<u64>,
    /// All but the routes, which the outputs decide, and what takes a reading of its own.
    filter: Filter,
}

/// The plan that the arguments mean, and the inputs it is for.
fn plan<'a>(
    args: &'a Args,
    first: Source,
    second: Option<Source>,
    shards: Option<Vec<Input>>,
    session: &mut Session,
) -> Result<(ReadPlan<'a>, Inputs)> {
    args.preset.version(&args.compat)?;
    if matches!(args.write_index, Some(FilterIndexFormat::Bai | FilterIndexFormat::Csi)) {
        bail!("BAI and CSI index BAM; for reads use --write-index without a value");
    }
    let inputs = match shards {
        Some(shards) => shards,
        None => inputs::gather(&args.inputs(), None, "-", session)?,
    };
    if args.interleaved && inputs.len() > 1 {
        bail!("--interleaved takes one file, but {} are named", inputs.len());
    }
    let layout = Layout::of(&inputs, args.interleaved)?;
    inputs::are_two(&inputs)?;
    let is_read_twice = args.which.sample_count.is_some()
        || sampled_bases(args)?.is_some()
        || args.which.keep_percent.is_some()
        || args.which.target_bases.is_some();
    let job = args.reading.job((inputs, layout), &args.pairing, session).rereading(is_read_twice);
    let second = match job.inputs() {
        [_, two] => Some(second.map_or_else(|| two.open(), Ok)?),
        _ => None,
    };
    let mut sources = job.arrange(std::iter::once(first).chain(second).collect())?;
    let paired = job.is_paired();
    if !paired && args.given.has("pair") && !args.reading.messages.quiet {
        session
            .console
            .warning("--pair has no effect on single reads: it needs two files or --interleaved");
    }
    args.pairs_out.refuse(layout, args.out.as_deref(), args.out2.is_some())?;
    let wanted = best::wanted(args, paired)?;
    // What is read twice must be there twice.
    let repeated = match (wanted, sources) {
        (Some(_), Inputs::Single(source)) => {
            let again = best::repeated(args, &job.inputs()[0], source, &reading(args))?;
            sources = Inputs::Single(again.open()?);
            Some(again)
        }
        (_, given) => {
            sources = given;
            None
        }
    };
    match &mut sources {
        Inputs::Single(source) | Inputs::Interleaved(source) | Inputs::Paired(source, _) => {
            job.warn_of_encoding(source);
        }
    }
    preset_galore::check(args, session)?;
    let looked = chain::look(args, paired, job.inputs(), &mut sources)?;
    let filter = chain::filter(args, paired, &looked, session)?;
    if paired && !args.trim.trim_overlap && !args.reading.messages.quiet {
        args.adapters.tell_of_one_mate(&session.console, &filter);
    }
    let best = wanted.zip(repeated);
    let told = (&looked.detected[..], looked.told);
    let galore = preset_galore::report(args, job.inputs(), paired, told, &filter)?;
    Ok((ReadPlan { job, looked, galore, best, counted: None, filter }, sources))
}

impl<'a> ReadPlan<'a> {
    /// Decides what takes a reading of its own: which reads are the best, and an exact sample.
    fn choose(
        mut self,
        args: &Args,
        mut sources: Inputs,
        console: &Console,
    ) -> Result<(ReadPlan<'a>, Inputs)> {
        let mut filter = self.filter;
        if let Some((wanted, again)) = self.best.take() {
            let best = best::find(args, wanted, &again, &filter, &reading(args), console);
            self.job.check_unchanged()?;
            filter = filter.best(best?);
            // A file that is kept has one place, which is at its end now.
            sources = Inputs::Single(again.open()?);
        }
        if args.stats || args.html.is_some() {
            filter = filter.gather_statistics();
        }
        if args.html.is_some() {
            filter = filter.gather_adapter_positions();
        }
        if let Some((sample, counted)) = sample(args, &self.job, console)? {
            filter = filter.sample(sample);
            self.counted = counted.filter(|_| args.which.head.is_none());
        }
        if args.preset.reports() {
            filter = match self.looked.frequent.take() {
                Some(frequent) => filter.gather_for_fastp_with(frequent),
                None => filter.gather_for_fastp(),
            };
        }
        if let Some(settings) = &self.galore {
            filter = filter.gather_for_trim_galore(settings.limits);
        }
        Ok((ReadPlan { filter, ..self }, sources))
    }
}

/// How FASTQ is read.
fn reading(args: &Args) -> Options {
    args.reading.reads(&args.pairing)
}

/// The sample that was asked for. An exact one needs the number of reads first, which comes with it.
fn sample(
    args: &Args,
    job: &ReadsJob<'_>,
    console: &Console,
) -> Result<Option<(SampleFilter, Option<u64>)>> {
    let which = &args.which;
    if let Some(bases) = sampled_bases(args)? {
        return sample_bases(args, bases, job, console).map(|sample| Some((sample, None)));
    }
    if let Some(fraction) = which.sample_fraction {
        return match SampleFilter::fraction(fraction, which.seed) {
            Some(sample) => Ok(Some((sample, None))),
            None => bail!(
                "invalid value {fraction} for --sample-fraction: expected more than 0 and at most 1"
            ),
        };
    }
    let (Some(count), Some(first)) = (which.sample_count, job.inputs().first()) else {
        return Ok(None);
    };
    if first.len().is_none() {
        bail!(
            "--sample-count reads the input twice, which a stream can't be: name a file, or use --sample-fraction"
        );
    }
    let reads = count_reads(first.open()?, &reading(args))?;
    let units = job.units(reads);
    let units = which.head.map_or(units, |head| units.min(head));
    match SampleFilter::count(count, units, which.seed) {
        Some(sample) => Ok(Some((sample, Some(reads)))),
        None => bail!("--sample-count must be at least 1"),
    }
}

/// How many bases a sample must have, if that was asked for.
fn sampled_bases(args: &Args) -> Result<Option<u64>> {
    let which = &args.which;
    let (Some(depth), Some(genome)) = (which.sample_coverage, which.genome_size) else {
        return Ok(which.sample_bases);
    };
    let bases = (depth * genome as f64).ceil();
    if !(depth > 0.0 && bases < 2f64.powi(63)) {
        bail!("invalid value {depth} for --sample-coverage: expected a depth above 0");
    }
    Ok(Some(bases as u64))
}

/// The reads or pairs that have so many bases.
fn sample_bases(
    args: &Args,
    bases: u64,
    job: &ReadsJob<'_>,
    console: &Console,
) -> Result<SampleFilter> {
    if job.inputs().iter().any(|input| input.len().is_none()) {
        bail!(
            "--sample-bases and --sample-coverage read the input twice, which a stream can't be: name a file, or use --sample-fraction"
        );
    }
    let sources = job.inputs().iter().map(Input::open).collect::<Result<_, _>>()?;
    let inputs = job.arrange(sources)?;
    let (options, folder) = (reading(args), best::folder(args));
    let (which, counting) = (&args.which, (&options, args.which.head));
    let (sample, of) = SampleFilter::bases(bases, inputs, counting, which.seed, &folder)
        .map_err(output::failed)?;
    job.check_unchanged()?;
    if !args.reading.messages.quiet {
        let less = if of.taken < bases { "; the input has no more" } else { "" };
        let (taken, all) = (of.taken, of.bases);
        console.note(&format!("sampled {taken} of {all} bases; {bases} were requested{less}"));
    }
    sample.context("internal error: a sample of no bases")
}

/// Says what the outputs can't do, and lets streams among them be closed where files are written, too.
fn prepare(args: &Args, opened: &mut FilterOutputs, reports: &FilterReports, console: &Console) {
    let indexed = opened.written.outputs.iter().any(Output::has_index);
    if args.write_index.is_some() && !args.reading.messages.quiet && !indexed {
        console.warning("--write-index has no effect: no output is a BGZF file (.gz or .bgz)");
    }
    output::outlast_readers(&mut opened.written.outputs, reports.len());
}

/// The inputs and outputs, with what was read from and written to each.
fn sums(
    args: &Args,
    job: &ReadsJob<'_>,
    read: [Sum; 2],
    tally: &FilterTally,
    opened: &FilterOutputs,
) -> FileSums {
    let is_part = args.which.head.is_some() || args.shard.any();
    let mut sums = job.sums(read).partly_read(is_part);
    sums.extend(opened.written.names().into_iter().enumerate().map(|(text, name)| {
        let is_rejected = opened.routes.rejected == Some(text);
        let role = if is_rejected { FileRole::Rejected } else { FileRole::Output };
        (name, role, tally.written.get(text).copied().unwrap_or_default())
    }));
    sums
}
