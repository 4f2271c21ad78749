//! `biofast markdup`: duplicates marked in the order of the input.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Query};
use biofast_io::display_name;
use biofast_io::output::{Output, commit};
use biofast_ops::dedup::SpillLimits;
use biofast_ops::filter::report::FileRole;
use biofast_ops::markdup::{MarkedFormat, find_duplicates, mark_at_once};
use biofast_ops::sort::SortLimits;

use super::sort::{RecordReports, ReportArgs};
use crate::inputs::{self, Rereads};
use crate::options::{
    InFile, MarkingArgs, OneFile, OutFile, ProgramLineArgs, Repeated, SortSpill, SortedOut,
    TransformTarget, tell_duplicates, tell_losses,
};
use crate::output;
use crate::reads_job::FileSums;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Mark duplicates in sorted or unsorted alignments, like `samtools markdup`
///
/// Reads BAM, SAM or CRAM in any order and writes BAM or SAM in the same order. The input is read once or twice; a pipe is stored in
/// a temporary file first. To sort aligner output and mark its duplicates in one run, use `biofast sort
/// --mark-duplicates`.
///
/// With --rule samtools, mates are known by the tags MC and ms of `samtools fixmate -m`. If some reads lack them, mates are
/// found by name, as with --rule picard, and fixmate isn't needed.
#[derive(clap::Args)]
#[command(
    // A letter that samtools markdup has for the longest read.
    mut_arg("level", |a| a.short(None)),
    mut_arg("threads", |a| a.short_alias(None)),
    mut_arg("memory", |a| a.long_help(MEMORY)),
    after_help = "\
Examples:
  biofast markdup aln.bam -o marked.bam
  biofast markdup --rule picard --metrics metrics.txt aln.bam -o marked.bam --write-index
  biofast markdup -r -d 2500 aln.bam -o unique.bam
  biofast sort umis.bam | biofast markdup --barcode-tag RX -o marked.bam -"
)]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long = "out", value_name = "FILE")]
    out: Option<OutFile>,

    #[command(flatten)]
    spill: SortSpill,

    #[command(flatten)]
    writing: SortedOut,

    /// Write a JSON summary to FILE
    ///
    /// It has a checksum of each file, which `biofast check --against` verifies.
    #[arg(long = "summary", value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    reports: ReportArgs,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten, next_help_heading = "Duplicates")]
    duplicates: MarkingArgs,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    reading: Reading,
}

/// The help of `--memory`.
const MEMORY: &str = "\
Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]

The limit applies to what is kept of records by all threads together; input and output buffers need about 64 MB more, and a \
few bits per record are always kept. In a container, the default is a quarter of its memory limit.";

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let input = args.file.input(session)?;
    let rereads = Rereads::of(std::slice::from_ref(&input));
    let marking = args.duplicates.marking()?;
    let SpillLimits { memory, folder } = args.spill.limits(args.out_path());
    let watch = args.reading.watch(session);
    let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
    let quiet = args.reading.messages.quiet;
    let repeated = Repeated::new(&input, true, &folder)?;
    let mut source = repeated.open()?;
    if inputs::holds_reads(&mut source)? {
        bail!("{} holds reads, which have no alignments; use `biofast dedup`", input.name());
    }
    let reference = args.reference.as_deref();
    if !args.writing.needs_reference(args.out_path()) {
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    // A header that can't be read is noticed before any output is touched.
    let (header, _) = bam::peek_header(bam::Input::open(source, &opening)?.source)?;
    let written = args.program.header(&header, session).into_owned();
    let target = args
        .writing
        .open(args.out_path(), session, &written, (reference, watch.options.threads))
        .map_err(|error| input.blamed(error))?;
    let mut reports = args.reports.open(session)?;
    let report = output::optional_report(session, args.json.as_deref())?;
    let metrics = args.duplicates.metrics(session)?;
    let (written_format, lost) = (target.format(), target.lost());
    let others = report.iter().len() + reports.len() + metrics.len();
    let mut target = target.transform(others).map_err(|error| input.blamed(error))?;
    let limits = SortLimits { memory, folder, sums: report.is_some() };
    let open = || {
        let source = repeated.open().map_err(bam::Error::from)?;
        Ok(Query::from(bam::Input::open(source, &opening)?.source))
    };
    let bar = watch.bar(input.len(), &args.reading.messages);
    let formats = (&header, written_format);
    let told = |problem| {
        args.reading.tell(&watch, &input);
        output::failed(problem)
    };
    let mut marked = Ok(None);
    if target.can_restart() {
        watch.begin_phase("marking", None);
        reports.start(session, &written).map_err(|error| input.blamed(error))?;
        let query = open()?;
        marked = write(&mut target, &mut reports, formats, |outputs, format| {
            mark_at_once(query, &watch.options, &limits, &marking, outputs, format)
        });
        if matches!(marked, Ok(None)) {
            target.restart()?;
        }
    }
    let marked = match marked {
        Ok(None) => {
            watch.begin_phase("finding duplicates", None);
            let found = find_duplicates(open, &watch.options, &limits, &marking).map_err(told)?;
            rereads.check()?;
            watch.begin_phase("marking", None);
            reports.start(session, &written).map_err(|error| input.blamed(error))?;
            let query = open()?;
            write(&mut target, &mut reports, formats, |outputs, format| {
                found.write(query, &watch.options, outputs, format)
            })
        }
        Ok(Some(marked)) => Ok(marked),
        Err(problem) => Err(problem),
    };
    drop(bar);
    // A fault that wasn't there before is one of the change.
    rereads.check()?;
    let marked = marked.map_err(output::failed)?;
    args.reading.tell(&watch, &input);
    let mut outputs = target.finish()?;
    outputs.extend(reports.finish(args.out_path(), written_format)?);
    let counts = marked.counts();
    metrics.write(&counts, &marked.by_library(), marked.set_sizes(), &mut outputs)?;
    if let Some(report) = report {
        let [read, written] = marked.sums();
        if read != written && !args.duplicates.removes() {
            bail!("internal error: the output differs from the input; please report it");
        }
        let path = args.out_path().map_or_else(|| "-".into(), display_name);
        let files = [(input.name(), FileRole::Input, read), (path, FileRole::Output, written)];
        let files: FileSums = files.into_iter().collect();
        let summary = serde_json::json!({ "records": counts.read, "duplicates": counts });
        let text = output::summary_of_files(&session.command_line(), summary, &files.0)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.writing.sync())?;
    if !quiet {
        tell_duplicates(&session.console, &counts);
        tell_losses(lost.as_ref(), Some(&session.console));
    }
    Ok(Exit::Fine)
}

/// Lets `mark` write to the outputs and to what makes reports; the header is that of the input.
fn write<R>(
    target: &mut TransformTarget,
    reports: &mut RecordReports,
    (header, written): (&bam::Header, bam::Format),
    mark: impl FnOnce(&mut [Output], &MarkedFormat<'_>) -> R,
) -> R {
    let outputs = target.outputs.len();
    target.outputs.extend(reports.output());
    let has_reports = target.outputs.len() > outputs;
    let format = match (&target.indexer, written) {
        (_, bam::Format::Sam) => MarkedFormat::sam(header),
        (None, _) => MarkedFormat::bam(),
        (Some(indexer), _) => MarkedFormat::bam().indexed(indexer),
    };
    let marked = mark(&mut target.outputs, &format.copied(has_reports));
    target.outputs.truncate(outputs);
    marked
}

impl Args {
    /// The file that is written.
    fn out_path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }
}
