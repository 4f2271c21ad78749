//! `biofast sort`: alignments or reads in another order.

mod duplicates;
mod reads;
mod reports;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use biofast::bam;
use biofast::io::output::{Files, commit};
use biofast::io::{Options, Source, display_name};
use biofast::ops::filter::report::{FileSum, Role};
use biofast::ops::measure::records::Sum;
use biofast::ops::order::By;
use biofast::ops::sort::{self, Limits, Order, Problem};

use crate::console::{Hinted, message};
use crate::inputs::{Input, Rereads};
pub(super) use crate::options::temp_dir;
use crate::options::{
    Folder, Given, InFile, OutFile, Pairing, PairsOut, Program, Size, SortedOut, default_memory,
};
use crate::watch::{Reading, Watch};
use crate::{inputs, output};
use duplicates::Duplicates;
pub(super) use reads::{Ordering, Reads};
use reports::ReportArgs;

/// Sort alignments by coordinate, name or an optional field, as `samtools sort`; reads by length, name or sequence
///
/// BAM, SAM or CRAM becomes BAM or SAM. Records that are equal stay in the order of the input, so that the result does not
/// depend on threads or memory. What takes more memory than it may goes to temporary files, which are gone with the process.
///
/// FASTQ stays FASTQ and FASTA FASTA, and pairs stay together; --by or -n or -N must say in which order.
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
  biofast sort --by length --reverse reads.fq.gz -o by_length.fq.gz
  biofast sort -n R1.fq.gz R2.fq.gz -o s1.fq.gz --out2 s2.fq.gz
  biofast sort -n aln.bam | biofast sort --mark-duplicates -o marked.bam --write-index -"
)]
pub(crate) struct Args {
    #[command(flatten)]
    given: Given,

    /// The BAM, SAM or CRAM file, or one file of reads, or the two of mates; '-' is standard input, which is also read when no
    /// file is named
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    out: Option<OutFile>,

    /// Sort by name, in which runs of digits are numbers: r2 before r10
    #[arg(short = 'n', long)]
    name: bool,

    /// Sort by name, compared byte by byte
    #[arg(short = 'N', long, conflicts_with = "name")]
    lexicographic: bool,

    /// Sort by the value of this optional field, then by coordinate, or by name with -n
    #[arg(short = 't', long, value_name = "TAG", value_parser = tag, conflicts_with = "lexicographic", group = "of_alignments")]
    tag: Option<[u8; 2]>,

    /// Sort by the 5' ends of templates, then by library, molecule (MI) and name: what is of one molecule stands
    /// together
    #[arg(long, conflicts_with_all = ["name", "lexicographic", "tag"], group = "of_alignments")]
    template_coordinate: bool,

    /// Sort reads by this; pairs by the name or sequence of their first reads, or by the bases of both
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with_all = ["name", "lexicographic", "tag", "template_coordinate"], group = "of_reads")]
    by: Option<Compared>,

    /// Of reads: the greatest first; equal ones stay in the order of the input
    #[arg(long, group = "of_reads")]
    reverse: bool,

    /// Of reads: the file is interleaved, the mates of a pair follow each other
    #[arg(long, group = "of_reads")]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Of reads: write second reads of pairs to FILE; without it mates follow each other
    #[arg(long, value_name = "FILE", group = "of_reads")]
    out2: Option<OutFile>,

    #[command(flatten)]
    pairs_out: PairsOut,

    /// Memory for records, of all threads together, such as 512M or 4G; what reads and writes takes some 64 MB more
    /// [default: a quarter of what the machine or its container has, at most 16G]
    #[arg(short = 'm', long, value_name = "SIZE")]
    memory: Option<Size>,

    /// The folder of temporary files [default: TMPDIR if set, else that of the output]
    #[arg(short = 'T', long, visible_alias = "tmp-dir", value_name = "FOLDER")]
    temp_dir: Option<Folder>,

    #[command(flatten)]
    writing: SortedOut,

    /// Write the summary to FILE as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<OutFile>,

    #[command(flatten)]
    reports: ReportArgs,

    /// Reference sequences of a CRAM file, in FASTA, indexed (.fai) or not
    #[arg(long, value_name = "FASTA", group = "of_alignments")]
    reference: Option<InFile>,

    #[command(flatten)]
    duplicates: Duplicates,

    #[command(flatten)]
    program: Program,

    #[command(flatten)]
    reading: Reading,
}

