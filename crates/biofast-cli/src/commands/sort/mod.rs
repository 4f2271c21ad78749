//! `biofast sort`: alignments or reads in another order.

mod duplicates;
mod reads;
mod reports;

use std::path::Path;

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_io::output::commit;
use biofast_io::{Options, Source, display_name};
use biofast_ops::dedup::SpillLimits;
use biofast_ops::filter::report::FileRole;
use biofast_ops::measure::records::Sum;
use biofast_ops::number::counted;
use biofast_ops::order::OrderBy;
use biofast_ops::sort::{self, Order, SortLimits, SortSummary};
use biofast_ops::{Error, Refusal};

use crate::console::{Hinted, PICARD_ARGUMENT, is_picard_argument};
use crate::inputs::{Input, Layout, Rereads};
use crate::options::{
    Given, InFile, OutFile, Pairing, PairsOut, ProgramLineArgs, ReadsOut, SortSpill, SortedOut,
    order_of, sam_tag, tell_duplicates, tell_losses,
};
use crate::reads_job::{FileSums, ReadsJob};
use crate::session::{Exit, Session};
use crate::watch::{Reading, Watch};
use crate::{inputs, output};
use duplicates::Duplicates;
pub(super) use reads::Reordering;
pub(super) use reports::{RecordReports, ReportArgs};

/// Sort alignments and mark duplicates; sort reads by length, name or sequence
///
/// Reads BAM, SAM or CRAM and writes BAM or SAM, by default sorted by coordinate. Sorting is stable, so the output
/// doesn't depend on the number of threads or the memory limit. Data beyond the memory limit are spilled to temporary
/// files, which are removed when the process exits.
///
/// FASTQ stays FASTQ, FASTA stays FASTA, and pairs stay together. For reads, --key, -n or -N must give the order.
#[derive(clap::Args)]
#[command(
    group(clap::ArgGroup::new("of_alignments").multiple(true)),
    group(clap::ArgGroup::new("of_reads").multiple(true)),
    // Letters that samtools sort has for others.
    mut_arg("threads", |a| a.short_alias(None)),
    after_help = "\
Examples:
  biofast sort aln.sam -o sorted.bam --write-index
  biofast view -h aln.bam | biofast sort -o sorted.bam -
  biofast sort -n --memory 2G aln.bam -o by_name.bam
  biofast sort --key length --reverse reads.fq.gz -o by_length.fq.gz
  biofast sort --key similarity R1.fq.gz R2.fq.gz -o small_R1.fq.gz --out2 small_R2.fq.gz
  biofast sort -n R1.fq.gz R2.fq.gz -o s1.fq.gz --out2 s2.fq.gz
  biofast sort -n aln.bam | biofast sort --mark-duplicates -o marked.bam --write-index -"
)]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    /// BAM, SAM or CRAM file, one file of reads, or two files of mates; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds. Without --out2, pairs are interleaved. Two input files then need
    /// --interleaved-out, except on standard output.
    #[arg(short, long = "out", value_name = "FILE")]
    out: Option<OutFile>,

    /// Sort by name in natural order: r2 before r10
    #[arg(short = 'n', long)]
    name: bool,

    /// Sort by name, compared byte by byte
    #[arg(short = 'N', long, conflicts_with = "name")]
    lexicographic: bool,

    /// Sort by the value of TAG, then by coordinate, or by name with -n
    #[arg(short = 't', long = "by-tag", value_name = "TAG", value_parser = sam_tag, conflicts_with = "lexicographic", group = "of_alignments")]
    tag: Option<[u8; 2]>,

    /// Sort by the 5′ ends of templates, then by library, molecule (MI) and name
    ///
    /// Records of a molecule are then next to each other.
    #[arg(long, conflicts_with_all = ["name", "lexicographic", "tag"], group = "of_alignments")]
    template_coordinate: bool,

    /// Sort reads by this key
    ///
    /// Pairs are sorted by the name, sequence or k-mer of their first reads, or by the bases of both.
    #[arg(long = "key", value_enum, value_name = "WHAT", conflicts_with_all = ["name", "lexicographic", "tag", "template_coordinate"], group = "of_reads")]
    by: Option<ReadSortKey>,

    /// Sort in descending order; ties stay in input order (reads only)
    #[arg(long, group = "of_reads")]
    reverse: bool,

    /// Treat the input as interleaved: the mates of each pair follow each other (reads only)
    #[arg(long, group = "of_reads")]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Write second reads to FILE (reads only)
    #[arg(long, value_name = "FILE", group = "of_reads")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

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
    #[arg(long, value_name = "FASTA", group = "of_alignments")]
    reference: Option<InFile>,

    #[command(flatten, next_help_heading = "Duplicates")]
    duplicates: Duplicates,

    #[command(flatten)]
    program: ProgramLineArgs,

    #[command(flatten)]
    reading: Reading,
}

/// Groups of options that reads have.
const OF_READS: [&str; 3] = ["of_reads", "Pairing", "PairsOut"];

/// Groups of options that alignments have.
const OF_ALIGNMENTS: [&str; 7] = [
    "of_alignments", "ProgramLineArgs", "SortedArgs", "CramArgs", "MarkingArgs", "ReportArgs",
    "CompatArgs",
];

