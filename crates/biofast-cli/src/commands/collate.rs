//! `biofast collate`: records of a name together, without sorting names.

use anyhow::Result;
use biofast_bam::{self as bam, Detail, Writer};
use biofast_io::output::commit;
use biofast_ops::dedup::SpillLimits;
use biofast_ops::number::counted;
use biofast_ops::sort::{self, Order, SortLimits};

use super::sort::place;
use crate::inputs;
use crate::options::{
    AlignmentsOut, BAM_BY_DEFAULT, InFile, OneFile, OpenedAlignments, ProgramLineArgs, SortSpill,
    tell_losses,
};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;

/// Group alignments by name and shuffle the names, like `samtools collate`
///
/// First reads come before second ones, and all else keeps the order of the input. The output doesn't depend on the number
/// of threads or the memory limit. Data beyond the memory limit are spilled to temporary files, which are removed when
/// the process exits. To sort by name use `biofast sort -n`; `biofast fastq` groups mates itself.
#[derive(clap::Args)]
#[command(
    // A letter that samtools collate has for standard output.
    mut_arg("output_format", |a| a.short(None).help(BAM_BY_DEFAULT)),
    mut_arg("level", |a| a.short('l')),
    mut_arg("threads", |a| a.short_alias(None)),
    after_help = "\
Examples:
  biofast collate aln.bam -o grouped.bam
  biofast collate -u -O aln.bam | biofast fixmate -m -u - | biofast sort -o sorted.bam -"
)]
pub(crate) struct Args {
    #[command(flatten)]
    file: OneFile,

    #[command(flatten)]
    writing: AlignmentsOut,

    /// Write to standard output, as without -o
    #[arg(short = 'O', conflicts_with = "out")]
    to_stdout: bool,

    #[command(flatten)]
    spill: SortSpill,

    #[command(flatten)]
    program: ProgramLineArgs,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    const ORDER: Order = Order::NameHash;
    let input = args.file.input(session)?;
    let SpillLimits { memory, folder } = args.spill.limits(args.writing.path());
    let limits = SortLimits { memory, folder, sums: false };
    let watch = args.reading.watch(session);
    let reference = args.reference.as_deref();
    let opening = watch.opening(reference, Detail::Full);
    let quiet = args.reading.messages.quiet;
    let mut source = input.open()?;
    let threads = watch.options.threads;
    let target = args.writing.target(bam::Format::Bam, reference, threads);
    if !target.needs_reference() {
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    // A header that can't be read is noticed before any output is touched.
    let (header, source) = bam::peek_header(bam::Input::open(source, &opening)?.source)?;
    let header = ORDER.header(&header);
    let header = args.program.header(&header, session);
    let opened = target.open(session, &header)?;
    // CRAM is made of BAM by the output.
    let format = if opened.takes_bam() { bam::Format::Bam } else { bam::Format::Sam };
    let OpenedAlignments { output, lost, .. } = opened;
    let mut writer = Writer::builder(&header)
        .format(format)
        .threads(threads)
        .to(output)
        .map_err(|error| input.blamed(error.into()))?;
    let bar = watch.bar(input.len(), &args.reading.messages);
    watch.begin_phase("reading and grouping", None);
    let sorted = sort::sort(source, &watch.options, ORDER, &limits);
    args.reading.tell(&watch, &input);
    let mut sorted = sorted.map_err(output::failed)?;
    watch.begin_phase("writing", Some(sorted.summary().records));
    while let Some(record) = sorted.next_record().map_err(output::failed)? {
        watch.advance(1);
        writer.write_checked(&record)?;
    }
    let outputs = writer.into_outputs()?;
    drop(bar);
    commit(outputs, false)?;
    if !quiet {
        let records = counted(sorted.summary().records, "record");
        let place = place(&sorted.summary());
        session.console.note(&format!("{records} grouped by name, {place}"));
        tell_losses(lost.as_ref(), Some(&session.console));
    }
    Ok(Exit::Fine)
}