/// What `--by` takes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Compared {
    /// The number of bases
    Length,
    /// The name, in which runs of digits are numbers, as -n
    Name,
    /// The bases, byte by byte
    Sequence,
}

pub(super) fn tag(text: &str) -> Result<[u8; 2], String> {
    match text.as_bytes() {
        &[a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => Ok([a, b]),
        _ => Err("expected the name of an optional field, a letter and a letter or digit".into()),
    }
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let mut inputs = inputs::gather(&args.files, None, "-", files)?;
    let Some(first) = inputs.first() else { bail!("no input") };
    let rereads = Rereads::of(&inputs);
    let mut source = first.open()?;
    if args.by.is_some() || inputs::holds_reads(&mut source)? {
        return args.reads(inputs, source, files);
    }
    if let Some(option) = args.only_of_reads() {
        bail!("{option} is for reads, and {} holds alignments", first.name());
    }
    if inputs.len() > 1 {
        bail!("one file of alignments is expected, but {} are named", inputs.len());
    }
    let Some(input) = inputs.pop() else { bail!("no input") };
    let order = args.order();
    let marking = args.duplicates.marking(order)?;
    if args.writing.has_index() && order != Order::Coordinate {
        bail!("--write-index needs records sorted by coordinate");
    }
    let limits = Limits {
        memory: args.memory.map_or_else(default_memory, |Size(bytes)| bytes),
        folder: args.temp_dir(),
        sums: args.json.is_some(),
    };
    let watch = args.reading.watch();
    let opening = watch.opening(args.reference.as_deref(), bam::Detail::Full);
    let quiet = args.reading.messages.quiet;
    inputs::tell_unused_reference(args.reference.as_deref(), &mut source, quiet);
    let opened = bam::Input::open(source, &opening)?;
    // A header that can't be read is noticed before any output is touched.
    let (header, source) = bam::peek_header(opened.source)?;
    let header = order.header(&header);
    let header = args.program.header(&header);
    let target =
        args.writing.open(args.out_path(), files, &header).map_err(|error| input.blamed(error))?;
    let mut reports = args.reports.open(files)?;
    let report = output::optional_report(files, args.json.as_deref())?;
    let metrics = args.duplicates.metrics(files)?;
    let bar = watch.bar(input.len(), &args.reading.messages);
    let is_sorted = marking.is_none() && is_sorted(&input, order, &watch);
    let phase = if is_sorted { "in order already, copying" } else { "reading and sorting" };
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
    let format = target.format();
    let others = report.iter().len() + reports.len() + metrics.len();
    let mut writer =
        target.writer(watch.options.threads, others).map_err(|error| input.blamed(error))?;
    reports.start(&header).map_err(|error| input.blamed(error))?;
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
    metrics.write(&sorted, &mut outputs)?;
    if let Some(report) = report {
        let read = summary.input.unwrap_or_default();
        let removes = marking.is_some_and(|marking| marking.remove);
        if read != written && !removes {
            bail!("what was written is not what was read: please report it");
        }
        let path = args.out_path().map_or_else(|| "-".into(), display_name);
        let files = [(input.name(), Role::Input, read), (path, Role::Output, written)];
        let files = files.map(|(path, role, sum)| FileSum {
            path,
            role,
            partial: false,
            records: sum.into(),
        });
        let mut summary = serde_json::to_value(summary)?;
        if let (Some(found), Some(object)) = (sorted.duplicates(), summary.as_object_mut()) {
            object.insert("duplicates".into(), serde_json::to_value(found)?);
        }
        let text = output::summary_of_files(summary, &files)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, args.writing.sync())?;
    if !quiet {
        let stored = match summary.stored_runs {
            _ if summary.was_sorted => "which were in order already".into(),
            0 => "in memory".into(),
            runs => format!("{runs} runs in temporary files, {} bytes", summary.stored_bytes),
        };
        message("note", &format!("{} records sorted, {stored}", summary.records));
        if let Some(found) = sorted.duplicates() {
            duplicates::tell(&found);
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn order(&self) -> Order {
        match (self.tag, self.name) {
            (Some(tag), true) => Order::TagAndName(tag),
            (Some(tag), false) => Order::Tag(tag),
            (None, true) => Order::NaturalName,
            _ if self.template_coordinate => Order::TemplateCoordinate,
            (None, false) if self.lexicographic => Order::LexicographicName,
            (None, false) => Order::Coordinate,
        }
    }

    /// The first option given that is of reads.
    fn only_of_reads(&self) -> Option<String> {
        self.given.option("sort", &["of_reads", "Pairing", "PairsOut"])
    }

    /// The first option given that is of alignments.
    fn only_of_alignments(&self) -> Option<String> {
        let groups = ["of_alignments", "Program", "SortedOut", "Duplicates", "ReportArgs"];
        self.given.option_except("sort", &groups, &["level", "sync"])
    }

    /// Sorts reads; `source` is the first input, which is open already.
    fn reads(&self, inputs: Vec<Input>, source: Source, files: &mut Files) -> Result<ExitCode> {
        let by = match (self.by, self.name, self.lexicographic) {
            (Some(Compared::Length), ..) => By::Length,
            (Some(Compared::Name), ..) | (None, true, _) => By::NaturalName,
            (Some(Compared::Sequence), ..) => By::Sequence,
            (None, _, true) => By::Name,
            (None, false, false) => {
                return Err(Hinted {
                    message: format!("{} holds reads, which have no coordinates", source.name()),
                    hint: "--by length, --by name or --by sequence says how to sort them; `biofast shuffle` shuffles",
                }
                .into());
            }
        };
        if let Some(option) = self.only_of_alignments() {
            bail!("{option} is for alignments, and {} holds reads", source.name());
        }
        let most = if self.interleaved { 1 } else { 2 };
        if inputs.len() > most {
            let expected = if self.interleaved { "one file" } else { "one file, or two of mates" };
            bail!("expected {expected}, but {} are named", inputs.len());
        }
        inputs::are_two(&inputs)?;
        let paired = self.interleaved || inputs.len() == 2;
        self.pairs_out.refuse((inputs.len(), paired), self.out.as_deref(), self.out2.is_some())?;
        let reads = Reads {
            first: Some(source),
            inputs,
            paired,
            out: self.out.as_deref(),
            out2: self.out2.as_deref(),
            output_format: None,
            level: self.writing.level(),
            sync: self.writing.sync(),
            json: self.json.as_deref(),
            options: self.pairing.apply(self.reading.reads()),
            threads: self.reading.threads(),
            messages: &self.reading.messages,
        };
        let memory = self.memory.map_or_else(default_memory, |Size(bytes)| bytes);
        reads.order(Ordering { by, reverse: self.reverse }, (memory, &self.temp_dir()), files)
    }

    /// The file that is written.
    fn out_path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Where temporary files go.
    fn temp_dir(&self) -> PathBuf {
        temp_dir(self.temp_dir.as_deref(), self.out_path())
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
pub(super) fn explained(problem: Problem) -> anyhow::Error {
    match problem {
        Problem::Input(error) => error.into(),
        Problem::NotGrouped(what) => anyhow::anyhow!(
            "{what}; try: biofast sort -n INPUT | biofast sort --mark-duplicates -o OUTPUT -"
        ),
        problem @ Problem::NoBarcodes { .. } => Hinted {
            message: problem.to_string(),
            hint: "--barcode-tag names another tag, --barcode-rgx a pattern for names; --allow-missing-barcodes goes on without",
        }
        .into(),
        problem => problem.into(),
    }
}