/// What `--key` takes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReadSortKey {
    /// Number of bases
    Length,
    /// Name in natural order, like -n
    Name,
    /// Bases, compared byte by byte
    Sequence,
    /// A shared k-mer: reads of one place come together, which makes compressed files smaller
    Similarity,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let mut inputs = inputs::gather(&args.files, None, "-", session)?;
    let Some(first) = inputs.first() else { bail!("no input") };
    let rereads = Rereads::of(&inputs);
    let mut source = first.open()?;
    if args.by.is_some() || inputs::holds_reads(&mut source)? {
        return args.reads(inputs, source, session);
    }
    if let Some(option) = args.only_of_reads(session) {
        bail!("{option} applies to reads, but {} holds alignments", first.name());
    }
    if let [_, Input::Path(second)] = &inputs[..]
        && biofast_io::remote::address(second).is_none()
        && !second.exists()
    {
        let name = display_name(second);
        let hint = match name.as_str() {
            "bai" | "csi" => format!("to choose the index format write --write-index={name}"),
            name if is_picard_argument(name) => PICARD_ARGUMENT.into(),
            _ => format!("name the output with -o: -o {name}"),
        };
        return Err(Hinted::error(
            format!("no such file: {name}; `sort` takes one file of alignments"),
            hint,
        ));
    }
    if inputs.len() > 1 {
        return Err(Hinted::error(
            format!("expected one file of alignments, but got {}", inputs.len()),
            "merge sorted files with `biofast merge`, or concatenate files with `biofast cat`",
        ));
    }
    let Some(input) = inputs.pop() else { bail!("no input") };
    let order = args.order();
    let marking = args.duplicates.marking(order)?;
    if args.writing.has_index() && order != Order::Coordinate {
        bail!("--write-index needs coordinate order: leave it out, or -n, -N or -t");
    }
    let SpillLimits { memory, folder } = args.spill.limits(args.out_path());
    let limits = SortLimits { memory, folder, sums: args.json.is_some() };
    let watch = args.reading.watch(session);
    let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
    let quiet = args.reading.messages.quiet;
    let reference = args.reference.as_deref();
    if !args.writing.needs_reference(args.out_path()) {
        inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
    }
    let opened = bam::Input::open(source, &opening)?;
    // A header that can't be read is noticed before any output is touched.
    let (header, source) = bam::peek_header(opened.source)?;
    let header = order.header(&header);
    let header = args.program.header(&header, session);
    let target = args
        .writing
        .open(args.out_path(), session, &header, (reference, watch.options.threads))
        .map_err(|error| input.blamed(error))?;
    let mut reports = args.reports.open(session)?;
    let report = output::optional_report(session, args.json.as_deref())?;
    let metrics = args.duplicates.how.metrics(session)?;
    let bar = watch.bar(input.len(), &args.reading.messages);
    let is_sorted = marking.is_none() && is_sorted(&input, order, &watch);
    let phase = if is_sorted { "already sorted, copying" } else { "reading and sorting" };
    watch.begin_phase(phase, None);
    let result = match &marking {
        Some(marking) => sort::duplicates::sort(source, &watch.options, &limits, marking),
        // Read twice: for its order, and to be copied.
        None if is_sorted => sort::copy(source, &watch.options, order, &limits),
        None => sort::sort(source, &watch.options, order, &limits),
    };
    let mut sorted = result.map_err(|problem| {
        args.reading.tell(&watch, &input);
        explained(problem)
    })?;
    let (format, lost) = (target.format(), target.lost());
    let others = report.iter().len() + reports.len() + metrics.len();
    let mut writer =
        target.writer(watch.options.threads, others).map_err(|error| input.blamed(error))?;
    reports.start(session, &header).map_err(|error| input.blamed(error))?;
    let (mut written, mut letters) = (Sum::default(), Default::default());
    // What is in order already is written while it is read.
    if !is_sorted {
        watch.begin_phase("writing", Some(sorted.summary().records));
    }
    // A fault that wasn't there before is one of the change.
    let unchanged = || if is_sorted { rereads.check() } else { Ok(()) };
    loop {
        let next = sorted.next_record();
        if !matches!(next, Ok(Some(_))) {
            unchanged()?;
        }
        let Some(record) = next.map_err(explained)? else { break };
        watch.advance(1);
        writer.write_checked(&record)?;
        reports.add(&record);
        if report.is_some() {
            written.add_alignment(&record, &mut letters);
        }
    }
    let mut outputs = writer.into_outputs()?;
    outputs.extend(reports.finish(args.out_path(), format)?);
    drop(bar);
    args.reading.tell(&watch, &input);
    let summary = sorted.summary();
    let sets = sorted.duplicate_sets().cloned().unwrap_or_default();
    let found = sorted.duplicates();
    metrics.write(
        &found.unwrap_or_default(),
        &sorted.duplicates_by_library(),
        &sets,
        &mut outputs,
    )?;
    if let Some(report) = report {
        let read = summary.input.unwrap_or_default();
        let removes = marking.is_some_and(|marking| marking.remove);
        if read != written && !removes {
            bail!("internal error: the output differs from the input; please report it");
        }
        let path = args.out_path().map_or_else(|| "-".into(), display_name);
        let files = [(input.name(), FileRole::Input, read), (path, FileRole::Output, written)];
        let files: FileSums = files.into_iter().collect();
        let mut summary = serde_json::to_value(summary)?;
        if let (Some(found), Some(object)) = (found, summary.as_object_mut()) {
            object.insert("duplicates".into(), serde_json::to_value(found)?);
        }
        let text = output::summary_of_files(&session.command_line(), summary, &files.0)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.writing.sync())?;
    if !quiet {
        let records = counted(summary.records, "record");
        session.console.note(&format!("{records} sorted, {}", place(&summary)));
        if let Some(found) = found {
            tell_duplicates(&session.console, &found);
        }
        tell_losses(lost.as_ref(), Some(&session.console));
    }
    Ok(Exit::Fine)
}

/// Where records were while they were sorted, in words.
pub(super) fn place(summary: &SortSummary) -> String {
    match summary.stored_runs {
        _ if summary.was_sorted => "already in order".into(),
        0 => "in memory".into(),
        runs => format!("{runs} runs in temporary files, {} bytes", summary.stored_bytes),
    }
}

impl Args {
    fn order(&self) -> Order {
        order_of(self.tag, self.name, self.lexicographic, self.template_coordinate)
    }

    /// The first option given that is of reads.
    fn only_of_reads(&self, session: &Session) -> Option<String> {
        self.given.option(session, "sort", &OF_READS)
    }

    /// The first option given that is of alignments.
    fn only_of_alignments(&self, session: &Session) -> Option<String> {
        self.given.option_except(session, "sort", &OF_ALIGNMENTS, &["level", "sync"])
    }

    /// Sorts reads; `source` is the first input, which is open already.
    fn reads(&self, inputs: Vec<Input>, source: Source, session: &mut Session) -> Result<Exit> {
        let by = match (self.by, self.name, self.lexicographic) {
            (Some(ReadSortKey::Length), ..) => OrderBy::Length,
            (Some(ReadSortKey::Name), ..) | (None, true, _) => OrderBy::NaturalName,
            (Some(ReadSortKey::Sequence), ..) => OrderBy::Sequence,
            (Some(ReadSortKey::Similarity), ..) => OrderBy::Similarity,
            (None, _, true) => OrderBy::Name,
            (None, false, false) => {
                return Err(Hinted {
                    message: format!("{} holds reads, which have no coordinates", source.name()),
                    hint: "sort reads with --key length, --key name, --key sequence or --key similarity, or shuffle them with `biofast shuffle`".into(),
                }
                .into());
            }
        };
        if let Some(option) = self.only_of_alignments(session) {
            bail!("{option} applies to alignments, but {} holds reads", source.name());
        }
        let layout = Layout::of(&inputs, self.interleaved)?;
        inputs::are_two(&inputs)?;
        self.pairs_out.refuse(layout, self.out.as_deref(), self.out2.is_some())?;
        let writing = ReadsOut {
            output_format: None,
            level: self.writing.level(),
            sync: self.writing.sync(),
            json: self.json.clone(),
        };
        let reordering = Reordering {
            by,
            reverse: self.reverse,
            limits: self.spill.limits(self.out_path()),
            out: self.out.as_deref(),
            out2: self.out2.as_deref(),
            writing: &writing,
        };
        let options = self.pairing.apply(self.reading.reads());
        let (threads, messages) = (self.reading.threads(), &self.reading.messages);
        let job = ReadsJob::new((inputs, layout), options, threads, messages, session);
        reordering.run(job, Some(source), session)
    }

    /// The file that is written.
    fn out_path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// Whether a file is BAM in this order already. What can't be read twice isn't looked at, nor what costs more to read than to keep.
fn is_sorted(input: &Input, order: Order, watch: &Watch) -> bool {
    let Input::Path(path) = input else { return false };
    let options = Options { progress: None, notes: None, ..watch.options.clone() };
    let looked_at = || {
        let mut source = path.is_file().then(|| Source::open(path).ok())??;
        let format = bam::Format::sniff(&mut source).ok()?;
        (format == bam::Format::Bam).then(|| sort::is_sorted(source, &options, order))?
    };
    looked_at().is_some()
}

/// Errors of libraries as such.
pub(super) fn explained(error: Error) -> anyhow::Error {
    match error {
        Error::Refused(Refusal::NotGrouped(what)) => Hinted::error(
            match what.strip_prefix("-: ") {
                Some(what) => format!("standard input: {what}"),
                None => what,
            },
            "mark them in their order with `biofast markdup IN.bam -o OUT.bam`, or group them first: `biofast sort -n IN.bam | biofast sort --mark-duplicates -o OUT.bam -`",
        ),
        error => output::failed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_options_have_members() {
        let groups = [&OF_READS[..], &OF_ALIGNMENTS].concat();
        assert_eq!(Given::empty_group(crate::commands::all(), "sort", &groups), None);
    }
}
